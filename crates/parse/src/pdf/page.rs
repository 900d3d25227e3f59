//! A page's text and graphics, before any structure is found.

use super::bidi;
use super::content::{Content, Rule, Shape};
use super::letters;
use super::scan::{Scan, ScannedTable};
use super::words::{Segment, segments};
use catena_document::BBox;
use std::collections::HashMap;

/// A page as gathered from its content stream.
///
/// A page whose text mostly runs up, down or upside down is turned so that it reads to the right,
/// a scan that is askew is made straight, and a page of a script that runs from right to left is
/// mirrored. [`PageText::to_page`] turns boxes back.
#[derive(Debug)]
pub(super) struct PageText {
    /// Its number, from 1.
    pub(super) number: u32,
    /// Width in points, after turning.
    pub(super) width: f32,
    /// Height in points, after turning.
    pub(super) height: f32,
    pub(super) segments: Vec<Segment>,
    pub(super) rules: Vec<Rule>,
    pub(super) shapes: Vec<Shape>,
    pub(super) images: Vec<BBox>,
    /// Tables that a model saw on its picture.
    pub(super) tables: Vec<ScannedTable>,
    /// Whether its words were read from its picture.
    pub(super) scanned: bool,
    /// What is drawn under each number of marked content.
    pub(super) marked: Vec<(u32, BBox)>,
    /// For every picture, a number that those of the same content share.
    pub(super) image_keys: Vec<u64>,
    /// Quarter turns by which the text ran aside.
    turn: u8,
    /// The angle by which it was askew after that, in radians, growing clockwise.
    skew: f32,
    /// Whether it is seen in a mirror, after turning.
    mirrored: bool,
}

impl PageText {
    pub(super) fn new(number: u32, (width, height): (f32, f32), mut content: Content) -> Self {
        let turn = main_direction(&content);
        let turned = Turn {
            by: turn,
            width,
            height,
        };
        if turn != 0 {
            turned.apply(&mut content);
        }
        letters::restore(&mut content);
        let scan = Scan {
            content,
            turn,
            ..Scan::default()
        };
        Self::upright(number, (width, height), scan)
    }

    /// A page read from its picture; its size is that before it was turned.
    pub(super) fn scanned(number: u32, size: (f32, f32), scan: Scan) -> Self {
        Self {
            scanned: true,
            ..Self::upright(number, size, scan)
        }
    }

    fn upright(number: u32, (width, height): (f32, f32), scan: Scan) -> Self {
        let Scan {
            mut content,
            tables,
            turn,
            skew,
        } = scan;
        let (width, height) = if turn.is_multiple_of(2) {
            (width, height)
        } else {
            (height, width)
        };
        let mirrored = bidi::runs_left(&content);
        if mirrored {
            bidi::mirror(&mut content, width);
        }
        Self {
            number,
            width,
            height,
            segments: segments(&content.glyphs, mirrored),
            rules: content.rules,
            shapes: content.shapes,
            images: content.images,
            // The model knows no mirror.
            tables: if mirrored { Vec::new() } else { tables },
            scanned: false,
            marked: content.marked,
            image_keys: content.image_keys,
            turn,
            skew,
            mirrored,
        }
    }

    /// Whether it is turned against the page as the reader sees it.
    pub(super) fn is_turned(&self) -> bool {
        self.turn != 0
    }

    /// Whether it is wider than high, as slides are.
    pub(super) fn is_slide(&self) -> bool {
        self.width > self.height * 1.2
    }

    /// The whole page as a box.
    pub(super) fn bbox(&self) -> BBox {
        BBox::new(0.0, 0.0, self.width, self.height)
    }

    /// A box of the turned page on the page as the reader sees it.
    pub(super) fn to_page(&self, bbox: &BBox) -> BBox {
        let (w, h) = (self.width, self.height);
        let unmirrored = bidi::mirrored(bbox, w);
        let bbox = if self.mirrored { &unmirrored } else { bbox };
        let bbox = &self.askew(bbox);
        match self.turn {
            0 => *bbox,
            1 => BBox::new(h - bbox.top, bbox.left, h - bbox.bottom, bbox.right),
            2 => BBox::new(w - bbox.left, h - bbox.top, w - bbox.right, h - bbox.bottom),
            _ => BBox::new(bbox.top, w - bbox.left, bbox.bottom, w - bbox.right),
        }
    }

    /// The box around a box of the straight page on the page that is askew.
    fn askew(&self, bbox: &BBox) -> BBox {
        if self.skew == 0.0 {
            return *bbox;
        }
        let (sine, cosine) = self.skew.sin_cos();
        let (mid_x, mid_y) = (self.width / 2.0, self.height / 2.0);
        let point = |x: f32, y: f32| {
            let (dx, dy) = (x - mid_x, y - mid_y);
            let (x, y) = (
                mid_x + dx * cosine - dy * sine,
                mid_y + dx * sine + dy * cosine,
            );
            BBox::new(x, y, x, y)
        };
        let BBox {
            left,
            top,
            right,
            bottom,
        } = *bbox;
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        BBox::union_all(corners.map(|(x, y)| point(x, y))).unwrap_or(*bbox)
    }
}

/// The direction of most of the page's text.
fn main_direction(content: &Content) -> u8 {
    let mut counts = [0_usize; 4];
    for direction in content.glyphs.iter().filter_map(|glyph| glyph.direction) {
        counts[usize::from(direction)] += 1;
    }
    let most = (0..4).max_by_key(|&at| (counts[at], 3 - at)).unwrap_or(0);
    // A chart with turned labels is no turned page.
    if counts[most] * 10 > content.glyphs.len() * 7 && counts[most] > 60 {
        most as u8
    } else {
        0
    }
}

/// Turns a page so that text of direction `by` reads to the right.
struct Turn {
    by: u8,
    /// Width before turning.
    width: f32,
    /// Height before turning.
    height: f32,
}

impl Turn {
    fn point(&self, x: f32, y: f32) -> (f32, f32) {
        match self.by {
            1 => (y, self.width - x),
            2 => (self.width - x, self.height - y),
            3 => (self.height - y, x),
            _ => (x, y),
        }
    }

    fn bbox(&self, bbox: &BBox) -> BBox {
        let (left, top) = self.point(bbox.left, bbox.top);
        let (right, bottom) = self.point(bbox.right, bbox.bottom);
        BBox::new(left, top, right, bottom)
    }

    fn apply(&self, content: &mut Content) {
        for glyph in &mut content.glyphs {
            (glyph.x, glyph.y) = self.point(glyph.x, glyph.y);
            glyph.direction = glyph
                .direction
                .map(|direction| (direction + 4 - self.by) % 4);
        }
        for rule in &mut content.rules {
            rule.bbox = self.bbox(&rule.bbox);
            rule.horizontal ^= self.by % 2 == 1;
        }
        for shape in &mut content.shapes {
            shape.bbox = self.bbox(&shape.bbox);
            for bbox in &mut shape.boxes {
                *bbox = self.bbox(bbox);
            }
        }
        for image in &mut content.images {
            *image = self.bbox(image);
        }
        for (_, drawn) in &mut content.marked {
            *drawn = self.bbox(drawn);
        }
    }
}

/// The font size of most of a document's text, in points.
pub(super) fn body_size(pages: &[PageText]) -> f32 {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for segment in pages.iter().flat_map(|page| &page.segments) {
        // Half points tell sizes apart well enough.
        let key = (segment.size * 2.0).round() as u32;
        *counts.entry(key).or_default() += segment.chars();
    }
    let most = counts
        .into_iter()
        .max_by_key(|&(size, count)| (count, size));
    most.map_or(10.0, |(size, _)| size as f32 / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_turn_there_and_back() {
        let bbox = BBox::new(10.0, 20.0, 60.0, 30.0);
        for turn in 0..4 {
            let turned = Turn {
                by: turn,
                width: 600.0,
                height: 800.0,
            };
            let mut page = PageText::new(1, (600.0, 800.0), Content::default());
            page.turn = turn;
            if turn % 2 == 1 {
                (page.width, page.height) = (800.0, 600.0);
            }
            assert_eq!(page.to_page(&turned.bbox(&bbox)), bbox, "{turn}");
        }
    }

    #[test]
    fn the_parts_of_a_shape_turn_with_it() {
        let bbox = BBox::new(10.0, 20.0, 60.0, 30.0);
        let mut content = Content::default();
        content.shapes.push(Shape {
            bbox,
            rectangle: false,
            segments: 4,
            boxes: vec![bbox],
        });
        let turned = Turn {
            by: 1,
            width: 600.0,
            height: 800.0,
        };
        turned.apply(&mut content);
        assert_eq!(content.shapes[0].bbox, BBox::new(20.0, 540.0, 30.0, 590.0));
        assert_eq!(content.shapes[0].boxes, [content.shapes[0].bbox]);
    }
}
