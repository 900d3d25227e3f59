//! Whether a source bears out what is said of it: its numbers with their units, its names, its
//! negations and its words must stand there.

use super::measure::{Measure, measures, number_word, unit_named};
use super::select::{asks_or_joins, is_code, terms_of};
use catena_document::{EvidenceUnit, Picture, is_function_word, sentences, words};
use std::collections::HashSet;
use std::ops::Range;

/// The share of a statement's words that a source must have.
const COVERED: f32 = 0.6;
/// The share that is enough where the meaning is near.
const PARTLY: f32 = 0.35;
/// The least cosine of a statement with a sentence of its source that counts as near.
const NEAR: f32 = 0.62;
/// The share of a clause's words from which another clause speaks of the same.
const SAME: f32 = 0.6;
/// Characters that two words must begin with alike to be forms of one word.
const STEM: usize = 4;

/// Words that deny.
const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "without",
    "neither",
    "nor",
    "cannot",
    "isn't",
    "aren't",
    "don't",
    "doesn't",
    "didn't",
    "won't",
    "can't",
    "mustn't",
    "shouldn't",
    "wasn't",
    "weren't",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "keinem",
    "keines",
    "nie",
    "niemals",
    "ohne",
    "weder",
    "pas",
    "jamais",
    "sans",
    "aucun",
    "aucune",
    "nunca",
    "sin",
    "ningún",
    "ninguna",
    "не",
    "нет",
    "без",
    "никогда",
    "нельзя",
    "不",
    "没",
    "没有",
    "不要",
    "勿",
    "请勿",
    "不能",
    "不得",
    "禁止",
    "无",
    "未",
];

/// Pairs of words of which one is not said where the other is meant.
const OPPOSITES: &[(&str, &str)] = &[
    ("left", "right"),
    ("open", "close"),
    ("opened", "closed"),
    ("opens", "closes"),
    ("opening", "closing"),
    ("on", "off"),
    ("above", "below"),
    ("before", "after"),
    ("upper", "lower"),
    ("top", "bottom"),
    ("front", "rear"),
    ("front", "back"),
    ("clockwise", "counterclockwise"),
    ("clockwise", "anticlockwise"),
    ("increase", "decrease"),
    ("increases", "decreases"),
    ("increased", "decreased"),
    ("raise", "lower"),
    ("maximum", "minimum"),
    ("max", "min"),
    ("more", "less"),
    ("higher", "lower"),
    ("hot", "cold"),
    ("start", "stop"),
    ("tighten", "loosen"),
    ("connect", "disconnect"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("inlet", "outlet"),
    ("input", "output"),
    ("positive", "negative"),
    ("inside", "outside"),
    ("first", "last"),
    ("always", "never"),
    ("links", "rechts"),
    ("öffnen", "schließen"),
    ("oben", "unten"),
    ("vor", "nach"),
    ("ein", "aus"),
    ("vorne", "hinten"),
    ("lösen", "anziehen"),
];

/// What a source says, taken apart once.
#[derive(Debug)]
pub(super) struct Source {
    /// All its words, in lower case.
    words: HashSet<String>,
    terms: HashSet<String>,
    measures: Vec<Measure>,
    /// Units that stand apart from their numbers, as in a table's header.
    units: HashSet<&'static str>,
    clauses: Vec<Clause>,
    /// Its sentences, to compare meanings with.
    pub(super) sentences: Vec<String>,
}

/// Words between two marks.
#[derive(Debug)]
struct Clause {
    words: Vec<String>,
    terms: HashSet<String>,
    negated: bool,
}

/// How a statement stands to a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// It stands there; with the share of its words that do.
    Borne(f32),
    /// Enough of its words for a look at the meaning.
    Unsure(f32),
    /// It does not, and why.
    Missing(Why),
}

/// Why a source does not bear a statement out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Number,
    Unit,
    Name,
    Negation,
    Opposite,
    Words,
}

impl Source {
    /// A unit with its headings, its caption and its document's title.
    pub(super) fn of(unit: &EvidenceUnit) -> Self {
        let content = &unit.content;
        let mut told = vec![content.text.clone()];
        told.extend(content.caption.clone());
        let picture = content.picture.iter();
        told.extend(picture.flat_map(Picture::told).map(str::to_owned));
        if let Some(table) = &content.table {
            told.extend((table.header_rows()..table.rows).map(|row| table.row_with_headers(row)));
        }
        let mut over: Vec<String> = unit.heading_path().into_iter().map(str::to_owned).collect();
        over.push(unit.document_title.clone());
        Self::new(&told.join("\n"), &over.join("\n"))
    }

    /// What is told, and what stands over it: that names, but says nothing.
    fn new(told: &str, over: &str) -> Self {
        let all = format!("{told}\n{over}");
        let words = lower_words(&all);
        let units = words_of(&all).filter_map(unit_named).collect();
        let mut measures = measures(&all);
        for word in &words {
            if let Some(number) = number_word(word) {
                measures.push(Measure {
                    at: 0..0,
                    readings: vec![number.to_owned()],
                    unit: None,
                });
            }
        }
        Self {
            terms: terms_of(&all),
            words: words.into_iter().collect(),
            measures,
            units,
            clauses: told
                .lines()
                .flat_map(|line| clauses(line).into_iter().map(|at| Clause::new(&line[at])))
                .collect(),
            sentences: told
                .lines()
                .flat_map(|line| sentences(line).into_iter().map(|at| line[at].to_owned()))
                .collect(),
        }
    }

    /// Several sources as one: a statement that joins what each says.
    pub(super) fn joined(sources: &[&Source]) -> Self {
        let mut out = Self::new("", "");
        for source in sources {
            out.words.extend(source.words.iter().cloned());
            out.terms.extend(source.terms.iter().cloned());
            out.measures.extend(source.measures.iter().cloned());
            out.units.extend(&source.units);
            out.sentences.extend(source.sentences.iter().cloned());
            let clauses = source.clauses.iter().map(|clause| Clause {
                words: clause.words.clone(),
                terms: clause.terms.clone(),
                negated: clause.negated,
            });
            out.clauses.extend(clauses);
        }
        out
    }

    /// How a statement stands to this source.
    pub(super) fn verdict(&self, statement: &str) -> Verdict {
        if let Some(why) = self.missing_measure(statement) {
            return Verdict::Missing(why);
        }
        if names(statement).iter().any(|name| !self.has_name(name)) {
            return Verdict::Missing(Why::Name);
        }
        if let Some(why) = self.contradicts(statement) {
            return Verdict::Missing(why);
        }
        let terms = content_terms(statement);
        let share = self.share(&terms);
        if share >= COVERED {
            Verdict::Borne(share)
        } else if share >= PARTLY {
            Verdict::Unsure(share)
        } else {
            Verdict::Missing(Why::Words)
        }
    }

    /// The share of words that stand in this source.
    pub(super) fn share(&self, terms: &HashSet<String>) -> f32 {
        covered(terms, &self.terms)
    }

    fn missing_measure(&self, statement: &str) -> Option<Why> {
        for said in measures(statement) {
            let same = |other: &&Measure| {
                said.readings
                    .iter()
                    .any(|reading| other.readings.contains(reading))
            };
            let mut here = self.measures.iter().filter(same).peekable();
            if here.peek().is_none() {
                return Some(Why::Number);
            }
            let Some(unit) = said.unit else { continue };
            // A number without a unit has that of its column.
            let fits = |other: &Measure| match other.unit {
                Some(other) => other == unit,
                None => self.units.contains(unit),
            };
            if !here.any(fits) {
                return Some(Why::Unit);
            }
        }
        None
    }

    fn has_name(&self, name: &str) -> bool {
        self.words.contains(name) || self.words.iter().any(|word| is_form_of(word, name))
    }

    /// Whether what comes nearest to a clause of the statement says the contrary.
    fn contradicts(&self, statement: &str) -> Option<Why> {
        for at in clauses(statement) {
            let said = Clause::new(&statement[at]);
            if said.terms.len() < 2 {
                continue;
            }
            let near: Vec<(f32, &Clause)> = self
                .clauses
                .iter()
                .map(|clause| (covered(&said.terms, &clause.terms), clause))
                .filter(|(share, _)| *share >= SAME)
                .collect();
            let Some(best) = near.iter().map(|(share, _)| *share).max_by(f32::total_cmp) else {
                continue;
            };
            let nearest = || near.iter().filter(|(share, _)| *share >= best * 0.9);
            if nearest().all(|(_, clause)| clause.negated != said.negated) {
                return Some(Why::Negation);
            }
            let opposes = |clause: &Clause| opposes(&said.words, &clause.words);
            if nearest().all(|(_, clause)| opposes(clause)) {
                return Some(Why::Opposite);
            }
        }
        None
    }
}

impl Verdict {
    /// Whether the statement is borne out, given how near its meaning comes to a sentence of the
    /// source, as a cosine.
    pub(super) fn holds(self, near: impl FnOnce() -> f32) -> bool {
        match self {
            Self::Borne(_) => true,
            Self::Unsure(_) => near() >= NEAR,
            Self::Missing(_) => false,
        }
    }
}

impl Clause {
    fn new(text: &str) -> Self {
        let words = lower_words(text);
        let negated = words.iter().any(|word| NEGATIONS.contains(&word.as_str()));
        Self {
            terms: content_terms(text),
            words,
            negated,
        }
    }
}

/// Whether a text says enough to be compared with a source: two words that mean something, or a
/// number.
pub(super) fn claims(statement: &str) -> bool {
    content_terms(statement).len() >= 2 || !measures(statement).is_empty()
}

/// The numbers, codes and acronyms of a statement are what can be compared across languages.
pub(super) fn has_fixed_words(statement: &str) -> bool {
    !measures(statement).is_empty()
        || words_of(statement).any(|word| is_code(&word.to_lowercase()) || is_acronym(word))
}

/// Whether the numbers, codes and acronyms of a statement in another language stand in a source.
pub(super) fn fixed_words_stand(source: &Source, statement: &str) -> bool {
    let mut fixed = words_of(statement)
        .filter(|word| is_code(&word.to_lowercase()) || is_acronym(word))
        .map(str::to_lowercase);
    source.missing_measure(statement).is_none() && fixed.all(|word| source.words.contains(&word))
}

/// The share of words that a source has, in one form or another; all of none.
pub(super) fn covered(terms: &HashSet<String>, source: &HashSet<String>) -> f32 {
    if terms.is_empty() {
        return 1.0;
    }
    let stands = |term: &&String| {
        source.contains(*term) || source.iter().any(|other| is_form_of(other, term))
    };
    terms.iter().filter(stands).count() as f32 / terms.len() as f32
}

/// Whether two words are forms of one: they begin alike and end within three letters.
fn is_form_of(one: &str, other: &str) -> bool {
    let common = one
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let longest = one.chars().count().max(other.chars().count());
    let letters = |word: &str| word.chars().all(char::is_alphabetic);
    common >= STEM && common + 3 >= longest && letters(one) && letters(other)
}

fn opposes(said: &[String], source: &[String]) -> bool {
    let has = |words: &[String], word: &str| words.iter().any(|other| other == word);
    let one_way =
        |a: &str, b: &str| has(said, a) && !has(said, b) && has(source, b) && !has(source, a);
    OPPOSITES
        .iter()
        .any(|(a, b)| one_way(a, b) || one_way(b, a))
}

/// The words of a statement that mean something, cut to their stems.
pub(super) fn content_terms(text: &str) -> HashSet<String> {
    let mut terms = terms_of(text);
    terms.retain(|term| {
        !is_function_word(term) && !asks_or_joins(term) && !NEGATIONS.contains(&term.as_str())
    });
    terms
}

/// The names in a statement, in lower case: capitalised words that do not begin a sentence,
/// acronyms, codes.
pub(super) fn names(statement: &str) -> Vec<String> {
    let mut out = Vec::new();
    for at in sentences(statement) {
        for (place, word) in words_of(&statement[at]).enumerate() {
            let capital = word.starts_with(char::is_uppercase) && place > 0;
            let lower = word.to_lowercase();
            if (capital || is_acronym(word) || is_code(&lower))
                && !is_function_word(&lower)
                && !is_measure(word)
            {
                out.push(lower);
            }
        }
    }
    out
}

fn is_acronym(word: &str) -> bool {
    word.chars().count() >= 2
        && word.chars().all(|c| c.is_uppercase() || c.is_numeric())
        && word.chars().any(char::is_uppercase)
}

/// Whether a word is a unit, or a number with its unit.
fn is_measure(word: &str) -> bool {
    unit_named(word).is_some()
        || (word.starts_with(|c: char| c.is_ascii_digit()) && !measures(word).is_empty())
}

/// The parts of a text between the marks and the words that part clauses.
fn clauses(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, mark) in text.match_indices([
        ',', ';', ':', '—', '–', '，', '；', '：', '。', '.', '!', '?', '(', ')',
    ]) {
        // A point within a number or a name parts nothing.
        let ends = text[at + mark.len()..]
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || !mark.is_ascii());
        if ends || matches!(mark, "(" | ")") {
            out.push(start..at);
            start = at + mark.len();
        }
    }
    out.push(start..text.len());
    for joint in [" but ", " aber ", " sondern "] {
        out = out
            .into_iter()
            .flat_map(|part| match text[part.clone()].find(joint) {
                Some(at) => vec![
                    part.start..part.start + at,
                    part.start + at + joint.len()..part.end,
                ],
                None => vec![part],
            })
            .collect();
    }
    out.retain(|part| !text[part.clone()].trim().is_empty());
    out
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    words(text).into_iter().map(|at| &text[at])
}

fn lower_words(text: &str) -> Vec<String> {
    words_of(text)
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "Tighten the two union nuts of the pump to 8 N·m. Do not open the drain \
        valve while the boiler is hot; wait 10 minutes. The ECM unit was designed by Marit Oduya \
        in 1987. Turn the left screw clockwise.";

    #[test]
    fn a_statement_stands_only_with_its_numbers_names_and_negations() {
        use Why::*;
        let source = Source::new(SOURCE, "Pump KT-3029\n4.2 Assembly");
        let check = |statement: &str, why: Option<Why>| {
            let found = match source.verdict(statement) {
                Verdict::Borne(_) => None,
                Verdict::Unsure(_) => Some(Words),
                Verdict::Missing(why) => Some(why),
            };
            assert_eq!(found, why, "{statement}");
        };
        check("Tighten the union nuts to 8 Nm.", None);
        check("The 2 union nuts are tightened to 8 N·m.", None);
        check("Tighten the union nuts to 12 N·m.", Some(Number));
        check("Tighten the union nuts to 8 bar.", Some(Unit));
        check(
            "Open the drain valve while the boiler is hot.",
            Some(Negation),
        );
        check(
            "The drain valve must not be opened while the boiler is hot.",
            None,
        );
        check("Do not tighten the union nuts of the pump.", Some(Negation));
        check("The ECM unit was designed by Marit Oduya.", None);
        check("The ECM unit was designed by Tom Oduya.", Some(Name));
        check("The ABS unit was designed by Marit Oduya.", Some(Name));
        check("Turn the right screw clockwise.", Some(Opposite));
        check("Turn the left screw counterclockwise.", Some(Opposite));
        check("Paint the house in bright colours.", Some(Words));
        check("Pump KT-3029 has two union nuts.", None);
        check("Pump KT-3030 has two union nuts.", Some(Number));
        check("Wait 10 minutes.", None);
        check("Wait 10 s.", Some(Unit));
    }

    #[test]
    fn the_number_of_a_cell_has_the_unit_of_its_column() {
        let source = Source::new("Part: Union; Torque (N·m): 8", "");
        assert!(matches!(
            source.verdict("The union takes 8 N·m."),
            Verdict::Borne(_)
        ));
        assert_eq!(
            source.verdict("The union takes 8 bar."),
            Verdict::Missing(Why::Unit)
        );
    }

    #[test]
    fn sources_are_joined() {
        let one = Source::new("The pump is made by Heron.", "");
        let other = Source::new("Heron sits in Vardo.", "");
        let said = "The pump is made by Heron in Vardo.";
        assert_eq!(one.verdict(said), Verdict::Missing(Why::Name));
        let both = Source::joined(&[&one, &other]);
        assert!(matches!(both.verdict(said), Verdict::Borne(_)));
    }
}
