//! Searching anchors: which units are about a name, and which name it.
//!
//! The lists of an anchor are postings of the full-text index, so they grow and shrink with its
//! documents and nothing else has to be kept in step. Which names are one anchor is decided by
//! their form alone (stems without accents), never by the order of adding.

use crate::analyse::Analyser;
use crate::error::Result;
use crate::filter::{Filter, Resolved};
use crate::input::UnitKey;
use crate::near_spelling::near;
use crate::snapshot::Snapshot;
use crate::tables::view_code;
use crate::text_index::{key_of, unpack};
use crate::text_search::{Columns, FREQUENT, K1, LANGUAGES, idf};
use catena_document::{DocumentAnchors, EvidenceUnit, View, anchors, is_function_word, words};
use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, TantivyError, Term};

/// Words of a subject that is looked for in a text, at most.
const MAX_WORDS: usize = 8;
/// Words of a text that are looked at for subjects, at most.
const MAX_TEXT: usize = 400;
/// Units of one document that are looked at.
const MAX_UNITS: usize = 10_000_000;

/// The number of the view of evidence.
const EVIDENCE: u8 = view_code(View::Evidence);

/// The anchors of a snapshot's evidence, opened for one query.
pub struct AnchorIndex<'s> {
    snapshot: &'s Snapshot,
    filter: Resolved,
    segments: Vec<Segment<'s>>,
    analysers: HashMap<Option<String>, Analyser>,
    /// For the names of relations, which have no language.
    names: Analyser,
    /// How many units there are.
    units: u64,
    /// The places of the units of the documents that were met.
    places: RefCell<HashMap<u64, Places>>,
}

/// The segment of a document, and the number of each of its units there.
type Places = (usize, Vec<Option<DocId>>);

struct Segment<'s> {
    reader: &'s SegmentReader,
    columns: Columns,
    subject: Arc<InvertedIndexReader>,
    name: Arc<InvertedIndexReader>,
    related: Arc<InvertedIndexReader>,
}

/// The anchors of a unit with their wording in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitAnchors {
    /// What it is about.
    pub subjects: BTreeMap<String, String>,
    /// What it names.
    pub names: BTreeMap<String, String>,
}

/// A unit that an anchor ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tied {
    /// The unit.
    pub key: UnitKey,
    /// Whether it is about the anchor, not only names it.
    pub is_subject: bool,
}

/// A subject of units that a text names.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSubject {
    /// Its anchor.
    pub anchor: String,
    /// Its wording in the text.
    pub wording: String,
    /// Which of the text's words it is made of.
    pub words: std::ops::Range<usize>,
}

/// A word of a question that tells something.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionTerm {
    /// The word, as it stands in the question.
    pub word: String,
    /// Its terms in the languages of the store.
    forms: BTreeSet<String>,
    /// How rare it is: its inverse document frequency.
    pub idf: f32,
}

impl Snapshot {
    /// The anchors of the evidence that passes a filter.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn anchor_index(&self, filter: &Filter) -> Result<AnchorIndex<'_>> {
        let fields = self.text.fields;
        let segments = self.text.searcher.segment_readers().iter();
        let segments = segments.map(|reader| {
            Ok(Segment {
                reader,
                columns: Columns::of(reader)?,
                subject: reader.inverted_index(fields.subject)?,
                name: reader.inverted_index(fields.name)?,
                related: reader.inverted_index(fields.related)?,
            })
        });
        let view = u64::from(EVIDENCE);
        let units = Term::from_field_u64(fields.view, view);
        let languages = self.catalogue.languages();
        let languages = languages.iter().take(LANGUAGES);
        Ok(AnchorIndex {
            snapshot: self,
            filter: self.resolve_filter(filter, View::Evidence)?,
            segments: segments.collect::<Result<_>>()?,
            analysers: languages
                .map(|language| (language.map(str::to_owned), Analyser::new(*language)))
                .collect(),
            names: Analyser::new(None),
            units: self.text.searcher.doc_freq(&units)?,
            places: RefCell::default(),
        })
    }
}

impl AnchorIndex<'_> {
    /// How many units of evidence the store has.
    pub fn len(&self) -> u64 {
        self.units
    }

    /// Whether there is no evidence.
    pub fn is_empty(&self) -> bool {
        self.units == 0
    }

    /// Runs `with` on the analysis of a document's language.
    fn analysed<T>(&self, seq: u64, with: impl FnOnce(&Analyser) -> T) -> T {
        let entry = self.snapshot.catalogue.get(seq);
        let language = entry.and_then(|entry| entry.language.as_deref());
        match self.analysers.get(&language.map(str::to_owned)) {
            Some(analyser) => with(analyser),
            None => with(&Analyser::new(language)),
        }
    }

    /// What a unit is about, and what it names: the wording by the anchor.
    pub fn of_unit(&self, key: UnitKey, unit: &EvidenceUnit) -> UnitAnchors {
        self.analysed(key.seq, |analyser| {
            let found = anchors(unit, &DocumentAnchors::default());
            let all = |names: Vec<String>| {
                let all = names
                    .into_iter()
                    .rev()
                    .map(|name| (analyser.anchor(&name), name));
                all.filter(|(anchor, _)| !anchor.is_empty()).collect()
            };
            UnitAnchors {
                subjects: all(found.subjects),
                names: all(found.names),
            }
        })
    }

    /// Whether a unit passes the filter.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn passes(&self, key: UnitKey) -> Result<bool> {
        let Some((segment, doc)) = self.place_of(key)? else {
            return Ok(false);
        };
        let columns = &self.segments[segment].columns;
        Ok(columns.pass(doc, EVIDENCE, &self.filter).is_some())
    }

    /// The units that an anchor ties, each once, in order; `None` where there are more than
    /// `most`: an anchor of everything distinguishes nothing.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn units_of(&self, anchor: &str, most: usize) -> Result<Option<Vec<Tied>>> {
        let fields = self.snapshot.text.fields;
        let subject = Term::from_field_text(fields.subject, anchor);
        let name = Term::from_field_text(fields.name, anchor);
        let mut count = 0_usize;
        for segment in &self.segments {
            count += frequency(&segment.subject, &subject)?.max(frequency(&segment.name, &name)?);
            if count > most {
                return Ok(None);
            }
        }
        let mut out: BTreeMap<UnitKey, bool> = BTreeMap::new();
        for segment in &self.segments {
            for (index, term, is_subject) in [
                (&segment.subject, &subject, true),
                (&segment.name, &name, false),
            ] {
                let pass = |doc| segment.columns.pass(doc, EVIDENCE, &self.filter);
                postings((segment, index), term, &pass, |key| {
                    *out.entry(key).or_default() |= is_subject;
                })?;
            }
        }
        let tied = |(key, is_subject)| Tied { key, is_subject };
        Ok(Some(out.into_iter().map(tied).collect()))
    }

    /// The anchors that are spelled nearly as one is, a letter apart; few, and none for one that is
    /// short or has digits.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn near(&self, anchor: &str) -> Result<BTreeSet<String>> {
        let subjects = self.segments.iter().map(|segment| &*segment.subject);
        let names = self.segments.iter().map(|segment| &*segment.name);
        near(subjects.chain(names), anchor)
    }

    /// The anchor of a name in a document's language; empty where it has no word that counts.
    pub fn anchor_of(&self, document: u64, name: &str) -> String {
        self.analysed(document, |analyser| analyser.anchor(name))
    }

    /// The relations with a name, of all documents that pass the filter, in order; `None` where
    /// there are more than `most`.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn related(&self, name: &str, most: usize) -> Result<Option<Vec<UnitKey>>> {
        let anchor = self.names.anchor(name);
        let term = Term::from_field_text(self.snapshot.text.fields.related, &anchor);
        let mut count = 0_usize;
        for segment in &self.segments {
            count += frequency(&segment.related, &term)?;
        }
        if count > most {
            return Ok(None);
        }
        let mut out = Vec::new();
        for segment in &self.segments {
            // Of which kind its unit is shows when that is looked up.
            let pass = |doc| self.unit_at(segment, doc);
            postings((segment, &segment.related), &term, &pass, |key| {
                out.push(key);
            })?;
        }
        out.sort_unstable();
        Ok(Some(out))
    }

    /// The subjects of units that a text names word for word; one word alone must be capitalised,
    /// or of a script without capitals. `document` is the text's own, where it has one: its
    /// language is the text's.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn subjects_in(&self, text: &str, document: Option<u64>) -> Result<Vec<NamedSubject>> {
        if let Some(seq) = document {
            return self.analysed(seq, |analyser| self.subjects_by(text, analyser));
        }
        let mut out: Vec<NamedSubject> = Vec::new();
        for analyser in self.analysers.values() {
            for found in self.subjects_by(text, analyser)? {
                if !out.contains(&found) {
                    out.push(found);
                }
            }
        }
        out.sort_by(|a, b| {
            let key = |found: &NamedSubject| (found.words.start, found.words.end);
            key(a).cmp(&key(b)).then_with(|| a.anchor.cmp(&b.anchor))
        });
        Ok(out)
    }

    fn subjects_by(&self, text: &str, analyser: &Analyser) -> Result<Vec<NamedSubject>> {
        let mut all = words(text);
        all.truncate(MAX_TEXT);
        let forms: Vec<String> = all
            .iter()
            .map(|at| analyser.anchor(&text[at.clone()]))
            .collect();
        let mut out: Vec<NamedSubject> = Vec::new();
        for start in 0..all.len() {
            if forms[start].is_empty() || is_function_word(&text[all[start].clone()]) {
                continue;
            }
            let mut anchor = String::new();
            for end in start..all.len().min(start + MAX_WORDS) {
                if end > start {
                    let gap = &text[all[end - 1].end..all[end].start];
                    if gap.contains(['.', ';', ':', '?', '!', '\n']) {
                        break;
                    }
                    if forms[end].is_empty() {
                        // An article inside a name is part of it.
                        anchor.push(' ');
                        anchor.push_str(&text[all[end].clone()].to_lowercase());
                        continue;
                    }
                    anchor.push(' ');
                }
                anchor.push_str(&forms[end]);
                let Some(is_whole) = self.subject_from(&anchor)? else {
                    break;
                };
                let word = &text[all[end].clone()];
                if end == start && word.starts_with(char::is_lowercase) || is_function_word(word) {
                    continue;
                }
                if is_whole {
                    out.push(NamedSubject {
                        anchor: anchor.clone(),
                        wording: text[all[start].start..all[end].end].to_owned(),
                        words: start..end + 1,
                    });
                }
            }
        }
        Ok(out)
    }

    /// Whether some subject is these words; `None` where none begins with them.
    fn subject_from(&self, anchor: &str) -> Result<Option<bool>> {
        let first = anchor.as_bytes();
        let mut found = None;
        for segment in &self.segments {
            let from = segment.subject.terms().range().ge(first);
            let mut terms = from.into_stream().map_err(TantivyError::from)?;
            // Of those that begin so the shortest comes first.
            if terms.advance() && terms.key().starts_with(first) {
                let is_whole = terms.key() == first;
                found = Some(found.unwrap_or(false) || is_whole);
            }
        }
        Ok(found)
    }

    /// The words of a question that tell something, with how rare each is: not the small words,
    /// and none that no unit or a large share of them has.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn question_terms(&self, question: &str) -> Result<Vec<QuestionTerm>> {
        let mut out: Vec<QuestionTerm> = Vec::new();
        for at in words(question) {
            let word = &question[at];
            if is_function_word(word) {
                continue;
            }
            let forms = self.forms_of(word);
            if out.iter().any(|have| have.forms == forms) {
                continue;
            }
            let have = self.frequency_of(&forms)?;
            if have == 0 || (have as f64) > self.units as f64 * FREQUENT && self.units > 20 {
                continue;
            }
            out.push(QuestionTerm {
                word: word.to_owned(),
                forms,
                idf: idf(have, self.units),
            });
        }
        Ok(out)
    }

    /// What a word that no unit has weighs: as the rarest that there could be.
    pub fn rarest(&self) -> f32 {
        (self.units as f32 + 1.0).ln()
    }

    /// Whether some unit of the store, of any document, has a word in one of its forms.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn is_known(&self, word: &str) -> Result<bool> {
        Ok(self.frequency_of(&self.forms_of(word))? > 0)
    }

    /// The terms of a word in the languages of the store: two words with one in common are forms of
    /// the same.
    pub fn forms_of(&self, word: &str) -> BTreeSet<String> {
        let mut forms = BTreeSet::new();
        for analyser in self.analysers.values() {
            analyser.terms(word, |term| {
                forms.insert(term);
            });
        }
        forms
    }

    /// The units that have a term in the field where most have it.
    fn frequency_of(&self, forms: &BTreeSet<String>) -> Result<u64> {
        let fields = self.snapshot.text.fields;
        let mut most = 0;
        for form in forms {
            for field in [fields.content, fields.caption, fields.path] {
                let term = Term::from_field_text(field, form);
                most = most.max(self.snapshot.text.searcher.doc_freq(&term)?);
            }
        }
        Ok(most)
    }

    /// Whether a question has all words of an anchor.
    pub fn is_covered(&self, anchor: &str, terms: &[QuestionTerm]) -> bool {
        let mut parts = anchor.split(' ');
        parts.all(|part| terms.iter().any(|term| term.forms.contains(part)))
    }

    /// How well the words, caption and headings of units cover each term of a question, 0 to 1:
    /// its frequency, saturated as in BM25. By the postings of the terms, so that no unit is read.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn coverage(&self, units: &[UnitKey], terms: &[QuestionTerm]) -> Result<Vec<Vec<f32>>> {
        let mut out = vec![vec![0.0_f32; terms.len()]; units.len()];
        let mut places: Vec<(usize, DocId, usize)> = Vec::new();
        for (at, &unit) in units.iter().enumerate() {
            if let Some((segment, doc)) = self.place_of(unit)? {
                places.push((segment, doc, at));
            }
        }
        places.sort_unstable();
        let fields = self.snapshot.text.fields;
        for run in places.chunk_by(|a, b| a.0 == b.0) {
            let reader = self.segments[run[0].0].reader;
            for field in [fields.content, fields.caption, fields.path] {
                let index = reader.inverted_index(field)?;
                for (number, term) in terms.iter().enumerate() {
                    for form in &term.forms {
                        let key = Term::from_field_text(field, form);
                        let found = index
                            .read_postings(&key, IndexRecordOption::WithFreqs)
                            .map_err(TantivyError::from)?;
                        let Some(mut postings) = found else { continue };
                        for &(_, doc, at) in run {
                            if postings.doc() < doc {
                                postings.seek(doc);
                            }
                            if postings.doc() == doc {
                                out[at][number] += postings.term_freq() as f32;
                            }
                        }
                    }
                }
            }
        }
        for count in out.iter_mut().flatten() {
            *count /= *count + K1;
        }
        Ok(out)
    }

    /// All anchors with their units, by name.
    pub(crate) fn dump(&self, out: &mut String) -> Result<()> {
        use std::fmt::Write as _;
        let mut all: BTreeSet<String> = BTreeSet::new();
        let fields = self.snapshot.text.fields;
        for segment in &self.segments {
            for (what, field, index) in [
                ("subject", fields.subject, &segment.subject),
                ("name", fields.name, &segment.name),
                ("related", fields.related, &segment.related),
            ] {
                let mut terms = index.terms().stream().map_err(TantivyError::from)?;
                while terms.advance() {
                    let anchor = String::from_utf8_lossy(terms.key()).into_owned();
                    let term = Term::from_field_text(field, &anchor);
                    let pass = |doc| self.unit_at(segment, doc);
                    postings((segment, index), &term, &pass, |key| {
                        let unit = self.snapshot.unit_id(key);
                        all.extend(unit.map(|unit| format!("{what} {anchor:?} {unit}")));
                    })?;
                }
            }
        }
        for line in all {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{line}");
        }
        Ok(())
    }

    /// The document and the packed unit of a number, of whatever view, where the document passes
    /// the filter.
    fn unit_at(&self, segment: &Segment<'_>, doc: DocId) -> Option<(u64, u64)> {
        let found = segment.columns.unit_at(doc);
        self.filter.documents.contains(found.0).then_some(found)
    }

    /// Where a unit stands in the index: its segment and its number there.
    fn place_of(&self, unit: UnitKey) -> Result<Option<(usize, DocId)>> {
        let mut known = self.places.borrow_mut();
        let (segment, docs) = match known.entry(unit.seq) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(self.places_of(unit.seq)?),
        };
        let doc = docs.get(unit.ordinal as usize).copied().flatten();
        Ok(doc.map(|doc| (*segment, doc)))
    }

    /// The segment of a document's evidence, and the number of each of its units there.
    fn places_of(&self, seq: u64) -> Result<Places> {
        let field = self.snapshot.text.fields.seq;
        let term = Term::from_field_u64(field, seq);
        for (number, segment) in self.segments.iter().enumerate() {
            let index = segment.reader.inverted_index(field)?;
            let found = index
                .read_postings(&term, IndexRecordOption::Basic)
                .map_err(TantivyError::from)?;
            let Some(mut postings) = found else { continue };
            let alive = segment.reader.alive_bitset();
            let mut docs: Vec<Option<DocId>> = Vec::new();
            while postings.doc() != TERMINATED {
                let doc = postings.doc();
                let (view, _, ordinal) = unpack(segment.columns.unit.get_val(doc));
                let ordinal = ordinal as usize;
                let is_alive = alive.is_none_or(|alive| alive.is_alive(doc));
                if view == EVIDENCE && is_alive && ordinal <= MAX_UNITS {
                    if docs.len() <= ordinal {
                        docs.resize(ordinal + 1, None);
                    }
                    docs[ordinal] = Some(doc);
                }
                postings.advance();
            }
            if !docs.is_empty() {
                return Ok((number, docs));
            }
        }
        Ok((0, Vec::new()))
    }
}

/// Calls `each` with the units that have a term and pass.
fn postings(
    (segment, index): (&Segment<'_>, &InvertedIndexReader),
    term: &Term,
    pass: &dyn Fn(DocId) -> Option<(u64, u64)>,
    mut each: impl FnMut(UnitKey),
) -> Result<()> {
    let found = index
        .read_postings(term, IndexRecordOption::Basic)
        .map_err(TantivyError::from)?;
    let Some(mut postings) = found else {
        return Ok(());
    };
    let alive = segment.reader.alive_bitset();
    while postings.doc() != TERMINATED {
        let doc = postings.doc();
        if alive.is_none_or(|alive| alive.is_alive(doc))
            && let Some((seq, unit)) = pass(doc)
        {
            each(key_of(seq, unit)?);
        }
        postings.advance();
    }
    Ok(())
}

fn frequency(index: &InvertedIndexReader, term: &Term) -> Result<usize> {
    Ok(index.doc_freq(term).map_err(TantivyError::from)? as usize)
}
