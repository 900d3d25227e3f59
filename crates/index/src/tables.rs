//! The tables of the truth: what is stored under which key.
//!
//! Each document, once inserted, has a sequence number, `seq`, that is never used again; its rows
//! are found by it. No row is rewritten but the few counters of [`META`] and a source's row when
//! the source is removed, so the cost of a document does not depend on the size of the store.

use crate::error::{Part, Result, StoreError};
use catena_document::{DocumentId, MediaType, View};
use redb::TableDefinition;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::SystemTime;

/// Counters by name: [`GENERATION`], [`PURGED`], [`NEXT_SEQ`], [`NEXT_SPACE`].
pub(crate) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
/// The number of the last commit.
pub(crate) const GENERATION: &str = "generation";
/// Up to which removal rows have been deleted.
pub(crate) const PURGED: &str = "purged";
/// The sequence number of the next document.
pub(crate) const NEXT_SEQ: &str = "next_seq";
/// The number of the next vector space.
pub(crate) const NEXT_SPACE: &str = "next_space";

/// seq → [`DocumentRow`].
pub(crate) const DOCUMENTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("documents");
/// seq → its pages.
pub(crate) const PAGES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("pages");
/// (document, seq).
pub(crate) const BY_ID: TableDefinition<'_, (&[u8; 32], u64), ()> = TableDefinition::new("by_id");
/// (seq, URI, added at) → [`SourceRow`].
pub(crate) const SOURCES: TableDefinition<'_, (u64, &str, u64), &[u8]> =
    TableDefinition::new("sources");
/// (URI, added at, seq).
pub(crate) const BY_SOURCE: TableDefinition<'_, (&str, u64, u64), ()> =
    TableDefinition::new("by_source");
/// (seq, node) → the node.
pub(crate) const NODES: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("nodes");
/// (seq, view, ordinal) → the unit.
pub(crate) const UNITS: TableDefinition<'_, (u64, u8, u32), &[u8]> = TableDefinition::new("units");
/// (seq, node) → the edges from it.
pub(crate) const EDGES: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("edges");
/// (seq, view) → (added at, number of units).
pub(crate) const VIEWS: TableDefinition<'_, (u64, u8), (u64, u32)> = TableDefinition::new("views");
/// Name → (number, dimension).
pub(crate) const SPACES: TableDefinition<'_, &str, (u32, u32)> = TableDefinition::new("spaces");
/// (space, seq, view, block) → some rows of vectors, see [`crate::blocks`].
pub(crate) const VECTORS: TableDefinition<'_, (u32, u64, u8, u32), &[u8]> =
    TableDefinition::new("vectors");
/// (space, view, seq) → (added at, rows, units without a vector).
pub(crate) const VECTOR_SETS: TableDefinition<'_, (u32, u8, u64), (u64, u32, u32)> =
    TableDefinition::new("vector_sets");
/// (space, hash of what was embedded, seq, view, row): which vectors there are of an input.
pub(crate) const EMBEDDED: TableDefinition<'_, (u32, u128, u64, u8, u32), ()> =
    TableDefinition::new("embedded");
/// (hash of a file, seq): which documents refer to a kept file.
pub(crate) const FILES: TableDefinition<'_, (&[u8; 32], u64), ()> = TableDefinition::new("files");
/// (seq, hash of a file): which kept files a document refers to.
pub(crate) const FILES_OF: TableDefinition<'_, (u64, &[u8; 32]), ()> =
    TableDefinition::new("files_of");
/// (Unix time in seconds, hash of a file): a kept file that no document refers to since then. It
/// stays for a while: a snapshot may still show a document that did.
pub(crate) const UNUSED: TableDefinition<'_, (u64, &[u8; 32]), ()> = TableDefinition::new("unused");
/// (seq, hash of a model with a picture) → what it saw. Readers do not need it.
pub(crate) const SEEN: TableDefinition<'_, (u64, &[u8; 32]), &[u8]> = TableDefinition::new("seen");
/// (seq, hash of a language model with what it was asked) → what it answered. Readers do not need
/// it.
pub(crate) const ANSWERS: TableDefinition<'_, (u64, &[u8; 32]), &[u8]> =
    TableDefinition::new("answers");
/// (generation, seq, view, space): a view was added, or with a space above 0 its vectors.
pub(crate) const ADDITIONS: TableDefinition<'_, (u64, u64, u8, u32), ()> =
    TableDefinition::new("additions");
/// (generation, seq, URI, added at): a source was removed; with an empty URI the document.
pub(crate) const REMOVALS: TableDefinition<'_, (u64, u64, &str, u64), ()> =
    TableDefinition::new("removals");

/// What is kept of a document besides its tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DocumentRow {
    /// What a reader keeps of every document; first, so that it is read without the rest.
    pub(crate) head: DocumentHead,
    pub(crate) title: String,
    pub(crate) media_type: MediaType,
    pub(crate) pages: u32,
    pub(crate) nodes: u32,
    pub(crate) parser: String,
    pub(crate) warnings: Vec<String>,
}

/// The first fields of a [`DocumentRow`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DocumentHead {
    pub(crate) id: DocumentId,
    pub(crate) added_at: u64,
    pub(crate) language: Option<String>,
}

impl DocumentHead {
    /// The head of an encoded [`DocumentRow`].
    pub(crate) fn decode(row: &[u8]) -> Result<Self> {
        Ok(postcard::take_from_bytes(row)?.0)
    }
}

/// A place that a document came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SourceRow {
    pub(crate) removed_at: Option<u64>,
    /// Where the file is, if the store keeps no copy.
    pub(crate) link: Option<Link>,
}

/// A file that the store does not keep, as it was when it was added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    pub(crate) modified: Option<SystemTime>,
}

/// The number of a view in keys.
pub(crate) const fn view_code(view: View) -> u8 {
    match view {
        View::Evidence => 0,
        View::Chunks => 1,
        View::Relations => 2,
    }
}

/// The view of a number.
pub(crate) fn view_of(code: u8) -> Result<View> {
    match code {
        0 => Ok(View::Evidence),
        1 => Ok(View::Chunks),
        2 => Ok(View::Relations),
        _ => Err(StoreError::damaged(
            Part::Truth,
            format!("unknown view {code}"),
        )),
    }
}

pub(crate) fn encode(value: &impl Serialize) -> Result<Vec<u8>> {
    Ok(postcard::to_stdvec(value)?)
}

pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    Ok(postcard::from_bytes(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Made;
    use catena_document::ContentHash;

    /// Where these hashes change, stores that were written before cannot be read any more: then
    /// [`FORMAT`](crate::layout::FORMAT) must change.
    #[test]
    fn the_bytes_of_rows_stay_the_same() {
        let made = Made::new(1, 1, 5);
        let row = DocumentRow {
            head: DocumentHead {
                id: made.document.id,
                added_at: 3,
                language: Some("en".into()),
            },
            title: "Title".into(),
            media_type: MediaType::Markdown,
            pages: 1,
            nodes: 2,
            parser: "p".into(),
            warnings: vec!["w".into()],
        };
        let source = SourceRow {
            removed_at: Some(7),
            link: None,
        };
        let hash = |bytes: Result<Vec<u8>>| ContentHash::of(&bytes.unwrap()).short();
        let hashes = [
            ("nodes", hash(encode(&made.document.nodes))),
            ("pages", hash(encode(&made.document.pages))),
            ("units", hash(encode(&made.views[0].units))),
            ("edges", hash(encode(&made.edges))),
            ("document", hash(encode(&row))),
            ("source", hash(encode(&source))),
        ];
        let lines = hashes.map(|(name, hash)| format!("{name} {hash}"));
        insta::assert_snapshot!(lines.join("\n"), @"
        nodes b4742d6a3332
        pages 79a1c4f67afe
        units 98d77a488e63
        edges a01189e09ff4
        document e7d132745374
        source 534500b04330
        ");
        let head = DocumentHead::decode(&encode(&row).unwrap()).unwrap();
        assert_eq!(head, row.head);
    }
}
