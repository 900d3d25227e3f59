//! XML as a tree, within bounds.
//!
//! Names are told without their prefix. There are no entities but the five of XML, and nothing
//! outside the text is looked at. What is broken ends the tree there; what came before is kept.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;

/// Elements nested deeper than this are left out.
const MAX_DEPTH: usize = 200;
/// Elements, attributes and texts of a part that are read; the rest is left out.
const MAX_ITEMS: usize = 3_000_000;
/// What a `Choice` asks of its reader that this one lacks; the fallback is taken.
const UNKNOWN_CHOICES: [&str; 4] = ["cx", "aink", "am3d", "v"];

/// A part read as XML.
pub(crate) struct Xml {
    names: Vec<String>,
    nodes: Vec<Node>,
    attrs: Vec<Attr>,
    /// Whether the end is missing: it is broken or too large.
    pub(crate) cut: bool,
}

struct Node {
    /// The first node behind all that stands below.
    end: u32,
    kind: NodeKind,
}

enum NodeKind {
    Element { name: u32, attrs: (u32, u32) },
    Text(Box<str>),
}

struct Attr {
    /// The name with its prefix.
    name: u32,
    value: Box<str>,
}

/// An element of a part.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a> {
    xml: &'a Xml,
    id: u32,
}

impl Xml {
    /// Reads a part. Where a file offers a choice for readers of different ages
    /// (`mc:AlternateContent`), the first that is understood is taken.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let text = decoded(bytes);
        let mut build = Build::default();
        let mut reader = Reader::from_str(&text);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        while build.items() < MAX_ITEMS {
            match reader.read_event() {
                Ok(Event::Start(tag)) => build.start(&tag),
                Ok(Event::Empty(tag)) => {
                    build.start(&tag);
                    build.end();
                }
                Ok(Event::End(_)) => build.end(),
                Ok(Event::Text(text)) => build.text(&text.into_inner()),
                Ok(Event::CData(text)) => build.text(&text.into_inner()),
                Ok(Event::GeneralRef(name)) => {
                    let name = name.into_inner();
                    let text = unescape(&format!("&{name};"))
                        .unwrap_or_default()
                        .into_owned();
                    build.text(&text);
                }
                Ok(Event::Eof) => return build.finish(false),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        build.finish(true)
    }

    /// The outermost element.
    pub(crate) fn root(&self) -> Option<Element<'_>> {
        let at = self
            .nodes
            .iter()
            .position(|node| matches!(node.kind, NodeKind::Element { .. }))?;
        Some(Element {
            xml: self,
            id: at as u32,
        })
    }

    /// The element of this [`id`](Element::id).
    pub(crate) fn element(&self, id: u32) -> Option<Element<'_>> {
        let known = (id as usize) < self.nodes.len();
        known.then_some(Element { xml: self, id })
    }
}

impl<'a> Element<'a> {
    /// What tells it from all others of its part.
    pub(crate) fn id(self) -> u32 {
        self.id
    }

    /// The [`id`](Self::id) of what follows all that stands below.
    pub(crate) fn end(self) -> u32 {
        self.xml.nodes[self.id as usize].end
    }

    /// Its name without prefix.
    pub(crate) fn name(self) -> &'a str {
        match &self.xml.nodes[self.id as usize].kind {
            NodeKind::Element { name, .. } => local(&self.xml.names[*name as usize]),
            NodeKind::Text(_) => "",
        }
    }

    fn attrs(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let (start, end) = match self.xml.nodes[self.id as usize].kind {
            NodeKind::Element { attrs, .. } => attrs,
            NodeKind::Text(_) => (0, 0),
        };
        let attrs = &self.xml.attrs[start as usize..end as usize];
        let names = &self.xml.names;
        attrs
            .iter()
            .map(move |attr| (names[attr.name as usize].as_str(), &*attr.value))
    }

    /// An attribute by its name without prefix; one that has no prefix goes first.
    pub(crate) fn attr(self, name: &str) -> Option<&'a str> {
        let plain = self.attrs().find(|&(key, _)| key == name);
        let any = || self.attrs().find(|&(key, _)| local(key) == name);
        plain.or_else(any).map(|(_, value)| value)
    }

    /// An attribute that has a prefix, such as `r:id`, by its name without it.
    pub(crate) fn prefixed_attr(self, name: &str) -> Option<&'a str> {
        let found = self
            .attrs()
            .find(|&(key, _)| key != name && local(key) == name);
        found.map(|(_, value)| value)
    }

    /// An attribute as a number.
    pub(crate) fn number(self, name: &str) -> Option<i64> {
        let value = self.attr(name)?.trim();
        let whole = value.split_once('.').map_or(value, |(whole, _)| whole);
        whole.parse::<i64>().ok().filter(|n| n.abs() < 1 << 48)
    }

    /// Elements directly below.
    pub(crate) fn children(self) -> impl Iterator<Item = Element<'a>> {
        let xml = self.xml;
        let end = self.end();
        let mut at = self.id + 1;
        let below = std::iter::from_fn(move || {
            let id = at;
            (id < end).then(|| at = xml.nodes[id as usize].end)?;
            Some(Element { xml, id })
        });
        below.filter(move |below| {
            matches!(xml.nodes[below.id as usize].kind, NodeKind::Element { .. })
        })
    }

    /// The elements of this name directly below.
    pub(crate) fn named(self, name: &'a str) -> impl Iterator<Item = Element<'a>> {
        self.children().filter(move |child| child.name() == name)
    }

    /// The first element of this name directly below.
    pub(crate) fn child(self, name: &str) -> Option<Element<'a>> {
        self.children().find(|child| child.name() == name)
    }

    /// The element that these names lead to, each below the one before.
    pub(crate) fn path(self, names: &[&str]) -> Option<Element<'a>> {
        names
            .iter()
            .try_fold(self, |element, name| element.child(name))
    }

    /// All elements below, in the order of the file.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Element<'a>> {
        let xml = self.xml;
        let end = xml.nodes[self.id as usize].end;
        (self.id + 1..end)
            .filter(move |&id| matches!(xml.nodes[id as usize].kind, NodeKind::Element { .. }))
            .map(move |id| Element { xml, id })
    }

    /// The first element of this name below.
    pub(crate) fn find(self, name: &str) -> Option<Element<'a>> {
        self.descendants().find(|below| below.name() == name)
    }

    /// All text below.
    pub(crate) fn text(self) -> String {
        let end = self.xml.nodes[self.id as usize].end as usize;
        let below = &self.xml.nodes[self.id as usize..end];
        let texts = below.iter().filter_map(|node| match &node.kind {
            NodeKind::Text(text) => Some(&**text),
            NodeKind::Element { .. } => None,
        });
        texts.collect()
    }
}

/// Part of a name behind its prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The text of a part: UTF-8, else as its byte order mark says.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    let (text, ..) = encoding_rs::UTF_8.decode(bytes);
    text.into_owned()
}

/// The tree being built.
#[derive(Default)]
struct Build {
    names: Vec<String>,
    known: HashMap<String, u32>,
    nodes: Vec<Node>,
    attrs: Vec<Attr>,
    open: Vec<Open>,
}

/// An element whose end has not come.
enum Open {
    Kept(u32),
    /// One that only offers a choice, and whether that has been made.
    Choices(bool),
    /// A choice that was taken: what it holds belongs to the element around.
    Chosen,
    /// One that is left out with all that it holds.
    Dropped,
}

impl Build {
    fn items(&self) -> usize {
        self.nodes.len() + self.attrs.len()
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let open = self.opened(tag);
        self.open.push(open);
    }

    fn opened(&mut self, tag: &BytesStart<'_>) -> Open {
        let full = tag.name();
        let full: &str = full.as_ref();
        let chosen = match self.open.last_mut() {
            Some(Open::Dropped) => return Open::Dropped,
            Some(Open::Choices(made)) => Some(made),
            _ => None,
        };
        if let Some(made) = chosen {
            let requires = tag
                .attributes()
                .with_checks(false)
                .flatten()
                .find(|attr| local(attr.key.as_ref()) == "Requires")
                .map(|attr| attr.value.into_owned());
            let understood = match local(full) {
                "Choice" => requires.is_none_or(|requires| {
                    !requires.split_whitespace().any(|name| {
                        UNKNOWN_CHOICES.contains(&name.trim_end_matches(char::is_numeric))
                    })
                }),
                "Fallback" => true,
                _ => false,
            };
            let take = understood && !*made;
            *made |= take;
            return if take { Open::Chosen } else { Open::Dropped };
        }
        if local(full) == "AlternateContent" {
            return Open::Choices(false);
        }
        if self.open.len() >= MAX_DEPTH {
            return Open::Dropped;
        }
        let start = self.attrs.len() as u32;
        // The check for attributes of one name takes time in the square of their number.
        for attr in tag.attributes().with_checks(false).flatten() {
            let value = unescape(&attr.value).map_or_else(
                |_| attr.value.as_ref().into(),
                |value| value.into_owned().into_boxed_str(),
            );
            let name = self.name(attr.key.as_ref());
            self.attrs.push(Attr { name, value });
        }
        let name = self.name(full);
        let id = self.nodes.len() as u32;
        let attrs = (start, self.attrs.len() as u32);
        self.nodes.push(Node {
            end: id + 1,
            kind: NodeKind::Element { name, attrs },
        });
        Open::Kept(id)
    }

    fn end(&mut self) {
        if let Some(Open::Kept(id)) = self.open.pop() {
            self.nodes[id as usize].end = self.nodes.len() as u32;
        }
    }

    fn text(&mut self, text: &str) {
        let kept = matches!(self.open.last(), Some(Open::Kept(_) | Open::Chosen));
        if !kept || text.is_empty() {
            return;
        }
        let end = self.nodes.len() as u32 + 1;
        self.nodes.push(Node {
            end,
            kind: NodeKind::Text(text.into()),
        });
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let at = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.known.insert(name.to_owned(), at);
        at
    }

    fn finish(mut self, broken: bool) -> Xml {
        let cut = broken || !self.open.is_empty();
        while !self.open.is_empty() {
            self.end();
        }
        Xml {
            names: self.names,
            nodes: self.nodes,
            attrs: self.attrs,
            cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(xml: &str) -> String {
        fn show(element: Element<'_>, out: &mut String) {
            *out += element.name();
            for (name, value) in element.attrs() {
                out.extend([" ", name, "=", value]);
            }
            *out += "(";
            for child in element.children() {
                show(child, out);
            }
            *out += ")";
        }
        let xml = Xml::read(xml.as_bytes());
        let mut out = String::new();
        if let Some(root) = xml.root() {
            show(root, &mut out);
            out.extend([" ", &root.text()]);
        }
        let cut = if xml.cut { " cut" } else { "" };
        out.trim_end().to_owned() + cut
    }

    #[test]
    fn elements_attributes_and_texts() {
        insta::assert_snapshot!(
            shown("<?xml version='1.0'?><w:p r:id='1' id=\"&lt;&#65;\">a &amp; b<w:t/><![CDATA[<c>]]></w:p>"),
            @"p r:id=1 id=<A(t()) a & b<c>"
        );
        let xml = Xml::read(b"<a r:id='x' id='7'/>");
        let root = xml.root().unwrap();
        assert_eq!(root.attr("id"), Some("7"));
        assert_eq!(root.prefixed_attr("id"), Some("x"));
        assert_eq!(root.number("id"), Some(7));
    }

    #[test]
    fn the_first_choice_that_is_understood() {
        let choices = "<a><mc:AlternateContent><mc:Choice Requires='cx1'>1</mc:Choice>\
             <mc:Choice Requires='wps'><b/></mc:Choice><mc:Fallback><c/></mc:Fallback>\
             </mc:AlternateContent></a>";
        insta::assert_snapshot!(shown(choices), @"a(b())");
    }

    #[test]
    fn what_is_broken_is_cut() {
        insta::assert_snapshot!(shown("<a><b>x</b><c"), @"a(b()) x cut");
        insta::assert_snapshot!(shown("<a><b>x"), @"a(b()) x cut");
        insta::assert_snapshot!(shown("no"), @"");
        let bomb = "<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c SYSTEM 'file:///etc/passwd'>]><a>&b;&c;d</a>";
        insta::assert_snapshot!(shown(bomb), @"a() d");
        let deep = format!("{}x{}y", "<a>".repeat(100_000), "</a>".repeat(99_999));
        assert!(shown(&deep).ends_with(" y cut"));
    }
}
