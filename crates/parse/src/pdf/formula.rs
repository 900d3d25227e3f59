//! Numbered formulas: what stands alone on its lines with a number in brackets at the right.

use super::page::PageText;
use super::words::Segment;
use catena_document::BBox;

/// Formulas of a page at most.
const MAX_FORMULAS: usize = 200;
/// Characters of a line that shows where its column is.
const FULL_LINE: usize = 40;
/// Words of letters that make a text prose.
const PROSE_WORDS: usize = 4;

/// A formula set on its own.
#[derive(Debug)]
pub(super) struct FoundFormula {
    pub(super) bbox: BBox,
    /// The indices of the page's segments that it holds, its number among them.
    pub(super) segments: Vec<usize>,
}

/// The numbered formulas of a page. `free` tells which segments may belong to one.
pub(super) fn find(page: &PageText, free: &[bool]) -> Vec<FoundFormula> {
    let numbers: Vec<usize> = (0..page.segments.len())
        .filter(|&at| free[at] && is_number(&page.segments[at]))
        .take(MAX_FORMULAS)
        .collect();
    if numbers.is_empty() {
        return Vec::new();
    }
    let lines: Vec<&BBox> = page
        .segments
        .iter()
        .filter(|segment| segment.direction == Some(0) && segment.chars() >= FULL_LINE)
        .map(|segment| &segment.bbox)
        .collect();
    let mut taken = vec![false; page.segments.len()];
    let mut out = Vec::new();
    for number in numbers {
        let open: Vec<usize> = (0..page.segments.len())
            .filter(|&at| free[at] && !taken[at] && at != number)
            .filter(|&at| page.segments[at].direction == Some(0))
            .filter(|&at| !is_prose(&page.segments[at]))
            .collect();
        if let Some(found) = left_of(page, number, &lines, &open) {
            for &at in &found.segments {
                taken[at] = true;
            }
            out.push(found);
        }
    }
    out
}

/// The formula that a number stands behind: what is level with it in its column, and what touches
/// that from above and below.
fn left_of(
    page: &PageText,
    number: usize,
    lines: &[&BBox],
    open: &[usize],
) -> Option<FoundFormula> {
    let own = &page.segments[number];
    let size = own.size;
    // The number ends where the lines of its column do.
    let column = lines
        .iter()
        .filter(|line| (line.right - own.bbox.right).abs() < size * 0.5);
    let lefts: Vec<f32> = column.map(|line| line.left).collect();
    let left = lefts.iter().copied().fold(f32::INFINITY, f32::min);
    let level = BBox::new(
        left.min(own.bbox.left) - 1.0,
        own.bbox.top - size * 0.3,
        own.bbox.left - size * 0.5,
        own.bbox.bottom + size * 0.3,
    );
    let prose_beside = page.segments.iter().any(|segment| {
        is_prose(segment) && level.contains_point(segment.bbox.center_x(), segment.bbox.center_y())
    });
    if lefts.len() < 2 || prose_beside {
        return None;
    }
    let bbox_of = |at: usize| &page.segments[at].bbox;
    let mut segments: Vec<usize> = open
        .iter()
        .copied()
        .filter(|&at| level.overlap_area(bbox_of(at)) > bbox_of(at).area() * 0.3)
        .collect();
    let mut bbox = BBox::union_all(segments.iter().map(|&at| *bbox_of(at)))?;
    for _ in 0..6 {
        let before = segments.len();
        for &at in open {
            let near = bbox_of(at);
            let gap = (near.top - bbox.bottom).max(bbox.top - near.bottom);
            let within = near.left >= level.left && near.right <= own.bbox.right;
            let over = near.overlap_x(&bbox) > near.width() * 0.5;
            if !segments.contains(&at) && within && over && gap < size * 0.25 {
                segments.push(at);
                bbox = bbox.union(near);
            }
        }
        if segments.len() == before {
            break;
        }
    }
    let says = segments.iter().map(|&at| page.segments[at].text());
    let formal = says
        .flat_map(|text| text.chars().collect::<Vec<_>>())
        .any(is_relation);
    segments.push(number);
    formal.then(|| FoundFormula {
        bbox: bbox.union(&own.bbox),
        segments,
    })
}

/// Whether a segment is a formula's number: `(3)`, `(2.14)`, `(A.1)`, `(5a)`.
fn is_number(segment: &Segment) -> bool {
    let text = segment.text();
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    inner.is_some_and(|inner| {
        let digits = inner.chars().filter(char::is_ascii_digit).count();
        let letters = inner.chars().filter(char::is_ascii_alphabetic).count();
        let marks = inner
            .chars()
            .filter(|c| matches!(c, '.' | '-' | '′' | '\''))
            .count();
        (1..=5).contains(&digits)
            && letters <= 1
            && digits + letters + marks == inner.chars().count()
    }) && segment.direction == Some(0)
}

fn is_prose(segment: &Segment) -> bool {
    let word = |text: &str| {
        let text = text.trim_end_matches(['.', ',', ';', ':']);
        text.chars().count() >= 3 && text.chars().all(char::is_alphabetic)
    };
    let words = segment.words.iter().filter(|own| word(&own.text)).count();
    words >= PROSE_WORDS && words * 2 >= segment.words.len()
}

/// Whether a character relates or joins what a formula is about.
fn is_relation(c: char) -> bool {
    matches!(
        c,
        '=' | '<'
            | '>'
            | '+'
            | '±'
            | '×'
            | '∑'
            | '∏'
            | '∫'
            | '√'
            | '∂'
            | '∇'
            | '∝'
            | '∼'
            | '≈'
            | '≡'
            | '≤'
            | '≥'
            | '≠'
            | '∈'
            | '→'
            | '⇒'
            | '⇔'
            | '−'
            | '∞'
            | ':'
            | '·'
    )
}
