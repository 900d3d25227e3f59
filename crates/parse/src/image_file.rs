//! Reading a picture: a document of one page that is the picture.
//!
//! A picture of a written page is read as one; any other is a figure, with the words inside it.

use crate::pdf::{PictureText, read_picture};
use crate::picture::{self, MAX_PIXELS, picture_rgb};
use crate::source::{OcrMode, file_stem};
use crate::{Asset, ParseError, ParseOptions, Parsed, Source, Warning};
use catena_document::{
    BBox, ContentHash, Document, MediaType, NodeKind, Page, Picture, PictureLabel, Provenance,
    TreeBuilder,
};

/// Points in a pixel of a screen's picture.
const POINTS_PER_PIXEL: f32 = 0.75;
/// The longer side of the largest page; a picture of more pixels has more of them in a point.
const MAX_SIDE: f32 = 1_684.0;
/// Pictures of a file that are counted.
const MAX_FRAMES: usize = 10_000;
/// Pixels of the longer side of a picture when it is read.
const READ_SIDE: u32 = 2_400;

/// The kind of a file that is a picture.
pub(crate) fn media_type(bytes: &[u8]) -> Option<MediaType> {
    Some(match picture::media_type(bytes)? {
        "image/png" => MediaType::Png,
        "image/jpeg" => MediaType::Jpeg,
        "image/gif" => MediaType::Gif,
        "image/webp" => MediaType::WebP,
        // Two letters alone tell a BMP; text may begin with them.
        "image/bmp" if bytes.get(6..10) == Some(&[0; 4]) => MediaType::Bmp,
        "image/tiff" => MediaType::Tiff,
        _ => return None,
    })
}

pub(crate) fn parse(
    source: &Source<'_>,
    media_type: MediaType,
    options: &ParseOptions<'_>,
) -> Result<Parsed, ParseError> {
    let (width, height) = page_size(source.bytes)?;
    let hash = ContentHash::of(source.bytes);
    let mut warnings = Vec::new();
    let (text, unread_pictures) = words(source, (width, height), options, &mut warnings)?;
    let tree = match text {
        PictureText::Page(tree) => tree,
        PictureText::Labels(text, labels) => figure(hash, (width, height), text, labels),
    };
    let frames = tiff_pages(source.bytes);
    if media_type == MediaType::Tiff && frames > 1 {
        let cause = format!("only the first of {frames} pages is read");
        warnings.push(Warning::new(cause));
    }
    Ok(Parsed {
        document: Document {
            id: hash,
            sources: vec![source.uri.to_owned()],
            media_type,
            title: file_stem(source.uri),
            language: None,
            pages: vec![Page {
                number: 1,
                width,
                height,
                rotation: 0,
                label: None,
            }],
            nodes: tree.finish(),
        },
        assets: vec![Asset {
            hash,
            media_type: media_type.name(),
            bytes: source.bytes.to_vec(),
        }],
        warnings,
        unread_pictures,
    })
}

/// Width and height in points of the page that a picture is.
///
/// # Errors
/// Where it is damaged or too large to be read.
pub(crate) fn page_size(bytes: &[u8]) -> Result<(f32, f32), ParseError> {
    let damaged = || ParseError::Damaged("the picture cannot be read".to_owned());
    let (width, height) = picture::upright_size(bytes).ok_or_else(damaged)?;
    if width == 0 || height == 0 {
        return Err(damaged());
    }
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        let cause = format!("a picture of {width} × {height} pixels");
        return Err(ParseError::TooLarge(cause));
    }
    let longer = width.max(height) as f32;
    let scale = POINTS_PER_PIXEL.min(MAX_SIDE / longer);
    Ok((width as f32 * scale, height as f32 * scale))
}

/// What is written in the picture, and whether that was left out.
fn words(
    source: &Source<'_>,
    size: (f32, f32),
    options: &ParseOptions<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<(PictureText, bool), ParseError> {
    let wanted = options.ocr != OcrMode::Never;
    let Some(vision) = options.vision.as_deref().filter(|_| wanted) else {
        let cause = options.ocr.unread_cause();
        warnings.push(Warning::new(format!(
            "the words in it were not read: {cause}"
        )));
        return Ok((PictureText::default(), true));
    };
    let image = picture_rgb(source.bytes, READ_SIDE)?;
    Ok(match read_picture(&image, size, vision) {
        Ok(text) => (text, false),
        Err(error) => {
            warnings.push(Warning::new(format!("the picture was not read: {error}")));
            (PictureText::default(), true)
        }
    })
}

/// The picture as a figure of the whole page.
fn figure(
    hash: ContentHash,
    (width, height): (f32, f32),
    text: String,
    labels: Vec<PictureLabel>,
) -> TreeBuilder {
    let picture = Picture {
        image: Some(hash),
        alt: None,
        labels,
        ..Picture::default()
    };
    let place = Provenance {
        page: 1,
        bbox: BBox::new(0.0, 0.0, width, height),
        char_span: 0..0,
    };
    let mut tree = TreeBuilder::new();
    tree.add(NodeKind::Picture(picture), text, vec![place]);
    tree
}

/// How many pictures a TIFF holds: each entry of its directory says where the next one is.
fn tiff_pages(bytes: &[u8]) -> usize {
    let big_endian = bytes.starts_with(b"MM");
    let number = |at: usize, size: usize| -> Option<usize> {
        let part = bytes.get(at..at.checked_add(size)?)?;
        let shift = |sum: usize, &byte: &u8| sum << 8 | usize::from(byte);
        Some(if big_endian {
            part.iter().fold(0, shift)
        } else {
            part.iter().rev().fold(0, shift)
        })
    };
    let mut count = 0;
    let mut at = number(4, 4).unwrap_or(0);
    while at != 0 && count < MAX_FRAMES {
        count += 1;
        let next = number(at, 2).and_then(|entries| number(at + 2 + entries * 12, 4));
        // They may lead in a circle.
        at = next.filter(|&next| next > at).unwrap_or(0);
    }
    count
}
