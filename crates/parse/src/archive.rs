//! Files kept in a ZIP archive, read within bounds.

use crate::ParseError;
use std::cell::Cell;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Entries of the largest archive that is read.
const MAX_ENTRIES: usize = 50_000;
/// Bytes that one entry may have when unpacked.
const MAX_ENTRY: u64 = 256 << 20;
/// Bytes that all entries read may have together.
const MAX_TOTAL: u64 = 1 << 30;
/// An entry larger than this may not be packed tighter than [`MAX_RATIO`].
const MIN_BOMB: u64 = 4 << 20;
/// How many times larger than packed an entry may be.
const MAX_RATIO: u64 = 250;

/// An archive open for reading. Nothing is ever written to a disk, so that names lead nowhere
/// but to the entry of that name.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Entries by name; names differ in more than case.
    entries: HashMap<String, usize>,
    left: Cell<u64>,
}

/// Why an entry cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EntryError {
    #[error("is missing")]
    Missing,
    #[error("is damaged")]
    Damaged,
    #[error("is too large when unpacked")]
    TooLarge,
    #[error("is encrypted")]
    Encrypted,
}

impl<'a> Archive<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let cut = || ParseError::Damaged("the archive cannot be opened, it may be cut off".into());
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|_| cut())?;
        if zip.len() > MAX_ENTRIES {
            let count = zip.len();
            return Err(ParseError::TooLarge(format!("{count} files in an archive")));
        }
        let names = zip.file_names_raw().enumerate().collect::<Vec<_>>();
        let entries = names
            .into_iter()
            .map(|(at, name)| (key(&String::from_utf8_lossy(name)), at))
            .collect();
        Ok(Self {
            zip,
            entries,
            left: Cell::new(MAX_TOTAL),
        })
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(&key(name))
    }

    /// An entry's content.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, EntryError> {
        let &index = self.entries.get(&key(name)).ok_or(EntryError::Missing)?;
        // A clone shares the directory.
        let mut zip = self.zip.clone();
        let entry = zip.by_index(index).map_err(|error| match error {
            zip::result::ZipError::UnsupportedArchive(cause)
                if cause == zip::result::ZipError::PASSWORD_REQUIRED =>
            {
                EntryError::Encrypted
            }
            _ => EntryError::Damaged,
        })?;
        let packed = entry.compressed_size();
        let limit = MAX_ENTRY
            .min(self.left.get())
            .min(MIN_BOMB.max(packed.saturating_mul(MAX_RATIO)));
        let mut out = Vec::new();
        let read = entry.take(limit + 1).read_to_end(&mut out);
        self.left
            .set(self.left.get().saturating_sub(out.len() as u64));
        if out.len() as u64 > limit {
            return Err(EntryError::TooLarge);
        }
        read.map(|_| out).map_err(|_| EntryError::Damaged)
    }
}

/// How names are compared.
fn key(name: &str) -> String {
    name.replace('\\', "/")
        .trim_start_matches('/')
        .to_ascii_lowercase()
}

/// The entry that `target`, as it is written in the entry `base`, leads to; `None` where it leads
/// out of the archive.
pub(crate) fn resolve(base: &str, target: &str) -> Option<String> {
    let target = target.split(['#', '?']).next()?.replace('\\', "/");
    let target = percent_encoding::percent_decode_str(&target).decode_utf8_lossy();
    let mut parts: Vec<&str> = Vec::new();
    if !target.starts_with('/') {
        parts.extend(base.split('/'));
        parts.pop();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/")).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_stay_in_the_archive() {
        for (base, target, expected) in [
            ("word/document.xml", "media/a.png", Some("word/media/a.png")),
            ("word/document.xml", "/word/a.png", Some("word/a.png")),
            (
                "ppt/slides/slide1.xml",
                "../media/a%20b.png",
                Some("ppt/media/a b.png"),
            ),
            ("a/b.xhtml", "c.xhtml#x", Some("a/c.xhtml")),
            ("a.xml", "../../etc/passwd", None),
            ("a.xml", "", None),
        ] {
            assert_eq!(resolve(base, target).as_deref(), expected, "{target}");
        }
    }
}
