//! Writing the full-text index: one tantivy document a unit.
//!
//! Nothing is stored in it but what search needs; the fields of a unit are those of
//! [`catena_document::fields`]. The two views have fields of their own, so that the statistics
//! of one do not depend on the other.

use crate::analyse::{self, Analyser};
use crate::error::{Part, Result, StoreError};
use crate::input::UnitKey;
use crate::layout::{self, Layout, discard, entries};
use crate::tables::{view_code, view_of};
use catena_document::{Anchors, FieldText, Modality, View};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use tantivy::directory::MmapDirectory;
use tantivy::index::SegmentComponent;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::Compressor;
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{
    Index, IndexBuilder, IndexSettings, IndexWriter, SegmentMeta, TantivyDocument, Term,
};

/// Memory for the units of a group, in bytes; a larger group makes several segments.
const MEMORY: usize = 50_000_000;

/// The fields of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// The document's number.
    pub(crate) seq: Field,
    /// The view's number; its frequency is the number of units in the view.
    pub(crate) view: Field,
    /// View, modality and ordinal in one, see [`pack`].
    pub(crate) unit: Field,
    pub(crate) content: Field,
    pub(crate) caption: Field,
    pub(crate) path: Field,
    pub(crate) context: Field,
    /// The content of a chunk.
    pub(crate) chunk: Field,
    /// The anchors that a unit is about, see [`catena_document::Anchors`].
    pub(crate) subject: Field,
    /// The anchors that a unit names.
    pub(crate) name: Field,
    /// The two anchors of a relation.
    pub(crate) related: Field,
}

/// The schema with its fields.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let text = TextOptions::default().set_indexing_options(indexing);
    let listed = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let anchors = TextOptions::default().set_indexing_options(listed);
    let fields = Fields {
        seq: builder.add_u64_field("seq", INDEXED | FAST),
        view: builder.add_u64_field("view", INDEXED),
        unit: builder.add_u64_field("unit", FAST),
        content: builder.add_text_field("content", text.clone()),
        caption: builder.add_text_field("caption", text.clone()),
        path: builder.add_text_field("path", text.clone()),
        context: builder.add_text_field("context", text.clone()),
        chunk: builder.add_text_field("chunk", text),
        subject: builder.add_text_field("subject", anchors.clone()),
        name: builder.add_text_field("name", anchors.clone()),
        related: builder.add_text_field("related", anchors),
    };
    (builder.build(), fields)
}

/// A modality's number, also its bit in a filter.
pub(crate) fn modality_code(modality: Modality) -> u8 {
    match modality {
        Modality::Text => 0,
        Modality::Table => 1,
        Modality::Figure => 2,
        Modality::Formula => 3,
    }
}

/// View, modality and ordinal of a unit in one number.
pub(crate) fn pack(view: View, modality: Modality, ordinal: u32) -> u64 {
    let head = (u64::from(view_code(view)) << 8) | u64::from(modality_code(modality));
    (head << 32) | u64::from(ordinal)
}

/// The view's number, the modality's number and the ordinal of a packed unit.
pub(crate) fn unpack(unit: u64) -> (u8, u8, u32) {
    ((unit >> 40) as u8, (unit >> 32) as u8, unit as u32)
}

/// The name of a packed unit.
pub(crate) fn key_of(seq: u64, unit: u64) -> Result<UnitKey> {
    let (view, _, ordinal) = unpack(unit);
    Ok(UnitKey {
        seq,
        view: view_of(view)?,
        ordinal,
    })
}

impl Fields {
    /// The fields with text.
    pub(crate) fn texts(&self) -> [Field; 5] {
        [
            self.content,
            self.caption,
            self.path,
            self.context,
            self.chunk,
        ]
    }
}

/// Checks that all files of an index are there, also those that are not opened to search.
pub(crate) fn check_files(dir: &Path, segments: &[SegmentMeta]) -> Result<()> {
    let always = [
        SegmentComponent::Postings,
        SegmentComponent::Positions,
        SegmentComponent::Terms,
        SegmentComponent::Store,
        SegmentComponent::FastFields,
        SegmentComponent::FieldNorms,
    ];
    for segment in segments {
        let deletes = segment.has_deletes().then_some(SegmentComponent::Delete);
        for component in always.iter().cloned().chain(deletes) {
            let path = dir.join(segment.relative_path(component));
            if !path.is_file() {
                return Err(StoreError::damaged(
                    Part::Text,
                    format!("`{}` is missing", path.display()),
                ));
            }
        }
    }
    Ok(())
}

/// What a commit of the index carries: its generation and the version of the analysis.
pub(crate) fn payload(generation: u64) -> String {
    format!("{generation} {}", analyse::VERSION)
}

/// The generation of a payload, if the analysis is this program's.
pub(crate) fn generation_of(payload: Option<&str>) -> Option<u64> {
    let (generation, version) = payload?.split_once(' ')?;
    (version.parse() == Ok(analyse::VERSION)).then(|| generation.parse().ok())?
}

/// The full-text index, open for writing.
pub(crate) struct TextIndex {
    dir: PathBuf,
    index: Index,
    writer: IndexWriter,
    fields: Fields,
    /// The generation that it has caught up with.
    pub(crate) generation: u64,
}

impl TextIndex {
    /// Opens the index of a store; an error says that it must be rebuilt.
    ///
    /// `check` reads all its files, after a crash.
    pub(crate) fn open(dir: &Path, check: bool) -> Result<Self> {
        let unreadable = |why: &str| StoreError::damaged(Part::Text, why.to_owned());
        if !dir.is_dir() {
            return Err(unreadable("it is not there"));
        }
        let index = Index::open(mmap(dir)?)?;
        if index.schema() != schema().0 {
            return Err(unreadable("it was made by another version"));
        }
        if check && !index.validate_checksum()?.is_empty() {
            return Err(unreadable("a file is damaged"));
        }
        let metas = index.load_metas()?;
        check_files(dir, &metas.segments)?;
        let generation = generation_of(metas.payload.as_deref());
        let generation = generation.ok_or_else(|| unreadable("it was made by another version"))?;
        // Opens all segments, so that what is not there is noticed now.
        index.reader_builder().try_into()?;
        let text = Self::with_writer(dir, index, generation)?;
        // A file left by a commit that was cut would be in the way of the next one.
        text.writer.garbage_collect_files().wait()?;
        for path in entries(dir)? {
            if is_litter(&path) {
                discard(&path);
            }
        }
        Ok(text)
    }

    /// Begins an empty index in an empty directory.
    pub(crate) fn create(dir: &Path) -> Result<Self> {
        discard(dir);
        fs::create_dir_all(dir).map_err(|error| StoreError::io(dir, error))?;
        let settings = IndexSettings {
            docstore_compression: Compressor::None,
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        };
        let index = IndexBuilder::new()
            .schema(schema().0)
            .settings(settings)
            .open_or_create(mmap(dir)?)?;
        Self::with_writer(dir, index, 0)
    }

    fn with_writer(dir: &Path, index: Index, generation: u64) -> Result<Self> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(MEMORY)
            .build();
        let writer: IndexWriter = index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(LogMergePolicy::default()));
        Ok(Self {
            dir: dir.to_owned(),
            index,
            writer,
            fields: schema().1,
            generation,
        })
    }

    /// Adds a unit with its anchors.
    pub(crate) fn add(
        &mut self,
        (key, modality): (UnitKey, Modality),
        text: &FieldText,
        anchors: &Anchors,
        analyser: &Analyser,
    ) -> Result<()> {
        let fields = self.fields;
        let mut document = TantivyDocument::default();
        document.add_u64(fields.seq, key.seq);
        document.add_u64(fields.view, u64::from(view_code(key.view)));
        document.add_u64(fields.unit, pack(key.view, modality, key.ordinal));
        let texts: &[(Field, &str)] = match key.view {
            View::Chunks => &[(fields.chunk, &text.content)],
            // Found by their names and their vectors.
            View::Relations => &[],
            View::Evidence => &[
                (fields.content, &text.content),
                (fields.caption, &text.caption),
                (fields.path, &text.path),
                (fields.context, &text.context),
            ],
        };
        for &(field, text) in texts {
            let tokens = tokens(analyser, text);
            if !tokens.is_empty() {
                let text = String::new();
                document.add_pre_tokenized_text(field, PreTokenizedString { text, tokens });
            }
        }
        let named = match key.view {
            View::Relations => fields.related,
            View::Evidence | View::Chunks => fields.name,
        };
        for (field, names) in [(fields.subject, &anchors.subjects), (named, &anchors.names)] {
            let all: BTreeSet<String> = names.iter().map(|name| analyser.anchor(name)).collect();
            for anchor in all.iter().filter(|anchor| !anchor.is_empty()) {
                document.add_text(field, anchor);
            }
        }
        for label in &anchors.labels {
            document.add_text(fields.subject, label);
        }
        match self.writer.add_document(document) {
            Ok(_) => Ok(()),
            // The worker has died; joining it tells of what.
            Err(error) => Err(match self.writer.prepare_commit() {
                Err(cause) => cause.into(),
                Ok(_) => error.into(),
            }),
        }
    }

    /// Drops all units of a document.
    pub(crate) fn delete(&mut self, seq: u64) {
        let term = Term::from_field_u64(self.fields.seq, seq);
        self.writer.delete_term(term);
    }

    /// Commits what was added and dropped as `generation`.
    pub(crate) fn commit(&mut self, generation: u64) -> Result<()> {
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&payload(generation));
        prepared.commit()?;
        // tantivy syncs the directory before it replaces its list of segments, not after.
        layout::sync_dir(&self.dir)?;
        self.generation = generation;
        Ok(())
    }

    /// Merges everything into one segment, without what was dropped.
    pub(crate) fn compact(self) -> Result<Self> {
        let Self {
            dir,
            index,
            writer,
            generation,
            ..
        } = self;
        // Merges under way would hold segments back.
        writer.wait_merging_threads()?;
        let mut text = Self::with_writer(&dir, index, generation)?;
        text.writer.set_merge_policy(Box::new(NoMergePolicy));
        let metas = text.index.searchable_segment_metas()?;
        let is_compact = metas.len() <= 1 && metas.iter().all(|meta| !meta.has_deletes());
        if !is_compact {
            let ids: Vec<_> = metas.iter().map(SegmentMeta::id).collect();
            drop(metas);
            text.writer.merge(&ids).wait()?;
            text.writer.garbage_collect_files().wait()?;
        }
        text.writer
            .set_merge_policy(Box::new(LogMergePolicy::default()));
        Ok(text)
    }

    /// Finishes the merges under way and closes the index.
    pub(crate) fn close(self) -> Result<()> {
        Ok(self.writer.wait_merging_threads()?)
    }
}

/// Puts a rebuilt index in the place of the old one.
pub(crate) fn replace(layout: &Layout) -> Result<()> {
    let (old, new) = (layout.text(), layout.text_rebuilt());
    discard(&old);
    fs::rename(&new, &old).map_err(|error| StoreError::io(&old, error))?;
    layout::sync_dir(layout.root())
}

fn mmap(dir: &Path) -> Result<MmapDirectory> {
    MmapDirectory::open(dir).map_err(|error| StoreError::damaged(Part::Text, error))
}

/// Whether a file is what an atomic write of tantivy leaves when it is cut.
fn is_litter(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| name.starts_with(".tmp"))
}

fn tokens(analyser: &Analyser, text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    analyser.terms(text, |text| {
        out.push(Token {
            offset_from: 0,
            offset_to: 0,
            position: out.len(),
            text,
            position_length: 1,
        });
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_fits_a_number() {
        let unit = pack(View::Chunks, Modality::Formula, u32::MAX);
        assert_eq!(unpack(unit), (1, 3, u32::MAX));
        let key = key_of(9, unit).unwrap();
        assert_eq!(
            (key.seq, key.view, key.ordinal),
            (9, View::Chunks, u32::MAX)
        );
        assert!(key_of(9, 7 << 40).is_err());
    }

    #[test]
    fn a_payload_of_another_analysis_is_none() {
        assert_eq!(generation_of(Some(&payload(12))), Some(12));
        assert_eq!(generation_of(Some("12 0")), None);
        assert_eq!(generation_of(Some("12")), None);
        assert_eq!(generation_of(None), None);
    }
}
