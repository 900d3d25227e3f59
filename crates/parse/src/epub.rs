//! Reading books (EPUB 2 and 3): pages of XHTML in an archive, in the order of the spine.
//!
//! The HTML reader reads each page; here they become one tree. How deep a heading stands is told
//! by the book's table of contents, which need not agree with the tags of its pages.

use crate::archive::{Archive, EntryError, resolve};
use crate::assets::keep_shown;
use crate::block::{Block, BlockKind, Heading};
use crate::html;
use crate::nodes::{self, Outline};
use crate::source::file_stem;
use crate::text::folded;
use crate::xml::{Element, Xml};
use crate::{Asset, ParseError, Parsed, Source, Warning, language};
use catena_document::{ContentHash, Document, MediaType};
use std::collections::{HashMap, HashSet};

/// Pages of a book that are read.
const MAX_PAGES: usize = 20_000;
/// Ranks from one depth of the table of contents to the next: room for headings that it leaves out.
const RANKS: u8 = 8;
/// The deepest entry of a table of contents.
const MAX_DEPTH: u8 = 20;
/// Warnings that are kept.
const MAX_WARNINGS: usize = 50;

/// What a book says of itself.
struct Book {
    title: Option<String>,
    language: Option<String>,
    /// The entries of its pages, in order.
    pages: Vec<String>,
    /// The table of contents by page.
    contents: HashMap<String, Vec<Entry>>,
}

/// An entry of the table of contents.
struct Entry {
    fragment: Option<String>,
    label: String,
    /// From 1.
    depth: u8,
}

/// A book being put together.
#[derive(Default)]
struct Reading {
    blocks: Vec<Block>,
    assets: Vec<Asset>,
    hashes: HashSet<ContentHash>,
    warnings: Vec<Warning>,
    /// Of the pages read so far.
    bytes: usize,
}

pub(crate) fn parse(source: &Source<'_>) -> Result<Parsed, ParseError> {
    let _span = tracing::info_span!("read_epub", uri = source.uri).entered();
    let archive = Archive::open(source.bytes)?;
    let mut reading = Reading::default();
    let book = Book::read(&archive, &mut reading)?;
    for name in book.pages.iter().take(MAX_PAGES) {
        if reading.bytes > html::MAX_BYTES {
            reading.warn(format!("the book is too large: it is read up to `{name}`"));
            break;
        }
        reading.page(&archive, name, &book);
    }
    let outline = outline(&reading.blocks);
    let nodes = nodes::build(reading.blocks, &outline, None);
    keep_shown(&mut reading.assets, &nodes);
    Ok(Parsed {
        document: Document {
            id: ContentHash::of(source.bytes),
            sources: vec![source.uri.to_owned()],
            media_type: MediaType::Epub,
            title: book.title.unwrap_or_else(|| file_stem(source.uri)),
            language: language::detect(&nodes).or(book.language),
            pages: Vec::new(),
            nodes,
        },
        assets: reading.assets,
        warnings: reading.warnings,
        unread_pictures: false,
    })
}

impl Book {
    fn read(archive: &Archive<'_>, reading: &mut Reading) -> Result<Self, ParseError> {
        let container = xml(archive, "META-INF/container.xml")?;
        let package = container
            .root()
            .and_then(|root| root.find("rootfile"))
            .and_then(|file| resolve("", file.attr("full-path")?))
            .ok_or_else(|| ParseError::Damaged("the book does not say where it begins".into()))?;
        let opf = xml(archive, &package)?;
        let root = opf
            .root()
            .ok_or_else(|| ParseError::Damaged(format!("`{package}` is broken")))?;
        let data = |name: &str| {
            let text = folded(&root.child("metadata")?.find(name)?.text());
            Some(text).filter(|text| !text.is_empty())
        };
        let manifest = root.child("manifest");
        let items: HashMap<&str, Item<'_>> = manifest
            .into_iter()
            .flat_map(|manifest| manifest.named("item"))
            .filter_map(|item| {
                let name = resolve(&package, item.attr("href")?)?;
                Some((
                    item.attr("id")?,
                    Item {
                        name,
                        element: item,
                    },
                ))
            })
            .collect();
        let spine = root.child("spine");
        let nav = items.values().find(|item| item.has("nav"));
        let ncx = spine
            .and_then(|spine| items.get(spine.attr("toc")?))
            .or_else(|| {
                items
                    .values()
                    .find(|item| item.element.attr("media-type") == Some(NCX))
            });
        let contents = contents(archive, nav, ncx);
        let mut left_out: HashSet<String> = nav.map(|item| item.name.clone()).into_iter().collect();
        let guide = root
            .child("guide")
            .into_iter()
            .flat_map(|guide| guide.named("reference"));
        let of_contents = guide.filter(|part| part.attr("type") == Some("toc"));
        left_out.extend(of_contents.filter_map(|part| resolve(&package, part.attr("href")?)));
        let mut pages: Vec<String> = Vec::new();
        for part in spine.into_iter().flat_map(|spine| spine.named("itemref")) {
            match part.attr("idref").and_then(|id| items.get(id)) {
                // A page stands once in a book, however often the spine names it.
                Some(item) if left_out.contains(&item.name) => {}
                Some(item) => {
                    left_out.insert(item.name.clone());
                    pages.push(item.name.clone());
                }
                None => reading.warn("a page of the book is missing".to_owned()),
            }
        }
        if is_encrypted(archive, &pages) {
            return Err(ParseError::Encrypted);
        }
        let language = data("language").and_then(|tag| {
            let code = tag.split(['-', '_']).next()?.to_ascii_lowercase();
            (code.len() == 2).then_some(code)
        });
        Ok(Self {
            title: data("title"),
            language,
            pages,
            contents,
        })
    }
}

/// The media type of a table of contents of EPUB 2.
const NCX: &str = "application/x-dtbncx+xml";

/// A file that belongs to the book.
struct Item<'a> {
    name: String,
    element: Element<'a>,
}

impl Item<'_> {
    fn has(&self, property: &str) -> bool {
        let properties = self.element.attr("properties").unwrap_or_default();
        properties.split_whitespace().any(|word| word == property)
    }
}

fn xml(archive: &Archive<'_>, name: &str) -> Result<Xml, ParseError> {
    match archive.read(name) {
        Ok(bytes) => Ok(Xml::read(&bytes)),
        Err(EntryError::Encrypted) => Err(ParseError::Encrypted),
        Err(error) => Err(ParseError::Damaged(format!("`{name}` {error}"))),
    }
}

/// Whether pages, not only fonts, are encrypted.
fn is_encrypted(archive: &Archive<'_>, pages: &[String]) -> bool {
    let Ok(bytes) = archive.read("META-INF/encryption.xml") else {
        return false;
    };
    let xml = Xml::read(&bytes);
    let parts = xml.root().into_iter().flat_map(Element::descendants);
    let names = parts
        .filter(|part| part.name() == "CipherReference")
        .filter_map(|part| resolve("", part.attr("URI")?));
    let names: HashSet<String> = names.collect();
    pages.iter().any(|page| names.contains(page))
}

/// The table of contents by page: that of EPUB 3, else that of EPUB 2.
fn contents(
    archive: &Archive<'_>,
    nav: Option<&Item<'_>>,
    ncx: Option<&Item<'_>>,
) -> HashMap<String, Vec<Entry>> {
    let mut out = HashMap::new();
    let read = |item: &Item<'_>| Some(Xml::read(&archive.read(&item.name).ok()?));
    if let Some(item) = nav
        && let Some(xml) = read(item)
        && let Some(root) = xml.root()
    {
        let navs = || root.descendants().filter(|element| element.name() == "nav");
        let toc = navs().find(|nav| nav.attr("type") == Some("toc"));
        if let Some(list) = toc.or_else(|| navs().next()).and_then(|nav| nav.find("ol")) {
            nav_entries(list, &item.name, 1, &mut out);
        }
    }
    if out.is_empty()
        && let Some(item) = ncx
        && let Some(xml) = read(item)
        && let Some(map) = xml.root().and_then(|root| root.child("navMap"))
    {
        ncx_entries(map, &item.name, 1, &mut out);
    }
    out
}

fn nav_entries(list: Element<'_>, base: &str, depth: u8, out: &mut HashMap<String, Vec<Entry>>) {
    for item in list.named("li") {
        if let Some(link) = item.child("a").or_else(|| item.child("span")?.child("a")) {
            add_entry(link.attr("href"), &link.text(), base, depth, out);
        }
        if let Some(list) = item.child("ol") {
            nav_entries(list, base, (depth + 1).min(MAX_DEPTH), out);
        }
    }
}

fn ncx_entries(points: Element<'_>, base: &str, depth: u8, out: &mut HashMap<String, Vec<Entry>>) {
    for point in points.named("navPoint") {
        let label = point
            .child("navLabel")
            .map(Element::text)
            .unwrap_or_default();
        let target = point
            .child("content")
            .and_then(|content| content.attr("src"));
        add_entry(target, &label, base, depth, out);
        ncx_entries(point, base, (depth + 1).min(MAX_DEPTH), out);
    }
}

fn add_entry(
    target: Option<&str>,
    label: &str,
    base: &str,
    depth: u8,
    out: &mut HashMap<String, Vec<Entry>>,
) {
    let Some(target) = target else { return };
    let Some(page) = resolve(base, target) else {
        return;
    };
    let fragment = target
        .split_once('#')
        .map(|(_, fragment)| fragment.to_owned());
    out.entry(page).or_default().push(Entry {
        fragment,
        label: folded(label),
        depth,
    });
}

impl Reading {
    fn page(&mut self, archive: &Archive<'_>, name: &str, book: &Book) {
        let bytes = match archive.read(name) {
            Ok(bytes) => bytes,
            Err(error) => return self.warn(format!("`{name}` {error}")),
        };
        self.bytes += bytes.len();
        let resolve = |path: &str| archive.read(&resolve(name, path)?).ok();
        let mut chapter = html::chapter(&Source {
            uri: name,
            bytes: &bytes,
            resolve: &resolve,
        });
        let entries = book.contents.get(name).map_or(&[][..], Vec::as_slice);
        if !book.contents.is_empty() {
            rank(&mut chapter.blocks, entries);
        }
        set_anchors(&mut chapter.blocks, name);
        let first = chapter.blocks.first_mut();
        if let Some(first) = first.filter(|first| first.anchor.is_none()) {
            first.anchor = Some(name.to_owned());
        }
        self.blocks.append(&mut chapter.blocks);
        for asset in chapter.assets {
            if self.hashes.insert(asset.hash) {
                self.assets.push(asset);
            }
        }
        for warning in chapter.warnings {
            self.warn(format!("`{name}`: {}", warning.message));
        }
    }

    fn warn(&mut self, message: String) {
        let warning = Warning::new(message);
        if self.warnings.len() < MAX_WARNINGS && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// Ranks the headings of a page by the table of contents. A heading that it leaves out stands
/// below the one before it as its tag says; an entry for a page without a heading becomes one.
fn rank(blocks: &mut Vec<Block>, entries: &[Entry]) {
    let has_heading = blocks
        .iter()
        .any(|block| matches!(block.kind, BlockKind::Heading(_)));
    if let Some(entry) = entries
        .first()
        .filter(|entry| !has_heading && !entry.label.is_empty())
        && !blocks.is_empty()
    {
        let kind = BlockKind::Heading(Heading {
            rank: entry.depth * RANKS,
            text: entry.label.clone(),
            titled: false,
        });
        return blocks.insert(0, Block::new(kind));
    }
    let tags = blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Heading(heading) => Some(heading.rank),
        _ => None,
    });
    let highest = tags.min().unwrap_or(1);
    let mut first = true;
    // The depth and tag of the last heading that the table of contents has.
    let mut last = (1, highest);
    for block in blocks {
        let anchor = block.anchor.as_deref();
        let BlockKind::Heading(heading) = &mut block.kind else {
            continue;
        };
        let named =
            |entry: &&Entry| entry.fragment.is_some() && entry.fragment.as_deref() == anchor;
        let called = |entry: &&Entry| entry.label.to_lowercase() == heading.text.to_lowercase();
        let whole = |entry: &&Entry| first && entry.fragment.is_none();
        let entry = entries
            .iter()
            .find(named)
            .or_else(|| entries.iter().find(called));
        let entry = entry.or_else(|| entries.iter().find(whole));
        first = false;
        if let Some(entry) = entry {
            last = (entry.depth, heading.rank);
            heading.rank = entry.depth * RANKS;
        } else {
            let below = heading.rank.saturating_sub(last.1).min(RANKS - 1);
            heading.rank = last.0 * RANKS + below;
        }
    }
}

/// Names in a page become names in the book.
fn set_anchors(blocks: &mut [Block], page: &str) {
    for block in blocks {
        if let Some(anchor) = &mut block.anchor {
            *anchor = format!("{page}#{anchor}");
        }
        set_links(&mut block.links, page);
        match &mut block.kind {
            BlockKind::List(items) => {
                for item in items {
                    if let Some(anchor) = &mut item.anchor {
                        *anchor = format!("{page}#{anchor}");
                    }
                    set_links(&mut item.links, page);
                    set_anchors(&mut item.blocks, page);
                }
            }
            BlockKind::Figure(figure) => set_anchors(&mut figure.parts, page),
            _ => {}
        }
    }
}

/// Links from a page become names in the book.
fn set_links(links: &mut Vec<String>, page: &str) {
    for link in links {
        let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
        let file = if file.is_empty() {
            Some(page.to_owned())
        } else {
            resolve(page, file)
        };
        let file = file.unwrap_or_default();
        *link = if fragment.is_empty() {
            file
        } else {
            format!("{file}#{fragment}")
        };
    }
}

/// Levels tell how headings nest: one of lower rank is one level below the nearest one above it.
fn outline(blocks: &[Block]) -> Outline {
    let mut open: Vec<u8> = Vec::new();
    let mut levels = Vec::new();
    for block in blocks {
        if let BlockKind::Heading(heading) = &block.kind {
            while open.last().is_some_and(|&rank| rank >= heading.rank) {
                open.pop();
            }
            open.push(heading.rank);
            levels.push(open.len() as u8);
        }
    }
    Outline {
        title: None,
        levels,
    }
}
