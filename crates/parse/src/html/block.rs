//! What a page holds, before it becomes a tree: blocks in reading order.

use catena_document::{ContentHash, LabelKind, Table};

/// A heading, paragraph, list, table or the like.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    /// The name in the page that leads here.
    pub(super) anchor: Option<String>,
}

#[derive(Debug)]
pub(super) enum BlockKind {
    Heading(Heading),
    Paragraph(Paragraph),
    List(Vec<Item>),
    Table {
        table: Table,
        /// The rows as lines.
        text: String,
        caption: Option<String>,
    },
    Figure(Box<Figure>),
    Formula(String),
    Code(String),
    Footnote(String),
    /// Its text has become a caption.
    Taken,
}

#[derive(Debug)]
pub(super) struct Heading {
    /// 1 to 6 as its tag says, or more by `aria-level`.
    pub(super) rank: u8,
    pub(super) text: String,
    /// Whether its class says that it is the document's title.
    pub(super) titled: bool,
}

#[derive(Debug)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) role: Role,
}

/// What speaks for a paragraph being a caption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing.
    Body,
    /// All of it is set apart (italic, bold or small).
    Emphasised,
    /// Its element is called a caption.
    Caption,
    /// It begins with a label like `Figure 3.`
    Labelled(LabelKind),
}

#[derive(Debug, Default)]
pub(super) struct Item {
    pub(super) marker: String,
    /// Whether it is a step of a procedure.
    pub(super) step: bool,
    pub(super) text: String,
    pub(super) anchor: Option<String>,
    /// What it holds besides its text.
    pub(super) blocks: Vec<Block>,
}

#[derive(Debug, Default)]
pub(super) struct Figure {
    pub(super) image: Option<ContentHash>,
    pub(super) alt: Option<String>,
    /// The words inside the picture.
    pub(super) text: String,
    pub(super) caption: Option<String>,
    /// The pictures that share its caption.
    pub(super) parts: Vec<Block>,
    /// What tells it from other pictures: its address.
    pub(super) source: String,
    /// Its longer side, in CSS pixels, where known.
    pub(super) extent: Option<u32>,
}

impl Block {
    pub(super) fn new(kind: BlockKind) -> Self {
        Self { kind, anchor: None }
    }

    /// A paragraph of running text.
    pub(super) fn paragraph(text: String) -> Self {
        let role = Role::Body;
        Self::new(BlockKind::Paragraph(Paragraph { text, role }))
    }

    /// Whether it is a figure or table without a caption.
    pub(super) fn lacks_caption(&self) -> bool {
        match &self.kind {
            BlockKind::Figure(figure) => figure.caption.is_none(),
            BlockKind::Table { caption, .. } => caption.is_none(),
            _ => false,
        }
    }

    /// Sets the caption of a figure or table.
    pub(super) fn set_caption(&mut self, text: String) {
        match &mut self.kind {
            BlockKind::Figure(figure) => figure.caption = Some(text),
            BlockKind::Table { caption, .. } => *caption = Some(text),
            _ => {}
        }
    }
}
