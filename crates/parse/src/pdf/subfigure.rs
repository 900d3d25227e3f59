//! The parts (a), (b) … of a figure.

use super::figure::FoundFigure;
use super::page::PageText;
use catena_document::BBox;

/// Parts of a figure at most.
const MAX_PARTS: usize = 16;
/// Pieces of drawing at most by which the parts are told.
const MAX_PIECES: usize = 20_000;
/// A part is at least this wide and high, in points.
const LEAST: f32 = 20.0;

/// A part of a figure with a mark of its own.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) bbox: BBox,
    /// The indices of the page's segments that are its labels.
    pub(super) segments: Vec<usize>,
    /// Those of its mark and the words that belong to it, in reading order.
    pub(super) caption: Vec<usize>,
}

/// The parts of a figure, by their marks; none where they cannot be told.
pub(super) fn parts(page: &PageText, figure: &FoundFigure) -> Vec<Part> {
    let marks = marks(page, &figure.segments);
    if marks.len() < 2 {
        return Vec::new();
    }
    let own = figure.bbox.inflate(1.0);
    let shapes = page.shapes.iter().map(|shape| &shape.bbox);
    let rules = page.rules.iter().map(|rule| &rule.bbox);
    let pieces: Vec<&BBox> = (page.images.iter().chain(shapes).chain(rules))
        .filter(|piece| own.contains_point(piece.center_x(), piece.center_y()))
        .filter(|piece| piece.area() < own.area() * 0.7)
        .take(MAX_PIECES)
        .collect();
    let places: Vec<&BBox> = marks.iter().map(|&at| &page.segments[at].bbox).collect();
    let sides = Sides::of(&places, &pieces);
    let mut out: Vec<(Option<BBox>, Part)> = marks
        .iter()
        .map(|&mark| {
            let bbox = page.segments[mark].bbox;
            let part = Part {
                bbox,
                segments: Vec::new(),
                caption: vec![mark],
            };
            (None, part)
        })
        .collect();
    for piece in pieces {
        let (drawn, _) = &mut out[sides.part_of(piece)];
        *drawn = Some(drawn.map_or(*piece, |have| have.union(piece)));
    }
    for &at in figure.segments.iter().filter(|at| !marks.contains(at)) {
        let bbox = &page.segments[at].bbox;
        let part = sides.part_of(bbox);
        let mark = places[part];
        let beside = bbox.overlap_y(mark) > bbox.height() * 0.5 && bbox.left >= mark.right;
        if beside || (sides.below && bbox.top > mark.top) {
            out[part].1.caption.push(at);
        } else {
            out[part].1.segments.push(at);
        }
    }
    let whole: Option<Vec<Part>> = out
        .into_iter()
        .map(|(drawn, part)| {
            let texts = part.segments.iter().chain(&part.caption);
            let texts = texts.map(|&at| page.segments[at].bbox);
            let bbox = BBox::union_all(texts.chain(drawn)).filter(|bbox| {
                drawn.is_some() && bbox.width() >= LEAST && bbox.height() >= LEAST
            })?;
            Some(Part { bbox, ..part })
        })
        .collect();
    whole.filter(|parts| are_apart(parts)).unwrap_or_default()
}

/// Whether no two parts share much.
fn are_apart(parts: &[Part]) -> bool {
    parts.iter().enumerate().all(|(at, part)| {
        parts[..at].iter().all(|other| {
            let shared = part.bbox.overlap_area(&other.bbox);
            shared < part.bbox.area().min(other.bbox.area()) * 0.2
        })
    })
}

/// The segments that begin with `(a)`, `(b)` and so on, in that order; none where one is missing or
/// there are two of one.
fn marks(page: &PageText, segments: &[usize]) -> Vec<usize> {
    let mut found: Vec<(char, usize)> = segments
        .iter()
        .filter(|&&at| page.segments[at].direction == Some(0))
        .filter_map(|&at| Some((mark(&page.segments[at].text())?, at)))
        .collect();
    found.sort_unstable();
    let counts = found
        .iter()
        .zip('a'..)
        .all(|(&(letter, _), want)| letter == want);
    if !counts || found.len() > MAX_PARTS {
        return Vec::new();
    }
    found.into_iter().map(|(_, at)| at).collect()
}

/// The letter of the part that a text names at its start: `(a)`, `b) Pump`.
pub(super) fn mark(text: &str) -> Option<char> {
    let text = text.trim_start();
    let text = text.strip_prefix('(').unwrap_or(text);
    let mut chars = text.chars();
    let letter = chars.next().filter(char::is_ascii_lowercase)?;
    let rest = chars.as_str().strip_prefix(')')?;
    let whole = !rest.starts_with(|c: char| c.is_alphanumeric());
    whole.then_some(letter)
}

/// How marks stand to their parts.
struct Sides<'a> {
    marks: &'a [&'a BBox],
    /// Rows of marks from the top: the middle of each, and its marks.
    rows: Vec<(f32, Vec<usize>)>,
    /// Whether marks stand below their parts, and not above or at their upper left.
    below: bool,
}

impl<'a> Sides<'a> {
    fn of(marks: &'a [&'a BBox], pieces: &[&BBox]) -> Self {
        let mut order: Vec<usize> = (0..marks.len()).collect();
        order.sort_by(|&a, &b| marks[a].center_y().total_cmp(&marks[b].center_y()));
        let mut rows: Vec<(f32, Vec<usize>)> = Vec::new();
        for at in order {
            let middle = marks[at].center_y();
            match rows.last_mut() {
                Some((row, members)) if middle - *row < marks[at].height() => members.push(at),
                _ => rows.push((middle, vec![at])),
            }
        }
        let first = rows.first().map_or(0.0, |(row, _)| *row);
        let last = rows.last().map_or(0.0, |(row, _)| *row);
        let above = pieces
            .iter()
            .filter(|piece| piece.center_y() < first)
            .count();
        let under = pieces
            .iter()
            .filter(|piece| piece.center_y() > last)
            .count();
        Self {
            marks,
            rows,
            below: above >= under,
        }
    }

    /// The part that a piece belongs to.
    fn part_of(&self, piece: &BBox) -> usize {
        let (x, y) = (piece.center_x(), piece.center_y());
        let row = if self.below {
            let next = self.rows.iter().find(|(row, _)| *row >= y);
            next.or(self.rows.last())
        } else {
            let before = self.rows.iter().rev().find(|(row, _)| *row <= y);
            before.or(self.rows.first())
        };
        let members = row.map_or(&[][..], |(_, members)| members);
        let distance = |at: usize| {
            let mark = self.marks[at];
            // A mark below stands under its part's middle, one above at its left.
            if self.below {
                (mark.center_x() - x).abs()
            } else if mark.left <= x + mark.height() {
                x - mark.left
            } else {
                f32::INFINITY
            }
        };
        let nearest = members
            .iter()
            .copied()
            .min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        nearest.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_parts() {
        for (text, letter) in [
            ("(a)", Some('a')),
            ("(b) Pump", Some('b')),
            ("c) Motor", Some('c')),
            ("(a)x", None),
            ("(A)", None),
            ("a pump", None),
        ] {
            assert_eq!(mark(text), letter, "{text}");
        }
    }
}
