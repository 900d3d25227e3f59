//! Twins: a document's PDF beside the HTML or EPUB that it was made from, which is the gold.

use super::Asked;
use crate::EvalError;
use crate::markup::{Child, Element, Syntax, heading_rank, is_inline, is_left_out, read};
use crate::text::{folded, number_and_rest, plain};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// How the names of twins end.
pub(super) const EXTENSIONS: [&str; 4] = ["html", "htm", "xhtml", "epub"];
/// Bytes of the largest file that is read of an EPUB.
const MAX_BYTES: u64 = 64 << 20;

/// A document as its HTML tells it.
#[derive(Debug, Default)]
pub(super) struct Twin {
    /// The folded titles that its metadata gives.
    pub(super) titles: Vec<String>,
    /// The body's blocks in order, without navigation, contents and index.
    pub(super) blocks: Vec<Block>,
}

/// A heading, paragraph or other block of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    /// Its text, plain.
    pub(super) text: String,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// A heading of the body with its rank, 1 to 6.
    Heading(u8),
    /// A paragraph of the running text.
    Paragraph,
    /// Any other text.
    Other,
}

/// The PDFs of a folder, or one PDF, with their twins of one of the `extensions`.
pub(super) fn pairs(path: &Path, extensions: &[&str]) -> Result<Vec<Asked<PathBuf>>, EvalError> {
    let pairs = pairs_by(path, &|pdf| {
        let mut names = extensions.iter().map(|ext| pdf.with_extension(ext));
        names.find(|name| name.is_file())
    })?;
    if pairs.is_empty() {
        let kinds = extensions.join("`, `X.");
        let what = format!("it holds no twins, `X.pdf` with one of `X.{kinds}`");
        return Err(EvalError::data(path, None, what));
    }
    Ok(pairs)
}

/// The PDFs of a folder, or one PDF, for which `gold` finds a file.
pub(super) fn pairs_by(
    path: &Path,
    gold: &dyn Fn(&Path) -> Option<PathBuf>,
) -> Result<Vec<Asked<PathBuf>>, EvalError> {
    let mut pdfs: Vec<PathBuf> = if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(|e| EvalError::file("read", path, e))?;
        entries.flatten().map(|entry| entry.path()).collect()
    } else {
        vec![path.to_owned()]
    };
    pdfs.retain(|path| {
        let extension = path.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
    });
    pdfs.sort();
    let pairs = pdfs.iter();
    Ok(pairs
        .filter_map(|pdf| Some(Asked::new(pdf, gold(pdf)?)))
        .collect())
}

/// Reads an HTML file or an EPUB.
pub(super) fn twin(path: &Path) -> Result<Twin, EvalError> {
    let epub = path.extension().is_some_and(|ext| ext == "epub");
    let (titles, files) = if epub {
        epub_files(path)?
    } else {
        let html = html(path)?;
        (title_of(&html), vec![html])
    };
    let mut walk = Walk::default();
    for file in &files {
        walk.file(file);
    }
    Ok(Twin {
        titles,
        blocks: body(walk.blocks),
    })
}

/// The elements of an HTML file.
pub(super) fn html(path: &Path) -> Result<Element, EvalError> {
    let bytes = std::fs::read(path).map_err(|cause| EvalError::file("read", path, cause))?;
    Ok(read(&String::from_utf8_lossy(&bytes), Syntax::Html))
}

/// The folded text of the first element `title`.
fn title_of(root: &Element) -> Vec<String> {
    let title = root.first("title").map(|title| folded(&title.text()));
    title.into_iter().collect()
}

/// The titles of an EPUB, and its documents in reading order. The document that its guide calls
/// the table of contents has the title of the whole.
fn epub_files(path: &Path) -> Result<(Vec<String>, Vec<Element>), EvalError> {
    let bad = |what: String| EvalError::data(path, None, format!("no EPUB: {what}"));
    let file = File::open(path).map_err(|cause| EvalError::file("read", path, cause))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|error| bad(error.to_string()))?;
    let mut part = |name: &str| -> Result<Element, EvalError> {
        let part = archive.by_name(name);
        let part = part.map_err(|error| bad(format!("`{name}`: {error}")))?;
        let mut bytes = Vec::new();
        part.take(MAX_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|error| bad(format!("`{name}`: {error}")))?;
        Ok(read(&String::from_utf8_lossy(&bytes), Syntax::Xml))
    };
    let container = part("META-INF/container.xml")?;
    let package = container.first("rootfile");
    let package = package.and_then(|root| root.attribute("full-path"));
    let package = package.ok_or_else(|| bad("its container names no package".to_owned()))?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let listing = part(package)?;
    let items = listing.all(&|element| element.name == "item");
    let is_contents =
        |element: &Element| element.name == "reference" && element.attribute("type") == Some("toc");
    let contents = listing.all(&is_contents);
    let mut titles = title_of(&listing);
    let mut files = Vec::new();
    for reference in listing.all(&|element| element.name == "itemref") {
        let id = reference.attribute("idref");
        let item = items.iter().find(|item| item.attribute("id") == id);
        if let Some(href) = item.and_then(|item| item.attribute("href")) {
            let name = match folder {
                "" => href.to_owned(),
                folder => format!("{folder}/{href}"),
            };
            let file = part(&name)?;
            if contents
                .iter()
                .any(|entry| entry.attribute("href") == Some(href))
            {
                titles.extend(title_of(&file));
            }
            files.push(file);
        }
    }
    Ok((titles, files))
}

/// Cuts elements into blocks.
#[derive(Default)]
struct Walk {
    blocks: Vec<Block>,
    text: String,
    kind: Option<BlockKind>,
}

impl Walk {
    fn file(&mut self, root: &Element) {
        let body = root.first("body").unwrap_or(root);
        self.children(body, false);
        self.flush();
    }

    /// Walks what `element` holds; in notes no heading and no paragraph is one.
    fn children(&mut self, element: &Element, notes: bool) {
        for child in &element.children {
            match child {
                Child::Text(text) => self.text.push_str(text),
                Child::Element(element) => self.element(element, notes),
            }
        }
    }

    fn element(&mut self, element: &Element, notes: bool) {
        if is_left_out(element) {
            return;
        }
        let name = element.name.as_str();
        if name == "br" {
            self.text.push(' ');
        } else if is_inline(name) {
            self.children(element, notes);
        } else {
            let notes = notes || element.classes().any(|class| class.contains("footnote"));
            let rank = heading_rank(element).filter(|_| !notes);
            self.flush();
            let before = self.kind;
            self.kind = match (rank, name) {
                (Some(rank), _) => Some(BlockKind::Heading(rank)),
                (None, "p") if !notes => Some(BlockKind::Paragraph),
                _ => None,
            };
            self.children(element, notes);
            self.flush();
            self.kind = before;
        }
    }

    fn flush(&mut self) {
        let text = plain(&self.text);
        self.text.clear();
        let text = text.trim_end_matches(['¶', ' ']);
        if !text.is_empty() {
            self.blocks.push(Block {
                kind: self.kind.unwrap_or(BlockKind::Other),
                text: text.to_owned(),
            });
        }
    }
}

/// The blocks without sections that are contents or an index.
fn body(blocks: Vec<Block>) -> Vec<Block> {
    let mut out = Vec::new();
    let mut left_out: Option<u8> = None;
    for block in blocks {
        if let BlockKind::Heading(rank) = block.kind {
            if left_out.is_some_and(|outer| rank <= outer) {
                left_out = None;
            }
            if left_out.is_none() && is_apart(&folded(&block.text)) {
                left_out = Some(rank);
            }
        }
        if left_out.is_none() {
            out.push(block);
        }
    }
    out
}

/// Whether a folded heading is that of a table of contents, a list of figures or an index.
pub(super) fn is_apart(heading: &str) -> bool {
    let (_, bare) = number_and_rest(heading);
    matches!(
        bare,
        "contents" | "table of contents" | "short contents" | "list of figures" | "list of tables"
    ) || bare == "index"
        || bare.ends_with(" index")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(html: &str) -> String {
        let mut walk = Walk::default();
        walk.file(&read(html, Syntax::Html));
        let lines = body(walk.blocks);
        let lines = lines
            .iter()
            .map(|block| format!("{:?} {}", block.kind, block.text));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_body_has_no_navigation_contents_and_index() {
        let html = "<head><title>T</title></head><body><nav><h2>Menu</h2></nav>\
            <div class=header><p>Next: <a rel=next href=x>Two</a></p></div>\
            <h1>Pumps</h1><div class=contents><h2>Table of Contents</h2><p>One</p></div>\
            <h2>1 One <a class=headerlink>¶</a></h2><p>A <b>bold</b><br>word.</p>\
            <ul><li>item</li></ul><div class=footnote><h4>Footnotes</h4><p>Note.</p></div>\
            <h2>Concept index</h2><h3>A</h3><p>anchor</p><h2>2 Two</h2><p>End.</p>\
            <div><p><a rel=prev href=y>One</a></p><h4 class=subsubsection>2.1.1.1 Deep</h4></div>";
        insta::assert_snapshot!(blocks(html), @"
        Heading(1) Pumps
        Heading(2) 1 One
        Paragraph A bold word.
        Other item
        Other Footnotes
        Other Note.
        Heading(2) 2 Two
        Paragraph End.
        Heading(5) 2.1.1.1 Deep
        ");
    }
}
