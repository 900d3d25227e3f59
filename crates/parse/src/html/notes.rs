//! Footnotes.

use super::dom::DomId;
use super::walk::Walk;
use crate::block::{Block, BlockKind, Item};

/// Characters of the longest number or sign of a footnote.
const MAX_SIGN: usize = 8;

impl Walk<'_, '_> {
    /// Whether an element holds one or more footnotes.
    pub(super) fn is_note(&self, id: DomId) -> bool {
        let dom = self.dom;
        dom.has_role(
            id,
            &[
                "doc-footnote",
                "doc-endnote",
                "doc-endnotes",
                "doc-footnotes",
            ],
        ) || dom.attr(id, "data-footnotes").is_some()
            || dom
                .attr(id, "epub:type")
                .is_some_and(|kind| kind.contains("footnote") || kind.contains("endnote"))
            || dom.classes(id).any(|class| {
                matches!(
                    class,
                    "footnote" | "footnotes" | "endnotes" | "footnotes-segment" | "footnote-group"
                )
            })
    }

    /// The footnotes in an element, each after its number in brackets.
    pub(super) fn notes(&mut self, id: DomId) {
        let anchor = self.own_anchor(id);
        let blocks = self.nested(|walk| {
            if matches!(walk.dom.name(id), "ul" | "ol") {
                walk.list(id);
            } else {
                walk.children(id);
            }
        });
        let from = self.out.len();
        let mut sign = String::new();
        let mut name = None;
        for block in blocks {
            let text = match block.kind {
                BlockKind::Heading(heading) => {
                    // "(1)" numbers the note that follows; "Footnotes" tells nothing.
                    heading
                        .text
                        .trim_matches(['(', ')', '[', ']', ' '])
                        .clone_into(&mut sign);
                    name = block.anchor;
                    if sign.chars().count() > MAX_SIGN {
                        sign.clear();
                    }
                    continue;
                }
                BlockKind::Paragraph(paragraph) => paragraph.text,
                BlockKind::List(items) => {
                    for item in items {
                        self.note_item(item);
                    }
                    continue;
                }
                kind => {
                    self.out.push(Block {
                        kind,
                        anchor: block.anchor,
                        links: block.links,
                    });
                    continue;
                }
            };
            let anchor = block.anchor.or(name.take());
            self.push_note(&std::mem::take(&mut sign), text, anchor);
        }
        if let Some(first) = self.out.get_mut(from) {
            first.anchor = first.anchor.take().or(anchor);
        }
        self.pending = None;
    }

    fn note_item(&mut self, item: Item) {
        let sign = item.marker.trim_end_matches('.');
        let sign = if sign == "•" { "" } else { sign };
        self.push_note(sign, item.text, item.anchor);
        self.out
            .extend(item.blocks.into_iter().map(|block| match block.kind {
                BlockKind::Paragraph(paragraph) => Block {
                    kind: BlockKind::Footnote(paragraph.text),
                    anchor: block.anchor,
                    links: block.links,
                },
                kind => Block {
                    kind,
                    anchor: block.anchor,
                    links: block.links,
                },
            }));
    }

    fn push_note(&mut self, sign: &str, text: String, anchor: Option<String>) {
        if text.is_empty() {
            return;
        }
        let text = if sign.is_empty() {
            text
        } else {
            format!("[{sign}] {text}")
        };
        self.out.push(Block {
            anchor,
            ..Block::new(BlockKind::Footnote(text))
        });
    }
}
