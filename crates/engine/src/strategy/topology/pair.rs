//! How near a question is to two pieces of evidence together.
//!
//! "Who is the wife of the director of X?" is like neither "X was directed by Y" nor "Y is married
//! to Z", but like both together. So a pair is compared with the question as a whole, by the sum
//! of the two vectors.

use crate::{EngineError, Query};
use catena_index::{Snapshot, UnitKey};

/// The cosine below which question and pair have nothing to do with each other.
const UNLIKE: f32 = 0.3;

/// The vectors of a unit in the query's space, one for each part of it.
pub(super) type Parts = Vec<Vec<f32>>;

/// The vectors of units.
pub(super) fn parts(
    snapshot: &Snapshot,
    query: &Query,
    units: &[UnitKey],
) -> Result<Vec<Parts>, EngineError> {
    if units.is_empty() {
        return Ok(Vec::new());
    }
    Ok(snapshot.vectors_of(&query.space, units)?)
}

/// How much nearer the question is to two units together than to what is unlike it, 0 to 0.7: the
/// cosine of the question with the sum of a part of each, for the best two.
pub(super) fn nearness(question: &[f32], first: &Parts, second: &Parts) -> f32 {
    let mut best = UNLIKE;
    for a in first {
        for b in second {
            // Both have length 1.
            let length = (2.0 + 2.0 * dot(a, b)).max(1e-6).sqrt();
            best = best.max((dot(question, a) + dot(question, b)) / length);
        }
    }
    best - UNLIKE
}

/// How near the question is to a unit: the cosine of its best part.
pub(super) fn likeness(question: &[f32], unit: &Parts) -> f32 {
    let all = unit.iter().map(|part| dot(question, part));
    all.fold(0.0, f32::max)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_near_where_neither_is() {
        let check = |first: &[[f32; 3]], second: &[[f32; 3]], expected: f32| {
            let parts = |all: &[[f32; 3]]| all.iter().map(|part| part.to_vec()).collect();
            let question = [0.8, 0.6, 0.0];
            let found = nearness(&question, &parts(first), &parts(second));
            assert!(
                (found - expected).abs() < 1e-5,
                "{first:?} {second:?}: {found}"
            );
        };
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        // The best single part has 0.8.
        check(&[x], &[y], 1.4 / 2.0_f32.sqrt() - UNLIKE);
        check(&[z, x], &[z, y], 1.4 / 2.0_f32.sqrt() - UNLIKE);
        check(&[x], &[x], 0.8 - UNLIKE);
        check(&[z], &[z], 0.0);
        check(&[x], &[[-1.0, 0.0, 0.0]], 0.0);
        check(&[], &[y], 0.0);
    }
}
