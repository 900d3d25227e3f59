//! Tables in the format of the ICDAR-2013 competition: is every cell beside the right ones?
//!
//! The measure is the competition's: each cell with text is tied to the nearest cell with text to
//! its right and below it, and the ties of all tables of a document are compared. Regions are
//! those that the reader found, so a table that is missed or too much costs its ties.

use super::teds::teds;
use super::{Asked, Case, Row};
use crate::markup::{Element, Syntax, read as read_markup};
use crate::text::{Common, common, count, folded};
use crate::{EvalError, Metric};
use catena_document::{Document, NodeKind, Table};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Places of the largest grid that is compared; a larger one is taken for none.
const MAX_PLACES: usize = 4_000_000;

/// A table's cells with text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Grid {
    pub(super) cells: Vec<GridCell>,
    rows: usize,
    columns: usize,
}

/// A cell: its first and last row and column, from 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GridCell {
    pub(super) rows: [usize; 2],
    pub(super) columns: [usize; 2],
    /// Its text, folded, without white space: what is compared.
    pub(super) key: String,
}

/// A tie of two neighbours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Tie {
    from: String,
    to: String,
    side: Side,
}

/// Where the second cell of a tie stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Side {
    Right,
    Below,
}

/// The documents with the tables of their `X-str.xml`.
pub(super) fn read(set: &Path) -> Result<Vec<Asked<Vec<Grid>>>, EvalError> {
    let pairs = super::twin::pairs_by(set, &|pdf| {
        let stem = pdf.file_stem()?.to_string_lossy().into_owned();
        let gold = pdf.with_file_name(format!("{stem}-str.xml"));
        gold.is_file().then_some(gold)
    })?;
    if pairs.is_empty() {
        let what = "it holds no documents with their tables, `X.pdf` with `X-str.xml`";
        return Err(EvalError::data(set, None, what));
    }
    let pairs = pairs.into_iter();
    pairs.map(|pair| pair.try_map(gold)).collect()
}

fn gold(path: &PathBuf) -> Result<Vec<Grid>, EvalError> {
    let bytes = std::fs::read(path).map_err(|cause| EvalError::file("read", path, cause))?;
    let root = read_markup(&String::from_utf8_lossy(&bytes), Syntax::Xml);
    let tables = root.all(&|element| element.name == "table");
    if tables.is_empty() {
        return Err(EvalError::data(path, None, "there is no table in it"));
    }
    let bad = |what: String| EvalError::data(path, None, what);
    let tables = tables.iter();
    tables.map(|table| gold_table(table).map_err(bad)).collect()
}

/// A table of the gold; its regions are put together as their increments say.
fn gold_table(table: &Element) -> Result<Grid, String> {
    let mut cells = Vec::new();
    for region in table.all(&|element| element.name == "region") {
        let [down, across] = ["row-increment", "col-increment"].map(|name| {
            let value = region.attribute(name).unwrap_or("0");
            value.parse::<i64>().unwrap_or(0)
        });
        for cell in region.all(&|element| element.name == "cell") {
            let place = |name: &str, by: i64| -> Result<Option<usize>, String> {
                let Some(value) = cell.attribute(name) else {
                    return Ok(None);
                };
                let place = value.parse::<i64>().ok();
                let place = place.and_then(|place| usize::try_from(place + by).ok());
                place
                    .map(Some)
                    .ok_or_else(|| format!("a cell's `{name}` is `{value}`, no place"))
            };
            let missing = || "a cell has no `start-row` or `start-col`".to_owned();
            let row = place("start-row", down)?.ok_or_else(missing)?;
            let column = place("start-col", across)?.ok_or_else(missing)?;
            let rows = [row, place("end-row", down)?.unwrap_or(row).max(row)];
            let columns = [
                column,
                place("end-col", across)?.unwrap_or(column).max(column),
            ];
            let text = cell.first("content").map(Element::text);
            cells.push(GridCell::new(rows, columns, &text.unwrap_or_default()));
        }
    }
    Ok(Grid::new(cells))
}

impl Grid {
    /// A table of these cells; those without text are left out.
    pub(super) fn new(mut cells: Vec<GridCell>) -> Self {
        cells.retain(|cell| !cell.key.is_empty());
        let end = |side: fn(&GridCell) -> usize| cells.iter().map(side).max().map_or(0, |n| n + 1);
        let (rows, columns) = (end(|cell| cell.rows[1]), end(|cell| cell.columns[1]));
        if rows.saturating_mul(columns) > MAX_PLACES {
            return Self::default();
        }
        Self {
            cells,
            rows,
            columns,
        }
    }

    /// A table as it was found.
    pub(super) fn of(table: &Table) -> Self {
        let cells = table.cells.iter().map(|cell| {
            let (row, column) = (cell.row as usize, cell.column as usize);
            let last = |first: usize, span: u32| first + (span.max(1) - 1) as usize;
            let rows = [row, last(row, cell.row_span)];
            GridCell::new(rows, [column, last(column, cell.column_span)], &cell.text)
        });
        Self::new(cells.collect())
    }

    /// The ties of all cells, and how often each comes.
    fn ties(&self) -> HashMap<Tie, usize> {
        let mut places: Vec<Option<usize>> = vec![None; self.rows * self.columns];
        for (at, cell) in self.cells.iter().enumerate() {
            for row in cell.rows[0]..=cell.rows[1] {
                for column in cell.columns[0]..=cell.columns[1] {
                    places[row * self.columns + column] = Some(at);
                }
            }
        }
        let mut out = HashMap::new();
        for (at, cell) in self.cells.iter().enumerate() {
            let right: BTreeSet<usize> = (cell.rows[0]..=cell.rows[1])
                .filter_map(|row| {
                    let mut after = cell.columns[1] + 1..self.columns;
                    after.find_map(|column| places[row * self.columns + column])
                })
                .collect();
            let below: BTreeSet<usize> = (cell.columns[0]..=cell.columns[1])
                .filter_map(|column| {
                    let mut after = cell.rows[1] + 1..self.rows;
                    after.find_map(|row| places[row * self.columns + column])
                })
                .collect();
            for (side, others) in [(Side::Right, right), (Side::Below, below)] {
                for other in others.into_iter().filter(|&other| other != at) {
                    let tie = Tie {
                        from: cell.key.clone(),
                        to: self.cells[other].key.clone(),
                        side,
                    };
                    *out.entry(tie).or_insert(0) += 1;
                }
            }
        }
        out
    }
}

impl GridCell {
    /// A cell of these rows and columns, each the first and the last.
    pub(super) fn new(rows: [usize; 2], columns: [usize; 2], text: &str) -> Self {
        Self {
            rows,
            columns,
            key: folded(text).split_whitespace().collect(),
        }
    }
}

/// Compares the tables of a document with its gold.
pub(super) fn score(name: &str, gold: &[Grid], document: &Document) -> Vec<Case> {
    let found = document.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Table(table) => Some(Grid::of(table)),
        _ => None,
    });
    let found: Vec<Grid> = found.collect();
    let (gold_ties, found_ties) = (all_ties(gold), all_ties(&found));
    let common: Common = common(&gold_ties, &found_ties);
    let f1 = common.f1().map(|f1| (Metric::AdjacencyF1, f1));
    let scores = f1
        .into_iter()
        .chain([(Metric::Teds, likeness(gold, &found))]);
    let rows = rows(&gold_ties, &found_ties);
    vec![Case::new(name, name, scores.collect(), rows)]
}

/// How alike the tables of a document are as trees: each gold table with the found one that
/// shares the most ties with it. What has no partner is not alike at all.
fn likeness(gold: &[Grid], found: &[Grid]) -> f64 {
    let found_ties: Vec<_> = found.iter().map(Grid::ties).collect();
    let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
    for (g, table) in gold.iter().enumerate() {
        let ties = table.ties();
        for (f, found) in found_ties.iter().enumerate() {
            let shared = common(&ties, found).shared;
            if shared > 0 {
                pairs.push((shared, g, f));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let (mut used_gold, mut used_found) = (BTreeSet::new(), BTreeSet::new());
    let mut sum = 0.0;
    for (_, g, f) in pairs {
        if !used_gold.contains(&g) && !used_found.contains(&f) {
            used_gold.insert(g);
            used_found.insert(f);
            sum += teds(&gold[g], &found[f]);
        }
    }
    sum / gold.len().max(found.len()).max(1) as f64
}

fn all_ties(grids: &[Grid]) -> HashMap<Tie, usize> {
    let mut out = HashMap::new();
    for (tie, n) in grids.iter().flat_map(Grid::ties) {
        *out.entry(tie).or_insert(0) += n;
    }
    out
}

/// The ties that are missed, then those that are wrong, then how many are right.
fn rows(gold: &HashMap<Tie, usize>, found: &HashMap<Tie, usize>) -> Vec<Row> {
    let beyond = |one: &HashMap<Tie, usize>, other: &HashMap<Tie, usize>| {
        let ties = one.iter().flat_map(|(tie, &n)| {
            let rest = n.saturating_sub(count(other, tie));
            std::iter::repeat_n(shown(tie), rest)
        });
        let mut ties: Vec<String> = ties.collect();
        ties.sort();
        ties
    };
    let missed = beyond(gold, found).into_iter().map(|tie| Row {
        expected: tie,
        found: String::new(),
        fault: "missed".to_owned(),
    });
    let wrong = beyond(found, gold).into_iter().map(|tie| Row {
        expected: String::new(),
        found: tie,
        fault: "wrong".to_owned(),
    });
    missed.chain(wrong).collect()
}

fn shown(tie: &Tie) -> String {
    let arrow = match tie.side {
        Side::Right => '→',
        Side::Below => '↓',
    };
    format!("{} {arrow} {}", tie.from, tie.to)
}
