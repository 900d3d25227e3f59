//! Reading office files: Word, `PowerPoint` and Excel as of 2007 (Office Open XML).
//!
//! Such a file is an archive of XML parts that refer to each other ([`package`]). Each kind has
//! its own module ([`docx`], [`pptx`], [`xlsx`]); pictures, charts and diagrams are the same in
//! all ([`drawing`]).

mod docx;
mod drawing;
mod grid;
mod package;
mod pptx;
mod xlsx;

pub(crate) use package::media_type;

use crate::assets::{Pictures, keep_shown};
use crate::{ParseError, Parsed, Source, Warning, language};
use catena_document::{ContentHash, Document, MediaType, Node, Page};
use package::Package;

/// Reads a Word document.
pub(crate) fn parse_docx(source: &Source<'_>) -> Result<Parsed, ParseError> {
    read(source, MediaType::Docx, docx::read)
}

/// Reads a `PowerPoint` presentation.
pub(crate) fn parse_pptx(source: &Source<'_>) -> Result<Parsed, ParseError> {
    read(source, MediaType::Pptx, pptx::read)
}

/// Reads an Excel workbook.
pub(crate) fn parse_xlsx(source: &Source<'_>) -> Result<Parsed, ParseError> {
    read(source, MediaType::Xlsx, xlsx::read)
}

/// What a reader has found.
struct Content {
    title: Option<String>,
    pages: Vec<Page>,
    nodes: Vec<Node>,
}

fn read(
    source: &Source<'_>,
    media_type: MediaType,
    content: impl FnOnce(&Package<'_>, &mut Pictures<'_>) -> Result<Content, ParseError>,
) -> Result<Parsed, ParseError> {
    let _span = tracing::info_span!("read_office", uri = source.uri).entered();
    let package = Package::open(source.bytes)?;
    let resolve = |name: &str| package.bytes(name);
    let inside = Source {
        uri: source.uri,
        bytes: source.bytes,
        resolve: &resolve,
    };
    let mut pictures = Pictures::new(&inside, None);
    let content = content(&package, &mut pictures)?;
    let properties = package.properties();
    let mut warnings: Vec<Warning> = package.warnings();
    warnings.extend(pictures.warnings());
    let mut assets = std::mem::take(&mut pictures.assets);
    keep_shown(&mut assets, &content.nodes);
    let title = content
        .title
        .or(properties.title)
        .unwrap_or_else(|| crate::source::file_stem(source.uri));
    tracing::debug!(nodes = content.nodes.len(), assets = assets.len(), "read");
    Ok(Parsed {
        document: Document {
            id: ContentHash::of(source.bytes),
            sources: vec![source.uri.to_owned()],
            media_type,
            title,
            language: language::detect(&content.nodes).or(properties.language),
            pages: content.pages,
            nodes: content.nodes,
        },
        assets,
        warnings,
        unread_pictures: false,
    })
}
