//! Figures of a page: embedded pictures, clusters of vector drawing, and both together.

use super::content::Shape;
use super::flow::{Setting, Template};
use super::page::PageText;
use catena_document::BBox;

/// A figure is at least this wide and high, in points.
const LEAST: f32 = 30.0;
/// Cells of the raster on which drawings are clustered, in points.
const CELL: f32 = 4.0;
/// Drawings nearer than this many cells are one figure.
const REACH: usize = 3;
/// Cells of the raster at most, a side; larger pages get larger cells.
const MAX_SIDE: usize = 400;

/// A figure's region on a page.
#[derive(Clone, Debug)]
pub(super) struct FoundFigure {
    pub(super) bbox: BBox,
    /// The indices of the page's segments inside: its labels.
    pub(super) segments: Vec<usize>,
    /// Labels that were read from its picture.
    pub(super) read: Vec<Label>,
}

/// Words that were read inside a figure.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) text: String,
    /// Their box on the page as the reader sees it.
    pub(super) bbox: BBox,
}

/// Which figures are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// Pictures, and drawings with curves and slanting lines: surely figures.
    Strong,
    /// Also drawings of boxes and straight lines, which a table without rules may be as well.
    Any,
}

/// The figures of a page. `taken` are the boxes of the tables and figures found so far, whose lines
/// are no drawing; `free` tells which segments may be labels.
pub(super) fn find(
    page: &PageText,
    free: &[bool],
    taken: &[BBox],
    setting: &Setting<'_, '_>,
    evidence: Evidence,
) -> Vec<FoundFigure> {
    let (body, template) = (setting.body, &setting.template);
    let in_table = |bbox: &BBox| {
        taken
            .iter()
            .any(|table| table.inflate(4.0).overlap_area(bbox) > 0.6 * bbox.area().max(0.1))
    };
    let whole = page.bbox();
    let images: Vec<BBox> = page
        .images
        .iter()
        .copied()
        .filter(|bbox| bbox.area() > 100.0 && !in_table(bbox))
        .filter(|bbox| !is_background(page, bbox) && !is_decoration(page, template, bbox))
        .collect();
    let drawn: Vec<Drawn> = page
        .shapes
        .iter()
        .filter(|shape| shape.bbox.area() < whole.area() * 0.7 && !in_table(&shape.bbox))
        .filter(|shape| !template.holds(&shape.bbox))
        .map(|shape| Drawn {
            bbox: shape.bbox,
            weight: shape_weight(shape),
            slanting: slanting(shape),
        })
        .chain(
            page.rules
                .iter()
                .filter(|rule| !in_table(&rule.bbox.inflate(1.0)))
                .filter(|rule| rule.bbox.width() < whole.width() * 0.8)
                .filter(|rule| !template.holds(&rule.bbox))
                .map(|rule| Drawn {
                    bbox: rule.bbox,
                    weight: 0.25,
                    slanting: 0,
                }),
        )
        .collect();
    let mut regions = clusters(page, &images, &drawn);
    regions.retain(|region| region.image || is_drawing(page, free, region));
    if evidence == Evidence::Strong {
        regions.retain(|region| region.image || region.slanting >= 3);
    }
    let mut boxes: Vec<BBox> = regions.iter().map(|region| region.bbox).collect();
    for bbox in &mut boxes {
        trim_running_text(page, free, bbox, setting);
        grow_to_labels(page, free, bbox, body);
    }
    merge_overlapping(&mut boxes);
    boxes
        .into_iter()
        .filter(|bbox| bbox.width() >= LEAST && bbox.height() >= LEAST)
        .map(|bbox| FoundFigure {
            segments: inside(page, free, &bbox),
            bbox,
            read: Vec::new(),
        })
        .collect()
}

/// Whether a picture is a page template's decoration. One that fills much of its page is none:
/// scans have the same place on every page.
fn is_decoration(page: &PageText, template: &Template, bbox: &BBox) -> bool {
    template.holds(bbox) && bbox.area() < page.bbox().area() * 0.5
}

/// Cuts off the lines of running text that a picture's white edge lies over.
fn trim_running_text(page: &PageText, free: &[bool], bbox: &mut BBox, setting: &Setting<'_, '_>) {
    for (segment, _) in page.segments.iter().zip(free).filter(|&(_, &free)| free) {
        let own = &segment.bbox;
        let running = (segment.size - setting.body).abs() < 0.6
            && segment
                .words
                .iter()
                .any(|word| word.font == setting.body_font)
            && segment.direction == Some(0);
        if !running || own.overlap_x(bbox) < own.width() * 0.5 || bbox.height() < segment.size * 4.0
        {
            continue;
        }
        let reach = segment.size * 1.3;
        let at_top = own.bottom > bbox.top && own.bottom < bbox.top + reach;
        let at_bottom = own.top < bbox.bottom && own.top > bbox.bottom - reach;
        if at_top {
            bbox.top = own.bottom;
        } else if at_bottom {
            bbox.bottom = own.top;
        }
    }
}

/// How much a shape is more than a box, a line or the mitred corner of a cell's border: a large
/// curve says as much as several small ones.
fn slanting(shape: &Shape) -> usize {
    let (width, height) = (shape.bbox.width(), shape.bbox.height());
    if shape.rectangle || width.min(height) <= 2.0 || width.max(height) <= 5.0 {
        0
    } else if width.max(height) > 40.0 {
        3
    } else {
        1
    }
}

fn shape_weight(shape: &Shape) -> f32 {
    if slanting(shape) > 0 {
        1.0 + shape.segments.min(20) as f32 / 10.0
    } else {
        0.3
    }
}

/// A piece of vector drawing, and how much it tells of a figure.
struct Drawn {
    bbox: BBox,
    weight: f32,
    /// How much it is more than a box or a straight line.
    slanting: usize,
}

/// A cluster of pictures and drawings.
struct Region {
    bbox: BBox,
    image: bool,
    weight: f32,
    /// The sum of its pieces'.
    slanting: usize,
}

/// Whether a picture lies under the whole page's text (a slide's background, a scan under its
/// text layer). A page with no text is its picture.
fn is_background(page: &PageText, bbox: &BBox) -> bool {
    let covers = bbox.overlap_area(&page.bbox()) > page.bbox().area() * 0.85;
    let chars: usize = page.segments.iter().map(super::words::Segment::chars).sum();
    covers && chars > 40
}

/// Clusters by a raster of the page: cells touched by near pieces are one region.
fn clusters(page: &PageText, images: &[BBox], drawn: &[Drawn]) -> Vec<Region> {
    let cell = CELL
        .max(page.width / MAX_SIDE as f32)
        .max(page.height / MAX_SIDE as f32);
    let columns = (page.width / cell).ceil().max(1.0) as usize;
    let rows = (page.height / cell).ceil().max(1.0) as usize;
    let span = |low: f32, high: f32, count: usize| {
        let from = (low / cell).floor().clamp(0.0, count as f32 - 1.0) as usize;
        let to = (high / cell).floor().clamp(0.0, count as f32 - 1.0) as usize;
        (from, to)
    };
    // Marks of boxes by differences, so that a box costs the same whatever its size.
    let mut marks = vec![0_i32; (rows + 1) * (columns + 1)];
    let boxes = images.iter().chain(drawn.iter().map(|piece| &piece.bbox));
    for bbox in boxes.clone() {
        let (left, right) = span(bbox.left, bbox.right, columns);
        let (top, bottom) = span(bbox.top, bbox.bottom, rows);
        let width = columns + 1;
        marks[top * width + left] += 1;
        marks[top * width + right + 1] -= 1;
        marks[(bottom + 1) * width + left] -= 1;
        marks[(bottom + 1) * width + right + 1] += 1;
    }
    let filled = prefix_sums(&marks, rows, columns);
    let labels = label_components(&filled, rows, columns);
    let mut regions: Vec<Option<Region>> = Vec::new();
    let mut add = |bbox: &BBox, image: bool, weight: f32, slanting: usize| {
        let (column, _) = span(bbox.center_x(), bbox.center_x(), columns);
        let (row, _) = span(bbox.center_y(), bbox.center_y(), rows);
        let label = labels[row * columns + column] as usize;
        if regions.len() <= label {
            regions.resize_with(label + 1, || None);
        }
        match &mut regions[label] {
            Some(region) => {
                region.bbox = region.bbox.union(bbox);
                region.image |= image;
                region.weight += weight;
                region.slanting += slanting;
            }
            empty => {
                *empty = Some(Region {
                    bbox: *bbox,
                    image,
                    weight,
                    slanting,
                });
            }
        }
    };
    for bbox in images {
        add(bbox, true, 0.0, 0);
    }
    for piece in drawn {
        add(&piece.bbox, false, piece.weight, piece.slanting);
    }
    regions.into_iter().flatten().collect()
}

fn prefix_sums(marks: &[i32], rows: usize, columns: usize) -> Vec<bool> {
    let width = columns + 1;
    let mut sums = vec![0_i32; columns];
    let mut filled = vec![false; rows * columns];
    for row in 0..rows {
        let mut across = 0;
        for column in 0..columns {
            across += marks[row * width + column];
            sums[column] += across;
            filled[row * columns + column] = sums[column] > 0;
        }
    }
    filled
}

/// Numbers the connected areas of filled cells, cells within [`REACH`] connected; 0 is empty.
fn label_components(filled: &[bool], rows: usize, columns: usize) -> Vec<u32> {
    let mut labels = vec![0_u32; filled.len()];
    let mut next = 0;
    let mut stack = Vec::new();
    for start in 0..filled.len() {
        if !filled[start] || labels[start] != 0 {
            continue;
        }
        next += 1;
        labels[start] = next;
        stack.push(start);
        while let Some(at) = stack.pop() {
            let (row, column) = (at / columns, at % columns);
            for row in row.saturating_sub(REACH)..=(row + REACH).min(rows - 1) {
                for column in column.saturating_sub(REACH)..=(column + REACH).min(columns - 1) {
                    let near = row * columns + column;
                    if filled[near] && labels[near] == 0 {
                        labels[near] = next;
                        stack.push(near);
                    }
                }
            }
        }
    }
    labels
}

/// Whether a cluster without a picture is a drawing and not a frame, a rule or a text box.
fn is_drawing(page: &PageText, free: &[bool], region: &Region) -> bool {
    let bbox = &region.bbox;
    if bbox.width() < LEAST || bbox.height() < LEAST || region.weight < 3.0 {
        return false;
    }
    let prose: f32 = inside(page, free, bbox)
        .iter()
        .map(|&at| &page.segments[at])
        .filter(|segment| segment.chars() > 35)
        .map(|segment| segment.bbox.area())
        .sum();
    prose < bbox.area() * 0.25
}

/// The free segments whose middles lie in a box.
fn inside(page: &PageText, free: &[bool], bbox: &BBox) -> Vec<usize> {
    (0..page.segments.len())
        .filter(|&at| free[at])
        .filter(|&at| {
            let own = &page.segments[at].bbox;
            bbox.contains_point(own.center_x(), own.center_y())
        })
        .collect()
}

/// Takes the short texts around a drawing (axis labels, legends, call-outs) into its box.
fn grow_to_labels(page: &PageText, free: &[bool], bbox: &mut BBox, body: f32) {
    let is_label = |at: usize| {
        let segment = &page.segments[at];
        let turned = segment.direction != Some(0);
        let caption = catena_document::caption_label(&segment.text()).is_some();
        free[at] && !caption && (turned || (segment.chars() <= 24 && segment.size <= body * 1.05))
    };
    let labels: Vec<usize> = (0..page.segments.len())
        .filter(|&at| is_label(at))
        .collect();
    let frame = *bbox;
    for _ in 0..2 {
        for &at in &labels {
            let own = &page.segments[at].bbox;
            let beside = own.overlap_y(&frame) > own.height() * 0.5;
            let stacked = own.overlap_x(&frame) > own.width() * 0.5;
            let gap_x = (own.left - bbox.right).max(bbox.left - own.right).max(0.0);
            let gap_y = (own.top - bbox.bottom).max(bbox.top - own.bottom).max(0.0);
            let near = (beside && gap_x < body * 0.9) || (stacked && gap_y < body * 0.7);
            // A label of running text has running text beside it.
            let alone = !page.segments.iter().enumerate().any(|(other, segment)| {
                other != at
                    && free[other]
                    && segment.chars() > 30
                    && segment.bbox.overlap_y(own) > own.height() * 0.5
                    && !bbox.contains(&segment.bbox, 1.0)
                    && (segment.bbox.left - own.right).max(own.left - segment.bbox.right)
                        < body * 1.5
            });
            if near && alone {
                *bbox = bbox.union(own);
            }
        }
    }
}

fn merge_overlapping(boxes: &mut Vec<BBox>) {
    let mut at = 0;
    while at < boxes.len() {
        let other = (at + 1..boxes.len()).find(|&other| {
            let shared = boxes[at].overlap_area(&boxes[other]);
            shared > 0.15 * boxes[at].area().min(boxes[other].area())
        });
        match other {
            Some(other) => {
                let merged = boxes[at].union(&boxes[other]);
                boxes.swap_remove(other);
                boxes[at] = merged;
                at = 0;
            }
            None => at += 1,
        }
    }
}
