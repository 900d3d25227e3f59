//! `catena show`

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::json::{JsonDocument, JsonUnit, node_kind};
use crate::output::{BOLD, DIM, WARNING, count, paint, print, print_json, width};
use crate::overlay::overlay;
use crate::picture::SCALE;
use crate::rich::table_rows;
use crate::store::{find_document, find_unit, open, shown};
use crate::terminal::{READABLE, cut, table, wrap};
use anstyle::Style;
use catena_document::{Document, EvidenceUnit, Modality, Node, NodeKind};
use catena_engine::{page_png, unit_png};
use catena_index::{DocumentSummary, Snapshot, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

/// Show a document's tree, a unit, or a picture of a unit or page
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A document (its path, or the first digits of its id), or a unit such as `1a2b3c:17`
    id: String,
    /// Write a picture of the unit or page to this PNG file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The page of the document to write
    #[arg(long, value_name = "N", requires = "output")]
    page: Option<u32>,
    /// Draw what was read over the page: boxes coloured by kind, numbered in reading order
    #[arg(long, requires = "page")]
    overlay: bool,
    /// Write the tree or unit as JSON
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let store = open(&context.settings)?;
    let snapshot = store.snapshot()?;
    let cache = store.render_cache();
    let unit = find_unit(&snapshot, &args.id)?;
    let Some(unit) = unit else {
        let id = find_document(&snapshot, &args.id)?;
        let summary = snapshot.summary(&id)?;
        return match (&args.output, args.page) {
            (Some(path), Some(page)) => {
                let png = page_png(&snapshot, &cache, id, page, SCALE)?;
                let mut png = png.ok_or_else(|| no_page(&summary, page))?;
                if args.overlay {
                    png = over(&snapshot.document(&id)?, page, &png)
                        .ok_or_else(|| no_page(&summary, page))?;
                }
                write(path, &png, context)
            }
            (Some(_), None) => Err(Failure::usage(
                "a document is no picture",
                "name a page with `--page`, or a unit such as `1a2b3c:17`",
            )),
            (None, _) => show_document(&snapshot, &summary, args.json),
        };
    };
    if args.page.is_some() {
        return Err(Failure::usage(
            "a unit has its own page",
            "leave out `--page`, or name the document",
        ));
    }
    let unit = snapshot
        .unit_key(&unit)
        .and_then(|key| snapshot.resolve(key));
    let unit = unit.map_err(|error| match error {
        StoreError::UnknownUnit(_) => Failure::usage(
            format!("no unit `{}`", args.id),
            "`catena search` and `catena ask --json` give the ids of units",
        ),
        error => error.into(),
    })?;
    match &args.output {
        Some(path) => {
            let png = unit_png(&snapshot, &cache, &unit, SCALE)?.ok_or_else(|| {
                let message = format!("`{}` has no picture: its format has no pages", unit.id);
                Failure::usage(message, "`catena show` without `--output` prints it")
            })?;
            write(path, &png, context)
        }
        None if args.json => {
            print_json(&JsonUnit::new(&unit))?;
            Ok(Exit::Done)
        }
        None => {
            print(&unit_text(&unit, width()))?;
            Ok(Exit::Done)
        }
    }
}

/// The image of a page with what was read drawn over it.
fn over(document: &Document, page: u32, png: &[u8]) -> Option<Vec<u8>> {
    let page = document.pages.iter().find(|own| own.number == page)?;
    overlay(document, page, png)
}

fn no_page(summary: &DocumentSummary, page: u32) -> Failure {
    let hint = match summary.pages {
        0 => "its format has no pages".to_owned(),
        pages => format!("it has {}", count(pages as usize, "page", "pages")),
    };
    Failure::usage(format!("there is no page {page} to draw"), hint)
}

fn write(path: &Path, png: &[u8], context: &Context) -> Result<Exit, Failure> {
    fs::write(path, png).map_err(|cause| Failure::file("write", path, cause))?;
    context.ui.note(format!("Wrote `{}`", path.display()));
    Ok(Exit::Done)
}

fn show_document(
    snapshot: &Snapshot,
    summary: &DocumentSummary,
    json: bool,
) -> Result<Exit, Failure> {
    let document = snapshot.document(&summary.id)?;
    if json {
        print_json(&JsonDocument::new(summary, &document))?;
    } else {
        let columns = width();
        print(&(facts(summary, columns) + &tree(&document, columns)))?;
    }
    Ok(Exit::Done)
}

/// What is known of a document, a line each.
fn facts(summary: &DocumentSummary, width: usize) -> String {
    let mut out = format!("{}\n", paint(BOLD, cut(&summary.title, width)));
    let mut fact = |name: &str, value: &str| {
        out.push_str(&format!("{} {value}\n", paint(DIM, format!("{name:<9}"))));
    };
    fact("id", &summary.id.to_string());
    for source in &summary.sources {
        fact("source", &cut(&shown(source), usize::MAX));
    }
    let mut kind = vec![summary.media_type.name().to_owned()];
    if summary.pages > 0 {
        kind.push(count(summary.pages as usize, "page", "pages"));
    }
    kind.extend(summary.language.clone());
    fact("kind", &kind.join(", "));
    for &(view, units) in &summary.units {
        fact(view.name(), &units.to_string());
    }
    for warning in &summary.warnings {
        let warning = cut(warning, usize::MAX);
        out.push_str(&format!("{} {warning}\n", paint(WARNING, "warning  ")));
    }
    out.push('\n');
    out
}

/// The nodes of a document, a line each, indented by their depth.
fn tree(document: &Document, width: usize) -> String {
    let mut depths: Vec<usize> = Vec::with_capacity(document.nodes.len());
    let mut out = String::new();
    for node in &document.nodes {
        let above = node.parent.and_then(|parent| depths.get(parent.0 as usize));
        let depth = above.map_or(0, |depth| depth + 1);
        depths.push(depth);
        out.push_str(&node_line(node, depth, width));
    }
    out
}

fn node_line(node: &Node, depth: usize, width: usize) -> String {
    let page = node
        .page()
        .map_or_else(String::new, |page| format!("p{page}"));
    let kind = match &node.kind {
        NodeKind::SectionHeader { level } => format!("section {level}"),
        NodeKind::ListItem { marker } | NodeKind::Step { marker } => {
            format!("{} {marker}", node_kind(&node.kind))
        }
        NodeKind::Table(table) => format!("table {}×{}", table.rows, table.columns),
        kind => node_kind(kind).to_owned(),
    };
    let indent = "  ".repeat(depth.min(20));
    let head = format!("{page:>5} {indent}{} ", cut(&kind, 24));
    let room = width
        .saturating_sub(console::measure_text_width(&head))
        .max(12);
    let text = cut(&node.text, room);
    let style = match node.kind {
        NodeKind::Title | NodeKind::SectionHeader { .. } => BOLD,
        _ => Style::new(),
    };
    format!("{}{}\n", paint(DIM, head), paint(style, text))
}

/// A unit with what it refers to.
fn unit_text(unit: &EvidenceUnit, width: usize) -> String {
    let readable = width.min(READABLE);
    let name = format!("{} {}", unit.modality.name(), unit.id);
    let mut out = format!("{}\n", paint(BOLD, name));
    let mut field = |name: &str, value: &str| {
        if !value.trim().is_empty() {
            let head = format!("{name:<10}");
            let spans = [(DIM, head.as_str()), (Style::new(), value)];
            out.push_str(&format!("{}\n", wrap(&spans, readable, "", "          ")));
        }
    };
    field("document", &unit.document_title);
    field("section", &unit.heading_path().join(" > "));
    field("relation", unit.relation.kind.name());
    for place in unit.provenance.iter().take(4) {
        let bbox = place.bbox;
        let corner = |x: f32, y: f32| format!("{x:.0},{y:.0}");
        let from = corner(bbox.left, bbox.top);
        let to = corner(bbox.right, bbox.bottom);
        field(
            "place",
            &format!("page {}, from {from} to {to} pt", place.page),
        );
    }
    if unit.provenance.len() > 4 {
        field("", &format!("and {} more", unit.provenance.len() - 4));
    }
    let picture = unit.content.picture.as_ref();
    field(
        "caption",
        unit.content.caption.as_deref().unwrap_or_default(),
    );
    field(
        "alt",
        picture
            .and_then(|picture| picture.alt.as_deref())
            .unwrap_or_default(),
    );
    field("before", &unit.context.before);
    field("after", &unit.context.after);
    for near in &unit.context.nearby {
        field("nearby", &near.text);
    }
    out.push('\n');
    match &unit.content.table {
        Some(cells) if unit.modality == Modality::Table => {
            out.push_str(&table(&table_rows(&cells.markdown()), width));
        }
        _ => {
            let text = [(Style::new(), unit.content.text.as_str())];
            out.push_str(&format!("{}\n", wrap(&text, readable, "", "")));
            if let Some(described) = picture.and_then(|picture| picture.description.as_ref()) {
                let text = format!("{} (described by {})", described.text, described.model);
                let text = [(Style::new(), text.as_str())];
                out.push_str(&format!("{}\n", wrap(&text, readable, "", "")));
            }
        }
    }
    out
}
