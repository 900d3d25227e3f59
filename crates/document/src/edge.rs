//! The ties between the nodes of one document that its tree does not already show.

use crate::reference::{Label, LabelKind, caption_label, mentions};
use crate::{Document, Node, NodeId, NodeKind};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How one node is tied to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EdgeKind {
    /// Text names its target: "see Figure 3", "Section 4.1".
    RefersTo,
    /// A figure or table stands in a step, or after the paragraph that it supports.
    Illustrates,
}

/// A directed tie between two nodes of one document.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The node that refers or illustrates.
    pub from: NodeId,
    /// The node referred to or illustrated.
    pub to: NodeId,
    /// How they are tied.
    pub kind: EdgeKind,
    /// How surely, 0 to 1.
    pub weight: f32,
}

/// The edges of a document, by `from`, then `to`.
///
/// A mention whose label stands at several places ("Figure 1" in each chapter) goes to the
/// nearest, of two as near the one before.
pub fn edges(document: &Document) -> Vec<Edge> {
    let targets = label_targets(document);
    let mut out = Vec::new();
    for node in &document.nodes {
        if matches!(
            node.kind,
            NodeKind::PageHeader | NodeKind::PageFooter | NodeKind::Contents
        ) {
            continue;
        }
        for (_, label) in mentions(&node.text) {
            if let Some(to) = nearest(&targets, &label, node.id)
                && to != node.id
                && Some(to) != node.parent
            {
                out.push(edge(node.id, to, EdgeKind::RefersTo, 1.0));
            }
        }
        if matches!(node.kind, NodeKind::Picture(_) | NodeKind::Table(_))
            && let Some((to, weight)) = illustrated(document, node)
        {
            out.push(edge(node.id, to, EdgeKind::Illustrates, weight));
        }
    }
    out.sort_by_key(|edge| (edge.from, edge.to, edge.kind));
    out.dedup_by_key(|edge| (edge.from, edge.to, edge.kind));
    out
}

fn edge(from: NodeId, to: NodeId, kind: EdgeKind, weight: f32) -> Edge {
    Edge {
        from,
        to,
        kind,
        weight,
    }
}

/// The nodes that carry each label. A section is known by its number, a figure or table by its
/// caption.
fn label_targets(document: &Document) -> HashMap<Label, Vec<NodeId>> {
    let mut out: HashMap<Label, Vec<NodeId>> = HashMap::new();
    for node in &document.nodes {
        let found = match node.kind {
            NodeKind::Caption => node
                .parent
                .and_then(|parent| Some((caption_label(&node.text)?, parent))),
            NodeKind::SectionHeader { .. } => {
                Some(heading_number(&node.text)).flatten().map(|number| {
                    let kind = LabelKind::Section;
                    (Label { kind, number }, node.id)
                })
            }
            _ => None,
        };
        if let Some((label, target)) = found {
            out.entry(label).or_default().push(target);
        }
    }
    out
}

/// The number that a heading begins with, as a label's: `3.2 Filters` gives `3.2`, `Appendix A`
/// and `A Parts` give `a`.
fn heading_number(text: &str) -> Option<String> {
    if let Some((at, label)) = mentions(text).into_iter().next()
        && at.start == 0
        && label.kind == LabelKind::Section
    {
        return Some(label.number);
    }
    let (first, _) = text.split_once(char::is_whitespace)?;
    let number = first.trim_end_matches(['.', ':', ')']);
    let mut parts = number.split(['.', '-']);
    let lead = parts.next()?;
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let letter = lead.len() == 1 && lead.chars().all(|c| c.is_ascii_uppercase());
    let good = (digits(lead) || (letter && number.len() > 1)) && parts.all(digits);
    good.then(|| number.to_ascii_lowercase())
}

fn nearest(targets: &HashMap<Label, Vec<NodeId>>, label: &Label, from: NodeId) -> Option<NodeId> {
    let places = targets.get(label)?;
    places
        .iter()
        .copied()
        .min_by_key(|to| (to.0.abs_diff(from.0), to.0))
}

/// What a figure or table illustrates, and how surely: the step or item that holds it, else the
/// paragraph or list before it in its section, else the paragraph after.
fn illustrated(document: &Document, node: &Node) -> Option<(NodeId, f32)> {
    if let Some(parent) = node.parent.and_then(|id| document.node(id))
        && matches!(
            parent.kind,
            NodeKind::Step { .. } | NodeKind::ListItem { .. }
        )
    {
        return Some((parent.id, 1.0));
    }
    let siblings: Vec<&Node> = match node.parent {
        Some(parent) => document.children(parent).collect(),
        None => document.roots().collect(),
    };
    let at = siblings.iter().position(|sibling| sibling.id == node.id)?;
    let before = siblings[..at].iter().rev().take(3);
    let before = before
        .take_while(|sibling| !matches!(sibling.kind, NodeKind::SectionHeader { .. }))
        .find_map(|sibling| text_of(document, sibling));
    let after = siblings[at + 1..].iter().take(2);
    let after = after
        .take_while(|sibling| !matches!(sibling.kind, NodeKind::SectionHeader { .. }))
        .find_map(|sibling| text_of(document, sibling));
    before
        .map(|id| (id, 0.6))
        .or_else(|| after.map(|id| (id, 0.4)))
}

/// The node of text that `sibling` ends with: itself, or the last item of a list.
fn text_of(document: &Document, sibling: &Node) -> Option<NodeId> {
    match sibling.kind {
        NodeKind::Text => Some(sibling.id),
        NodeKind::List => document.children(sibling.id).last().map(|item| item.id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::tests::{document, manual};

    #[test]
    fn references_and_illustrations_of_a_manual() {
        let document = document(manual());
        let lines: Vec<_> = edges(&document)
            .iter()
            .map(|edge| {
                let text = |id| document.node(id).map_or("", |node| node.text.as_str());
                let kind = edge.kind;
                let to = document.node(edge.to).unwrap();
                let to = match to.kind {
                    NodeKind::Picture(_) => text(*to.children.first().unwrap()),
                    _ => text(to.id),
                };
                format!("{} {kind:?} {to}", edge.from.0)
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        2 RefersTo Figure 1. The pump
        2 RefersTo 2 Faults
        5 RefersTo Figure 1. The pump
        6 Illustrates Lift the pump (Figure 1).
        10 Illustrates The table names them.
        ");
    }

    #[test]
    fn numbers_of_headings() {
        for (text, number) in [
            ("3.2 Filters", Some("3.2")),
            ("Appendix B: Parts", Some("b")),
            ("Chapter 4", Some("4")),
            ("A.1 Sizes", Some("a.1")),
            ("A pump", None),
            ("Filters", None),
            ("2019 results", Some("2019")),
        ] {
            assert_eq!(heading_number(text).as_deref(), number, "{text}");
        }
    }
}
