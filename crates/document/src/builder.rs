//! Building a tree in reading order.

use crate::{Node, NodeId, NodeKind, Provenance};

/// Builds a document's nodes in reading order; the one place that sets parents and children.
///
/// Sections nest by level: a header closes every open section of its level or deeper. Lists,
/// items, tables and pictures are opened and closed around what they hold.
#[derive(Debug, Default)]
pub struct TreeBuilder {
    nodes: Vec<Node>,
    sections: Vec<(u8, NodeId)>,
    containers: Vec<NodeId>,
}

impl TreeBuilder {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a section; open containers are closed.
    pub fn section(&mut self, level: u8, text: String, provenance: Vec<Provenance>) -> NodeId {
        self.containers.clear();
        while self.sections.last().is_some_and(|&(open, _)| open >= level) {
            self.sections.pop();
        }
        let id = self.add(NodeKind::SectionHeader { level }, text, provenance);
        self.sections.push((level, id));
        id
    }

    /// Adds a node below whatever is open.
    pub fn add(&mut self, kind: NodeKind, text: String, provenance: Vec<Provenance>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let section = self.sections.last().map(|&(_, id)| id);
        let parent = self.containers.last().copied().or(section);
        if let Some(parent) = parent {
            self.nodes[parent.0 as usize].children.push(id);
        }
        self.nodes.push(Node {
            id,
            parent,
            children: Vec::new(),
            kind,
            text,
            provenance,
            anchor: None,
            links: Vec::new(),
        });
        id
    }

    /// Adds a node and opens it: what follows goes below it until [`close`](Self::close).
    pub fn open(&mut self, kind: NodeKind, text: String, provenance: Vec<Provenance>) -> NodeId {
        let id = self.add(kind, text, provenance);
        self.containers.push(id);
        id
    }

    /// Closes the node opened last; does nothing where a section header has closed it already.
    pub fn close(&mut self) {
        self.containers.pop();
    }

    /// How many containers are open.
    pub fn depth(&self) -> usize {
        self.containers.len()
    }

    /// A node added before, to set what is learned later (its anchor, its text).
    ///
    /// # Panics
    /// Where `id` is not of this builder.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// The nodes.
    pub fn finish(self) -> Vec<Node> {
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_nest_by_level_and_close_containers() {
        let mut tree = TreeBuilder::new();
        let one = tree.section(1, "1".into(), vec![]);
        let deep = tree.section(3, "1.0.1".into(), vec![]);
        let list = tree.open(NodeKind::List, String::new(), vec![]);
        let step = NodeKind::Step {
            marker: "1.".into(),
        };
        let step = tree.add(step, "Turn.".into(), vec![]);
        let two = tree.section(2, "1.1".into(), vec![]);
        let text = tree.add(NodeKind::Text, "Words.".into(), vec![]);
        let nodes = tree.finish();
        let parents: Vec<_> = nodes.iter().map(|node| node.parent).collect();
        assert_eq!(
            parents,
            [
                None,
                Some(one),
                Some(deep),
                Some(list),
                Some(one),
                Some(two)
            ]
        );
        assert_eq!(nodes[list.0 as usize].children, [step]);
        assert_eq!(nodes[two.0 as usize].children, [text]);
    }
}
