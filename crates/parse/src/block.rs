//! What a page holds, before it becomes a tree: blocks in reading order.

use catena_document::{ContentHash, LabelKind, Table};

/// A heading, paragraph, list, table or the like.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// The name in the page that leads here.
    pub(crate) anchor: Option<String>,
    /// The names that links in its text lead to.
    pub(crate) links: Vec<String>,
}

#[derive(Debug)]
pub(crate) enum BlockKind {
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
pub(crate) struct Heading {
    /// 1 to 6 as its tag says, or more by `aria-level`.
    pub(crate) rank: u8,
    pub(crate) text: String,
    /// Whether its class says that it is the document's title.
    pub(crate) titled: bool,
}

#[derive(Debug)]
pub(crate) struct Paragraph {
    pub(crate) text: String,
    pub(crate) role: Role,
}

/// What speaks for a paragraph being a caption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
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
pub(crate) struct Item {
    pub(crate) marker: String,
    /// Whether it is a step of a procedure.
    pub(crate) step: bool,
    pub(crate) text: String,
    pub(crate) anchor: Option<String>,
    /// The names that links in its text lead to.
    pub(crate) links: Vec<String>,
    /// What it holds besides its text.
    pub(crate) blocks: Vec<Block>,
}

#[derive(Debug, Default)]
pub(crate) struct Figure {
    pub(crate) image: Option<ContentHash>,
    pub(crate) alt: Option<String>,
    /// The words inside the picture.
    pub(crate) text: String,
    pub(crate) caption: Option<String>,
    /// The pictures that share its caption.
    pub(crate) parts: Vec<Block>,
    /// What tells it from other pictures: its address.
    pub(crate) source: String,
    /// Its longer side, in CSS pixels, where known.
    pub(crate) extent: Option<u32>,
}

impl Block {
    pub(crate) fn new(kind: BlockKind) -> Self {
        Self {
            kind,
            anchor: None,
            links: Vec::new(),
        }
    }

    /// A paragraph of running text.
    pub(crate) fn paragraph(text: String) -> Self {
        let role = Role::Body;
        Self::new(BlockKind::Paragraph(Paragraph { text, role }))
    }

    /// Whether it is a figure or table without a caption.
    pub(crate) fn lacks_caption(&self) -> bool {
        match &self.kind {
            BlockKind::Figure(figure) => figure.caption.is_none(),
            BlockKind::Table { caption, .. } => caption.is_none(),
            _ => false,
        }
    }

    /// Sets the caption of a figure or table.
    pub(crate) fn set_caption(&mut self, text: String) {
        match &mut self.kind {
            BlockKind::Figure(figure) => figure.caption = Some(text),
            BlockKind::Table { caption, .. } => *caption = Some(text),
            _ => {}
        }
    }
}

/// What stands for the pictures of a cell without words.
pub(crate) fn alternative(pictures: &[Block]) -> String {
    let alts: Vec<&str> = pictures
        .iter()
        .filter_map(|block| match &block.kind {
            BlockKind::Figure(figure) => figure.alt.as_deref(),
            _ => None,
        })
        .collect();
    alts.join(" ")
}
