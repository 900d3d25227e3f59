//! Whole procedures: all units of the section that a step or a reference belongs to.

use crate::EngineError;
use catena_document::{
    EdgeKind, EvidenceUnit, LabelKind, Modality, NodeId, NodeKind, Unit, View, mentions,
};
use catena_index::{Snapshot, UnitKey};

/// Units of one section that are read for an answer.
const MAX_UNITS: u32 = 80;

/// The units of the innermost section around a unit, in order.
pub(super) fn section_of(
    snapshot: &Snapshot,
    key: UnitKey,
) -> Result<Vec<EvidenceUnit>, EngineError> {
    let unit = snapshot.unit(key)?;
    let same = |other: &Unit| other.ancestors == unit.ancestors;
    let mut first = key.ordinal;
    while first > 0 && key.ordinal - first < MAX_UNITS {
        let before = snapshot.unit(at(key, first - 1))?;
        if !same(&before) {
            break;
        }
        first -= 1;
    }
    units_while(snapshot, at(key, first), &same)
}

/// The units below a section header, in order, those of its subsections too.
pub(super) fn section_below(
    snapshot: &Snapshot,
    seq: u64,
    header: NodeId,
) -> Result<Vec<EvidenceUnit>, EngineError> {
    let below = |unit: &Unit| unit.ancestors.contains(&header);
    let first = first_from(snapshot, seq, header)?;
    if first == unit_count(snapshot, seq)? {
        return Ok(Vec::new());
    }
    units_while(snapshot, evidence(seq, first), &below)
}

/// The units directly under a section header, in order, those of its subsections left out.
pub(super) fn section_under(
    snapshot: &Snapshot,
    seq: u64,
    header: NodeId,
) -> Result<Vec<EvidenceUnit>, EngineError> {
    let directly = |unit: &EvidenceUnit| unit.ancestors.last().map(|a| a.node) == Some(header);
    let mut units = section_below(snapshot, seq, header)?;
    units.retain(directly);
    Ok(units)
}

/// The unit that begins with a node, if one does.
pub(super) fn unit_at_node(
    snapshot: &Snapshot,
    seq: u64,
    node: NodeId,
) -> Result<Option<EvidenceUnit>, EngineError> {
    let ordinal = first_from(snapshot, seq, node)?;
    if ordinal == unit_count(snapshot, seq)? {
        return Ok(None);
    }
    let key = evidence(seq, ordinal);
    let begins = snapshot.unit(key)?.nodes.first() == Some(&node);
    if begins {
        Ok(Some(snapshot.resolve(key)?))
    } else {
        Ok(None)
    }
}

/// The figures that stand between two nodes of a document.
pub(super) fn figures_between(
    snapshot: &Snapshot,
    seq: u64,
    first: NodeId,
    last: NodeId,
) -> Result<Vec<EvidenceUnit>, EngineError> {
    let from = first_from(snapshot, seq, first)?;
    let mut out = Vec::new();
    for ordinal in from..unit_count(snapshot, seq)?.min(from + MAX_UNITS) {
        let key = evidence(seq, ordinal);
        let unit = snapshot.unit(key)?;
        if unit.nodes.first().is_none_or(|&node| node > last) {
            break;
        }
        if unit.modality == Modality::Figure {
            out.push(snapshot.resolve(key)?);
        }
    }
    Ok(out)
}

/// The place of the first unit that begins at or after a node; the number of units where none
/// does. Units stand in the order of their nodes.
fn first_from(snapshot: &Snapshot, seq: u64, node: NodeId) -> Result<u32, EngineError> {
    let (mut low, mut high) = (0, unit_count(snapshot, seq)?);
    while low < high {
        let middle = u32::midpoint(low, high);
        let unit = snapshot.unit(evidence(seq, middle))?;
        if unit.nodes.first().is_some_and(|&first| first < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

fn units_while(
    snapshot: &Snapshot,
    from: UnitKey,
    belongs: &dyn Fn(&Unit) -> bool,
) -> Result<Vec<EvidenceUnit>, EngineError> {
    let count = unit_count(snapshot, from.seq)?;
    let mut out = Vec::new();
    for ordinal in from.ordinal..count.min(from.ordinal + MAX_UNITS) {
        let key = at(from, ordinal);
        if !belongs(&snapshot.unit(key)?) {
            break;
        }
        out.push(snapshot.resolve(key)?);
    }
    Ok(out)
}

fn unit_count(snapshot: &Snapshot, seq: u64) -> Result<u32, EngineError> {
    let Some(document) = snapshot.document_id(seq) else {
        return Ok(0);
    };
    let summary = snapshot.summary(&document)?;
    let evidence = summary
        .units
        .iter()
        .find(|(view, _)| *view == View::Evidence);
    Ok(evidence.map_or(0, |&(_, count)| count))
}

fn at(key: UnitKey, ordinal: u32) -> UnitKey {
    UnitKey { ordinal, ..key }
}

fn evidence(seq: u64, ordinal: u32) -> UnitKey {
    UnitKey {
        seq,
        view: View::Evidence,
        ordinal,
    }
}

/// Whether units hold the steps of a procedure.
pub(super) fn has_steps(units: &[EvidenceUnit]) -> bool {
    let pieces = units.iter().flat_map(|unit| &unit.content.pieces);
    pieces.filter(|piece| piece.step).count() >= 2
}

/// The section headers that a text refers to ("see Section 6.3"), in the order of the mentions;
/// `nodes` are those that the text comes from.
pub(super) fn referred_sections(
    snapshot: &Snapshot,
    seq: u64,
    nodes: &[NodeId],
    text: &str,
) -> Result<Vec<NodeId>, EngineError> {
    let mut out = Vec::new();
    let named: Vec<_> = mentions(text)
        .into_iter()
        .filter(|(_, label)| label.kind == LabelKind::Section)
        .collect();
    if named.is_empty() {
        return Ok(out);
    }
    let mut headers = Vec::new();
    for &node in nodes {
        for edge in snapshot.edges_from(seq, node)? {
            if edge.kind == EdgeKind::RefersTo
                && let Some(target) = snapshot.node(seq, edge.to)?
                && matches!(target.kind, NodeKind::SectionHeader { .. })
            {
                headers.push(target);
            }
        }
    }
    for (_, label) in named {
        let found = headers.iter().find(|header| {
            let text = header.text.to_lowercase();
            let mut first = text
                .split_whitespace()
                .map(|word| word.trim_end_matches(['.', ':']));
            first.any(|word| word == label.number)
        });
        if let Some(header) = found
            && !out.contains(&header.id)
        {
            out.push(header.id);
        }
    }
    Ok(out)
}
