//! The items of lists, and what belongs to them by its indent.

use super::lines::Line;
use crate::block::{Block, BlockKind, Item};

/// Lists within lists that are kept.
const MAX_LISTS: usize = 16;
/// Characters of the longest marker.
const MAX_MARKER: usize = 6;

/// A line that begins an item.
pub(super) struct Begun<'a> {
    indent: usize,
    /// Where its text begins.
    inside: usize,
    marker: &'a str,
    ordered: bool,
    text: &'a str,
}

/// The item that a line begins, if it does.
pub(super) fn item<'a>(line: &Line<'a>) -> Option<Begun<'a>> {
    let (marker, rest) = line.text.split_once([' ', '\t'])?;
    let text = rest.trim_start();
    let bare = marker.trim_start_matches('(').trim_end_matches(['.', ')']);
    let closed = marker.ends_with(['.', ')']);
    let number = bare.len() <= 3 && bare.chars().all(|c| c.is_ascii_digit());
    let letter = bare.len() == 1 && bare.chars().all(|c| c.is_ascii_lowercase());
    let roman = bare.chars().all(|c| "ivx".contains(c));
    let ordered =
        closed && !bare.is_empty() && marker.len() <= MAX_MARKER && (number || letter || roman);
    let bullet = matches!(
        marker,
        "-" | "*" | "+" | "•" | "–" | "—" | "·" | "o" | "‣" | "◦"
    );
    let width = line.text.chars().count() - text.chars().count();
    ((ordered || bullet) && !text.is_empty()).then_some(Begun {
        indent: line.indent,
        inside: line.indent + width,
        marker,
        ordered,
        text,
    })
}

/// The lists that are open, and the blocks before them.
#[derive(Default)]
pub(super) struct Lists {
    out: Vec<Block>,
    open: Vec<List>,
    /// Whether the last line of this group belongs to an item.
    in_group: bool,
}

struct List {
    indent: usize,
    /// Where the text of its last item begins.
    inside: usize,
    ordered: bool,
    items: Vec<Item>,
}

impl Lists {
    /// Whether an item has begun since the last blank line.
    pub(super) fn is_open_in_group(&self) -> bool {
        self.in_group
    }

    /// A blank line.
    pub(super) fn end_group(&mut self) {
        self.in_group = false;
    }

    /// Adds an item with the lines that go on with it.
    pub(super) fn item(&mut self, begun: &Begun<'_>, more: &str) {
        let same = |list: &List| list.indent == begun.indent && list.ordered == begun.ordered;
        let within = |list: &List| list.indent < begun.indent;
        while self
            .open
            .last()
            .is_some_and(|list| !same(list) && (!within(list) || self.open.len() >= MAX_LISTS))
        {
            self.close();
        }
        let item = Item {
            marker: if begun.ordered { begun.marker } else { "•" }.to_owned(),
            step: begun.ordered,
            text: crate::text::folded(&format!("{} {more}", begun.text)),
            ..Item::default()
        };
        self.in_group = true;
        match self.open.last_mut().filter(|list| same(list)) {
            Some(list) => {
                list.inside = begun.inside;
                list.items.push(item);
            }
            None => self.open.push(List {
                indent: begun.indent,
                inside: begun.inside,
                ordered: begun.ordered,
                items: vec![item],
            }),
        }
    }

    /// Adds a block where its indent places it: in the last item, or after the lists.
    pub(super) fn block(&mut self, block: Block, indent: usize) {
        while self
            .open
            .last()
            .is_some_and(|list| indent < list.inside.min(list.indent + 2))
        {
            self.close();
        }
        match self.open.last_mut().and_then(|list| list.items.last_mut()) {
            Some(item) => item.blocks.push(block),
            None => self.out.push(block),
        }
    }

    /// Adds a block after all lists.
    pub(super) fn outside(&mut self, block: Block) {
        while !self.open.is_empty() {
            self.close();
        }
        self.in_group = false;
        self.out.push(block);
    }

    fn close(&mut self) {
        let Some(list) = self.open.pop() else { return };
        let block = Block::new(BlockKind::List(list.items));
        match self.open.last_mut().and_then(|list| list.items.last_mut()) {
            Some(item) => item.blocks.push(block),
            None => self.out.push(block),
        }
    }

    pub(super) fn finish(mut self) -> Vec<Block> {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }
}
