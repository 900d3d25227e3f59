//! The outline (bookmarks) of a PDF: titles with their depth and page.

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::dict::keys::{
    A, D, DEST, DESTS, FIRST, KIDS, NAMES, NEXT, OUTLINES, S, TITLE,
};
use hayro::hayro_syntax::object::{
    Array, Dict, MaybeRef, Name, Object, ObjectIdentifier, String as PdfString,
};
use std::collections::{HashMap, HashSet};

/// Entries read at most.
const MAX_ENTRIES: usize = 20_000;
/// Nodes of a name tree visited at most.
const MAX_TREE: usize = 20_000;

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) title: String,
    /// Depth from 1.
    pub(super) depth: u8,
    /// The page it leads to, from 1, where that is known.
    pub(super) page: Option<u32>,
}

/// The entries of a PDF's outline in order.
pub(super) fn read(pdf: &Pdf) -> Vec<Entry> {
    let Some(catalog) = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()) else {
        return Vec::new();
    };
    let Some(outlines) = catalog.get::<Dict<'_>>(OUTLINES) else {
        return Vec::new();
    };
    let pages: HashMap<ObjectIdentifier, u32> = pdf
        .pages()
        .iter()
        .zip(1..)
        .filter_map(|(page, number)| Some((page.raw().obj_id()?, number)))
        .collect();
    let targets = Targets {
        pages,
        names: named_destinations(&catalog),
    };
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    // Depth first, the siblings of each depth waiting on a stack.
    let mut stack: Vec<(Dict<'_>, u8)> = Vec::new();
    stack.extend(outlines.get::<Dict<'_>>(FIRST).map(|first| (first, 1)));
    while let Some((item, depth)) = stack.pop() {
        if out.len() >= MAX_ENTRIES || item.obj_id().is_some_and(|id| !seen.insert(id)) {
            continue;
        }
        if let Some(title) = item.get::<PdfString<'_>>(TITLE) {
            let title = text_string(title.as_bytes());
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            if !title.is_empty() {
                out.push(Entry {
                    title,
                    depth,
                    page: targets.page_of(&item),
                });
            }
        }
        if let Some(next) = item.get::<Dict<'_>>(NEXT) {
            stack.push((next, depth));
        }
        if depth < 12
            && let Some(first) = item.get::<Dict<'_>>(FIRST)
        {
            stack.push((first, depth + 1));
        }
    }
    out
}

/// Where destinations lead.
struct Targets<'a> {
    pages: HashMap<ObjectIdentifier, u32>,
    names: HashMap<Vec<u8>, Object<'a>>,
}

impl Targets<'_> {
    fn page_of(&self, item: &Dict<'_>) -> Option<u32> {
        let destination = item.get::<Object<'_>>(DEST).or_else(|| {
            let action = item.get::<Dict<'_>>(A)?;
            let go_to = action
                .get::<Name<'_>>(S)
                .is_some_and(|kind| &*kind == b"GoTo");
            if go_to {
                action.get::<Object<'_>>(D)
            } else {
                None
            }
        })?;
        self.resolve(&destination, 0)
    }

    fn resolve(&self, destination: &Object<'_>, depth: u32) -> Option<u32> {
        if depth > 4 {
            return None;
        }
        match destination {
            Object::Array(array) => match array.raw_iter().next()? {
                MaybeRef::Ref(page) => self.pages.get(&ObjectIdentifier::from(page)).copied(),
                MaybeRef::NotRef(Object::Number(number)) => u32::try_from(number.as_i64() + 1).ok(),
                MaybeRef::NotRef(_) => None,
            },
            Object::Dict(dict) => self.resolve(&dict.get::<Object<'_>>(D)?, depth + 1),
            Object::String(name) => self.resolve(self.names.get(name.as_bytes())?, depth + 1),
            Object::Name(name) => self.resolve(self.names.get(&**name)?, depth + 1),
            _ => None,
        }
    }
}

/// The destinations that have names, from the catalog's dictionary and its name tree.
fn named_destinations<'a>(catalog: &Dict<'a>) -> HashMap<Vec<u8>, Object<'a>> {
    let mut out = HashMap::new();
    if let Some(dests) = catalog.get::<Dict<'a>>(DESTS) {
        for name in dests.keys() {
            if let Some(target) = dests.get::<Object<'a>>(&*name) {
                out.insert(name.to_vec(), target);
            }
        }
    }
    let tree = catalog
        .get::<Dict<'a>>(NAMES)
        .and_then(|names| names.get::<Dict<'a>>(DESTS));
    let mut stack: Vec<Dict<'a>> = tree.into_iter().collect();
    let mut visited = 0;
    while let Some(node) = stack.pop() {
        visited += 1;
        if visited > MAX_TREE {
            break;
        }
        if let Some(names) = node.get::<Array<'a>>(NAMES) {
            let mut items = names.iter::<Object<'a>>();
            while let (Some(name), Some(target)) = (items.next(), items.next()) {
                if let Object::String(name) = name {
                    out.insert(name.as_bytes().to_vec(), target);
                }
            }
        }
        if let Some(kids) = node.get::<Array<'a>>(KIDS) {
            stack.extend(kids.iter::<Dict<'a>>().take(MAX_TREE));
        }
    }
    out
}

/// A PDF text string: UTF-16 or UTF-8 with their marks, else Latin-1 (near enough to
/// `PDFDocEncoding` for letters).
pub(super) fn text_string(bytes: &[u8]) -> String {
    let utf16 = |bytes: &[u8], read: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        let text: String = char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        text
    };
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings_of_all_encodings() {
        assert_eq!(text_string(b"\xfe\xff\x00\xdc\x00b"), "Üb");
        assert_eq!(text_string(b"\xff\xfe\xdc\x00"), "Ü");
        assert_eq!(text_string(b"\xef\xbb\xbf\xc3\x9c"), "Ü");
        assert_eq!(text_string(b"\xdcber"), "Über");
    }
}
