//! `topology`: recovers how the evidence for a question hangs together.
//!
//! Hybrid search finds what looks like the question. From there evidence is chosen unit by unit:
//! a unit counts for how well it matches, for the words of the question that nothing chosen
//! covers yet, and for what ties it to a unit already chosen. So the unit that only a name found
//! on the way leads to is reached (a bridge), and the parts of a question each get their evidence
//! (a synthesis), by one rule. Nothing beyond the lists of the first units' anchors is read.

mod asked;
mod links;
mod relations;
mod select;

pub(super) use links::references;

use super::Strategy;
use super::hierarchy::found;
use crate::{EngineError, Hit, Query};
use catena_document::View;
use catena_index::Snapshot;

/// The strategy, whole or without a part.
pub(super) struct Topology {
    without: Option<Part>,
}

/// A part of the strategy that can be left out, to measure what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Ties by anchors.
    Anchors,
    /// Ties by references.
    References,
    /// Ties by relations, where the store has some.
    Relations,
    /// Ties to what stands beside.
    Neighbours,
    /// Units about what the question names.
    Subjects,
    /// Units that the question names by their label.
    Labels,
    /// The kind of evidence that the question asks for.
    Kinds,
    /// What nothing chosen covers yet.
    Coverage,
}

/// The whole strategy.
pub(super) const WHOLE: Topology = Topology { without: None };

/// The strategy without each of its parts.
pub(super) const ABLATIONS: [&dyn Strategy; 8] = [
    &without(Part::Anchors),
    &without(Part::References),
    &without(Part::Relations),
    &without(Part::Neighbours),
    &without(Part::Subjects),
    &without(Part::Labels),
    &without(Part::Kinds),
    &without(Part::Coverage),
];

const fn without(part: Part) -> Topology {
    Topology {
        without: Some(part),
    }
}

impl Strategy for Topology {
    fn name(&self) -> &'static str {
        match self.without {
            None => "topology",
            Some(Part::Anchors) => "topology-without-anchors",
            Some(Part::References) => "topology-without-references",
            Some(Part::Relations) => "topology-without-relations",
            Some(Part::Neighbours) => "topology-without-neighbours",
            Some(Part::Subjects) => "topology-without-subjects",
            Some(Part::Labels) => "topology-without-labels",
            Some(Part::Kinds) => "topology-without-kinds",
            Some(Part::Coverage) => "topology-without-coverage",
        }
    }

    fn view(&self) -> View {
        View::Evidence
    }

    fn retrieve(&self, snapshot: &Snapshot, query: &Query) -> Result<Vec<Hit>, EngineError> {
        let fused = found(snapshot, query)?;
        let _span = tracing::debug_span!("topology", found = fused.len()).entered();
        select::select(snapshot, query, fused, self.without)
    }
}
