//! Figures and captions of small PDFs drawn here.

// Files are put together piece by piece; how fast does not matter here.
#![allow(clippy::format_collect)]

use catena_document::{Document, Node, NodeKind};
use catena_parse::{ParseOptions, Source, parse};
use std::fmt::Write as _;

/// Height of a page in points; places are told from its top.
const HEIGHT: f32 = 792.0;

/// What is drawn on a page.
#[derive(Default)]
struct Page(String);

impl Page {
    fn text(&mut self, left: f32, baseline: f32, text: &str) -> &mut Self {
        self.sized(left, baseline, 10.0, text)
    }

    fn sized(&mut self, left: f32, baseline: f32, size: f32, text: &str) -> &mut Self {
        let y = HEIGHT - baseline;
        let text = text.replace('(', "\\(").replace(')', "\\)");
        let _ = writeln!(self.0, "BT /F {size} Tf {left} {y} Td ({text}) Tj ET");
        self
    }

    /// Lines of running text, 12 points each, from a baseline.
    fn prose(&mut self, baseline: f32, lines: usize) -> &mut Self {
        for line in 0..lines {
            let text =
                "The pump takes water from the tank and presses it into the boiler, where it";
            self.text(72.0, baseline + 12.0 * line as f32, text);
        }
        self
    }

    /// One of the pictures 0 to 5, in a box.
    fn picture(&mut self, number: usize, [left, top, width, height]: [f32; 4]) -> &mut Self {
        let y = HEIGHT - top - height;
        let _ = writeln!(
            self.0,
            "q {width} 0 0 {height} {left} {y} cm /I{number} Do Q"
        );
        self
    }

    fn bar(&mut self, [left, top, width, height]: [f32; 4], grey: f32) -> &mut Self {
        let y = HEIGHT - top - height;
        let _ = writeln!(self.0, "{grey} g {left} {y} {width} {height} re f 0 g");
        self
    }

    /// A line through points.
    fn line(&mut self, points: &[(f32, f32)]) -> &mut Self {
        for (at, (x, y)) in points.iter().enumerate() {
            let step = if at == 0 { "m" } else { "l" };
            let _ = write!(self.0, "{x} {} {step} ", HEIGHT - y);
        }
        self.0.push_str("S\n");
        self
    }
}

/// A PDF of pages.
fn pdf(pages: &[Page]) -> Vec<u8> {
    let mut objects = vec!["<</Type/Catalog/Pages 2 0 R>>".to_owned()];
    let kids: Vec<String> = (0..pages.len())
        .map(|at| format!("{} 0 R", 10 + 2 * at))
        .collect();
    objects.push(format!(
        "<</Type/Pages/Kids[{}]/Count {}>>",
        kids.join(" "),
        pages.len()
    ));
    // Every letter is half as wide as high, so that places can be told.
    let widths = "500 ".repeat(95);
    objects.push(format!(
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding\
         /FirstChar 32/LastChar 126/Widths[{widths}]>>"
    ));
    for picture in 0..6 {
        let data: String = (0..12)
            .map(|at| format!("{:02x}", at * 9 + picture * 20))
            .collect();
        objects.push(format!(
            "<</Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceRGB\
             /BitsPerComponent 8/Filter/ASCIIHexDecode/Length {}>>stream\n{data}>\nendstream",
            data.len() + 1
        ));
    }
    let pictures: String = (0..6).map(|at| format!("/I{at} {} 0 R", 4 + at)).collect();
    for (at, page) in pages.iter().enumerate() {
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 {HEIGHT}]/Contents {} 0 R\
             /Resources<</Font<</F 3 0 R>>/XObject<<{pictures}>>>>>>",
            11 + 2 * at
        ));
        let length = page.0.len();
        objects.push(format!("<</Length {length}>>stream\n{}\nendstream", page.0));
    }
    let mut out = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        places.push(out.len());
        let _ = writeln!(out, "{number} 0 obj\n{object}\nendobj");
    }
    let table = out.len();
    let _ = writeln!(out, "xref\n0 {}\n0000000000 65535 f ", places.len() + 1);
    for place in &places {
        let _ = writeln!(out, "{place:010} 00000 n ");
    }
    let _ = writeln!(
        out,
        "trailer<</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF",
        places.len() + 1
    );
    out.into_bytes()
}

fn read(pages: &[Page]) -> Document {
    let bytes = pdf(pages);
    let source = Source {
        uri: "drawn.pdf",
        bytes: &bytes,
        resolve: &|_| None,
    };
    parse(&source, &ParseOptions::default()).unwrap().document
}

/// Figures, tables and formulas with their boxes and captions, a line each, parts indented.
fn show(document: &Document) -> String {
    let mut out = String::new();
    for node in &document.nodes {
        let kind = match node.kind {
            NodeKind::Picture(_) => "figure",
            NodeKind::Table(_) => "table",
            NodeKind::Formula => "formula",
            _ => continue,
        };
        let bbox = node.provenance[0].bbox;
        let sides = [bbox.left, bbox.top, bbox.right, bbox.bottom].map(f32::round);
        let caption = |node: &Node| {
            let mut children = document.children(node.id);
            let caption = children.find(|child| child.kind == NodeKind::Caption);
            caption.map_or(String::new(), |caption| caption.text.clone())
        };
        let inner = node.parent.and_then(|parent| document.node(parent));
        let inner = inner.is_some_and(|parent| matches!(parent.kind, NodeKind::Picture(_)));
        let indent = if inner { "  " } else { "" };
        let text = match node.kind {
            NodeKind::Formula => node.text.clone(),
            _ => caption(node),
        };
        let page = node.provenance[0].page;
        let line = format!("{indent}p{page} {kind} {sides:?} {text}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn page(draw: impl FnOnce(&mut Page)) -> Page {
    let mut page = Page::default();
    draw(&mut page);
    page
}

#[test]
fn captions_above_go_one_to_one_over_the_page_and_to_the_next() {
    let pages = [
        page(|page| {
            page.prose(80.0, 3);
            page.text(72.0, 140.0, "Figure 1. The tank");
            page.picture(0, [72.0, 150.0, 160.0, 90.0]);
            page.text(72.0, 255.0, "Figure 2. The pump");
            page.picture(1, [72.0, 265.0, 160.0, 90.0]);
            page.text(72.0, 370.0, "Figure 3. The boiler");
            page.picture(2, [72.0, 380.0, 160.0, 90.0]);
            page.prose(500.0, 3);
            page.text(72.0, 720.0, "Figure 4. The valve");
        }),
        page(|page| {
            page.picture(3, [72.0, 60.0, 160.0, 90.0]);
            page.prose(180.0, 3);
        }),
    ];
    insta::assert_snapshot!(show(&read(&pages)), @"
    p1 figure [72.0, 150.0, 232.0, 240.0] Figure 1. The tank
    p1 figure [72.0, 265.0, 232.0, 355.0] Figure 2. The pump
    p1 figure [72.0, 380.0, 232.0, 470.0] Figure 3. The boiler
    p2 figure [72.0, 60.0, 232.0, 150.0] Figure 4. The valve
    ");
}

#[test]
fn a_picture_keeps_clear_of_the_line_under_its_heading() {
    let pages = [page(|page| {
        page.prose(80.0, 3);
        page.text(72.0, 140.0, "Figure 1. The tank");
        page.line(&[(72.0, 144.0), (540.0, 144.0)]);
        page.picture(0, [72.0, 148.0, 160.0, 90.0]);
        page.prose(260.0, 3);
    })];
    insta::assert_snapshot!(show(&read(&pages)), @"
    p1 figure [72.0, 148.0, 232.0, 238.0] Figure 1. The tank
    ");
}

#[test]
fn a_logo_on_every_page_is_no_figure_and_other_pictures_in_its_place_are() {
    let pages: Vec<Page> = (0..4)
        .map(|at| {
            page(|page| {
                page.picture(5, [400.0, 700.0, 140.0, 60.0]);
                page.picture(at, [72.0, 60.0, 160.0, 90.0]);
                page.prose(180.0, 8);
            })
        })
        .collect();
    insta::assert_snapshot!(show(&read(&pages)), @"
    p1 figure [72.0, 60.0, 232.0, 150.0]
    p2 figure [72.0, 60.0, 232.0, 150.0]
    p3 figure [72.0, 60.0, 232.0, 150.0]
    p4 figure [72.0, 60.0, 232.0, 150.0]
    ");
}

#[test]
fn a_note_with_a_sign_is_text() {
    let pages = [page(|page| {
        page.prose(80.0, 3);
        page.bar([72.0, 130.0, 460.0, 60.0], 0.8);
        page.picture(0, [80.0, 140.0, 36.0, 36.0]);
        for line in 0..4 {
            let text =
                "Turn the shaft of the new pump by hand before you fit it: it must not stick";
            page.text(130.0, 145.0 + 12.0 * line as f32, text);
        }
        page.prose(220.0, 3);
    })];
    insta::assert_snapshot!(show(&read(&pages)), @"");
}

#[test]
fn a_chart_has_its_legend_and_its_panels() {
    let pages = [page(|page| {
        page.prose(80.0, 4);
        // Curves with the legend above them.
        page.line(&[(110.0, 150.0), (130.0, 150.0)]);
        page.text(134.0, 153.0, "Water");
        for below in [0.0_f32, 12.0] {
            let steps = 0..=20_u8;
            let curve = steps.map(|at| {
                let height = f32::from(at % 4) * 8.0;
                (100.0 + 10.0 * f32::from(at), 180.0 + below + height)
            });
            page.line(&curve.collect::<Vec<_>>());
        }
        page.prose(310.0, 4);
        // Bars in two panels.
        for panel in [110.0, 230.0] {
            for (at, width) in [60.0_f32, 80.0, 40.0, 70.0].into_iter().enumerate() {
                let top = 400.0 + 18.0 * at as f32;
                page.bar([panel, top, width, 10.0], 0.5);
                page.line(&[(panel, top - 4.0), (panel, top + 14.0)]);
                page.line(&[(panel + 90.0, top), (panel + 94.0, top + 7.0)]);
                page.text(panel + width + 4.0, top + 9.0, "17");
            }
        }
        page.text(76.0, 409.0, "North").text(76.0, 427.0, "South");
        page.prose(520.0, 4);
    })];
    insta::assert_snapshot!(show(&read(&pages)), @"
    p1 figure [100.0, 145.0, 300.0, 216.0]
    p1 figure [76.0, 396.0, 324.0, 469.0]
    ");
}

#[test]
fn boxes_of_text_with_a_caption_are_a_figure() {
    let pages = [page(|page| {
        page.prose(80.0, 3);
        page.bar([72.0, 130.0, 468.0, 100.0], 0.9);
        for line in 0..6 {
            let text =
                "Question: is the pump running while the valve is closed and the tank is full";
            page.text(80.0, 148.0 + 12.0 * line as f32, text);
        }
        page.text(72.0, 246.0, "Figure 1: A question to the model");
        page.prose(280.0, 6);
    })];
    insta::assert_snapshot!(show(&read(&pages)), @"
    p1 figure [72.0, 130.0, 540.0, 237.0] Figure 1: A question to the model
    ");
}

#[test]
fn parts_of_a_figure_have_their_boxes_and_captions() {
    let pages = [page(|page| {
        page.prose(80.0, 3);
        page.picture(0, [90.0, 130.0, 160.0, 90.0]);
        page.picture(1, [290.0, 130.0, 160.0, 90.0]);
        page.sized(130.0, 234.0, 9.0, "(a) The old pump");
        page.sized(330.0, 234.0, 9.0, "(b) The new pump");
        page.text(90.0, 256.0, "Figure 7. The pumps");
        page.prose(290.0, 3);
        page.text(72.0, 330.0, "The new pump in Figure 7(b) is smaller.");
    })];
    let document = read(&pages);
    insta::assert_snapshot!(show(&document), @"
    p1 figure [90.0, 130.0, 450.0, 236.0] Figure 7. The pumps
      p1 figure [90.0, 130.0, 250.0, 236.0] (a) The old pump
      p1 figure [290.0, 130.0, 450.0, 236.0] (b) The new pump
    ");
    let edges = catena_document::edges(&document);
    let named = edges.iter().find(|edge| {
        let from = document.node(edge.from).unwrap();
        edge.kind == catena_document::EdgeKind::RefersTo && from.text.contains("Figure 7(b)")
    });
    let part = document.node(named.unwrap().to).unwrap();
    let caption = document.children(part.id).next().unwrap();
    assert_eq!(caption.text, "(b) The new pump");
}
