//! Single statements about pages, in the format of olmOCR-bench: a text stands in the flow or does
//! not, one text comes before another, a cell has a neighbour.
//!
//! Texts are compared as there: plain quotes and hyphens, white space folded, upper and lower case
//! told apart unless the statement says otherwise, with at most `max_diffs` differences. Statements
//! about formulas as LaTeX are left out.

use super::words::flow;
use super::{Asked, Case, Row};
use crate::report::APART;
use crate::text::{fuzzy_ends, likeness, plain};
use crate::{EvalError, Metric};
use catena_document::{Cell, Document, Node, NodeKind, Table};
use serde::Deserialize;
use std::path::{Component, Path};

/// Documents that the sample publishes as handwriting; they are reported on their own.
const HANDWRITING: [&str; 3] = ["lincoln_letter.pdf", "buildingnotes.pdf", "mattsnotes.pdf"];
/// The least likeness of a cell's text with the one that is named.
const LEAST_LIKENESS: f64 = 0.5;

/// A statement about a page.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Statement {
    pdf: String,
    #[serde(default = "first_page")]
    page: u32,
    id: String,
    /// Differences allowed, in characters.
    #[serde(default)]
    max_diffs: usize,
    #[serde(flatten)]
    kind: Kind,
}

fn first_page() -> u32 {
    1
}

fn case_matters() -> bool {
    true
}

/// What is stated.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind {
    Present(Passage),
    Absent(Passage),
    Order { before: String, after: String },
    Table(Neighbours),
    Math {},
}

/// A text of the flow.
#[derive(Clone, Debug, Deserialize)]
struct Passage {
    text: String,
    #[serde(default = "case_matters")]
    case_sensitive: bool,
    /// Only so many characters from the beginning are looked at.
    first_n: Option<usize>,
    /// Only so many characters before the end are looked at.
    last_n: Option<usize>,
}

/// A cell and what is around it.
#[derive(Clone, Debug, Deserialize)]
struct Neighbours {
    cell: String,
    up: Option<String>,
    down: Option<String>,
    left: Option<String>,
    right: Option<String>,
    top_heading: Option<String>,
    left_heading: Option<String>,
}

/// The documents with their statements, in the order of `dataset.jsonl`.
pub(super) fn read(set: &Path) -> Result<Vec<Asked<Vec<Statement>>>, EvalError> {
    let path = set.join("dataset.jsonl");
    if !path.is_file() {
        let what = "it should hold the statements, a JSON object a line".to_owned();
        return Err(EvalError::Missing { path, what });
    }
    let text =
        std::fs::read_to_string(&path).map_err(|cause| EvalError::file("read", &path, cause))?;
    let mut out: Vec<Asked<Vec<Statement>>> = Vec::new();
    for (line, number) in text
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty())
    {
        let bad = |what: String| EvalError::data(&path, Some(number), what);
        let statement: Statement =
            serde_json::from_str(line).map_err(|error| bad(format!("no statement: {error}")))?;
        let mut parts = Path::new(&statement.pdf).components();
        if !parts.all(|part| matches!(part, Component::Normal(_))) {
            return Err(bad("the field `pdf` must name a file in `pdfs`".to_owned()));
        }
        match out.iter_mut().find(|asked| asked.name == statement.pdf) {
            Some(asked) => asked.gold.push(statement),
            None => out.push(Asked {
                name: statement.pdf.clone(),
                pdf: set.join("pdfs").join(&statement.pdf),
                gold: vec![statement],
            }),
        }
    }
    Ok(out)
}

/// Checks the statements about a document.
pub(super) fn score(name: &str, statements: &[Statement], document: &Document) -> Vec<Case> {
    let flow: Vec<&Node> = flow(document).collect();
    let statements = statements.iter();
    let cases = statements.filter_map(|statement| {
        let (metric, expected, fault) = check(statement, &flow)?;
        let row = Row {
            expected,
            found: match fault {
                Some(_) => String::new(),
                None => "as expected".to_owned(),
            },
            fault: fault.unwrap_or_default(),
        };
        let score = f64::from(row.fault.is_empty());
        let mut case = Case::new(name, &statement.id, vec![(metric, score)], vec![row]);
        if HANDWRITING.contains(&name) {
            let group = vec!["handwriting".to_owned()];
            case.record.groups.insert(APART.to_owned(), group);
        }
        Some(case)
    });
    cases.collect()
}

/// What a statement measures, what it says, and what is wrong if it does not hold; `None` where
/// it is of a kind that is left out.
fn check(statement: &Statement, flow: &[&Node]) -> Option<(Metric, String, Option<String>)> {
    let on_page: Vec<&Node> = flow
        .iter()
        .copied()
        .filter(|node| {
            node.provenance
                .iter()
                .any(|place| place.page == statement.page)
        })
        .collect();
    let texts: Vec<&str> = on_page.iter().map(|node| node.text.as_str()).collect();
    let page = plain(&texts.join("\n"));
    let most = statement.max_diffs;
    Some(match &statement.kind {
        Kind::Present(text) => {
            let fault = (!text.is_in(&page, most)).then(|| "not there".to_owned());
            (Metric::Present, text.text.clone(), fault)
        }
        Kind::Absent(text) => {
            let fault = text.is_in(&page, most).then(|| "there".to_owned());
            (Metric::Absent, format!("not: {}", text.text), fault)
        }
        Kind::Order { before, after } => {
            let fault = order_fault(before, after, &page, most);
            (Metric::Order, format!("{before} … {after}"), fault)
        }
        Kind::Table(neighbours) => {
            let tables = on_page.iter().filter_map(|node| match &node.kind {
                NodeKind::Table(table) => Some(table),
                _ => None,
            });
            let tables: Vec<&Table> = tables.collect();
            let fault = neighbours.fault(&tables, most);
            (Metric::Table, neighbours.shown(), fault)
        }
        Kind::Math {} => return None,
    })
}

impl Passage {
    fn is_in(&self, page: &str, most: usize) -> bool {
        let needle = plain(&self.text);
        let (needle, page) = if self.case_sensitive {
            (needle, page.to_owned())
        } else {
            (needle.to_lowercase(), page.to_lowercase())
        };
        let needle: Vec<char> = needle.chars().collect();
        let page: Vec<char> = page.chars().collect();
        let first = |n: usize| page[..n.min(page.len())].to_vec();
        let last = |n: usize| page[page.len().saturating_sub(n)..].to_vec();
        let part = match (self.first_n, self.last_n) {
            (Some(n), Some(m)) => [first(n), last(m)].concat(),
            (Some(n), None) => first(n),
            (None, Some(m)) => last(m),
            (None, None) => page.clone(),
        };
        !fuzzy_ends(&needle, &part, most).is_empty()
    }
}

/// What is wrong with the order of two texts; the first may come anywhere before the second.
pub(super) fn order_fault(before: &str, after: &str, page: &str, most: usize) -> Option<String> {
    let page: Vec<char> = page.chars().collect();
    let ends = |text: &str| {
        let needle: Vec<char> = plain(text).chars().collect();
        let ends = fuzzy_ends(&needle, &page, most);
        (needle.len(), ends)
    };
    let (length, first) = ends(before);
    let (length_after, second) = ends(after);
    match (first.first(), second.last()) {
        (None, _) => Some("the first is not there".to_owned()),
        (_, None) => Some("the second is not there".to_owned()),
        (Some(&first), Some(&second)) => {
            // Where they begin, as near as their ends tell.
            let wrong = first.saturating_sub(length) >= second.saturating_sub(length_after);
            wrong.then(|| "the other way round".to_owned())
        }
    }
}

impl Neighbours {
    /// What is wrong with the tables' cells that have the text.
    fn fault(&self, tables: &[&Table], most: usize) -> Option<String> {
        let mut seen = false;
        for table in tables {
            for cell in table
                .cells
                .iter()
                .filter(|cell| alike(&self.cell, &cell.text, most))
            {
                seen = true;
                if self.hold(table, cell, most) {
                    return None;
                }
            }
        }
        Some(match (tables.is_empty(), seen) {
            (true, _) => "no table".to_owned(),
            (false, false) => "no such cell".to_owned(),
            (false, true) => "another neighbour".to_owned(),
        })
    }

    /// Whether all that is stated is true of `cell`.
    fn hold(&self, table: &Table, cell: &Cell, most: usize) -> bool {
        let (rows, columns) = (rows(cell), columns(cell));
        let any = |stated: &Option<String>, place: &dyn Fn(&Cell) -> bool| {
            stated.as_deref().is_none_or(|text| {
                let mut others = table.cells.iter().filter(|other| place(other));
                others.any(|other| alike(text, &other.text, most))
            })
        };
        let same_columns = |other: &Cell| meet(&columns, &self::columns(other));
        let same_rows = |other: &Cell| meet(&rows, &self::rows(other));
        any(&self.up, &|other| {
            same_columns(other) && self::rows(other).end == rows.start
        }) && any(&self.down, &|other| {
            same_columns(other) && other.row == rows.end
        }) && any(&self.left, &|other| {
            same_rows(other) && self::columns(other).end == columns.start
        }) && any(&self.right, &|other| {
            same_rows(other) && other.column == columns.end
        }) && any(&self.top_heading, &|other| {
            same_columns(other) && other.row < rows.start
        }) && any(&self.left_heading, &|other| {
            same_rows(other) && other.column < columns.start
        })
    }

    fn shown(&self) -> String {
        let parts = [
            ("up", &self.up),
            ("down", &self.down),
            ("left", &self.left),
            ("right", &self.right),
            ("top heading", &self.top_heading),
            ("left heading", &self.left_heading),
        ];
        let parts = parts.iter().filter_map(|(name, text)| {
            let text = text.as_deref()?;
            Some(format!("; {name}: {text}"))
        });
        format!("cell: {}{}", self.cell, parts.collect::<String>())
    }
}

fn rows(cell: &Cell) -> std::ops::Range<u32> {
    cell.row..cell.row.saturating_add(cell.row_span.max(1))
}

fn columns(cell: &Cell) -> std::ops::Range<u32> {
    cell.column..cell.column.saturating_add(cell.column_span.max(1))
}

fn meet(a: &std::ops::Range<u32>, b: &std::ops::Range<u32>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether a cell has the text, up to `most` differences.
fn alike(wanted: &str, text: &str, most: usize) -> bool {
    let (wanted, text) = (plain(wanted), plain(text));
    let least = 1.0 - most as f64 / wanted.chars().count().max(1) as f64;
    likeness(&wanted, &text) >= least.max(LEAST_LIKENESS)
}
