//! Ties by relations: two statements with a name in common that together say what is asked.
//!
//! "Who is the wife of the director of X?" is like neither "X was directed by Y" nor "Y is married
//! to Z", but like both together. So a pair is compared with the question as a whole, by the sum
//! of the two vectors.

use crate::{EngineError, Query, Tie};
use catena_document::Relation;
use catena_index::{AnchorIndex, QuestionTerm, Snapshot, UnitKey};
use catena_models::cosine;

/// Relations of a chosen unit that are followed, those nearest the question.
const FOLLOWED: usize = 10;
/// A name with more relations than this distinguishes nothing.
const MOST: usize = 200;
/// Units that the relations of one lead to, at most.
const TIED: usize = 50;
/// The cosine below which question and pair have nothing to do with each other.
const UNLIKE: f32 = 0.3;

/// A tie by a pair of relations to another unit.
pub(super) struct Path {
    pub(super) to: UnitKey,
    pub(super) tie: Tie,
    /// How near the question is to the two relations together, as [`nearness`] has it.
    pub(super) weight: f32,
}

/// A pair of relations with a name in common.
struct Pair<'a> {
    own: &'a Relation,
    anchor: &'a str,
    other: UnitKey,
    weight: f32,
}

/// The units that the relations of a unit lead to, the nearest to the question first.
pub(super) fn paths(
    snapshot: &Snapshot,
    index: &AnchorIndex<'_>,
    query: &Query,
    key: UnitKey,
    question: &[QuestionTerm],
) -> Result<Vec<Path>, EngineError> {
    let relations = snapshot.relations_of(key)?;
    let keys: Vec<UnitKey> = relations.iter().map(|&(key, _)| key).collect();
    let vectors = parts(snapshot, query, &keys)?;
    let mut own: Vec<(f32, &Relation, &Parts)> = relations
        .iter()
        .zip(&vectors)
        .map(|((_, relation), vector)| (likeness(&query.vector, vector), relation, vector))
        .collect();
    own.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    for (_, relation, vector) in own.into_iter().take(FOLLOWED) {
        for anchor in [relation.subject.as_str(), relation.object.as_str()] {
            let form = index.anchor_of(key.seq, anchor);
            // A name that the question has leads to nothing new.
            if form.is_empty() || index.is_covered(&form, question) {
                continue;
            }
            let mut others = index.related(anchor, MOST)?.unwrap_or_default();
            others.retain(|other| !keys.contains(other));
            let vectors = parts(snapshot, query, &others)?;
            pairs.extend(others.into_iter().zip(vectors).map(|(other, second)| Pair {
                own: relation,
                anchor,
                other,
                weight: nearness(&query.vector, vector, &second),
            }));
        }
    }
    pairs.retain(|pair| pair.weight > 0.0);
    pairs.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.other.cmp(&b.other)));
    paths_of(snapshot, index, key, pairs)
}

/// The best pair for each unit that pairs, the best first, lead to.
fn paths_of(
    snapshot: &Snapshot,
    index: &AnchorIndex<'_>,
    from: UnitKey,
    pairs: Vec<Pair<'_>>,
) -> Result<Vec<Path>, EngineError> {
    let mut out: Vec<Path> = Vec::new();
    for pair in pairs {
        if out.len() == TIED {
            break;
        }
        let unit = snapshot.unit(pair.other)?;
        let (Some(&node), Some(stated)) = (unit.nodes.first(), unit.stated) else {
            continue;
        };
        let Some(to) = snapshot.unit_of(pair.other.seq, from.view, node)? else {
            continue;
        };
        let is_known = to == from || out.iter().any(|path| path.to == to);
        if is_known || !index.passes(to)? {
            continue;
        }
        let tie = Tie::Relation {
            anchor: pair.anchor.to_owned(),
            stated: [pair.own.clone(), stated],
        };
        let weight = pair.weight;
        out.push(Path { to, tie, weight });
    }
    Ok(out)
}

/// The vectors of a unit in the query's space, one for each part of it.
type Parts = Vec<Vec<f32>>;

/// The vectors of units.
fn parts(snapshot: &Snapshot, query: &Query, units: &[UnitKey]) -> Result<Vec<Parts>, EngineError> {
    if units.is_empty() {
        return Ok(Vec::new());
    }
    Ok(snapshot.vectors_of(&query.space, units)?)
}

/// How much nearer the question is to two units together than to what is unlike it, 0 to 0.7: the
/// cosine of the question with the sum of a part of each, for the best two.
fn nearness(question: &[f32], first: &Parts, second: &Parts) -> f32 {
    let mut best = UNLIKE;
    for a in first {
        for b in second {
            // Both have length 1.
            let length = (2.0 + 2.0 * cosine(a, b)).max(1e-6).sqrt();
            best = best.max((cosine(question, a) + cosine(question, b)) / length);
        }
    }
    best - UNLIKE
}

/// How near the question is to a unit: the cosine of its best part.
fn likeness(question: &[f32], unit: &Parts) -> f32 {
    let all = unit.iter().map(|part| cosine(question, part));
    all.fold(0.0, f32::max)
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
