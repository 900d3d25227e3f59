//! Anchors: the names that recur in several units and tie them.
//!
//! What a text names is found by its form alone, in any script and without a model: runs of
//! capitalised words, acronyms, part and model numbers, numbers with their unit, and what stands
//! in quotation marks. Scripts without capitals give their words and pairs of words. Most of what
//! is found ties nothing; how many units share it decides that, see the index.

use crate::edge::labelled;
use crate::reference::mentions;
use crate::{Document, EvidenceUnit, Label, LabelKind, NodeId, Picture, Relation, words};
use std::collections::HashMap;
use std::ops::Range;

/// Names that are taken from one unit at most; a table of codes may hold many.
const MAX_NAMES: usize = 600;
/// Words of a name at most.
const MAX_WORDS: usize = 8;

/// Small words that a name may have inside: "University of Vienna".
const INSIDE: &[&str] = &[
    "of", "the", "for", "and", "de", "la", "le", "du", "des", "del", "di", "da", "von", "van",
    "der", "den", "zu", "und", "et", "y", "e", "bin", "ibn",
];
/// Small words that join two names: each is a name of its own as well.
const JOINING: &[&str] = &["and", "und", "et", "y", "e"];
/// Words without a meaning of their own; capitalised they only begin a sentence.
#[rustfmt::skip]
const FUNCTION_WORDS: &[&str] = &[
    "a", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "before", "both",
    "but", "by", "can", "do", "each", "for", "from", "he", "her", "here", "his", "how", "however",
    "i", "if", "in", "into", "is", "it", "its", "most", "no", "not", "of", "on", "one", "or",
    "our", "she", "since", "so", "some", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "those", "to", "under", "until", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "why", "with", "you", "your", "als", "am", "auf", "aus", "bei", "das",
    "dem", "den", "der", "des", "die", "dies", "diese", "dieser", "durch", "ein", "eine", "er",
    "es", "für", "hier", "ihr", "im", "ist", "mit", "nach", "sie", "sind", "und", "von", "wenn",
    "wie", "wir", "zu", "zum", "zur", "ce", "ces", "cette", "dans", "elle", "en", "est", "il",
    "ils", "la", "le", "les", "on", "par", "pour", "sur", "un", "une", "con", "de", "del", "el",
    "ella", "esta", "este", "las", "los", "para", "por", "se", "su", "una", "в", "во", "для", "и",
    "из", "как", "когда", "мы", "на", "не", "но", "о", "об", "он", "она", "они", "от", "по",
    "после", "при", "с", "то", "у", "что", "эта", "это", "этот", "я",
];
/// Units of measurement that make a number a name: "250 bar".
const UNITS: &[&str] = &[
    "mm", "cm", "m", "km", "µm", "nm", "g", "kg", "mg", "t", "ml", "l", "bar", "mbar", "pa", "kpa",
    "mpa", "psi", "n", "kn", "nm", "v", "mv", "kv", "a", "ma", "w", "kw", "mw", "gw", "va", "hz",
    "khz", "mhz", "ghz", "s", "ms", "min", "h", "k", "rpm", "db", "kb", "mb", "gb", "tb", "kbit",
    "mbit", "inch", "inches", "percent",
];

/// Whether a word only holds a sentence together.
pub fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word.to_lowercase().as_str())
}

/// What a unit names, in the wording of its text, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchors {
    /// What the unit is about: its heading, or its document's title where it has none.
    pub subjects: Vec<String>,
    /// The printed names by which it can be asked for, as [`Label::anchor`] gives them: its own,
    /// and those of the sections and the page that it stands in.
    pub labels: Vec<String>,
    /// What it names. Where a short form stands for a long one, both are here.
    pub names: Vec<String>,
}

impl Anchors {
    /// What a relation names: its subject and its object.
    pub fn of_relation(relation: Option<&Relation>) -> Self {
        let names =
            relation.map(|relation| vec![relation.subject.clone(), relation.object.clone()]);
        Self {
            names: names.unwrap_or_default(),
            ..Self::default()
        }
    }
}

/// What only a whole document tells of the anchors of its units.
#[derive(Clone, Debug, Default)]
pub struct DocumentAnchors {
    /// Long forms by their short ones.
    short_forms: HashMap<String, String>,
    /// The printed names of nodes.
    labels: HashMap<NodeId, Vec<Label>>,
    /// The names of pages: the number printed, and the place in the file.
    pages: HashMap<u32, Vec<Label>>,
}

impl DocumentAnchors {
    /// Those of a document.
    pub fn of(document: &Document) -> Self {
        let mut labels: HashMap<NodeId, Vec<Label>> = HashMap::new();
        for (label, nodes) in labelled(document) {
            for node in nodes {
                labels.entry(node).or_default().push(label.clone());
            }
        }
        let pages = document.pages.iter().map(|page| {
            let printed = page.label.as_ref().map(|label| label.to_lowercase());
            let mut numbers = vec![page.number.to_string()];
            numbers.extend(printed.filter(|printed| *printed != numbers[0]));
            let name = |number| Label {
                kind: LabelKind::Page,
                number,
            };
            (page.number, numbers.into_iter().map(name).collect())
        });
        Self {
            short_forms: short_forms(document.nodes.iter().map(|node| node.text.as_str())),
            labels,
            pages: pages.collect(),
        }
    }

    /// The printed names by which a unit can be asked for: its own, and those of the sections and
    /// the page that it stands in.
    fn labels_of(&self, unit: &EvidenceUnit) -> Vec<String> {
        let pieces = unit.content.pieces.iter().map(|piece| piece.node);
        let nodes = unit.path.iter().copied().chain(pieces);
        let own = nodes.filter_map(|node| self.labels.get(&node)).flatten();
        let page = unit.page().and_then(|page| self.pages.get(&page));
        let mut out: Vec<String> = own
            .chain(page.into_iter().flatten())
            .map(Label::anchor)
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// The anchors of a unit: of its heading, words, cells, caption and the words in its picture.
pub fn anchors(unit: &EvidenceUnit, document: &DocumentAnchors) -> Anchors {
    let heading = unit.ancestors.last().map(|last| last.heading.as_str());
    let mut out = Anchors {
        subjects: subjects(heading.unwrap_or(&unit.document_title)),
        labels: document.labels_of(unit),
        names: Vec::new(),
    };
    let content = &unit.content;
    let picture = content.picture.as_ref();
    let texts = [Some(content.text.as_str()), content.caption.as_deref()];
    let texts = texts.into_iter().flatten();
    let told = picture.into_iter().flat_map(Picture::told);
    let mut seen = std::collections::HashSet::new();
    for text in texts.chain(told).chain(heading) {
        // "Section 7.2" is a reference, which has its edge.
        let references = mentions(text);
        let is_reference = |at: &Range<usize>| {
            let within = |of: &Range<usize>| of.start <= at.start && at.end <= of.end;
            references.iter().any(|(of, _)| within(of))
        };
        for at in names(text).into_iter().filter(|at| !is_reference(at)) {
            let name = &text[at];
            let long = document.short_forms.get(name).map(String::as_str);
            for name in std::iter::once(name).chain(long) {
                if out.names.len() < MAX_NAMES && seen.insert(name.to_owned()) {
                    out.names.push(name.to_owned());
                }
            }
        }
    }
    out
}

/// What a heading is about: its words without number and bracket, and what stands before its
/// first comma ("Rochester, New York").
fn subjects(heading: &str) -> Vec<String> {
    let numbered = |c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | ')' | '§');
    let bare = heading.trim();
    let rest = bare.trim_start_matches(numbered);
    // "3D printing" is no number before a word.
    let bare = if bare[..bare.len() - rest.len()].ends_with([' ', '.', ')']) {
        rest
    } else {
        bare
    };
    let end = match (bare.rfind(['(', '（']), bare.ends_with([')', '）'])) {
        (Some(at), true) if at > 0 => at,
        _ => bare.len(),
    };
    let whole = bare[..end].trim();
    let mut out = Vec::new();
    if !whole.is_empty() {
        out.push(whole.to_owned());
        if let Some((first, _)) = whole.split_once(", ")
            && !first.trim().is_empty()
        {
            out.push(first.trim().to_owned());
        }
    }
    out
}

/// A word of a text, or several that a hyphen, slash or period makes one.
struct Word<'t> {
    text: &'t str,
    at: Range<usize>,
    /// What stands between the word before and this.
    gap: &'t str,
}

impl Word<'_> {
    fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    fn has_digit(&self) -> bool {
        self.text.chars().any(|c| c.is_ascii_digit())
    }

    fn has_letter(&self) -> bool {
        self.text.chars().any(char::is_alphabetic)
    }

    /// Whether its script has no capitals.
    fn is_caseless(&self) -> bool {
        let mut letters = self.text.chars().filter(|c| c.is_alphabetic());
        letters
            .next()
            .is_some_and(|c| !c.is_uppercase() && !c.is_lowercase())
    }

    /// "AX-500", "M12", "E4".
    fn is_code(&self) -> bool {
        self.has_digit() && self.has_letter()
    }

    /// Whether it looks like a name even where a sentence begins: `IBM`, `E4`, `McKay`.
    fn is_telling(&self) -> bool {
        let mut rest = self.text.chars().skip(1);
        rest.any(|c| c.is_uppercase() || c.is_ascii_digit())
    }

    fn is_one_of(&self, list: &[&str]) -> bool {
        list.contains(&self.text.to_lowercase().as_str())
    }

    /// Whether it follows the word before after nothing but white space.
    fn follows(&self) -> bool {
        self.gap.chars().all(char::is_whitespace) && !self.gap.contains('\n')
    }

    fn begins_sentence(&self) -> bool {
        self.at.start == 0
            || self
                .gap
                .contains(['.', '!', '?', ':', '\n', '。', '！', '？', '•', '|', '؟'])
    }
}

/// The words of a text; parts of codes ("P-12", "4.2/B") are one.
fn joined(text: &str) -> Vec<Word<'_>> {
    let mut out: Vec<Word<'_>> = Vec::new();
    for at in words(text) {
        let end = out.last().map_or(0, |last| last.at.end);
        let gap = &text[end..at.start];
        let word = &text[at.clone()];
        if let Some(last) = out.last_mut()
            && matches!(gap, "-" | "/" | "." | "_" | "‑" | "–")
        {
            let whole = &text[last.at.start..at.end];
            let code = |text: &str| text.chars().any(|c| c.is_ascii_digit());
            let letters = whole.chars().any(char::is_alphabetic);
            let names = gap != "."
                && gap != "/"
                && last.is_capitalised()
                && word.starts_with(char::is_uppercase);
            if letters && (code(last.text) || code(word)) && whole.len() <= 40 || names {
                last.text = whole;
                last.at.end = at.end;
                continue;
            }
        }
        out.push(Word {
            text: word,
            at,
            gap,
        });
    }
    out
}

/// The byte ranges of what a text names, in order; they may lie in one another.
fn names(text: &str) -> Vec<Range<usize>> {
    let all = joined(text);
    let mut out = Vec::new();
    let mut at = 0;
    while at < all.len() && out.len() < 4 * MAX_NAMES {
        let word = &all[at];
        if word.is_caseless() {
            caseless(&all, at, &mut out);
            at += 1;
        } else if word.is_capitalised() || word.is_code() || word.has_digit() {
            let end = run(&all, at);
            push_run(&all, at..end, &mut out);
            at = end;
        } else {
            at += 1;
        }
    }
    out.extend(quoted(text));
    out
}

/// Where the run of names ends that begins at `first`.
fn run(all: &[Word<'_>], first: usize) -> usize {
    let mut end = first + 1;
    let mut next = end;
    while next < all.len() && next - first < MAX_WORDS && all[next].follows() {
        let word = &all[next];
        if word.is_caseless() {
            break;
        }
        if word.is_capitalised() || word.has_digit() {
            end = next + 1;
        } else if !word.is_one_of(INSIDE) || next - end >= 2 {
            break;
        }
        next += 1;
    }
    end
}

/// Adds what a run of capitalised words and numbers names.
fn push_run(all: &[Word<'_>], run: Range<usize>, out: &mut Vec<Range<usize>>) {
    let mut first = run.start;
    while first < run.end && all[first].begins_sentence() && all[first].is_one_of(FUNCTION_WORDS)
        || first < run.end && first > run.start && all[first].is_one_of(INSIDE)
    {
        first += 1;
    }
    let run = first..run.end;
    let mut push = |part: Range<usize>| {
        let words = &all[part.clone()];
        let letters = words.iter().any(Word::has_letter);
        let one = words.len() == 1;
        let (Some(head), Some(last)) = (words.first(), words.last()) else {
            return;
        };
        let long = head.text.chars().count() > 1;
        let opens = one && head.begins_sentence() && !head.is_telling();
        if letters && (!one || long && !head.is_one_of(FUNCTION_WORDS) && !opens) {
            out.push(head.at.start..last.at.end);
        }
    };
    push(run.clone());
    let mut start = run.start;
    for at in run.clone() {
        if all[at].is_one_of(JOINING) {
            push(start..at);
            start = at + 1;
        }
    }
    if start > run.start {
        push(start..run.end);
    }
    // A number is named with its unit of measurement.
    if let (Some(last), Some(next)) = (run.clone().next_back(), all.get(run.end))
        && last == run.start
        && !all[last].has_letter()
        && next.follows()
        && next.is_one_of(UNITS)
    {
        out.push(all[last].at.start..next.at.end);
    }
    // Codes are names of their own wherever they stand.
    for word in all[run.clone()].iter().filter(|word| word.is_code()) {
        if run.len() > 1 {
            out.push(word.at.clone());
        }
    }
}

/// Adds a word of a script without capitals, and the pair that it begins.
fn caseless(all: &[Word<'_>], at: usize, out: &mut Vec<Range<usize>>) {
    let word = &all[at];
    if word.text.chars().count() > 1 {
        out.push(word.at.clone());
    }
    if let Some(next) = all.get(at + 1)
        && next.is_caseless()
        && next.follows()
    {
        out.push(word.at.start..next.at.end);
    }
}

/// What stands in quotation marks, where it is a name and not a sentence.
fn quoted(text: &str) -> Vec<Range<usize>> {
    const MARKS: &[(char, char)] = &[
        ('“', '”'),
        ('„', '“'),
        ('«', '»'),
        ('「', '」'),
        ('『', '』'),
        ('《', '》'),
    ];
    let mut out = Vec::new();
    for (at, c) in text.char_indices() {
        let Some(&(_, close)) = MARKS.iter().find(|&&(open, _)| open == c) else {
            continue;
        };
        let start = at + c.len_utf8();
        let Some((len, _)) = text[start..]
            .char_indices()
            .take(80)
            .find(|&(_, c)| c == close)
        else {
            continue;
        };
        let inside = &text[start..start + len];
        let count = words(inside).len();
        if (1..=MAX_WORDS).contains(&count) && !inside.contains(['.', '。']) {
            out.push(start..start + len);
        }
    }
    out
}

/// The long forms that a document gives for its short ones: "central processing unit (CPU)".
///
/// The letters of the short form must begin the words before the bracket (Schwartz and Hearst
/// 2003, with the stricter match of initials).
fn short_forms<'t>(texts: impl Iterator<Item = &'t str>) -> HashMap<String, String> {
    let mut out = HashMap::new();
    for text in texts {
        for (open, _) in text.match_indices('(') {
            let Some(len) = text[open + 1..].find([')', '(']).filter(|&len| len <= 12) else {
                continue;
            };
            let short = text[open + 1..open + 1 + len].trim();
            let letters: Vec<char> = short.chars().filter(|c| c.is_alphabetic()).collect();
            let capitals = letters.iter().filter(|c| c.is_uppercase()).count();
            if letters.len() < 2 || capitals * 2 < letters.len() || short.contains(' ') {
                continue;
            }
            let tail: usize = text[..open]
                .char_indices()
                .rev()
                .nth(160)
                .map_or(0, |(at, _)| at);
            let before = &text[tail..open];
            let all = words(before);
            if let Some(start) = initials(before, &all, &letters) {
                let long = before[start..].trim();
                out.entry(short.to_owned())
                    .or_insert_with(|| long.to_owned());
            }
        }
    }
    out
}

/// Where the words begin whose initials the last of them spell; small words need not be spelt.
fn initials(text: &str, all: &[Range<usize>], letters: &[char]) -> Option<usize> {
    let mut left = letters.len();
    let mut start = None;
    for at in all.iter().rev() {
        if left == 0 {
            break;
        }
        let word = &text[at.clone()];
        let initial = word.chars().next()?;
        let same = |a: char, b: char| a.to_lowercase().eq(b.to_lowercase());
        if same(initial, letters[left - 1]) {
            left -= 1;
            start = Some(at.start);
        } else if !INSIDE.contains(&word.to_lowercase().as_str()) {
            return None;
        }
    }
    start.filter(|_| left == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<_> = names(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_in_several_scripts() {
        check(
            "The valve was made by Hans Müller at the University of Vienna.",
            &["Hans Müller", "University of Vienna"],
        );
        check(
            "Judith Viorst and Ray Cruz",
            &["Judith Viorst and Ray Cruz", "Judith Viorst", "Ray Cruz"],
        );
        check("In 1984 it moved to Iowa.", &["Iowa"]);
        check("Replace pump P-12 with an AX-500.", &["P-12", "AX-500"]);
        check("at 250 bar and 40 h", &["250 bar", "40 h"]);
        check(
            "Насос установлен на заводе «Красный Луч» в Перми.",
            &["Красный Луч", "Перми", "Красный Луч"],
        );
        check("关闭电源", &["关闭", "关闭电源", "电源"]);
        check("صمام الأمان", &["صمام", "صمام الأمان", "الأمان"]);
        check("", &[]);
        check("nothing is named here", &[]);
    }

    #[test]
    fn a_run_ends_where_a_sentence_does() {
        check(
            "It was in Rome. Paris, France came later.",
            &["Rome", "France"],
        );
        // A word that only begins a sentence names nothing; a telling one does.
        check(
            "Water came. IBM left. Ada Kestrel stayed.",
            &["IBM", "Ada Kestrel"],
        );
        check("made by IBM, Intel", &["IBM", "Intel"]);
    }

    #[test]
    fn what_a_heading_is_about() {
        let check = |heading: &str, expected: &[&str]| {
            assert_eq!(subjects(heading), expected, "{heading}");
        };
        check("2.1 Safety valve", &["Safety valve"]);
        check("Hello Love (song)", &["Hello Love"]);
        check("Rochester, New York", &["Rochester, New York", "Rochester"]);
        check("3D printing", &["3D printing"]);
        check("(untitled)", &["(untitled)"]);
        check("", &[]);
    }

    #[test]
    fn short_forms_have_long_ones() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let found = short_forms(std::iter::once(text));
            let mut found: Vec<_> = found
                .iter()
                .map(|(a, b)| (a.as_str(), b.as_str()))
                .collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "the central processing unit (CPU) is",
            &[("CPU", "central processing unit")],
        );
        check(
            "Department of Defense (DoD)",
            &[("DoD", "Department of Defense")],
        );
        check("a pump (see above) and a valve (V2)", &[]);
        check(
            "нашей организации объединённых наций (ООН)",
            &[("ООН", "организации объединённых наций")],
        );
    }
}
