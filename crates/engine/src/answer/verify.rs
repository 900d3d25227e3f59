//! Whether a source bears out what is said of it: its numbers with their units, its names, its
//! negations and its words must stand there.

use super::contrary::{denies, opposes};
use super::measure::{Measure, measures, number_word, unit_named};
use super::select::{asks_or_joins, is_code, terms_of};
use catena_document::{EvidenceUnit, Picture, is_function_word, sentences, words};
use std::collections::HashSet;
use std::ops::Range;

/// The share of a statement's words that a source must have.
const COVERED: f32 = 0.6;
/// The share that is enough where the meaning is near.
const PARTLY: f32 = 0.35;
/// The share of a clause's words that must stand beside its number, and the share of what stands
/// beside another place of the source.
const BESIDE: f32 = 0.34;
const NEAR_BEST: f32 = 0.75;
/// How many sentences or rows of a source a statement may be drawn from.
const TOGETHER: usize = 3;
/// The least cosine of a statement with a sentence of its source that counts as near.
const NEAR: f32 = 0.62;
/// The share of a clause's words from which another clause speaks of the same.
const SAME: f32 = 0.6;
/// Characters that two words must begin with alike to be forms of one word.
const STEM: usize = 4;

/// What a source says, taken apart once.
#[derive(Debug)]
pub(super) struct Source {
    /// All its words, in lower case.
    words: HashSet<String>,
    /// Its sentences, or a table's rows.
    told: Vec<Piece>,
    /// What stands over all of them.
    over: Piece,
    /// Units that stand apart from their numbers, as in a table's header.
    units: HashSet<&'static str>,
    clauses: Vec<Clause>,
    /// Its sentences, to compare meanings with.
    pub(super) sentences: Vec<String>,
}

/// A sentence, or a row of a table.
#[derive(Clone, Debug)]
struct Piece {
    terms: HashSet<String>,
    measures: Vec<Measure>,
    /// Whether it has nothing to do with what stands beside it, as a row.
    alone: bool,
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
        let rows = content.table.is_some();
        Self::new(&told.join("\n"), &over.join("\n"), rows)
    }

    /// What is told, and what stands over it: that names, but says nothing. `rows`: each line is a
    /// row of a table.
    fn new(told: &str, over: &str, rows: bool) -> Self {
        let all = format!("{told}\n{over}");
        let pieces = told.lines().flat_map(|line| {
            let whole = std::iter::once(0..line.len()).collect();
            let cut = if rows { whole } else { sentences(line) };
            cut.into_iter().map(|at| Piece::new(&line[at], rows))
        });
        Self {
            told: pieces.collect(),
            over: Piece::new(over, true),
            words: lower_words(&all).into_iter().collect(),
            units: words_of(&all).filter_map(unit_named).collect(),
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
        let mut out = Self::new("", "", false);
        for source in sources {
            out.words.extend(source.words.iter().cloned());
            out.told.extend(source.told.iter().cloned());
            out.over.terms.extend(source.over.terms.iter().cloned());
            let measures = source.over.measures.iter().cloned();
            out.over.measures.extend(measures);
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
        if let Some(why) = self.missing_measure(statement, true) {
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

    /// The share of words that stand in the sentences or rows of this source that have most of
    /// them, and over these. In the whole of a long table almost any statement of its subject would
    /// find its words.
    pub(super) fn share(&self, terms: &HashSet<String>) -> f32 {
        if terms.is_empty() {
            return 1.0;
        }
        let mut left: Vec<&String> = terms
            .iter()
            .filter(|term| !stands(term, &self.over.terms))
            .collect();
        for _ in 0..TOGETHER {
            let has = |piece: &Piece| left.iter().filter(|t| stands(t, &piece.terms)).count();
            let Some(most) = self.told.iter().max_by_key(|piece| has(piece)) else {
                break;
            };
            left.retain(|term| !stands(term, &most.terms));
        }
        1.0 - left.len() as f32 / terms.len() as f32
    }

    /// What is wrong with the numbers of a statement. `near`: each must stand where its clause's
    /// words do, not anywhere in a long source.
    fn missing_measure(&self, statement: &str, near: bool) -> Option<Why> {
        let clauses = clauses(statement);
        for said in measures(statement) {
            let clause = clauses
                .iter()
                .find(|clause| clause.contains(&said.at.start));
            let clause = clause.map_or(statement, |clause| &statement[clause.clone()]);
            let mut terms = naming_terms(clause);
            if terms.is_empty() {
                terms = naming_terms(statement);
            }
            let here: Vec<&Measure> = self.measures_near(&said, &terms, near).collect();
            if here.is_empty() {
                return Some(Why::Number);
            }
            let Some(unit) = said.unit else { continue };
            // A number without a unit has that of its column.
            let fits = |other: &&Measure| match other.unit {
                Some(other) => other == unit,
                None => self.units.contains(unit),
            };
            if !here.iter().any(fits) {
                return Some(Why::Unit);
            }
        }
        None
    }

    /// The numbers of this source that mean the same as one that is said, where enough of these
    /// words stand in the same row, or in the same sentence or one beside it, and hardly more stand
    /// elsewhere.
    fn measures_near<'s>(
        &'s self,
        said: &'s Measure,
        terms: &HashSet<String>,
        near: bool,
    ) -> impl Iterator<Item = &'s Measure> {
        let same = |other: &&Measure| {
            let mut readings = said.readings.iter();
            readings.any(|reading| other.readings.contains(reading))
        };
        let shares: Vec<f32> = if near {
            let places = 0..self.told.len();
            places.map(|at| self.share_beside(at, terms)).collect()
        } else {
            vec![1.0; self.told.len()]
        };
        let best = shares.iter().copied().fold(0.0, f32::max);
        let least = BESIDE.max(best * NEAR_BEST);
        let told = self.told.iter().zip(shares);
        let told = told.filter(move |(_, share)| *share >= least);
        let told = told.flat_map(|(piece, _)| &piece.measures);
        self.over.measures.iter().chain(told).filter(same)
    }

    /// The share of words that stand in a row, or in a sentence and those beside it, or over them.
    fn share_beside(&self, at: usize, terms: &HashSet<String>) -> f32 {
        if terms.is_empty() {
            return 1.0;
        }
        let beside = if self.told[at].alone {
            at..at + 1
        } else {
            at.saturating_sub(1)..(at + 2).min(self.told.len())
        };
        let has = |term: &&String| {
            let mut pieces = self.told[beside.clone()].iter();
            stands(term, &self.over.terms) || pieces.any(|piece| stands(term, &piece.terms))
        };
        terms.iter().filter(has).count() as f32 / terms.len() as f32
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

impl Piece {
    fn new(text: &str, alone: bool) -> Self {
        let mut measures = measures(text);
        let words = lower_words(text);
        let numbers = words.iter().filter_map(|word| number_word(word));
        measures.extend(numbers.map(|number| Measure {
            at: 0..0,
            readings: vec![number.to_owned()],
            unit: None,
        }));
        Self {
            terms: terms_of(text),
            measures,
            alone,
        }
    }
}

impl Clause {
    fn new(text: &str) -> Self {
        let words = lower_words(text);
        let negated = words.iter().any(|word| denies(word));
        Self {
            terms: content_terms(text),
            words,
            negated,
        }
    }
}

/// Whether a text says enough to be compared with a source: two words that mean something, or a
/// number. A question says nothing.
pub(super) fn claims(statement: &str) -> bool {
    let asks = statement.trim_end().ends_with(['?', '？']);
    !asks && (content_terms(statement).len() >= 2 || !measures(statement).is_empty())
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
    source.missing_measure(statement, false).is_none()
        && fixed.all(|word| source.words.contains(&word))
}

/// The share of words that a source has, in one form or another; all of none.
pub(super) fn covered(terms: &HashSet<String>, source: &HashSet<String>) -> f32 {
    if terms.is_empty() {
        return 1.0;
    }
    let have = terms.iter().filter(|term| stands(term, source)).count();
    have as f32 / terms.len() as f32
}

/// Whether a word stands in a source, in one form or another.
fn stands(term: &str, source: &HashSet<String>) -> bool {
    source.contains(term) || source.iter().any(|other| is_form_of(other, term))
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

/// The words of a statement that mean something, cut to their stems.
pub(super) fn content_terms(text: &str) -> HashSet<String> {
    let mut terms = terms_of(text);
    terms.retain(|term| !is_function_word(term) && !asks_or_joins(term) && !denies(term));
    terms
}

/// Those of them that are no number and no unit.
fn naming_terms(text: &str) -> HashSet<String> {
    let mut terms = content_terms(text);
    let counts = |term: &str| term.contains(|c: char| c.is_ascii_digit());
    terms.retain(|term| !counts(term) && unit_named(term).is_none());
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
        let source = Source::new(SOURCE, "Pump KT-3029\n4.2 Assembly", false);
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
        let source = Source::new("Part: Union; Torque (N·m): 8", "", true);
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
    fn a_number_stands_beside_its_words() {
        let rows = "Code: E3; Cause: probe open; Wait: 5 min\n\
                    Code: E4; Cause: pump worn; Wait: 20 min\n\
                    Code: E5; Cause: valve stuck; Wait: 9 min";
        let table = Source::new(rows, "8.1 Faults", true);
        let text = "The manual has 41 pages. It is for service. Read it first. The boiler holds \
                    3 litres. That is enough for two groups.";
        let text = Source::new(text, "Boiler", false);
        let check = |source: &Source, statement: &str, stands: bool| {
            let verdict = source.verdict(statement);
            let found = !matches!(verdict, Verdict::Missing(_));
            assert_eq!(found, stands, "{statement} {verdict:?}");
        };
        check(&table, "Where the pump is worn, wait 20 min.", true);
        check(&table, "With a worn pump wait 9 min.", false);
        check(&text, "The boiler holds 3 litres.", true);
        check(&text, "The boiler holds 41 litres.", false);
        check(&text, "The groups have 41 litres.", false);
        check(&text, "Is it 77?", false);
        assert!(!claims("Is it 77?"));
    }

    #[test]
    fn sources_are_joined() {
        let one = Source::new("The pump is made by Heron.", "", false);
        let other = Source::new("Heron sits in Vardo.", "", false);
        let said = "The pump is made by Heron in Vardo.";
        assert_eq!(one.verdict(said), Verdict::Missing(Why::Name));
        let both = Source::joined(&[&one, &other]);
        assert!(matches!(both.verdict(said), Verdict::Borne(_)));
    }
}
