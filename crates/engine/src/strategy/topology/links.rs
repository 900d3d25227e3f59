//! What ties a chosen unit to others.

use crate::{EngineError, Tie};
use catena_document::{EvidenceUnit, NodeId};
use catena_index::{AnchorIndex, QuestionTerm, Snapshot, UnitKey};
use std::collections::{BTreeMap, BTreeSet};

/// An anchor that ties more units than this distinguishes nothing.
const MOST: usize = 60;
/// How much it ties that a unit names what the chosen one is about; one that is about what the
/// chosen one names counts 1.
const NAMES_SUBJECT: f32 = 0.5;
/// How much it ties that both name the same.
const BOTH_NAME: f32 = 0.6;
/// Each of several units that a name leads to is the less likely meant.
const CHOICES: f32 = 0.25;
/// How much a name counts that the question itself has: it leads to nothing new.
const IN_QUESTION: f32 = 0.3;
/// How much it counts that two names are spelled nearly alike.
const NEARLY: f32 = 0.8;
/// How much it ties that one unit names the other by its label.
const REFERENCE: f32 = 0.3;
/// How much it ties to stand beside, by the steps between.
const NEIGHBOUR: [f32; 2] = [0.4, 0.3];

/// A tie from a chosen unit to another.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) to: UnitKey,
    pub(super) tie: Tie,
    /// How strongly, 0 to 1.
    pub(super) weight: f32,
}

/// The ties of a unit that pass the query's filter, by anchors in all documents and by references
/// within its own.
pub(super) fn links(
    snapshot: &Snapshot,
    index: &AnchorIndex<'_>,
    (key, unit): (UnitKey, &EvidenceUnit),
    question: &[QuestionTerm],
) -> Result<Vec<Link>, EngineError> {
    let mut out = Vec::new();
    let own = index.of_unit(key, unit);
    let mut anchors: BTreeMap<String, String> = own.names;
    anchors.extend(own.subjects.clone());
    let content = &unit.content;
    for text in [Some(content.text.as_str()), content.caption.as_deref()] {
        let named = index.subjects_in(text.unwrap_or_default(), Some(key.seq))?;
        for named in named {
            anchors.entry(named.anchor).or_insert(named.wording);
        }
    }
    let units = index.len().max(4) as f32;
    for (anchor, wording) in anchors {
        let Some(mut tied) = index.units_of(&anchor, MOST)? else {
            continue;
        };
        let mut spelled = 1.0;
        if tied.iter().all(|tied| tied.key == key) {
            for near in index.near(&anchor)? {
                tied.extend(index.units_of(&near, MOST)?.unwrap_or_default());
            }
            tied.sort_unstable();
            tied.dedup_by_key(|tied| tied.key);
            spelled = NEARLY;
        }
        let others = tied.iter().filter(|tied| tied.key != key).count();
        if others == 0 {
            continue;
        }
        let rarity = (units / (others + 1) as f32).ln() / (units / 2.0).ln();
        let subjects = tied.iter().filter(|tied| tied.is_subject).count() as f32;
        let is_own_subject = own.subjects.contains_key(&anchor);
        let known = if index.is_covered(&anchor, question) {
            IN_QUESTION
        } else {
            1.0
        };
        let choices = (others as f32).powf(-CHOICES);
        for other in tied.iter().filter(|tied| tied.key != key) {
            let kind = match (is_own_subject, other.is_subject) {
                // Of the same section: nothing is bridged.
                (true, true) => continue,
                (false, true) => subjects.sqrt().recip(),
                (true, false) => NAMES_SUBJECT * choices,
                (false, false) => BOTH_NAME * choices,
            };
            out.push(Link {
                to: other.key,
                tie: Tie::Anchor(wording.clone()),
                weight: (rarity * kind * known * spelled).clamp(0.0, 1.0),
            });
        }
    }
    for to in references(snapshot, key)? {
        if !index.passes(to)? {
            continue;
        }
        out.push(Link {
            to,
            tie: Tie::Reference,
            weight: REFERENCE,
        });
    }
    for (weight, step) in NEIGHBOUR.into_iter().zip(1_u32..) {
        let beside = [key.ordinal.checked_sub(step), key.ordinal.checked_add(step)];
        for ordinal in beside.into_iter().flatten() {
            let to = UnitKey { ordinal, ..key };
            if index.passes(to)? {
                out.push(Link {
                    to,
                    tie: Tie::Neighbour,
                    weight,
                });
            }
        }
    }
    Ok(out)
}

/// The units that a unit names by their labels, and those that name it.
pub(in crate::strategy) fn references(
    snapshot: &Snapshot,
    key: UnitKey,
) -> Result<Vec<UnitKey>, EngineError> {
    let unit = snapshot.unit(key)?;
    let mut nodes: BTreeSet<NodeId> = unit.nearby.iter().copied().collect();
    for &node in &unit.nodes {
        nodes.extend(
            snapshot
                .edges_from(key.seq, node)?
                .iter()
                .map(|edge| edge.to),
        );
    }
    let mut out = BTreeSet::new();
    for node in nodes {
        if let Some(found) = snapshot.unit_of(key.seq, key.view, node)?
            && found != key
        {
            out.insert(found);
        }
    }
    Ok(out.into_iter().collect())
}
