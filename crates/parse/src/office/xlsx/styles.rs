//! How cells look: the format of their numbers, and whether they stand out.

use super::format;
use crate::xml::{Element, Xml};
use std::collections::HashMap;

/// The looks that cells refer to by number.
#[derive(Default)]
pub(super) struct Styles {
    looks: Vec<Look>,
    from_1904: bool,
}

#[derive(Clone, Default)]
struct Look {
    /// The format of numbers; none for the usual.
    format: Option<String>,
    /// Whether the text is bold or the ground coloured.
    stands_out: bool,
}

impl Styles {
    pub(super) fn read(xml: Option<&Xml>, from_1904: bool) -> Self {
        let mut styles = Self {
            looks: Vec::new(),
            from_1904,
        };
        let Some(root) = xml.and_then(Xml::root) else {
            return styles;
        };
        let list = |name: &'static str| root.child(name).into_iter().flat_map(Element::children);
        let formats: HashMap<i64, &str> = list("numFmts")
            .filter_map(|format| Some((format.number("numFmtId")?, format.attr("formatCode")?)))
            .collect();
        let bold: Vec<bool> = list("fonts")
            .map(|font| {
                font.child("b")
                    .is_some_and(|bold| bold.attr("val").is_none_or(|on| on != "0"))
            })
            .collect();
        let filled: Vec<bool> = list("fills")
            .map(|fill| {
                let kind = fill
                    .child("patternFill")
                    .and_then(|fill| fill.attr("patternType"));
                kind.is_some_and(|kind| !matches!(kind, "none" | "gray125"))
            })
            .collect();
        let marked = |marks: &[bool], at: Option<i64>| {
            at.and_then(|at| marks.get(usize::try_from(at).ok()?))
                .copied()
                .unwrap_or(false)
        };
        styles.looks = list("cellXfs")
            .map(|look| {
                let id = look.number("numFmtId").unwrap_or(0);
                let format = formats.get(&id).copied().or(format::built_in(id));
                Look {
                    format: format.map(str::to_owned),
                    stands_out: marked(&bold, look.number("fontId"))
                        || marked(&filled, look.number("fillId")),
                }
            })
            .collect();
        styles
    }

    /// A number as a cell of this look displays it.
    pub(super) fn display(&self, number: f64, look: usize) -> String {
        let format = self.looks.get(look).and_then(|look| look.format.as_deref());
        format::display(number, format.unwrap_or("General"), self.from_1904)
    }

    pub(super) fn stands_out(&self, look: usize) -> bool {
        self.looks.get(look).is_some_and(|look| look.stands_out)
    }
}
