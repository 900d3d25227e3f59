//! How well are documents read, evidence found and questions answered?
//!
//! An evaluation reads a data set as it was published, builds the stores that it needs in its work
//! folder, asks every question of every system, and gives a [`Report`]: [`Report::to_json`] for
//! programs, [`Report::table`] for people. [`mmdocir`] asks for pages and regions of long
//! documents, [`multihop`] for the passages that a question needs together, [`placement`] for
//! answers with the images and steps of HTML pages, [`attacks`] whether instructions in documents
//! alter answers. [`parse`] asks no question: it compares how documents are read with gold that
//! stands beside them.
//!
//! What is costly is kept in the work folder and used again: parsed documents with their indexes
//! in `stores/`, and in `embeddings/` every vector by the text that it is of, so that no text is
//! embedded twice even where a new parser cuts documents anew. What a [`CachedGenerator`] answered
//! is there too.
//!
//! A run file ([`EvalOptions::run`]) has a [`Record`] a line, with what was found for every
//! question; a later run can be compared with it ([`EvalOptions::compare`]).

mod answer_cache;
mod answering;
mod area;
mod attacks;
mod embedding_cache;
mod error;
mod evaluation;
mod markup;
mod metric;
mod mmdocir;
mod multihop;
mod options;
mod parse;
mod placement;
mod ranking;
mod record;
mod report;
mod statistics;
mod store;
mod table;
mod text;
mod vision_cache;

pub use answer_cache::CachedGenerator;
pub use attacks::attacks;
pub use error::EvalError;
pub use metric::Metric;
pub use mmdocir::{mmdocir, mmdocir_answers};
pub use multihop::{Dataset, multihop};
pub use options::{Answering, EvalOptions, Progress, Step, Tools, default_work_folder};
pub use parse::{Check, CheckOptions, parse};
pub use placement::placement;
pub use record::{Places, Record, RecordedHit, RecordedScore, Region};
pub use report::{Comparison, Failure, Report, SystemReport};
pub use statistics::{Estimate, PairedDifference};
