//! `topology`: recovers how the evidence for a question hangs together.
//!
//! Hybrid search finds what looks like the question. From there evidence is chosen unit by unit:
//! a unit counts for how well it matches, for the words of the question that nothing chosen
//! covers yet, and for what ties it to a unit already chosen. So the unit that only a name found
//! on the way leads to is reached (a bridge), and the parts of a question each get their evidence
//! (a synthesis), by one rule. Nothing beyond the lists of the first units' anchors is read.

mod asked;
mod links;
mod select;

pub(super) use links::references;

use super::Strategy;
use super::hierarchy::found;
use crate::{EngineError, Hit, Query};
use catena_document::View;
use catena_index::Snapshot;

pub(super) struct Topology;

impl Strategy for Topology {
    fn name(&self) -> &'static str {
        "topology"
    }

    fn view(&self) -> View {
        View::Evidence
    }

    fn retrieve(&self, snapshot: &Snapshot, query: &Query) -> Result<Vec<Hit>, EngineError> {
        let fused = found(snapshot, query)?;
        let _span = tracing::debug_span!("topology", found = fused.len()).entered();
        select::select(snapshot, query, fused)
    }
}
