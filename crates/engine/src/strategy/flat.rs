//! `flat`: fixed-size chunks of running text, BM25 and dense fused. The baseline.

use super::Strategy;
use super::fuse::{fuse, hits, hybrid};
use crate::{EngineError, Hit, Query};
use catena_document::{Modality, View};
use catena_index::{FieldWeights, Snapshot};

/// Chunks have no fields but their words.
const WEIGHTS: FieldWeights = FieldWeights {
    content: 1.0,
    caption: 0.0,
    path: 0.0,
    context: 0.0,
};

/// All chunks are text.
const CHUNKS: &[Modality] = &[Modality::Text];

pub(super) struct Flat;

impl Strategy for Flat {
    fn name(&self) -> &'static str {
        "flat"
    }

    fn view(&self) -> View {
        View::Chunks
    }

    fn retrieve(&self, snapshot: &Snapshot, query: &Query) -> Result<Vec<Hit>, EngineError> {
        // All chunks are text: they get the figures' budget as well.
        let budget = query.retrieval.text_budget + query.retrieval.visual_budget;
        let k = (budget * 4).max(50);
        let stages = hybrid(snapshot, query, (self.view(), WEIGHTS), &[CHUNKS], k)?;
        let mut fused = fuse(&stages);
        fused.truncate(budget);
        hits(snapshot, fused)
    }
}
