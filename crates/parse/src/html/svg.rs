//! Drawings within a page, as files of their own.

use super::dom::{Dom, DomId, Edge};
use crate::text::{Folded, folded};

/// Bytes of the longest drawing that is kept.
const MAX_MARKUP: usize = 32 << 20;

/// What a drawing within a page shows.
pub(super) struct Look {
    /// Shapes, texts and pictures outside of definitions.
    pub(super) shapes: usize,
    /// The words drawn.
    pub(super) words: String,
    /// Its title.
    pub(super) title: Option<String>,
}

pub(super) fn look(dom: &Dom, svg: DomId) -> Look {
    let mut look = Look {
        shapes: 0,
        words: String::new(),
        title: None,
    };
    let mut words = Folded::default();
    let mut edges = dom.edges(svg);
    while let Some(edge) = edges.next() {
        let Edge::Open(id) = edge else { continue };
        match dom.name(id) {
            "defs" | "symbol" | "style" | "script" | "metadata" => edges.skip_below(id),
            "title" => {
                let title = folded(&dom.raw_text(id));
                look.title = look.title.take().or((!title.is_empty()).then_some(title));
                edges.skip_below(id);
            }
            "text" | "foreignObject" => {
                look.shapes += 1;
                words.space();
                for text in dom.subtree(id).filter_map(|below| dom.text(below)) {
                    words.push(text);
                    words.space();
                }
                edges.skip_below(id);
            }
            "path" | "rect" | "circle" | "ellipse" | "line" | "polyline" | "polygon" | "image" => {
                look.shapes += 1;
            }
            _ => {}
        }
    }
    look.words = words.into_string();
    look
}

/// A drawing as an SVG file; `None` where it is too long. Scripts, event handlers and pieces of
/// HTML stay out.
pub(super) fn markup(dom: &Dom, svg: DomId) -> Option<String> {
    let mut out = String::new();
    let mut edges = dom.edges(svg);
    while let Some(edge) = edges.next() {
        if out.len() > MAX_MARKUP {
            return None;
        }
        match edge {
            Edge::Open(id) => {
                let name = dom.name(id);
                if let Some(text) = dom.text(id) {
                    escape(text, &mut out);
                } else if !is_name(name) || matches!(name, "script" | "foreignObject") {
                    edges.skip_below(id);
                } else {
                    open(dom, id, id == svg, &mut out);
                }
            }
            Edge::Close(id) if dom.is_element(id) => {
                out.push_str("</");
                out.push_str(dom.name(id));
                out.push('>');
            }
            Edge::Close(_) => {}
        }
    }
    Some(out)
}

fn open(dom: &Dom, id: DomId, outermost: bool, out: &mut String) {
    out.push('<');
    out.push_str(dom.name(id));
    if outermost {
        out.push_str(" xmlns=\"http://www.w3.org/2000/svg\"");
        out.push_str(" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
    }
    for (prefix, name, value) in dom.qualified_attrs(id) {
        let known = matches!(prefix, "" | "xlink" | "xml");
        if !known || !is_name(name) || name == "xmlns" || name.starts_with("on") {
            continue;
        }
        out.push(' ');
        if !prefix.is_empty() {
            out.push_str(prefix);
            out.push(':');
        }
        out.push_str(name);
        out.push_str("=\"");
        escape(value, out);
        out.push('"');
    }
    out.push('>');
}

/// Whether XML takes it as a name without a prefix.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no place for them.
            c if c.is_control() && !matches!(c, '\n' | '\t' | '\r') => {}
            '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
}
