//! What stands on a slide, where, and in which order it is read.

use super::UNITS_PER_POINT;
use super::layout::{Layout, Placeholder};
use crate::office::drawing::paragraphs;
use crate::xml::Element;
use catena_document::BBox;

/// Shapes of a slide that are read.
const MAX_SHAPES: usize = 20_000;

/// A shape, picture, table or group.
pub(super) struct Shape<'a> {
    pub(super) element: Element<'a>,
    pub(super) bbox: Option<BBox>,
    pub(super) placeholder: Placeholder,
    /// What a group holds, in reading order.
    pub(super) parts: Vec<Shape<'a>>,
}

/// From the coordinates within a group to those of the slide, in points.
#[derive(Clone, Copy)]
struct Transform {
    scale: [f32; 2],
    shift: [f32; 2],
}

impl Transform {
    fn apply(self, bbox: [f32; 4]) -> BBox {
        let [x, y, width, height] = bbox;
        let point = |value: f32, axis: usize| value * self.scale[axis] + self.shift[axis];
        BBox::new(
            point(x, 0),
            point(y, 1),
            point(x + width, 0),
            point(y + height, 1),
        )
    }

    /// The transform within a group.
    fn within(self, group: Element<'_>) -> Self {
        let outer = bounds(group, "off", "ext");
        let inner = bounds(group, "chOff", "chExt");
        let (Some(outer), Some(inner)) = (outer, inner) else {
            return self;
        };
        let axis = |at: usize| {
            let factor = if inner[at + 2] > 0.0 {
                outer[at + 2] / inner[at + 2]
            } else {
                1.0
            };
            let scale = self.scale[at] * factor;
            let shift = (outer[at] - inner[at] * factor) * self.scale[at] + self.shift[at];
            (scale, shift)
        };
        let (x, y) = (axis(0), axis(1));
        Self {
            scale: [x.0, y.0],
            shift: [x.1, y.1],
        }
    }
}

/// The shapes of a slide in reading order.
pub(super) fn read<'a>(tree: Element<'a>, layout: &Layout) -> Vec<Shape<'a>> {
    let to_points = Transform {
        scale: [1.0 / UNITS_PER_POINT; 2],
        shift: [0.0; 2],
    };
    let mut left = MAX_SHAPES;
    collect(tree, layout, to_points, &mut left)
}

fn collect<'a>(
    tree: Element<'a>,
    layout: &Layout,
    transform: Transform,
    left: &mut usize,
) -> Vec<Shape<'a>> {
    let mut out = Vec::new();
    for element in tree.children() {
        let wanted = matches!(
            element.name(),
            "sp" | "pic" | "graphicFrame" | "cxnSp" | "grpSp"
        );
        if !wanted || *left == 0 || is_hidden(element) {
            continue;
        }
        *left -= 1;
        let frame = element.children().find_map(frame_of);
        let placeholder = Placeholder::read(element);
        let inherited = || {
            let frame = |above: Element<'_>| frame_bounds(above.children().find_map(frame_of)?);
            layout.above(&placeholder).find_map(frame)
        };
        let bbox = frame.and_then(frame_bounds).or_else(inherited);
        let parts = match frame {
            Some(frame) if element.name() == "grpSp" => {
                collect(element, layout, transform.within(frame), left)
            }
            None if element.name() == "grpSp" => collect(element, layout, transform, left),
            _ => Vec::new(),
        };
        out.push(Shape {
            element,
            bbox: bbox.map(|bbox| transform.apply(bbox)),
            placeholder,
            parts,
        });
    }
    in_reading_order(out)
}

/// The frame that a shape's properties give.
fn frame_of(child: Element<'_>) -> Option<Element<'_>> {
    match child.name() {
        "xfrm" => Some(child),
        "spPr" | "grpSpPr" => child.child("xfrm"),
        _ => None,
    }
}

fn frame_bounds(frame: Element<'_>) -> Option<[f32; 4]> {
    bounds(frame, "off", "ext")
}

fn bounds(frame: Element<'_>, offset: &str, extent: &str) -> Option<[f32; 4]> {
    let (offset, extent) = (frame.child(offset)?, frame.child(extent)?);
    Some([
        offset.number("x")? as f32,
        offset.number("y")? as f32,
        extent.number("cx")?.max(0) as f32,
        extent.number("cy")?.max(0) as f32,
    ])
}

fn is_hidden(element: Element<'_>) -> bool {
    let names = element.children().find_map(|own| own.child("cNvPr"));
    names.and_then(|names| names.attr("hidden")) == Some("1")
}

/// From top to bottom; what stands beside each other from the left. What has no place stays
/// where the file has it, before the rest.
fn in_reading_order(shapes: Vec<Shape<'_>>) -> Vec<Shape<'_>> {
    let (mut placed, mut out): (Vec<_>, Vec<_>) =
        shapes.into_iter().partition(|shape| shape.bbox.is_some());
    let bbox = |shape: &Shape<'_>| shape.bbox.unwrap_or_default();
    placed.sort_by(|a, b| bbox(a).top.total_cmp(&bbox(b).top));
    let mut rest = placed.into_iter().peekable();
    while let Some(first) = rest.next() {
        let lead = bbox(&first);
        let mut row = vec![first];
        while let Some(next) = rest.next_if(|next| {
            let next = bbox(next);
            next.overlap_y(&lead) * 2.0 > next.height().min(lead.height())
        }) {
            row.push(next);
        }
        row.sort_by(|a, b| bbox(a).left.total_cmp(&bbox(b).left));
        out.extend(row);
    }
    out
}

/// Takes the title out of the shapes, if there is one.
pub(super) fn take_title<'a>(shapes: &mut Vec<Shape<'a>>) -> Option<(Shape<'a>, String)> {
    let words = |shape: &Shape<'_>| {
        let body = shape.element.child("txBody")?;
        Some(paragraphs(body)).filter(|text| !text.is_empty())
    };
    let at = shapes
        .iter()
        .position(|shape| shape.placeholder.is_title() && words(shape).is_some())?;
    let title = shapes.remove(at);
    let text = words(&title)?;
    Some((title, text))
}
