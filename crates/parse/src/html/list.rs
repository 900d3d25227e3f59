//! Lists, steps and definitions.

use super::dom::DomId;
use super::walk::Walk;
use crate::block::{Block, BlockKind, Item};
use crate::numbering::{alphabetic, roman};

/// Lists nested deeper than this become paragraphs.
const MAX_LIST_DEPTH: u16 = 24;

/// How the items of an ordered list are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbering {
    Decimal,
    LowerAlpha,
    UpperAlpha,
    LowerRoman,
    UpperRoman,
}

impl Walk<'_, '_> {
    /// A list; one whose items are sections with several headings is taken as those sections.
    pub(super) fn list(&mut self, id: DomId) {
        let dom = self.dom;
        let is_item = |child: &DomId| dom.name(*child) == "li";
        let sections = |item: DomId| self.facts[item.index()].headings > 1;
        if self.list_depth >= MAX_LIST_DEPTH || dom.children(id).filter(is_item).any(sections) {
            return self.container(id);
        }
        self.flush();
        let ordered = dom.name(id) == "ol";
        let mut number = self.first_number(id);
        let descends = dom.attr(id, "reversed").is_some();
        let numbering = numbering(dom.attr(id, "type"), dom.attr(id, "style"));
        let step = ordered && !self.is_reference_list(id);
        let mut items: Vec<Item> = Vec::new();
        self.list_depth += 1;
        for child in dom.children(id) {
            if self.boilerplate.skips(child) {
                continue;
            }
            if !is_item(&child) {
                self.stray(child, &mut items);
                continue;
            }
            number = number_attr(dom.attr(child, "value")).unwrap_or(number);
            let marker = if ordered {
                marker(number, numbering)
            } else {
                "•".to_owned()
            };
            number += if descends { -1 } else { 1 };
            let item = Item {
                marker,
                step,
                ..self.item(child)
            };
            items.push(item);
        }
        self.list_depth -= 1;
        self.push_list(id, items);
    }

    fn push_list(&mut self, id: DomId, mut items: Vec<Item>) {
        items.retain(|item| !item.text.is_empty() || !item.blocks.is_empty());
        if !items.is_empty() {
            let anchor = self.own_anchor(id);
            let kind = BlockKind::List(items);
            self.out.push(Block {
                anchor,
                ..Block::new(kind)
            });
            self.pending = None;
        }
    }

    /// Something in a list that is no item: a nested list belongs to the item before it.
    fn stray(&mut self, child: DomId, items: &mut Vec<Item>) {
        let list = matches!(self.dom.name(child), "ul" | "ol" | "menu" | "dir" | "dl");
        let blocks = self.nested(|walk| walk.node(child));
        match items.last_mut() {
            Some(item) if list => item.blocks.extend(blocks),
            _ => items.push(Item {
                marker: "•".to_owned(),
                ..into_item(blocks)
            }),
        }
    }

    /// What an item says and holds.
    fn item(&mut self, id: DomId) -> Item {
        let anchor = self.own_anchor(id);
        let inside = matches!(self.dom.name(id), "li" | "dd");
        self.pending = None;
        let blocks = self.nested(|walk| {
            if inside {
                walk.container(id);
            } else {
                walk.node(id);
            }
        });
        self.pending = None;
        let item = into_item(blocks);
        Item {
            anchor: anchor.or(item.anchor),
            ..item
        }
    }

    fn first_number(&self, id: DomId) -> i64 {
        let dom = self.dom;
        let count = || {
            dom.children(id)
                .filter(|&child| dom.name(child) == "li")
                .count()
        };
        let reversed = dom.attr(id, "reversed").is_some();
        number_attr(dom.attr(id, "start"))
            .unwrap_or_else(|| if reversed { count() as i64 } else { 1 })
    }

    /// Whether an ordered list numbers sources, not steps.
    fn is_reference_list(&self, id: DomId) -> bool {
        let dom = self.dom;
        std::iter::once(id)
            .chain(dom.ancestors(id).take(2))
            .any(|near| {
                dom.has_role(near, &["doc-bibliography", "doc-endnotes"])
                    || dom.classes(near).any(|class| {
                        let class = class.to_ascii_lowercase();
                        class.contains("reference") || class.contains("bibliography")
                    })
            })
    }

    /// A definition list: its items read `term: definition`.
    pub(super) fn definitions(&mut self, id: DomId) {
        let dom = self.dom;
        let mut parts = Vec::new();
        definition_parts(self, id, &mut parts, 0);
        let sections = |part: &DomId| self.facts[part.index()].headings > 1;
        if self.list_depth >= MAX_LIST_DEPTH || parts.iter().any(sections) {
            return self.container(id);
        }
        self.flush();
        self.list_depth += 1;
        let mut items: Vec<Item> = Vec::new();
        // Terms that wait for their definition.
        let mut terms: Option<Item> = None;
        for part in parts {
            if dom.name(part) == "dt" {
                let (term, pictures, inner) = self.line(part);
                let waiting = terms.get_or_insert_default();
                join(&mut waiting.text, ", ", &term);
                waiting.anchor = waiting.anchor.take().or(self.own_anchor(part)).or(inner);
                waiting.blocks.extend(pictures);
                continue;
            }
            let definition = self.item(part);
            match (terms.take(), items.last_mut()) {
                (Some(term), _) => items.push(defined(term, definition)),
                // A second definition of the same term.
                (None, Some(last)) => {
                    if !definition.text.is_empty() {
                        last.blocks.push(Block::paragraph(definition.text));
                    }
                    last.blocks.extend(definition.blocks);
                }
                (None, None) => items.push(definition),
            }
        }
        items.extend(terms);
        self.list_depth -= 1;
        self.push_list(id, items);
    }
}

/// The terms and definitions of a list, in order, also those in a `<div>`.
fn definition_parts(walk: &Walk<'_, '_>, id: DomId, out: &mut Vec<DomId>, depth: u8) {
    let dom = walk.dom;
    for child in dom.children(id) {
        let blank = dom
            .text(child)
            .map_or(!dom.is_element(child), |text| text.trim().is_empty());
        if blank || walk.boilerplate.skips(child) {
            continue;
        }
        if dom.name(child) == "div" && depth < 8 {
            definition_parts(walk, child, out, depth + 1);
        } else {
            out.push(child);
        }
    }
}

fn defined(mut term: Item, definition: Item) -> Item {
    let parted = term
        .text
        .ends_with([':', '：', '.', '!', '?', '—', '–', '=']);
    let joint = if parted { " " } else { ": " };
    join(&mut term.text, joint, &definition.text);
    term.blocks.extend(definition.blocks);
    term.links.extend(definition.links);
    term.anchor = term.anchor.or(definition.anchor);
    term
}

fn join(text: &mut String, joint: &str, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str(joint);
    }
    text.push_str(more);
}

/// An item out of its blocks: its first paragraph, before which only pictures may stand, is its
/// text. Headings in an item are text.
pub(super) fn into_item(blocks: Vec<Block>) -> Item {
    let mut item = Item::default();
    let mut leading = true;
    for block in blocks {
        let (anchor, links) = (block.anchor, block.links);
        let text = match block.kind {
            BlockKind::Paragraph(paragraph) => paragraph.text,
            BlockKind::Heading(heading) => heading.text,
            BlockKind::Taken => continue,
            kind => {
                leading &= matches!(kind, BlockKind::Figure(_));
                item.blocks.push(Block {
                    kind,
                    anchor,
                    links,
                });
                continue;
            }
        };
        if leading {
            item.text = text;
            item.anchor = anchor;
            item.links = links;
            leading = false;
        } else {
            let kind = Block::paragraph(text).kind;
            item.blocks.push(Block {
                kind,
                anchor,
                links,
            });
        }
    }
    item
}

fn number_attr(value: Option<&str>) -> Option<i64> {
    let number: i32 = value?.trim().parse().ok()?;
    Some(number.into())
}

fn numbering(kind: Option<&str>, style: Option<&str>) -> Numbering {
    let style = style.unwrap_or_default().to_ascii_lowercase();
    let styled = |name: &str| style.contains(name);
    match kind.unwrap_or_default().trim() {
        "a" => Numbering::LowerAlpha,
        "A" => Numbering::UpperAlpha,
        "i" => Numbering::LowerRoman,
        "I" => Numbering::UpperRoman,
        _ if styled("lower-alpha") || styled("lower-latin") => Numbering::LowerAlpha,
        _ if styled("upper-alpha") || styled("upper-latin") => Numbering::UpperAlpha,
        _ if styled("lower-roman") => Numbering::LowerRoman,
        _ if styled("upper-roman") => Numbering::UpperRoman,
        _ => Numbering::Decimal,
    }
}

/// The number as a browser prints it, with its period.
fn marker(number: i64, numbering: Numbering) -> String {
    let printed = match numbering {
        Numbering::Decimal => None,
        Numbering::LowerAlpha => alphabetic(number),
        Numbering::UpperAlpha => alphabetic(number).map(|text| text.to_ascii_uppercase()),
        Numbering::LowerRoman => roman(number),
        Numbering::UpperRoman => roman(number).map(|text| text.to_ascii_uppercase()),
    };
    printed.unwrap_or_else(|| number.to_string()) + "."
}
