//! The similarity of two tables as trees: TEDS, the tree edit distance over the larger size.
//!
//! A table is a tree of rows and cells. To put in or take out a node costs 1, to change a cell
//! costs 1 where its spans differ, else the share of its text that differs.

use super::tables::{Grid, GridCell};
use crate::text::likeness;

/// Nodes of the largest table that is compared.
const MAX_NODES: usize = 3_000;

/// A node in post-order.
struct Node<'a> {
    /// The first node below it, or itself.
    first: usize,
    cell: Option<&'a GridCell>,
    /// The root is told from rows.
    root: bool,
}

/// How alike two tables are, 0 to 1.
pub(super) fn teds(gold: &Grid, found: &Grid) -> f64 {
    let (a, b) = (tree(gold), tree(found));
    let size = a.len().max(b.len());
    if size > MAX_NODES {
        return 0.0;
    }
    (1.0 - distance(&a, &b) / size as f64).max(0.0)
}

/// A table's rows and cells, then the table itself.
fn tree(grid: &Grid) -> Vec<Node<'_>> {
    let mut cells: Vec<&GridCell> = grid.cells.iter().collect();
    cells.sort_by_key(|cell| (cell.rows[0], cell.columns[0]));
    let mut out = Vec::new();
    for row in cells.chunk_by(|a, b| a.rows[0] == b.rows[0]) {
        let first = out.len();
        for &cell in row {
            out.push(Node {
                first: out.len(),
                cell: Some(cell),
                root: false,
            });
        }
        out.push(Node {
            first,
            cell: None,
            root: false,
        });
    }
    out.push(Node {
        first: 0,
        cell: None,
        root: true,
    });
    out
}

/// The cost to change one node into another.
fn change(a: &Node<'_>, b: &Node<'_>) -> f64 {
    match (a.cell, b.cell) {
        (None, None) => f64::from(a.root != b.root),
        (Some(a), Some(b)) => {
            let span = |sides: [usize; 2]| sides[1] - sides[0];
            let same = span(a.rows) == span(b.rows) && span(a.columns) == span(b.columns);
            if same {
                1.0 - likeness(&a.key, &b.key)
            } else {
                1.0
            }
        }
        _ => 1.0,
    }
}

/// The tree edit distance of Zhang and Shasha.
fn distance(a: &[Node<'_>], b: &[Node<'_>]) -> f64 {
    let width = b.len();
    let mut trees = vec![0.0; a.len() * width];
    for &i in &key_roots(a) {
        for &j in &key_roots(b) {
            forests(a, b, (i, j), &mut trees);
        }
    }
    trees[a.len() * width - 1]
}

/// The nodes that begin farther left than all after them.
fn key_roots(nodes: &[Node<'_>]) -> Vec<usize> {
    let mut out: Vec<usize> = (0..nodes.len())
        .filter(|&at| {
            nodes[at + 1..]
                .iter()
                .all(|later| later.first != nodes[at].first)
        })
        .collect();
    out.sort_unstable();
    out
}

/// Fills in the distances of all trees that begin where those of two key roots begin.
fn forests(a: &[Node<'_>], b: &[Node<'_>], (i, j): (usize, usize), trees: &mut [f64]) {
    let (from_a, from_b) = (a[i].first, b[j].first);
    let (rows, columns) = (i - from_a + 2, j - from_b + 2);
    let mut costs = vec![0.0; rows * columns];
    for x in 1..rows {
        costs[x * columns] = x as f64;
    }
    for (y, cost) in costs.iter_mut().enumerate().take(columns) {
        *cost = y as f64;
    }
    for x in 1..rows {
        for y in 1..columns {
            let (at_a, at_b) = (from_a + x - 1, from_b + y - 1);
            let (first_a, first_b) = (a[at_a].first, b[at_b].first);
            let out = costs[(x - 1) * columns + y] + 1.0;
            let into = costs[x * columns + y - 1] + 1.0;
            let whole = first_a == from_a && first_b == from_b;
            let kept = if whole {
                costs[(x - 1) * columns + y - 1] + change(&a[at_a], &b[at_b])
            } else {
                let before = (first_a - from_a) * columns + (first_b - from_b);
                costs[before] + trees[at_a * b.len() + at_b]
            };
            let cost = out.min(into).min(kept);
            costs[x * columns + y] = cost;
            if whole {
                trees[at_a * b.len() + at_b] = cost;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: &[&[&str]]) -> Grid {
        let cells = rows.iter().enumerate().flat_map(|(row, texts)| {
            let texts = texts.iter().enumerate();
            texts.map(move |(column, text)| GridCell::new([row, row], [column, column], text))
        });
        Grid::new(cells.collect())
    }

    #[test]
    fn similarity_counts_nodes_and_texts() {
        let check = |a: &[&[&str]], b: &[&[&str]], expected: f64| {
            let found = teds(&grid(a), &grid(b));
            assert!((found - expected).abs() < 1e-9, "{a:?} {b:?}: {found}");
            assert!((teds(&grid(b), &grid(a)) - expected).abs() < 1e-9);
        };
        // Seven nodes: a table, two rows, four cells.
        let table: &[&[&str]] = &[&["ab", "c"], &["d", "e"]];
        check(table, table, 1.0);
        // One cell is missing: one node of seven.
        check(table, &[&["ab", "c"], &["d"]], 1.0 - 1.0 / 7.0);
        // Half of the text of one cell is another.
        check(table, &[&["ax", "c"], &["d", "e"]], 1.0 - 0.5 / 7.0);
        // A row of three nodes is missing.
        check(table, &[&["ab", "c"]], 1.0 - 3.0 / 7.0);
    }
}
