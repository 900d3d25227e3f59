//! The gold: sections of HTML pages with their blocks of text and their images, read apart from
//! the reader that is measured.

use crate::EvalError;
use crate::markup::{Child, Element, Syntax, heading_rank, is_inline, is_left_out, read};
use crate::text::plain;
use catena_document::ContentHash;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// An image on more pages than this is navigation or a mark of notes.
const PAGES: usize = 3;
/// An image with a shorter side, in pixels, is an icon.
const SIDE: u32 = 32;
/// Bytes of the largest file that is read.
const MAX_BYTES: u64 = 64 << 20;
/// Folders in folders that are looked into.
const DEPTH: usize = 12;

/// A heading's own content, up to the next heading.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Section {
    /// The page's file.
    pub(super) page: PathBuf,
    /// The headings above it and its own, which is the last; the page's title stands for the
    /// heading above the first.
    pub(super) headings: Vec<String>,
    /// Its paragraphs and items in order.
    pub(super) blocks: Vec<Block>,
    /// Its images in order, each once.
    pub(super) images: Vec<Image>,
}

/// A paragraph or item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) text: String,
    /// Whether it is an item of a numbered list.
    pub(super) step: bool,
}

/// An image that belongs in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    /// Its file's hash.
    pub(super) id: ContentHash,
    /// The block that it belongs to: the one that holds it, else the one before it, at the
    /// section's beginning the one after; none where the section has no text.
    pub(super) block: Option<usize>,
}

/// The HTML files of a folder and the folders in it, or one file, sorted.
pub(super) fn pages(path: &Path) -> Result<Vec<PathBuf>, EvalError> {
    let mut out = Vec::new();
    walk(path, 0, &mut out)?;
    out.sort();
    Ok(out)
}

fn walk(path: &Path, depth: usize, out: &mut Vec<PathBuf>) -> Result<(), EvalError> {
    let failed = |cause| EvalError::file("read", path, cause);
    if !path.is_dir() {
        // A file that is named is read whatever its name is.
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        if depth == 0
            || ["html", "htm", "xhtml"]
                .iter()
                .any(|html| extension == *html)
        {
            out.push(path.to_owned());
        }
        return Ok(());
    }
    if depth > DEPTH {
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(failed)? {
        walk(&entry.map_err(failed)?.path(), depth + 1, out)?;
    }
    Ok(())
}

/// The sections of pages below `root`; images that are no gold are left out.
pub(super) fn sections(root: &Path, pages: &[PathBuf]) -> Result<Vec<Section>, EvalError> {
    let mut images = Images::new(root);
    let mut raw = Vec::new();
    for page in pages {
        let size = fs::metadata(page).map_err(|cause| EvalError::file("read", page, cause))?;
        if size.len() > MAX_BYTES {
            continue;
        }
        let bytes = fs::read(page).map_err(|cause| EvalError::file("read", page, cause))?;
        let html = read(&String::from_utf8_lossy(&bytes), Syntax::Html);
        let mut walk = Walk::new(title_of(&html));
        walk.children(html.first("body").unwrap_or(&html), Within::default());
        walk.flush(false);
        for section in walk.sections {
            let found = section.images.iter();
            let found: Vec<(ContentHash, Option<usize>)> = found
                .filter_map(|(source, block)| Some((images.hash(page, source)?, *block)))
                .collect();
            raw.push((page.clone(), section, found));
        }
    }
    let mut on: HashMap<ContentHash, Vec<&Path>> = HashMap::new();
    for (page, _, found) in &raw {
        for (id, _) in found {
            let pages = on.entry(*id).or_default();
            if !pages.contains(&page.as_path()) {
                pages.push(page);
            }
        }
    }
    let is_gold = |id: &ContentHash| on.get(id).is_some_and(|pages| pages.len() <= PAGES);
    let out = raw.iter().map(|(page, section, found)| {
        let mut images: Vec<Image> = Vec::new();
        for (id, block) in found {
            if is_gold(id) && images.iter().all(|image| image.id != *id) {
                images.push(Image {
                    id: *id,
                    block: block.filter(|at| *at < section.blocks.len()),
                });
            }
        }
        Section {
            page: page.clone(),
            headings: section.headings.clone(),
            blocks: section.blocks.clone(),
            images,
        }
    });
    Ok(out.collect())
}

/// The title of a page, where it has one.
fn title_of(html: &Element) -> String {
    let title = html.first("title");
    title.map_or_else(String::new, |title| plain(&title.text()))
}

/// The image files below a folder, each looked at once.
struct Images {
    root: Option<PathBuf>,
    /// The hash of each file that is large enough.
    known: HashMap<PathBuf, Option<ContentHash>>,
}

impl Images {
    fn new(root: &Path) -> Self {
        Self {
            root: fs::canonicalize(root).ok(),
            known: HashMap::new(),
        }
    }

    /// The hash of the image that a page refers to; none where it is outside the folder, cannot be
    /// read, or is too small.
    fn hash(&mut self, page: &Path, source: &str) -> Option<ContentHash> {
        let source = source.split(['?', '#']).next()?;
        if source.contains("://") || source.starts_with("data:") {
            return None;
        }
        let relative = PathBuf::from(percent_decoded(source));
        let is_plain =
            |part: Component<'_>| !matches!(part, Component::Prefix(_) | Component::RootDir);
        if !relative.components().all(is_plain) {
            return None;
        }
        let path = fs::canonicalize(page.parent()?.join(relative)).ok()?;
        if !path.starts_with(self.root.as_ref()?) {
            return None;
        }
        let known = self.known.entry(path.clone());
        *known.or_insert_with(|| large_enough(&path))
    }
}

/// The hash of an image file whose sides are long enough.
fn large_enough(path: &Path) -> Option<ContentHash> {
    if fs::metadata(path).ok()?.len() > MAX_BYTES {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let size = image::ImageReader::new(std::io::Cursor::new(&bytes)).with_guessed_format();
    let size = size.ok().and_then(|reader| reader.into_dimensions().ok());
    // What is no raster image is a drawing, of any size.
    let large = size.is_none_or(|(width, height)| width.min(height) >= SIDE);
    large.then(|| ContentHash::of(&bytes))
}

fn percent_decoded(text: &str) -> String {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3);
        let byte = code.filter(|_| bytes[at] == b'%');
        let decoded = byte.and_then(|code| u8::from_str_radix(code, 16).ok());
        out.push(decoded.unwrap_or(bytes[at]));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A section while its images are still named by their sources.
#[derive(Debug, Default)]
struct RawSection {
    headings: Vec<String>,
    blocks: Vec<Block>,
    images: Vec<(String, Option<usize>)>,
}

/// What the element that is walked stands in.
#[derive(Clone, Copy, Default)]
struct Within {
    /// An item of a numbered list, of which no text has come yet.
    item: bool,
    /// A figure: its words are no block.
    figure: bool,
}

/// Cuts a page into sections.
struct Walk {
    sections: Vec<RawSection>,
    /// The open headings with their ranks.
    open: Vec<(u8, String)>,
    text: String,
    /// Images since the last block.
    images: Vec<String>,
}

impl Walk {
    fn new(title: String) -> Self {
        let first = RawSection {
            headings: vec![title.clone()],
            ..RawSection::default()
        };
        Self {
            sections: vec![first],
            open: vec![(0, title)],
            text: String::new(),
            images: Vec::new(),
        }
    }

    fn children(&mut self, element: &Element, within: Within) {
        let mut within = within;
        for child in &element.children {
            match child {
                Child::Text(text) if !within.figure => self.text.push_str(text),
                Child::Text(_) => {}
                Child::Element(child) => {
                    let before = self.count();
                    self.element(child, within);
                    // Only the first block of an item is the step.
                    within.item &= self.count() == before;
                }
            }
        }
    }

    fn count(&self) -> usize {
        self.sections
            .last()
            .map_or(0, |section| section.blocks.len())
    }

    fn element(&mut self, element: &Element, within: Within) {
        if is_left_out(element) {
            return;
        }
        let name = element.name.as_str();
        if name == "img" {
            let source = element.attribute("src").unwrap_or_default().trim();
            if !source.is_empty() {
                self.images.push(source.to_owned());
            }
        } else if name == "br" {
            self.text.push(' ');
        } else if is_inline(name) {
            self.children(element, within);
        } else if let Some(rank) = heading_rank(element) {
            self.flush(within.item);
            self.heading(rank, element);
        } else {
            self.flush(within.item);
            let figure = within.figure || is_figure(element);
            let item = match name {
                "ol" | "ul" | "dl" => false,
                _ => within.item,
            };
            if name == "ol" {
                self.items(element, figure);
            } else {
                let before = self.count();
                self.children(element, Within { item, figure });
                self.flush(item && self.count() == before);
            }
        }
    }

    /// The items of a numbered list.
    fn items(&mut self, list: &Element, figure: bool) {
        for item in list.elements() {
            let within = Within { item: true, figure };
            let before = self.count();
            self.children(item, within);
            self.flush(self.count() == before);
        }
    }

    fn heading(&mut self, rank: u8, element: &Element) {
        let text = plain(&element.text());
        let text = text.trim_end_matches(['¶', ' ']).to_owned();
        if text.is_empty() {
            return;
        }
        self.open.retain(|(open, _)| *open < rank);
        self.open.push((rank, text));
        self.sections.push(RawSection {
            headings: self.open.iter().map(|(_, text)| text.clone()).collect(),
            ..RawSection::default()
        });
    }

    /// Ends a block of text. Images in it are its own; those outside of any belong to the block
    /// before them, or at the section's beginning to the next.
    fn flush(&mut self, step: bool) {
        let text = plain(&self.text);
        self.text.clear();
        let Some(section) = self.sections.last_mut() else {
            return;
        };
        let block = if text.is_empty() {
            section.blocks.len().saturating_sub(1)
        } else {
            section.blocks.push(Block { text, step });
            section.blocks.len() - 1
        };
        let images = std::mem::take(&mut self.images);
        let images = images.into_iter().map(|source| (source, Some(block)));
        section.images.extend(images);
    }
}

/// Whether an element is a figure with its caption.
fn is_figure(element: &Element) -> bool {
    let classes = [
        "figure",
        "informalfigure",
        "imageblock",
        "mediaobject",
        "screenshot",
        "float",
    ];
    element.name == "figure" || classes.iter().any(|class| element.has_class(class))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn shown(html: &str) -> String {
        let html = read(html, Syntax::Html);
        let mut walk = Walk::new(title_of(&html));
        walk.children(html.first("body").unwrap_or(&html), Within::default());
        walk.flush(false);
        let mut out = String::new();
        for section in walk.sections {
            let _ = writeln!(out, "# {}", section.headings.join(" > "));
            for (at, block) in section.blocks.iter().enumerate() {
                let step = if block.step { "step " } else { "" };
                let _ = write!(out, "{step}{}", block.text);
                let images = section.images.iter();
                for (source, _) in images.filter(|(_, block)| *block == Some(at)) {
                    let _ = write!(out, " <{source}>");
                }
                out.push('\n');
            }
        }
        out
    }

    #[test]
    fn sections_have_blocks_steps_and_images() {
        let html = "<title>Pump</title><body><div class=navheader><img src=prev.png></div>\
            <h1>1 Pump</h1><div class=figure><p class=title>Figure 1. It</p><img src=a.png></div>\
            <p>The pump.</p><p>Press <img src=b.png> twice.</p>\
            <h2>1.1 Replacing it</h2><p>First:</p><ol><li><p>Close it.</p><p>Wait.</p>\
            <div class=mediaobject><img src=c.png></div></li><li>Pull it.<ul><li>Straight.</ul></ol>\
            <h2>1.2 End</h2><ul><li>One.</ul>";
        insta::assert_snapshot!(shown(html), @r"
        # Pump
        # Pump > 1 Pump
        The pump. <a.png>
        Press twice. <b.png>
        # Pump > 1 Pump > 1.1 Replacing it
        First:
        step Close it.
        Wait. <c.png>
        step Pull it.
        Straight.
        # Pump > 1 Pump > 1.2 End
        One.
        ");
    }
}
