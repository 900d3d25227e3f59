//! Reading HTML.
//!
//! Bytes become text ([`encoding`]), text a tree of elements ([`reader`], [`dom`]). What is
//! navigation is set aside ([`boilerplate`], by the sums of [`facts`]). The [`walk`] turns what is
//! left into blocks ([`crate::block`]), each kind in its own module: [`inline`] text, [`list`], [`table`],
//! [`code`], [`figure`] and its [`caption`], [`notes`]. At last [`outline`] finds title and levels,
//! and [`crate::nodes`] makes the nodes.

mod boilerplate;
mod caption;
mod code;
mod dom;
pub(crate) mod encoding;
mod facts;
mod figure;
mod inline;
mod list;
mod notes;
mod outline;
mod reader;
mod svg;
mod table;
mod walk;

use crate::assets::{Pictures, keep_shown};
use crate::block::{Block, BlockKind};
use crate::{Asset, ParseError, Parsed, Source, Warning, language, nodes, text};
use boilerplate::Boilerplate;
use catena_document::{ContentHash, Document, MediaType, NodeKind};
use dom::{Dom, DomId};
use facts::Facts;
use walk::Walk;

/// Bytes of the largest file that is read.
pub(crate) const MAX_BYTES: usize = 256 << 20;
/// Characters of the longest title taken from metadata.
const MAX_TITLE: usize = 300;

pub(crate) fn parse(source: &Source<'_>) -> Result<Parsed, ParseError> {
    check_size(source.bytes)?;
    let html = encoding::decode_html(source.bytes);
    Ok(read(&html, source, MediaType::Html, None))
}

/// Refuses files that are empty or too large.
pub(crate) fn check_size(bytes: &[u8]) -> Result<(), ParseError> {
    match bytes.len() {
        0 => Err(ParseError::Empty),
        size if size > MAX_BYTES => {
            let mebibytes = size >> 20;
            Err(ParseError::TooLarge(format!("{mebibytes} MiB of text")))
        }
        _ => Ok(()),
    }
}

/// Reads HTML that `source` holds or has been turned into; `title` is what its metadata says.
pub(crate) fn read(
    html: &str,
    source: &Source<'_>,
    media_type: MediaType,
    title: Option<String>,
) -> Parsed {
    let _span = tracing::info_span!("read_html", uri = source.uri, bytes = html.len()).entered();
    let page = reader::read(html);
    let dom = &page.dom;
    let facts = facts::gather(dom);
    let head = Head::read(dom);
    let page_title = title.or_else(|| head.title.clone());
    let (mut found, pictures) = content(dom, &facts, source, &head);
    let outline = outline::outline(&mut found.blocks, page_title.as_deref());
    let outer_title = match outline.title {
        Some(_) => None,
        None => outer_title(dom, &found, page_title.as_deref()),
    };
    let nodes = nodes::build(found.blocks, &outline, outer_title);
    let on_page = nodes.iter().find(|node| node.kind == NodeKind::Title);
    let title = on_page
        .map(|node| node.text.clone())
        .or(page_title)
        .or(head.shared_title)
        .unwrap_or_else(|| file_stem(source.uri));
    let mut warnings = pictures.warnings();
    if page.cut {
        warnings.push(Warning::new(
            "the page is too complex: its end was left out",
        ));
    }
    let mut assets = pictures.assets;
    keep_shown(&mut assets, &nodes);
    tracing::debug!(nodes = nodes.len(), assets = assets.len(), "read");
    Parsed {
        document: Document {
            id: ContentHash::of(source.bytes),
            sources: vec![source.uri.to_owned()],
            media_type,
            title,
            language: language::detect(&nodes).or(head.language),
            pages: Vec::new(),
            nodes,
        },
        assets,
        warnings,
        unread_pictures: false,
    }
}

/// A page that is part of a book.
pub(crate) struct Chapter {
    pub(crate) blocks: Vec<Block>,
    pub(crate) assets: Vec<Asset>,
    pub(crate) warnings: Vec<Warning>,
}

/// Reads a page that is part of a book; there is no navigation around its text.
pub(crate) fn chapter(source: &Source<'_>) -> Chapter {
    let page = reader::read(&encoding::decode_html(source.bytes));
    let dom = &page.dom;
    let facts = facts::gather(dom);
    let hidden = Boilerplate::hidden_only(dom, &facts);
    let pictures = Pictures::new(source, Head::read(dom).base.as_deref());
    let (blocks, pictures) = Walk::blocks(dom, &facts, &hidden, pictures, DomId::ROOT);
    let mut warnings = pictures.warnings();
    if page.cut {
        let cause = format!("`{}` is too complex: its end was left out", source.uri);
        warnings.push(Warning::new(cause));
    }
    Chapter {
        blocks,
        assets: pictures.assets,
        warnings,
    }
}

/// What a page holds.
struct Content {
    blocks: Vec<Block>,
    root: DomId,
    boilerplate: Boilerplate,
}

/// The blocks of a page without its navigation; with it where nothing else is there.
fn content<'a>(
    dom: &Dom,
    facts: &[Facts],
    source: &'a Source<'a>,
    head: &Head,
) -> (Content, Pictures<'a>) {
    let read = |boilerplate: Boilerplate| {
        let root = boilerplate::content_root(dom, facts, &boilerplate);
        let pictures = Pictures::new(source, head.base.as_deref());
        let (blocks, pictures) = Walk::blocks(dom, facts, &boilerplate, pictures, root);
        let content = Content {
            blocks,
            root,
            boilerplate,
        };
        (content, pictures)
    };
    let (content, pictures) = read(Boilerplate::all(dom, facts));
    let told = |block: &Block| !matches!(block.kind, BlockKind::Heading(_) | BlockKind::Taken);
    if content.blocks.iter().any(told) {
        return (content, pictures);
    }
    read(Boilerplate::hidden_only(dom, facts))
}

/// The sole `<h1>`, where it stands outside the element that holds the content, such as in the
/// page's header. The name of a site is not taken: it does not begin the page's title.
fn outer_title(dom: &Dom, content: &Content, page_title: Option<&str>) -> Option<String> {
    if content.root == DomId::ROOT {
        return None;
    }
    let mut headings = dom.subtree(DomId::ROOT).filter(|&id| {
        facts::heading_rank(dom, id) == Some(1)
            && !content.boilerplate.skips(id)
            && dom
                .ancestors(id)
                .all(|above| !content.boilerplate.skips(above))
    });
    let (first, second) = (headings.next()?, headings.next());
    let text = text::folded(&dom.raw_text(first));
    let begins =
        page_title.is_none_or(|title| title.to_lowercase().starts_with(&text.to_lowercase()));
    (second.is_none() && begins && !text.is_empty()).then_some(text)
}

/// What a page says of itself in its head.
#[derive(Default)]
struct Head {
    title: Option<String>,
    /// The title under which the page is shared: `og:title`.
    shared_title: Option<String>,
    base: Option<String>,
    language: Option<String>,
}

impl Head {
    fn read(dom: &Dom) -> Self {
        let mut head = Self::default();
        for id in dom.subtree(DomId::ROOT).filter(|&id| dom.is_html(id)) {
            match dom.name(id) {
                "html" => head.language = dom.filled_attr(id, "lang").and_then(language_code),
                "title" if head.title.is_none() => head.title = clean_title(&dom.raw_text(id)),
                "base" if head.base.is_none() => {
                    head.base = dom.filled_attr(id, "href").map(str::to_owned);
                }
                "meta" if dom.attr(id, "property") == Some("og:title") => {
                    head.shared_title = dom.filled_attr(id, "content").and_then(clean_title);
                }
                _ => {}
            }
        }
        head
    }
}

fn clean_title(text: &str) -> Option<String> {
    let text: String = text::folded(text).chars().take(MAX_TITLE).collect();
    (!text.is_empty()).then_some(text)
}

/// `en` of `en-GB`.
fn language_code(tag: &str) -> Option<String> {
    let code = tag.split(['-', '_']).next()?.to_ascii_lowercase();
    (code.len() == 2 && code.chars().all(|c| c.is_ascii_alphabetic())).then_some(code)
}

/// The name of a file without its folders and extension.
fn file_stem(uri: &str) -> String {
    let name = uri
        .trim_end_matches('/')
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(uri);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if stem.is_empty() { name } else { stem }.to_owned()
}
