//! Searching the full-text index.

use crate::analyse::Analyser;
use crate::error::Result;
use crate::filter::{Groups, Resolved};
use crate::input::UnitKey;
use crate::tables::view_code;
use crate::text_index::{key_of, unpack};
use crate::text_reader::TextView;
use crate::top::Top;
use catena_document::View;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use tantivy::columnar::ColumnValues;
use tantivy::postings::Postings;
use tantivy::query::{BooleanQuery, EnableScoring, Occur, Query, TermSetQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, TantivyError, Term};

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
pub(crate) const LANGUAGES: usize = 4;
/// A term in more than this share of the units is left out of a long query.
pub(crate) const FREQUENT: f64 = 0.3;
/// A query with more terms than this is long.
const LONG: usize = 6;
/// How soon a term that comes again counts no more.
pub(crate) const K1: f32 = 1.2;
/// How much the length of a field counts, 0 to 1.
const B: f32 = 0.75;

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

/// The best `k` units of each group by BM25F (Robertson and Zaragoza 2009, section 3.6); the best first.
///
/// A word counts once, however many fields it stands in: its frequencies in the fields are
/// weighted and added before they are saturated. The words are taken one after the other, each
/// adding to the scores of the units that have it, so the cost is that of reading their postings.
pub(crate) fn search(
    text: &TextView,
    query: &TextQuery,
    view: View,
    languages: &[Option<&str>],
    (filter, groups): (&Resolved, &Groups),
    k: usize,
) -> Result<Vec<Vec<(UnitKey, f32)>>> {
    let searcher = &text.searcher;
    let units = Term::from_field_u64(text.fields.view, u64::from(view_code(view)));
    let units = searcher.doc_freq(&units)?;
    if units == 0 || k == 0 {
        return Ok(vec![Vec::new(); groups.len()]);
    }
    let fields = searched_fields(text, query, view, units);
    let terms = found_terms(searcher, &fields, &terms(&query.text, languages), units)?;
    let mut tops: Vec<_> = (0..groups.len()).map(|_| Top::new(k)).collect();
    let code = view_code(view);
    for segment in searcher.segment_readers() {
        let columns = Columns::of(segment)?;
        let alive = segment.alive_bitset();
        for (doc, score) in scores(segment, &fields, &terms)? {
            if alive.is_none_or(|alive| alive.is_alive(doc))
                && let Some((seq, unit)) = columns.pass(doc, code, filter)
                && let Some(group) = groups.group(unpack(unit).1)
            {
                tops[group].push(score, (seq, unit));
            }
        }
    }
    let ranking = |top: Top<(u64, u64)>| {
        let sorted = top.into_sorted().into_iter();
        let named = sorted.map(|(score, (seq, unit))| Ok((key_of(seq, unit)?, score)));
        named.collect()
    };
    tops.into_iter().map(ranking).collect()
}

/// A field that is searched.
struct SearchedField {
    field: Field,
    weight: f32,
    /// How much its length counts, 0 to 1.
    b: f32,
    /// Its mean number of words in a unit.
    mean_length: f32,
}

/// The fields of a view with a weight above 0.
fn searched_fields(
    text: &TextView,
    query: &TextQuery,
    view: View,
    units: u64,
) -> Vec<SearchedField> {
    let (fields, weights) = (text.fields, &query.weights);
    let all: &[(Field, f32, f32)] = match view {
        View::Chunks => &[(fields.chunk, weights.content, B)],
        View::Relations => &[],
        View::Evidence => &[
            (fields.content, weights.content, B),
            // Most units have no caption: a mean length says nothing.
            (fields.caption, weights.caption, 0.0),
            (fields.path, weights.path, B),
            (fields.context, weights.context, B),
        ],
    };
    all.iter()
        .filter(|&&(_, weight, _)| weight > 0.0)
        .map(|&(field, weight, b)| {
            let tokens = text.tokens.get(&field).copied().unwrap_or(0);
            SearchedField {
                field,
                weight,
                b,
                mean_length: (tokens as f32 / units as f32).max(1.0),
            }
        })
        .collect()
}

/// A term of the query that some unit has.
struct FoundTerm {
    text: String,
    idf: f32,
}

/// The terms that are searched: those that some unit has, of a long query only the rarer ones. A
/// term is as frequent as it is in the field where most units have it.
fn found_terms(
    searcher: &Searcher,
    fields: &[SearchedField],
    terms: &BTreeSet<String>,
    units: u64,
) -> Result<Vec<FoundTerm>> {
    let mut found: Vec<(&String, u64)> = Vec::new();
    for text in terms {
        let mut most = 0;
        for field in fields {
            let term = Term::from_field_text(field.field, text);
            most = most.max(searcher.doc_freq(&term)?);
        }
        if most > 0 {
            found.push((text, most));
        }
    }
    let limit = (units as f64 * FREQUENT) as u64;
    let is_rare = |&&(_, have): &&(&String, u64)| have <= limit;
    let shorten = found.iter().filter(is_rare).count() > LONG;
    Ok(found
        .iter()
        .filter(|term| !shorten || is_rare(term))
        .map(|&(text, have)| FoundTerm {
            text: text.clone(),
            idf: idf(have, units),
        })
        .collect())
}

/// How rare a term is that `have` of so many units have.
pub(crate) fn idf(have: u64, units: u64) -> f32 {
    (1.0 + (units.saturating_sub(have) as f32 + 0.5) / (have as f32 + 0.5)).ln()
}

/// The scores of the units of a segment that have some of the terms.
fn scores(
    segment: &SegmentReader,
    fields: &[SearchedField],
    terms: &[FoundTerm],
) -> Result<Vec<(DocId, f32)>> {
    let mut parts = Vec::new();
    for field in fields {
        parts.push((
            field,
            segment.inverted_index(field.field)?,
            segment.get_fieldnorms_reader(field.field)?,
        ));
    }
    let docs = segment.max_doc() as usize;
    let mut scores = vec![0.0_f32; docs];
    let mut frequencies = vec![0.0_f32; docs];
    let mut seen: Vec<DocId> = Vec::new();
    let mut all: Vec<DocId> = Vec::new();
    for term in terms {
        for (field, index, lengths) in &parts {
            let key = Term::from_field_text(field.field, &term.text);
            let Some(mut postings) = index
                .read_postings(&key, IndexRecordOption::WithFreqs)
                .map_err(TantivyError::from)?
            else {
                continue;
            };
            while postings.doc() != TERMINATED {
                let doc = postings.doc();
                let length = lengths.fieldnorm(doc) as f32 / field.mean_length;
                let frequency = &mut frequencies[doc as usize];
                if *frequency == 0.0 {
                    seen.push(doc);
                }
                *frequency +=
                    field.weight * postings.term_freq() as f32 / (1.0 - field.b + field.b * length);
                postings.advance();
            }
        }
        for doc in seen.drain(..) {
            let frequency = std::mem::take(&mut frequencies[doc as usize]);
            let score = &mut scores[doc as usize];
            if *score == 0.0 {
                all.push(doc);
            }
            *score += term.idf * frequency * (K1 + 1.0) / (K1 + frequency);
        }
    }
    Ok(all
        .into_iter()
        .map(|doc| (doc, scores[doc as usize]))
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

    /// The document and the packed unit of a number.
    pub(crate) fn unit_at(&self, doc: DocId) -> (u64, u64) {
        (self.seq.get_val(doc), self.unit.get_val(doc))
    }

    pub(crate) fn pass(&self, doc: DocId, code: u8, filter: &Resolved) -> Option<(u64, u64)> {
        let unit = self.unit.get_val(doc);
        let (view, modality, ordinal) = unpack(unit);
        let seq = self.seq.get_val(doc);
        let pass = view == code
            && filter.documents.contains(seq)
            && filter.has_unit(seq, modality, ordinal);
        pass.then_some((seq, unit))
    }
}
