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
    /// A section, chapter, appendix or another numbered part.
    Section,
    /// A numbered step.
    Step,
    /// A page, by the number that is printed on it.
    Page,
    /// A formula with a number.
    Formula,
}

/// A printed name: "Figure 3-2" is a figure of number `3-2`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Label {
    /// What it names.
    pub kind: LabelKind,
    /// Its number as printed, lower case, without a last period: `3-2`, `a.1`, `iv`. Parts that
    /// count for themselves beside the sections keep their word: `article 5`.
    pub number: String,
}

/// Numbers of one range ("Tables 2–4") at most.
const MAX_RANGE: u32 = 20;

/// The words that come before a number, lower case; longer spellings first.
#[rustfmt::skip]
const NAMES: &[(&str, LabelKind)] = &[
    ("figures", LabelKind::Figure), ("figure", LabelKind::Figure),
    ("figs.", LabelKind::Figure), ("fig.", LabelKind::Figure), ("figs", LabelKind::Figure),
    ("fig", LabelKind::Figure), ("charts", LabelKind::Figure), ("chart", LabelKind::Figure),
    ("diagram", LabelKind::Figure), ("exhibit", LabelKind::Figure),
    ("abbildungen", LabelKind::Figure), ("abbildung", LabelKind::Figure),
    ("abb.", LabelKind::Figure), ("bild", LabelKind::Figure),
    ("figuras", LabelKind::Figure), ("figura", LabelKind::Figure),
    ("figuur", LabelKind::Figure), ("afbeelding", LabelKind::Figure),
    ("рисунок", LabelKind::Figure), ("рисунке", LabelKind::Figure), ("рис.", LabelKind::Figure),
    ("图", LabelKind::Figure), ("圖", LabelKind::Figure), ("図", LabelKind::Figure),
    ("tables", LabelKind::Table), ("table", LabelKind::Table),
    ("tabellen", LabelKind::Table), ("tabelle", LabelKind::Table), ("tab.", LabelKind::Table),
    ("tableaux", LabelKind::Table), ("tableau", LabelKind::Table),
    ("tablas", LabelKind::Table), ("tabla", LabelKind::Table),
    ("tabella", LabelKind::Table), ("tabela", LabelKind::Table), ("tabel", LabelKind::Table),
    ("таблица", LabelKind::Table), ("таблице", LabelKind::Table), ("табл.", LabelKind::Table),
    ("表", LabelKind::Table),
    ("sections", LabelKind::Section), ("section", LabelKind::Section),
    ("sect.", LabelKind::Section), ("secs.", LabelKind::Section), ("sec.", LabelKind::Section),
    ("chapters", LabelKind::Section), ("chapter", LabelKind::Section),
    ("chap.", LabelKind::Section),
    ("appendices", LabelKind::Section), ("appendix", LabelKind::Section),
    ("annex", LabelKind::Section), ("annexe", LabelKind::Section),
    ("abschnitte", LabelKind::Section), ("abschnitt", LabelKind::Section),
    ("kapitel", LabelKind::Section), ("anhang", LabelKind::Section),
    ("chapitre", LabelKind::Section), ("sección", LabelKind::Section),
    ("capítulo", LabelKind::Section), ("seção", LabelKind::Section),
    ("capitolo", LabelKind::Section), ("sezione", LabelKind::Section),
    ("hoofdstuk", LabelKind::Section), ("paragraaf", LabelKind::Section),
    ("раздел", LabelKind::Section), ("разделе", LabelKind::Section),
    ("глава", LabelKind::Section), ("главе", LabelKind::Section), ("§", LabelKind::Section),
    ("item", LabelKind::Section), ("article", LabelKind::Section),
    ("artikel", LabelKind::Section), ("note", LabelKind::Section),
    ("part", LabelKind::Section), ("teil", LabelKind::Section),
    ("steps", LabelKind::Step), ("step", LabelKind::Step),
    ("schritte", LabelKind::Step), ("schritt", LabelKind::Step),
    ("étape", LabelKind::Step), ("paso", LabelKind::Step), ("passo", LabelKind::Step),
    ("stap", LabelKind::Step), ("шаг", LabelKind::Step),
    ("步骤", LabelKind::Step), ("步驟", LabelKind::Step),
    ("pages", LabelKind::Page), ("page", LabelKind::Page),
    ("slides", LabelKind::Page), ("slide", LabelKind::Page), ("folie", LabelKind::Page),
    ("see pp.", LabelKind::Page), ("see p.", LabelKind::Page), ("on p.", LabelKind::Page),
    ("seiten", LabelKind::Page), ("seite", LabelKind::Page), ("siehe s.", LabelKind::Page),
    ("página", LabelKind::Page), ("pagina", LabelKind::Page),
    ("страница", LabelKind::Page), ("странице", LabelKind::Page), ("стр.", LabelKind::Page),
    ("equations", LabelKind::Formula), ("equation", LabelKind::Formula),
    ("eqs.", LabelKind::Formula), ("eqn.", LabelKind::Formula), ("eq.", LabelKind::Formula),
    ("formula", LabelKind::Formula), ("gleichung", LabelKind::Formula),
    ("formel", LabelKind::Formula), ("équation", LabelKind::Formula),
    ("ecuación", LabelKind::Formula), ("equazione", LabelKind::Formula),
    ("уравнение", LabelKind::Formula), ("公式", LabelKind::Formula),
];

/// Names of parts that count beside the sections: an item 3 is not Section 3.
const OWN_COUNT: &[&str] = &["item", "article", "artikel", "note", "part", "teil"];

/// What stands between two numbers of one mention, and whether the numbers between are meant too.
#[rustfmt::skip]
const JOINTS: &[(&str, bool)] = &[
    (", and ", false), (", or ", false), (" and ", false), (" und ", false), (" or ", false),
    (" oder ", false), (" et ", false), (" y ", false), (" e ", false), (" и ", false),
    (" & ", false), (", ", false), ("、", false), ("和", false),
    (" to ", true), (" through ", true), (" bis ", true), (" à ", true), (" – ", true),
    (" - ", true), ("–", true), ("至", true), ("到", true),
];

impl Label {
    /// The anchor of what it names, such as `figure#3-2`: no word of a text looks like it.
    pub fn anchor(&self) -> String {
        let kind = match self.kind {
            LabelKind::Figure => "figure",
            LabelKind::Table => "table",
            LabelKind::Section => "section",
            LabelKind::Step => "step",
            LabelKind::Page => "page",
            LabelKind::Formula => "formula",
        };
        format!("{kind}#{}", self.number)
    }

    /// The labels of a range that was printed as one number: `2-4` are 2, 3 and 4. None where the
    /// number is no range.
    pub(crate) fn range(&self) -> Vec<Self> {
        let bounds = self.number.split_once('-');
        let Some((first, last)) = bounds else {
            return Vec::new();
        };
        let mut out = vec![self.with_number(first)];
        out.extend(self.between(first, last));
        if out.len() > 1 || follows(first, last) {
            out.push(self.with_number(last));
            out
        } else {
            Vec::new()
        }
    }

    /// The figure that a part of it belongs to: that of `3b` is `3`.
    pub(crate) fn whole(&self) -> Option<Self> {
        let digit = self.number.find(|c: char| c.is_ascii_digit())?;
        let letter = self.number[digit..].find(|c: char| c.is_ascii_alphabetic())?;
        let whole = self.number[..digit + letter].trim_end_matches(['.', '-']);
        Some(self.with_number(whole))
    }

    fn with_number(&self, number: &str) -> Self {
        Self {
            kind: self.kind,
            number: number.to_owned(),
        }
    }

    /// The labels strictly between two numbers that differ in their last part.
    fn between(&self, first: &str, last: &str) -> Vec<Self> {
        let Some((lead, low, high)) = bounds(first, last) else {
            return Vec::new();
        };
        (low + 1..high)
            .map(|number| self.with_number(&format!("{lead}{number}")))
            .collect()
    }
}

/// What two numbers share, and their last parts where these rise: `4.1` and `4.3` share `4.`.
fn bounds<'a>(first: &'a str, last: &str) -> Option<(&'a str, u32, u32)> {
    let cut = |text: &str| text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (lead, low) = first.split_at(cut(first));
    let (other, high) = last.split_at(cut(last));
    let (low, high): (u32, u32) = (low.parse().ok()?, high.parse().ok()?);
    (lead == other && low < high && high - low <= MAX_RANGE).then_some((lead, low, high))
}

/// Whether `last` is the number right after `first`.
fn follows(first: &str, last: &str) -> bool {
    bounds(first, last).is_some_and(|(_, low, high)| low + 1 == high)
}

/// The label that a caption begins with: `Figure 3-2. The pump` gives figure `3-2`.
pub fn caption_label(caption: &str) -> Option<Label> {
    let caption = caption.trim_start();
    let (kind, rest) = name_at(caption)?;
    let (number, _) = number_at(&caption[rest..], kind)?;
    matches!(kind, LabelKind::Figure | LabelKind::Table).then_some(Label { kind, number })
}

/// The labels that a text mentions, with the bytes of each mention. "Figures 2 and 3" mentions
/// both, "Figures 2 to 4" the third as well. What belongs to another work ("Table 2 of \[7\]",
/// "Section 13 of the Exchange Act") is not among them.
pub fn mentions(text: &str) -> Vec<(Range<usize>, Label)> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(c) = text[at..].chars().next() {
        let begins = !before.is_alphanumeric() || is_ideograph(c);
        let found = if begins { mention_at(text, at) } else { None };
        let end = match found {
            Some((labels, end)) => {
                if !is_of_another_work(text, at, end, &labels) {
                    out.extend(labels);
                }
                end
            }
            None => at + c.len_utf8(),
        };
        before = text[..end].chars().next_back().unwrap_or(' ');
        at = end;
    }
    out
}

/// A label with where it stands.
type Mention = (Range<usize>, Label);

/// The labels of the mention that begins at a byte, and where it ends.
fn mention_at(text: &str, at: usize) -> Option<(Vec<Mention>, usize)> {
    if let Some((label, len)) = counted_at(&text[at..]) {
        return Some((vec![(at..at + len, label)], at + len));
    }
    let (kind, name_len) = name_at(&text[at..])?;
    let name = text[at..at + name_len].to_lowercase();
    let own_count = OWN_COUNT.contains(&name.as_str());
    let label = |number: &str| Label {
        kind,
        number: if own_count {
            format!("{name} {number}")
        } else {
            number.to_owned()
        },
    };
    let mut out: Vec<Mention> = Vec::new();
    let (mut start, mut end) = (at, at + name_len);
    let mut range_from: Option<String> = None;
    while let Some((number, len)) = number_at(&text[end..], kind) {
        if let Some(first) = range_from.take() {
            let between = label(&number).between(&first, &number);
            out.extend(between.into_iter().map(|label| (start..end, label)));
        }
        end += len;
        end += part_len(&text[end..]);
        out.push((start..end, label(&number)));
        let Some((joint, is_range)) = joint_at(&text[end..]) else {
            break;
        };
        if number_at(&text[end + joint..], kind).is_none() {
            break;
        }
        range_from = is_range.then_some(number);
        end += joint;
        start = end;
    }
    (!out.is_empty()).then_some((out, end))
}

/// The length of the letter of a part in brackets: `(b)` of "Fig. 3(b)".
fn part_len(text: &str) -> usize {
    match text.as_bytes() {
        [b'(', letter, b')', ..] if letter.is_ascii_lowercase() => 3,
        _ => 0,
    }
}

/// Whether what follows a mention says that it is of another work; or it is a range of pages as
/// lists of references have them.
fn is_of_another_work(
    text: &str,
    start: usize,
    end: usize,
    labels: &[(Range<usize>, Label)],
) -> bool {
    let kind = labels.first().map(|(_, label)| label.kind);
    if kind == Some(LabelKind::Page) {
        let range = labels.len() > 1 || labels.iter().any(|(_, label)| label.number.contains('-'));
        return range && text[..start].trim_end().ends_with([',', '.', ';', ':']);
    }
    let mut after = text[end..].trim_start();
    while let Some(inner) = after.strip_prefix('(') {
        let Some((_, rest)) = inner.split_once(')').filter(|(inner, _)| inner.len() <= 4) else {
            break;
        };
        after = rest.trim_start();
    }
    let Some(work) = ["of ", "in "].iter().find_map(|of| after.strip_prefix(of)) else {
        return false;
    };
    let work = work.strip_prefix("the ").unwrap_or(work);
    let head: String = work.chars().take(40).collect();
    let cited = work.starts_with('[') && work[1..].starts_with(|c: char| c.is_ascii_digit());
    let titled = kind == Some(LabelKind::Section)
        && work.starts_with(char::is_uppercase)
        && name_at(work).is_none();
    cited || head.contains("et al") || titled
}

/// The label at the start of `text` that names its kind after its number: `第3章`, `第12页`.
fn counted_at(text: &str) -> Option<(Label, usize)> {
    let rest = text.strip_prefix('第')?;
    let digits = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(rest.len());
    let (number, unit) = rest.split_at(digits);
    let (name, kind) = [
        ("章", LabelKind::Section),
        ("节", LabelKind::Section),
        ("節", LabelKind::Section),
        ("页", LabelKind::Page),
        ("頁", LabelKind::Page),
        ("ページ", LabelKind::Page),
        ("步", LabelKind::Step),
    ]
    .into_iter()
    .find(|(name, _)| unit.starts_with(name))?;
    let label = Label {
        kind,
        number: number.to_owned(),
    };
    (!number.is_empty()).then_some((label, text.len() - unit.len() + name.len()))
}

/// The label name at the start of `text`, and its length in bytes.
fn name_at(text: &str) -> Option<(LabelKind, usize)> {
    let first = lower(text.chars().next()?);
    let mut names = NAMES.iter().filter(|(name, _)| name.starts_with(first));
    names.find_map(|&(name, kind)| {
        let mut rest = text.chars();
        let same = name
            .chars()
            .all(|want| rest.next().is_some_and(|have| lower(have) == want));
        let len = text.len() - rest.as_str().len();
        let whole = rest.next().is_none_or(|next| !next.is_alphabetic());
        (same && whole).then_some((kind, len))
    })
}

/// The number at the start of `text` after optional space: `3`, `3.1`, `3-2`, `A.1`, `S3`, `IV`;
/// that of a formula may stand in brackets, that of a page be a small Roman number.
fn number_at(text: &str, kind: LabelKind) -> Option<(String, usize)> {
    let mut body = text.trim_start_matches([' ', '\u{a0}', '\n', '#']);
    let bracketed = kind == LabelKind::Formula && body.starts_with('(');
    if bracketed {
        body = &body[1..];
    }
    let skipped = text.len() - body.len();
    let end = body
        .char_indices()
        .find(|&(_, c)| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '–')))
        .map_or(body.len(), |(at, _)| at);
    let number = body[..end].trim_end_matches(['.', '-', '–']);
    if bracketed && !body[number.len()..].starts_with(')') {
        return None;
    }
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let letters = number.chars().filter(char::is_ascii_alphabetic).count();
    let small_roman = kind == LabelKind::Page && number.chars().all(|c| "ivxlc".contains(c));
    let roman = digits == 0 && number.chars().all(|c| "IVX".contains(c));
    let appendix = digits == 0 && letters == 1 && number.chars().all(|c| c.is_ascii_uppercase());
    let numeral = roman || small_roman || appendix;
    let good = (digits > 0 && letters <= 2) || (!number.is_empty() && numeral);
    good.then(|| {
        (
            number.to_ascii_lowercase().replace('–', "-"),
            skipped + number.len() + usize::from(bracketed),
        )
    })
}

/// The length of `, ` or ` and ` between two numbers of one mention, and whether it means those
/// between as well.
fn joint_at(text: &str) -> Option<(usize, bool)> {
    JOINTS
        .iter()
        .find(|(joint, _)| text.starts_with(joint))
        .map(|(joint, range)| (joint.len(), *range))
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
        use LabelKind::{Figure, Formula, Page, Section, Step, Table};
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
        check("Fig. 3(b) and 3(c)", &[(Figure, "3"), (Figure, "3")]);
        check("see Tables 2–4", &[(Table, "2-4")]);
        check(
            "Figures 2 to 4",
            &[(Figure, "2"), (Figure, "3"), (Figure, "4")],
        );
        check("voir le tableau 2, p. 7", &[(Table, "2")]);
        check("第3章的第12页", &[(Section, "3"), (Page, "12")]);
        check("Chapter 7, page iv", &[(Section, "7"), (Page, "iv")]);
        check("Eqs. (3) and (4)", &[(Formula, "3"), (Formula, "4")]);
        check(
            "Note 12 and Item 1A",
            &[(Section, "note 12"), (Section, "item 1a")],
        );
        check("the page (3) of a formula", &[]);
        check("the figure shows", &[]);
    }

    #[test]
    fn what_is_of_another_work_is_no_mention() {
        use LabelKind::{Page, Section, Step};
        check("Table 2 of [7]", &[]);
        check("Section 13(a) of the Exchange Act", &[]);
        check("Figure 3 in Smith et al. (2001)", &[]);
        check("In Proceedings of X, pages 41–52.", &[]);
        check("See pages 41–52.", &[(Page, "41-52")]);
        check("step 3 of Section 4", &[(Step, "3"), (Section, "4")]);
        check("Section 4 of this manual", &[(Section, "4")]);
    }

    #[test]
    fn ranges_printed_as_one_number() {
        let range = |number: &str| {
            let label = Label {
                kind: LabelKind::Table,
                number: number.to_owned(),
            };
            let numbers = label.range().into_iter().map(|label| label.number);
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(range("2-4"), ["2", "3", "4"]);
        assert_eq!(range("2-3"), ["2", "3"]);
        assert_eq!(range("4.1-4.3"), ["4.1", "4.2", "4.3"]);
        assert!(range("4-2").is_empty() && range("2").is_empty());
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
