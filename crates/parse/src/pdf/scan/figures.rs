//! Reading the words inside the pictures of a page that has its text, and its tables that are
//! pictures.

use super::{ScannedTable, crop, hash, quarter, tables, to_points};
use crate::pdf::figure::{FoundFigure, Label};
use crate::pdf::flow::{Flow, Item};
use crate::pdf::page::PageText;
use crate::pdf::table::{FoundTable, fill};
use catena_document::BBox;
use catena_models::{ModelError, OcrLine, VisionModels};
use image::RgbImage;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Pixels a point at which a page is drawn for its pictures: 180 dpi.
const SCALE: f32 = 2.5;
/// The smallest picture whose words are read, in points a side.
const LEAST: f32 = 40.0;
/// A picture with fewer lines of text than this is no table.
const TABLE_LINES: usize = 6;
/// Pictures that are read on one page.
const MAX_FIGURES: usize = 40;

/// What was read in pictures before, by their pixels: the same picture is read once.
pub(in crate::pdf) type Known = HashMap<u64, Vec<OcrLine>>;

/// Reads the words inside a page's pictures, which become their labels; a picture that is a table
/// becomes one. `draw` draws the page at that many pixels a point.
///
/// # Errors
/// Where a model cannot be loaded or fails.
pub(in crate::pdf) fn read_figures(
    flow: &mut Flow,
    page: &PageText,
    draw: impl Fn(f32) -> Option<RgbImage>,
    vision: &VisionModels,
    known: &mut Known,
) -> Result<(), ModelError> {
    let wanted: Vec<usize> = unread(page, flow).take(MAX_FIGURES).collect();
    let Some(image) = draw(SCALE) else {
        return Ok(());
    };
    let ocr = vision.ocr()?;
    let mut layout: Option<Vec<ScannedTable>> = None;
    for at in wanted {
        let Item::Figure(figure) = &mut flow.items[at] else {
            continue;
        };
        let bbox = page.to_page(&figure.bbox);
        let Some((crop, left, top)) = crop(&image, &bbox, SCALE) else {
            continue;
        };
        let key = hash(&crop);
        let lines: &Vec<OcrLine> = match known.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(ocr.read(&crop)?),
        };
        let place = |line: &OcrLine| {
            let bbox = to_points(&line.quad.bbox(), SCALE);
            let (dx, dy) = (left as f32 / SCALE, top as f32 / SCALE);
            BBox::new(
                bbox.left + dx,
                bbox.top + dy,
                bbox.right + dx,
                bbox.bottom + dy,
            )
        };
        // Words that the page has as text too are known.
        let words: Vec<BBox> = figure
            .segments
            .iter()
            .map(|&at| page.to_page(&page.segments[at].bbox))
            .collect();
        figure.read = lines
            .iter()
            .map(|line| Label {
                text: line.text.clone(),
                bbox: place(line),
            })
            .filter(|label| {
                let covered: f32 = words.iter().map(|own| own.overlap_area(&label.bbox)).sum();
                covered < label.bbox.area() * 0.4
            })
            .collect();
        let upright = lines
            .iter()
            .filter(|line| quarter(line.quad.angle()) == Some(0));
        if page.is_turned() || upright.count() < TABLE_LINES {
            continue;
        }
        let seen = match &mut layout {
            Some(seen) => seen,
            none => {
                let regions = vision.layout()?.find(&image)?;
                none.insert(tables(&image, &regions, SCALE, vision)?)
            }
        };
        if let Some(found) = as_table(seen, figure, page, lines, &place) {
            flow.items[at] = Item::Table(found);
        }
    }
    Ok(())
}

/// Whether a page has pictures whose words are to be read.
pub(in crate::pdf) fn has_unread(page: &PageText, flow: &Flow) -> bool {
    unread(page, flow).next().is_some()
}

fn unread(page: &PageText, flow: &Flow) -> impl Iterator<Item = usize> {
    let items = flow.items.iter().enumerate();
    let unread =
        items.filter(|(_, item)| matches!(item, Item::Figure(figure) if is_unread(page, figure)));
    unread.map(|(at, _)| at)
}

/// Whether a figure is a picture, or a drawing without words, of some size.
fn is_unread(page: &PageText, figure: &FoundFigure) -> bool {
    let bbox = &figure.bbox;
    let pictures: f32 = page.images.iter().map(|own| own.overlap_area(bbox)).sum();
    let picture = pictures > bbox.area() * 0.3;
    bbox.width() >= LEAST && bbox.height() >= LEAST && (picture || figure.segments.is_empty())
}

/// The figure as a table, where the layout model sees one at its place.
fn as_table(
    seen: &[ScannedTable],
    figure: &FoundFigure,
    page: &PageText,
    lines: &[OcrLine],
    place: &impl Fn(&OcrLine) -> BBox,
) -> Option<FoundTable> {
    let own = &figure.bbox;
    let table = seen.iter().find(|table| {
        let shared = table.bbox.overlap_area(own);
        shared > 0.6 * own.area() && shared > 0.6 * table.bbox.area()
    })?;
    let read = lines.iter().flat_map(|line| {
        let whole = place(line);
        let corner = line.quad.bbox();
        line.words()
            .into_iter()
            .map(|word| {
                let bbox = to_points(&word.quad.bbox(), SCALE);
                let (dx, dy) = (
                    whole.left - corner.left / SCALE,
                    whole.top - corner.top / SCALE,
                );
                let bbox = BBox::new(
                    bbox.left + dx,
                    bbox.top + dy,
                    bbox.right + dx,
                    bbox.bottom + dy,
                );
                (word.text.to_owned(), bbox)
            })
            .collect::<Vec<_>>()
    });
    let table = fill(table, read)?;
    Some(FoundTable {
        bbox: page.bbox().intersection(own)?,
        table,
        segments: figure.segments.clone(),
    })
}
