//! Elements of HTML and XML: a small tree, apart from the reader that is measured.

mod body;

pub(crate) use body::{heading_rank, is_inline, is_left_out};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use std::cell::RefCell;

/// Elements open at once; what is deeper is put beside.
const MAX_DEPTH: usize = 200;

/// An element with what it holds, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Element {
    /// Its name in lower case, without a prefix.
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Child>,
}

/// What an element holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Child {
    Element(Element),
    Text(String),
}

/// Which rules a file follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Some elements never have content, some end by themselves.
    Html,
    /// Every element is closed.
    Xml,
}

impl Element {
    /// The value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(have, _)| have == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether `class` is one of its classes.
    pub(crate) fn has_class(&self, class: &str) -> bool {
        self.classes().any(|have| have == class)
    }

    /// Its classes.
    pub(crate) fn classes(&self) -> impl Iterator<Item = &str> {
        self.attribute("class")
            .unwrap_or_default()
            .split_whitespace()
    }

    /// The elements directly in it.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|child| match child {
            Child::Element(element) => Some(element),
            Child::Text(_) => None,
        })
    }

    /// All elements below it that `wanted` takes, in order; nothing below a taken one.
    pub(crate) fn all<'a>(&'a self, wanted: &dyn Fn(&Element) -> bool) -> Vec<&'a Element> {
        let mut out = Vec::new();
        for element in self.elements() {
            if wanted(element) {
                out.push(element);
            } else {
                out.extend(element.all(wanted));
            }
        }
        out
    }

    /// The first element of this name below it.
    pub(crate) fn first(&self, name: &str) -> Option<&Element> {
        self.elements().find_map(|element| {
            if element.name == name {
                Some(element)
            } else {
                element.first(name)
            }
        })
    }

    /// All text below it, as it stands.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.add_text(&mut out);
        out
    }

    fn add_text(&self, out: &mut String) {
        for child in &self.children {
            match child {
                Child::Text(text) => out.push_str(text),
                Child::Element(element) => element.add_text(out),
            }
        }
    }
}

/// Reads a file; the element given has no name and holds the whole.
pub(crate) fn read(text: &str, syntax: Syntax) -> Element {
    let builder = Builder {
        syntax,
        open: RefCell::new(vec![Element::default()]),
    };
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    let tokenizer = Tokenizer::new(builder, TokenizerOpts::default());
    // The builder never asks to wait for a script.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let mut open = tokenizer.sink.open.into_inner();
    while open.len() > 1 {
        close_last(&mut open);
    }
    open.pop().unwrap_or_default()
}

/// Puts tokens together; the last of the open elements is the innermost.
struct Builder {
    syntax: Syntax,
    open: RefCell<Vec<Element>>,
}

impl TokenSink for Builder {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut open = self.open.borrow_mut();
        match token {
            Token::CharacterTokens(text) => {
                if let Some(last) = open.last_mut() {
                    match last.children.last_mut() {
                        Some(Child::Text(before)) => before.push_str(&text),
                        _ => last.children.push(Child::Text(text.to_string())),
                    }
                }
            }
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => close(&mut open, local(&tag)),
            Token::TagToken(tag) => return self.start(&mut open, &tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Builder {
    fn start(&self, open: &mut Vec<Element>, tag: &Tag) -> TokenSinkResult<()> {
        let name = local(tag);
        if self.syntax == Syntax::Html {
            end_implied(open, name);
        }
        let attributes = tag.attrs.iter();
        open.push(Element {
            name: name.to_owned(),
            attributes: attributes
                .map(|attribute| {
                    let name = attribute.name.local.to_string();
                    (name, attribute.value.to_string())
                })
                .collect(),
            children: Vec::new(),
        });
        let html = self.syntax == Syntax::Html;
        let empty = if html {
            is_void(name)
        } else {
            tag.self_closing
        };
        if empty || open.len() > MAX_DEPTH {
            close_last(open);
            return TokenSinkResult::Continue;
        }
        match name {
            "script" if html => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" if html => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" if html => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

/// A tag's name without its prefix.
fn local(tag: &Tag) -> &str {
    tag.name.rsplit(':').next().unwrap_or_default()
}

/// Closes the innermost element of this name, and what is open in it.
fn close(open: &mut Vec<Element>, name: &str) {
    let at = open.iter().rposition(|element| element.name == name);
    if let Some(at) = at.filter(|&at| at > 0) {
        while open.len() > at {
            close_last(open);
        }
    }
}

fn close_last(open: &mut Vec<Element>) {
    if open.len() > 1
        && let Some(element) = open.pop()
        && let Some(parent) = open.last_mut()
    {
        parent.children.push(Child::Element(element));
    }
}

/// Ends what a start tag of this name ends without a tag of its own.
fn end_implied(open: &mut Vec<Element>, name: &str) {
    let (ended, within): (&[&str], &[&str]) = match name {
        "li" => (&["li"], &["ul", "ol", "menu"]),
        "dt" | "dd" => (&["dt", "dd"], &["dl"]),
        "tr" => (&["tr"], &["table"]),
        "td" | "th" => (&["td", "th"], &["tr", "table"]),
        "thead" | "tbody" | "tfoot" => (&["thead", "tbody", "tfoot"], &["table"]),
        "p" | "div" | "ul" | "ol" | "dl" | "table" | "pre" | "h1" | "h2" | "h3" | "h4" | "h5"
        | "h6" | "section" | "figure" | "hr" | "blockquote" => {
            (&["p"], &["div", "li", "td", "th", "dd", "section", "body"])
        }
        _ => return,
    };
    let inner = open.iter().rev();
    let found = inner
        .take_while(|element| !within.contains(&element.name.as_str()))
        .find(|element| ended.contains(&element.name.as_str()));
    if let Some(name) = found.map(|element| element.name.clone()) {
        close(open, &name);
    }
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(element: &Element, out: &mut String) {
        for child in &element.children {
            match child {
                Child::Text(text) => out.push_str(text),
                Child::Element(element) => {
                    out.push('(');
                    out.push_str(&element.name);
                    out.push(' ');
                    show(element, out);
                    out.push(')');
                }
            }
        }
    }

    fn shown(text: &str, syntax: Syntax) -> String {
        let mut out = String::new();
        show(&read(text, syntax), &mut out);
        out
    }

    #[test]
    fn html_ends_elements_by_itself() {
        let html = "<P>One<br>two<p>three<ul><li>a<li>b<ul><li>c</ul></ul><table><tr><td>1<td>2\
                    <tr><td>3</table><script>a<b</script>&amp;</b>";
        insta::assert_snapshot!(
            shown(html, Syntax::Html),
            @"(p One(br )two)(p three)(ul (li a)(li b(ul (li c))))(table (tr (td 1)(td 2))(tr (td 3)))(script a<b)&"
        );
    }

    #[test]
    fn xml_closes_every_element() {
        let xml = "<?xml version='1.0'?><a x='1'><br/>t<opf:li><li/></opf:li></a>";
        insta::assert_snapshot!(shown(xml, Syntax::Xml), @"(a (br )t(li (li )))");
        let root = read(xml, Syntax::Xml);
        let a = root.first("a").expect("an element");
        assert_eq!(a.attribute("x"), Some("1"));
    }
}
