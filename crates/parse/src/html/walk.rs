//! The walk over a page that turns elements into blocks.

use super::boilerplate::Boilerplate;
use super::dom::{Dom, DomId};
use super::facts::{Facts, heading_rank, is_block};
use super::inline::Run;
use super::reader::MAX_DEPTH;
use crate::assets::Pictures;
use crate::block::{Block, BlockKind, Heading};
use crate::caption::pair_captions;

/// The walk, and what it has found so far.
pub(super) struct Walk<'a, 's> {
    pub(super) dom: &'a Dom,
    pub(super) facts: &'a [Facts],
    pub(super) boilerplate: &'a Boilerplate,
    pub(super) pictures: Pictures<'s>,
    /// The blocks found, in the innermost list item, figure or the page itself.
    pub(super) out: Vec<Block>,
    /// The line being gathered.
    pub(super) run: Run,
    /// The last name passed that leads to whatever comes next.
    pub(super) pending: Option<String>,
    /// Whether all that is gathered becomes one line, as in a cell or caption.
    pub(super) one_line: bool,
    /// Letters from which the words of a button count: those of one that is its whole heading.
    pub(super) min_button: u32,
    pub(super) list_depth: u16,
    depth: u16,
}

impl<'a, 's> Walk<'a, 's> {
    /// The blocks of what stands below `root`, and the pictures found.
    pub(super) fn blocks(
        dom: &'a Dom,
        facts: &'a [Facts],
        boilerplate: &'a Boilerplate,
        pictures: Pictures<'s>,
        root: DomId,
    ) -> (Vec<Block>, Pictures<'s>) {
        let mut walk = Self {
            dom,
            facts,
            boilerplate,
            pictures,
            out: Vec::new(),
            run: Run::default(),
            pending: None,
            one_line: false,
            min_button: u32::MAX,
            list_depth: 0,
            depth: 0,
        };
        walk.container(root);
        (walk.out, walk.pictures)
    }

    /// What stands in an element, in order; captions find their figures.
    pub(super) fn container(&mut self, id: DomId) {
        self.flush();
        self.pass_anchor(id);
        let start = self.out.len();
        self.children(id);
        self.flush();
        pair_captions(&mut self.out[start..]);
    }

    /// The children of an element, one after another.
    pub(super) fn children(&mut self, id: DomId) {
        if self.depth > MAX_DEPTH {
            // Only reachable where html5ever moves elements about; the text is what counts.
            return self.gather(id);
        }
        self.depth += 1;
        let dom = self.dom;
        for child in dom.children(id) {
            self.node(child);
        }
        self.depth -= 1;
    }

    /// A text or an element.
    pub(super) fn node(&mut self, id: DomId) {
        if self.boilerplate.skips(id) {
            return;
        }
        if let Some(text) = self.dom.text(id) {
            self.run.push(text);
        } else if self.dom.is_element(id) {
            self.element(id);
        }
    }

    fn element(&mut self, id: DomId) {
        if is_block(self.dom, id) {
            return self.block(id);
        }
        if !self.facts[id.index()].has_block {
            return self.gather(id);
        }
        // An inline element around blocks is not there, as it were.
        if !self.gather_element(id) {
            self.enter(id);
            self.children(id);
            self.leave(id);
        }
    }

    fn block(&mut self, id: DomId) {
        let dom = self.dom;
        if let Some(rank) = heading_rank(dom, id) {
            return self.heading(id, rank);
        }
        if self.is_note(id) {
            return self.notes(id);
        }
        match dom.name(id) {
            "p" => self.paragraph(id),
            "ul" | "ol" | "menu" | "dir" => self.list(id),
            "dl" => self.definitions(id),
            "table" => self.table(id),
            "figure" => self.figure(id),
            "pre" | "listing" | "xmp" => self.code(id),
            _ if self.is_caption(id) => self.caption_paragraph(id),
            _ if self.gather_element(id) => {}
            _ => self.container(id),
        }
    }

    fn paragraph(&mut self, id: DomId) {
        if self.is_caption(id) {
            return self.caption_paragraph(id);
        }
        self.flush();
        self.run.anchor = self.own_anchor(id);
        self.children(id);
        self.flush();
    }

    fn heading(&mut self, id: DomId, rank: u8) {
        let half = self.facts[id.index()].letters / 2 + 1;
        let was = std::mem::replace(&mut self.min_button, half);
        let (text, pictures, inner) = self.line(id);
        self.min_button = was;
        let anchor = self.own_anchor(id).or(inner).or(self.pending.take());
        if !text.is_empty() {
            let titled = self.dom.has_class(id, "title");
            let kind = BlockKind::Heading(Heading { rank, text, titled });
            self.out.push(Block {
                anchor,
                ..Block::new(kind)
            });
        }
        self.out.extend(pictures);
    }

    /// The text of an element as one line, the pictures in it, and the first name in it.
    pub(super) fn line(&mut self, id: DomId) -> (String, Vec<Block>, Option<String>) {
        self.flush();
        let was = std::mem::replace(&mut self.one_line, true);
        let dom = self.dom;
        for child in dom.children(id) {
            if !self.boilerplate.skips(child) {
                self.gather(child);
            }
        }
        self.one_line = was;
        let run = self.take_run();
        let anchor = run.anchor.clone();
        let (text, pictures) = run.into_parts();
        (text, pictures, anchor)
    }

    /// The blocks that `walk` finds, on their own.
    pub(super) fn nested(&mut self, walk: impl FnOnce(&mut Self)) -> Vec<Block> {
        self.flush();
        let outer = std::mem::take(&mut self.out);
        walk(self);
        self.flush();
        std::mem::replace(&mut self.out, outer)
    }

    /// Ends the paragraph being gathered.
    pub(super) fn flush(&mut self) {
        let mut run = self.take_run();
        let trailing = run.trailing.take();
        let before = self.out.len();
        run.into_blocks(&mut self.out);
        if self.out.len() > before {
            self.give_pending(before);
        }
        self.pending = trailing.or(self.pending.take());
    }

    /// The line gathered so far; a new one begins.
    fn take_run(&mut self) -> Run {
        let next = self.run.next();
        std::mem::replace(&mut self.run, next)
    }

    /// Gives the pending name to the first figure found since, and forgets it where text came.
    fn give_pending(&mut self, first: usize) {
        let Some(name) = self.pending.take() else {
            return;
        };
        let block = &mut self.out[first];
        if matches!(block.kind, BlockKind::Figure(_)) && block.anchor.is_none() {
            block.anchor = Some(name);
        }
    }

    /// An element's own name.
    pub(super) fn own_anchor(&self, id: DomId) -> Option<String> {
        let dom = self.dom;
        let name = dom.filled_attr(id, "id").or_else(|| {
            let named = matches!(dom.name(id), "a" | "map");
            dom.filled_attr(id, "name").filter(|_| named)
        });
        name.map(str::to_owned)
    }

    /// Keeps the name of an element around what comes next.
    pub(super) fn pass_anchor(&mut self, id: DomId) {
        if let Some(name) = self.own_anchor(id) {
            self.pending = Some(name);
        }
    }

    /// Keeps the name of an element within text: for the text, and, where none has come yet, for
    /// a heading or figure that follows.
    pub(super) fn note_anchor(&mut self, id: DomId) {
        let Some(name) = self.own_anchor(id) else {
            return;
        };
        if !self.one_line {
            if self.run.is_empty() {
                self.pending = Some(name.clone());
            } else {
                self.run.trailing = Some(name.clone());
            }
        }
        self.run.anchor.get_or_insert(name);
    }
}
