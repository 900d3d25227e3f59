//! Fusing the rankings of several stages into one.

use crate::{EngineError, Hit, Query, Role, StageScore};
use catena_document::{Modality, View};
use catena_index::{FieldWeights, Snapshot, TextQuery, UnitKey};
use std::collections::HashMap;

/// A ranking of one stage, best first.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) ranking: Vec<(UnitKey, f32)>,
}

impl Stage {
    /// Rankings of several groups as one: their scores are of one kind.
    fn of(name: &'static str, mut ranking: Vec<(UnitKey, f32)>) -> Self {
        ranking.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Self { name, ranking }
    }
}

/// A unit with its fused score.
pub(super) struct Fused {
    pub(super) key: UnitKey,
    pub(super) score: f32,
    pub(super) scores: Vec<StageScore>,
}

/// Relative-score fusion: a unit's score, 0 to 1, is the mean over the stages of its value between
/// the least and the greatest of the stage; a stage that did not find it gives 0. It keeps how far
/// a stage's best is ahead, which ranks alone lose (Bruch et al. 2023, convex combination).
pub(super) fn fuse(stages: &[Stage]) -> Vec<Fused> {
    let mut found: HashMap<UnitKey, Fused> = HashMap::new();
    for stage in stages {
        let values = || stage.ranking.iter().map(|&(_, value)| value);
        let greatest = values().fold(f32::NEG_INFINITY, f32::max);
        let least = values().fold(f32::INFINITY, f32::min);
        for (&(key, value), rank) in stage.ranking.iter().zip(1_u32..) {
            let relative = if greatest > least {
                (value - least) / (greatest - least)
            } else {
                1.0
            };
            let fused = found.entry(key).or_insert_with(|| Fused {
                key,
                score: 0.0,
                scores: Vec::new(),
            });
            fused.score += relative / stages.len() as f32;
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

/// The two stages of hybrid search, BM25 and dense, at most `k` units of each group of
/// modalities.
pub(super) fn hybrid(
    snapshot: &Snapshot,
    query: &Query,
    (view, weights): (View, FieldWeights),
    groups: &[&[Modality]],
    k: usize,
) -> Result<[Stage; 2], EngineError> {
    let filter = &query.retrieval.filter;
    let text = TextQuery {
        text: query.text.clone(),
        weights,
    };
    let words = {
        let _span = tracing::debug_span!("bm25").entered();
        snapshot.search_text_by(&text, view, filter, groups, k)?
    };
    let dense = {
        let _span = tracing::debug_span!("dense").entered();
        let vector = (query.space.as_str(), query.vector.as_slice());
        snapshot.search_vectors_by(vector, view, filter, groups, k)?
    };
    let dense = dense.into_iter().flatten();
    Ok([
        Stage::of("bm25", words.into_iter().flatten().collect()),
        Stage::of("dense", dense.map(|(key, _, score)| (key, score)).collect()),
    ])
}

/// The units of fused rankings as hits.
pub(super) fn hits(snapshot: &Snapshot, fused: Vec<Fused>) -> Result<Vec<Hit>, EngineError> {
    let _span = tracing::debug_span!("resolve", units = fused.len()).entered();
    let hits = fused.into_iter().map(|fused| hit(snapshot, fused));
    hits.collect()
}

/// A unit as a hit that its own words have led to.
pub(super) fn hit(snapshot: &Snapshot, fused: Fused) -> Result<Hit, EngineError> {
    Ok(Hit {
        key: fused.key,
        unit: snapshot.resolve(fused.key)?,
        score: fused.score,
        scores: fused.scores,
        role: Role::Direct,
        via: None,
        facets: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fused_scores_are_means_of_relative_scores() {
        let key = |ordinal| UnitKey {
            seq: 1,
            view: View::Evidence,
            ordinal,
        };
        let check = |stages: &[&[(u32, f32)]], expected: &[(u32, f32)]| {
            let stages: Vec<Stage> = stages
                .iter()
                .map(|ranking| Stage {
                    name: "stage",
                    ranking: ranking.iter().map(|&(n, value)| (key(n), value)).collect(),
                })
                .collect();
            let found: Vec<(u32, f32)> = fuse(&stages)
                .iter()
                .map(|fused| (fused.key.ordinal, fused.score))
                .collect();
            assert_eq!(found, expected, "{stages:?}");
        };
        check(&[], &[]);
        check(&[&[(1, 3.0)]], &[(1, 1.0)]);
        check(
            &[&[(1, 8.0), (2, 4.0), (3, 0.0)]],
            &[(1, 1.0), (2, 0.5), (3, 0.0)],
        );
        // The first is far ahead in one stage and last in the other; 4 is in one stage only.
        check(
            &[
                &[(1, 10.0), (2, 4.0), (3, 2.0)],
                &[(2, 0.75), (3, 0.5), (4, 0.5), (1, 0.25)],
            ],
            &[(2, 0.625), (1, 0.5), (3, 0.25), (4, 0.25)],
        );
    }
}
