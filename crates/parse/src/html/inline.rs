//! Running text: what stands on one line with its neighbours.

use super::dom::{Dom, DomId, Edge};
use super::facts::{is_block, is_math_script};
use super::figure::Seen;
use super::walk::Walk;
use crate::block::{Block, BlockKind, Paragraph, Role};
use crate::caption::label_of;
use crate::text::{Folded, folded};

/// Links of one paragraph that are kept.
const MAX_LINKS: usize = 200;

/// Text being gathered for one paragraph, cell, heading or caption.
#[derive(Default)]
pub(super) struct Run {
    text: Folded,
    /// Pictures that stand before any text.
    before: Vec<Block>,
    /// Pictures that stand in or after the text.
    after: Vec<Block>,
    /// Whether some of the text is not set apart.
    plain: bool,
    /// Pieces of text, of formulas, and of what stands for icons.
    words: u32,
    formulas: u32,
    icons: u32,
    /// Line breaks since the last text.
    breaks: u8,
    /// Elements open around that set text apart.
    emphasis: u32,
    /// The name of an empty element at the end, which leads to what follows.
    pub(super) trailing: Option<String>,
    /// The first name that leads here.
    pub(super) anchor: Option<String>,
    /// The names in this and other files of the document that links lead to.
    links: Vec<String>,
}

impl Run {
    /// The line that follows this one.
    pub(super) fn next(&self) -> Self {
        Self {
            emphasis: self.emphasis,
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        if text.chars().all(char::is_whitespace) {
            return self.text.space();
        }
        self.plain |= self.emphasis == 0;
        self.words += 1;
        self.breaks = 0;
        self.trailing = None;
        self.text.push(text);
    }

    fn push_formula(&mut self, tex: &str) {
        self.text.push(tex);
        self.plain = true;
        self.formulas += 1;
        self.trailing = None;
        self.breaks = 0;
    }

    /// The name of an icon within text.
    fn push_icon(&mut self, alt: &str) {
        self.text.space();
        self.text.push(alt);
        self.text.space();
        self.icons += 1;
    }

    pub(super) fn push_picture(&mut self, picture: Block) {
        if self.text.is_empty() {
            self.before.push(picture);
        } else {
            self.after.push(picture);
        }
    }

    /// Whether nothing has been gathered.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.before.is_empty()
    }

    pub(super) fn space(&mut self) {
        self.text.space();
    }

    /// The text alone, and the pictures.
    pub(super) fn into_parts(mut self) -> (String, Vec<Block>) {
        self.before.append(&mut self.after);
        (self.text.into_string(), self.before)
    }

    /// As blocks: the pictures before the text, the text, the pictures in it and after it.
    pub(super) fn into_blocks(mut self, out: &mut Vec<Block>) {
        let worded = self.words + self.formulas > 0 && !self.text.is_empty();
        let pictures = self.before.len() + self.after.len();
        let only_formulas = self.words + self.icons == 0 && pictures == 0;
        if !worded && let Some(picture) = self.before.first_mut() {
            picture.anchor = picture.anchor.take().or(self.anchor.take());
        }
        out.extend(self.before);
        if worded {
            let role = role(self.text.as_str(), !self.plain);
            let text = self.text.into_string();
            let kind = if only_formulas {
                BlockKind::Formula(text)
            } else {
                BlockKind::Paragraph(Paragraph { text, role })
            };
            out.push(Block {
                kind,
                anchor: self.anchor,
                links: self.links,
            });
        }
        out.extend(self.after);
    }
}

fn role(text: &str, emphasised: bool) -> Role {
    match label_of(text) {
        Some(kind) => Role::Labelled(kind),
        None if emphasised => Role::Emphasised,
        None => Role::Body,
    }
}

impl Walk<'_, '_> {
    /// Adds all that stands in an element to the running text; blocks in it are parted by spaces.
    pub(super) fn gather(&mut self, element: DomId) {
        let dom = self.dom;
        let mut edges = dom.edges(element);
        while let Some(edge) = edges.next() {
            match edge {
                Edge::Open(id) if self.boilerplate.skips(id) => edges.skip_below(id),
                Edge::Open(id) => {
                    if let Some(text) = dom.text(id) {
                        self.run.push(text);
                    } else if self.gather_element(id) {
                        edges.skip_below(id);
                    } else {
                        self.enter(id);
                    }
                }
                Edge::Close(id) => self.leave(id),
            }
        }
    }

    /// Adds an element that is taken whole; tells whether it was one.
    pub(super) fn gather_element(&mut self, id: DomId) -> bool {
        let dom = self.dom;
        match dom.name(id) {
            "br" => {
                self.run.space();
                self.line_break();
                true
            }
            "img" | "svg" | "object" | "embed" | "picture" => self.gather_picture(id),
            "math" => {
                self.push_math(
                    &mathml_text(dom, id),
                    dom.attr(id, "display") == Some("block"),
                );
                true
            }
            "script" => {
                if is_math_script(dom, id) {
                    let kind = dom.attr(id, "type").unwrap_or_default();
                    self.push_math(&folded(&dom.raw_text(id)), kind.contains("mode=display"));
                }
                true
            }
            "button" => self.facts[id.index()].letters < self.min_button,
            "a" => self.gather_link(id),
            "sup" => match note_reference(dom, id) {
                Some(reference) => {
                    self.run.push(&reference);
                    true
                }
                None => false,
            },
            "span" | "mjx-container" | "div" => self.gather_math_markup(id),
            _ => false,
        }
    }

    fn gather_picture(&mut self, id: DomId) -> bool {
        match self.see(id) {
            Seen::Evidence(block) => self.run.push_picture(block),
            Seen::Formula(tex) => self.run.push_formula(&tex),
            Seen::Icon(name) => self.run.push_icon(&name),
            Seen::Decoration => {}
            // What stands in an object is for readers that cannot show it.
            Seen::Fallback => return false,
        }
        true
    }

    /// Permanent links beside headings and the way back from a footnote are no text; references to
    /// notes are set in brackets.
    fn gather_link(&mut self, id: DomId) -> bool {
        let dom = self.dom;
        let small = dom.subtree(id).nth(8).is_none();
        if !small || dom.filled_attr(id, "href").is_none() {
            self.note_link(id);
            return false;
        }
        let back = dom.has_role(id, &["doc-backlink"])
            || dom.classes(id).any(|class| {
                class.contains("backref")
                    || class.contains("footnote-back")
                    || class == "reversefootnote"
            });
        let text = dom.raw_text(id);
        if let Some(reference) = note_reference(dom, id) {
            self.note_link(id);
            self.run.push(&reference);
            return true;
        }
        let permanent = matches!(text.trim(), "¶" | "#" | "§" | "🔗" | "\u{f0c1}");
        if permanent {
            let name = dom.attr(id, "href").and_then(|href| href.strip_prefix('#'));
            let name = self.own_anchor(id).or(name.map(str::to_owned));
            self.run.anchor = self.run.anchor.take().or(name);
        }
        let skipped = back || permanent || matches!(text.trim(), "↩" | "↩︎" | "↑" | "⏎" | "^");
        if !skipped {
            self.note_link(id);
        }
        skipped
    }

    /// Keeps where a link within the document leads.
    fn note_link(&mut self, id: DomId) {
        let href = self.dom.filled_attr(id, "href").unwrap_or_default();
        // An address has a scheme or a host.
        let inside = !href.is_empty() && !href.contains(':') && !href.starts_with("//");
        if inside && self.run.links.len() < MAX_LINKS {
            self.run.links.push(href.to_owned());
        }
    }

    /// Formulas that `MathJax` or `KaTeX` have set: their source is kept, what they drew is not.
    fn gather_math_markup(&mut self, id: DomId) -> bool {
        let dom = self.dom;
        let drawn = |class: &str| {
            class == "katex-html"
                || (class.starts_with("MathJax") && class != "MathJax_Display")
                || class == "MJX_Assistive_MathML"
        };
        if dom.name(id) == "mjx-container" || dom.has_class(id, "katex") {
            let Some(math) = dom.subtree(id).find(|&below| dom.name(below) == "math") else {
                return false;
            };
            let display = dom.attr(id, "display") == Some("true")
                || dom
                    .parent(id)
                    .is_some_and(|above| dom.has_class(above, "katex-display"));
            self.push_math(&mathml_text(dom, math), display);
            return true;
        }
        if let Some(style) = dom.attr(id, "data-math-style") {
            self.push_math(&folded(&dom.raw_text(id)), style == "display");
            return true;
        }
        dom.classes(id).any(drawn)
    }

    fn push_math(&mut self, tex: &str, display: bool) {
        if tex.is_empty() {
            return;
        }
        if display && !self.one_line {
            self.flush();
            self.out
                .push(Block::new(BlockKind::Formula(tex.to_owned())));
            self.pending = None;
            return;
        }
        self.run.push_formula(tex);
    }

    /// Two line breaks in a row end a paragraph.
    fn line_break(&mut self) {
        self.run.breaks = self.run.breaks.saturating_add(1);
        if self.run.breaks >= 2 && !self.one_line {
            self.flush();
        }
    }

    /// An inline element begins, or a block within flat text.
    pub(super) fn enter(&mut self, id: DomId) {
        let dom = self.dom;
        if is_block(dom, id) {
            self.run.space();
        }
        self.note_anchor(id);
        match dom.name(id) {
            "q" => self.run.push("“"),
            "em" | "i" | "strong" | "b" | "small" | "cite" => self.run.emphasis += 1,
            _ => {}
        }
    }

    /// What [`enter`](Self::enter) began ends.
    pub(super) fn leave(&mut self, id: DomId) {
        let dom = self.dom;
        if is_block(dom, id) {
            self.run.space();
        }
        match dom.name(id) {
            "q" => self.run.push("”"),
            "em" | "i" | "strong" | "b" | "small" | "cite" => {
                self.run.emphasis = self.run.emphasis.saturating_sub(1);
            }
            _ => {}
        }
    }
}

/// The source of a formula: its TeX where that is given, else its symbols.
fn mathml_text(dom: &Dom, id: DomId) -> String {
    let annotation = dom.subtree(id).find(|&below| {
        dom.name(below) == "annotation"
            && dom
                .attr(below, "encoding")
                .is_some_and(|kind| kind.to_ascii_lowercase().contains("tex"))
    });
    if let Some(annotation) = annotation {
        return folded(&dom.raw_text(annotation));
    }
    if let Some(alt) = dom.filled_attr(id, "alttext") {
        return folded(alt);
    }
    let mut text = Folded::default();
    let mut edges = dom.edges(id);
    while let Some(edge) = edges.next() {
        if let Edge::Open(below) = edge {
            match dom.text(below) {
                Some(part) => text.push(part),
                None if dom.name(below).starts_with("annotation") => edges.skip_below(below),
                None => {}
            }
        }
    }
    text.into_string()
}

/// A reference to a note: a raised link to a place on the page, or a link marked as one. It is set
/// in brackets so that the number does not grow onto the word before.
fn note_reference(dom: &Dom, id: DomId) -> Option<String> {
    let link = dom
        .subtree(id)
        .take(8)
        .find(|&below| dom.name(below) == "a" && dom.attr(below, "href").is_some())?;
    let marked = dom.has_role(link, &["doc-noteref"])
        || dom.attr(link, "data-footnote-ref").is_some()
        || dom
            .attr(link, "epub:type")
            .is_some_and(|kind| kind.contains("noteref"))
        || dom
            .classes(link)
            .any(|class| class.contains("footnote-ref") || class == "noteref");
    let raised = dom.name(id) == "sup" || dom.children(link).any(|child| dom.name(child) == "sup");
    let inner = dom.attr(link, "href")?.contains('#');
    let text = folded(&dom.raw_text(id));
    let short = !text.is_empty() && text.chars().count() <= 6;
    ((marked || (raised && inner)) && short).then(|| {
        let bare = text.trim_matches(['[', ']', '(', ')', ' ']);
        format!("[{bare}]")
    })
}
