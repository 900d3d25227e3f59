//! Tables: their cells, or, where a table only lays out a page, what stands in it.

use super::dom::{DomId, Edge};
use super::walk::Walk;
use crate::block::{Block, BlockKind, alternative};
use crate::caption::pair_captions;
use catena_document::{Cell, Table};
use std::collections::BTreeSet;
use std::ops::Range;

/// Places that a table's grid may have; wider rows are folded into their last column.
const MAX_PLACES: usize = 1_000_000;
/// Columns that a table may have.
const MAX_COLUMNS: usize = 1_000;
/// Letters in a cell with blocks from which a table without headers is taken as page layout.
const LAYOUT_CELL: u32 = 1_500;

/// The longer side, in pixels, of a sign that stands in a cell beside a note.
const MAX_SIGN: u32 = 64;

/// A cell as the page has it.
struct Source {
    id: DomId,
    row_span: usize,
    column_span: usize,
    header: bool,
}

/// The rows of a table, in the order in which they are shown.
struct Rows {
    cells: Vec<Vec<Source>>,
    /// Where the row group of each row ends.
    group_ends: Vec<usize>,
    caption: Option<DomId>,
}

impl Walk<'_, '_> {
    pub(super) fn table(&mut self, id: DomId) {
        self.flush();
        let rows = self.rows(id);
        if self.is_layout(id, &rows) {
            return self.unwrap_table(id, &rows);
        }
        let anchor = self.own_anchor(id).or(self.pending.take());
        let mut pictures = Vec::new();
        let caption = rows.caption.map(|caption| {
            let (text, inside, _) = self.line(caption);
            pictures.extend(inside);
            text
        });
        let (table, text) = self.grid(&rows, &mut pictures);
        self.pending = None;
        if !table.cells.is_empty() {
            let caption = caption.filter(|text| !text.is_empty());
            let kind = BlockKind::Table {
                table,
                text,
                caption,
            };
            self.out.push(Block {
                anchor,
                ..Block::new(kind)
            });
        }
        self.out.extend(pictures);
    }

    /// The rows of a table, those of tables inside its cells left to the cells.
    fn rows(&self, id: DomId) -> Rows {
        let dom = self.dom;
        let mut caption = None;
        let mut groups: Vec<(u8, Vec<Vec<Source>>)> = Vec::new();
        for child in dom.children(id) {
            if self.boilerplate.skips(child) {
                continue;
            }
            let place = match dom.name(child) {
                "caption" => {
                    caption.get_or_insert(child);
                    continue;
                }
                "thead" => 0,
                "tbody" => 1,
                "tfoot" => 2,
                _ => continue,
            };
            let rows = dom
                .children(child)
                .filter(|&row| dom.name(row) == "tr" && !self.boilerplate.skips(row))
                .map(|row| self.cells(row, place == 0))
                .collect();
            groups.push((place, rows));
        }
        // A footer may stand before the body, and is shown after it.
        groups.sort_by_key(|&(place, _)| place);
        let mut rows = Vec::new();
        let mut group_ends = Vec::new();
        for (_, group) in groups {
            let end = rows.len() + group.len();
            group_ends.resize(end, end);
            rows.extend(group);
        }
        Rows {
            cells: rows,
            group_ends,
            caption,
        }
    }

    fn cells(&self, row: DomId, heading: bool) -> Vec<Source> {
        let dom = self.dom;
        let span = |id, name| {
            let value = dom
                .attr(id, name)
                .and_then(|value| value.trim().parse().ok());
            value.unwrap_or(1_usize).min(65_534)
        };
        dom.children(row)
            .filter(|&cell| matches!(dom.name(cell), "td" | "th") && !self.boilerplate.skips(cell))
            .map(|id| Source {
                id,
                row_span: span(id, "rowspan"),
                column_span: span(id, "colspan").clamp(1, MAX_COLUMNS),
                header: heading
                    || dom.name(id) == "th"
                    || dom.attr(id, "scope").is_some()
                    || dom.has_role(id, &["columnheader", "rowheader"]),
            })
            .collect()
    }

    /// Whether a table only places blocks on the page.
    fn is_layout(&self, id: DomId, rows: &Rows) -> bool {
        let dom = self.dom;
        if dom.has_role(id, &["presentation", "none"]) {
            return true;
        }
        let cells = || rows.cells.iter().flatten();
        if rows.caption.is_some() || dom.has_role(id, &["table", "grid"]) {
            return false;
        }
        // Columns of icons do not count: a note with its sign is one column of text.
        let worded = |row: &Vec<Source>| {
            let worded = row
                .iter()
                .filter(|cell| self.facts[cell.id.index()].letters > 0);
            worded.count()
        };
        let columns = rows.cells.iter().map(worded).max().unwrap_or(0);
        let has_blocks = cells().any(|cell| self.facts[cell.id.index()].has_block);
        let has_pictures = cells().any(|cell| self.facts[cell.id.index()].pictures > 0);
        if columns <= 1 && (has_blocks || has_pictures || cells().count() == 1) {
            return true;
        }
        if cells().any(|cell| cell.header) {
            return false;
        }
        cells().any(|cell| {
            let facts = &self.facts[cell.id.index()];
            let sections = facts.headings > 0 && facts.sentences > 0;
            let page = facts.has_block && facts.letters > LAYOUT_CELL;
            sections || page || (facts.has_block && self.holds_table(cell.id))
        })
    }

    fn holds_table(&self, cell: DomId) -> bool {
        self.dom
            .subtree(cell)
            .any(|below| self.dom.name(below) == "table")
    }

    /// What stands in a table's cells, cell by cell.
    fn unwrap_table(&mut self, id: DomId, rows: &Rows) {
        self.pass_anchor(id);
        let start = self.out.len();
        if let Some(caption) = rows.caption {
            self.caption_paragraph(caption);
        }
        for cell in rows.cells.iter().flatten() {
            let from = self.out.len();
            self.container(cell.id);
            if self.facts[cell.id.index()].letters == 0 && self.facts[id.index()].letters > 0 {
                // The sign beside a note.
                let end = self.out.split_off(from);
                self.out
                    .extend(end.into_iter().filter(|block| !is_sign(block)));
            }
        }
        pair_captions(&mut self.out[start..]);
    }

    /// The cells on their grid with the rows as lines; pictures in them go to `pictures`.
    fn grid(&mut self, rows: &Rows, pictures: &mut Vec<Block>) -> (Table, String) {
        let placed = place(rows);
        let bold = self.has_bold_head(rows);
        let mut cells: Vec<Cell> = Vec::with_capacity(placed.len());
        let mut lines = Lines::default();
        for place in placed {
            let (mut text, inside, _) = self.line(place.id);
            if text.is_empty() {
                text = alternative(&inside);
            }
            pictures.extend(inside);
            match cells.last_mut() {
                // A row that is too wide ends in one cell.
                Some(last) if place.folded => {
                    let joint = if last.text.is_empty() || text.is_empty() {
                        ""
                    } else {
                        " "
                    };
                    last.text.extend([joint, &text]);
                }
                _ => cells.push(Cell {
                    header: place.cell.header || (bold && place.cell.row == 0),
                    text,
                    ..place.cell
                }),
            }
        }
        for cell in &cells {
            lines.push(cell.row, &cell.text);
        }
        let extent = |end: &dyn Fn(&Cell) -> u32| cells.iter().map(end).max().unwrap_or(0);
        let table = Table {
            rows: extent(&|cell| cell.row + cell.row_span),
            columns: extent(&|cell| cell.column + cell.column_span),
            cells,
        };
        (table, lines.text)
    }

    /// Whether a table without header cells has a first row all in bold, and not more.
    fn has_bold_head(&self, rows: &Rows) -> bool {
        let bold =
            |row: &Vec<Source>| !row.is_empty() && row.iter().all(|cell| self.is_bold(cell.id));
        !rows.cells.iter().flatten().any(|cell| cell.header)
            && rows.cells.len() > 1
            && bold(&rows.cells[0])
            && !rows.cells[1..].iter().all(bold)
    }

    /// Whether all text of a cell is bold.
    fn is_bold(&self, cell: DomId) -> bool {
        let dom = self.dom;
        let mut edges = dom.edges(cell);
        let mut worded = false;
        while let Some(edge) = edges.next() {
            if let Edge::Open(id) = edge {
                if matches!(dom.name(id), "b" | "strong") {
                    worded |= self.facts[id.index()].letters > 0;
                    edges.skip_below(id);
                } else if dom.text(id).is_some_and(|text| !text.trim().is_empty()) {
                    return false;
                }
            }
        }
        worded
    }
}

/// Whether a block is a small picture.
fn is_sign(block: &Block) -> bool {
    match &block.kind {
        BlockKind::Figure(figure) => figure.extent.is_some_and(|extent| extent <= MAX_SIGN),
        _ => false,
    }
}

/// The rows of a table as lines, as [`Table::text`] has them.
#[derive(Default)]
struct Lines {
    text: String,
    row: u32,
}

impl Lines {
    fn push(&mut self, row: u32, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text
                .push_str(if row == self.row { " | " } else { "\n" });
        }
        self.row = row;
        self.text.push_str(text);
    }
}

/// A cell in its place, its text still to come.
struct Placed {
    id: DomId,
    cell: Cell,
    /// Whether the row is too wide, and its text belongs to the cell before.
    folded: bool,
}

/// A cell on the grid of the page: rows and columns from and to.
struct Spread<'a> {
    source: &'a Source,
    rows: Range<usize>,
    columns: Range<usize>,
}

/// Puts the cells on a grid. Spans end where another cell stands; rows and columns in which no
/// cell begins are left out.
fn place(rows: &Rows) -> Vec<Placed> {
    let spread = spread(rows);
    let starts = |start: &dyn Fn(&Spread<'_>) -> usize| {
        let starts: BTreeSet<usize> = spread.iter().map(start).collect();
        starts.into_iter().collect::<Vec<_>>()
    };
    let row_starts = starts(&|cell| cell.rows.start);
    let column_starts = starts(&|cell| cell.columns.start);
    let wide = (MAX_PLACES / row_starts.len().max(1)).clamp(1, MAX_COLUMNS);
    let index = |starts: &[usize], at: usize| starts.partition_point(|&start| start < at);
    let placed = spread.iter().map(|cell| {
        let row = index(&row_starts, cell.rows.start);
        let column = index(&column_starts, cell.columns.start);
        let bottom = index(&row_starts, cell.rows.end).max(row + 1);
        let right = index(&column_starts, cell.columns.end)
            .min(wide)
            .max(column + 1);
        Placed {
            id: cell.source.id,
            cell: Cell {
                row: row as u32,
                column: column as u32,
                row_span: (bottom - row) as u32,
                column_span: (right - column) as u32,
                header: cell.source.header,
                ..Cell::default()
            },
            folded: column >= wide || cell.columns.start >= MAX_COLUMNS,
        }
    });
    placed.collect()
}

/// The places that cells ask for; columns beyond the widest are all one.
fn spread(rows: &Rows) -> Vec<Spread<'_>> {
    // For each column the row at which a cell from above ends.
    let mut taken = vec![0; MAX_COLUMNS];
    let mut out = Vec::new();
    for (at, row) in rows.cells.iter().enumerate() {
        let mut column = 0;
        for source in row {
            while taken.get(column).is_some_and(|&end| end > at) {
                column += 1;
            }
            let group_end = rows.group_ends[at];
            let end = match source.row_span {
                0 => group_end,
                span => group_end.min(at + span),
            };
            let free = taken[column..].iter().take(source.column_span);
            let span = free.take_while(|end| **end <= at).count();
            taken[column..column + span].fill(end);
            out.push(Spread {
                source,
                rows: at..end,
                columns: column..column + span.max(1),
            });
            column += span;
        }
    }
    out
}
