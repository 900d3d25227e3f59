//! The structure tree of a tagged PDF: what the file says that its content is.

use super::destination::{Destinations, catalog};
use super::outline::text_string;
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::dict::keys::{K, S};
use hayro::hayro_syntax::object::{
    Array, Dict, Name, Object, ObjectIdentifier, String as PdfString,
};
use std::collections::{HashMap, HashSet};

/// Elements read at most.
const MAX_ELEMENTS: usize = 500_000;
/// Elements nested deeper are left out.
const MAX_DEPTH: u32 = 60;
/// Characters of the longest text kept for a picture.
const MAX_ALT: usize = 4_000;

/// What an element of the tree is, as far as it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Title,
    /// A heading of a level from 1.
    Heading(u8),
    Figure,
    TableHeader,
    TableCell,
    Other,
}

/// The tree's elements, by the content that they hold.
#[derive(Debug, Default)]
pub(super) struct Tags {
    elements: Vec<Element>,
    /// The element of each number of marked content of each page, from 1.
    holders: HashMap<(u32, u32), u32>,
}

#[derive(Debug)]
struct Element {
    tag: Tag,
    /// The element around it.
    parent: Option<u32>,
    /// The text given in its place.
    alt: Option<String>,
}

/// An element that waits to be read.
struct Open<'a> {
    dict: Dict<'a>,
    parent: Option<u32>,
    page: Option<u32>,
    /// How many sections are around it.
    sections: u8,
    depth: u32,
}

impl Tags {
    /// Reads the tree; empty where there is none.
    pub(super) fn of(pdf: &Pdf, destinations: &Destinations<'_>) -> Self {
        let mut out = Self::default();
        let root = catalog(pdf).and_then(|catalog| catalog.get::<Dict<'_>>(b"StructTreeRoot"));
        let Some(root) = root else {
            return out;
        };
        let names = root.get::<Dict<'_>>(b"RoleMap").unwrap_or_default();
        // An element may stand within another's object, so that its place in the file tells it.
        let mut seen: HashSet<usize> = HashSet::new();
        let mut stack = Vec::new();
        for kid in kids(&root) {
            if let Object::Dict(dict) = kid {
                stack.push(Open {
                    dict,
                    parent: None,
                    page: None,
                    sections: 0,
                    depth: 0,
                });
            }
        }
        while let Some(open) = stack.pop() {
            let known = !seen.insert(open.dict.data().as_ptr().addr());
            if known || open.depth > MAX_DEPTH || out.elements.len() >= MAX_ELEMENTS {
                continue;
            }
            out.element(open, &names, destinations, &mut stack);
        }
        out
    }

    /// Adds an element; those below it go onto the stack.
    fn element<'a>(
        &mut self,
        open: Open<'a>,
        names: &Dict<'a>,
        destinations: &Destinations<'_>,
        stack: &mut Vec<Open<'a>>,
    ) {
        let Open { dict, .. } = open;
        let name = standard_name(&dict, names);
        let is_section = matches!(name.as_slice(), b"Sect" | b"Art" | b"Part");
        let sections = open.sections.saturating_add(u8::from(is_section));
        let at = self.elements.len() as u32;
        let tag = tag(&name, sections);
        let text = |key: &[u8]| dict.get::<PdfString<'_>>(key);
        let alt = (tag == Tag::Figure)
            .then(|| text(b"Alt").or_else(|| text(b"ActualText")))
            .flatten();
        self.elements.push(Element {
            tag,
            parent: open.parent,
            alt: alt.and_then(|alt| telling(&text_string(alt.as_bytes()))),
        });
        let page = page_of(&dict, destinations).or(open.page);
        for kid in kids(&dict) {
            match kid {
                Object::Number(number) => self.hold(at, page, number.as_i64()),
                Object::Dict(kid) => match kid.get::<i64>(b"MCID") {
                    // What a form draws has numbers of its own.
                    Some(_) if kid.contains_key(b"Stm") => {}
                    Some(number) => self.hold(at, page_of(&kid, destinations).or(page), number),
                    None => stack.push(Open {
                        dict: kid,
                        parent: Some(at),
                        page,
                        sections,
                        depth: open.depth + 1,
                    }),
                },
                _ => {}
            }
        }
    }

    fn hold(&mut self, element: u32, page: Option<u32>, number: i64) {
        if let (Some(page), Ok(number)) = (page, u32::try_from(number)) {
            self.holders.insert((page, number), element);
        }
    }

    /// Whether there is no tree.
    pub(super) fn is_empty(&self) -> bool {
        self.holders.is_empty()
    }

    /// The innermost element around marked content that `wanted` accepts.
    pub(super) fn around<T>(
        &self,
        page: u32,
        mark: Option<u32>,
        wanted: impl Fn(Tag) -> Option<T>,
    ) -> Option<T> {
        let mut at = self.holders.get(&(page, mark?)).copied();
        while let Some(element) = at.and_then(|at| self.elements.get(at as usize)) {
            if let Some(found) = wanted(element.tag) {
                return Some(found);
            }
            at = element.parent;
        }
        None
    }

    /// The figure with a text of its own that marked content is part of, and that text.
    pub(super) fn figure(&self, page: u32, mark: u32) -> Option<(u32, &str)> {
        let mut at = self.holders.get(&(page, mark)).copied();
        while let Some((id, element)) =
            at.and_then(|at| Some((at, self.elements.get(at as usize)?)))
        {
            if let (Tag::Figure, Some(alt)) = (element.tag, &element.alt) {
                return Some((id, alt));
            }
            at = element.parent;
        }
        None
    }
}

/// What an element holds directly.
fn kids<'a>(dict: &Dict<'a>) -> Vec<Object<'a>> {
    match dict.get::<Object<'a>>(K) {
        Some(Object::Array(kids)) => Array::iter::<Object<'a>>(&kids)
            .take(MAX_ELEMENTS)
            .collect(),
        Some(kid) => vec![kid],
        None => Vec::new(),
    }
}

fn page_of(dict: &Dict<'_>, destinations: &Destinations<'_>) -> Option<u32> {
    let page = dict.get_ref(b"Pg")?;
    destinations.page_number(ObjectIdentifier::from(page))
}

/// The name of an element's kind, own names of the file replaced by what they stand for.
fn standard_name(dict: &Dict<'_>, names: &Dict<'_>) -> Vec<u8> {
    let mut name = dict.get::<Name<'_>>(S).map(|name| name.to_vec());
    for _ in 0..8 {
        let next = name
            .as_ref()
            .and_then(|name| names.get::<Name<'_>>(name.as_slice()));
        match next {
            Some(next) => name = Some(next.to_vec()),
            None => break,
        }
    }
    name.unwrap_or_default()
}

fn tag(name: &[u8], sections: u8) -> Tag {
    match name {
        b"Title" => Tag::Title,
        b"H" => Tag::Heading(sections.max(1)),
        [b'H', digit @ b'1'..=b'9'] => Tag::Heading(digit - b'0'),
        b"Figure" | b"Formula" => Tag::Figure,
        b"TH" => Tag::TableHeader,
        b"TD" => Tag::TableCell,
        _ => Tag::Other,
    }
}

/// A text given for a picture, where it tells something: not the name of a file, and not that it
/// is a picture.
fn telling(alt: &str) -> Option<String> {
    let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = alt.to_lowercase();
    let file = !alt.contains(' ')
        && [
            ".png", ".jpg", ".jpeg", ".gif", ".svg", ".emf", ".wmf", ".tif", ".bmp",
        ]
        .iter()
        .any(|end| lower.ends_with(end));
    let empty = [
        "", "image", "picture", "figure", "graphic", "graphics", "photo", "logo", "chart",
        "diagram", "bild", "grafik",
    ];
    let numbered = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let says = !file && !empty.contains(&numbered);
    says.then(|| alt.chars().take(MAX_ALT).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_no_descriptions() {
        assert_eq!(telling("A pump\n in use").as_deref(), Some("A pump in use"));
        for alt in ["pump_01.PNG", "Picture 3", " ", "Image"] {
            assert_eq!(telling(alt), None, "{alt}");
        }
    }
}
