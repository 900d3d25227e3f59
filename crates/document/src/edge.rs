//! The ties between the nodes of one document that its tree does not already show.

use crate::reference::{Label, LabelKind, caption_label, mentions};
use crate::{Document, Node, NodeId, NodeKind};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

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
/// A mention whose label stands at several places ("Figure 1" in each chapter, "step 3" of each
/// procedure) means the one in the innermost list or section around the mention that holds any;
/// where that holds several, it gives no edge. The mention of a page leads to what begins on it,
/// unless the same text already names something there ("Section 2.3, page 12").
pub fn edges(document: &Document) -> Vec<Edge> {
    let targets = Targets::of(document);
    let mut out = Vec::new();
    for node in &document.nodes {
        if matches!(
            node.kind,
            NodeKind::PageHeader | NodeKind::PageFooter | NodeKind::Contents
        ) {
            continue;
        }
        let tied = targets.named(document, node);
        let tied = tied.into_iter().map(|to| (to, 1.0));
        let linked = node.links.iter().map(|&to| (to, 1.0));
        let mut refers: Vec<(NodeId, f32)> = tied.chain(linked).collect();
        let on_pages = targets.on_pages(document, node, &refers);
        refers.extend(on_pages.into_iter().map(|to| (to, ON_PAGE)));
        for (to, weight) in refers {
            if to != node.id && Some(to) != node.parent && document.node(to).is_some() {
                out.push(edge(node.id, to, EdgeKind::RefersTo, weight));
            }
        }
        if matches!(node.kind, NodeKind::Picture(_) | NodeKind::Table(_))
            && let Some((to, weight)) = illustrated(document, node)
        {
            out.push(edge(node.id, to, EdgeKind::Illustrates, weight));
        }
    }
    // The surest of equal ones stays.
    out.sort_by(|a, b| {
        let key = |edge: &Edge| (edge.from, edge.to, edge.kind);
        key(a).cmp(&key(b)).then(b.weight.total_cmp(&a.weight))
    });
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

/// What mentions can lead to.
struct Targets {
    /// The nodes that carry each label, in order.
    labelled: HashMap<Label, Vec<NodeId>>,
    /// The last node below each node.
    last_below: Vec<u32>,
    /// The pages that carry each printed number.
    printed: HashMap<String, Vec<u32>>,
    /// The nodes of evidence that begin on each page.
    on_page: HashMap<u32, Vec<NodeId>>,
}

impl Targets {
    fn of(document: &Document) -> Self {
        let mut last_below: Vec<u32> = (0..document.nodes.len() as u32).collect();
        for node in document.nodes.iter().rev() {
            if let Some(parent) = node.parent {
                let last = last_below[node.id.0 as usize];
                let of_parent = &mut last_below[parent.0 as usize];
                *of_parent = last.max(*of_parent);
            }
        }
        let unlabelled = document.pages.iter().all(|page| page.label.is_none());
        let mut printed: HashMap<String, Vec<u32>> = HashMap::new();
        for page in &document.pages {
            // Where no page shows a number, its place in the file is its only one.
            let own = || unlabelled.then(|| page.number.to_string());
            if let Some(label) = page.label.clone().or_else(own) {
                let pages = printed.entry(label.to_lowercase()).or_default();
                pages.push(page.number);
            }
        }
        let mut on_page: HashMap<u32, Vec<NodeId>> = HashMap::new();
        for node in document.nodes.iter().filter(|node| is_evidence(node)) {
            if let Some(page) = node.page() {
                on_page.entry(page).or_default().push(node.id);
            }
        }
        Self {
            labelled: labelled(document),
            last_below,
            printed,
            on_page,
        }
    }

    /// The nodes that a node's text names by their labels.
    fn named(&self, document: &Document, node: &Node) -> Vec<NodeId> {
        let found = mentions(&node.text);
        let mut out = Vec::new();
        let is_named = matches!(
            node.kind,
            NodeKind::Caption | NodeKind::SectionHeader { .. }
        );
        for (at, (span, label)) in found.iter().enumerate() {
            // What a caption or heading begins with is its own name.
            if is_named && span.start == 0 {
                continue;
            }
            // "step 3 of Section 4" is looked for in that section.
            let section = found.get(at + 1).filter(|(next, other)| {
                let between = node.text.get(span.end..next.start).unwrap_or_default();
                other.kind == LabelKind::Section
                    && matches!(between.trim(), "of" | "in" | "(" | "," | "in the")
                    && label.kind == LabelKind::Step
            });
            let scope = section.and_then(|(_, section)| self.nearest(document, section, node.id));
            let from = scope.unwrap_or(node.id);
            let one = |label: &Label| self.nearest(document, label, from);
            let part = with_part(&node.text, span, label);
            if let Some(to) = part.and_then(|part| one(&part)).or_else(|| one(label)) {
                out.push(to);
                continue;
            }
            let range = label.range();
            if range.is_empty() {
                out.extend(label.whole().and_then(|whole| one(&whole)));
            }
            out.extend(range.iter().filter_map(one));
        }
        out
    }

    /// The only node with this label in the innermost node around `from` that holds any.
    fn nearest(&self, document: &Document, label: &Label, from: NodeId) -> Option<NodeId> {
        let all = self.labelled.get(label)?;
        if let [only] = all[..] {
            return Some(only);
        }
        let mut around = Some(from);
        while let Some(node) = around.and_then(|id| document.node(id)) {
            let last = self.last_below[node.id.0 as usize];
            let first = all.partition_point(|id| *id < node.id);
            let inside = all[first..].partition_point(|id| id.0 <= last);
            match &all[first..first + inside] {
                [] => around = node.parent,
                [only] => return Some(*only),
                _ => return None,
            }
        }
        None
    }

    /// What begins on the pages that a node's text names, where it names nothing else there.
    fn on_pages(&self, document: &Document, node: &Node, refers: &[(NodeId, f32)]) -> Vec<NodeId> {
        let page_of = |id: NodeId| document.node(id).and_then(Node::page);
        let mut out = Vec::new();
        for (_, label) in mentions(&node.text) {
            if label.kind != LabelKind::Page {
                continue;
            }
            let range = label.range();
            let labels = if range.is_empty() { vec![label] } else { range };
            for label in labels.iter().take(MAX_PAGES) {
                let Some([page]) = self.printed.get(&label.number).map(Vec::as_slice) else {
                    continue;
                };
                let known = refers.iter().any(|&(to, _)| page_of(to) == Some(*page));
                if known || node.page() == Some(*page) {
                    continue;
                }
                let there = self.on_page.get(page).map_or(&[][..], Vec::as_slice);
                out.extend(there.iter().take(MAX_ON_PAGE));
            }
        }
        out
    }
}

/// How surely the mention of a page means a thing on it.
const ON_PAGE: f32 = 0.3;
/// Pages that one mention leads to, and nodes on each.
const MAX_PAGES: usize = 4;
const MAX_ON_PAGE: usize = 40;

fn is_evidence(node: &Node) -> bool {
    !matches!(
        node.kind,
        NodeKind::PageHeader
            | NodeKind::PageFooter
            | NodeKind::Contents
            | NodeKind::Caption
            | NodeKind::Footnote
            | NodeKind::List
    )
}

/// The letter of a figure's part that a text begins with: `(b)`.
fn part_mark(text: &str) -> Option<char> {
    let mut inner = text.trim_start().strip_prefix('(')?.chars();
    let letter = inner.next().filter(char::is_ascii_lowercase)?;
    inner.as_str().starts_with(')').then_some(letter)
}

/// The label of the part that a mention names with a letter in brackets: "Figure 3(b)".
fn with_part(text: &str, span: &Range<usize>, label: &Label) -> Option<Label> {
    let own = text.get(span.clone())?.rfind('(');
    let part = part_mark(&text[own.map_or(span.end, |at| span.start + at)..])?;
    Some(Label {
        kind: label.kind,
        number: format!("{}{part}", label.number),
    })
}

/// The label of a figure's part: that of the figure that holds it, with the part's letter.
fn part_label(document: &Document, caption: &Node) -> Option<(Label, NodeId)> {
    let part = document.node(caption.parent?)?;
    let whole = document.node(part.parent?)?;
    let mut children = document.children(whole.id);
    let name = children.find(|child| child.kind == NodeKind::Caption)?;
    let label = caption_label(&name.text)?;
    let number = format!("{}{}", label.number, part_mark(&caption.text)?);
    matches!(whole.kind, NodeKind::Picture(_)).then(|| (Label { number, ..label }, part.id))
}

/// The nodes that carry each label. A section is known by its number, a step by its marker, a
/// figure or table by its caption, a part of a figure by the figure's and its own, a formula by the
/// number at its end.
pub(crate) fn labelled(document: &Document) -> HashMap<Label, Vec<NodeId>> {
    let letters = lettered_headings(document);
    let mut out: HashMap<Label, Vec<NodeId>> = HashMap::new();
    for node in &document.nodes {
        let label = |kind, number| Label { kind, number };
        let found = match &node.kind {
            NodeKind::Caption => node
                .parent
                .and_then(|parent| Some((caption_label(&node.text)?, parent)))
                .or_else(|| part_label(document, node)),
            NodeKind::SectionHeader { .. } => heading_number(&node.text)
                .or_else(|| letters.get(&node.id).cloned())
                .map(|number| (label(LabelKind::Section, number), node.id)),
            NodeKind::Step { marker } => {
                let number = marker.trim_matches(|c: char| !c.is_alphanumeric());
                let number = number.to_lowercase();
                (!number.is_empty()).then(|| (label(LabelKind::Step, number), node.id))
            }
            NodeKind::Formula | NodeKind::Text => {
                formula_number(node).map(|number| (label(LabelKind::Formula, number), node.id))
            }
            _ => None,
        };
        let Some((label, target)) = found else {
            continue;
        };
        let places = out.entry(label).or_default();
        // A table that goes on over several pages repeats its caption.
        if places.is_empty() || !goes_on(document, places, node) {
            places.push(target);
        }
    }
    for places in out.values_mut() {
        places.sort_unstable();
        places.dedup();
    }
    out
}

/// Whether a caption only repeats that of a figure or table before it, or says that it goes on.
fn goes_on(document: &Document, places: &[NodeId], caption: &Node) -> bool {
    if caption.kind != NodeKind::Caption {
        return false;
    }
    let text = caption.text.to_lowercase();
    let says = ["continued", "cont.", "cont'd", "fortsetzung", "suite", "续"];
    let before = places
        .last()
        .into_iter()
        .flat_map(|&id| document.children(id));
    let same = |child: &Node| child.kind == NodeKind::Caption && child.text == caption.text;
    says.iter().any(|word| text.contains(word)) || before.into_iter().any(same)
}

/// The number in brackets that a formula, or a short text with one, ends in.
fn formula_number(node: &Node) -> Option<String> {
    let text = node.text.trim_end();
    let formula = node.kind == NodeKind::Formula || (text.len() <= 200 && text.contains('='));
    let (before, number) = text.strip_suffix(')')?.rsplit_once('(')?;
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let counted = number
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '.');
    let good = formula && counted && digits > 0 && number.len() <= 7;
    (good && before.ends_with(char::is_whitespace)).then(|| number.to_lowercase())
}

/// The number that a heading begins with, as a label's: `3.2 Filters` gives `3.2`, `Appendix A`
/// and `A. Parts` give `a`.
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
    let good = (digits(lead) || (letter && first.len() > 1)) && parts.all(digits);
    good.then(|| number.to_ascii_lowercase())
}

/// Headings like `B Parts`, whose lone letter counts because a heading of the same level has the
/// letter before or after; `A pump` alone is no appendix.
fn lettered_headings(document: &Document) -> HashMap<NodeId, String> {
    let letter = |node: &Node| -> Option<(u8, u8)> {
        let NodeKind::SectionHeader { level } = node.kind else {
            return None;
        };
        match node.text.as_bytes() {
            [letter, b' ', ..] if letter.is_ascii_uppercase() => Some((level, *letter)),
            _ => None,
        }
    };
    let all: HashSet<(u8, u8)> = document.nodes.iter().filter_map(letter).collect();
    let counts = |(level, letter): (u8, u8)| {
        all.contains(&(level, letter + 1)) || all.contains(&(level, letter - 1))
    };
    document
        .nodes
        .iter()
        .filter_map(|node| {
            let found = letter(node).filter(|&found| counts(found))?;
            Some((node.id, char::from(found.1).to_lowercase().to_string()))
        })
        .collect()
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
    use crate::unit::tests::{document, manual, place};
    use crate::{Page, Picture, TreeBuilder};

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

    /// The edges of references as `from → to`, by the first words of their texts.
    #[track_caller]
    fn check(tree: TreeBuilder, pages: &[&str], expected: &[&str]) {
        let mut document = document(tree);
        document.pages = pages
            .iter()
            .zip(1..)
            .map(|(label, number)| Page {
                number,
                width: 600.0,
                height: 800.0,
                rotation: 0,
                label: Some((*label).to_owned()),
            })
            .collect();
        let text = |id: NodeId| {
            let node = document.node(id).unwrap();
            let caption = document
                .children(id)
                .find(|child| child.kind == NodeKind::Caption);
            let text = caption.map_or(&node.text, |caption| &caption.text);
            text.split_whitespace()
                .take(3)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let found: Vec<_> = edges(&document)
            .iter()
            .filter(|edge| edge.kind == EdgeKind::RefersTo)
            .map(|edge| format!("{} → {}", text(edge.from), text(edge.to)))
            .collect();
        assert_eq!(found, expected);
    }

    fn text(tree: &mut TreeBuilder, page: u32, text: &str) -> NodeId {
        let place = place(page, 20.0, text.len());
        tree.add(NodeKind::Text, text.to_owned(), place)
    }

    fn figure(tree: &mut TreeBuilder, caption: &str) {
        let picture = NodeKind::Picture(Picture::default());
        tree.open(picture, String::new(), place(1, 30.0, 0));
        tree.add(NodeKind::Caption, caption.to_owned(), place(1, 40.0, 0));
        tree.close();
    }

    fn steps(tree: &mut TreeBuilder, texts: &[&str]) {
        tree.open(NodeKind::List, String::new(), vec![]);
        for (text, number) in texts.iter().zip(1..) {
            let marker = format!("{number}.");
            tree.add(NodeKind::Step { marker }, (*text).to_owned(), vec![]);
        }
        tree.close();
    }

    #[test]
    fn a_label_of_several_places_is_the_one_of_its_section() {
        let mut tree = TreeBuilder::new();
        for chapter in ["1 Pump", "2 Valve"] {
            tree.section(1, chapter.to_owned(), vec![]);
            figure(&mut tree, &format!("Figure 1. {chapter}"));
            text(&mut tree, 1, &format!("{chapter}: see Figure 1."));
        }
        tree.section(1, "3 Both".to_owned(), vec![]);
        text(&mut tree, 1, "Which is meant by Figure 1?");
        check(
            tree,
            &[],
            &["1 Pump: see → Figure 1. 1", "2 Valve: see → Figure 1. 2"],
        );
    }

    #[test]
    fn steps_are_those_of_their_procedure() {
        let mut tree = TreeBuilder::new();
        tree.section(1, "1 Open".to_owned(), vec![]);
        steps(&mut tree, &["Lift it.", "Turn it.", "Else repeat step 2."]);
        tree.section(1, "2 Close".to_owned(), vec![]);
        steps(&mut tree, &["Lower it.", "Do step 2 of Section 1."]);
        text(&mut tree, 1, "After step 1, wait.");
        tree.section(1, "3 Test".to_owned(), vec![]);
        text(&mut tree, 1, "Whose is step 1?");
        check(
            tree,
            &[],
            &[
                "Else repeat step → Turn it.",
                "Do step 2 → 1 Open",
                "Do step 2 → Turn it.",
                "After step 1, → Lower it.",
            ],
        );
    }

    #[test]
    fn ranges_parts_and_formulas_are_found() {
        let mut tree = TreeBuilder::new();
        for number in 1..=4 {
            figure(&mut tree, &format!("Figure {number}. Part"));
        }
        figure(&mut tree, "Figure 4. Part (continued)");
        text(&mut tree, 1, "F = m a (3)");
        text(
            &mut tree,
            1,
            "Figures 2–3 and Fig. 4(b) follow from equation (3).",
        );
        check(
            tree,
            &[],
            &[
                "Figures 2–3 and → Figure 2. Part",
                "Figures 2–3 and → Figure 3. Part",
                "Figures 2–3 and → Figure 4. Part",
                "Figures 2–3 and → F = m",
            ],
        );
    }

    #[test]
    fn appendices_by_a_lone_letter() {
        let mut tree = TreeBuilder::new();
        text(&mut tree, 1, "See Appendix B and Appendix C.");
        tree.section(1, "A Sizes".to_owned(), vec![]);
        tree.section(1, "B Parts".to_owned(), vec![]);
        check(tree, &[], &["See Appendix B → B Parts"]);
    }

    #[test]
    fn pages_are_those_of_the_printed_number() {
        let mut tree = TreeBuilder::new();
        tree.section(1, "1 Safety".to_owned(), place(3, 0.0, 8));
        text(&mut tree, 3, "Wear gloves.");
        tree.section(1, "2 Use".to_owned(), place(4, 0.0, 5));
        text(&mut tree, 4, "See page 1 and page iv.");
        text(&mut tree, 4, "See Section 1, page 1.");
        check(
            tree,
            &["i", "ii", "1", "2"],
            &[
                "See page 1 → 1 Safety",
                "See page 1 → Wear gloves.",
                "See Section 1, → 1 Safety",
            ],
        );
    }

    #[test]
    fn links_of_the_file_are_edges() {
        let mut tree = TreeBuilder::new();
        let from = text(&mut tree, 1, "More of it here.");
        let to = text(&mut tree, 1, "The pump.");
        tree.node_mut(from).links.push(to);
        check(tree, &[], &["More of it → The pump."]);
    }

    #[test]
    fn numbers_of_headings() {
        for (text, number) in [
            ("3.2 Filters", Some("3.2")),
            ("Appendix B: Parts", Some("b")),
            ("Chapter 4", Some("4")),
            ("A.1 Sizes", Some("a.1")),
            ("A. Parts", Some("a")),
            ("A pump", None),
            ("Filters", None),
            ("2019 results", Some("2019")),
        ] {
            assert_eq!(heading_number(text).as_deref(), number, "{text}");
        }
    }
}
