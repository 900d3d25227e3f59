//! Tables as cells.

use crate::{BBox, markdown_text};
use serde::{Deserialize, Serialize};

/// A table's cells; every place of the grid belongs to at most one cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// The cells, by row, then by column.
    pub cells: Vec<Cell>,
}

/// One cell, perhaps over several rows or columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// First row, from 0.
    pub row: u32,
    /// First column, from 0.
    pub column: u32,
    /// Rows covered, at least 1.
    pub row_span: u32,
    /// Columns covered, at least 1.
    pub column_span: u32,
    /// Whether it heads a row or a column.
    pub header: bool,
    /// Its words.
    pub text: String,
    /// Its box on the page of the table's provenance, where there are pages.
    pub bbox: Option<BBox>,
}

impl Table {
    /// The cells that begin in `row`, from the left.
    pub fn row(&self, row: u32) -> impl Iterator<Item = &Cell> {
        let first = self.cells.partition_point(|cell| cell.row < row);
        self.cells[first..]
            .iter()
            .take_while(move |cell| cell.row == row)
    }

    /// How many rows at the top are headers only.
    pub fn header_rows(&self) -> u32 {
        (0..self.rows)
            .take_while(|&row| {
                let mut cells = self.row(row).peekable();
                cells.peek().is_some() && cells.all(|cell| cell.header)
            })
            .count() as u32
    }

    /// A row as one line: its cells' texts, joined by ` | `, empty ones left out.
    pub fn row_text(&self, row: u32) -> String {
        let texts: Vec<_> = self
            .row(row)
            .map(|cell| cell.text.trim())
            .filter(|text| !text.is_empty())
            .collect();
        texts.join(" | ")
    }

    /// A row with each cell after the header of its column: `Code: E4; Cause: worn vanes`.
    pub fn row_with_headers(&self, row: u32) -> String {
        let headers = self.header_rows();
        let over = |column: u32| {
            (0..headers).rev().find_map(|header| {
                let mut cells = self.row(header);
                let covers = |cell: &&Cell| {
                    (cell.column..cell.column + cell.column_span.max(1)).contains(&column)
                };
                cells
                    .find(covers)
                    .map(|cell| cell.text.trim())
                    .filter(|text| !text.is_empty())
            })
        };
        let texts: Vec<_> = self
            .row(row)
            .filter(|cell| !cell.text.trim().is_empty())
            .map(|cell| match over(cell.column).filter(|_| row >= headers) {
                Some(header) => format!("{header}: {}", cell.text.trim()),
                None => cell.text.trim().to_owned(),
            })
            .collect();
        texts.join("; ")
    }

    /// All rows as lines.
    pub fn text(&self) -> String {
        let lines: Vec<_> = (0..self.rows)
            .map(|row| self.row_text(row))
            .filter(|line| !line.is_empty())
            .collect();
        lines.join("\n")
    }

    /// The table as Markdown; a cell over several places fills the first and leaves the rest empty.
    pub fn markdown(&self) -> String {
        let mut grid = vec![vec![String::new(); self.columns as usize]; self.rows as usize];
        for cell in &self.cells {
            if let Some(place) = grid
                .get_mut(cell.row as usize)
                .and_then(|row| row.get_mut(cell.column as usize))
            {
                *place = markdown_text(&cell.text.replace('\n', " "));
            }
        }
        let mut out = String::new();
        for (at, row) in grid.iter().enumerate() {
            out.push_str("| ");
            out.push_str(&row.join(" | "));
            out.push_str(" |\n");
            if at == 0 {
                out.push('|');
                out.push_str(&" --- |".repeat(row.len()));
                out.push('\n');
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: u32, column: u32, header: bool, text: &str) -> Cell {
        Cell {
            row,
            column,
            row_span: 1,
            column_span: 1,
            header,
            text: text.to_owned(),
            bbox: None,
        }
    }

    #[test]
    fn rows_headers_and_markdown() {
        let table = Table {
            rows: 2,
            columns: 2,
            cells: vec![
                cell(0, 0, true, "Fault"),
                cell(0, 1, true, "Cause"),
                cell(1, 0, false, "E1 | E2"),
                cell(1, 1, false, "No water"),
            ],
        };
        assert_eq!(table.header_rows(), 1);
        assert_eq!(table.row_text(1), "E1 | E2 | No water");
        assert_eq!(table.row_with_headers(1), "Fault: E1 | E2; Cause: No water");
        assert_eq!(
            table.markdown(),
            "| Fault | Cause |\n| --- | --- |\n| E1 \\| E2 | No water |\n"
        );
    }
}
