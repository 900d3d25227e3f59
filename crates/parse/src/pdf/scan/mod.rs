//! Reading a page from its picture, where it has no text of its own: a scan, a slide saved as a
//! picture, a page whose fonts do not tell their characters.
//!
//! What is seen becomes what a PDF draws: words are [`Glyph`]s, ink becomes rules and shapes
//! ([`ink`]), the layout model's figures are pictures. Then the page is read as any other. Only
//! the cells of tables come from a model of their own.

mod figures;
mod ink;
mod need;
mod weight;
mod words;

pub(super) use figures::{Known, has_unread, read_figures};
pub(super) use need::{Need, is_broken, need};

use super::content::{Content, Glyph};
use catena_document::{BBox, Cell, Table, caption_label};
use catena_models::{
    LayoutKind, LayoutRegion, ModelError, OcrLine, PixelBox, TableCells, VisionModels, skew,
};
use image::imageops;
use image::{Rgb, RgbImage};
use std::f32::consts::FRAC_PI_2;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Pixels of a page's longer side when it is read: 150 dpi of an A4 page.
const SIDE: f32 = 1754.0;
/// Pixels a point at most.
const MAX_SCALE: f32 = 3.0;
/// A page that is turned by less than this, in radians, is left as it is.
const LEAST_SKEW: f32 = 0.005;
/// A region counts from this score on.
const MIN_SCORE: f32 = 0.5;
/// The cells of a table count from this confidence on.
const MIN_CELLS: f32 = 0.6;
/// A figure of the layout model with more text than this share of its area is not trusted: it takes
/// text beside a chart, or a page of an old book, into it. The ink tells such figures.
const MOST_TEXT: f32 = 0.1;
/// Running headers and footers stand in this share of the page's height at its edges.
const EDGE: f32 = 0.12;
/// White kept around a table when its cells are looked for, in pixels.
const MARGIN: f32 = 6.0;

/// A page as its picture shows it, upright.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Its words, rules, shapes and pictures.
    pub(super) content: Content,
    /// Its tables, cells without text yet.
    pub(super) tables: Vec<ScannedTable>,
    /// Quarter turns clockwise by which its text was turned.
    pub(super) turn: u8,
    /// The angle by which it was askew after that, in radians, growing clockwise.
    pub(super) skew: f32,
}

/// A table whose place and cells a model saw.
#[derive(Clone, Debug)]
pub(super) struct ScannedTable {
    pub(super) bbox: BBox,
    /// Its cells with their boxes, without text.
    pub(super) table: Table,
}

/// Pixels a point at which a page of this size is drawn to be read.
pub(super) fn scale_of((width, height): (f32, f32)) -> f32 {
    (SIDE / width.max(height).max(1.0)).min(MAX_SCALE)
}

/// Reads a page from its picture, `scale` pixels a point.
///
/// # Errors
/// Where a model cannot be loaded or fails.
pub(super) fn read(
    image: &RgbImage,
    scale: f32,
    vision: &VisionModels,
) -> Result<Scan, ModelError> {
    let lines = vision.ocr()?.read(image)?;
    let turn = words::main_turn(&lines);
    let turned = turn_image(image, turn);
    let size = (image.width() as f32, image.height() as f32);
    let mut lines: Vec<OcrLine> = lines
        .into_iter()
        .map(|line| words::turn(line, turn, size))
        .collect();
    let angle = skew(&lines);
    let skew = if angle.abs() < LEAST_SKEW { 0.0 } else { angle };
    let upright = if skew == 0.0 {
        turned
    } else {
        let centre = [turned.width() as f32 / 2.0, turned.height() as f32 / 2.0];
        lines = lines
            .into_iter()
            .map(|line| words::rotate(line, -skew, centre))
            .collect();
        straighten(&turned, skew)
    };
    let regions = vision.layout()?.find(&upright)?;
    let boxes: Vec<BBox> = lines
        .iter()
        .map(|line| to_points(&line.quad.bbox(), scale))
        .collect();
    let ink = ink::find(&upright, scale, &boxes);
    let bold = weight::bold(&upright, &lines);
    let mut glyphs = words::glyphs(&lines, &bold, scale);
    set_aside(
        &mut glyphs,
        &regions,
        scale,
        upright.height() as f32 / scale,
    );
    let mut content = Content {
        glyphs,
        rules: ink.rules,
        shapes: ink.shapes,
        ..Content::default()
    };
    let captions: Vec<BBox> = lines
        .iter()
        .zip(&boxes)
        .filter(|(line, _)| caption_label(&line.text).is_some())
        .map(|(_, bbox)| *bbox)
        .collect();
    let figures = figures_of(&regions, &captions, &content.glyphs, scale);
    add_images(
        &mut content,
        &upright,
        scale,
        ink.images.into_iter().chain(figures),
    );
    Ok(Scan {
        tables: tables(&upright, &regions, scale, vision)?,
        content,
        turn,
        skew,
    })
}

/// Adds what the layout model sees on a page whose text is known but whose drawing is a picture.
///
/// # Errors
/// As [`read`].
pub(super) fn add_regions(
    content: &mut Content,
    image: &RgbImage,
    scale: f32,
    vision: &VisionModels,
) -> Result<Vec<ScannedTable>, ModelError> {
    let regions = vision.layout()?.find(image)?;
    let figures = figures_of(&regions, &[], &content.glyphs, scale);
    add_images(content, image, scale, figures);
    tables(image, &regions, scale, vision)
}

/// Adds pictures of a page's picture.
fn add_images(
    content: &mut Content,
    image: &RgbImage,
    scale: f32,
    boxes: impl IntoIterator<Item = BBox>,
) {
    for bbox in boxes {
        if let Some((crop, ..)) = crop(image, &bbox, scale) {
            content.images.push(bbox);
            content.image_keys.push(hash(&crop));
        }
    }
}

/// The part of a picture that shows a box in points, with its corner in pixels.
fn crop(image: &RgbImage, bbox: &BBox, scale: f32) -> Option<(RgbImage, u32, u32)> {
    let low = |at: f32| (at * scale).max(0.0) as u32;
    let (left, top) = (low(bbox.left), low(bbox.top));
    let right = low(bbox.right).min(image.width());
    let bottom = low(bbox.bottom).min(image.height());
    if right <= left || bottom <= top {
        return None;
    }
    let crop = imageops::crop_imm(image, left, top, right - left, bottom - top);
    Some((crop.to_image(), left, top))
}

/// A number that pictures of the same pixels share.
fn hash(image: &RgbImage) -> u64 {
    let mut hasher = DefaultHasher::new();
    image.dimensions().hash(&mut hasher);
    image.as_raw().hash(&mut hasher);
    hasher.finish()
}

/// The figures among the regions, those full of text left out: the model takes a page of an old
/// book for one. `captions` are lines that begin as captions do.
fn figures_of(
    regions: &[LayoutRegion],
    captions: &[BBox],
    glyphs: &[Glyph],
    scale: f32,
) -> Vec<BBox> {
    let of_kind = |wanted: fn(LayoutKind) -> bool| {
        regions
            .iter()
            .filter(move |region| wanted(region.kind) && region.score >= MIN_SCORE)
            .map(move |region| to_points(&region.bbox, scale))
    };
    let apart: Vec<BBox> = of_kind(|kind| {
        use LayoutKind::{FigureCaption, Table, TableCaption};
        matches!(kind, FigureCaption | Table | TableCaption)
    })
    .chain(captions.iter().copied())
    .collect();
    let mut figures: Vec<BBox> = of_kind(|kind| kind == LayoutKind::Figure).collect();
    for figure in &mut figures {
        for other in &apart {
            cut(figure, other);
        }
    }
    figures.retain(|bbox| {
        let inside = glyphs
            .iter()
            .filter(|glyph| bbox.contains_point(glyph.x, glyph.y));
        let text: f32 = inside.map(|glyph| glyph.advance.abs() * glyph.size).sum();
        text < bbox.area() * MOST_TEXT
    });
    figures
}

/// Cuts off the part of a figure that begins with a caption or table below its middle, or ends
/// with one near its top.
fn cut(figure: &mut BBox, other: &BBox) {
    let inside = figure.contains_point(other.center_x(), other.center_y());
    if !inside || other.overlap_x(figure) < other.width() * 0.8 {
        return;
    }
    let at = (other.center_y() - figure.top) / figure.height();
    if at > 0.4 {
        figure.bottom = figure.bottom.min(other.top);
    } else if at < 0.2 {
        figure.top = figure.top.max(other.bottom);
    }
}

/// Marks what the layout model takes for running headers and footers, at the page's edges.
fn set_aside(glyphs: &mut [Glyph], regions: &[LayoutRegion], scale: f32, height: f32) {
    let edges: Vec<BBox> = regions
        .iter()
        .filter(|region| region.score >= MIN_SCORE)
        .filter_map(|region| {
            let bbox = to_points(&region.bbox, scale);
            match region.kind {
                LayoutKind::Header if bbox.bottom < height * EDGE => Some(bbox),
                LayoutKind::Footer if bbox.top > height * (1.0 - EDGE) => Some(bbox),
                _ => None,
            }
        })
        .collect();
    for glyph in glyphs {
        glyph.artifact = edges
            .iter()
            .any(|edge| edge.contains_point(glyph.x, glyph.y));
    }
}

/// The tables among the regions of an upright page, with their cells.
fn tables(
    image: &RgbImage,
    regions: &[LayoutRegion],
    scale: f32,
    vision: &VisionModels,
) -> Result<Vec<ScannedTable>, ModelError> {
    let mut out = Vec::new();
    for region in regions {
        if region.kind == LayoutKind::Table && region.score >= MIN_SCORE {
            out.extend(table(image, &region.bbox, scale, vision)?);
        }
    }
    Ok(out)
}

/// The cells of the table at a place of a picture; none where no table is seen there.
fn table(
    image: &RgbImage,
    bbox: &PixelBox,
    scale: f32,
    vision: &VisionModels,
) -> Result<Option<ScannedTable>, ModelError> {
    let grown = to_points(bbox, 1.0).inflate(MARGIN);
    let Some((crop, left, top)) = crop(image, &grown, 1.0) else {
        return Ok(None);
    };
    let seen = vision.table()?.cells(&crop)?;
    if seen.confidence < MIN_CELLS || seen.rows < 2 || seen.columns < 2 {
        return Ok(None);
    }
    let place = |own: &PixelBox| {
        let moved = PixelBox {
            left: own.left + left as f32,
            top: own.top + top as f32,
            right: own.right + left as f32,
            bottom: own.bottom + top as f32,
        };
        to_points(&moved, scale)
    };
    Ok(Some(ScannedTable {
        bbox: to_points(bbox, scale),
        table: table_of(&seen, place),
    }))
}

fn table_of(seen: &TableCells, place: impl Fn(&PixelBox) -> BBox) -> Table {
    let cells = seen.cells.iter().map(|cell| Cell {
        row: cell.row as u32,
        column: cell.column as u32,
        row_span: cell.row_span as u32,
        column_span: cell.column_span as u32,
        header: cell.header,
        text: String::new(),
        bbox: Some(place(&cell.bbox)),
    });
    Table {
        rows: seen.rows as u32,
        columns: seen.columns as u32,
        cells: cells.collect(),
    }
}

fn to_points(bbox: &PixelBox, scale: f32) -> BBox {
    BBox::new(
        bbox.left / scale,
        bbox.top / scale,
        bbox.right / scale,
        bbox.bottom / scale,
    )
}

/// The quarter turn nearest to an angle in radians, where it is within ten degrees of one.
fn quarter(angle: f32) -> Option<u8> {
    let turns = (angle / FRAC_PI_2).round();
    let off = (angle - turns * FRAC_PI_2).abs();
    (off < 0.18).then(|| turns.rem_euclid(4.0) as u8)
}

/// The picture with text of direction `turn` running to the right.
fn turn_image(image: &RgbImage, turn: u8) -> RgbImage {
    match turn {
        1 => imageops::rotate270(image),
        2 => imageops::rotate180(image),
        3 => imageops::rotate90(image),
        _ => image.clone(),
    }
}

/// The picture turned back by `angle` radians about its centre; what comes from outside is white.
fn straighten(image: &RgbImage, angle: f32) -> RgbImage {
    let (sine, cosine) = angle.sin_cos();
    let (width, height) = image.dimensions();
    let (mid_x, mid_y) = (width as f32 / 2.0, height as f32 / 2.0);
    RgbImage::from_fn(width, height, |x, y| {
        let (dx, dy) = (x as f32 + 0.5 - mid_x, y as f32 + 0.5 - mid_y);
        let from_x = mid_x + dx * cosine - dy * sine;
        let from_y = mid_y + dx * sine + dy * cosine;
        let inside =
            from_x >= 0.0 && from_y >= 0.0 && from_x < width as f32 && from_y < height as f32;
        if inside {
            *image.get_pixel(from_x as u32, from_y as u32)
        } else {
            Rgb([255; 3])
        }
    })
}

impl Scan {
    /// Whether next to nothing is written on the page: it is a picture.
    pub(super) fn is_picture(&self) -> bool {
        self.content.glyphs.len() < 12
    }
}
