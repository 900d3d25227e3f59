//! `hierarchy`: HAM-RAG's retrieval over evidence units. Text and visual evidence under separate
//! budgets, BM25F and dense vectors of the field-structured text, fused.

use super::Strategy;
use super::fuse::{Fused, Stage, fuse, hits, hybrid};
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
        let mut fused = found(snapshot, query)?;
        let mut left = [query.retrieval.text_budget, query.retrieval.visual_budget];
        let mut kept = Vec::new();
        for found in fused.drain(..) {
            let visual = usize::from(snapshot.unit(found.key)?.modality.is_visual());
            if left[visual] > 0 {
                left[visual] -= 1;
                kept.push(found);
            }
            if left == [0, 0] {
                break;
            }
        }
        hits(snapshot, kept)
    }
}

/// All that hybrid search under both budgets finds, fused, the best first.
pub(super) fn found(snapshot: &Snapshot, query: &Query) -> Result<Vec<Fused>, EngineError> {
    let mut stages: Vec<Stage> = Vec::new();
    let retrieval = &query.retrieval;
    for (modalities, budget) in [
        (TEXT, retrieval.text_budget),
        (VISUAL, retrieval.visual_budget),
    ] {
        if budget == 0 {
            continue;
        }
        let k = (budget * 4).max(50);
        let found = hybrid(
            snapshot,
            query,
            View::Evidence,
            WEIGHTS,
            Some(modalities),
            k,
        )?;
        merge(&mut stages, found);
    }
    Ok(fuse(&stages))
}

/// Merges the rankings of text and of figures of each stage: their scores are of one kind.
fn merge(stages: &mut Vec<Stage>, found: [Stage; 2]) {
    for stage in found {
        match stages.iter_mut().find(|have| have.name == stage.name) {
            Some(have) => {
                have.ranking.extend(stage.ranking);
                have.ranking
                    .sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            }
            None => stages.push(stage),
        }
    }
}
