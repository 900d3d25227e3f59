//! What is asked of a store, and what comes back.

use crate::EngineError;
use catena_document::{EvidenceUnit, Relation};
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
    /// What it is for in the answer.
    pub role: Role,
    /// How it was reached, where not by its own words alone.
    pub via: Option<Via>,
    /// The words of the question that it covers and no hit before it does as well.
    pub facets: Vec<String>,
}

/// What a unit is for in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It answers by itself, or a part of the question.
    Direct,
    /// It resolves what the question describes; the answer stands elsewhere.
    Bridge,
    /// It tells of what a bridge has resolved.
    Target,
    /// It speaks of a figure or table that was found, or stands beside what was found.
    Support,
}

impl Role {
    /// Its name in output: `direct`, `bridge`, `target`, `support`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Bridge => "bridge",
            Self::Target => "target",
            Self::Support => "support",
        }
    }
}

/// The edge by which a unit was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Via {
    /// The unit that leads to it.
    pub from: UnitKey,
    /// What ties the two.
    pub tie: Tie,
    /// How strongly, 0 to 1.
    pub weight: f32,
}

/// What ties two units.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tie {
    /// Both name it, or one is about it; as the first of the two words it.
    Anchor(String),
    /// A relation of each has a name in common, and the two together say what is asked.
    Relation {
        /// The name, as the first of them words it.
        anchor: String,
        /// What is stated of the first and of the second unit.
        stated: [Relation; 2],
    },
    /// One names the other by its label: "see Figure 3".
    Reference,
    /// One stands beside the other, in reading order.
    Neighbour,
}

impl Tie {
    /// What both name, where that ties them.
    pub fn anchor(&self) -> Option<&str> {
        match self {
            Self::Anchor(anchor) | Self::Relation { anchor, .. } => Some(anchor),
            Self::Reference | Self::Neighbour => None,
        }
    }

    /// Its name in output: `anchor`, `relation`, `reference` or `neighbour`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Anchor(_) => "anchor",
            Self::Relation { .. } => "relation",
            Self::Reference => "reference",
            Self::Neighbour => "neighbour",
        }
    }
}

/// How the evidence for an answer hangs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// One unit answers.
    Single,
    /// One unit resolves what another answers about.
    Bridge,
    /// Several units answer a part each.
    Synthesis,
}

impl Topology {
    /// Its name in output: `single`, `bridge`, `synthesis`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Bridge => "bridge",
            Self::Synthesis => "synthesis",
        }
    }

    /// How hits hang together, by the first of them: a bridge with its target makes a chain,
    /// several that each cover something of the question that no other does a synthesis.
    pub fn of(hits: &[Hit]) -> Self {
        /// How many hits decide.
        const FIRST: usize = 5;
        let first = &hits[..hits.len().min(FIRST)];
        if first.iter().any(|hit| hit.role == Role::Target) {
            Self::Bridge
        } else if first.iter().filter(|hit| !hit.facets.is_empty()).count() > 1 {
            Self::Synthesis
        } else {
            Self::Single
        }
    }
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
