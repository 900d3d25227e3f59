//! Does everything agree with the truth?

use crate::error::Result;
use crate::input::UnitKey;
use crate::snapshot::Snapshot;
use crate::text_index::{modality_code, unpack};
use crate::text_reader::damaged_files;
use crate::text_search::Columns;
use crate::truth::{Space, ViewEntry};
use crate::vector_segment::{Segment, quantise};
use catena_document::{DocumentId, View};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Something in a store that does not agree with the truth, or in the truth with itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// A document's rows are not all there.
    Document {
        /// The document.
        document: DocumentId,
        /// What is wrong.
        what: String,
    },
    /// The text index has not the units that the truth has.
    Text {
        /// The document's number.
        seq: u64,
        /// What is wrong.
        what: String,
    },
    /// The vector index has not the vectors that the truth has.
    Vectors {
        /// The space's name.
        space: String,
        /// The document's number.
        seq: u64,
        /// What is wrong.
        what: String,
    },
    /// A file of an index has changed since it was written.
    File(String),
    /// A kept file is missing or has another content.
    Source(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document { document, what } => {
                write!(f, "document `{}`: {what}", document.short())
            }
            Self::Text { seq, what } => write!(f, "text index, document {seq}: {what}"),
            Self::Vectors { space, seq, what } => {
                write!(f, "vector space `{space}`, document {seq}: {what}")
            }
            Self::File(what) => write!(f, "index file: {what}"),
            Self::Source(what) => write!(f, "kept file: {what}"),
        }
    }
}

/// The units that an index has of a document's view: ordinal and modality.
type Units = HashMap<(u64, u8), Vec<(u32, u8)>>;

impl Snapshot {
    /// Compares everything that is derived with the truth, and the truth with itself. Reads the
    /// whole store.
    pub fn check(&self) -> Result<Vec<Difference>> {
        let mut out = Vec::new();
        let spaces = self.truth.spaces()?;
        let mut indexed = self.indexed_units(&mut out)?;
        for (seq, entry) in self.catalogue.iter() {
            let wrong = self.check_document(seq, entry.id, &mut indexed, &mut out)?;
            out.extend(wrong.into_iter().map(|what| Difference::Document {
                document: entry.id,
                what,
            }));
            for space in &spaces {
                let wrong = self.check_vectors(space, seq)?;
                out.extend(wrong.into_iter().map(|what| Difference::Vectors {
                    space: space.name.clone(),
                    seq,
                    what,
                }));
            }
        }
        self.check_leftovers(&indexed, &mut out)?;
        self.check_segments(&spaces, &mut out);
        self.check_kept_files(&mut out)?;
        Ok(out)
    }

    /// What is wrong with the rows of a document, and with its units in the text index.
    fn check_document(
        &self,
        seq: u64,
        id: DocumentId,
        indexed: &mut Units,
        out: &mut Vec<Difference>,
    ) -> Result<Vec<String>> {
        let mut wrong = Vec::new();
        let row = self.row(seq)?;
        let nodes = self.truth.nodes(seq)?;
        if row.head.id != id {
            wrong.push("its row has another name".to_owned());
        }
        if nodes.len() as u32 != row.nodes {
            wrong.push(format!("{} of {} nodes", nodes.len(), row.nodes));
        }
        if self.truth.pages(seq)?.len() as u32 != row.pages {
            wrong.push("its pages are not all there".to_owned());
        }
        if self.visible_sources(seq)?.is_empty() {
            wrong.push("it has no source".to_owned());
        }
        let views = self.truth.views(seq)?;
        if !views.iter().any(|view| view.view == View::Evidence) {
            wrong.push("it has no evidence".to_owned());
        }
        for view in views.iter().filter(|v| v.added_at <= self.generation) {
            let units = self.truth.units(seq, view.view)?;
            let ordered = units.iter().zip(0..).all(|(unit, at)| unit.ordinal == at);
            if units.len() as u32 != view.units || !ordered {
                let (view, count) = (view.view, view.units);
                wrong.push(format!("{} of {count} units of {view:?}", units.len()));
            }
            if units
                .iter()
                .flat_map(|unit| &unit.nodes)
                .any(|node| node.0 >= row.nodes)
            {
                wrong.push("a unit has no node".to_owned());
            }
            let expected: Vec<_> = units
                .iter()
                .map(|unit| (unit.ordinal, modality_code(unit.modality)))
                .collect();
            let mut found = indexed
                .remove(&(seq, crate::tables::view_code(view.view)))
                .unwrap_or_default();
            found.sort_unstable();
            if found != expected {
                out.push(Difference::Text {
                    seq,
                    what: format!(
                        "{} of {} units of {:?}",
                        found.len(),
                        expected.len(),
                        view.view
                    ),
                });
            }
        }
        Ok(wrong)
    }

    /// All units that live in the text index.
    fn indexed_units(&self, out: &mut Vec<Difference>) -> Result<Units> {
        let mut units = Units::new();
        for segment in self.text.searcher.segment_readers() {
            let columns = Columns::of(segment)?;
            for doc in segment.doc_ids_alive() {
                let (view, modality, ordinal) = unpack(columns.unit.get_val(doc));
                let seq = columns.seq.get_val(doc);
                units
                    .entry((seq, view))
                    .or_default()
                    .push((ordinal, modality));
            }
        }
        match damaged_files(&self.layout.text()) {
            Ok(broken) => out.extend(broken.into_iter().map(|path| {
                let path = path.display();
                Difference::File(format!("`{path}` of the text index is damaged"))
            })),
            // A writer may have replaced the files since this snapshot was taken.
            Err(error) => out.push(Difference::File(format!("the text index: {error}"))),
        }
        Ok(units)
    }

    /// Units in the text index of documents that are not in the truth.
    fn check_leftovers(&self, indexed: &Units, out: &mut Vec<Difference>) -> Result<()> {
        // While a commit is under way the parts differ by what it does.
        if self.text.after != self.truth.generation {
            return Ok(());
        }
        for &(seq, _) in indexed.keys() {
            if !self.truth.has_document(seq)? {
                out.push(Difference::Text {
                    seq,
                    what: "it is not in the store".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// What is wrong with the vectors of a document in a space.
    fn check_vectors(&self, space: &Space, seq: u64) -> Result<Vec<String>> {
        let mut wrong = Vec::new();
        for view in View::ALL {
            let segments = self.vectors.segments(space.number, view);
            let found: Vec<_> = segments
                .iter()
                .filter_map(|segment| Some((&**segment, segment.range_of(seq)?)))
                .collect();
            let set = self.truth.vector_set(space.number, view, seq)?;
            let set = set.filter(|set| set.added_at <= self.generation);
            let (Some(set), Some(units)) = (set, self.truth.view(seq, view)?) else {
                if !found.is_empty() && self.vectors.generation == self.truth.generation {
                    wrong.push(format!("vectors of {view:?} that are not in the truth"));
                }
                continue;
            };
            let rows = match found.as_slice() {
                [] if set.rows == 0 => continue,
                [(segment, range)] if range.rows == set.rows => Some((*segment, range.first)),
                _ => None,
            };
            let Some((segment, first)) = rows else {
                wrong.push(format!("not {} vectors of {view:?}", set.rows));
                continue;
            };
            wrong.extend(self.check_rows(space, seq, &units, (segment, first))?);
            let omitted = set.omitted;
            let served = self.served_units(space, seq, view)?;
            if served + omitted != units.units {
                wrong.push(format!("{served} units of {view:?} have a vector"));
            }
        }
        Ok(wrong)
    }

    /// How many units of a view have a vector.
    fn served_units(&self, space: &Space, seq: u64, view: View) -> Result<u32> {
        let mut served = HashSet::new();
        self.truth.each_vector(space, seq, view, |row| {
            served.insert(row.ordinal);
            Ok(())
        })?;
        Ok(served.len() as u32)
    }

    /// Whether the rows of a segment are those of the truth.
    fn check_rows(
        &self,
        space: &Space,
        seq: u64,
        view: &ViewEntry,
        (segment, first): (&Segment, u32),
    ) -> Result<Option<String>> {
        let mut wrong = None;
        let mut at = 0;
        self.truth.each_vector(space, seq, view.view, |row| {
            let place = first + at;
            let values: Vec<f32> = row.values().collect();
            let mut codes = Vec::new();
            let scale = quantise(values.iter().copied(), &mut codes);
            let key = UnitKey {
                seq,
                view: view.view,
                ordinal: row.ordinal,
            };
            let unit = self.truth.unit(key)?;
            let modality = unit.map(|unit| modality_code(unit.modality));
            let same = (place as usize) < segment.rows()
                && segment.ordinal(place) == row.ordinal
                && segment.part(place) == row.part
                && Some(segment.modality(place)) == modality
                && segment.scale(place).to_bits() == scale.to_bits()
                && segment.codes(place..place + 1).starts_with(&codes);
            if !same {
                wrong = Some(format!("row {at} of {:?} differs", view.view));
            }
            let logged = (seq, view.view, at);
            if !self.truth.is_embedded(space.number, row.input, logged)? {
                wrong = Some(format!("row {at} of {:?} is not known again", view.view));
            }
            at += 1;
            Ok(())
        })?;
        Ok(wrong)
    }

    fn check_segments(&self, spaces: &[Space], out: &mut Vec<Difference>) {
        for space in spaces {
            for view in View::ALL {
                for segment in self.vectors.segments(space.number, view) {
                    if !segment.is_intact() {
                        let name = &space.name;
                        let what = format!("a segment of vector space `{name}` is damaged");
                        out.push(Difference::File(what));
                    }
                }
            }
        }
    }

    /// Whether the kept files of all documents are there, with the content that they are named by.
    fn check_kept_files(&self, out: &mut Vec<Difference>) -> Result<()> {
        let mut seen = HashSet::new();
        for (seq, _) in self.catalogue.iter() {
            for file in self.truth.files_of(seq)? {
                if !seen.insert(file) {
                    continue;
                }
                match self.sources.read(&file) {
                    Ok(bytes) if catena_document::ContentHash::of(&bytes) == file => {}
                    Ok(_) => out.push(Difference::Source(format!("`{file}` has changed"))),
                    Err(error) => out.push(Difference::Source(error.to_string())),
                }
            }
        }
        Ok(())
    }
}
