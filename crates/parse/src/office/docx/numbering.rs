//! Lists and numbered headings: the numbers that Word prints.

use super::styles::{Styles, left_indent};
use crate::numbering::{alphabetic, roman};
use crate::xml::{Element, Xml};
use std::collections::{HashMap, HashSet};

/// Levels that a list has.
const LEVELS: usize = 9;
/// Characters of the longest marker.
const MAX_MARKER: usize = 80;

/// The lists of a document, and how far each has been counted.
#[derive(Default)]
pub(super) struct Numbering {
    lists: HashMap<String, List>,
    /// Counted together where several lists share one definition.
    counters: HashMap<String, [Option<i64>; LEVELS]>,
    /// Levels of lists whose own start has been used.
    started: HashSet<(String, usize)>,
}

/// A list that paragraphs name.
#[derive(Clone, Default)]
struct List {
    /// The definition that it counts with.
    definition: String,
    levels: Vec<Level>,
    /// Where this list starts anew.
    starts: [Option<i64>; LEVELS],
}

#[derive(Clone, Default)]
struct Level {
    format: String,
    /// What is printed: `%1.%2` stands for the numbers of two levels.
    text: String,
    start: i64,
    indent: Option<i64>,
    /// Whether all numbers are printed in digits.
    digits: bool,
    /// The style whose paragraphs stand on this level.
    style: Option<String>,
    /// The level whose count starts this one again, from 1; 0 for none.
    restart: Option<i64>,
}

/// What is printed before a paragraph.
pub(super) struct Marker {
    pub(super) text: String,
    /// Whether it counts.
    pub(super) ordered: bool,
    /// Where the paragraph's text begins, in twentieths of a point.
    pub(super) indent: Option<i64>,
}

impl Numbering {
    pub(super) fn read(xml: &Xml, styles: &Styles) -> Self {
        let mut numbering = Self::default();
        let Some(root) = xml.root() else {
            return numbering;
        };
        let definitions: HashMap<&str, Element<'_>> = root
            .named("abstractNum")
            .filter_map(|element| Some((element.attr("abstractNumId")?, element)))
            .collect();
        // A definition may stand in a style, which names a list, which names the definition.
        let named = |num: Element<'_>| num.child("abstractNumId")?.attr("val").map(str::to_owned);
        let of_list: HashMap<&str, String> = root
            .named("num")
            .filter_map(|num| Some((num.attr("numId")?, named(num)?)))
            .collect();
        for num in root.named("num") {
            let (Some(id), Some(mut definition)) = (num.attr("numId"), named(num)) else {
                continue;
            };
            let linked = definitions
                .get(&*definition)
                .and_then(|element| element.child("numStyleLink")?.attr("val"))
                .and_then(|style| of_list.get(styles.list_of(style)?));
            if let Some(linked) = linked {
                definition.clone_from(linked);
            }
            let mut list = List {
                definition: definition.clone(),
                levels: vec![Level::default(); LEVELS],
                starts: [None; LEVELS],
            };
            if let Some(element) = definitions.get(&*definition) {
                element.named("lvl").for_each(|level| list.set_level(level));
            }
            for change in num.named("lvlOverride") {
                if let Some(level) = change.child("lvl") {
                    list.set_level(level);
                }
                let start = change
                    .child("startOverride")
                    .and_then(|start| start.number("val"));
                if let Some(at) = level_of(change) {
                    list.starts[at] = start.or(list.starts[at]);
                }
            }
            numbering.lists.insert(id.to_owned(), list);
        }
        numbering
    }

    /// The level of a list on which the paragraphs of a style stand.
    pub(super) fn level_of_style(&self, list: &str, style: &str) -> Option<u8> {
        let levels = &self.lists.get(list)?.levels;
        let at = levels
            .iter()
            .position(|level| level.style.as_deref() == Some(style))?;
        Some(at as u8)
    }

    /// Counts a paragraph; `None` where its list is not known.
    pub(super) fn next(&mut self, id: &str, level: u8) -> Option<Marker> {
        let list = self.lists.get(id)?;
        let at = usize::from(level).min(LEVELS - 1);
        let own = list.levels.get(at)?;
        let counters = self.counters.entry(list.definition.clone()).or_default();
        let fresh = list.starts[at].filter(|_| self.started.insert((id.to_owned(), at)));
        let count = match (fresh, counters[at]) {
            (Some(start), _) => start,
            (None, Some(before)) => before.saturating_add(1),
            (None, None) => own.start,
        };
        counters[at] = Some(count);
        for (below, counter) in counters.iter_mut().enumerate().skip(at + 1) {
            let restart = list.levels[below].restart;
            if restart.is_none_or(|from| from != 0 && at as i64 <= from) {
                *counter = None;
            }
        }
        let counts = *counters;
        Some(Marker {
            text: list.printed(at, &counts),
            ordered: !matches!(own.format.as_str(), "bullet" | "none" | ""),
            indent: own.indent,
        })
    }
}

impl List {
    fn set_level(&mut self, element: Element<'_>) {
        let Some(at) = level_of(element) else { return };
        let value = |name| element.child(name).and_then(|child| child.attr("val"));
        let number = |name| element.child(name).and_then(|child| child.number("val"));
        self.levels[at] = Level {
            format: value("numFmt").unwrap_or("decimal").to_owned(),
            text: value("lvlText").unwrap_or_default().to_owned(),
            start: number("start").unwrap_or(1),
            indent: element.child("pPr").and_then(left_indent),
            digits: element.child("isLgl").is_some(),
            style: value("pStyle").map(str::to_owned),
            restart: number("lvlRestart"),
        };
    }

    fn printed(&self, at: usize, counts: &[Option<i64>; LEVELS]) -> String {
        let level = &self.levels[at];
        if level.format == "bullet" {
            return bullet(&level.text);
        }
        let mut out = String::new();
        let mut chars = level.text.chars().take(MAX_MARKER).peekable();
        while let Some(c) = chars.next() {
            let digit = chars.peek().and_then(|next| next.to_digit(10));
            match digit {
                Some(shown @ 1..=9) if c == '%' => {
                    chars.next();
                    let shown = shown as usize - 1;
                    let other = &self.levels[shown];
                    let format = if level.digits {
                        "decimal"
                    } else {
                        &other.format
                    };
                    let count = counts[shown].unwrap_or(other.start);
                    out += &number(count, format);
                }
                _ => out.push(c),
            }
        }
        out.trim().to_owned()
    }
}

fn level_of(element: Element<'_>) -> Option<usize> {
    let at: usize = element.attr("ilvl")?.parse().ok()?;
    (at < LEVELS).then_some(at)
}

/// A bullet as printed; those of symbol fonts have no character of their own.
pub(in crate::office) fn bullet(text: &str) -> String {
    match text.trim().chars().next() {
        Some(c) if !('\u{e000}'..='\u{f8ff}').contains(&c) && c != 'o' && c != '\u{a7}' => {
            text.trim().chars().take(4).collect()
        }
        _ => "•".to_owned(),
    }
}

/// A number as Word prints it.
pub(super) fn number(count: i64, format: &str) -> String {
    let printed = match format {
        "none" => return String::new(),
        "decimalZero" => return format!("{count:02}"),
        "lowerLetter" => alphabetic(count.min(10_000)),
        "upperLetter" => alphabetic(count.min(10_000)).map(|text| text.to_uppercase()),
        "lowerRoman" => roman(count),
        "upperRoman" => roman(count).map(|text| text.to_uppercase()),
        _ => None,
    };
    printed.unwrap_or_else(|| count.to_string())
}
