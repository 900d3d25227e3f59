//! Tables of a page: ruled, half-ruled, and aligned by white space alone.

mod aligned;
mod columns_of_text;
mod grid;
mod heads;
mod scanned;

pub(super) use scanned::fill;

use super::page::PageText;
use super::words::Segment;
use catena_document::{BBox, Cell, Table};

/// A table found on a page.
#[derive(Debug)]
pub(super) struct FoundTable {
    pub(super) bbox: BBox,
    pub(super) table: Table,
    /// The indices of the page's segments that it holds.
    pub(super) segments: Vec<usize>,
}

/// The tables of a page that rules show. `free` tells which segments may belong to one.
pub(super) fn ruled(page: &PageText, free: &[bool]) -> Vec<FoundTable> {
    grid::find(page, free)
}

/// The tables of a page that stand between horizontal rules or in columns of white. `taken` are
/// the boxes of what was found before; `captions` are those of the captions of tables, near which
/// less is asked of a table without rules.
pub(super) fn aligned(
    page: &PageText,
    free: &[bool],
    taken: &[BBox],
    captions: &[BBox],
) -> Vec<FoundTable> {
    let mut free = free.to_vec();
    let mut out = aligned::half_ruled(page, &free, taken);
    for &at in out.iter().flat_map(|found| &found.segments) {
        free[at] = false;
    }
    out.extend(aligned::unruled(page, &free, taken, captions));
    out
}

/// The tables that a model saw on a page's picture, `taken` left out.
pub(super) fn scanned(page: &PageText, free: &[bool], taken: &[BBox]) -> Vec<FoundTable> {
    let seen = page.tables.iter().filter(|seen| {
        let area = seen.bbox.area();
        !taken
            .iter()
            .any(|own| own.overlap_area(&seen.bbox) > 0.3 * area.min(own.area()))
    });
    let found = seen.filter_map(|seen| {
        let segments: Vec<usize> = (0..page.segments.len())
            .filter(|&at| free[at])
            .filter(|&at| {
                let own = &page.segments[at].bbox;
                seen.bbox.contains_point(own.center_x(), own.center_y())
            })
            .collect();
        let words = segments.iter().flat_map(|&at| &page.segments[at].words);
        let table = fill(seen, words.map(|word| (word.text.clone(), word.bbox)))?;
        Some(FoundTable {
            bbox: seen.bbox,
            table,
            segments,
        })
    });
    found.collect()
}

/// A row of segments on one line.
#[derive(Clone, Debug)]
struct Line {
    bbox: BBox,
    /// From left to right.
    segments: Vec<usize>,
}

/// Segments as lines from the top, each from left to right.
fn lines(all: &[Segment], mut of: Vec<usize>) -> Vec<Line> {
    of.sort_by(|&a, &b| all[a].baseline.total_cmp(&all[b].baseline));
    let mut out: Vec<Line> = Vec::new();
    let mut baseline = f32::NEG_INFINITY;
    for at in of {
        let segment = &all[at];
        match out.last_mut() {
            Some(line) if segment.baseline - baseline < segment.size * 0.35 => {
                line.bbox = line.bbox.union(&segment.bbox);
                line.segments.push(at);
            }
            _ => {
                baseline = segment.baseline;
                out.push(Line {
                    bbox: segment.bbox,
                    segments: vec![at],
                });
            }
        }
    }
    for line in &mut out {
        line.segments
            .sort_by(|&a, &b| all[a].bbox.left.total_cmp(&all[b].bbox.left));
    }
    out
}

/// The words of segments as a cell's text: lines joined by spaces, a hyphen at a line's end kept.
fn cell_text(all: &[Segment], of: &[usize]) -> (String, Option<BBox>) {
    let mut text = String::new();
    let mut bbox: Option<BBox> = None;
    for line in lines(all, of.to_vec()) {
        for at in line.segments {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&all[at].text());
            bbox = Some(bbox.map_or(all[at].bbox, |have| have.union(&all[at].bbox)));
        }
    }
    (text, bbox)
}

/// Whether a text is a number, an amount, a share or a mark for nothing.
fn is_numeric(text: &str) -> bool {
    let text = text.trim();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    (digits > 0 && letters <= 2 && letters < digits)
        || matches!(text, "-" | "–" | "—" | "n/a" | "N/A" | "")
}

/// Marks the header cells: the first rows that hold no numbers, where rows below do or where
/// `ruled_off` rows were set apart by a rule.
fn mark_headers(table: &mut Table, ruled_off: u32) {
    let numeric_row = |table: &Table, row: u32| {
        let mut cells = table
            .row(row)
            .filter(|cell| !cell.text.is_empty())
            .peekable();
        let first = cells.peek().map(|cell| cell.column);
        cells.any(|cell| Some(cell.column) != first && is_numeric(&cell.text))
    };
    let mut headers = ruled_off.min(table.rows.saturating_sub(1));
    if headers == 0 && table.rows >= 2 && !numeric_row(table, 0) {
        let filled = table.row(0).filter(|cell| !cell.text.is_empty()).count() as u32;
        if filled * 2 >= table.columns {
            headers = 1;
        }
    }
    for cell in &mut table.cells {
        if cell.row < headers {
            cell.header = true;
        }
    }
}

fn new_cell(row: u32, column: u32, text: String, bbox: Option<BBox>) -> Cell {
    Cell {
        row,
        column,
        row_span: 1,
        column_span: 1,
        header: false,
        text,
        bbox,
    }
}
