//! The links that a PDF's file has between its own places, as ties between nodes.

use super::destination::{Destination, Destinations, transform};
use super::heading::is_contents_line;
use catena_document::{BBox, Node, NodeId, NodeKind};
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::dict::keys::SUBTYPE;
use hayro::hayro_syntax::object::{Array, Dict, Name, Rect};
use hayro::kurbo::Point;

/// Links of one page that are followed.
const MAX_LINKS: usize = 4_000;
/// A destination stands at most this far below the top of what it leads to, in points.
const SLACK: f32 = 3.0;

/// Sets the links of the nodes.
pub(super) fn set(pdf: &Pdf, destinations: &Destinations<'_>, nodes: &mut [Node]) {
    let places = places(nodes, pdf.pages().len());
    let mut ties: Vec<(NodeId, NodeId)> = Vec::new();
    for (page, here) in pdf.pages().iter().zip(&places) {
        let Some(annotations) = page.raw().get::<Array<'_>>(b"Annots") else {
            continue;
        };
        let to_page = transform(page);
        for link in annotations.iter::<Dict<'_>>().take(MAX_LINKS) {
            let is_link = link
                .get::<Name<'_>>(SUBTYPE)
                .is_some_and(|kind| &*kind == b"Link");
            let Some(rect) = link.get::<Rect>(b"Rect").filter(|_| is_link) else {
                continue;
            };
            let middle = to_page
                * Point::new(
                    f64::midpoint(rect.x0, rect.x1),
                    f64::midpoint(rect.y0, rect.y1),
                );
            let Some(from) = holder(here, middle.x as f32, middle.y as f32) else {
                continue;
            };
            let destination = destinations.of_item(&link);
            let to = destination.and_then(|to| {
                let there = places.get(to.page.checked_sub(1)? as usize)?;
                target(there, to)
            });
            ties.extend(to.map(|to| (from, to)));
        }
    }
    for (from, to) in ties {
        let to = figure_of(nodes, to);
        let node = &mut nodes[from.0 as usize];
        // A table of contents leads everywhere.
        let contents = node.kind == NodeKind::Contents || node.text.lines().any(is_contents_line);
        if from != to && !contents && !node.links.contains(&to) {
            node.links.push(to);
        }
    }
}

/// The lines on each page with their nodes, in reading order.
fn places(nodes: &[Node], pages: usize) -> Vec<Vec<(BBox, NodeId)>> {
    let mut out = vec![Vec::new(); pages];
    for node in nodes {
        if matches!(node.kind, NodeKind::PageHeader | NodeKind::PageFooter) {
            continue;
        }
        for place in &node.provenance {
            if let Some(page) = out.get_mut((place.page as usize).saturating_sub(1)) {
                page.push((place.bbox, node.id));
            }
        }
    }
    out
}

/// The node of the smallest box that holds a point.
fn holder(places: &[(BBox, NodeId)], x: f32, y: f32) -> Option<NodeId> {
    places
        .iter()
        .filter(|(bbox, _)| bbox.inflate(1.0).contains_point(x, y))
        .min_by(|(a, _), (b, _)| a.area().total_cmp(&b.area()))
        .map(|&(_, id)| id)
}

/// What a destination leads to: the first thing at or below its point, in its column where there
/// are several; without a point what the page begins with.
fn target(places: &[(BBox, NodeId)], to: Destination) -> Option<NodeId> {
    let Some((x, y)) = to.point else {
        return places.first().map(|&(_, id)| id);
    };
    let below = |(bbox, _): &&(BBox, NodeId)| bbox.bottom > y + SLACK;
    let first = |column: bool| {
        places
            .iter()
            .filter(below)
            // A link to a column leads to its left edge or a little before.
            .filter(|(bbox, _)| !column || (bbox.right > x && bbox.left < x + 120.0))
            .min_by(|(a, _), (b, _)| a.top.total_cmp(&b.top))
            .map(|&(_, id)| id)
    };
    first(true).or_else(|| first(false))
}

/// The figure or table of a caption, else the node itself.
fn figure_of(nodes: &[Node], id: NodeId) -> NodeId {
    let node = &nodes[id.0 as usize];
    match node.parent {
        Some(parent) if node.kind == NodeKind::Caption => parent,
        _ => id,
    }
}
