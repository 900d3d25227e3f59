//! How does a file become a document?
//!
//! [`parse`] recognises the kind of a file by its content and reads it into a
//! [`Document`](catena_document::Document): its tree in reading order, with every node's place.
//! What could not be read is a [`Warning`], not a failure: a [`ParseError`] means that nothing
//! can be had from the file. [`Pages`] draws page images and crops of a PDF on demand, and
//! [`picture_png`] those of pictures that other documents bring along.
//!
//! What is only in pictures (scans, the words of figures) is read by the models that
//! [`ParseOptions`] brings. This crate loads none, and never indexes.

mod archive;
mod assets;
mod block;
mod caption;
mod epub;
mod guard;
mod html;
mod image_file;
mod language;
mod markdown;
mod nodes;
mod numbering;
mod office;
mod pdf;
mod picture;
mod picture_text;
mod plain;
mod source;
mod svg_cost;
mod text;
mod xml;

pub use pdf::{PageImage, Pages};
pub use picture::picture_png;
pub use source::{
    Asset, OcrMode, ParseError, ParseOptions, Parsed, PictureStep, Source, Warning, detect,
};

use catena_document::MediaType;

/// The parser and its version: a document read by another is read again when it is added again.
pub const PARSER: &str = concat!("catena-parse ", env!("CARGO_PKG_VERSION"), " r3");

/// The renderer of page images and its version.
pub const RENDERER: &str = "hayro 0.9";

/// Reads a file.
///
/// # Errors
/// Where the file is of no kind that is read, is damaged beyond reading, needs a password, or
/// holds no text, table or picture at all.
pub fn parse(source: &Source<'_>, options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let media_type =
        detect(source.bytes, source.uri).ok_or_else(|| source::unknown(source.bytes))?;
    let mut parsed = match media_type {
        MediaType::Pdf => pdf::parse(source, options),
        MediaType::Html => html::parse(source),
        MediaType::Markdown => markdown::parse(source),
        MediaType::Text => plain::parse(source),
        MediaType::Docx => office::parse_docx(source),
        MediaType::Pptx => office::parse_pptx(source),
        MediaType::Xlsx => office::parse_xlsx(source),
        MediaType::Epub => epub::parse(source),
        MediaType::Png
        | MediaType::Jpeg
        | MediaType::Gif
        | MediaType::WebP
        | MediaType::Bmp
        | MediaType::Tiff => image_file::parse(source, media_type, options),
    }?;
    picture_text::read(&mut parsed, options)?;
    if parsed.document.nodes.is_empty() {
        return Err(ParseError::NoEvidence);
    }
    Ok(parsed)
}
