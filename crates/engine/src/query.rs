//! What is asked of a store, and what comes back.

use crate::EngineError;
use catena_document::EvidenceUnit;
use catena_index::{Filter, UnitKey};
use catena_models::Embedder;

/// A question as the strategies get it.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its words.
    pub text: String,
    /// Its vector, of length 1.
    pub vector: Vec<f32>,
    /// The space of that vector.
    pub space: String,
    /// What may be found.
    pub retrieval: Retrieval,
}

/// How much may be found, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retrieval {
    /// `k_t`: at most so many units of text.
    pub text_budget: usize,
    /// `k_v`: at most so many figures and tables.
    pub visual_budget: usize,
    /// Where to look.
    pub filter: Filter,
}

impl Default for Retrieval {
    fn default() -> Self {
        Self {
            text_budget: 8,
            visual_budget: 4,
            filter: Filter::default(),
        }
    }
}

/// Embeds a question.
///
/// # Errors
/// Where the model fails.
pub fn embed_query(
    text: &str,
    embedder: &dyn Embedder,
    retrieval: Retrieval,
) -> Result<Query, EngineError> {
    let _span = tracing::debug_span!("embed_query").entered();
    let vector = embedder.embed(&[text])?.pop().unwrap_or_default();
    Ok(Query {
        text: text.to_owned(),
        vector,
        space: embedder.space().name.clone(),
        retrieval,
    })
}

/// A unit found, with how it was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its name in the store.
    pub key: UnitKey,
    /// The unit with its provenance and its local relation.
    pub unit: EvidenceUnit,
    /// The score that hits are ordered by; comparable within one result only.
    pub score: f32,
    /// What each stage gave it.
    pub scores: Vec<StageScore>,
}

/// What a stage of retrieval gave a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageScore {
    /// The stage: `bm25`, `dense`.
    pub stage: &'static str,
    /// Its own score, e.g. a cosine.
    pub value: f32,
    /// The place in the stage's ranking, from 1.
    pub rank: u32,
}
