//! Paragraphs and tables become blocks.

use super::Docx;
use super::inline::{Line, better};
use super::numbering::Marker;
use super::styles::{NumberingRef, StyleKind, left_indent, numbering_ref};
use crate::block::{Block, BlockKind, Heading, Item, Paragraph, Role};
use crate::caption::{label_of, pair_captions};
use crate::text::folded;
use crate::xml::Element;

/// Lists within lists that are kept; deeper ones begin anew.
const MAX_LISTS: usize = 16;

/// The blocks found in the body, a note, a cell or a text box.
#[derive(Default)]
pub(super) struct Flow {
    out: Vec<Block>,
    /// The lists that are open, the innermost last.
    lists: Vec<OpenList>,
    /// A bookmark between paragraphs.
    anchor: Option<String>,
    /// Whether the last block may be continued by a line of code.
    in_code: bool,
}

struct OpenList {
    level: u8,
    /// The list's name in the file.
    id: String,
    items: Vec<Item>,
    /// Where the text of its items begins.
    indent: i64,
}

impl OpenList {
    /// Whether an item is one of this list's, or of a list within it: by its level where it is of
    /// the same list, else by where its text begins.
    fn holds(&self, level: u8, id: &str, indent: i64) -> bool {
        if self.id == id {
            return self.level <= level;
        }
        if self.indent > 0 && indent > 0 {
            return self.indent < indent;
        }
        self.level < level
    }
}

impl Flow {
    fn block(&mut self, block: Block, indent: i64) {
        let inside = self
            .lists
            .last_mut()
            .filter(|list| list.indent > 0 && indent >= list.indent)
            .and_then(|list| list.items.last_mut());
        if let Some(item) = inside {
            item.blocks.push(block);
        } else {
            self.close_lists();
            self.out.push(block);
        }
    }

    fn item(&mut self, level: u8, id: &str, indent: i64, item: Item) {
        let deepest = self.lists.len() >= MAX_LISTS;
        while self
            .lists
            .last()
            .is_some_and(|list| deepest || !list.holds(level, id, indent))
        {
            self.close_list();
        }
        match self.lists.last_mut() {
            Some(list) if list.id == id && list.level == level => {
                list.items.push(item);
                list.indent = indent;
            }
            _ => self.lists.push(OpenList {
                level,
                id: id.to_owned(),
                items: vec![item],
                indent,
            }),
        }
    }

    fn close_lists(&mut self) {
        while !self.lists.is_empty() {
            self.close_list();
        }
    }

    /// Closes the innermost list.
    fn close_list(&mut self) {
        let Some(list) = self.lists.pop() else { return };
        let block = Block::new(BlockKind::List(list.items));
        match self.lists.last_mut().and_then(|list| list.items.last_mut()) {
            Some(item) => item.blocks.push(block),
            None => self.out.push(block),
        }
    }

    fn finish(mut self) -> Vec<Block> {
        self.close_lists();
        pair_captions(&mut self.out);
        self.out
    }
}

/// A paragraph's properties, its style's counted in.
struct Looks<'a> {
    style: Option<&'a str>,
    kind: StyleKind,
    indent: i64,
    numbering: Option<(String, u8)>,
}

impl Docx<'_, '_> {
    /// The blocks of the whole body.
    pub(super) fn body(&mut self, body: Element<'_>) -> Vec<Block> {
        let mut flow = Flow::default();
        self.flow(body, true, &mut flow);
        let mut blocks = flow.finish();
        blocks.append(&mut self.found_notes);
        blocks
    }

    /// The blocks of a cell, note or text box; there are no headings in such.
    pub(super) fn nested_blocks(&mut self, parent: Element<'_>) -> Vec<Block> {
        let mut flow = Flow::default();
        self.flow(parent, false, &mut flow);
        flow.finish()
    }

    fn flow(&mut self, parent: Element<'_>, headings: bool, flow: &mut Flow) {
        for element in parent.children() {
            match element.name() {
                "p" => self.paragraph(element, headings, flow),
                "tbl" => {
                    flow.in_code = false;
                    let anchor = flow.anchor.take();
                    for mut block in self.table(element) {
                        block.anchor = block.anchor.or_else(|| anchor.clone());
                        flow.block(block, 0);
                    }
                }
                "bookmarkStart" => {
                    flow.anchor = better(flow.anchor.take(), element.attr("name"));
                }
                "sdt" => {
                    let gallery = element
                        .path(&["sdtPr", "docPartObj", "docPartGallery"])
                        .and_then(|gallery| gallery.attr("val"));
                    if let Some(content) = element.child("sdtContent")
                        && gallery != Some("Table of Contents")
                    {
                        self.flow(content, headings, flow);
                    }
                }
                "sectPr" | "del" | "moveFrom" | "tblPr" | "tcPr" => {}
                _ => self.flow(element, headings, flow),
            }
        }
    }

    fn paragraph(&mut self, element: Element<'_>, headings: bool, flow: &mut Flow) {
        let looks = self.looks(element);
        let bold = self.styles.is_bold(looks.style);
        let mut line = self.line(element, bold);
        line.anchor = better(line.anchor.take(), flow.anchor.take().as_deref());
        if looks.kind == StyleKind::Contents {
            return;
        }
        if looks.kind == StyleKind::Code && !line.text.trim().is_empty() {
            return push_code(&line, flow);
        }
        flow.in_code = false;
        let text = folded(&line.text);
        if text.is_empty() {
            flow.anchor = line.anchor.take();
        } else {
            self.worded(&looks, text, &line, headings, flow);
        }
        for formula in std::mem::take(&mut line.formulas) {
            let formula = folded(&formula);
            if !formula.is_empty() {
                flow.block(Block::new(BlockKind::Formula(formula)), looks.indent);
            }
        }
        for block in line.figures.into_iter().chain(line.boxes) {
            flow.block(block, looks.indent);
        }
    }

    /// A paragraph with words in it.
    fn worded(
        &mut self,
        looks: &Looks<'_>,
        text: String,
        line: &Line,
        headings: bool,
        flow: &mut Flow,
    ) {
        let marker = looks
            .numbering
            .as_ref()
            .and_then(|(list, level)| self.numbering.next(list, *level));
        let anchor = line.anchor.clone();
        let heading = match looks.kind {
            StyleKind::Title if headings => Some(0),
            StyleKind::Heading(rank) if headings => Some(rank),
            _ => None,
        };
        if let Some(rank) = heading {
            flow.close_lists();
            flow.out.append(&mut self.found_notes);
            let kind = BlockKind::Heading(Heading {
                rank,
                text: marked(marker, text),
                titled: looks.kind == StyleKind::Title,
            });
            return flow.out.push(Block {
                anchor,
                links: line.links.clone(),
                ..Block::new(kind)
            });
        }
        let role = role(looks.kind, line, &text);
        if let Some(marker) = marker
            && role == Role::Body
            && let Some((list, level)) = &looks.numbering
        {
            let indent = marker.indent.unwrap_or(looks.indent).max(looks.indent);
            let item = Item {
                step: marker.ordered,
                marker: marker.text,
                text,
                anchor,
                links: line.links.clone(),
                blocks: Vec::new(),
            };
            return flow.item(*level, list, indent, item);
        }
        let kind = BlockKind::Paragraph(Paragraph { text, role });
        let block = Block {
            kind,
            anchor,
            links: line.links.clone(),
        };
        flow.block(block, looks.indent);
    }

    fn looks<'a>(&self, paragraph: Element<'a>) -> Looks<'a> {
        let own = paragraph.child("pPr");
        let style = own
            .and_then(|own| own.child("pStyle"))
            .and_then(|style| style.attr("val"));
        let outline = own
            .and_then(|own| own.child("outlineLvl"))
            .and_then(|level| level.number("val"));
        let kind = match (self.styles.kind(style), outline) {
            (StyleKind::Body, Some(level @ 0..=8)) => StyleKind::Heading(level as u8 + 1),
            (StyleKind::Heading(_), Some(9)) => StyleKind::Body,
            (kind, _) => kind,
        };
        let indent = own
            .and_then(left_indent)
            .or_else(|| self.styles.indent(style))
            .unwrap_or(0);
        Looks {
            style,
            kind,
            indent,
            numbering: self.list_of(style, own.and_then(numbering_ref)),
        }
    }

    /// The list and level of a paragraph by itself and its style.
    fn list_of(&self, style: Option<&str>, own: Option<NumberingRef>) -> Option<(String, u8)> {
        let of_style = self.styles.numbering(style);
        let own = own.unwrap_or_default();
        let list = own
            .list
            .or_else(|| of_style.and_then(|(_, numbering)| numbering.list.clone()))?;
        let linked = || self.numbering.level_of_style(&list, of_style?.0);
        let named = || of_style.and_then(|(_, numbering)| numbering.level);
        let level = own.level.or_else(linked).or_else(named).unwrap_or(0).min(8);
        // List 0 is none: it takes a paragraph out of its style's list.
        (list != "0").then_some((list, level))
    }
}

/// What speaks for a paragraph being a caption.
fn role(kind: StyleKind, line: &Line, text: &str) -> Role {
    match label_of(text) {
        Some(label) => Role::Labelled(label),
        None if kind == StyleKind::Caption || line.counted => Role::Caption,
        None => Role::Body,
    }
}

/// A heading after its number.
fn marked(marker: Option<Marker>, text: String) -> String {
    match marker.map(|marker| marker.text) {
        Some(number) if !number.is_empty() => format!("{number} {text}"),
        _ => text,
    }
}

/// A line of code, which goes on with the one before.
fn push_code(line: &Line, flow: &mut Flow) {
    let text = line.text.trim_end().replace('\t', "    ");
    if flow.in_code
        && let Some(BlockKind::Code(code)) = flow.out.last_mut().map(|block| &mut block.kind)
    {
        code.push('\n');
        code.push_str(&text);
        return;
    }
    flow.close_lists();
    let kind = BlockKind::Code(text);
    flow.out.push(Block {
        anchor: line.anchor.clone(),
        ..Block::new(kind)
    });
    flow.in_code = true;
}
