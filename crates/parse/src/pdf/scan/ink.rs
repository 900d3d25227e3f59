//! What is drawn on a page's picture beside its text: rules, filled areas, drawings and photos.
//!
//! It is told coarsely, as what a PDF's own drawing tells: then tables and figures are found on a
//! scan as on any other page.

use crate::pdf::content::{Rule, Shape};
use catena_document::BBox;
use image::RgbImage;

/// A colour this far from the paper's in one channel is ink.
const CONTRAST: u8 = 40;
/// Rules are at least this long, in points: longer than the strokes of letters.
const RULE_LENGTH: f32 = 20.0;
/// Rules are at most this thick, in points.
const RULE_THICKNESS: f32 = 2.5;
/// White in a rule that a scanner left, in pixels.
const RULE_GAP: usize = 2;
/// Cells in which ink is gathered, in points.
const CELL: f32 = 2.0;
/// The share of a cell that is inked from which it is full.
const CELL_INK: f32 = 0.12;
/// The smallest area of ink that counts, in points a side.
const SPECK: f32 = 4.0;
/// The smallest photo, in points a side.
const PHOTO: f32 = 36.0;
/// An area that is inked to this share is filled.
const FILLED: f32 = 0.85;
/// A filled area with less than this share of one colour is a photo.
const ONE_COLOUR: f32 = 0.6;
/// Areas kept of one page.
const MAX_AREAS: usize = 20_000;

/// What is drawn on a page's picture.
#[derive(Debug, Default)]
pub(super) struct Ink {
    pub(super) rules: Vec<Rule>,
    pub(super) shapes: Vec<Shape>,
    /// Photos.
    pub(super) images: Vec<BBox>,
}

/// Finds what is drawn on `image`, of `scale` pixels a point; `text` are the boxes of its lines of
/// text, in points.
pub(super) fn find(image: &RgbImage, scale: f32, text: &[BBox]) -> Ink {
    let mut mask = Mask::of(image);
    let mut rules = mask.rules(scale, true);
    rules.extend(mask.rules(scale, false));
    let all = mask.clone();
    for bbox in rules.iter().map(|rule| &rule.bbox).chain(text) {
        mask.clear(&bbox.inflate(0.7), scale);
    }
    let mut ink = Ink {
        rules,
        ..Ink::default()
    };
    for area in mask.areas(scale).into_iter().take(MAX_AREAS) {
        ink.add(area, image, &all, scale);
    }
    ink
}

impl Ink {
    fn add(&mut self, bbox: BBox, image: &RgbImage, all: &Mask, scale: f32) {
        let filled = all.share(&bbox, scale) > FILLED;
        let large = bbox.width() >= PHOTO && bbox.height() >= PHOTO;
        if filled && large && main_colour(image, &bbox, scale) < ONE_COLOUR {
            self.images.push(bbox);
            return;
        }
        self.shapes.push(Shape {
            bbox,
            rectangle: filled,
            segments: if filled { 4 } else { 12 },
            boxes: Vec::new(),
        });
    }
}

/// Which pixels are inked.
#[derive(Clone)]
struct Mask {
    width: usize,
    height: usize,
    inked: Vec<bool>,
}

impl Mask {
    fn of(image: &RgbImage) -> Self {
        let paper = paper(image);
        let inked = image.pixels().map(|pixel| {
            let channels = pixel.0.iter().zip(paper);
            channels
                .into_iter()
                .any(|(own, paper)| own.abs_diff(paper) > CONTRAST)
        });
        Self {
            width: image.width() as usize,
            height: image.height() as usize,
            inked: inked.collect(),
        }
    }

    /// The pixels of a box in points: columns and rows.
    fn pixels(&self, bbox: &BBox, scale: f32) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let span = |low: f32, high: f32, most: usize| {
            let low = (low * scale).floor().max(0.0) as usize;
            let high = (high * scale).ceil().max(0.0) as usize;
            low.min(most)..high.min(most)
        };
        (
            span(bbox.left, bbox.right, self.width),
            span(bbox.top, bbox.bottom, self.height),
        )
    }

    fn clear(&mut self, bbox: &BBox, scale: f32) {
        let (columns, rows) = self.pixels(bbox, scale);
        for row in rows {
            self.inked[row * self.width..][columns.clone()].fill(false);
        }
    }

    /// The share of a box that is inked, 0 to 1.
    fn share(&self, bbox: &BBox, scale: f32) -> f32 {
        let (columns, rows) = self.pixels(bbox, scale);
        let all = columns.len() * rows.len();
        let inked: usize = rows
            .map(|row| {
                let row = &self.inked[row * self.width..][columns.clone()];
                row.iter().filter(|&&inked| inked).count()
            })
            .sum();
        inked as f32 / all.max(1) as f32
    }

    /// The rules of one direction.
    fn rules(&self, scale: f32, horizontal: bool) -> Vec<Rule> {
        let (lanes, length) = if horizontal {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        };
        let least = (RULE_LENGTH * scale) as usize;
        let mut open: Vec<Stroke> = Vec::new();
        let mut done: Vec<Stroke> = Vec::new();
        for lane in 0..lanes {
            let at = |place: usize| {
                if horizontal {
                    self.inked[lane * self.width + place]
                } else {
                    self.inked[place * self.width + lane]
                }
            };
            let mut next: Vec<Stroke> = Vec::new();
            for (start, end) in runs(length, least, at) {
                // A rule's next lane, else the first one of another.
                let above = open
                    .iter()
                    .position(|stroke| stroke.start < end && start < stroke.end);
                let mut stroke = above.map_or(
                    Stroke {
                        first: lane,
                        last: lane,
                        start,
                        end,
                    },
                    |above| open.swap_remove(above),
                );
                stroke.last = lane;
                stroke.start = stroke.start.min(start);
                stroke.end = stroke.end.max(end);
                next.push(stroke);
            }
            done.append(&mut open);
            open = next;
        }
        done.append(&mut open);
        done.into_iter()
            .filter(|stroke| (stroke.last - stroke.first + 1) as f32 <= RULE_THICKNESS * scale)
            .map(|stroke| stroke.rule(scale, horizontal))
            .take(MAX_AREAS)
            .collect()
    }

    /// The boxes of connected areas of ink, specks left out.
    fn areas(&self, scale: f32) -> Vec<BBox> {
        let side = (CELL * scale).max(1.0);
        let columns = (self.width as f32 / side).ceil() as usize;
        let rows = (self.height as f32 / side).ceil() as usize;
        let mut counts = vec![0_u32; columns * rows];
        for (at, _) in self.inked.iter().enumerate().filter(|&(_, &inked)| inked) {
            let column = ((at % self.width) as f32 / side) as usize;
            let row = ((at / self.width) as f32 / side) as usize;
            counts[row * columns + column] += 1;
        }
        let enough = (side * side * CELL_INK).max(1.0) as u32;
        let mut full: Vec<bool> = counts.iter().map(|&count| count >= enough).collect();
        let mut out = Vec::new();
        let mut stack = Vec::new();
        for start in 0..full.len() {
            if !full[start] {
                continue;
            }
            full[start] = false;
            stack.push(start);
            let (mut left, mut right) = (columns, 0);
            let (mut top, mut bottom) = (rows, 0);
            while let Some(at) = stack.pop() {
                let (row, column) = (at / columns, at % columns);
                (left, right) = (left.min(column), right.max(column));
                (top, bottom) = (top.min(row), bottom.max(row));
                for row in row.saturating_sub(1)..=(row + 1).min(rows - 1) {
                    for column in column.saturating_sub(1)..=(column + 1).min(columns - 1) {
                        let near = row * columns + column;
                        if std::mem::take(&mut full[near]) {
                            stack.push(near);
                        }
                    }
                }
            }
            let to_points = side / scale;
            let bbox = BBox::new(
                left as f32 * to_points,
                top as f32 * to_points,
                (right + 1) as f32 * to_points,
                (bottom + 1) as f32 * to_points,
            );
            if bbox.width().max(bbox.height()) > SPECK {
                out.push(bbox);
            }
        }
        out
    }
}

/// A straight stroke: the lanes across it, and its ends.
struct Stroke {
    first: usize,
    last: usize,
    start: usize,
    end: usize,
}

impl Stroke {
    fn rule(&self, scale: f32, horizontal: bool) -> Rule {
        let (first, last) = (self.first as f32 / scale, (self.last + 1) as f32 / scale);
        let (start, end) = (self.start as f32 / scale, self.end as f32 / scale);
        Rule {
            bbox: if horizontal {
                BBox::new(start, first, end, last)
            } else {
                BBox::new(first, start, last, end)
            },
            horizontal,
        }
    }
}

/// The runs of ink of at least `least` pixels, small gaps bridged.
fn runs(length: usize, least: usize, inked: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut run: Option<(usize, usize)> = None;
    for at in (0..length).filter(|&at| inked(at)) {
        run = match run {
            Some((start, end)) if at <= end + RULE_GAP => Some((start, at + 1)),
            before => {
                out.extend(before);
                Some((at, at + 1))
            }
        };
    }
    out.extend(run);
    out.retain(|(start, end)| end - start >= least);
    out
}

/// A colour in steps of 16.
fn step_of(pixel: [u8; 3]) -> usize {
    let [r, g, b] = pixel.map(|channel| usize::from(channel >> 4));
    r << 8 | g << 4 | b
}

/// The colour of most of the picture.
fn paper(image: &RgbImage) -> [u8; 3] {
    let mut counts = vec![0_u32; 1 << 12];
    let mut sums = vec![[0_u64; 3]; 1 << 12];
    for pixel in image.pixels().step_by(7) {
        let step = step_of(pixel.0);
        counts[step] += 1;
        for (sum, channel) in sums[step].iter_mut().zip(pixel.0) {
            *sum += u64::from(channel);
        }
    }
    let most = (0..counts.len()).max_by_key(|&step| counts[step]);
    most.filter(|&step| counts[step] > 0)
        .map_or([255; 3], |step| {
            sums[step].map(|sum| (sum / u64::from(counts[step])) as u8)
        })
}

/// The share of a box that has the colour of most of it, 0 to 1.
fn main_colour(image: &RgbImage, bbox: &BBox, scale: f32) -> f32 {
    let mut counts = vec![0_u32; 1 << 12];
    let mut all = 0;
    let (width, height) = image.dimensions();
    let low = |at: f32| (at * scale).max(0.0) as u32;
    for y in (low(bbox.top)..low(bbox.bottom).min(height)).step_by(2) {
        for x in (low(bbox.left)..low(bbox.right).min(width)).step_by(2) {
            counts[step_of(image.get_pixel(x, y).0)] += 1;
            all += 1;
        }
    }
    let most = counts.into_iter().max().unwrap_or(0);
    most as f32 / all.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    /// A white page of 200 × 200 points at 2 pixels a point, with these boxes filled.
    fn page(boxes: &[BBox]) -> RgbImage {
        let mut image = RgbImage::from_pixel(400, 400, Rgb([250, 250, 245]));
        for bbox in boxes {
            for y in (bbox.top * 2.0) as u32..(bbox.bottom * 2.0) as u32 {
                for x in (bbox.left * 2.0) as u32..(bbox.right * 2.0) as u32 {
                    image.put_pixel(x, y, Rgb([20, 30, 120]));
                }
            }
        }
        image
    }

    #[test]
    fn rules_are_long_and_thin() {
        let image = page(&[
            BBox::new(20.0, 50.0, 180.0, 51.0),
            BBox::new(60.0, 20.0, 61.0, 120.0),
            // A bar and a short stroke are none.
            BBox::new(100.0, 100.0, 140.0, 120.0),
            BBox::new(10.0, 150.0, 20.0, 151.0),
        ]);
        let ink = find(&image, 2.0, &[]);
        let rules: Vec<_> = ink
            .rules
            .iter()
            .map(|rule| (rule.horizontal, rule.bbox))
            .collect();
        assert_eq!(
            rules,
            [
                (true, BBox::new(20.0, 50.0, 180.0, 51.0)),
                (false, BBox::new(60.0, 20.0, 61.0, 120.0)),
            ]
        );
        let bar = BBox::new(100.0, 100.0, 140.0, 120.0);
        let bar = ink.shapes.iter().find(|shape| shape.bbox == bar);
        assert!(bar.is_some_and(|bar| bar.rectangle));
    }

    #[test]
    fn a_photo_has_many_colours() {
        let mut image = page(&[]);
        for y in 100..300 {
            for x in 100..300 {
                let pixel = Rgb([(x % 200) as u8, (y % 180) as u8, ((x * y) % 170) as u8]);
                image.put_pixel(x, y, pixel);
            }
        }
        let ink = find(&image, 2.0, &[]);
        assert_eq!(ink.images, [BBox::new(50.0, 50.0, 150.0, 150.0)]);
    }

    #[test]
    fn text_is_no_drawing() {
        let line = BBox::new(20.0, 50.0, 120.0, 60.0);
        assert!(find(&page(&[line]), 2.0, &[line]).shapes.is_empty());
    }
}
