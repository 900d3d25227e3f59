//! Rows that are none: lines of two columns of text that happen to stand at one height.

use super::Line;
use crate::pdf::page::PageText;
use crate::pdf::words::Segment;
use catena_document::BBox;
use std::ops::Range;

/// How far above and below a table the white between columns goes on, in points.
const AROUND: f32 = 120.0;
/// Steps in which a gap is searched, in points.
const GUTTER_STEP: f32 = 4.0;
/// Places that are looked at.
const MAX_GAPS: usize = 400;

/// Whether text runs through a run of lines, close to the lines above and below it, or a sentence
/// goes on from it or into it: then it is a piece of two columns of text.
pub(super) fn cuts_text(page: &PageText, rows: &[Line], run: &Range<usize>) -> bool {
    let above = run
        .start
        .checked_sub(1)
        .map(|at| (&rows[at], &rows[run.start]));
    let below = rows.get(run.end).map(|after| (&rows[run.end - 1], after));
    let pairs = |lines: Option<(&Line, &Line)>| {
        lines.map_or_else(Vec::new, |(upper, lower)| close_pairs(page, upper, lower))
    };
    let (above, below) = (pairs(above), pairs(below));
    let long = |segment: &Segment| segment.chars() > 24 && segment.words.len() > 3;
    let goes_on = |&(upper, lower): &(usize, usize)| {
        let (upper, lower) = (&page.segments[upper], &page.segments[lower]);
        let last = upper.words.last().map_or("", |word| word.text.as_str());
        let open = !last.ends_with(['.', '!', '?', ':', ';', ')']);
        let first = lower
            .words
            .first()
            .and_then(|word| word.text.chars().next());
        long(upper) && open && first.is_some_and(char::is_lowercase)
    };
    let through = above.iter().any(|&(before, first)| {
        below.iter().any(|&(last, after)| {
            let (first, last) = (&page.segments[first], &page.segments[last]);
            let outer = [before, after].map(|at| &page.segments[at]);
            let one_column = first.bbox.overlap_x(&last.bbox) > 1.0
                && (first.bbox.left - last.bbox.left).abs() < first.size * 3.0;
            one_column && outer.iter().any(|segment| long(segment))
        })
    });
    through || above.iter().chain(&below).any(goes_on)
}

/// Whether rows reach over the white between two columns of text: it goes on above and below them,
/// with text on both sides, and the pieces of a row stand at different heights.
pub(super) fn spans_gutter(page: &PageText, rows: &[Line]) -> bool {
    let boxes = rows.iter().map(|row| row.bbox);
    let Some(bbox) = BBox::union_all(boxes) else {
        return false;
    };
    // The white between columns is narrower than the gap of a short line: it is looked for inside.
    let places = rows.iter().flat_map(|row| {
        row.segments.windows(2).flat_map(|pair| {
            let (left, right) = (&page.segments[pair[0]], &page.segments[pair[1]]);
            let (from, to) = (left.bbox.right, right.bbox.left);
            let steps = ((to - from) / GUTTER_STEP).max(0.0) as usize;
            (1..=steps).map(move |step| from + step as f32 * GUTTER_STEP)
        })
    });
    places
        .take(MAX_GAPS)
        .any(|x| is_gutter(page, &bbox, x) && stands_apart(page, rows, x))
}

/// Whether a place is white far above and below a box, with lines on both sides.
fn is_gutter(page: &PageText, bbox: &BBox, x: f32) -> bool {
    let (mut left, mut right) = (0, 0);
    for segment in &page.segments {
        let own = &segment.bbox;
        let near = own.bottom > bbox.top - AROUND && own.top < bbox.bottom + AROUND;
        if !near || segment.direction != Some(0) {
            continue;
        }
        if own.left < x - 1.0 && own.right > x + 1.0 {
            return false;
        }
        let outside = own.bottom < bbox.top || own.top > bbox.bottom;
        if outside && segment.chars() > 12 {
            left += usize::from(own.right <= x + 1.0);
            right += usize::from(own.left >= x - 1.0);
        }
    }
    left >= 4 && right >= 4
}

/// Whether a third of the rows have pieces left and right of a place whose baselines differ.
fn stands_apart(page: &PageText, rows: &[Line], x: f32) -> bool {
    let mut apart = 0;
    for row in rows {
        let pieces = row.segments.iter().map(|&at| &page.segments[at]);
        let (left, right): (Vec<&Segment>, Vec<&Segment>) =
            pieces.partition(|segment| segment.bbox.center_x() < x);
        if let (Some(left), Some(right)) = (left.last(), right.first()) {
            let off = (left.baseline - right.baseline).abs();
            apart += usize::from(off > left.size.min(right.size) * 0.06);
        }
    }
    apart * 3 >= rows.len()
}

/// The segments of two lines that stand one under the other in one column, as close as lines of a
/// paragraph.
fn close_pairs(page: &PageText, upper: &Line, lower: &Line) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for &above in &upper.segments {
        for &below in &lower.segments {
            let (a, b) = (&page.segments[above], &page.segments[below]);
            let close = b.bbox.top - a.bbox.bottom < a.size * 0.5;
            let under = b.bbox.overlap_x(&a.bbox) > b.bbox.width().min(20.0) * 0.5
                && (b.bbox.left - a.bbox.left).abs() < a.size * 2.5;
            if close && under && (a.size - b.size).abs() < 0.5 {
                out.push((above, below));
            }
        }
    }
    out
}
