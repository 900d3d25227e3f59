//! Searching the full-text index.

use crate::analyse::Analyser;
use crate::error::Result;
use crate::filter::Resolved;
use crate::input::UnitKey;
use crate::tables::view_code;
use crate::text_index::{Fields, key_of, unpack};
use crate::text_reader::{TextView, Tokens};
use crate::top::Top;
use catena_document::View;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use tantivy::columnar::ColumnValues;
use tantivy::query::{
    Bm25StatisticsProvider, BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery,
    TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Searcher, SegmentReader, Term};

/// A query in words.
#[derive(Clone, Debug, PartialEq)]
pub struct TextQuery {
    /// The question, as it was asked.
    pub text: String,
    /// What each field counts.
    pub weights: FieldWeights,
}

/// What a match in each field of a unit counts; a field of weight 0 is not searched.
///
/// Chunks have content only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// Its own words.
    pub content: f32,
    /// Its caption.
    pub caption: f32,
    /// The title and the headings above.
    pub path: f32,
    /// What stands around it.
    pub context: f32,
}

/// Languages whose analysis a query goes through, at most.
const LANGUAGES: usize = 4;
/// A term in more than this share of the units is left out of a long query.
const FREQUENT: f64 = 0.3;
/// A query with more terms than this is long.
const LONG: usize = 6;

/// The terms of a query, in each of the languages that the documents are in.
pub(crate) fn terms(text: &str, languages: &[Option<&str>]) -> BTreeSet<String> {
    words(text, languages).into_iter().flatten().collect()
}

/// The terms of each word of a text, in each of the languages.
fn words(text: &str, languages: &[Option<&str>]) -> Vec<BTreeSet<String>> {
    let mut out = Vec::new();
    let analysers: Vec<Analyser> = match languages {
        [] => vec![Analyser::new(None)],
        some => some
            .iter()
            .take(LANGUAGES)
            .map(|language| Analyser::new(*language))
            .collect(),
    };
    for at in catena_document::words(text) {
        let mut terms = BTreeSet::new();
        for analyser in &analysers {
            analyser.terms(&text[at.clone()], |term| {
                terms.insert(term);
            });
        }
        out.push(terms);
    }
    out
}

/// The statistics of one view: its number of units in place of the number of all.
struct Statistics<'a> {
    searcher: &'a Searcher,
    tokens: &'a Tokens,
    units: u64,
    frequencies: HashMap<Term, u64>,
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.tokens.get(&field).copied().unwrap_or(0))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.units)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        match self.frequencies.get(term) {
            Some(frequency) => Ok(*frequency),
            None => self.searcher.doc_freq(term),
        }
    }
}

/// The best `k` units, by the sum over fields of weight times BM25; the best first.
pub(crate) fn search(
    text: &TextView,
    query: &TextQuery,
    view: View,
    languages: &[Option<&str>],
    filter: &Resolved,
    k: usize,
) -> Result<Vec<(UnitKey, f32)>> {
    let searcher = &text.searcher;
    let units = Term::from_field_u64(text.fields.view, u64::from(view_code(view)));
    let units = searcher.doc_freq(&units)?;
    if units == 0 || k == 0 {
        return Ok(Vec::new());
    }
    let terms = terms(&query.text, languages);
    let mut statistics = Statistics {
        searcher,
        tokens: &text.tokens,
        units,
        frequencies: HashMap::new(),
    };
    let clauses = clauses(text.fields, query, view, &terms, &mut statistics)?;
    if clauses.is_empty() {
        return Ok(Vec::new());
    }
    let scoring = EnableScoring::enabled_from_statistics_provider(&statistics, searcher);
    let weight = BooleanQuery::union(clauses).weight(scoring)?;
    let mut top = Top::new(k);
    let code = view_code(view);
    for segment in searcher.segment_readers() {
        let columns = Columns::of(segment)?;
        let alive = segment.alive_bitset();
        let threshold = top.threshold();
        let mut collect = |doc: DocId, score: f32| {
            if alive.is_none_or(|alive| alive.is_alive(doc))
                && let Some((seq, unit)) = columns.pass(doc, code, filter)
            {
                top.push(score, (seq, unit));
            }
            top.threshold()
        };
        weight.for_each_pruning(threshold, segment, &mut collect)?;
    }
    top.into_sorted()
        .into_iter()
        .map(|(score, (seq, unit))| Ok((key_of(seq, unit)?, score)))
        .collect()
}

/// A term of the query in the fields where it stands, and how many units have it in the field
/// where most do.
#[derive(Default)]
struct Found {
    units: u64,
    terms: Vec<(Term, f32)>,
}

/// The terms that are searched in each field, with their weights.
fn clauses(
    fields: Fields,
    query: &TextQuery,
    view: View,
    terms: &BTreeSet<String>,
    statistics: &mut Statistics<'_>,
) -> Result<Vec<Box<dyn Query>>> {
    let weights = &query.weights;
    let fields: &[(Field, f32)] = match view {
        View::Chunks => &[(fields.chunk, weights.content)],
        View::Evidence => &[
            (fields.content, weights.content),
            (fields.caption, weights.caption),
            (fields.path, weights.path),
            (fields.context, weights.context),
        ],
    };
    let mut found: BTreeMap<&str, Found> = BTreeMap::new();
    for &(field, weight) in fields {
        if weight <= 0.0 {
            continue;
        }
        for text in terms {
            let term = Term::from_field_text(field, text);
            let frequency = statistics.searcher.doc_freq(&term)?;
            if frequency > 0 {
                statistics.frequencies.insert(term.clone(), frequency);
                let entry = found.entry(text).or_default();
                entry.units = entry.units.max(frequency);
                entry.terms.push((term, weight));
            }
        }
    }
    let limit = (statistics.units as f64 * FREQUENT) as u64;
    let rare = found.values().filter(|term| term.units <= limit).count();
    let shorten = rare > LONG;
    let kept = found
        .into_values()
        .filter(|term| !shorten || term.units <= limit);
    Ok(kept
        .flat_map(|term| term.terms)
        .map(|(term, weight)| {
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            Box::new(BoostQuery::new(Box::new(query), weight)) as Box<dyn Query>
        })
        .collect())
}

/// The units whose titles and headings have all the words of `section`.
pub(crate) fn in_section(
    text: &TextView,
    section: &str,
    view: View,
    languages: &[Option<&str>],
) -> Result<HashMap<u64, Vec<u32>>> {
    let path = text.fields.path;
    let mut all: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    for word in words(section, languages) {
        let terms = word.iter().map(|term| Term::from_field_text(path, term));
        all.push((Occur::Must, Box::new(TermSetQuery::new(terms))));
    }
    let mut out: HashMap<u64, Vec<u32>> = HashMap::new();
    if all.is_empty() {
        return Ok(out);
    }
    let scoring = EnableScoring::disabled_from_searcher(&text.searcher);
    let weight = BooleanQuery::new(all).weight(scoring)?;
    for segment in text.searcher.segment_readers() {
        let columns = Columns::of(segment)?;
        let alive = segment.alive_bitset();
        weight.for_each_no_score(segment, &mut |docs| {
            for &doc in docs {
                if alive.is_none_or(|alive| alive.is_alive(doc)) {
                    let (code, _, ordinal) = unpack(columns.unit.get_val(doc));
                    if code == view_code(view) {
                        out.entry(columns.seq.get_val(doc))
                            .or_default()
                            .push(ordinal);
                    }
                }
            }
        })?;
    }
    for ordinals in out.values_mut() {
        ordinals.sort_unstable();
    }
    Ok(out)
}

/// The columns that tell which unit a document of the index is.
pub(crate) struct Columns {
    pub(crate) seq: Arc<dyn ColumnValues<u64>>,
    pub(crate) unit: Arc<dyn ColumnValues<u64>>,
}

impl Columns {
    pub(crate) fn of(segment: &SegmentReader) -> Result<Self> {
        let fields = segment.fast_fields();
        Ok(Self {
            seq: fields.u64("seq")?.first_or_default_col(0),
            unit: fields.u64("unit")?.first_or_default_col(0),
        })
    }

    fn pass(&self, doc: DocId, code: u8, filter: &Resolved) -> Option<(u64, u64)> {
        let unit = self.unit.get_val(doc);
        let (view, modality, ordinal) = unpack(unit);
        let seq = self.seq.get_val(doc);
        let pass = view == code
            && filter.documents.contains(seq)
            && filter.has_unit(seq, modality, ordinal);
        pass.then_some((seq, unit))
    }
}
