//! Cutting a document's tree into evidence units.

use crate::edge::{EdgeKind, edges};
use crate::unit::{LocalRelation, Modality, RelationKind, Unit};
use crate::{Document, Node, NodeId, NodeKind, View};
use std::collections::HashMap;

/// A paragraph, item or step of at most this many characters may be joined with its neighbours.
const TINY: usize = 160;
/// Joined neighbours hold at most this many characters.
const JOINED: usize = 700;
/// Neighbours kept for a unit's local context.
const NEARBY: usize = 3;

/// The evidence units of a document, in reading order.
///
/// A paragraph, table, figure, formula or code block is a unit. Tiny paragraphs next to each
/// other, and the items or short steps of a list with the line that introduces them, are one
/// unit; each keeps its node. Running headers and footers and captions on their own are none; a
/// heading is one only where nothing stands below it.
pub fn units(document: &Document) -> Vec<Unit> {
    let mut cut = Cut {
        document,
        groups: Vec::new(),
    };
    let roots: Vec<NodeId> = document.roots().map(|node| node.id).collect();
    cut.siblings(&roots);
    if cut.groups.is_empty()
        && let Some(title) = document.roots().find(|node| node.kind == NodeKind::Title)
    {
        cut.push(vec![title.id], Modality::Text, RelationKind::Heading, None);
    }
    let mut units: Vec<Unit> = cut
        .groups
        .into_iter()
        .zip(0..)
        .map(|(group, ordinal)| group.into_unit(document, ordinal))
        .collect();
    set_neighbours(&mut units);
    set_ties(document, &mut units);
    units
}

/// The nodes of a unit to be.
struct Group {
    nodes: Vec<NodeId>,
    modality: Modality,
    relation: LocalRelation,
}

impl Group {
    fn into_unit(self, document: &Document, ordinal: u32) -> Unit {
        let first = self.nodes[0];
        let last = self.nodes.last().and_then(|&id| document.node(id));
        let caption = document
            .children(first)
            .find(|child| child.kind == NodeKind::Caption)
            .filter(|_| self.modality.is_visual());
        Unit {
            view: View::Evidence,
            ordinal,
            modality: self.modality,
            start: 0,
            end: last.map_or(0, |node| node.text.len() as u32),
            ancestors: document
                .headings(first)
                .iter()
                .map(|node| node.id)
                .collect(),
            caption: caption.map(|node| node.id),
            before: None,
            after: None,
            nearby: Vec::new(),
            relation: self.relation,
            stated: None,
            nodes: self.nodes,
        }
    }
}

/// The walk that gathers groups in reading order.
struct Cut<'a> {
    document: &'a Document,
    groups: Vec<Group>,
}

impl Cut<'_> {
    fn push(
        &mut self,
        nodes: Vec<NodeId>,
        modality: Modality,
        kind: RelationKind,
        to: Option<NodeId>,
    ) {
        self.groups.push(Group {
            nodes,
            modality,
            relation: LocalRelation { kind, to },
        });
    }

    /// Units of the nodes below one parent.
    fn siblings(&mut self, ids: &[NodeId]) {
        let mut joined = Joined::default();
        for &id in ids {
            let Some(node) = self.document.node(id) else {
                continue;
            };
            match &node.kind {
                NodeKind::Text => {
                    if !joined.takes(self.document, node) {
                        self.flush(&mut joined, RelationKind::Body, None);
                    }
                    joined.add(node);
                    if !is_tiny(node) {
                        self.flush(&mut joined, RelationKind::Body, None);
                    }
                }
                NodeKind::List => {
                    if !joined.introduces() {
                        self.flush(&mut joined, RelationKind::Body, None);
                    }
                    self.list(node, &mut joined);
                }
                _ => {
                    self.flush(&mut joined, RelationKind::Body, None);
                    self.single(node);
                }
            }
        }
        self.flush(&mut joined, RelationKind::Body, None);
    }

    fn single(&mut self, node: &Node) {
        let modality = match &node.kind {
            NodeKind::SectionHeader { .. } if !node.children.is_empty() => {
                return self.siblings(&node.children);
            }
            NodeKind::SectionHeader { .. } => {
                return self.push(vec![node.id], Modality::Text, RelationKind::Heading, None);
            }
            NodeKind::Table(_) => Modality::Table,
            NodeKind::Picture(_) => Modality::Figure,
            NodeKind::Formula => Modality::Formula,
            NodeKind::Code | NodeKind::Footnote => Modality::Text,
            NodeKind::ListItem { .. } | NodeKind::Step { .. } => {
                let mut joined = Joined::default();
                self.item(node, node.parent, &mut joined);
                return self.flush(&mut joined, RelationKind::ItemsOf, node.parent);
            }
            // A caption belongs to its parent; the title is in every path.
            NodeKind::Caption
            | NodeKind::Title
            | NodeKind::Contents
            | NodeKind::PageHeader
            | NodeKind::PageFooter
            | NodeKind::Text
            | NodeKind::List => return,
        };
        self.push(vec![node.id], modality, RelationKind::Body, None);
        // What else a table or figure holds (notes) is evidence too.
        let rest: Vec<NodeId> = self
            .document
            .children(node.id)
            .filter(|child| child.kind != NodeKind::Caption)
            .map(|child| child.id)
            .collect();
        self.siblings(&rest);
    }

    /// Units of a list; `joined` may hold the line that introduces it.
    fn list(&mut self, list: &Node, joined: &mut Joined) {
        for &id in &list.children {
            if let Some(item) = self.document.node(id) {
                self.item(item, Some(list.id), joined);
            }
        }
        self.flush(joined, RelationKind::ItemsOf, Some(list.id));
    }

    /// One item or step, with what it holds.
    fn item(&mut self, item: &Node, list: Option<NodeId>, joined: &mut Joined) {
        if !joined.takes(self.document, item) {
            self.flush(joined, RelationKind::ItemsOf, list);
        }
        joined.add(item);
        let mut visual = Vec::new();
        for child in self.document.children(item.id) {
            match &child.kind {
                NodeKind::Text | NodeKind::ListItem { .. } | NodeKind::Step { .. } => {
                    self.item(child, list, joined);
                }
                NodeKind::List => {
                    for nested in self.document.children(child.id) {
                        self.item(nested, list, joined);
                    }
                }
                _ => visual.push(child),
            }
        }
        if !visual.is_empty() {
            // A figure comes right after the step that it illustrates.
            self.flush(joined, RelationKind::ItemsOf, list);
            for child in visual {
                self.single(child);
            }
        }
    }

    fn flush(&mut self, joined: &mut Joined, kind: RelationKind, to: Option<NodeId>) {
        let nodes = std::mem::take(joined).nodes;
        if !nodes.is_empty() {
            self.push(nodes, Modality::Text, kind, to);
        }
    }
}

/// Neighbours gathered for one unit.
#[derive(Default)]
struct Joined {
    nodes: Vec<NodeId>,
    chars: usize,
    tiny: bool,
    colon: bool,
    page: Option<u32>,
}

impl Joined {
    /// Whether `node` may join what is gathered: both tiny, the sum small, and on one page unless
    /// it is a list's item.
    fn takes(&self, document: &Document, node: &Node) -> bool {
        let Some(&last) = self.nodes.last() else {
            return true;
        };
        let item = matches!(node.kind, NodeKind::ListItem { .. } | NodeKind::Step { .. });
        let nested = node.parent == Some(last)
            || document
                .node(last)
                .is_some_and(|last| last.parent == node.parent && item);
        let same_page = node.page() == self.page;
        let fits = self.chars + node.text.chars().count() <= JOINED;
        let small = (self.tiny && is_tiny(node)) || self.colon;
        fits && small && (same_page || item || nested)
    }

    fn add(&mut self, node: &Node) {
        if self.nodes.is_empty() {
            self.tiny = true;
        }
        self.nodes.push(node.id);
        self.chars += node.text.chars().count();
        self.tiny &= is_tiny(node);
        self.colon = node.text.trim_end().ends_with([':', '：']);
        self.page = node.page();
    }

    /// Whether what is gathered introduces the list that follows.
    fn introduces(&self) -> bool {
        self.colon || (self.tiny && self.nodes.len() == 1)
    }
}

fn is_tiny(node: &Node) -> bool {
    node.text.chars().count() <= TINY
}

/// Sets the text neighbours of every unit within its section.
fn set_neighbours(units: &mut [Unit]) {
    let text: Vec<usize> = (0..units.len())
        .filter(|&at| units[at].modality == Modality::Text)
        .collect();
    let mut next_text = text.iter().copied().peekable();
    let mut before: Option<usize> = None;
    for at in 0..units.len() {
        while next_text.peek().is_some_and(|&next| next <= at) {
            let passed = next_text.next();
            before = passed.filter(|&passed| passed < at).or(before);
        }
        let same = |other: Option<usize>| {
            other.filter(|&other| units[other].ancestors == units[at].ancestors)
        };
        let neighbour_before = same(before).and_then(|other| units[other].nodes.last().copied());
        let neighbour_after = same(next_text.peek().copied()).map(|other| units[other].nodes[0]);
        units[at].before = neighbour_before;
        units[at].after = neighbour_after;
        if units[at].modality == Modality::Text {
            before = Some(at);
        }
    }
}

/// Sets what is near each unit, and the role of figures and tables, from the document's edges.
fn set_ties(document: &Document, units: &mut [Unit]) {
    let mut unit_of: HashMap<NodeId, usize> = HashMap::new();
    for (at, unit) in units.iter().enumerate() {
        for &node in unit.nodes.iter().chain(&unit.caption) {
            unit_of.insert(node, at);
        }
    }
    for edge in edges(document) {
        let (Some(&from), Some(&to)) = (unit_of.get(&edge.from), unit_of.get(&edge.to)) else {
            continue;
        };
        if from == to {
            continue;
        }
        match edge.kind {
            EdgeKind::RefersTo if units[to].modality.is_visual() => {
                let target = units[to].nodes[0];
                add_nearby(&mut units[from], target);
                add_nearby(&mut units[to], edge.from);
            }
            EdgeKind::RefersTo => {}
            EdgeKind::Illustrates => {
                let held = document
                    .node(edge.from)
                    .is_some_and(|figure| figure.parent == Some(edge.to));
                let kind = if held {
                    RelationKind::IllustratesStep
                } else {
                    RelationKind::SupportsParagraph
                };
                units[from].relation = LocalRelation {
                    kind,
                    to: Some(edge.to),
                };
                add_nearby(&mut units[to], edge.from);
                add_nearby(&mut units[from], edge.to);
            }
        }
    }
}

fn add_nearby(unit: &mut Unit, node: NodeId) {
    if unit.nearby.len() < NEARBY && !unit.nearby.contains(&node) && !unit.nodes.contains(&node) {
        unit.nearby.push(node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::tests::{document, manual, place};
    use crate::{EvidenceUnit, TreeBuilder};

    fn resolved(document: &Document) -> Vec<EvidenceUnit> {
        units(document)
            .iter()
            .map(|unit| {
                unit.resolve(document.id, &document.title, |id| {
                    document.node(id).cloned()
                })
            })
            .collect()
    }

    /// One line a unit: modality, relation, headings, text, caption, near.
    fn show(document: &Document) -> String {
        let lines: Vec<_> = resolved(document)
            .iter()
            .map(|unit| {
                let near: Vec<_> = unit
                    .context
                    .nearby
                    .iter()
                    .map(|near| near.text.as_str())
                    .collect();
                format!(
                    "{:?} {:?} [{}] {:?} {:?} <{} >{} near {near:?}",
                    unit.modality,
                    unit.relation.kind,
                    unit.heading_path().join(" > "),
                    unit.content.text,
                    unit.content.caption.as_deref().unwrap_or(""),
                    unit.context.before,
                    unit.context.after,
                )
            })
            .collect();
        lines.join("\n")
    }

    #[test]
    fn units_of_a_manual() {
        insta::assert_snapshot!(show(&document(manual())), @r#"
        Text ItemsOf [1 Service > 1.1 Pump] "Remove the pump as in Figure 1. Faults are in Section 2.\n1. Close the valve.\n2. Lift the pump (Figure 1)." "" < > near ["Figure 1. The pump"]
        Figure IllustratesStep [1 Service > 1.1 Pump] "" "Figure 1. The pump" <Lift the pump (Figure 1). > near ["Remove the pump as in Figure 1. Faults are in Section 2.", "Lift the pump (Figure 1)."]
        Text Body [2 Faults] "The table names them." "" < > near []
        Table SupportsParagraph [2 Faults] "E1 | No water" "" <The table names them. > near ["The table names them."]
        "#);
    }

    #[test]
    fn quotes_lead_to_their_boxes() {
        let document = document(manual());
        let units = resolved(&document);
        let unit = units
            .iter()
            .find(|unit| unit.content.text.contains("Close"))
            .unwrap();
        let at = unit.content.text.find("Lift").unwrap();
        let places = unit.places(&(at..at + 4));
        assert_eq!(places.len(), 1);
        assert!((places[0].bbox.top - 40.0).abs() < 0.1);
    }

    #[test]
    fn long_steps_stand_alone_and_tiny_lines_join_on_their_page() {
        let mut tree = TreeBuilder::new();
        for (page, text) in [(1, "Revenue"), (1, "2015"), (2, "Costs")] {
            tree.add(NodeKind::Text, text.into(), place(page, 0.0, text.len()));
        }
        tree.open(NodeKind::List, String::new(), vec![]);
        for (marker, text) in [("1.", "Turn. ".repeat(40)), ("2.", "Stop. ".repeat(40))] {
            let marker = marker.to_owned();
            tree.add(NodeKind::Step { marker }, text, place(2, 0.0, 240));
        }
        let document = document(tree);
        let sizes: Vec<_> = units(&document)
            .iter()
            .map(|unit| unit.nodes.len())
            .collect();
        assert_eq!(sizes, [2, 1, 1, 1]);
    }
}
