//! The styles of a Word document.

use crate::xml::{Element, Xml};
use std::collections::HashMap;

/// How many styles one may be based on, each on the next.
const MAX_CHAIN: usize = 20;

/// The styles by their names in the file.
#[derive(Default)]
pub(super) struct Styles {
    styles: HashMap<String, Style>,
    /// The style of paragraphs that name none.
    default: Option<String>,
}

#[derive(Default)]
struct Style {
    /// Its built-in name, the same in all languages, in lower case.
    name: String,
    based_on: Option<String>,
    /// Depth of headings, from 0; 9 is text.
    outline: Option<i64>,
    numbering: Option<NumberingRef>,
    indent: Option<i64>,
    bold: Option<bool>,
    /// Whether a table's first row or column look different from the rest.
    marks_row: bool,
    marks_column: bool,
}

/// Which list a paragraph belongs to, as far as it says so.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberingRef {
    pub(super) list: Option<String>,
    pub(super) level: Option<u8>,
}

/// What a style makes of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StyleKind {
    Body,
    Title,
    /// A heading of this rank, from 1.
    Heading(u8),
    Caption,
    /// A line of a table of contents.
    Contents,
    Code,
}

impl Styles {
    pub(super) fn read(xml: &Xml) -> Self {
        let mut styles = Self::default();
        let Some(root) = xml.root() else {
            return styles;
        };
        for element in root.named("style") {
            let Some(id) = element.attr("styleId") else {
                continue;
            };
            let is_default = element.attr("default").is_some_and(is_on);
            if is_default && element.attr("type") == Some("paragraph") {
                styles.default = Some(id.to_owned());
            }
            styles
                .styles
                .insert(id.to_owned(), Style::read(element, id));
        }
        styles
    }

    /// A style, the one that it is based on, and so on; the default for `None`.
    fn chain<'a>(&'a self, id: Option<&'a str>) -> impl Iterator<Item = (&'a str, &'a Style)> {
        let known = id.filter(|id| self.styles.contains_key(*id));
        let first = known.or(self.default.as_deref());
        let entry = |id: &'a str| self.styles.get(id).map(|style| (id, style));
        let above = move |&(_, style): &(&str, &'a Style)| entry(style.based_on.as_deref()?);
        std::iter::successors(first.and_then(entry), above).take(MAX_CHAIN)
    }

    pub(super) fn kind(&self, id: Option<&str>) -> StyleKind {
        // A file without styles still names them.
        if let Some(id) = id
            && !self.styles.contains_key(id)
        {
            return kind_of_name(&id.to_lowercase()).unwrap_or(StyleKind::Body);
        }
        for (_, style) in self.chain(id) {
            if let Some(kind) = kind_of_name(&style.name) {
                return kind;
            }
            match style.outline {
                Some(level @ 0..=8) => return StyleKind::Heading(level as u8 + 1),
                Some(_) => return StyleKind::Body,
                None => {}
            }
        }
        StyleKind::Body
    }

    /// The list of a style's paragraphs, and the style that says so.
    pub(super) fn numbering<'a>(
        &'a self,
        id: Option<&'a str>,
    ) -> Option<(&'a str, &'a NumberingRef)> {
        self.chain(id)
            .find_map(|(id, style)| Some((id, style.numbering.as_ref()?)))
    }

    /// The left indent in twentieths of a point.
    pub(super) fn indent(&self, id: Option<&str>) -> Option<i64> {
        self.chain(id).find_map(|(_, style)| style.indent)
    }

    pub(super) fn is_bold(&self, id: Option<&str>) -> bool {
        self.chain(id)
            .find_map(|(_, style)| style.bold)
            .unwrap_or(false)
    }

    /// Whether a table's style sets off its first row, and its first column.
    pub(super) fn marks(&self, id: Option<&str>) -> (bool, bool) {
        let Some(id) = id else {
            return (false, false);
        };
        let row = self.chain(Some(id)).any(|(_, style)| style.marks_row);
        let column = self.chain(Some(id)).any(|(_, style)| style.marks_column);
        (row, column)
    }

    /// The list that a numbering style stands for.
    pub(super) fn list_of(&self, id: &str) -> Option<&str> {
        self.styles.get(id)?.numbering.as_ref()?.list.as_deref()
    }
}

impl Style {
    fn read(element: Element<'_>, id: &str) -> Self {
        let value = |name| element.child(name).and_then(|child| child.attr("val"));
        let properties = element.child("pPr");
        let parts = |kind: &str| {
            element
                .named("tblStylePr")
                .any(|part| part.attr("type") == Some(kind))
        };
        Self {
            name: value("name").unwrap_or(id).to_lowercase(),
            based_on: value("basedOn").map(str::to_owned),
            outline: properties
                .and_then(|properties| properties.child("outlineLvl"))
                .and_then(|level| level.number("val")),
            numbering: properties.and_then(numbering_ref),
            indent: properties.and_then(left_indent),
            bold: element.child("rPr").and_then(|run| toggle(run, "b")),
            marks_row: parts("firstRow"),
            marks_column: parts("firstCol"),
        }
    }
}

fn kind_of_name(name: &str) -> Option<StyleKind> {
    if let Some(rest) = name.strip_prefix("heading")
        && let Ok(rank @ 1..=9) = rest.trim().parse()
    {
        return Some(StyleKind::Heading(rank));
    }
    let contents = |rest: &str| rest.trim().parse::<u8>().is_ok() || rest.trim() == "heading";
    match name {
        "title" => Some(StyleKind::Title),
        "caption" | "image caption" | "table caption" => Some(StyleKind::Caption),
        "table of figures" | "contents heading" => Some(StyleKind::Contents),
        "html preformatted" | "source code" | "preformatted text" | "code" | "code block"
        | "macro text" => Some(StyleKind::Code),
        _ => ["toc", "contents", "index"]
            .iter()
            .any(|start| name.strip_prefix(start).is_some_and(contents))
            .then_some(StyleKind::Contents),
    }
}

/// Whether a value turns something on.
pub(super) fn is_on(value: &str) -> bool {
    !matches!(value, "0" | "false" | "off" | "none")
}

/// A property that is on where it stands without a value.
pub(super) fn toggle(properties: Element<'_>, name: &str) -> Option<bool> {
    let property = properties.child(name)?;
    Some(property.attr("val").is_none_or(is_on))
}

/// The list that a paragraph's or style's properties name.
pub(super) fn numbering_ref(properties: Element<'_>) -> Option<NumberingRef> {
    let numbering = properties.child("numPr")?;
    let value = |name| numbering.child(name).and_then(|child| child.attr("val"));
    Some(NumberingRef {
        list: value("numId").map(str::to_owned),
        level: value("ilvl").and_then(|level| level.parse().ok()),
    })
}

/// The left indent of a paragraph's, style's or level's properties.
pub(super) fn left_indent(properties: Element<'_>) -> Option<i64> {
    let indent = properties.child("ind")?;
    indent.number("left").or_else(|| indent.number("start"))
}
