//! Evidence units: what is retrieved.

use crate::{
    ContentHash, Node, NodeId, NodeKind, Picture, Provenance, Relation, Table, UnitId, View,
    sentences,
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What kind of evidence a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Modality {
    /// Paragraphs, lists, steps, code, notes.
    Text,
    /// A table.
    Table,
    /// A figure.
    Figure,
    /// A formula.
    Formula,
}

impl Modality {
    /// Its name in output: `text`, `table`, `figure`, `formula`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Table => "table",
            Self::Figure => "figure",
            Self::Formula => "formula",
        }
    }

    /// Whether it counts against the visual budget `k_v` (figures and tables).
    pub fn is_visual(self) -> bool {
        matches!(self, Self::Table | Self::Figure)
    }
}

/// A unit as references into its document: small, and all that a store needs to keep of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The view that cut it.
    pub view: View,
    /// Its place in that view, from 0.
    pub ordinal: u32,
    /// What kind of evidence it is.
    pub modality: Modality,
    /// Its own nodes in reading order, at least one.
    pub nodes: Vec<NodeId>,
    /// The first byte of the first node's text that belongs to it.
    pub start: u32,
    /// The byte of the last node's text where it ends.
    pub end: u32,
    /// The section headers above it, outermost first.
    pub ancestors: Vec<NodeId>,
    /// Its caption.
    pub caption: Option<NodeId>,
    /// The neighbour before it in its section.
    pub before: Option<NodeId>,
    /// The neighbour after it in its section.
    pub after: Option<NodeId>,
    /// For text the figures and tables that it names or that illustrate it; for figures and
    /// tables the texts that name them.
    pub nearby: Vec<NodeId>,
    /// Its role towards its neighbours.
    pub relation: LocalRelation,
    /// What a model stated of its node; only in [`View::Relations`], and there its content.
    pub stated: Option<Relation>,
}

/// A unit's role towards the evidence around it: `r` of HAM-RAG's evidence object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalRelation {
    /// The role.
    pub kind: RelationKind,
    /// Towards which node.
    pub to: Option<NodeId>,
}

/// The roles that a unit can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RelationKind {
    /// Running text of its section.
    Body,
    /// Steps or items of a list.
    ItemsOf,
    /// A figure or table inside a step or item.
    IllustratesStep,
    /// A figure or table that supports the paragraph before it (or, at a section's start, after).
    SupportsParagraph,
    /// A heading with nothing below it.
    Heading,
}

impl RelationKind {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::ItemsOf => "items_of",
            Self::IllustratesStep => "illustrates_step",
            Self::SupportsParagraph => "supports_paragraph",
            Self::Heading => "heading",
        }
    }
}

/// The evidence object e = {x, m, p, a, l, r} of HAM-RAG: a unit with everything that it refers
/// to read from its tree.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceUnit {
    /// Its name.
    pub id: UnitId,
    /// The document's title.
    pub document_title: String,
    /// `m`: what kind of evidence it is.
    pub modality: Modality,
    /// `x`: its own content.
    pub content: Content,
    /// `p`: the nodes from the root to the unit, itself last.
    pub path: Vec<NodeId>,
    /// `a`: the headings above with their section context, outermost first.
    pub ancestors: Vec<Ancestor>,
    /// `l`: what stands around it.
    pub context: LocalContext,
    /// `r`: its role towards its neighbours.
    pub relation: LocalRelation,
    /// Its places, in reading order. Text has one box a line.
    pub provenance: Vec<Provenance>,
}

/// A unit's own content, in the source's wording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    /// Its words: paragraphs and items, a line each, items after their marker; a table's rows;
    /// the words inside a figure.
    pub text: String,
    /// Which bytes of `text` come from which node.
    pub pieces: Vec<Piece>,
    /// Its caption.
    pub caption: Option<String>,
    /// Its cells, for a table.
    pub table: Option<Table>,
    /// What is known of the picture, for a figure.
    pub picture: Option<Picture>,
}

/// The bytes of a unit's text that come from one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The node.
    pub node: NodeId,
    /// Its bytes in [`Content::text`], marker left out.
    pub span: Range<usize>,
    /// The number or bullet printed before it; empty for a paragraph.
    pub marker: String,
    /// Whether it is a step of a procedure.
    pub step: bool,
    /// The node's places, their spans counted in [`Content::text`].
    pub places: Vec<Provenance>,
}

/// A heading above a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// The section header.
    pub node: NodeId,
    /// Its depth below the title, from 1.
    pub level: u8,
    /// Its words.
    pub heading: String,
    /// How the section begins: the first sentence of its first paragraph, or nothing where that
    /// is part of the unit.
    pub context: String,
}

/// What stands around a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalContext {
    /// The words before it in its section.
    pub before: String,
    /// The words after it in its section.
    pub after: String,
    /// For text its figures and tables, for figures and tables the texts that name them.
    pub nearby: Vec<Nearby>,
}

/// A node near a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearby {
    /// The node.
    pub node: NodeId,
    /// Its words: a figure's caption, a text's sentence.
    pub text: String,
}

impl EvidenceUnit {
    /// The places of the bytes `span` of the content's text; those of the whole unit where the
    /// span has none of its own (a figure).
    pub fn places(&self, span: &Range<usize>) -> Vec<Provenance> {
        let (start, end) = (span.start as u32, span.end as u32);
        let found: Vec<_> = self
            .content
            .pieces
            .iter()
            .flat_map(|piece| &piece.places)
            .filter(|place| place.char_span.start < end && place.char_span.end > start)
            .cloned()
            .collect();
        if found.is_empty() {
            self.provenance.clone()
        } else {
            found
        }
    }

    /// The page that it begins on.
    pub fn page(&self) -> Option<u32> {
        self.provenance.first().map(|place| place.page)
    }

    /// Headings from the outermost to the innermost.
    pub fn heading_path(&self) -> Vec<&str> {
        self.ancestors
            .iter()
            .map(|ancestor| ancestor.heading.as_str())
            .collect()
    }

    /// The hash of the picture's own file, where it is not cut from a page.
    pub fn image(&self) -> Option<ContentHash> {
        self.content.picture.as_ref()?.image
    }
}

/// The longest neighbour text that is kept, in characters; cut at a sentence.
const NEIGHBOUR_CHARS: usize = 400;

impl Unit {
    /// The whole evidence object, its nodes read by `node`; a missing node is left out.
    pub fn resolve(
        &self,
        document: crate::DocumentId,
        document_title: &str,
        node: impl Fn(NodeId) -> Option<Node>,
    ) -> EvidenceUnit {
        let mut content = Content {
            caption: self.caption.and_then(&node).map(|node| node.text),
            ..Content::default()
        };
        let mut provenance = Vec::new();
        let own: Vec<Node> = self.nodes.iter().filter_map(|&id| node(id)).collect();
        for (at, own_node) in own.iter().enumerate() {
            let start = if at == 0 { self.start as usize } else { 0 };
            let end = if at + 1 == own.len() {
                (self.end as usize).min(own_node.text.len())
            } else {
                own_node.text.len()
            };
            push_piece(&mut content, &mut provenance, own_node, start..end);
        }
        if let Some(stated) = &self.stated {
            content = Content {
                text: stated.words(),
                ..Content::default()
            };
        }
        EvidenceUnit {
            id: UnitId {
                document,
                view: self.view,
                ordinal: self.ordinal,
            },
            document_title: document_title.to_owned(),
            modality: self.modality,
            content,
            path: path_of(own.first(), &node),
            ancestors: self.ancestors_of(&node),
            context: self.context_of(&node),
            relation: self.relation,
            provenance,
        }
    }

    fn ancestors_of(&self, node: &impl Fn(NodeId) -> Option<Node>) -> Vec<Ancestor> {
        let header = |id| {
            let header = node(id)?;
            let NodeKind::SectionHeader { level } = header.kind else {
                return None;
            };
            let first = header
                .children
                .first()
                .filter(|id| !self.nodes.contains(id));
            let first = first.and_then(|&id| node(id));
            let context = first
                .filter(|node| node.kind == NodeKind::Text)
                .map_or_else(String::new, |text| {
                    let first = sentences(&text.text).into_iter().next();
                    let first = first.map_or("", |at| &text.text[at]);
                    head(first, NEIGHBOUR_CHARS / 2).to_owned()
                });
            Some(Ancestor {
                node: id,
                level,
                heading: header.text,
                context,
            })
        };
        self.ancestors.iter().copied().filter_map(header).collect()
    }

    fn context_of(&self, node: &impl Fn(NodeId) -> Option<Node>) -> LocalContext {
        let words = |id: Option<NodeId>| id.and_then(node).map(|node| node.text);
        let nearby = self.nearby.iter().filter_map(|&id| {
            let near = node(id)?;
            let text = if matches!(near.kind, NodeKind::Picture(_) | NodeKind::Table(_)) {
                let mut children = near.children.iter().filter_map(|&id| node(id));
                let caption = children.find(|child| child.kind == NodeKind::Caption)?;
                caption.text
            } else {
                head(&near.text, NEIGHBOUR_CHARS).to_owned()
            };
            Some(Nearby { node: id, text })
        });
        LocalContext {
            before: tail(&words(self.before).unwrap_or_default(), NEIGHBOUR_CHARS).to_owned(),
            after: head(&words(self.after).unwrap_or_default(), NEIGHBOUR_CHARS).to_owned(),
            nearby: nearby.collect(),
        }
    }
}

/// Adds the bytes `part` of a node's text to the content, and its places.
fn push_piece(
    content: &mut Content,
    provenance: &mut Vec<Provenance>,
    node: &Node,
    part: Range<usize>,
) {
    let (marker, step) = match &node.kind {
        NodeKind::ListItem { marker } => (marker.as_str(), false),
        NodeKind::Step { marker } => (marker.as_str(), true),
        _ => ("", false),
    };
    let part = floor(&node.text, part.start)..floor(&node.text, part.end);
    let places: Vec<_> = node
        .provenance
        .iter()
        .filter(|place| {
            let whole = place.char_span.is_empty();
            let span = &place.char_span;
            whole || (span.start < part.end as u32 && span.end > part.start as u32)
        })
        .cloned()
        .collect();
    match &node.kind {
        NodeKind::Picture(picture) => content.picture = Some(picture.clone()),
        NodeKind::Table(table) => content.table = Some(table.clone()),
        _ => {}
    }
    provenance.extend(places.iter().cloned());
    let text = node.text[part.clone()].trim_end();
    if text.is_empty() {
        return;
    }
    if !content.text.is_empty() {
        content.text.push('\n');
    }
    if !marker.is_empty() && part.start == 0 {
        content.text.push_str(marker);
        content.text.push(' ');
    }
    let start = content.text.len();
    content.text.push_str(text);
    let shift = |at: u32| {
        let inside = (at as usize).clamp(part.start, part.end) - part.start;
        (start + inside.min(text.len())) as u32
    };
    let places = places
        .into_iter()
        .map(|place| Provenance {
            char_span: shift(place.char_span.start)..shift(place.char_span.end),
            ..place
        })
        .collect();
    content.pieces.push(Piece {
        node: node.id,
        span: start..content.text.len(),
        marker: marker.to_owned(),
        step,
        places,
    });
}

fn path_of(first: Option<&Node>, node: &impl Fn(NodeId) -> Option<Node>) -> Vec<NodeId> {
    let mut path = Vec::new();
    let mut at = first.map(|node| (node.id, node.parent));
    while let Some((id, parent)) = at {
        path.push(id);
        at = parent.and_then(node).map(|node| (node.id, node.parent));
    }
    path.reverse();
    path
}

/// The largest character boundary of `text` at or below `at`.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// The whole sentences at the start of `text` that fit in `chars`; at least a cut first one.
pub(crate) fn head(text: &str, chars: usize) -> &str {
    let mut end = 0;
    for sentence in sentences(text) {
        if text[..sentence.end].chars().count() > chars {
            break;
        }
        end = sentence.end;
    }
    if end > 0 {
        return &text[..end];
    }
    let cut = text
        .char_indices()
        .nth(chars)
        .map_or(text.len(), |(at, _)| at);
    text[..cut]
        .rsplit_once(' ')
        .filter(|_| cut < text.len())
        .map_or(&text[..cut], |(a, _)| a)
}

/// The whole sentences at the end of `text` that fit in `chars`; at least a cut last one.
pub(crate) fn tail(text: &str, chars: usize) -> &str {
    let mut start = text.len();
    for sentence in sentences(text).into_iter().rev() {
        if text[sentence.start..].chars().count() > chars {
            break;
        }
        start = sentence.start;
    }
    if start < text.len() {
        return &text[start..];
    }
    let skip = text.chars().count().saturating_sub(chars);
    let cut = text
        .char_indices()
        .nth(skip)
        .map_or(text.len(), |(at, _)| at);
    text[cut..]
        .split_once(' ')
        .filter(|_| cut > 0)
        .map_or(&text[cut..], |(_, b)| b)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{BBox, Document, DocumentId, MediaType, TreeBuilder};

    /// A document of these nodes.
    pub(crate) fn document(tree: TreeBuilder) -> Document {
        Document {
            id: DocumentId::of(b"test"),
            sources: vec!["test.pdf".into()],
            media_type: MediaType::Pdf,
            title: "Pump manual".into(),
            language: Some("en".into()),
            pages: vec![],
            nodes: tree.finish(),
        }
    }

    /// A place on page `page` for a text of `len` bytes.
    pub(crate) fn place(page: u32, top: f32, len: usize) -> Vec<Provenance> {
        vec![Provenance {
            page,
            bbox: BBox::new(10.0, top, 100.0, top + 10.0),
            char_span: 0..len as u32,
        }]
    }

    /// A small manual: a procedure with a figure, then a section with a table.
    pub(crate) fn manual() -> TreeBuilder {
        let mut tree = TreeBuilder::new();
        let add = |tree: &mut TreeBuilder, kind, text: &str, top| {
            tree.add(kind, text.into(), place(1, top, text.len()))
        };
        let step = |n: u32| NodeKind::Step {
            marker: format!("{n}."),
        };
        tree.section(1, "1 Service".into(), place(1, 0.0, 9));
        tree.section(2, "1.1 Pump".into(), place(1, 10.0, 8));
        add(
            &mut tree,
            NodeKind::Text,
            "Remove the pump as in Figure 1. Faults are in Section 2.",
            20.0,
        );
        tree.open(NodeKind::List, String::new(), vec![]);
        add(&mut tree, step(1), "Close the valve.", 30.0);
        let lift = "Lift the pump (Figure 1).";
        tree.open(step(2), lift.into(), place(1, 40.0, lift.len()));
        tree.open(
            NodeKind::Picture(Picture::default()),
            String::new(),
            place(1, 50.0, 0),
        );
        add(&mut tree, NodeKind::Caption, "Figure 1. The pump", 60.0);
        tree.section(1, "2 Faults".into(), place(2, 0.0, 8));
        add(&mut tree, NodeKind::Text, "The table names them.", 70.0);
        let table = Table {
            rows: 1,
            columns: 2,
            cells: ["E1", "No water"]
                .iter()
                .zip(0..)
                .map(|(text, column)| crate::Cell {
                    column,
                    row_span: 1,
                    column_span: 1,
                    text: (*text).to_owned(),
                    ..crate::Cell::default()
                })
                .collect(),
        };
        let text = table.text();
        tree.add(NodeKind::Table(table), text, place(2, 80.0, 0));
        tree
    }

    #[test]
    fn heads_and_tails_are_whole_sentences() {
        let text = "One two. Three four. Five.";
        assert_eq!(head(text, 20), "One two. Three four.");
        assert_eq!(head(text, 5), "One");
        assert_eq!(tail(text, 10), "Five.");
        assert_eq!(tail("unbroken words here", 10), "here");
        assert_eq!((head("", 5), tail("", 5)), ("", ""));
    }
}
