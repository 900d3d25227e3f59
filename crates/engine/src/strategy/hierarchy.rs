//! `hierarchy`: HAM-RAG's retrieval over evidence units. Text and visual evidence under separate
//! budgets, BM25F and dense vectors of the field-structured text, fused.

use super::Strategy;
use super::budget::Budget;
use super::fuse::{Fused, fuse, hits, hybrid};
use crate::{EngineError, Hit, Query};
use catena_document::{Modality, View};
use catena_index::{FieldWeights, Snapshot};

/// What a match in each field counts: what stands over a unit is as good as its own words; what
/// stands around it only breaks ties.
const WEIGHTS: FieldWeights = FieldWeights {
    content: 1.0,
    caption: 1.0,
    path: 1.0,
    context: 0.1,
};

const TEXT: &[Modality] = &[Modality::Text, Modality::Formula];
const VISUAL: &[Modality] = &[Modality::Table, Modality::Figure];

pub(super) struct Hierarchy;

impl Strategy for Hierarchy {
    fn name(&self) -> &'static str {
        "hierarchy"
    }

    fn view(&self) -> View {
        View::Evidence
    }

    fn retrieve(&self, snapshot: &Snapshot, query: &Query) -> Result<Vec<Hit>, EngineError> {
        let mut left = Budget::of(&query.retrieval);
        let mut kept = Vec::new();
        for found in found(snapshot, query)? {
            if left.is_spent() {
                break;
            }
            if left.take(snapshot.unit(found.key)?.modality) {
                kept.push(found);
            }
        }
        hits(snapshot, kept)
    }
}

/// All that hybrid search under both budgets finds, fused, the best first.
pub(super) fn found(snapshot: &Snapshot, query: &Query) -> Result<Vec<Fused>, EngineError> {
    let retrieval = &query.retrieval;
    let budgets = [
        (TEXT, retrieval.text_budget),
        (VISUAL, retrieval.visual_budget),
    ];
    let wanted = || budgets.iter().filter(|(_, budget)| *budget > 0);
    let groups: Vec<&[Modality]> = wanted().map(|&(group, _)| group).collect();
    let Some(most) = wanted().map(|&(_, budget)| budget).max() else {
        return Ok(Vec::new());
    };
    let k = (most * 4).max(50);
    let stages = hybrid(snapshot, query, (View::Evidence, WEIGHTS), &groups, k)?;
    Ok(fuse(&stages))
}
