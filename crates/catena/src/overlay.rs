//! What was read of a page, drawn over its image.

use crate::json::node_kind;
use catena_document::{BBox, Document, Node, NodeKind, Page};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};
use std::fmt::Write as _;
use std::sync::Arc;

/// Height of a label, in points.
const LABEL: f32 = 8.0;
/// Width of a character of a label, in points; the font's are not wider on average.
const CHARACTER: f32 = 4.4;

/// Draws a box around every node that stands on a page over the page's image, in the colour of
/// its kind and with its number in reading order. What is set aside from the flow has no number.
/// `None` where `png` is no image.
pub(crate) fn overlay(document: &Document, page: &Page, png: &[u8]) -> Option<Vec<u8>> {
    let mut image = Pixmap::decode_png(png).ok()?;
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    let options = Options {
        fontdb: Arc::new(fonts),
        font_family: "DejaVu Sans".to_owned(),
        ..Options::default()
    };
    let drawing = Tree::from_str(&drawing(document, page), &options).ok()?;
    let scale = image.width() as f32 / page.width;
    resvg::render(
        &drawing,
        Transform::from_scale(scale, scale),
        &mut image.as_mut(),
    );
    image.encode_png().ok()
}

/// The boxes and labels of a page as SVG, in points.
fn drawing(document: &Document, page: &Page) -> String {
    let (width, height) = (page.width, page.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">"
    );
    let mut number = 0;
    for node in &document.nodes {
        let parts = parts(node, page.number);
        if parts.is_empty() {
            continue;
        }
        let (colour, flows) = colour(&node.kind);
        let mut label = name(&node.kind);
        if flows {
            number += 1;
            label = format!("{number} {label}");
        }
        for part in parts {
            draw(&part, colour, &label, &mut out);
        }
    }
    out.push_str("</svg>");
    out
}

/// A node's boxes on a page: its lines together, those of another column apart.
fn parts(node: &Node, page: u32) -> Vec<BBox> {
    let mut out: Vec<BBox> = Vec::new();
    for place in node.provenance.iter().filter(|place| place.page == page) {
        match out.last_mut() {
            Some(part) if place.bbox.bottom > part.top && place.bbox.overlap_x(part) > 0.0 => {
                *part = part.union(&place.bbox);
            }
            _ => out.push(place.bbox),
        }
    }
    out
}

/// A kind's colour, and whether it is part of the flow.
fn colour(kind: &NodeKind) -> (&'static str, bool) {
    match kind {
        NodeKind::Title => ("#b00020", true),
        NodeKind::SectionHeader { .. } => ("#e65100", true),
        NodeKind::Text | NodeKind::List => ("#1565c0", true),
        NodeKind::ListItem { .. } | NodeKind::Step { .. } => ("#2e7d32", true),
        NodeKind::Table(_) => ("#6a1b9a", true),
        NodeKind::Picture(_) => ("#00838f", true),
        NodeKind::Caption => ("#c2185b", true),
        NodeKind::Formula => ("#5d4037", true),
        NodeKind::Code => ("#455a64", true),
        NodeKind::Footnote => ("#827717", true),
        NodeKind::Contents | NodeKind::PageHeader | NodeKind::PageFooter => ("#757575", false),
    }
}

/// A kind's name as it stands in a label.
fn name(kind: &NodeKind) -> String {
    match kind {
        NodeKind::SectionHeader { level } => format!("section {level}"),
        kind => node_kind(kind).replace('_', " "),
    }
}

fn draw(bbox: &BBox, colour: &str, label: &str, out: &mut String) {
    let (left, top, width, height) = (bbox.left, bbox.top, bbox.width(), bbox.height());
    let label_width = CHARACTER * label.chars().count() as f32 + 2.0;
    // Above the box, and within the page.
    let label_top = (top - LABEL).max(0.0);
    let baseline = label_top + LABEL - 2.0;
    let _ = write!(
        out,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\" \
         fill-opacity=\"0.08\" stroke=\"{colour}\" stroke-width=\"0.8\"/>\
         <rect x=\"{left}\" y=\"{label_top}\" width=\"{label_width}\" height=\"{LABEL}\" \
         fill=\"{colour}\" fill-opacity=\"0.85\"/>\
         <text x=\"{}\" y=\"{baseline}\" font-size=\"7\" fill=\"#fff\">{label}</text>",
        left + 1.0
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use catena_document::{ContentHash, MediaType, Provenance, TreeBuilder};

    fn document() -> Document {
        let place = |page, sides: [f32; 4]| Provenance {
            page,
            bbox: BBox::new(sides[0], sides[1], sides[2], sides[3]),
            char_span: 0..1,
        };
        let mut tree = TreeBuilder::new();
        let head = vec![place(1, [10.0, 5.0, 60.0, 10.0])];
        tree.add(NodeKind::PageHeader, "Pumps".into(), head);
        tree.section(1, "Pump".into(), vec![place(1, [10.0, 20.0, 90.0, 30.0])]);
        // A paragraph of two columns, then one of the next page.
        let lines = [
            [10.0, 40.0, 90.0, 50.0],
            [10.0, 50.0, 90.0, 60.0],
            [110.0, 20.0, 190.0, 30.0],
        ];
        let lines = lines.map(|sides| place(1, sides)).to_vec();
        tree.add(NodeKind::Text, "Words".into(), lines);
        tree.add(
            NodeKind::Text,
            "More".into(),
            vec![place(2, [10.0, 20.0, 90.0, 30.0])],
        );
        Document {
            id: ContentHash::of(b""),
            sources: vec![],
            media_type: MediaType::Pdf,
            title: String::new(),
            language: None,
            pages: [1, 2]
                .map(|number| Page {
                    number,
                    width: 200.0,
                    height: 100.0,
                    rotation: 0,
                    label: None,
                })
                .to_vec(),
            nodes: tree.finish(),
        }
    }

    #[test]
    fn nodes_are_numbered_and_columns_are_apart() {
        let document = document();
        let drawing = drawing(&document, &document.pages[0]);
        let labels: Vec<&str> = drawing
            .split("fill=\"#fff\">")
            .skip(1)
            .filter_map(|rest| rest.split('<').next())
            .collect();
        assert_eq!(labels, ["page header", "1 section 1", "2 text", "2 text"]);
    }

    #[test]
    fn boxes_are_drawn_where_the_page_has_them() {
        let document = document();
        let mut white = Pixmap::new(400, 200).expect("an image");
        white.fill(resvg::tiny_skia::Color::WHITE);
        let png = white.encode_png().expect("a PNG");
        let drawn = overlay(&document, &document.pages[0], &png).expect("a PNG");
        let drawn = Pixmap::decode_png(&drawn).expect("a PNG");
        let at = |x, y| drawn.pixel(x, y).map(|pixel| (pixel.red(), pixel.blue()));
        // The left side of the heading's box is orange; outside all boxes it is white.
        let (red, blue) = at(20, 55).expect("a pixel");
        assert!(red > 150 && blue < 120, "{red} {blue}");
        assert_eq!(at(300, 150), Some((255, 255)));
        assert!(overlay(&document, &document.pages[0], b"no image").is_none());
    }
}
