//! The tree: a document, its pages and its nodes.

use crate::{BBox, ContentHash, DocumentId, NodeId, Table};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A document as a tree of nodes in reading order.
///
/// A node's id is its index in `nodes`. A parent stands before its children, and the nodes below
/// a node follow it without a gap (pre-order); [`TreeBuilder`](crate::TreeBuilder) keeps this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The hash of the file.
    pub id: DocumentId,
    /// Where it came from: one or more URIs or paths with this very content.
    pub sources: Vec<String>,
    /// The kind of file.
    pub media_type: MediaType,
    /// Its title: from the page, else from the file's metadata, else the file name.
    pub title: String,
    /// ISO 639-1 code of its language, if that could be told.
    pub language: Option<String>,
    /// Its pages in order; empty where the format has none.
    pub pages: Vec<Page>,
    /// Its nodes in reading order.
    pub nodes: Vec<Node>,
}

impl Document {
    /// The node of this id.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    /// The nodes with no parent, in order.
    pub fn roots(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.parent.is_none())
    }

    /// The children of a node, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        let children = self.node(id).map_or(&[][..], |node| &node.children);
        children.iter().filter_map(|&child| self.node(child))
    }

    /// The section headers above a node, outermost first.
    pub fn headings(&self, id: NodeId) -> Vec<&Node> {
        let mut above = Vec::new();
        let mut at = self.node(id).and_then(|node| node.parent);
        while let Some(node) = at.and_then(|id| self.node(id)) {
            if matches!(node.kind, NodeKind::SectionHeader { .. }) {
                above.push(node);
            }
            at = node.parent;
        }
        above.reverse();
        above
    }
}

/// The kinds of files that are read. Stores keep the number of a kind: new ones go to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MediaType {
    /// `application/pdf`
    Pdf,
    /// `text/html`
    Html,
    /// `text/markdown`
    Markdown,
    /// `application/vnd.openxmlformats-officedocument.wordprocessingml.document`
    Docx,
    /// `application/vnd.openxmlformats-officedocument.presentationml.presentation`
    Pptx,
    /// `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`
    Xlsx,
    /// `application/epub+zip`
    Epub,
    /// `image/png`
    Png,
    /// `image/jpeg`
    Jpeg,
    /// `image/gif`
    Gif,
    /// `image/webp`
    WebP,
    /// `image/bmp`
    Bmp,
    /// `image/tiff`
    Tiff,
    // Kinds are stored by their place: new ones come last.
    /// `text/plain`
    Text,
}

impl MediaType {
    /// Whether its pages can be drawn: PDF, and pictures.
    pub fn has_page_images(self) -> bool {
        match self {
            Self::Pdf
            | Self::Png
            | Self::Jpeg
            | Self::Gif
            | Self::WebP
            | Self::Bmp
            | Self::Tiff => true,
            Self::Html
            | Self::Markdown
            | Self::Docx
            | Self::Pptx
            | Self::Xlsx
            | Self::Epub
            | Self::Text => false,
        }
    }

    /// The registered name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Html => "text/html",
            Self::Markdown => "text/markdown",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Pptx => {
                "application/vnd.openxmlformats-officedocument.presentationml.presentation"
            }
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Epub => "application/epub+zip",
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Bmp => "image/bmp",
            Self::Tiff => "image/tiff",
            Self::Text => "text/plain",
        }
    }
}

/// A page as the reader sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Its number, from 1, as its place in the file.
    pub number: u32,
    /// Width in points, after rotation.
    pub width: f32,
    /// Height in points, after rotation.
    pub height: f32,
    /// Rotation asked for by the file: 0, 90, 180 or 270 degrees clockwise. Boxes are already
    /// turned.
    pub rotation: u16,
    /// The number that is printed on it (`12`, `iv`, `A-3`), where it is known.
    pub label: Option<String>,
}

/// A place where (part of) a node stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Page number, from 1.
    pub page: u32,
    /// Box on that page. Text has one box a line.
    pub bbox: BBox,
    /// The bytes of the node's text that stand in the box.
    pub char_span: Range<u32>,
}

/// One node of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its place in [`Document::nodes`].
    pub id: NodeId,
    /// The node above: a section header, list, item, table or picture; none at the top.
    pub parent: Option<NodeId>,
    /// The nodes directly below, in order.
    pub children: Vec<NodeId>,
    /// What it is.
    pub kind: NodeKind,
    /// Its own words in the source's wording, white space folded; empty for lists. A table's is
    /// [`Table::text`], a picture's the words inside it.
    pub text: String,
    /// Where it stands, in reading order; empty where the format has no pages.
    pub provenance: Vec<Provenance>,
    /// A name in the file that leads to it (an HTML `id`, a heading's slug), where it has one.
    pub anchor: Option<String>,
    /// The nodes that links in its text lead to.
    pub links: Vec<NodeId>,
}

impl Node {
    /// The page that it begins on.
    pub fn page(&self) -> Option<u32> {
        self.provenance.first().map(|place| place.page)
    }

    /// The boxes of the bytes `span` of the text, one a line.
    pub fn places(&self, span: &Range<usize>) -> Vec<Provenance> {
        let (start, end) = (span.start as u32, span.end as u32);
        self.provenance
            .iter()
            .filter(|place| place.char_span.start < end && place.char_span.end > start)
            .cloned()
            .collect()
    }
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum NodeKind {
    /// The document's title on the page.
    Title,
    /// A heading; the nodes of its section are its children.
    SectionHeader {
        /// Depth below the title, from 1.
        level: u8,
    },
    /// A paragraph.
    Text,
    /// A list; its items or steps are its children.
    List,
    /// An item of a list.
    ListItem {
        /// Its bullet or number as printed, e.g. `•` or `(a)`.
        marker: String,
    },
    /// A numbered step of a procedure.
    Step {
        /// Its number as printed, e.g. `3.`.
        marker: String,
    },
    /// A table; its caption and notes are its children.
    Table(Table),
    /// A figure; its caption is its child.
    Picture(Picture),
    /// The caption of the picture or table above it.
    Caption,
    /// A formula set on its own.
    Formula,
    /// Code, or other text whose line breaks matter.
    Code,
    /// A footnote.
    Footnote,
    /// Part of a table of contents; not evidence.
    Contents,
    /// A running header; not evidence.
    PageHeader,
    /// A running footer or page number; not evidence.
    PageFooter,
}

/// What is known of a figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The image's bytes, kept with the document; none where the picture is cut from its page.
    pub image: Option<ContentHash>,
    /// The text that the author gave in its place (`alt`).
    pub alt: Option<String>,
    /// Where the words inside the figure stand, in reading order.
    pub labels: Vec<PictureLabel>,
    /// What a model that sees wrote of it.
    pub description: Option<Description>,
}

impl Picture {
    /// What is said of it in words that are not its own: the alternative text, the description.
    pub fn told(&self) -> impl Iterator<Item = &str> {
        let description = self.description.as_ref();
        let description = description.map(|description| description.text.as_str());
        self.alt.as_deref().into_iter().chain(description)
    }
}

/// A model's description of a figure: evidence to search, never quoted as the source's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The description.
    pub text: String,
    /// The model's name.
    pub model: String,
}

/// Words inside a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureLabel {
    /// Their bytes in the picture node's text.
    pub span: Range<u32>,
    /// Their box on the figure's page.
    pub bbox: BBox,
}
