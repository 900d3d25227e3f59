//! Lines of text on a picture as glyphs on their baselines.

use super::quarter;
use crate::pdf::content::{Glyph, GlyphText};
use crate::pdf::font::FontId;
use catena_models::{OcrLine, OcrWord, Point, Quad};
use std::f32::consts::FRAC_PI_2;

/// The height of a line's box over the size of its font: from the reading of printed pages of known sizes.
const BOX_HEIGHT: f32 = 1.27;
/// How far a baseline is below the middle of a line, in font sizes.
const BASELINE: f32 = 0.28;
/// The space between words, in font sizes.
const SPACE: f32 = 0.3;
/// A gap in a line as wide as this, in font sizes, parts columns.
const COLUMN_GAP: f32 = 2.5;
/// The steps between characters of one width differ less than this, as a share of their mean:
/// their places are near, not exact.
const MONO_SPREAD: f32 = 0.16;
/// The width of a character of one width is at least this share of its line's height.
const MONO_PITCH: f32 = 0.43;
/// Shorter lines do not tell.
const MONO_CHARS: usize = 10;
/// Signs that code has and headings have not.
const CODE_SIGNS: &str = "=<>{}[]();\"'_$#|\\";
/// Middles of lines this near, in font sizes, are one row's.
const SAME_ROW: f32 = 0.3;
/// Sizes this near to each other, as a share, are one: boxes differ with the letters in them.
const SAME_SIZE: f32 = 0.14;

/// The direction of most of a page's text, in quarter turns clockwise.
pub(super) fn main_turn(lines: &[OcrLine]) -> u8 {
    let mut counts = [0_usize; 4];
    let mut all = 0;
    for line in lines {
        let chars = line.text.chars().count();
        all += chars;
        if let Some(turn) = quarter(line.quad.angle()) {
            counts[usize::from(turn)] += chars;
        }
    }
    let most = (0..4).max_by_key(|&at| (counts[at], 3 - at)).unwrap_or(0);
    // A chart with turned labels is no turned page.
    if counts[most] * 10 > all * 7 && counts[most] > 60 {
        most as u8
    } else {
        0
    }
}

/// A line of a page whose text of direction `by` is made to run to the right; `size` is that of
/// the picture before.
pub(super) fn turn(line: OcrLine, by: u8, (width, height): (f32, f32)) -> OcrLine {
    map(line, |[x, y]| match by {
        1 => [y, width - x],
        2 => [width - x, height - y],
        3 => [height - y, x],
        _ => [x, y],
    })
}

/// A line turned clockwise by `angle` radians about a point.
pub(super) fn rotate(line: OcrLine, angle: f32, [mid_x, mid_y]: Point) -> OcrLine {
    let (sine, cosine) = angle.sin_cos();
    map(line, |[x, y]| {
        let (dx, dy) = (x - mid_x, y - mid_y);
        [
            mid_x + dx * cosine - dy * sine,
            mid_y + dx * sine + dy * cosine,
        ]
    })
}

fn map(line: OcrLine, point: impl Fn(Point) -> Point) -> OcrLine {
    OcrLine {
        quad: Quad {
            corners: line.quad.corners.map(point),
        },
        ..line
    }
}

/// The glyphs of the lines of an upright page's picture, `scale` pixels a point; `bold` tells which
/// lines are.
pub(super) fn glyphs(lines: &[OcrLine], bold: &[bool], scale: f32) -> Vec<Glyph> {
    let heights: Vec<f32> = lines.iter().map(|line| line.quad.height()).collect();
    let weights = lines.iter().map(|line| line.text.chars().count());
    let heights = level(&heights, &weights.collect::<Vec<_>>());
    let mut lines: Vec<Line<'_>> = lines
        .iter()
        .zip(heights)
        .zip(bold)
        .map(|((line, height), &bold)| Line {
            read: line,
            size: height / BOX_HEIGHT,
            shift: 0.0,
            font: if is_mono(line) {
                FontId::MONO
            } else if bold {
                FontId::BOLD
            } else {
                FontId::UNKNOWN
            },
        })
        .collect();
    join_rows(&mut lines);
    let mut out = Vec::new();
    for line in &lines {
        let words = line.read.words();
        for (at, word) in words.iter().enumerate() {
            line.push_word(&mut out, word.text, &word.quad, scale);
            if let Some(next) = words.get(at + 1) {
                line.push_space(&mut out, word, next, scale);
            }
        }
    }
    out
}

/// A line with what is known of its type.
struct Line<'a> {
    read: &'a OcrLine,
    /// Its font size in pixels.
    size: f32,
    /// By how many pixels it is moved down onto the baseline of its row.
    shift: f32,
    font: FontId,
}

/// Puts the pieces of one row of upright text on one baseline, that of the longest: a wide space
/// parts a line when it is found.
fn join_rows(lines: &mut [Line<'_>]) {
    let middle = |line: &Line<'_>| {
        let bbox = line.read.quad.bbox();
        f32::midpoint(bbox.top, bbox.bottom)
    };
    let mut upright: Vec<usize> = (0..lines.len())
        .filter(|&at| quarter(lines[at].read.quad.angle()) == Some(0))
        .collect();
    upright.sort_by(|&a, &b| middle(&lines[a]).total_cmp(&middle(&lines[b])));
    let same_row = |&a: &usize, &b: &usize| {
        let (a, b) = (&lines[a], &lines[b]);
        middle(b) - middle(a) < a.size.min(b.size) * SAME_ROW
    };
    let rows: Vec<Vec<usize>> = upright.chunk_by(same_row).map(<[usize]>::to_vec).collect();
    for row in rows {
        let width = |at: usize| lines[at].read.quad.width();
        let longest = row
            .iter()
            .copied()
            .max_by(|&a, &b| width(a).total_cmp(&width(b)));
        let Some(longest) = longest.map(|at| middle(&lines[at])) else {
            continue;
        };
        for at in row {
            let shift = longest - middle(&lines[at]);
            // A chain of neighbours may lead away.
            if shift.abs() < lines[at].size * SAME_ROW * 1.5 {
                lines[at].shift = shift;
            }
        }
    }
}

/// Whether a line's characters all have one width.
pub(super) fn is_mono(line: &OcrLine) -> bool {
    let count = line.centres.len();
    if count < MONO_CHARS {
        return false;
    }
    let steps = || line.centres.windows(2).map(|pair| pair[1] - pair[0]);
    let mean = steps().sum::<f32>() / (count - 1) as f32;
    let spread = steps().map(|step| (step - mean).powi(2)).sum::<f32>() / (count - 1) as f32;
    let pitch = line.quad.width() / count as f32 / line.quad.height().max(1.0);
    let signs = line
        .text
        .chars()
        .filter(|c| CODE_SIGNS.contains(*c))
        .count();
    // Bold headings are as wide, but hold no code.
    let evidence = if signs * 16 > count {
        MONO_SPREAD * 1.6
    } else if count >= MONO_CHARS * 2 {
        MONO_SPREAD
    } else {
        0.0
    };
    spread.sqrt() < mean * evidence && pitch > MONO_PITCH
}

impl Line<'_> {
    /// Adds the space to the next word, whose place is only near: a line is one piece of text, so
    /// that the word before reaches to it, but for a gap as wide as between columns.
    fn push_space(&self, out: &mut Vec<Glyph>, word: &OcrWord<'_>, next: &OcrWord<'_>, scale: f32) {
        let [_, end, ..] = word.quad.corners;
        let [begin, ..] = next.quad.corners;
        let gap = (begin[0] - end[0]).hypot(begin[1] - end[1]);
        let Some(last) = out.last_mut() else {
            return;
        };
        let (sine, cosine) = word.quad.angle().sin_cos();
        // Within the last letter, so that nothing of a neighbour comes before it.
        let space = Glyph {
            text: GlyphText::Char(' '),
            x: last.x + cosine * last.advance * 0.9,
            y: last.y + sine * last.advance * 0.9,
            advance: 0.0,
            ..last.clone()
        };
        if gap < self.size * COLUMN_GAP {
            let whole = last.advance;
            last.advance += (gap - self.size * SPACE) / scale;
            last.advance = last.advance.max(whole * 0.4);
        }
        out.push(space);
    }

    /// Adds a word's glyphs, all of one width.
    fn push_word(&self, out: &mut Vec<Glyph>, text: &str, quad: &Quad, scale: f32) {
        let size = self.size / scale;
        let direction = quarter(quad.angle());
        // Boxes are a little askew one by one; a line has one baseline.
        let angle = direction.map_or(quad.angle(), |turns| f32::from(turns) * FRAC_PI_2);
        let (sin, cos) = angle.sin_cos();
        let [upper, _, _, lower] = quad.corners;
        let left = [
            f32::midpoint(upper[0], lower[0]),
            f32::midpoint(upper[1], lower[1]),
        ];
        // Along the line as far as its left side, across it to the line's middle, then down to the
        // baseline.
        let along = left[0] * cos + left[1] * sin;
        let across = match direction {
            Some(_) => {
                let middle = self.read.quad.middle();
                middle[1] * cos - middle[0] * sin + self.shift
            }
            None => left[1] * cos - left[0] * sin,
        };
        let across = across / scale + size * BASELINE;
        let along = along / scale;
        let begin = [along * cos - across * sin, along * sin + across * cos];
        let chars = text.chars().count();
        let advance = quad.width() / scale / chars.max(1) as f32;
        let glyph = |c: char, at: usize| Glyph {
            text: GlyphText::Char(c),
            x: begin[0] + cos * advance * at as f32,
            y: begin[1] + sin * advance * at as f32,
            advance,
            size,
            direction,
            font: self.font,
            color: 0,
            artifact: false,
            mark: None,
        };
        out.extend(text.chars().zip(0..).map(|(c, at)| glyph(c, at)));
    }
}

/// Heights with those that are nearly the same made the same: the one with most characters
/// takes in those near to it, then the next.
fn level(heights: &[f32], weights: &[usize]) -> Vec<f32> {
    let mut out = heights.to_vec();
    let mut open: Vec<usize> = (0..heights.len()).collect();
    let near = |a: f32, b: f32| (a - b).abs() <= SAME_SIZE * b;
    while !open.is_empty() {
        let weight = |at: usize| -> usize {
            let same = open
                .iter()
                .filter(|&&other| near(heights[other], heights[at]));
            same.map(|&other| weights[other]).sum()
        };
        // A page has few hundred lines; a bound keeps a hostile one cheap.
        let Some(&centre) = open
            .iter()
            .take(400)
            .max_by_key(|&&at| (weight(at), weights[at]))
        else {
            break;
        };
        let (group, rest): (Vec<usize>, Vec<usize>) = open
            .iter()
            .partition(|&&at| near(heights[at], heights[centre]));
        for &at in &group {
            out[at] = heights[centre];
        }
        open = rest;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::words::{Segment, segments};
    use catena_models::PixelBox;
    use catena_models::testing::ocr_line;

    fn line(text: &str, left: f32, top: f32, right: f32) -> OcrLine {
        let bottom = top + 28.0;
        ocr_line(
            text,
            PixelBox {
                left,
                top,
                right,
                bottom,
            },
        )
    }

    #[test]
    fn lines_become_segments_with_their_words() {
        let lines = [
            line("Close the valve.", 100.0, 100.0, 400.0),
            line("right column", 600.0, 102.0, 800.0),
        ];
        let mut found: Vec<_> = segments(&glyphs(&lines, &[false; 2], 2.0), false)
            .iter()
            .map(|segment: &Segment| (segment.text(), segment.bbox.left.round()))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(
            found,
            [
                ("Close the valve.".to_owned(), 50.0),
                ("right column".to_owned(), 300.0)
            ]
        );
    }

    #[test]
    fn pieces_of_a_row_are_one_line() {
        let lines = [
            line("a wide", 100.0, 100.0, 200.0),
            line("space", 210.0, 104.0, 300.0),
        ];
        let found = segments(&glyphs(&lines, &[false; 2], 2.0), false);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text(), "a wide space");
    }

    #[test]
    fn near_heights_are_one() {
        let heights = [20.0, 21.0, 19.0, 30.0, 29.0];
        assert_eq!(
            level(&heights, &[50, 40, 10, 5, 9]),
            [20.0, 20.0, 20.0, 29.0, 29.0]
        );
        assert_eq!(level(&[], &[]), Vec::<f32>::new());
    }

    #[test]
    fn a_turned_page_is_told_by_its_text() {
        let upright = line(&"running text ".repeat(8), 0.0, 0.0, 400.0);
        assert_eq!(main_turn(std::slice::from_ref(&upright)), 0);
        // Text that runs down becomes text that runs to the right when it is turned.
        for by in 1..4_u8 {
            let back = turn(upright.clone(), 4 - by, (400.0, 600.0));
            let size = if by == 2 {
                (400.0, 600.0)
            } else {
                (600.0, 400.0)
            };
            assert_eq!(main_turn(std::slice::from_ref(&back)), by);
            assert_eq!(turn(back, by, size).quad, upright.quad);
        }
    }

    #[test]
    fn a_page_askew_is_made_straight() {
        let straight = line("a line of text", 100.0, 100.0, 400.0);
        let askew = rotate(straight.clone(), 0.02, [500.0, 500.0]);
        assert!((askew.quad.angle() - 0.02).abs() < 1e-4);
        let back = rotate(askew, -0.02, [500.0, 500.0]);
        assert!(back.quad.angle().abs() < 1e-4);
    }
}
