//! How long drawing an SVG takes, told before it is drawn: a few lines may ask for years.

use resvg::usvg::roxmltree::{Document, Node};
use resvg::usvg::{self, filter, tiny_skia_path::Rect};
use std::collections::HashMap;

/// Elements within elements.
const MAX_DEPTH: u32 = 128;
/// Elements, those that are drawn again by reference counted again, and characters.
const MAX_WEIGHT: u64 = 400_000;
/// Rounds in which references are followed; more than drawings nest them.
const MAX_ROUNDS: usize = 64;
/// Characters of one text that cost as much as as many elements. Their cost grows in the square.
const LONG_TEXT: u64 = 2_000;
/// Pixels that may be painted, each as often as it is painted over.
const MAX_PAINTED: f64 = 1e9;

/// Whether an SVG's elements are few enough, those that refer to others (`<use>`, patterns, masks,
/// markers) holding them as it were.
pub(crate) fn is_small(document: &Document<'_>) -> bool {
    let nodes: Vec<Node<'_, '_>> = document.descendants().collect();
    let index: HashMap<_, usize> = nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id(), at))
        .collect();
    let names: HashMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .filter_map(|(at, node)| Some((node.attribute("id")?, at)))
        .collect();
    let parents: Vec<usize> = nodes
        .iter()
        .map(|node| {
            node.parent()
                .and_then(|parent| index.get(&parent.id()).copied())
                .unwrap_or(0)
        })
        .collect();
    let mut depths = vec![0_u32; nodes.len()];
    for at in 1..nodes.len() {
        depths[at] = depths[parents[at]] + 1;
        if nodes[at].is_element() && depths[at] > MAX_DEPTH {
            return false;
        }
    }
    let references: Vec<(usize, usize, u64)> = nodes
        .iter()
        .enumerate()
        .flat_map(|(at, node)| references(node).map(move |(name, times)| (at, name, times)))
        .filter_map(|(at, name, times)| Some((at, *names.get(name)?, times)))
        .collect();
    let own: Vec<u64> = nodes.iter().map(own_weight).collect();
    let mut weights = own.clone();
    for _ in 0..MAX_ROUNDS {
        let mut next = own.clone();
        for &(at, target, times) in &references {
            next[at] = next[at].saturating_add(weights[target].saturating_mul(times));
        }
        for at in (1..nodes.len()).rev() {
            next[parents[at]] = next[parents[at]].saturating_add(next[at]);
        }
        if next.first().is_some_and(|&all| all > MAX_WEIGHT) {
            return false;
        }
        if next == weights {
            break;
        }
        weights = next;
    }
    true
}

fn own_weight(node: &Node<'_, '_>) -> u64 {
    if node.tag_name().name() != "text" {
        return 1;
    }
    let texts = node.descendants().filter(Node::is_text);
    let count: usize = texts.filter_map(|text| text.text()).map(str::len).sum();
    let count = count as u64;
    1 + count + count * count / LONG_TEXT
}

/// The elements that an element refers to, and how often each is drawn for it.
fn references<'a>(node: &Node<'a, '_>) -> impl Iterator<Item = (&'a str, u64)> {
    let link = node.tag_name().name() == "a";
    // A marker stands at every point of a path.
    let points = node
        .attribute("d")
        .or(node.attribute("points"))
        .map_or(1, |path| 1 + path.len() as u64 / 4);
    node.attributes().flat_map(move |attribute| {
        let value = attribute.value();
        let whole = (attribute.name() == "href" && !link)
            .then(|| value.trim().strip_prefix('#'))
            .flatten();
        let times = if value.contains("marker") || attribute.name().starts_with("marker") {
            points
        } else {
            1
        };
        let parts = value.split("url(").skip(1).filter_map(|part| {
            let name = part.split(')').next()?.trim().trim_matches(['"', '\'']);
            name.strip_prefix('#')
        });
        whole
            .into_iter()
            .chain(parts)
            .map(move |name| (name, times))
    })
}

/// Whether drawing at `scale` paints few enough pixels.
pub(crate) fn is_quick(tree: &usvg::Tree, scale: f32) -> bool {
    let size = tree.size();
    let Some(canvas) = Rect::from_xywh(0.0, 0.0, size.width(), size.height()) else {
        return false;
    };
    let mut painted = Painted {
        canvas,
        scale: f64::from(scale),
        pixels: 0.0,
    };
    painted.add(tree.root());
    painted.pixels <= MAX_PAINTED
}

/// The pixels painted so far.
struct Painted {
    canvas: Rect,
    scale: f64,
    pixels: f64,
}

impl Painted {
    fn add(&mut self, group: &usvg::Group) {
        if self.pixels > MAX_PAINTED {
            return;
        }
        if group.should_isolate() {
            let filters = group.filters().iter();
            let parts = filters.flat_map(|filter| filter.primitives());
            let steps: f64 = parts.map(|part| steps(part.kind(), self.scale)).sum();
            self.pixels += self.area(group.abs_layer_bounding_box().to_rect()) * (1.0 + steps);
        }
        for node in group.children() {
            if let usvg::Node::Group(group) = node {
                self.add(group);
            } else {
                self.pixels += self.area(node.abs_stroke_bounding_box());
            }
            node.subroots(|root| self.add(root));
        }
    }

    /// The pixels of a box that lie on the canvas, and one for its own sake.
    fn area(&self, bbox: Rect) -> f64 {
        let shared = self.canvas.intersect(&bbox);
        let shared = shared.map_or(0.0, |shared| {
            f64::from(shared.width()) * f64::from(shared.height())
        });
        1.0 + shared * self.scale * self.scale
    }
}

/// Steps that a filter takes for a pixel.
fn steps(kind: &filter::Kind, scale: f64) -> f64 {
    match kind {
        filter::Kind::Morphology(own) => {
            let side = |radius: f32| f64::from(radius) * scale * 2.0 + 1.0;
            side(own.radius_x().get()) * side(own.radius_y().get())
        }
        filter::Kind::ConvolveMatrix(own) => own.matrix().data().len() as f64,
        filter::Kind::Turbulence(own) => f64::from(own.num_octaves()) * 50.0,
        _ => 10.0,
    }
}
