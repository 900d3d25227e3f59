//! One directory on disk that holds a collection of documents.
//!
//! What is stored, and where:
//!
//! | file | what |
//! |---|---|
//! | `truth.redb` | the truth: trees, units, edges, vectors, sources ([redb]) |
//! | `text/` | derived: the full-text index, BM25 ([tantivy]) |
//! | `vectors/` | derived: int8 vectors to scan, and a manifest |
//! | `sources/` | the files of documents and their images, by hash |
//! | `cache/` | rendered pages, may vanish at any time |
//! | `catena-store`, `writer.lock` | the format; who writes |
//!
//! One process has a [`Writer`]; any number have a [`Store`] and take [`Snapshot`]s of it. A
//! snapshot shows exactly what one commit left behind and never changes; neither side waits for
//! the other. A document is whole or absent, also after the process is killed. The module
//! `protocol` says how, and why that is so.
//!
//! This crate runs no model: vectors arrive as data, in *spaces* that have a name and a
//! dimension.
//!
//! ```no_run
//! # fn example(new: catena_index::NewDocument<'_>) -> catena_index::Result<()> {
//! let mut writer = catena_index::Writer::open(".catena")?;
//! writer.add(new)?;
//! writer.commit()?;
//!
//! let store = catena_index::Store::open(".catena")?;
//! let snapshot = store.snapshot()?;
//! for document in snapshot.documents()? {
//!     let units = snapshot.units(&document.id, catena_document::View::Evidence)?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [redb]: https://docs.rs/redb
//! [tantivy]: https://docs.rs/tantivy

mod analyse;
mod anchor_search;
mod blocks;
mod catalogue;
mod check;
mod database;
mod derive;
mod dump;
mod edit;
mod error;
mod filter;
mod group;
mod input;
mod layout;
mod lock;
mod near_spelling;
mod protocol;
mod render_cache;
mod snapshot;
mod sources;
mod statistics;
mod store;
mod tables;
mod text_index;
mod text_reader;
mod text_search;
mod top;
mod truth;
mod vector_scan;
mod vector_segment;
mod vector_store;
mod writer;

#[cfg(test)]
extern crate self as catena_index;
#[cfg(test)]
mod model_test;
#[cfg(test)]
#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

pub use anchor_search::{AnchorIndex, NamedSubject, QuestionTerm, Tied, UnitAnchors};
pub use check::Difference;
pub use error::{Cause, Part, Result, StoreError};
pub use filter::Filter;
pub use input::{InputHash, NewDocument, NewVector, NewVectors, NewView, SourceFile, UnitKey};
pub use render_cache::RenderCache;
pub use snapshot::{DocumentSummary, Snapshot, SpaceSummary};
pub use statistics::{Sizes, Statistics, VectorStatistics};
pub use store::Store;
pub use text_search::{FieldWeights, TextQuery};
pub use writer::{Added, Change, Compacted, Writer};
