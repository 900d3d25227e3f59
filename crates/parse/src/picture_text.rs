//! Reading the words inside the pictures that a document brings along.

use crate::picture::picture_rgb;
use crate::source::{OcrMode, ParseError, ParseOptions, PictureStep};
use crate::{Asset, Parsed, Warning};
use catena_document::{BBox, ContentHash, Node, NodeKind, PictureLabel};
use catena_models::{ModelError, OcrLine, VisionModels};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Pixels of the longer side of a picture when it is read.
const SIDE: u32 = 2_000;
/// The smallest picture that is read, in pixels.
const LEAST: (u32, u32) = (80, 24);
/// Pictures read of one document.
const MAX_PICTURES: usize = 5_000;

/// The lines of a picture, and its size in pixels.
type Seen = (Vec<OcrLine>, (f32, f32));

/// Reads the words inside the pictures of a document's figures, where these have none yet.
///
/// # Errors
/// [`ParseError::Stopped`].
pub(crate) fn read(parsed: &mut Parsed, options: &ParseOptions<'_>) -> Result<(), ParseError> {
    let assets: HashMap<ContentHash, &Asset> = parsed
        .assets
        .iter()
        .filter(|asset| asset.media_type != "image/svg+xml")
        .map(|asset| (asset.hash, asset))
        .collect();
    let nodes = &mut parsed.document.nodes;
    let mut wanted: Vec<(&mut Node, &Asset)> = nodes
        .iter_mut()
        .filter(|node| node.text.is_empty())
        .filter_map(|node| {
            let NodeKind::Picture(picture) = &node.kind else {
                return None;
            };
            let asset = *assets.get(&picture.image?)?;
            Some((node, asset))
        })
        .take(MAX_PICTURES)
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let vision = options.vision.as_deref();
    let Some(vision) = vision.filter(|_| options.ocr != OcrMode::Never) else {
        parsed.unread_pictures = true;
        return Ok(());
    };
    let of = wanted.len() as u32;
    let mut known: HashMap<ContentHash, Seen> = HashMap::new();
    for ((node, asset), at) in wanted.iter_mut().zip(1..) {
        if !(options.on_picture)(PictureStep { at, of }) {
            return Err(ParseError::Stopped);
        }
        let seen = match known.entry(asset.hash) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => match see(&asset.bytes, vision) {
                Ok(seen) => entry.insert(seen),
                Err(error) => {
                    let message = format!("the pictures were not read: {error}");
                    parsed.warnings.push(Warning::new(message));
                    parsed.unread_pictures = true;
                    return Ok(());
                }
            },
        };
        write(node, seen);
    }
    Ok(())
}

/// The words of a picture; none of one that is damaged or tiny.
fn see(bytes: &[u8], vision: &VisionModels) -> Result<Seen, ModelError> {
    let nothing = (Vec::new(), (1.0, 1.0));
    let Ok(image) = picture_rgb(bytes, SIDE) else {
        return Ok(nothing);
    };
    let (width, height) = image.dimensions();
    if width < LEAST.0 || height < LEAST.1 {
        return Ok(nothing);
    }
    let lines = vision.ocr()?.read(&image)?;
    Ok((lines, (width as f32, height as f32)))
}

/// Puts the words into the figure's node; with their places where the format has pages.
fn write(node: &mut Node, (lines, (width, height)): &Seen) {
    let place = node.provenance.first().map(|place| place.bbox);
    let mut labels = Vec::new();
    for line in lines {
        if !node.text.is_empty() {
            node.text.push('\n');
        }
        let start = node.text.len() as u32;
        node.text.push_str(&line.text);
        if let Some(frame) = place {
            let own = line.quad.bbox();
            let x = |x: f32| frame.left + x / width * frame.width();
            let y = |y: f32| frame.top + y / height * frame.height();
            labels.push(PictureLabel {
                span: start..node.text.len() as u32,
                bbox: BBox::new(x(own.left), y(own.top), x(own.right), y(own.bottom)),
            });
        }
    }
    if let NodeKind::Picture(picture) = &mut node.kind {
        picture.labels = labels;
    }
}
