//! How do documents get into a store, and how do questions get their answers?
//!
//! Adding: [`add_file`] reads a file, cuts it into units, embeds what is new, and hands all of it
//! to the store's writer. Asking is a chain of public steps: [`embed_query`], then
//! [`retrieve`], by a [`Strategy`] alone or with a plan, then [`context`], then [`answer_with_evidence`] or
//! [`answer_with_model`]; [`ask`] composes them. Each step takes plain data and gives new plain
//! data; none calls an earlier one.
//!
//! This crate prints nothing, and knows no wire format but that of the language models that it
//! calls.

mod add;
mod answer;
mod ask;
mod context;
mod conversation;
mod enrich;
mod error;
mod picture;
mod plan;
mod prompts;
mod query;
mod seen;
mod strategy;
mod view;

pub use add::{AddOptions, Adding, FileToAdd, Outcome, Stage, add_document, add_file};
pub use answer::{
    Answer, AnswerOutcome, Block, Checks, Citation, EvidenceLimits, Generation, Statement, Support,
    Writing, answer_by_rules, answer_with_evidence, answer_with_model,
};
pub use ask::{Asking, Mode, ask};
pub use context::{Context, ContextBlock, context};
pub use conversation::{Turn, understand};
pub use enrich::{
    Enriched, Enriching, EnrichmentPlan, Spent, describe, extract, plan_descriptions,
    plan_extraction,
};
pub use error::EngineError;
pub use picture::{page_png, unit_png};
pub use plan::{Found, PartState, Plan, Planner, SubQuestion, retrieve};
pub use prompts::Prompts;
pub use query::{Hit, Query, Retrieval, Role, StageScore, Tie, Topology, Via, embed_query};
pub use strategy::{ABLATIONS, STRATEGIES, Strategy, by_name};
pub use view::{add_relations, chunk_units, ensure_view, reindex_view};
