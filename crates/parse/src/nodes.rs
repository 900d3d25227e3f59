//! Blocks become the document's nodes.

use crate::block::{Block, BlockKind, Figure, Item};
use catena_document::{Node, NodeId, NodeKind, Picture, TreeBuilder, caption_label};
use std::collections::HashMap;

/// A picture without a caption that is shown more often than this is an icon, if it is small.
const MAX_REPEATS: usize = 3;
/// The longer side of the largest icon, in pixels.
const MAX_ICON: u32 = 160;

/// Title and depth of headings.
pub(crate) struct Outline {
    /// The block that is the title.
    pub(crate) title: Option<usize>,
    /// The level of each heading other than the title, from 1, in order.
    pub(crate) levels: Vec<u8>,
}

/// The nodes of a page. A title that does not stand among the blocks is given as text.
pub(crate) fn build(blocks: Vec<Block>, outline: &Outline, title: Option<String>) -> Vec<Node> {
    let mut repeats = HashMap::new();
    count_sources(&blocks, &mut repeats);
    let mut build = Build {
        tree: TreeBuilder::new(),
        repeats,
        links: Vec::new(),
        next_links: Vec::new(),
    };
    let mut levels = outline.levels.iter();
    if let Some(title) = title {
        build.tree.add(NodeKind::Title, title, Vec::new());
    } else if let Some(at) = outline.title
        && let BlockKind::Heading(heading) = &blocks[at].kind
    {
        // The title comes first, whatever stands above it on the page.
        let id = build
            .tree
            .add(NodeKind::Title, heading.text.clone(), Vec::new());
        build
            .tree
            .node_mut(id)
            .anchor
            .clone_from(&blocks[at].anchor);
    }
    for (at, block) in blocks.into_iter().enumerate() {
        match block.kind {
            BlockKind::Heading(_) if Some(at) == outline.title => {}
            BlockKind::Heading(heading) => {
                let level = levels.next().copied().unwrap_or(1);
                let id = build.tree.section(level, heading.text, Vec::new());
                build.tree.node_mut(id).anchor = block.anchor;
            }
            _ => build.block(block),
        }
    }
    let links = build.links;
    let mut nodes = build.tree.finish();
    tie(&mut nodes, links);
    nodes
}

/// Sets the links of the nodes: the names that links lead to become the nodes with these names.
/// A name within a file begins with `#`; a whole file is known by its own name.
fn tie(nodes: &mut [Node], links: Vec<(NodeId, Vec<String>)>) {
    let mut named: HashMap<String, NodeId> = HashMap::new();
    for node in nodes.iter() {
        if let Some(anchor) = &node.anchor {
            named.entry(anchor.clone()).or_insert(node.id);
        }
    }
    for (from, names) in links {
        for name in names {
            let bare = name.strip_prefix('#').unwrap_or(&name);
            let to = named.get(bare).copied().filter(|to| *to != from);
            let own = &mut nodes[from.0 as usize].links;
            own.extend(to.filter(|to| !own.contains(to)));
        }
    }
}

struct Build {
    tree: TreeBuilder,
    /// How often each picture is shown.
    repeats: HashMap<String, usize>,
    /// The names that the links of each node lead to.
    links: Vec<(NodeId, Vec<String>)>,
    /// Those of the block that comes next.
    next_links: Vec<String>,
}

impl Build {
    fn block(&mut self, block: Block) {
        self.next_links = block.links;
        let anchor = block.anchor;
        match block.kind {
            BlockKind::Heading(heading) => self.leaf(NodeKind::Text, heading.text, anchor),
            BlockKind::Paragraph(paragraph) => self.leaf(NodeKind::Text, paragraph.text, anchor),
            BlockKind::Formula(text) => self.leaf(NodeKind::Formula, text, anchor),
            BlockKind::Code(text) => self.leaf(NodeKind::Code, text, anchor),
            BlockKind::Footnote(text) => self.leaf(NodeKind::Footnote, text, anchor),
            BlockKind::List(items) => {
                self.open(NodeKind::List, String::new(), anchor);
                for item in items {
                    self.item(item);
                }
                self.tree.close();
            }
            BlockKind::Table {
                table,
                text,
                caption,
            } => {
                self.open(NodeKind::Table(table), text, anchor);
                self.caption(caption);
                self.tree.close();
            }
            BlockKind::Figure(figure) => self.figure(*figure, anchor),
            BlockKind::Taken => {}
        }
    }

    fn leaf(&mut self, kind: NodeKind, text: String, anchor: Option<String>) {
        let id = self.tree.add(kind, text, Vec::new());
        self.named(id, anchor);
    }

    fn open(&mut self, kind: NodeKind, text: String, anchor: Option<String>) -> NodeId {
        let id = self.tree.open(kind, text, Vec::new());
        self.named(id, anchor);
        id
    }

    /// Gives a new node its name and the links of its block.
    fn named(&mut self, id: NodeId, anchor: Option<String>) {
        self.tree.node_mut(id).anchor = anchor;
        let links = std::mem::take(&mut self.next_links);
        if !links.is_empty() {
            self.links.push((id, links));
        }
    }

    fn caption(&mut self, caption: Option<String>) {
        if let Some(text) = caption.filter(|text| !text.is_empty()) {
            self.tree.add(NodeKind::Caption, text, Vec::new());
        }
    }

    fn item(&mut self, item: Item) {
        let marker = item.marker;
        let kind = if item.step {
            NodeKind::Step { marker }
        } else {
            NodeKind::ListItem { marker }
        };
        self.next_links = item.links;
        self.open(kind, item.text, item.anchor);
        for block in item.blocks {
            self.block(block);
        }
        self.tree.close();
    }

    fn figure(&mut self, figure: Figure, anchor: Option<String>) {
        // A name that reads `Figure 3. Pump` is a caption.
        let named = figure
            .alt
            .as_ref()
            .filter(|alt| caption_label(alt).is_some());
        let caption = figure.caption.or_else(|| named.cloned());
        let tells = figure.image.is_some() || figure.alt.is_some() || !figure.text.is_empty();
        let repeats = self.repeats.get(&figure.source).copied().unwrap_or(0);
        let small = figure.extent.is_none_or(|extent| extent < MAX_ICON);
        let icon = repeats > MAX_REPEATS && small;
        if caption.is_some() || (tells && !icon) {
            let picture = Picture {
                image: figure.image,
                alt: figure.alt,
                ..Picture::default()
            };
            self.open(NodeKind::Picture(picture), figure.text, anchor);
            self.caption(caption);
            for part in figure.parts {
                self.block(part);
            }
            self.tree.close();
        }
    }
}

fn count_sources(blocks: &[Block], counts: &mut HashMap<String, usize>) {
    for block in blocks {
        match &block.kind {
            BlockKind::Figure(figure) => {
                if !figure.source.is_empty() {
                    *counts.entry(figure.source.clone()).or_default() += 1;
                }
                count_sources(&figure.parts, counts);
            }
            BlockKind::List(items) => {
                for item in items {
                    count_sources(&item.blocks, counts);
                }
            }
            _ => {}
        }
    }
}
