//! Getting at the bytes of the pictures that a document shows.

use crate::picture::{media_type, picture_size, svg_facts};
use crate::{Asset, Source, Warning};
use catena_document::{ContentHash, Node, NodeKind};
use std::collections::{HashMap, HashSet};

/// Bytes of the largest picture that is kept.
const MAX_BYTES: usize = 32 << 20;
/// Bytes of all pictures of a document together.
const MAX_TOTAL: usize = 1 << 30;
/// Bytes of the longest path that is asked for.
const MAX_PATH: usize = 1024;

/// The pictures of a document: those read so far, and what could not be had.
pub(crate) struct Pictures<'a> {
    source: &'a Source<'a>,
    base: String,
    known: HashMap<String, Result<Loaded, Failure>>,
    hashes: HashSet<ContentHash>,
    pub(crate) assets: Vec<Asset>,
    total: usize,
    remote: usize,
    missing: Failures,
    unknown: Failures,
    large: Failures,
}

/// How often something failed, and where first.
#[derive(Default)]
struct Failures {
    count: usize,
    first: String,
}

/// Why a file gave no picture.
#[derive(Clone, Copy)]
enum Failure {
    /// It is not there.
    Absent,
    /// It is there, and what is wrong with it has been noted.
    Noted,
}

/// A picture whose bytes are there.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) hash: ContentHash,
    /// Width and height in pixels.
    pub(crate) size: Option<(u32, u32)>,
    /// The words in a drawing.
    pub(crate) words: String,
}

/// Keeps the assets that a node shows.
pub(crate) fn keep_shown(assets: &mut Vec<Asset>, nodes: &[Node]) {
    let shown: HashSet<ContentHash> = nodes
        .iter()
        .filter_map(|node| match &node.kind {
            NodeKind::Picture(picture) => picture.image,
            _ => None,
        })
        .collect();
    assets.retain(|asset| shown.contains(&asset.hash));
}

/// Where an address leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// The picture itself is in the address.
    Data,
    /// A file beside the page: its path, relative, without `.` and, but at its beginning, `..`.
    Local(String),
    /// Another machine.
    Remote,
    /// Nowhere that may be read.
    Unreadable,
}

impl<'a> Pictures<'a> {
    /// `base` is what the page's `<base href>` says.
    pub(crate) fn new(source: &'a Source<'a>, base: Option<&str>) -> Self {
        // A page that has been saved keeps the address of its site, but not its pictures there.
        let base = match base.map(|base| address(base, "")) {
            Some(Address::Local(_)) => {
                base.map(|base| base.rsplit_once('/').map_or("", |(folder, _)| folder))
            }
            _ => None,
        };
        Self {
            source,
            base: base.unwrap_or_default().to_owned(),
            known: HashMap::new(),
            hashes: HashSet::new(),
            assets: Vec::new(),
            total: 0,
            remote: 0,
            missing: Failures::default(),
            unknown: Failures::default(),
            large: Failures::default(),
        }
    }

    pub(crate) fn address(&self, text: &str) -> Address {
        address(text, &self.base)
    }

    /// The first picture of these addresses that can be read. What is on the network is counted,
    /// what is not there is noted.
    pub(crate) fn load(&mut self, addresses: &[&str]) -> Option<Loaded> {
        let mut remote = false;
        let mut absent = None;
        for &text in addresses {
            match self.address(text) {
                Address::Data => {
                    if let Some(loaded) = self.load_data(text) {
                        return Some(loaded);
                    }
                }
                Address::Local(path) => match self.load_file(&path) {
                    Ok(loaded) => return Some(loaded),
                    Err(Failure::Absent) => absent = absent.or(Some(path)),
                    Err(Failure::Noted) => {}
                },
                Address::Remote => remote = true,
                Address::Unreadable => absent = absent.or_else(|| Some(shortened(text))),
            }
        }
        if remote {
            self.remote += 1;
        } else if let Some(path) = absent {
            self.missing.note(&path);
        }
        None
    }

    /// A picture that is kept in the document's own archive, by its name there.
    pub(crate) fn load_entry(&mut self, name: &str) -> Option<Loaded> {
        let loaded = self.load_file(name);
        if matches!(loaded, Err(Failure::Absent)) {
            self.missing.note(name);
        }
        loaded.ok()
    }

    /// Keeps a picture.
    pub(crate) fn keep(&mut self, bytes: Vec<u8>, name: &str) -> Option<Loaded> {
        let Some(media_type) = media_type(&bytes) else {
            self.unknown.note(name);
            return None;
        };
        if bytes.len() > MAX_BYTES || self.total + bytes.len() > MAX_TOTAL {
            self.large.note(name);
            return None;
        }
        let (size, words) = if media_type == "image/svg+xml" {
            let facts = svg_facts(&bytes);
            facts.map_or((None, String::new()), |facts| (facts.size, facts.words))
        } else {
            (picture_size(&bytes), String::new())
        };
        let hash = ContentHash::of(&bytes);
        if self.hashes.insert(hash) {
            self.total += bytes.len();
            self.assets.push(Asset {
                hash,
                media_type,
                bytes,
            });
        }
        Some(Loaded { hash, size, words })
    }

    fn load_data(&mut self, text: &str) -> Option<Loaded> {
        let name = shortened(text);
        // Base64 writes three bytes in four characters, an escaped SVG one in three at most.
        if text.len() > MAX_BYTES * 3 {
            self.large.note(&name);
            return None;
        }
        let data = data_url::DataUrl::process(text.trim())
            .ok()
            .and_then(|url| url.decode_to_vec().ok());
        let Some((bytes, _)) = data else {
            self.unknown.note(&name);
            return None;
        };
        self.keep(bytes, &name)
    }

    fn load_file(&mut self, path: &str) -> Result<Loaded, Failure> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let loaded = match (self.source.resolve)(path) {
            Some(bytes) => self.keep(bytes, path).ok_or(Failure::Noted),
            None => Err(Failure::Absent),
        };
        self.known.insert(path.to_owned(), loaded.clone());
        loaded
    }

    /// What could not be had.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let mut out = Vec::new();
        let mut warn = |count: usize, what: &str, first: &str| {
            if count > 0 {
                let pictures = if count == 1 { "picture" } else { "pictures" };
                let first = if first.is_empty() {
                    String::new()
                } else {
                    format!(", first `{first}`")
                };
                out.push(Warning::new(format!("{count} {pictures} {what}{first}")));
            }
        };
        warn(self.remote, "on the network, not fetched", "");
        warn(self.missing.count, "not found", &self.missing.first);
        warn(
            self.unknown.count,
            "of no known kind or damaged",
            &self.unknown.first,
        );
        warn(self.large.count, "too large", &self.large.first);
        out
    }
}

impl Failures {
    fn note(&mut self, name: &str) {
        self.count += 1;
        if self.first.is_empty() {
            name.clone_into(&mut self.first);
        }
    }
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

/// Where an address leads, one without a folder being taken to be in `base`.
fn address(text: &str, base: &str) -> Address {
    let text = text.trim();
    if let Some(scheme) = scheme(text) {
        return match scheme.to_ascii_lowercase().as_str() {
            "data" => Address::Data,
            "http" | "https" | "ftp" => Address::Remote,
            _ => Address::Unreadable,
        };
    }
    if text.starts_with("//") || text.starts_with("\\\\") {
        return Address::Remote;
    }
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    let path = path.replace('\\', "/");
    if path.starts_with('/') || scheme(&path).is_some() || path.chars().any(char::is_control) {
        return Address::Unreadable;
    }
    let joined = if base.is_empty() {
        path
    } else {
        format!("{base}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let clean = parts.join("/");
    if clean.is_empty() || clean.len() > MAX_PATH || parts.last() == Some(&"..") {
        return Address::Unreadable;
    }
    Address::Local(clean)
}

/// The scheme that an address begins with; a drive letter counts as one.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    valid.then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_only_to_clean_relative_paths() {
        let local = |path: &str| Address::Local(path.to_owned());
        for (text, base, expected) in [
            ("img/pump.svg", "", local("img/pump.svg")),
            ("./img//a%20b.png?v=2#x", "", local("img/a b.png")),
            ("a/../../b.png", "", local("../b.png")),
            ("img\\pump.png", "", local("img/pump.png")),
            ("pump.png", "img", local("img/pump.png")),
            ("../pump.png", "en/img", local("en/pump.png")),
            ("/etc/passwd", "", Address::Unreadable),
            ("%2fetc/passwd", "", Address::Unreadable),
            ("file:///etc/passwd", "", Address::Unreadable),
            ("C:\\a.png", "", Address::Unreadable),
            ("a%00.png", "", Address::Unreadable),
            ("..", "", Address::Unreadable),
            ("", "", Address::Unreadable),
            ("//host/a.png", "", Address::Remote),
            ("HTTPS://host/a.png", "", Address::Remote),
            (" data:image/png;base64,AA", "", Address::Data),
        ] {
            assert_eq!(address(text, base), expected, "{text}");
        }
    }
}
