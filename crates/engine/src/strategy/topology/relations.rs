//! Ties by relations: two statements with a name in common that together say what is asked.

use super::pair::{Parts, likeness, nearness, parts};
use crate::{EngineError, Query, Tie};
use catena_document::Relation;
use catena_index::{AnchorIndex, QuestionTerm, Snapshot, UnitKey};
use std::collections::HashMap;

/// Relations of a chosen unit that are followed, those nearest the question.
const FOLLOWED: usize = 10;
/// A name with more relations than this distinguishes nothing.
const MOST: usize = 200;
/// Units that the relations of one lead to, at most.
const TIED: usize = 50;

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
            let mut others = index.related(&form, MOST)?.unwrap_or_default();
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

/// The best pair for each unit that pairs lead to.
fn paths_of(
    snapshot: &Snapshot,
    index: &AnchorIndex<'_>,
    from: UnitKey,
    pairs: Vec<Pair<'_>>,
) -> Result<Vec<Path>, EngineError> {
    let mut out: HashMap<UnitKey, Path> = HashMap::new();
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
        if to == from || out.contains_key(&to) || !index.passes(to)? {
            continue;
        }
        let tie = Tie::Relation {
            anchor: pair.anchor.to_owned(),
            stated: [pair.own.clone(), stated],
        };
        let weight = pair.weight;
        out.insert(to, Path { to, tie, weight });
    }
    let mut out: Vec<Path> = out.into_values().collect();
    out.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.to.cmp(&b.to)));
    Ok(out)
}
