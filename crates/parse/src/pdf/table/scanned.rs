//! Tables on a page's picture: a model saw their cells, and the words are put into them.

use super::grid::drop_empty;
use super::mark_headers;
use crate::pdf::scan::ScannedTable;
use catena_document::{BBox, Table};

/// A word with its box.
pub(in crate::pdf) type PlacedWord = (String, BBox);

/// The table with its words in its cells; none where they do not fill it.
pub(in crate::pdf) fn fill(
    seen: &ScannedTable,
    words: impl IntoIterator<Item = PlacedWord>,
) -> Option<Table> {
    let mut table = seen.table.clone();
    let mut inside: Vec<Vec<PlacedWord>> = vec![Vec::new(); table.cells.len()];
    for (text, bbox) in words {
        let best = (0..table.cells.len())
            .filter_map(|at| Some((at, table.cells[at].bbox?)))
            .min_by(|(_, a), (_, b)| distance(&bbox, a).total_cmp(&distance(&bbox, b)));
        if let Some((at, _)) = best {
            inside[at].push((text, bbox));
        }
    }
    for (cell, words) in table.cells.iter_mut().zip(inside) {
        // Where words are, there the cell is; the model's boxes are near, not exact.
        let own = BBox::union_all(words.iter().map(|(_, bbox)| *bbox));
        cell.bbox = own.or(cell.bbox);
        cell.text = in_lines(words);
    }
    drop_empty(&mut table);
    if !table.cells.iter().any(|cell| cell.header) {
        mark_headers(&mut table, 0);
    }
    let filled = table.cells.iter().filter(|cell| !cell.text.is_empty());
    (filled.count() >= 4).then_some(table)
}

/// How far a word is from a cell: less than 0 where they overlap.
fn distance(word: &BBox, cell: &BBox) -> f32 {
    let shared = word.overlap_area(cell) / word.area().max(0.1);
    if shared > 0.0 {
        return -shared;
    }
    let dx = (cell.left - word.center_x())
        .max(word.center_x() - cell.right)
        .max(0.0);
    let dy = (cell.top - word.center_y())
        .max(word.center_y() - cell.bottom)
        .max(0.0);
    dx.hypot(dy)
}

/// The words of a cell, line by line.
fn in_lines(mut words: Vec<PlacedWord>) -> String {
    words.sort_by(|a, b| a.1.center_y().total_cmp(&b.1.center_y()));
    let same_line = |a: &PlacedWord, b: &PlacedWord| {
        b.1.center_y() - a.1.center_y() < a.1.height().min(b.1.height()) * 0.5
    };
    let lines = words.chunk_by_mut(same_line).map(|line| {
        line.sort_by(|a, b| a.1.left.total_cmp(&b.1.left));
        let line: Vec<&str> = line.iter().map(|(text, _)| text.as_str()).collect();
        line.join(" ")
    });
    lines.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use catena_document::Cell;

    #[test]
    fn words_find_their_cells() {
        let cell = |row: u32, column: u32| Cell {
            row,
            column,
            row_span: 1,
            column_span: 1,
            bbox: Some(BBox::new(
                column as f32 * 100.0,
                row as f32 * 20.0,
                column as f32 * 100.0 + 80.0,
                row as f32 * 20.0 + 12.0,
            )),
            ..Cell::default()
        };
        let seen = ScannedTable {
            bbox: BBox::new(0.0, 0.0, 180.0, 32.0),
            table: Table {
                rows: 2,
                columns: 2,
                cells: vec![cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)],
            },
        };
        let word =
            |text: &str, x: f32, y: f32| (text.to_owned(), BBox::new(x, y, x + 20.0, y + 10.0));
        let words = [
            word("value", 140.0, 2.0),
            word("Set", 110.0, 1.0),
            word("Part", 10.0, 1.0),
            word("P-4", 5.0, 21.0),
            // Outside every cell, nearest to the last.
            word("12", 182.0, 22.0),
        ];
        let table = fill(&seen, words.clone()).expect("filled");
        assert_eq!(table.text(), "Part | Set value\nP-4 | 12");
        let headers: Vec<bool> = table.cells.iter().map(|cell| cell.header).collect();
        assert_eq!(headers, [true, true, false, false]);
        assert!(fill(&seen, words.into_iter().take(2)).is_none());
    }
}
