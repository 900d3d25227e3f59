//! The printed names of figures, tables, sections and steps, and where text mentions them.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LabelKind {
    /// A figure, chart, diagram or plate.
    Figure,
    /// A table.
    Table,
    /// A section, chapter or appendix.
    Section,
    /// A numbered step.
    Step,
}

/// A printed name: "Figure 3-2" is a figure of number `3-2`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Label {
    /// What it names.
    pub kind: LabelKind,
    /// Its number as printed, lower case, without a last period: `3-2`, `a.1`, `iv`.
    pub number: String,
}

/// The words that come before a number, lower case; longer spellings first.
const NAMES: &[(&str, LabelKind)] = &[
    ("figures", LabelKind::Figure),
    ("figure", LabelKind::Figure),
    ("figs.", LabelKind::Figure),
    ("fig.", LabelKind::Figure),
    ("fig", LabelKind::Figure),
    ("chart", LabelKind::Figure),
    ("diagram", LabelKind::Figure),
    ("exhibit", LabelKind::Figure),
    ("abbildung", LabelKind::Figure),
    ("abb.", LabelKind::Figure),
    ("bild", LabelKind::Figure),
    ("рисунок", LabelKind::Figure),
    ("рис.", LabelKind::Figure),
    ("图", LabelKind::Figure),
    ("圖", LabelKind::Figure),
    ("tables", LabelKind::Table),
    ("table", LabelKind::Table),
    ("tabelle", LabelKind::Table),
    ("tab.", LabelKind::Table),
    ("таблица", LabelKind::Table),
    ("табл.", LabelKind::Table),
    ("表", LabelKind::Table),
    ("sections", LabelKind::Section),
    ("section", LabelKind::Section),
    ("sec.", LabelKind::Section),
    ("chapter", LabelKind::Section),
    ("appendix", LabelKind::Section),
    ("abschnitt", LabelKind::Section),
    ("kapitel", LabelKind::Section),
    ("раздел", LabelKind::Section),
    ("§", LabelKind::Section),
    ("steps", LabelKind::Step),
    ("step", LabelKind::Step),
    ("schritt", LabelKind::Step),
    ("шаг", LabelKind::Step),
];

/// The label that a caption begins with: `Figure 3-2. The pump` gives figure `3-2`.
pub fn caption_label(caption: &str) -> Option<Label> {
    let caption = caption.trim_start();
    let (kind, rest) = name_at(caption)?;
    let (number, _) = number_at(&caption[rest..])?;
    matches!(kind, LabelKind::Figure | LabelKind::Table).then_some(Label { kind, number })
}

/// The labels that a text mentions, with the bytes of each mention. "Figures 2 and 3" mentions
/// both.
pub fn mentions(text: &str) -> Vec<(Range<usize>, Label)> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(c) = text[at..].chars().next() {
        let step = c.len_utf8();
        let begins = !before.is_alphanumeric() || is_ideograph(c);
        let found = if begins { name_at(&text[at..]) } else { None };
        before = c;
        let Some((kind, name_len)) = found else {
            at += step;
            continue;
        };
        let mut end = at + name_len;
        let mut start = at;
        while let Some((number, len)) = number_at(&text[end..]) {
            end += len;
            out.push((start..end, Label { kind, number }));
            let Some(joint) = joint_at(&text[end..]) else {
                break;
            };
            if number_at(&text[end + joint..]).is_none() {
                break;
            }
            end += joint;
            start = end;
        }
        at = end.max(at + step);
        before = text[..at].chars().next_back().unwrap_or(' ');
    }
    out
}

/// The label name at the start of `text`, and its length in bytes.
fn name_at(text: &str) -> Option<(LabelKind, usize)> {
    NAMES.iter().find_map(|&(name, kind)| {
        let mut rest = text.chars();
        let same = name
            .chars()
            .all(|want| rest.next().is_some_and(|have| lower(have) == want));
        let len = text.len() - rest.as_str().len();
        let whole = rest.next().is_none_or(|next| !next.is_alphabetic());
        (same && whole).then_some((kind, len))
    })
}

/// The number at the start of `text` after optional space: `3`, `3.1`, `3-2`, `A.1`, `S3`, `IV`.
fn number_at(text: &str) -> Option<(String, usize)> {
    let body = text.trim_start_matches([' ', '\u{a0}', '\n', '#']);
    let skipped = text.len() - body.len();
    let end = body
        .char_indices()
        .find(|&(_, c)| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '–')))
        .map_or(body.len(), |(at, _)| at);
    let number = body[..end].trim_end_matches(['.', '-', '–']);
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let letters = number.chars().filter(char::is_ascii_alphabetic).count();
    let roman = digits == 0 && number.chars().all(|c| "IVX".contains(c));
    let appendix = digits == 0 && letters == 1 && number.chars().all(|c| c.is_ascii_uppercase());
    let good = (digits > 0 && letters <= 2) || (!number.is_empty() && (roman || appendix));
    good.then(|| {
        (
            number.to_ascii_lowercase().replace('–', "-"),
            skipped + number.len(),
        )
    })
}

/// The length of `, ` or ` and ` between two numbers of one mention.
fn joint_at(text: &str) -> Option<usize> {
    [
        ", and ", " and ", " und ", " or ", " to ", ", ", " & ", "–", "、", "和",
    ]
    .iter()
    .find(|joint| text.starts_with(**joint))
    .map(|joint| joint.len())
}

/// Lower case of one character, for names of single-character lower case.
fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(LabelKind, &str)]) {
        let found: Vec<_> = mentions(text)
            .into_iter()
            .map(|(_, label)| (label.kind, label.number))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|&(kind, number)| (kind, number.to_owned()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn mentions_of_many_spellings() {
        use LabelKind::{Figure, Section, Step, Table};
        check("See Figure 3-2.", &[(Figure, "3-2")]);
        check(
            "as in Figs. 2 and 3, or table 2.1",
            &[(Figure, "2"), (Figure, "3"), (Table, "2.1")],
        );
        check("(Section 4.2, step 5)", &[(Section, "4.2"), (Step, "5")]);
        check(
            "Appendix A and Chapter IV",
            &[(Section, "a"), (Section, "iv")],
        );
        check(
            "siehe Abbildung 7 in Abschnitt 2",
            &[(Figure, "7"), (Section, "2")],
        );
        check("见图3和表2", &[(Figure, "3"), (Table, "2")]);
        check("см. Рис. 4", &[(Figure, "4")]);
        check("configure 3 tables and a stable 2", &[]);
        check("the figure shows", &[]);
    }

    #[test]
    fn captions_begin_with_their_label() {
        let label = caption_label(" Fig. 12: Pump, see Table 3").unwrap();
        assert_eq!(
            (label.kind, label.number.as_str()),
            (LabelKind::Figure, "12")
        );
        assert_eq!(caption_label("The pump (Figure 3)"), None);
        assert_eq!(caption_label("Section 3"), None);
    }
}
