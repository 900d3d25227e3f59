//! Images of figures, tables and pages, drawn on demand and kept in the store's cache.

use crate::EngineError;
use catena_document::{BBox, DocumentId, EvidenceUnit};
use catena_index::{RenderCache, Snapshot};
use catena_parse::{Pages, RENDERER, picture_png};
use std::path::PathBuf;

/// White kept around a crop, in points.
const MARGIN: f32 = 4.0;

/// A unit's region as PNG: its picture's own file, else its place on its first page at `scale`
/// pixels a point (2 is 144 dpi). `None` where the document has no pages and the unit no picture.
///
/// # Errors
/// Where the document's file cannot be read.
pub fn unit_png(
    snapshot: &Snapshot,
    cache: &RenderCache,
    unit: &EvidenceUnit,
    scale: f32,
) -> Result<Option<Vec<u8>>, EngineError> {
    let document = unit.id.document;
    if let Some(image) = unit.image() {
        let key = format!("asset {image} {scale} {RENDERER}");
        if let Some(png) = cache.get(&key) {
            return Ok(Some(png));
        }
        let side = (800.0 * scale) as u32;
        let png = picture_png(&snapshot.asset_bytes(&image)?, side)
            .map_err(|cause| parse_error(snapshot, document, cause))?;
        cache.put(&key, &png);
        return Ok(Some(png));
    }
    let Some(page) = unit.page() else {
        return Ok(None);
    };
    let boxes = unit.provenance.iter().filter(|place| place.page == page);
    let Some(bbox) = BBox::union_all(boxes.map(|place| place.bbox)) else {
        return Ok(None);
    };
    let bbox = bbox.inflate(MARGIN);
    let key = format!("crop {document} {page} {bbox:?} {scale} {RENDERER}");
    drawn(snapshot, cache, document, page, scale, &key, Some(&bbox))
}

/// A page as PNG at `scale` pixels a point; `None` where the document has no such page.
///
/// # Errors
/// Where the document's file cannot be read.
pub fn page_png(
    snapshot: &Snapshot,
    cache: &RenderCache,
    document: DocumentId,
    page: u32,
    scale: f32,
) -> Result<Option<Vec<u8>>, EngineError> {
    let key = format!("page {document} {page} {scale} {RENDERER}");
    drawn(snapshot, cache, document, page, scale, &key, None)
}

fn drawn(
    snapshot: &Snapshot,
    cache: &RenderCache,
    document: DocumentId,
    page: u32,
    scale: f32,
    key: &str,
    crop: Option<&BBox>,
) -> Result<Option<Vec<u8>>, EngineError> {
    if let Some(png) = cache.get(key) {
        return Ok(Some(png));
    }
    if !snapshot.summary(&document)?.media_type.has_page_images() {
        return Ok(None);
    }
    let bytes = snapshot.source_bytes(&document)?;
    let pages =
        Pages::open(&bytes, None).map_err(|cause| parse_error(snapshot, document, cause))?;
    let Some(image) = pages.draw(page, scale) else {
        return Ok(None);
    };
    let png = match crop {
        Some(bbox) => image.crop_png(bbox),
        None => Some(image.png()),
    };
    if let Some(png) = &png {
        cache.put(key, png);
    }
    Ok(png)
}

fn parse_error(
    snapshot: &Snapshot,
    document: DocumentId,
    cause: catena_parse::ParseError,
) -> EngineError {
    let source = snapshot
        .summary(&document)
        .ok()
        .and_then(|summary| summary.sources.into_iter().next());
    EngineError::Parse {
        path: PathBuf::from(source.unwrap_or_else(|| document.short())),
        cause,
    }
}
