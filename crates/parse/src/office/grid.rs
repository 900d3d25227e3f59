//! Cells on the grid of a table.

use crate::block::{Block, BlockKind};
use catena_document::{Cell, Table};
use std::collections::{BTreeSet, HashMap};

/// Places that a table's grid may have; the rows beyond are left out.
const MAX_PLACES: usize = 1_000_000;
/// Columns that a table may have; the cells beyond are left out.
pub(super) const MAX_COLUMNS: usize = 1_000;

/// A cell in its place.
pub(super) struct Placed {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) row_span: usize,
    pub(super) column_span: usize,
    pub(super) header: bool,
    pub(super) text: String,
}

/// A table being put together, cell by cell, row by row and from the left.
pub(super) struct Grid {
    cells: Vec<Placed>,
    /// The cell that begins in a column and was seen there last.
    last: HashMap<usize, usize>,
    cut: bool,
}

impl Grid {
    pub(super) fn new() -> Self {
        Self {
            cells: Vec::new(),
            last: HashMap::new(),
            cut: false,
        }
    }

    pub(super) fn place(&mut self, mut cell: Placed) {
        if cell.column >= MAX_COLUMNS {
            self.cut |= !cell.text.is_empty();
            return;
        }
        cell.column_span = cell.column_span.clamp(1, MAX_COLUMNS - cell.column);
        self.last.insert(cell.column, self.cells.len());
        self.cells.push(cell);
    }

    /// Lets the cell above go on in `row`; false where there is none of this very width.
    pub(super) fn extend_down(&mut self, column: usize, span: usize, row: usize) -> bool {
        let above = self.last.get(&column).map(|&at| &mut self.cells[at]);
        match above {
            Some(cell) if cell.column_span == span && cell.row + cell.row_span == row => {
                cell.row_span += 1;
                true
            }
            _ => false,
        }
    }

    /// Whether cells have been left out.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// The table; `None` where no cell has words. Columns and rows in which no cell begins are not
    /// there, nor are empty ones at the end.
    pub(super) fn finish(mut self) -> Option<Block> {
        let last_row = self
            .cells
            .iter()
            .filter(|cell| !cell.text.is_empty())
            .map(|cell| cell.row)
            .max()?;
        self.cells.retain(|cell| cell.row <= last_row);
        let starts = |start: fn(&Placed) -> usize| {
            let starts: BTreeSet<usize> = self.cells.iter().map(start).collect();
            starts.into_iter().collect::<Vec<_>>()
        };
        let columns = starts(|cell| cell.column);
        let mut rows = starts(|cell| cell.row);
        rows.truncate((MAX_PLACES / columns.len().max(1)).max(1));
        let index = |starts: &[usize], at: usize| starts.partition_point(|&start| start < at);
        let end = rows.last().copied().unwrap_or(0);
        let kept = self.cells.into_iter().filter(|cell| cell.row <= end);
        let mut cells: Vec<Cell> = kept
            .map(|cell| {
                let (row, column) = (index(&rows, cell.row), index(&columns, cell.column));
                let bottom = index(&rows, cell.row + cell.row_span).max(row + 1);
                let right = index(&columns, cell.column + cell.column_span).max(column + 1);
                Cell {
                    row: row as u32,
                    column: column as u32,
                    row_span: (bottom - row) as u32,
                    column_span: (right - column) as u32,
                    header: cell.header,
                    text: cell.text,
                    bbox: None,
                }
            })
            .collect();
        cells.sort_by_key(|cell| (cell.row, cell.column));
        let table = Table {
            rows: rows.len() as u32,
            columns: columns.len() as u32,
            cells,
        };
        let text = table.text();
        let caption = None;
        Some(Block::new(BlockKind::Table {
            table,
            text,
            caption,
        }))
    }
}
