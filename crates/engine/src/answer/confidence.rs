//! How likely the evidence answers a question.

use super::select::Passage;
use crate::{EngineError, Hit, Query};
use catena_document::{is_function_word, words};
use catena_index::{Snapshot, UnitKey};

/// What the evidence shows of whether it answers, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Signals {
    /// The cosine of the question with the nearest passage.
    nearest: f32,
    /// The cosine of the question with the nearest unit that retrieval found.
    found: f32,
    /// The best score of a passage, of meaning and words.
    best: f32,
    /// The share of the question's words, weighed by how rare they are, that stand in the hit that
    /// has most of them.
    together: f32,
    /// The same share in all hits.
    gathered: f32,
    /// The share of the question's words that no unit of the store has.
    absent: f32,
}

/// The weights of the signals, and what is added: fitted by logistic regression.
const WEIGHTS: [f32; 6] = [3.0, 6.0, 2.0, 2.0, 0.0, -2.0];
const BIAS: f32 = -4.0;

/// How likely the evidence answers a question, 0 to 1.
pub(super) fn confidence(
    snapshot: &Snapshot,
    query: &Query,
    hits: &[Hit],
    passages: &[Passage],
) -> Result<f32, EngineError> {
    let signals = Signals::of(snapshot, query, hits, passages)?;
    let Signals {
        nearest,
        found,
        best,
        together,
        gathered,
        absent,
    } = signals;
    tracing::debug!(nearest, found, best, together, gathered, absent, "signals");
    let signals = [nearest, found, best, together, gathered, absent];
    let weighed = signals
        .iter()
        .zip(WEIGHTS)
        .map(|(signal, weight)| signal * weight);
    Ok(1.0 / (1.0 + (-(weighed.sum::<f32>() + BIAS)).exp()))
}

impl Signals {
    fn of(
        snapshot: &Snapshot,
        query: &Query,
        hits: &[Hit],
        passages: &[Passage],
    ) -> Result<Self, EngineError> {
        let index = snapshot.anchor_index(&query.retrieval.filter)?;
        let terms = index.question_terms(&query.text)?;
        let keys: Vec<UnitKey> = hits.iter().map(|hit| hit.key).collect();
        let coverage = index.coverage(&keys, &terms)?;
        let all: f32 = terms.iter().map(|term| term.idf).sum();
        let share = |has: &dyn Fn(usize) -> bool| {
            let had = terms.iter().enumerate().filter(|(at, _)| has(*at));
            if all > 0.0 {
                had.map(|(_, term)| term.idf).sum::<f32>() / all
            } else {
                0.0
            }
        };
        let together = coverage.iter().map(|hit| share(&|at| hit[at] > 0.0));
        let dense = hits.iter().flat_map(|hit| &hit.scores);
        let dense = dense
            .filter(|score| score.stage == "dense")
            .map(|score| score.value);
        let mut told = 0;
        let mut unknown = 0;
        for at in words(&query.text) {
            let word = &query.text[at];
            if !is_function_word(word) {
                told += 1;
                unknown += usize::from(!index.is_known(word)?);
            }
        }
        Ok(Self {
            nearest: passages
                .iter()
                .map(|passage| passage.nearness)
                .fold(0.0, f32::max),
            found: dense.fold(0.0, f32::max),
            best: passages.first().map_or(0.0, |passage| passage.score),
            together: together.fold(0.0, f32::max),
            gathered: share(&|at| coverage.iter().any(|hit| hit[at] > 0.0)),
            absent: if told > 0 {
                unknown as f32 / told as f32
            } else {
                0.0
            },
        })
    }
}
