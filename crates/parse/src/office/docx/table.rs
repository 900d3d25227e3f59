//! Tables.

use super::Docx;
use super::styles::is_on;
use crate::block::{Block, BlockKind, Item, alternative};
use crate::office::grid::{Grid, Placed};
use crate::xml::Element;

/// Columns that a cell may cover.
const MAX_SPAN: i64 = 200;

/// A cell, its place still to come.
struct Source {
    column: usize,
    span: usize,
    /// Whether it goes on with the cell above.
    continues: bool,
    text: String,
    bold: bool,
    blocks: Vec<Block>,
}

/// A row, and whether it says that it is a header.
struct Row {
    header: bool,
    cells: Vec<Source>,
}

impl Docx<'_, '_> {
    /// A table and the pictures in its cells; what stands in its cells, where it only lays out the
    /// page.
    pub(super) fn table(&mut self, table: Element<'_>) -> Vec<Block> {
        let mut rows = Vec::new();
        for row in below(table, "tr") {
            let properties = row.child("trPr");
            let has = |name| properties.and_then(|own| own.child(name));
            if has("del").is_some() {
                continue;
            }
            let header = has("tblHeader").is_some_and(|mark| mark.attr("val").is_none_or(is_on));
            let before = has("gridBefore")
                .and_then(|skip| skip.number("val"))
                .unwrap_or(0);
            let mut column = before.clamp(0, MAX_SPAN) as usize;
            let mut cells = Vec::new();
            for cell in below(row, "tc") {
                let cell = self.cell(cell, column);
                column += cell.span;
                cells.push(cell);
            }
            rows.push(Row { header, cells });
        }
        if is_layout(&rows) {
            let cells = rows.into_iter().flat_map(|row| row.cells);
            let mut blocks: Vec<Block> = cells.flat_map(|cell| cell.blocks).collect();
            crate::caption::pair_captions(&mut blocks);
            return blocks;
        }
        let marks = self.marks(table);
        self.grid(rows, marks)
    }

    fn cell(&mut self, cell: Element<'_>, column: usize) -> Source {
        let properties = cell.child("tcPr");
        let value = |name| properties.and_then(|own| own.child(name));
        let span = value("gridSpan").and_then(|span| span.number("val"));
        let merge = value("vMerge").or_else(|| value("hMerge"));
        let continues = merge.is_some_and(|merge| merge.attr("val") != Some("restart"));
        let blocks = self.nested_blocks(cell);
        Source {
            column,
            span: span.unwrap_or(1).clamp(1, MAX_SPAN) as usize,
            continues,
            text: String::new(),
            bold: is_bold(cell),
            blocks,
        }
    }

    /// Whether the table's style sets off its first row and its first column.
    fn marks(&self, table: Element<'_>) -> (bool, bool) {
        let properties = table.child("tblPr");
        let value = |name| properties.and_then(|own| own.child(name));
        let style = value("tblStyle").and_then(|style| style.attr("val"));
        let (row, column) = self.styles.marks(style);
        let look = value("tblLook");
        let asked = |name, bit| {
            let named = look.and_then(|look| look.attr(name)).map(is_on);
            let bits = look
                .and_then(|look| look.attr("val"))
                .and_then(|bits| u32::from_str_radix(bits, 16).ok());
            named.or(bits.map(|bits| bits & bit != 0)).unwrap_or(false)
        };
        (
            row && asked("firstRow", 0x20),
            column && asked("firstColumn", 0x80),
        )
    }

    fn grid(&mut self, mut rows: Vec<Row>, (first_row, first_column): (bool, bool)) -> Vec<Block> {
        let mut pictures = Vec::new();
        for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
            let before = pictures.len();
            cell.text = flat(std::mem::take(&mut cell.blocks), &mut pictures);
            if cell.text.is_empty() {
                cell.text = alternative(&pictures[before..]);
            }
        }
        let named = rows.iter().any(|row| row.header);
        let bold = !named && !first_row && has_bold_head(&rows);
        let mut grid = Grid::new();
        for (at, row) in rows.into_iter().enumerate() {
            let heads = row.header || (at == 0 && !named && (first_row || bold));
            for cell in row.cells {
                let header = heads || (first_column && cell.column == 0 && !cell.text.is_empty());
                if !(cell.continues && grid.extend_down(cell.column, cell.span, at)) {
                    grid.place(Placed {
                        row: at,
                        column: cell.column,
                        row_span: 1,
                        column_span: cell.span,
                        header,
                        text: cell.text,
                    });
                }
            }
        }
        if grid.is_cut() {
            self.media
                .package
                .warn("a table is too large: its end was left out".to_owned());
        }
        let mut out: Vec<Block> = grid.finish().into_iter().collect();
        out.extend(pictures);
        out
    }
}

/// Elements of this name directly below, or in what only marks them (`w:sdt`, `w:ins`).
fn below<'a>(parent: Element<'a>, name: &str) -> Vec<Element<'a>> {
    fn gather<'a>(parent: Element<'a>, name: &str, out: &mut Vec<Element<'a>>) {
        for child in parent.children() {
            match child.name() {
                found if found == name => out.push(child),
                "sdt" | "sdtContent" | "ins" | "moveTo" | "customXml" => gather(child, name, out),
                _ => {}
            }
        }
    }
    let mut out = Vec::new();
    gather(parent, name, &mut out);
    out
}

/// Whether all words of a cell are bold.
fn is_bold(cell: Element<'_>) -> bool {
    let mut words = false;
    for run in cell.descendants().filter(|below| below.name() == "r") {
        if run
            .child("t")
            .is_none_or(|text| text.text().trim().is_empty())
        {
            continue;
        }
        words = true;
        let own = run
            .child("rPr")
            .and_then(|own| super::styles::toggle(own, "b"));
        if own != Some(true) {
            return false;
        }
    }
    words
}

/// Whether the first row, and not the second, is bold.
fn has_bold_head(rows: &[Row]) -> bool {
    let bold = |row: &Row| {
        let mut worded = row
            .cells
            .iter()
            .filter(|cell| !cell.text.is_empty())
            .peekable();
        worded.peek().is_some() && worded.all(|cell| cell.bold)
    };
    rows.len() > 1 && bold(&rows[0]) && !bold(&rows[1])
}

/// Whether a table only places things: one cell around text, or nothing but pictures with their
/// captions.
fn is_layout(rows: &[Row]) -> bool {
    let cells = || rows.iter().flat_map(|row| &row.cells);
    if rows.iter().any(|row| row.header) {
        return false;
    }
    let filled = cells().filter(|cell| !cell.blocks.is_empty());
    let single = cells().count() == 1;
    let mut pictures = false;
    let placed = filled
        .flat_map(|cell| &cell.blocks)
        .all(|block| match &block.kind {
            BlockKind::Figure(_) => {
                pictures = true;
                true
            }
            BlockKind::Paragraph(paragraph) => paragraph.role != crate::block::Role::Body,
            BlockKind::Taken => true,
            _ => false,
        });
    single || (placed && pictures)
}

/// Blocks as one line; pictures are set apart.
pub(super) fn flat(blocks: Vec<Block>, pictures: &mut Vec<Block>) -> String {
    let mut parts: Vec<String> = Vec::new();
    flatten(blocks, pictures, &mut parts);
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn flatten(blocks: Vec<Block>, pictures: &mut Vec<Block>, parts: &mut Vec<String>) {
    for block in blocks {
        match block.kind {
            BlockKind::Heading(heading) => parts.push(heading.text),
            BlockKind::Paragraph(paragraph) => parts.push(paragraph.text),
            BlockKind::Formula(text) | BlockKind::Footnote(text) => parts.push(text),
            BlockKind::Code(text) => parts.push(crate::text::folded(&text)),
            BlockKind::List(items) => {
                for item in items {
                    let Item {
                        marker,
                        text,
                        blocks,
                        ..
                    } = item;
                    parts.push(format!("{marker} {text}").trim().to_owned());
                    flatten(blocks, pictures, parts);
                }
            }
            BlockKind::Table { text, caption, .. } => {
                parts.extend(caption);
                parts.push(text.replace('\n', "; "));
            }
            BlockKind::Figure(_) => pictures.push(block),
            BlockKind::Taken => {}
        }
    }
}
