//! Captions: is each figure's caption tied to its figure?
//!
//! The gold is the HTML that a PDF was printed from. Its figures with a caption and those that were
//! found are paired in order by the words of the caption; where the shape of the gold picture is
//! known, a found picture of another shape is not the one that the caption belongs to.

use super::twin::{html, pairs};
use super::{Asked, Case, Row};
use crate::markup::Element;
use crate::text::{align, folded};
use crate::{EvalError, Metric};
use catena_document::{Document, NodeKind};
use std::path::{Path, PathBuf};

/// How far the ratio of width to height may be off: crops leave out white margins.
const SHAPE: f32 = 1.25;

/// A figure with its caption.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tied {
    /// The caption's words, folded.
    caption: String,
    /// Width over height of the picture, where that is known and it is the figure's only one.
    shape: Option<f32>,
    page: Option<u32>,
}

/// The documents with the captioned figures of the HTML that they were printed from.
pub(super) fn read(set: &Path) -> Result<Vec<Asked<Vec<Tied>>>, EvalError> {
    let pairs = pairs(set, &["html", "htm", "xhtml"])?.into_iter();
    let gold = |path: &PathBuf| {
        let root = html(path)?;
        let figures = root.all(&is_figure);
        Ok(figures
            .iter()
            .filter_map(|figure| gold(figure, path))
            .collect())
    };
    pairs.map(|pair| pair.try_map(gold)).collect()
}

/// Whether an element holds pictures with their caption.
fn is_figure(element: &Element) -> bool {
    let figure = element.name == "figure"
        || (element.name == "div" && (element.has_class("figure") || element.has_class("float")));
    figure && !element.all(&is_picture).is_empty()
}

fn is_picture(element: &Element) -> bool {
    matches!(element.name.as_str(), "img" | "svg" | "object")
}

fn is_caption(element: &Element) -> bool {
    element.name == "figcaption"
        || ["title", "caption", "figure-title"]
            .iter()
            .any(|class| element.has_class(class))
}

fn gold(figure: &Element, path: &Path) -> Option<Tied> {
    let captions = figure.all(&is_caption);
    let caption = folded(&captions.first()?.text());
    let pictures = figure.all(&is_picture);
    let shape = match pictures.as_slice() {
        [only] => shape(only, path),
        _ => None,
    };
    (!caption.is_empty()).then_some(Tied {
        caption,
        shape,
        page: None,
    })
}

/// Width over height of a picture that stands beside the HTML file.
fn shape(picture: &Element, path: &Path) -> Option<f32> {
    let size = |name: &str| picture.attribute(name)?.parse::<f32>().ok();
    let stated = size("width").zip(size("height"));
    let (width, height) = stated.or_else(|| {
        let source = picture.attribute("src")?;
        let file = path.parent()?.join(source);
        let (width, height) = image::image_dimensions(file).ok()?;
        Some((width as f32, height as f32))
    })?;
    (width > 0.0 && height > 0.0).then(|| width / height)
}

/// Compares the ties of a document with its gold.
pub(super) fn score(name: &str, gold: &[Tied], document: &Document) -> Vec<Case> {
    let found = found(document);
    let pairs = align(gold, &found, |a, b| a.caption == b.caption);
    let mut rows = Vec::new();
    let mut right = 0;
    let (mut next_gold, mut next_found) = (0, 0);
    for &(g, f) in pairs.iter().chain(&[(gold.len(), found.len())]) {
        let row = |expected: Option<&Tied>, found: Option<&Tied>, fault: &str| Row {
            expected: expected.map_or_else(String::new, shown),
            found: found.map_or_else(String::new, shown),
            fault: fault.to_owned(),
        };
        rows.extend(
            gold[next_gold..g]
                .iter()
                .map(|missed| row(Some(missed), None, "missed")),
        );
        rows.extend(
            found[next_found..f]
                .iter()
                .map(|wrong| row(None, Some(wrong), "wrong")),
        );
        if let (Some(gold), Some(found)) = (gold.get(g), found.get(f)) {
            let same = same_shape(gold, found);
            right += usize::from(same);
            let fault = if same { "" } else { "another picture" };
            rows.push(row(Some(gold), Some(found), fault));
        }
        (next_gold, next_found) = (g + 1, f + 1);
    }
    let share = |all: usize| right as f64 / all as f64;
    let mut scores = Vec::new();
    if !found.is_empty() {
        scores.push((Metric::CaptionPrecision, share(found.len())));
    }
    if !gold.is_empty() {
        scores.push((Metric::CaptionRecall, share(gold.len())));
    }
    vec![Case::new(name, name, scores, rows)]
}

/// The pictures that have a caption, in order.
fn found(document: &Document) -> Vec<Tied> {
    let pictures = document.nodes.iter().filter_map(|node| {
        let NodeKind::Picture(_) = node.kind else {
            return None;
        };
        // A part's caption belongs to that of the whole.
        let parent = node.parent.and_then(|parent| document.node(parent));
        if parent.is_some_and(|parent| matches!(parent.kind, NodeKind::Picture(_))) {
            return None;
        }
        let mut children = document.children(node.id);
        let caption = children.find(|child| child.kind == NodeKind::Caption)?;
        let shape = match node.provenance.as_slice() {
            [only] if only.bbox.height() > 0.0 => Some(only.bbox.width() / only.bbox.height()),
            _ => None,
        };
        Some(Tied {
            caption: folded(&caption.text),
            shape,
            page: node.page(),
        })
    });
    pictures.collect()
}

/// Whether the shapes may be those of the same picture.
fn same_shape(gold: &Tied, found: &Tied) -> bool {
    match (gold.shape, found.shape) {
        (Some(gold), Some(found)) => (gold / found).max(found / gold) <= SHAPE,
        _ => true,
    }
}

fn shown(tied: &Tied) -> String {
    let shape = tied.shape.map(|shape| format!("  (1 : {shape:.2})"));
    let page = tied.page.map(|page| format!("  page {page}"));
    format!(
        "{}{}{}",
        tied.caption,
        shape.unwrap_or_default(),
        page.unwrap_or_default()
    )
}
