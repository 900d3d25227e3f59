//! Fusing the rankings of several stages into one.

use crate::{EngineError, Hit, Query, StageScore};
use catena_document::{Modality, View};
use catena_index::{FieldWeights, Filter, Snapshot, TextQuery, UnitKey};
use std::collections::HashMap;

/// The constant of reciprocal rank fusion (Cormack et al. 2009).
const RRF: f32 = 60.0;

/// A ranking of one stage, best first.
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) ranking: Vec<(UnitKey, f32)>,
}

/// A unit with its fused score.
pub(super) struct Fused {
    pub(super) key: UnitKey,
    pub(super) score: f32,
    pub(super) scores: Vec<StageScore>,
}

/// Reciprocal rank fusion: a unit's score is the sum of 1 / (60 + rank) over the stages.
pub(super) fn fuse(stages: &[Stage]) -> Vec<Fused> {
    let mut found: HashMap<UnitKey, Fused> = HashMap::new();
    for stage in stages {
        for (&(key, value), rank) in stage.ranking.iter().zip(1_u32..) {
            let fused = found.entry(key).or_insert_with(|| Fused {
                key,
                score: 0.0,
                scores: Vec::new(),
            });
            fused.score += 1.0 / (RRF + rank as f32);
            fused.scores.push(StageScore {
                stage: stage.name,
                value,
                rank,
            });
        }
    }
    let mut out: Vec<Fused> = found.into_values().collect();
    out.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    out
}

/// The two stages of hybrid search, BM25 and dense, at most `k` units each.
pub(super) fn hybrid(
    snapshot: &Snapshot,
    query: &Query,
    view: View,
    weights: FieldWeights,
    modalities: Option<&[Modality]>,
    k: usize,
) -> Result<[Stage; 2], EngineError> {
    let mut filter: Filter = query.retrieval.filter.clone();
    if let Some(wanted) = modalities {
        let both = |have: Vec<Modality>| have.into_iter().filter(|m| wanted.contains(m)).collect();
        filter.modalities = Some(filter.modalities.map_or_else(|| wanted.to_vec(), both));
    }
    let text = TextQuery {
        text: query.text.clone(),
        weights,
    };
    let words = {
        let _span = tracing::debug_span!("bm25").entered();
        snapshot.search_text(&text, view, &filter, k)?
    };
    let dense = {
        let _span = tracing::debug_span!("dense").entered();
        snapshot.search_vectors(&query.space, view, &query.vector, &filter, k)?
    };
    Ok([
        Stage {
            name: "bm25",
            ranking: words,
        },
        Stage {
            name: "dense",
            ranking: dense
                .into_iter()
                .map(|(key, _, score)| (key, score))
                .collect(),
        },
    ])
}

/// The units of fused rankings as hits.
pub(super) fn hits(snapshot: &Snapshot, fused: Vec<Fused>) -> Result<Vec<Hit>, EngineError> {
    let _span = tracing::debug_span!("resolve", units = fused.len()).entered();
    fused
        .into_iter()
        .map(|fused| {
            Ok(Hit {
                key: fused.key,
                unit: snapshot.resolve(fused.key)?,
                score: fused.score,
                scores: fused.scores,
            })
        })
        .collect()
}
