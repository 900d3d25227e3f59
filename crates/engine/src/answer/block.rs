//! Units as blocks of an answer.

use super::Block;
use super::citation::Citations;
use super::select::terms_of;
use super::verify::{content_terms, covered};
use catena_document::{EvidenceUnit, Table, caption_label, markdown_text, mentions};

/// A table of at most this many rows is shown whole where no row stands out.
pub(super) const SMALL_TABLE: u32 = 10;
/// Rows chosen of a larger table.
pub(super) const ROWS: usize = 4;

/// A figure as a block.
pub(super) fn figure_block(unit: &EvidenceUnit, citations: &mut Citations) -> Block {
    let picture = unit.content.picture.as_ref();
    let alt = picture.and_then(|picture| picture.alt.clone());
    Block::Figure {
        unit: unit.id,
        caption: unit.content.caption.clone().or(alt).unwrap_or_default(),
        citation: citations.cite_whole(unit),
    }
}

/// A table as a block: a small one whole, of a larger one the rows that a text speaks of.
pub(super) fn table_block(
    unit: &EvidenceUnit,
    table: &Table,
    text: &str,
    citations: &mut Citations,
) -> Block {
    let terms = terms_of(text);
    let mut rows: Vec<(u32, String)> = Vec::new();
    if table.rows > SMALL_TABLE {
        let fit = |row: &u32| covered(&content_terms(&table.row_text(*row)), &terms);
        let mut all: Vec<u32> = (table.header_rows()..table.rows).collect();
        all.sort_by(|a, b| fit(b).total_cmp(&fit(a)));
        all.truncate(ROWS);
        all.sort_unstable();
        rows = all
            .into_iter()
            .map(|row| (row, table.row_text(row)))
            .collect();
    }
    let cited: Vec<(u32, &str)> = rows
        .iter()
        .map(|(row, text)| (*row, text.as_str()))
        .collect();
    let kept: Vec<u32> = cited.iter().map(|&(row, _)| row).collect();
    Block::Table {
        unit: unit.id,
        caption: unit.content.caption.clone().unwrap_or_default(),
        markdown: rows_markdown(table, &kept),
        citation: if cited.is_empty() {
            citations.cite_whole(unit)
        } else {
            citations.cite_rows(unit, &cited)
        },
    }
}

/// Whether a text names a figure or table by its label.
pub(super) fn names(text: &str, visual: &EvidenceUnit) -> bool {
    let caption = visual.content.caption.as_deref().unwrap_or_default();
    let label = caption_label(caption);
    label.is_some_and(|label| mentions(text).iter().any(|(_, other)| *other == label))
}

/// Pieces of a unit of text as Markdown: paragraphs, and items after their markers. What is left
/// out between them is marked.
pub(super) fn pieces_markdown(unit: &EvidenceUnit, pieces: &[usize]) -> String {
    let mut out = String::new();
    let mut plain = false;
    let mut last = None;
    for &at in pieces {
        let Some(piece) = unit.content.pieces.get(at) else {
            continue;
        };
        let is_plain = piece.marker.is_empty();
        if last.is_some_and(|last| last + 1 < at) {
            out.push_str(" …");
        }
        last = Some(at);
        if !out.is_empty() {
            // An item right below a paragraph would be read as a part of it.
            out.push_str(if plain { "\n\n" } else { "\n" });
        }
        match piece.marker.as_str() {
            "" => {}
            marker if piece.step => {
                out.push_str(marker);
                out.push(' ');
            }
            _ => out.push_str("- "),
        }
        out.push_str(&markdown_text(&unit.content.text[piece.span.clone()]));
        plain = is_plain;
    }
    out
}

/// Rows of a table under its header as Markdown; all rows where none are given.
pub(super) fn rows_markdown(table: &Table, rows: &[u32]) -> String {
    if rows.is_empty() {
        return table.markdown();
    }
    let headers = table.header_rows();
    let kept: Vec<u32> = (0..headers).chain(rows.iter().copied()).collect();
    let mut part = Table {
        rows: kept.len() as u32,
        columns: table.columns,
        cells: Vec::new(),
    };
    for cell in &table.cells {
        // A cell that spans down into a kept row is shown in the first of them.
        let covered = kept
            .iter()
            .position(|&row| (cell.row..cell.row + cell.row_span.max(1)).contains(&row));
        if let Some(row) = covered {
            let mut cell = cell.clone();
            cell.row = row as u32;
            cell.row_span = 1;
            part.cells.push(cell);
        }
    }
    part.markdown()
}
