//! What goes into parsing, and what comes out.

use crate::{image_file, office};
use catena_document::{ContentHash, Document, MediaType};
use catena_models::VisionModels;
use std::fmt;
use std::sync::Arc;

/// Bytes at the beginning and end of a file that are searched for names.
const MAX_SEARCHED: usize = 4 << 20;

/// A file to read.
pub struct Source<'a> {
    /// Where it came from: a path or URI. Its last part serves as a title of last resort.
    pub uri: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
    /// Reads another local file that the source refers to (`img/pump.svg`); `None` where there is
    /// none or it may not be read. Never asked for anything on a network.
    pub resolve: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// What the reader may be told.
#[derive(Clone)]
pub struct ParseOptions<'a> {
    /// The password of an encrypted PDF.
    pub password: Option<String>,
    /// Whether the outline (bookmarks) of a PDF is used; without it the pages alone must tell the
    /// headings, as an evaluation asks.
    pub outline: bool,
    /// What is read from pictures.
    pub ocr: OcrMode,
    /// The models that read pictures; without them what is only in pictures is left out, with a
    /// warning.
    pub vision: Option<Arc<VisionModels>>,
    /// Called before a picture is read, which takes seconds; `false` stops the reading with
    /// [`ParseError::Stopped`].
    pub on_picture: &'a dyn Fn(PictureStep) -> bool,
}

impl Default for ParseOptions<'_> {
    fn default() -> Self {
        Self {
            password: None,
            outline: true,
            ocr: OcrMode::Auto,
            vision: None,
            on_picture: &|_| true,
        }
    }
}

/// What is read from pictures by OCR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OcrMode {
    /// Pages without usable text, and the words inside figures.
    #[default]
    Auto,
    /// Nothing.
    Never,
    /// Every page, also those that have text.
    Always,
}

impl OcrMode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Never, Self::Always];

    /// Its name on the command line: `auto`, `never`, `always`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Never => "never",
            Self::Always => "always",
        }
    }

    /// Why pictures were not read where there was nothing to read them with.
    pub(crate) fn unread_cause(self) -> &'static str {
        match self {
            Self::Never => "OCR is off",
            Self::Auto | Self::Always => "the models that read pictures are not there",
        }
    }
}

/// Which picture is about to be read: a page of the document's pages, or one of its pictures where
/// it brings them along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureStep {
    /// Its number, from 1.
    pub at: u32,
    /// How many there are.
    pub of: u32,
}

/// A file read.
#[derive(Debug)]
pub struct Parsed {
    /// The document.
    pub document: Document,
    /// The pictures that its nodes refer to by hash.
    pub assets: Vec<Asset>,
    /// What could not be read.
    pub warnings: Vec<Warning>,
    /// Whether words that may be in its pictures were left out: the models that read them were
    /// missing, or OCR was not asked for.
    pub unread_pictures: bool,
}

/// A picture that came with a document.
#[derive(Clone, Debug)]
pub struct Asset {
    /// The hash of `bytes`.
    pub hash: ContentHash,
    /// Its kind, e.g. `image/png`, recognised by content.
    pub media_type: &'static str,
    /// The picture's file.
    pub bytes: Vec<u8>,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The page, from 1, where there is one.
    pub page: Option<u32>,
    /// The cause.
    pub message: String,
}

impl Warning {
    /// A warning about a whole document.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            page: None,
            message: message.into(),
        }
    }

    /// A warning about a page.
    pub fn on_page(page: u32, message: impl Into<String>) -> Self {
        Self {
            page: Some(page),
            message: message.into(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.page {
            Some(page) => write!(f, "page {page}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Why nothing could be read from a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The content is of no kind that is read.
    #[error("not a kind of file that is read")]
    UnknownKind,
    /// It is of a kind before its time, as this says.
    #[error("{0} is not read")]
    OldFormat(&'static str),
    /// There is not one byte.
    #[error("the file is empty")]
    Empty,
    /// The PDF needs a password, or another one.
    #[error("password required")]
    Password,
    /// It is an office file or book that is encrypted.
    #[error("password required")]
    Encrypted,
    /// The structure is damaged beyond reading.
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// The file is larger than can be read.
    #[error("the file is too large: {0}")]
    TooLarge(String),
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
    /// It was read, and there is neither text nor table nor picture in it.
    #[error("no text, table or picture found")]
    NoEvidence,
}

impl ParseError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::UnknownKind => Some(
                "PDF, HTML, Markdown, text, DOCX, PPTX, XLSX, EPUB and pictures are read; the kind \
                 is recognised by content, not by the file's name",
            ),
            Self::OldFormat(_) => Some("save it as .docx, .pptx or .xlsx"),
            Self::Password => Some("pass `--password`"),
            Self::Encrypted => {
                Some("only a PDF is opened with `--password`: save this file without one")
            }
            Self::Damaged(_) => Some("open it in a viewer and save it anew"),
            Self::Empty | Self::TooLarge(_) | Self::Stopped | Self::NoEvidence => None,
        }
    }
}

/// The kind of a file by its content; the name decides only between HTML, Markdown and plain text.
pub fn detect(bytes: &[u8], uri: &str) -> Option<MediaType> {
    if bytes.starts_with(b"PK\x03\x04") {
        return office::media_type(bytes);
    }
    // Before the PDF: a picture may hold any bytes, and begins with its own.
    if let Some(kind) = image_file::media_type(bytes) {
        return Some(kind);
    }
    if contains(&bytes[..bytes.len().min(1024)], b"%PDF-") {
        return Some(MediaType::Pdf);
    }
    text_kind(bytes, uri)
}

/// Why a file of no kind that is read is none, as far as its content tells.
pub(crate) fn unknown(bytes: &[u8]) -> ParseError {
    // Files of Office before 2007, and encrypted ones of today, are small file systems, whose
    // entries have names in UTF-16.
    if !bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return ParseError::UnknownKind;
    }
    let head = &bytes[..bytes.len().min(MAX_SEARCHED)];
    let holds = |name: &str| {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        contains(head, &name) || contains(&bytes[bytes.len() - head.len()..], &name)
    };
    if holds("EncryptedPackage") {
        ParseError::Encrypted
    } else if holds("WordDocument") {
        ParseError::OldFormat("the old Word format (.doc)")
    } else if holds("PowerPoint Document") {
        ParseError::OldFormat("the old PowerPoint format (.ppt)")
    } else if holds("Workbook") || holds("Book") {
        ParseError::OldFormat("the old Excel format (.xls)")
    } else {
        ParseError::OldFormat("an old Office format")
    }
}

/// The kind of a file of text.
fn text_kind(bytes: &[u8], uri: &str) -> Option<MediaType> {
    let head = &bytes[..bytes.len().min(2048)];
    let utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    let zeros = head.contains(&0) && !utf16;
    let binary = zeros || head.iter().filter(|&&byte| is_control(byte)).count() > 8;
    if binary || bytes.is_empty() {
        return None;
    }
    let lower = head.to_ascii_lowercase();
    let marks: [&[u8]; 4] = [b"<!doctype html", b"<html", b"<body", b"<head"];
    let extension = uri
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    match extension.as_str() {
        "md" | "markdown" => Some(MediaType::Markdown),
        "html" | "htm" | "xhtml" => Some(MediaType::Html),
        _ if marks.iter().any(|mark| contains(&lower, mark)) => Some(MediaType::Html),
        // Text in an old encoding has no name but its file's.
        "txt" | "text" | "log" => Some(MediaType::Text),
        _ => (utf16 || std::str::from_utf8(&head[..floor_utf8(head)]).is_ok()).then(|| {
            if is_markdown(head) {
                MediaType::Markdown
            } else {
                MediaType::Text
            }
        }),
    }
}

/// Whether a text without a telling name is Markdown: it has at least two kinds of its marks.
fn is_markdown(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let begins = |mark: &str| text.lines().any(|line| line.starts_with(mark));
    let heading = text.lines().any(|line| {
        let title = line.trim_start_matches('#');
        title.len() < line.len() && title.starts_with(' ')
    });
    let marks = [
        text.starts_with("---\n") || text.starts_with("+++\n"),
        heading,
        begins("```") || begins("~~~"),
        text.contains("]("),
        text.contains("**"),
        text.contains("|--") || text.contains("| --") || text.contains("|:-"),
        begins("- ") || begins("* "),
    ];
    marks.into_iter().filter(|&mark| mark).count() >= 2
}

/// The last part of a path or URI without its extension: a title of last resort.
pub(crate) fn file_stem(uri: &str) -> String {
    let name = uri
        .rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or(uri);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if stem.is_empty() {
        name.to_owned()
    } else {
        stem.to_owned()
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)
}

/// The longest prefix that does not end inside a character.
fn floor_utf8(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_content() {
        use MediaType::{Html, Markdown, Pdf, Text};
        let check = |bytes: &[u8], uri: &str, expected: Option<MediaType>| {
            assert_eq!(detect(bytes, uri), expected, "{uri}");
        };
        check(b"junk\n%PDF-1.4 ...", "a.txt", Some(Pdf));
        check(
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            "a.pdf",
            Some(MediaType::Png),
        );
        check(b"  <!DOCTYPE html><p>", "a", Some(Html));
        check(b"<h1>x</h1>", "a.html", Some(Html));
        check(b"# Title", "a.md", Some(Markdown));
        check("plain Grüße".as_bytes(), "a.txt", Some(Text));
        check(b"# 1\n\n- a\n", "a.txt", Some(Text));
        check(b"# 1\n\n- a\n", "README", Some(Markdown));
        check(b"1 Use\n\n- a\n", "README", Some(Text));
        check(b"", "a.md", None);
        check(b"\xff\xfe<\0p\0>\0", "a.html", Some(Html));
        check(b"\x01\x02\x00", "a.html", None);
        check(b"Gr\xfc\xdfe", "a.txt", Some(Text));
        check(b"Gr\xfc\xdfe", "a.bin", None);
    }
}
