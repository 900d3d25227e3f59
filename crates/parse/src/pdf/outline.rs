//! The outline (bookmarks) of a PDF: titles with their depth and page.

use super::destination::{Destinations, catalog};
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::dict::keys::{FIRST, NEXT, OUTLINES, TITLE};
use hayro::hayro_syntax::object::{Dict, String as PdfString};
use std::collections::HashSet;

/// Entries read at most.
const MAX_ENTRIES: usize = 20_000;

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
pub(super) fn read(pdf: &Pdf, destinations: &Destinations<'_>) -> Vec<Entry> {
    let outlines = catalog(pdf).and_then(|catalog| catalog.get::<Dict<'_>>(OUTLINES));
    let Some(outlines) = outlines else {
        return Vec::new();
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
                    page: destinations.of_item(&item).map(|to| to.page),
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
