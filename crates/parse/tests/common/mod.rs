//! Showing a tree as indented text.
#![allow(dead_code, reason = "not every test needs all of it")]

use catena_document::{Document, Node, NodeKind, Table};
use catena_parse::{ParseError, ParseOptions, Parsed, Source, parse};
use std::fmt::Write as _;

/// Reads a file that refers to no other.
pub(crate) fn read(uri: &str, bytes: &[u8]) -> Result<Parsed, ParseError> {
    read_with(uri, bytes, &|_| None)
}

/// Reads a file beside which others may lie.
pub(crate) fn read_with(
    uri: &str,
    bytes: &[u8],
    resolve: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Parsed, ParseError> {
    let source = Source {
        uri,
        bytes,
        resolve,
    };
    let parsed = parse(&source, &ParseOptions::default())?;
    assert_sound(&parsed);
    Ok(parsed)
}

/// Checks what holds for every tree: parents stand before their children and know them, nodes
/// below a node follow it without a gap, pictures have their bytes.
pub(crate) fn assert_sound(parsed: &Parsed) {
    let nodes = &parsed.document.nodes;
    let mut open: Vec<u32> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        assert_eq!(node.id.0 as usize, at);
        while open.last() != node.parent.as_ref().map(|parent| &parent.0) {
            assert!(open.pop().is_some(), "node {at} does not follow its parent");
        }
        open.push(at as u32);
        assert!(node.children.windows(2).all(|pair| pair[0] < pair[1]));
        for &child in &node.children {
            assert!(child > node.id);
            assert_eq!(nodes[child.0 as usize].parent, Some(node.id));
        }
        if let Some(parent) = node.parent {
            let siblings = &nodes[parent.0 as usize].children;
            assert!(siblings.binary_search(&node.id).is_ok());
        }
        for place in &node.provenance {
            let page = parsed.document.pages.get(place.page as usize - 1);
            assert!(page.is_some_and(|page| page.number == place.page));
            assert!(place.char_span.end as usize <= node.text.len());
        }
        match &node.kind {
            NodeKind::Picture(picture) => {
                let held = |hash| parsed.assets.iter().any(|asset| asset.hash == hash);
                assert!(picture.image.is_none_or(held));
            }
            NodeKind::Table(table) => {
                assert_grid(table);
                assert_eq!(node.text, table.text());
            }
            NodeKind::SectionHeader { level } => assert!(*level >= 1),
            _ => {}
        }
    }
}

/// Checks that a table's cells are in order, inside it, and do not overlap.
fn assert_grid(table: &Table) {
    let places = table.rows as usize * table.columns as usize;
    assert!(places <= 2_000_000, "{} × {}", table.rows, table.columns);
    let mut taken = vec![false; places];
    let order: Vec<_> = table
        .cells
        .iter()
        .map(|cell| (cell.row, cell.column))
        .collect();
    assert!(order.is_sorted());
    for cell in &table.cells {
        for row in cell.row..cell.row + cell.row_span {
            for column in cell.column..cell.column + cell.column_span {
                let place = (row * table.columns + column) as usize;
                assert!(column < table.columns && !taken[place], "{cell:?}");
                taken[place] = true;
            }
        }
    }
}

/// A document's title, tree and warnings as indented text.
pub(crate) fn shown(parsed: &Parsed) -> String {
    let document = &parsed.document;
    let mut out = format!("{:?}\n", document.title);
    for node in document.roots() {
        show(document, node, 0, &mut out);
    }
    for warning in &parsed.warnings {
        writeln!(out, "! {warning}").unwrap();
    }
    out
}

fn show(document: &Document, node: &Node, depth: usize, out: &mut String) {
    let text = node.text.as_str();
    let pad = "  ".repeat(depth);
    let what = match &node.kind {
        NodeKind::Title => format!("Title {text}"),
        NodeKind::SectionHeader { level } => format!("{} {text}", "#".repeat((*level).into())),
        NodeKind::ListItem { marker } => format!("({marker}) {text}"),
        NodeKind::Step { marker } => format!("step {marker} {text}"),
        NodeKind::Table(table) => cells(table, &pad),
        NodeKind::Picture(picture) => {
            let image = if picture.image.is_some() {
                "image"
            } else {
                "-"
            };
            let alt = picture
                .alt
                .as_deref()
                .map(|alt| format!(" {alt:?}"))
                .unwrap_or_default();
            let words = if text.is_empty() {
                String::new()
            } else {
                format!(" words: {text}")
            };
            format!("Picture {image}{alt}{words}")
        }
        NodeKind::Code => format!("Code {text:?}"),
        kind => format!("{kind:?} {text}"),
    };
    let anchor = node
        .anchor
        .as_deref()
        .map(|name| format!(" #{name}"))
        .unwrap_or_default();
    writeln!(
        out,
        "{}",
        format!("{pad}{}{anchor}", what.trim_end()).trim_end()
    )
    .unwrap();
    for child in document.children(node.id) {
        show(document, child, depth + 1, out);
    }
}

/// A table's cells by row; header cells in brackets, spans after the text.
fn cells(table: &Table, pad: &str) -> String {
    let mut out = format!("Table {}x{}", table.rows, table.columns);
    for row in 0..table.rows {
        let texts: Vec<_> = table
            .row(row)
            .map(|cell| {
                let span = match (cell.row_span, cell.column_span) {
                    (1, 1) => String::new(),
                    (rows, columns) => format!("({rows}x{columns})"),
                };
                let text = &cell.text;
                let text = if cell.header {
                    format!("[{text}]")
                } else {
                    text.clone()
                };
                format!("{}:{text}{span}", cell.column)
            })
            .collect();
        write!(out, "\n{pad}  | {}", texts.join(" | ")).unwrap();
    }
    out
}

/// The links between a document's nodes, by their texts.
pub(crate) fn links(name: &str, bytes: &[u8]) -> Vec<String> {
    let document = read(name, bytes).unwrap().document;
    let text = |node: &Node| node.text.clone();
    let tied = document.nodes.iter().flat_map(|node| {
        let to = node.links.iter().filter_map(|&to| document.node(to));
        to.map(move |to| format!("{} → {}", text(node), text(to)))
    });
    tied.collect()
}
