//! Code, and other text whose line breaks matter.

use super::dom::{Dom, DomId, Edge};
use super::facts::is_block;
use super::figure::Seen;
use super::walk::Walk;
use crate::block::{Block, BlockKind};

impl Walk<'_, '_> {
    pub(super) fn code(&mut self, id: DomId) {
        self.flush();
        let dom = self.dom;
        let mut text = String::new();
        let mut pictures = Vec::new();
        let mut edges = dom.edges(id);
        while let Some(edge) = edges.next() {
            match edge {
                Edge::Open(below) if self.boilerplate.skips(below) => edges.skip_below(below),
                Edge::Open(below) => match dom.name(below) {
                    "" => text.push_str(dom.text(below).unwrap_or_default()),
                    "br" => text.push('\n'),
                    "button" => edges.skip_below(below),
                    "code" if follows_code(dom, below) && !text.ends_with(char::is_whitespace) => {
                        text.push('\n');
                    }
                    "img" | "svg" => {
                        edges.skip_below(below);
                        if let Seen::Evidence(picture) = self.see(below) {
                            pictures.push(picture);
                        }
                    }
                    _ => {}
                },
                Edge::Close(below) if below != id && is_block(dom, below) => end_line(&mut text),
                Edge::Close(_) => {}
            }
        }
        let text = text.replace("\r\n", "\n").replace('\u{a0}', " ");
        let text = text.trim_start_matches('\n').trim_end();
        if !text.trim().is_empty() {
            let anchor = self.own_anchor(id);
            let kind = BlockKind::Code(text.to_owned());
            self.out.push(Block {
                anchor,
                ..Block::new(kind)
            });
            self.pending = None;
        }
        self.out.extend(pictures);
    }
}

/// Whether this is another variant of the code before it.
fn follows_code(dom: &Dom, id: DomId) -> bool {
    dom.element_before(id)
        .is_some_and(|before| dom.name(before) == "code")
}

fn end_line(text: &mut String) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
}
