//! Figures of a page: embedded pictures, clusters of vector drawing, and both together.

use super::caption::begins_caption;
use super::content::Shape;
use super::flow::{Setting, Template};
use super::page::PageText;
use super::words::Segment;
use catena_document::BBox;
use std::collections::HashMap;

/// A figure is at least this wide and high, in points.
const LEAST: f32 = 30.0;
/// Cells of the raster on which drawings are clustered, in points.
const CELL: f32 = 4.0;
/// Drawings nearer than this many cells are one figure.
const REACH: usize = 3;
/// Boxes of text of one page at most.
const MAX_TEXT_BOXES: usize = 500;
/// Pages of more pictures than this are mosaics: none of them stands in a line.
const MAX_INLINE: usize = 2000;
/// Grid lines stand nearer than this, in points.
const GRID_STEP: f32 = 60.0;
/// Characters of the longest label.
const LABEL: usize = 30;
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
    let pieces = Pieces::of(page, free, taken, setting);
    let clusters = clusters(page, &pieces.images, &pieces.drawn);
    let (found, mut loose) = regions(page, free, evidence, clusters);
    if found.is_empty() {
        return Vec::new();
    }
    loose.extend(pieces.separators);
    let texts = Texts::of(page, free, setting.body);
    let mut boxes = Vec::new();
    for (mut bbox, photo) in found {
        trim_running_text(page, free, &mut bbox, setting);
        texts.grow_to_labels(&mut bbox, photo);
        if !photo {
            texts.grow_to_pieces(&mut bbox, &loose);
            texts.grow_to_labels(&mut bbox, photo);
        }
        boxes.push(bbox);
    }
    merge_overlapping(&mut boxes);
    texts.merge_panels(&mut boxes);
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

/// What figures are made of.
struct Pieces {
    images: Vec<BBox>,
    drawn: Vec<Drawn>,
    /// Rules that stand for themselves.
    separators: Vec<BBox>,
}

impl Pieces {
    /// The pictures and drawings of a page that are neither decoration nor part of a table or of
    /// a box of text.
    fn of(page: &PageText, free: &[bool], taken: &[BBox], setting: &Setting<'_, '_>) -> Self {
        let (template, whole) = (&setting.template, page.bbox());
        let in_table = |bbox: &BBox| {
            taken
                .iter()
                .any(|table| table.inflate(4.0).overlap_area(bbox) > 0.6 * bbox.area().max(0.1))
        };
        let text_boxes = text_boxes(page, free);
        let in_text_box = |bbox: &BBox| {
            text_boxes.iter().any(|text| {
                text.inflate(3.0).contains(bbox, 0.0) && bbox.area() < text.area() * 0.15
            })
        };
        let images = page
            .images
            .iter()
            .zip(&page.image_keys)
            .filter(|&(bbox, &key)| !is_decoration(page, template, bbox, key))
            .map(|(bbox, _)| *bbox)
            .filter(|bbox| bbox.area() > 100.0 && !in_table(bbox))
            .filter(|bbox| !is_background(page, bbox) && !in_text_box(bbox))
            .filter(|bbox| !is_inline(page, setting.body, bbox))
            .collect();
        let shapes = page
            .shapes
            .iter()
            .filter(|shape| shape.bbox.area() < whole.area() * 0.7 && !in_table(&shape.bbox))
            .filter(|shape| !template.holds(&shape.bbox) && !text_boxes.contains(&shape.bbox))
            .map(|shape| Drawn {
                bbox: shape.bbox,
                weight: shape_weight(shape),
                slanting: slanting(shape),
            });
        let (mut separators, mut drawn) = (Vec::new(), shapes.collect::<Vec<_>>());
        for (rule, apart) in page.rules.iter().zip(separators_of(page)) {
            let bbox = rule.bbox;
            let left_out = in_table(&bbox.inflate(1.0))
                || bbox.width() >= whole.width() * 0.8
                || template.holds(&bbox)
                || in_text_box(&bbox);
            if left_out {
                continue;
            }
            if apart {
                separators.push(bbox);
            } else {
                drawn.push(Drawn {
                    bbox,
                    weight: 0.25,
                    slanting: 0,
                });
            }
        }
        Self {
            images,
            drawn,
            separators,
        }
    }
}

/// The boxes of the clusters that are figures, each with whether it is a picture and little
/// else, and of the other drawing.
fn regions(
    page: &PageText,
    free: &[bool],
    evidence: Evidence,
    clusters: Vec<Region>,
) -> (Vec<(BBox, bool)>, Vec<BBox>) {
    let (mut figures, mut loose) = (Vec::new(), Vec::new());
    for region in clusters {
        let figure = if region.picture > 0.0 {
            !is_text_box(page, free, &region)
        } else {
            is_drawing(page, free, &region)
        };
        let strong = region.picture > 0.0 || region.slanting >= 3;
        if figure && (strong || evidence == Evidence::Any) {
            let photo = region.picture > region.bbox.area() * 0.6;
            figures.push((region.bbox, photo));
        } else if !figure && region.picture == 0.0 {
            loose.push(region.bbox);
        }
    }
    (figures, loose)
}

/// The filled boxes behind paragraphs: notes, warnings, listings.
fn text_boxes(page: &PageText, free: &[bool]) -> Vec<BBox> {
    page.shapes
        .iter()
        .filter(|shape| shape.rectangle && shape.bbox.height() > LEAST / 2.0)
        .map(|shape| shape.bbox)
        .filter(|bbox| bbox.width() > 100.0)
        .take(MAX_TEXT_BOXES)
        .filter(|bbox| prose(page, free, bbox) > bbox.area() * 0.2)
        .collect()
}

/// Whether a small picture stands in a line of text: a key, a button, a bullet.
fn is_inline(page: &PageText, body: f32, bbox: &BBox) -> bool {
    bbox.height() < body * 2.2
        && page.images.len() < MAX_INLINE
        && page.segments.iter().any(|segment| {
            let own = &segment.bbox;
            let gap = (own.left - bbox.right).max(bbox.left - own.right);
            segment.chars() > 15
                && own.overlap_y(bbox) > 0.5 * own.height().min(bbox.height())
                && gap < body * 1.5
        })
}

/// Whether a picture is a page template's decoration. One that fills much of its page is none:
/// scans have the same place on every page.
fn is_decoration(page: &PageText, template: &Template, bbox: &BBox, key: u64) -> bool {
    template.holds_picture(bbox, key) && bbox.area() < page.bbox().area() * 0.5
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
    /// The area of its pictures in square points.
    picture: f32,
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

/// Which of a page's rules stand for themselves: horizontal ones that nothing upright or drawn
/// touches, such as the line under a heading, and that are no family of grid lines.
fn separators_of(page: &PageText) -> Vec<bool> {
    if page.rules.is_empty() {
        return Vec::new();
    }
    let grid = Grid::of(page);
    let upright = page.rules.iter().filter(|rule| !rule.horizontal);
    let shapes = page.shapes.iter().map(|shape| &shape.bbox);
    let touching = grid.fill(upright.map(|rule| &rule.bbox).chain(shapes));
    let ends = |bbox: &BBox| [bbox.left, bbox.right].map(|end| end.round() as i32);
    let mut families: HashMap<[i32; 2], Vec<f32>> = HashMap::new();
    for rule in page.rules.iter().filter(|rule| rule.horizontal) {
        let family = families.entry(ends(&rule.bbox)).or_default();
        family.push(rule.bbox.top);
    }
    families.retain(|_, tops| {
        tops.sort_by(f32::total_cmp);
        tops.len() >= 3 && tops.windows(2).all(|pair| pair[1] - pair[0] < GRID_STEP)
    });
    page.rules
        .iter()
        .map(|rule| {
            let ((left, right), (row, _)) = grid.spans(&rule.bbox);
            let at = row * grid.columns;
            rule.horizontal
                && !touching[at + left..=at + right].contains(&true)
                && !families.contains_key(&ends(&rule.bbox))
        })
        .collect()
}

/// A raster of the page.
struct Grid {
    /// A cell's side in points.
    cell: f32,
    columns: usize,
    rows: usize,
}

impl Grid {
    fn of(page: &PageText) -> Self {
        let cell = CELL
            .max(page.width / MAX_SIDE as f32)
            .max(page.height / MAX_SIDE as f32);
        Self {
            cell,
            columns: (page.width / cell).ceil().max(1.0) as usize,
            rows: (page.height / cell).ceil().max(1.0) as usize,
        }
    }

    /// The first and last column and row that a box touches.
    fn spans(&self, bbox: &BBox) -> ((usize, usize), (usize, usize)) {
        let at = |place: f32, count: usize| {
            (place / self.cell).floor().clamp(0.0, count as f32 - 1.0) as usize
        };
        (
            (at(bbox.left, self.columns), at(bbox.right, self.columns)),
            (at(bbox.top, self.rows), at(bbox.bottom, self.rows)),
        )
    }

    /// Which cells boxes touch.
    fn fill<'b>(&self, boxes: impl Iterator<Item = &'b BBox>) -> Vec<bool> {
        // Marks of boxes by differences, so that a box costs the same whatever its size.
        let width = self.columns + 1;
        let mut marks = vec![0_i32; (self.rows + 1) * width];
        for bbox in boxes {
            let ((left, right), (top, bottom)) = self.spans(bbox);
            marks[top * width + left] += 1;
            marks[top * width + right + 1] -= 1;
            marks[(bottom + 1) * width + left] -= 1;
            marks[(bottom + 1) * width + right + 1] += 1;
        }
        prefix_sums(&marks, self.rows, self.columns)
    }
}

/// Clusters by a raster of the page: cells touched by near pieces are one region.
fn clusters(page: &PageText, images: &[BBox], drawn: &[Drawn]) -> Vec<Region> {
    let grid = Grid::of(page);
    let boxes = images.iter().chain(drawn.iter().map(|piece| &piece.bbox));
    let filled = grid.fill(boxes);
    let labels = label_components(&filled, grid.rows, grid.columns);
    let mut regions: Vec<Option<Region>> = Vec::new();
    let mut add = |bbox: &BBox, picture: f32, weight: f32, slanting: usize| {
        let (x, y) = (bbox.center_x(), bbox.center_y());
        let ((column, _), (row, _)) = grid.spans(&BBox::new(x, y, x, y));
        let label = labels[row * grid.columns + column] as usize;
        if regions.len() <= label {
            regions.resize_with(label + 1, || None);
        }
        match &mut regions[label] {
            Some(region) => {
                region.bbox = region.bbox.union(bbox);
                region.picture += picture;
                region.weight += weight;
                region.slanting += slanting;
            }
            empty => {
                *empty = Some(Region {
                    bbox: *bbox,
                    picture,
                    weight,
                    slanting,
                });
            }
        }
    };
    for bbox in images {
        add(bbox, bbox.area(), 0.0, 0);
    }
    for piece in drawn {
        add(&piece.bbox, 0.0, piece.weight, piece.slanting);
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
    let large = bbox.width() >= LEAST && bbox.height() >= LEAST;
    large && region.weight >= 3.0 && prose(page, free, bbox) < bbox.area() * 0.25
}

/// Whether a cluster with pictures is a text with a sign beside it: a note, a warning.
fn is_text_box(page: &PageText, free: &[bool], region: &Region) -> bool {
    let bbox = &region.bbox;
    region.picture < bbox.area() * 0.3
        && region.slanting < 30
        && prose(page, free, bbox) > bbox.area() * 0.15
}

/// The area of the long texts in a box, in square points.
fn prose(page: &PageText, free: &[bool], bbox: &BBox) -> f32 {
    inside(page, free, bbox)
        .iter()
        .map(|&at| &page.segments[at])
        .filter(|segment| segment.chars() > 35)
        .map(|segment| segment.bbox.area())
        .sum()
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

/// The texts of a page as figures see them.
struct Texts<'a> {
    /// The free ones that may be labels: short or turned, no captions and no part of a paragraph;
    /// each with whether it surely is no text of its own.
    labels: Vec<(&'a BBox, bool)>,
    /// The long ones.
    running: Vec<&'a BBox>,
    /// Those that begin captions.
    captions: Vec<&'a BBox>,
    /// The body's font size in points.
    body: f32,
}

impl<'a> Texts<'a> {
    fn of(page: &'a PageText, free: &[bool], body: f32) -> Self {
        let all = || page.segments.iter().zip(free).filter(|&(_, &free)| free);
        let caption = |segment: &Segment| begins_caption(&segment.text());
        let long = |segment: &Segment| segment.chars() > LABEL || caption(segment);
        let running: Vec<&Segment> = all()
            .map(|(segment, _)| segment)
            .filter(|segment| segment.direction == Some(0) && long(segment))
            .collect();
        // The last line of a paragraph is short as well.
        let in_paragraph = |segment: &Segment| {
            running.iter().any(|other| {
                let (own, other_box) = (&segment.bbox, &other.bbox);
                let step = (other.baseline - segment.baseline).abs();
                (other.size - segment.size).abs() < 0.6
                    && step < segment.size * 1.6
                    && (own.left - other_box.left).abs() < segment.size * 2.0
            })
        };
        let is_label = |segment: &Segment| {
            let turned = segment.direction != Some(0);
            let small = segment.size <= body * 1.05 && !long(segment);
            turned || (small && !in_paragraph(segment))
        };
        Self {
            labels: all()
                .map(|(segment, _)| segment)
                .filter(|segment| is_label(segment))
                .map(|segment| {
                    let turned = segment.direction != Some(0);
                    (&segment.bbox, turned || segment.size < body * 0.9)
                })
                .collect(),
            captions: running
                .iter()
                .filter(|segment| caption(segment))
                .map(|segment| &segment.bbox)
                .collect(),
            running: running.iter().map(|segment| &segment.bbox).collect(),
            body,
        }
    }

    /// Takes the short texts around a drawing (axis labels, legends, call-outs) into its box, and
    /// those around these, not far. Only sure labels belong to a `photo`.
    fn grow_to_labels(&self, bbox: &mut BBox, photo: bool) {
        let reach = bbox.inflate(self.body * 8.0);
        let labels = self.labels.iter().filter(|(_, sure)| *sure || !photo);
        let labels: Vec<&BBox> = labels
            .map(|(own, _)| *own)
            .filter(|own| reach.contains(own, 0.0))
            .collect();
        for _ in 0..4 {
            let frame = *bbox;
            for own in &labels {
                let beside = own.overlap_y(&frame) > own.height() * 0.5;
                let stacked = own.overlap_x(&frame) > own.width() * 0.5;
                let gap_x = (own.left - bbox.right).max(bbox.left - own.right).max(0.0);
                let gap_y = (own.top - bbox.bottom).max(bbox.top - own.bottom).max(0.0);
                let near = (beside && gap_x < self.body) || (stacked && gap_y < self.body * 0.8);
                // A label of running text has running text beside it.
                let alone = !self.running.iter().any(|running| {
                    let gap = (running.left - own.right).max(own.left - running.right);
                    running.overlap_y(own) > own.height() * 0.5
                        && !bbox.contains(running, 1.0)
                        && gap < self.body * 1.5
                });
                if near && alone {
                    *bbox = bbox.union(own);
                }
            }
            if *bbox == frame {
                break;
            }
        }
    }

    /// Takes the small drawings above and below that line up with a figure (the axis under
    /// a curve, the signs of a legend) into its box, where no running text stands between.
    fn grow_to_pieces(&self, bbox: &mut BBox, pieces: &[BBox]) {
        let frame = *bbox;
        let side = frame.width() * 0.1;
        let reach = BBox::new(
            frame.left - side,
            frame.top - frame.height().min(80.0),
            frame.right + side,
            frame.bottom + frame.height().min(80.0),
        );
        for piece in pieces.iter().filter(|piece| reach.contains(piece, 0.0)) {
            let whole = frame.union(piece);
            let parted = self.running.iter().any(|running| {
                whole.contains_point(running.center_x(), running.center_y())
                    && !frame.contains_point(running.center_x(), running.center_y())
            });
            if !parted {
                *bbox = bbox.union(piece);
            }
        }
    }

    /// Joins the panels of one chart: figures of one height side by side with nothing but white
    /// or labels between.
    fn merge_panels(&self, boxes: &mut Vec<BBox>) {
        let mut at = 0;
        while at < boxes.len() {
            let own = boxes[at];
            let other = (at + 1..boxes.len()).find(|&other| {
                let other = &boxes[other];
                let gap = (own.left - other.right).max(other.left - own.right);
                let level = own.overlap_y(other) > 0.8 * own.height().max(other.height());
                let whole = own.union(other);
                let parted = self
                    .running
                    .iter()
                    .any(|running| whole.overlap_area(running) > 0.0);
                let named = whole.inflate(self.body * 3.0);
                let captions = self.captions.iter();
                let captions = captions.filter(|caption| named.overlap_area(caption) > 0.0);
                level && gap < self.body * 4.0 && !parted && captions.count() < 2
            });
            match other {
                Some(other) => {
                    boxes[at] = own.union(&boxes[other]);
                    boxes.swap_remove(other);
                    at = 0;
                }
                None => at += 1,
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
