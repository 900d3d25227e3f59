//! Which lines are headings, and how they nest.

use super::lines::Line;
use super::list;
use crate::block::{Block, BlockKind};
use crate::nodes::Outline;

/// Characters of the longest heading.
const MAX_HEADING: usize = 100;
/// Words of the longest heading in capitals.
const MAX_WORDS: usize = 12;
/// Levels of the deepest number.
const MAX_NUMBERS: usize = 6;
/// Signs that a heading is underlined with.
const UNDERLINES: &str = "=-~^*#+_.:\"'`";

/// What makes a line a heading. Headings of one style are of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// A line of this sign stands below it.
    Underlined(char),
    /// The same, with a line above as well.
    Framed(char),
    /// It is all in capitals.
    Capitals,
    /// It begins with `Part`.
    Part,
    /// It begins with `Chapter`, `Appendix` or the like.
    Chapter,
    /// It begins with a number of this many levels: two in `1.2`.
    Numbered(usize),
}

/// The heading that a group of lines begins with, and how many lines it takes; `next` is the group
/// behind the next blank line.
pub(super) fn at_start<'a>(
    group: &[Line<'a>],
    next: Option<&[Line<'a>]>,
) -> Option<(Style, String, usize)> {
    let (first, rest) = group.split_first()?;
    if let Some(sign) = underline(first, None)
        && let [title, below, ..] = rest
        && underline(below, Some(title)) == Some(sign)
    {
        return Some((Style::Framed(sign), title.text.to_owned(), 3));
    }
    let fits =
        first.text.chars().count() <= MAX_HEADING && first.text.chars().any(char::is_alphanumeric);
    if !fits {
        return None;
    }
    let told = |style| Some((style, first.text.to_owned(), 1));
    if let Some(below) = rest.first()
        && let Some(sign) = underline(below, Some(first))
    {
        let style = numbered(first.text).unwrap_or(Style::Underlined(sign));
        return Some((style, first.text.to_owned(), 2));
    }
    // Without a blank line after it, what follows is set in.
    let alone = rest.is_empty();
    let over = rest
        .first()
        .is_some_and(|below| below.indent > first.indent);
    if !(alone || over) || first.text.ends_with(['.', ',', ';', ':', '!']) {
        return None;
    }
    if is_capitals(first.text) && first.indent < 4 {
        return told(Style::Capitals);
    }
    let style = numbered(first.text).filter(|_| alone)?;
    // Items of a list that are parted by blank lines follow each other.
    let listed = next
        .and_then(<[_]>::first)
        .is_some_and(|below| list::item(below).is_some() && numbered(below.text) == Some(style));
    if listed && style == Style::Numbered(1) {
        return None;
    }
    told(style)
}

/// The sign of a line that is nothing but an underline, as long as `title` where there is one.
fn underline(line: &Line<'_>, title: Option<&Line<'_>>) -> Option<char> {
    let sign = line
        .text
        .chars()
        .next()
        .filter(|&sign| UNDERLINES.contains(sign))?;
    let length = line.text.chars().count();
    let same = line.text.chars().all(|c| c == sign);
    let fits = title.is_none_or(|title| {
        let width = title.text.chars().count();
        let alike = length + 2 >= width && length <= width + 4;
        alike || (length >= width && matches!(sign, '=' | '-'))
    });
    (same && length >= 3 && fits).then_some(sign)
}

/// Whether the letters of a line are capitals, and there are words of them.
fn is_capitals(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (mut count, mut small) = (0, 0);
    for letter in letters {
        count += 1;
        small += usize::from(!letter.is_uppercase());
    }
    let words = text.split_whitespace().count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    count >= 4 && small == 0 && words <= MAX_WORDS && digits < count
}

/// The style of a line by the number or name that it begins with.
fn numbered(text: &str) -> Option<Style> {
    let (head, rest) = text.split_once(char::is_whitespace)?;
    let title = rest.trim_start();
    let name = head.to_lowercase();
    let counted = title.split([' ', '.', ':']).next().is_some_and(|number| {
        let roman = number.chars().all(|c| "IVXLC".contains(c));
        let letter = number.len() == 1 && number.chars().all(|c| c.is_ascii_uppercase());
        !number.is_empty() && (roman || letter || number.chars().all(|c| c.is_ascii_digit()))
    });
    match name.as_str() {
        "part" if counted => return Some(Style::Part),
        "chapter" | "appendix" | "kapitel" | "anhang" | "chapitre" | "annexe" | "capítulo"
        | "capitolo" | "section"
            if counted =>
        {
            return Some(Style::Chapter);
        }
        _ => {}
    }
    let number = head.strip_suffix('.').unwrap_or(head);
    let parts: Vec<&str> = number.split('.').collect();
    let is_number =
        |part: &&str| (1..=3).contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit());
    let letter = parts[0].len() == 1 && parts[0].chars().all(|c| c.is_ascii_uppercase());
    let numbers =
        parts[1..].iter().all(is_number) && (is_number(&parts[0]) || (letter && parts.len() > 1));
    let titled = title.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
    (numbers && titled && parts.len() <= MAX_NUMBERS).then_some(Style::Numbered(parts.len()))
}

/// The styles met, the highest first: a style that is new stands below the heading before it.
#[derive(Default)]
pub(super) struct Ranks {
    styles: Vec<Style>,
    /// The headings so far.
    found: Vec<Style>,
}

impl Ranks {
    /// Notes a heading.
    pub(super) fn add(&mut self, style: Style) {
        if !self.styles.contains(&style) {
            let place = |wanted: &Style| self.styles.iter().position(|known| known == wanted);
            let below = self.found.last().and_then(place).map_or(0, |at| at + 1);
            let deeper = |known: &Style| match (known, style) {
                (Style::Numbered(one), Style::Numbered(own)) => *one > own,
                (Style::Numbered(_), Style::Chapter | Style::Part) => true,
                (known, own) => *known == Style::Chapter && own == Style::Part,
            };
            let above = self
                .styles
                .iter()
                .position(deeper)
                .unwrap_or(self.styles.len());
            self.styles.insert(below.min(above), style);
        }
        self.found.push(style);
    }

    /// Title and levels. The first heading is the title where it comes first and no other is of
    /// its style, but some are of lower ones.
    pub(super) fn outline(&self, blocks: &[Block]) -> Outline {
        let place = |style: &Style| self.styles.iter().position(|known| known == style);
        let ranks: Vec<usize> = self
            .found
            .iter()
            .map(|style| place(style).unwrap_or(0))
            .collect();
        let starts = matches!(
            blocks.first(),
            Some(Block {
                kind: BlockKind::Heading(_),
                ..
            })
        );
        let title = starts && ranks.len() > 1 && ranks[0] == 0 && !ranks[1..].contains(&0);
        let mut open: Vec<usize> = Vec::new();
        let levels = ranks.iter().skip(usize::from(title)).map(|&rank| {
            while open.last().is_some_and(|&above| above >= rank) {
                open.pop();
            }
            open.push(rank);
            open.len().min(usize::from(u8::MAX)) as u8
        });
        Outline {
            levels: levels.collect(),
            title: title.then_some(0),
        }
    }
}
