//! The text of a paragraph, and what stands in it.

use super::math;
use super::styles::toggle;
use super::{Docx, NoteKind};
use crate::block::{Block, BlockKind};
use crate::numbering::roman;
use crate::office::drawing::Facts;
use crate::xml::Element;

/// Fields within fields that are followed.
const MAX_FIELDS: usize = 50;

/// A paragraph being gathered.
#[derive(Default)]
pub(super) struct Line {
    /// Its words, white space as in the file.
    pub(super) text: String,
    /// The formulas in it that stand on a line of their own.
    pub(super) formulas: Vec<String>,
    pub(super) figures: Vec<Block>,
    /// What stands in its text boxes.
    pub(super) boxes: Vec<Block>,
    pub(super) anchor: Option<String>,
    /// The bookmarks that it refers to, each as `#name`.
    pub(super) links: Vec<String>,
    /// Whether a number of a series (of figures, of tables) stands in it.
    pub(super) counted: bool,
    /// Whether all of its words are bold.
    pub(super) bold: bool,
}

impl Docx<'_, '_> {
    pub(super) fn line(&mut self, paragraph: Element<'_>, bold: bool) -> Line {
        let mut line = Line {
            bold: true,
            ..Line::default()
        };
        self.gather(paragraph, bold, &mut line);
        line
    }

    fn gather(&mut self, parent: Element<'_>, bold: bool, line: &mut Line) {
        for element in parent.children() {
            self.gather_one(element, bold, line);
        }
    }

    fn gather_one(&mut self, element: Element<'_>, bold: bool, line: &mut Line) {
        match element.name() {
            "r" => self.run(element, bold, line),
            "t" => self.push(&element.text(), bold, line),
            "tab" => self.push("\t", true, line),
            "br" | "cr" => self.push("\n", true, line),
            "noBreakHyphen" => self.push("-", bold, line),
            "sym" => {
                let code = element
                    .attr("char")
                    .and_then(|code| u32::from_str_radix(code, 16).ok());
                let known = code.and_then(char::from_u32);
                // Those of symbol fonts have no character of their own.
                if let Some(c) = known.filter(|c| !('\u{e000}'..='\u{f8ff}').contains(c)) {
                    self.push(c.encode_utf8(&mut [0; 4]), bold, line);
                }
            }
            "fldChar" => self.field(element),
            "instrText" => instruct(&element.text(), line),
            "fldSimple" => {
                if let Some(instruction) = element.attr("instr") {
                    instruct(instruction, line);
                }
                self.gather(element, bold, line);
            }
            "hyperlink" => {
                let to = element.attr("anchor");
                line.links.extend(to.map(|to| format!("#{to}")));
                self.gather(element, bold, line);
            }
            "footnoteReference" | "endnoteReference" => self.note_sign(element, line),
            "commentReference" => self.comment(element),
            "bookmarkStart" => line.anchor = better(line.anchor.take(), element.attr("name")),
            "drawing" | "pict" | "object" => self.drawing(element, line),
            "oMath" => self.push(&math::line(element), true, line),
            "oMathPara" => {
                let formulas = element.named("oMath").map(math::line);
                line.formulas.extend(formulas);
            }
            "sdt" => {
                if let Some(content) = element.child("sdtContent") {
                    self.gather(content, bold, line);
                }
            }
            "del" | "moveFrom" | "delText" | "rt" | "rPr" | "pPr" | "softHyphen" => {}
            _ => self.gather(element, bold, line),
        }
    }

    fn run(&mut self, run: Element<'_>, bold: bool, line: &mut Line) {
        let own = run.child("rPr");
        let is = |name| own.and_then(|own| toggle(own, name));
        if is("vanish").unwrap_or(false) || is("webHidden").unwrap_or(false) {
            return;
        }
        let bold = is("b").unwrap_or(bold);
        self.gather(run, bold, line);
    }

    fn push(&self, text: &str, bold: bool, line: &mut Line) {
        // The instructions of a field come before its result.
        if self.fields.iter().all(|&result| result) {
            line.text.push_str(text);
            line.bold &= bold || text.trim().is_empty();
        }
    }

    fn field(&mut self, mark: Element<'_>) {
        match mark.attr("fldCharType") {
            Some("begin") if self.fields.len() < MAX_FIELDS => self.fields.push(false),
            Some("separate") => {
                if let Some(result) = self.fields.last_mut() {
                    *result = true;
                }
            }
            Some("end") => {
                self.fields.pop();
            }
            _ => {}
        }
    }

    /// The number of a foot- or endnote, whose text is read here.
    fn note_sign(&mut self, reference: Element<'_>, line: &mut Line) {
        let Some(id) = reference.attr("id").filter(|_| !self.in_note) else {
            return;
        };
        let kind = if reference.name() == "endnoteReference" {
            NoteKind::Endnote
        } else {
            NoteKind::Footnote
        };
        let custom = reference.attr("customMarkFollows").is_some();
        let notes = self.notes(kind);
        if !notes.contains(id) {
            return;
        }
        let count = notes.count(id);
        let sign = match count {
            _ if custom => None,
            count if matches!(kind, NoteKind::Endnote) => roman(count),
            count => Some(count.to_string()),
        };
        if let Some(sign) = &sign {
            self.push(&format!("[{sign}]"), true, line);
        }
        self.note(id, kind, sign);
    }

    /// A comment, after the name of its author.
    fn comment(&mut self, reference: Element<'_>) {
        if let Some(id) = reference.attr("id").filter(|_| !self.in_note) {
            let author = self.comments.author(id);
            self.note(id, NoteKind::Comment, author);
        }
    }

    /// A drawing: its pictures, and the text in its boxes.
    fn drawing(&mut self, drawing: Element<'_>, line: &mut Line) {
        let frame = drawing
            .children()
            .find(|child| matches!(child.name(), "inline" | "anchor"));
        let facts = match frame {
            Some(frame) => Facts::read(frame.child("docPr"), frame.child("extent")),
            None => vml_facts(drawing),
        };
        let shown = !facts.decorative;
        let relations = std::mem::take(&mut self.relations);
        let mut figures = self.media.figures(drawing, &relations, facts);
        self.relations = relations;
        let mut boxes = Vec::new();
        for content in outermost(drawing, "txbxContent") {
            // A field around the drawing is none of its text's.
            let fields = std::mem::take(&mut self.fields);
            boxes.extend(self.nested_blocks(content));
            self.fields = fields;
        }
        match figures.first_mut().map(|figure| &mut figure.kind) {
            // Text boxes drawn over a picture are words in it.
            Some(BlockKind::Figure(figure)) => {
                let mut inside = Vec::new();
                let words = super::table::flat(boxes, &mut inside);
                let joint = if figure.text.is_empty() { "" } else { " " };
                figure.text = format!("{}{joint}{words}", figure.text);
                figures.extend(inside);
            }
            _ => line.boxes.extend(boxes),
        }
        if shown {
            line.figures.extend(figures);
        }
    }
}

/// What a drawing of Word 2003 says of itself.
fn vml_facts(drawing: Element<'_>) -> Facts {
    let alt = drawing
        .descendants()
        .find_map(|element| element.attr("alt"));
    Facts {
        alt: alt.map(crate::text::folded).filter(|alt| !alt.is_empty()),
        ..Facts::default()
    }
}

/// The elements of this name below, but not those within one of them.
fn outermost<'a>(element: Element<'a>, name: &str) -> Vec<Element<'a>> {
    let mut out: Vec<Element<'a>> = Vec::new();
    let mut end = 0;
    for below in element.descendants() {
        if below.name() == name && below.id() >= end {
            end = below.end();
            out.push(below);
        }
    }
    out
}

/// Notes what the instruction of a field says: that it counts a series, or what it refers to.
fn instruct(instruction: &str, line: &mut Line) {
    line.counted |= names_series(instruction);
    let mut words = instruction.split_whitespace();
    if let (Some("REF" | "PAGEREF" | "NOTEREF"), Some(name)) = (words.next(), words.next()) {
        line.links.push(format!("#{name}"));
    }
}

/// Whether a field's instruction counts figures, tables or the like.
fn names_series(instruction: &str) -> bool {
    instruction.trim_start().starts_with("SEQ ")
}

/// The bookmark that a person gave, rather than one of Word's own.
pub(super) fn better(one: Option<String>, other: Option<&str>) -> Option<String> {
    let own = |name: &str| name.starts_with('_');
    match (one, other) {
        (one, Some("_GoBack") | None) => one,
        (Some(one), Some(other)) if !own(&one) || own(other) => Some(one),
        (_, Some(other)) => Some(other.to_owned()),
    }
}
