//! Tables on slides.

use super::{Deck, UNITS_PER_POINT};
use crate::office::drawing::paragraphs;
use crate::xml::Element;
use catena_document::{BBox, Cell, NodeKind, Table};

/// Places of the largest table that is read; its rows beyond are left out.
const MAX_PLACES: usize = 100_000;
/// Columns of the widest table.
const MAX_COLUMNS: usize = 1_000;

impl Deck<'_, '_> {
    pub(super) fn table(&mut self, tbl: Element<'_>, bbox: Option<BBox>) {
        let widths = sizes(
            tbl.child("tblGrid")
                .into_iter()
                .flat_map(|grid| grid.named("gridCol")),
            "w",
        );
        let columns = widths.len().min(MAX_COLUMNS);
        if columns == 0 {
            return;
        }
        let rows: Vec<Element<'_>> = tbl.named("tr").take(MAX_PLACES / columns).collect();
        let heights = sizes(rows.iter().copied(), "h");
        let own = tbl.child("tblPr");
        let on = |name| {
            own.and_then(|own| own.attr(name))
                .is_some_and(|value| value == "1" || value == "true")
        };
        let (first_row, first_column) = (on("firstRow"), on("firstCol"));
        let frame = bbox.unwrap_or_default();
        let (across, down) = (edges(&widths, frame.left), edges(&heights, frame.top));
        let mut taken = vec![false; columns * rows.len()];
        let mut cells = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            for (column, cell) in row.named("tc").take(columns).enumerate() {
                let merged = ["hMerge", "vMerge"].iter().any(|name| {
                    cell.attr(name)
                        .is_some_and(|value| value == "1" || value == "true")
                });
                if merged || taken[at * columns + column] {
                    continue;
                }
                let span = |name, most: usize| {
                    let span = cell.number(name).unwrap_or(1);
                    (span.max(1) as usize).min(most)
                };
                let right = (column + 1..column + span("gridSpan", columns - column))
                    .find(|&other| taken[at * columns + other])
                    .unwrap_or(column + span("gridSpan", columns - column));
                let bottom = at + span("rowSpan", rows.len() - at);
                for line in at..bottom {
                    taken[line * columns + column..line * columns + right].fill(true);
                }
                let text = paragraphs(cell);
                let place = BBox::new(across[column], down[at], across[right], down[bottom]);
                cells.push(Cell {
                    row: at as u32,
                    column: column as u32,
                    row_span: (bottom - at) as u32,
                    column_span: (right - column) as u32,
                    header: (first_row && at == 0) || (first_column && column == 0),
                    text,
                    bbox: bbox.map(|_| place),
                });
            }
        }
        if cells.iter().all(|cell| cell.text.is_empty()) {
            return;
        }
        let table = Table {
            rows: rows.len() as u32,
            columns: columns as u32,
            cells,
        };
        let text = table.text();
        self.leaf(NodeKind::Table(table), text, bbox);
    }
}

/// Lengths in points.
fn sizes<'a>(elements: impl Iterator<Item = Element<'a>>, name: &str) -> Vec<f32> {
    let size = |element: Element<'_>| element.number(name).unwrap_or(0).max(0) as f32;
    elements
        .map(|element| size(element) / UNITS_PER_POINT)
        .collect()
}

/// Where rows or columns begin, and the last one ends.
fn edges(sizes: &[f32], start: f32) -> Vec<f32> {
    let mut edges = vec![start];
    let mut at = start;
    for size in sizes {
        at += size;
        edges.push(at);
    }
    edges
}
