//! Pages that are pictures: what models see on them becomes a document.

mod common;
#[path = "common/pdf.rs"]
#[allow(dead_code, reason = "not every test needs all of it")]
mod pdf;

use catena_document::{NodeKind, Table};
use catena_models::testing::{FixedSight, ocr_line};
use catena_models::{
    LayoutKind, LayoutRegion, OcrLine, PixelBox, TableCell, TableCells, VisionModels,
};
use catena_parse::{OcrMode, ParseError, ParseOptions, Parsed, Source, parse};
use common::{assert_sound, shown};
use std::cell::Cell;
use std::sync::Arc;

/// Pixels a point at which a page of 600 × 800 points is read.
const SCALE: f32 = 1754.0 / 800.0;

/// A PDF of pages of 600 × 800 points that are pictures, with lines of text on each.
fn scan(pages: usize, lines: &[&str]) -> Vec<u8> {
    let lines: Vec<String> = lines.iter().map(|line| format!("({line}) ' ")).collect();
    let lines = lines.concat();
    let draw = format!("q 600 0 0 800 0 0 cm /I Do Q BT /F 10 Tf 14 TL 50 700 Td {lines}ET");
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", page + 5)).collect();
    let kids = kids.join(" ");
    let picture = "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray\
                   /BitsPerComponent 8/Filter/ASCIIHexDecode";
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources\
                <</XObject<</I 3 0 R>>/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>";
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{kids}]/Count {pages}>>").into_bytes(),
        pdf::stream(picture, b"FF>"),
        pdf::stream("", draw.as_bytes()),
    ];
    objects.extend(std::iter::repeat_n(page.as_bytes().to_vec(), pages));
    pdf::file(&objects)
}

fn at(left: f32, top: f32, right: f32, bottom: f32) -> PixelBox {
    PixelBox {
        left: left * SCALE,
        top: top * SCALE,
        right: right * SCALE,
        bottom: bottom * SCALE,
    }
}

/// A line of text whose box begins at a place of the page, in points.
fn line(text: &str, left: f32, top: f32, height: f32) -> OcrLine {
    let width = text.chars().count() as f32 * height * 0.38;
    ocr_line(text, at(left, top, left + width, top + height))
}

fn read(bytes: &[u8], sight: Option<FixedSight>, ocr: OcrMode) -> Result<Parsed, ParseError> {
    let vision = sight.map(|sight| {
        let sight = Arc::new(sight);
        Arc::new(VisionModels::of(sight.clone(), sight.clone(), sight))
    });
    let source = Source {
        uri: "scan.pdf",
        bytes,
        resolve: &|_| None,
    };
    let options = ParseOptions {
        ocr,
        vision,
        ..ParseOptions::default()
    };
    let parsed = parse(&source, &options)?;
    assert_sound(&parsed);
    Ok(parsed)
}

/// A page with a heading, two paragraphs, a table and a figure with its caption.
fn page() -> FixedSight {
    let prose = "Close the main valve before the cover is opened, and wait until it is cold.";
    let cells = ["Part", "Torque", "Cover", "12 Nm", "Valve", "30 Nm"];
    let cell = |number: usize| TableCell {
        row: number / 2,
        column: number % 2,
        row_span: 1,
        column_span: 1,
        header: number < 2,
        // In the crop, which begins a little left and above of the table.
        bbox: {
            let (row, column) = ((number / 2) as f32, (number % 2) as f32);
            let left = 4.0 + column * 120.0;
            let top = 4.0 + row * 20.0;
            at(left, top, left + 80.0, top + 14.0)
        },
    };
    let mut lines = vec![
        line("2 Maintenance", 60.0, 60.0, 24.0),
        line(prose, 60.0, 110.0, 12.0),
        line("The spring behind it is under tension.", 60.0, 124.0, 12.0),
    ];
    for (text, number) in cells.iter().zip(0..) {
        let (left, top) = (
            60.0 + (number % 2) as f32 * 120.0,
            200.0 + (number / 2) as f32 * 20.0,
        );
        lines.push(line(text, left, top, 12.0));
    }
    lines.push(line("inlet", 120.0, 380.0, 10.0));
    lines.push(line("Figure 3. The valve", 100.0, 520.0, 12.0));
    let region = |kind, bbox| LayoutRegion {
        kind,
        bbox,
        score: 0.9,
    };
    FixedSight {
        lines,
        regions: vec![
            region(LayoutKind::Table, at(56.0, 196.0, 260.0, 260.0)),
            region(LayoutKind::Figure, at(100.0, 320.0, 420.0, 500.0)),
        ],
        cells: TableCells {
            rows: 3,
            columns: 2,
            cells: (0..6).map(cell).collect(),
            confidence: 0.95,
        },
    }
}

#[test]
fn a_scan_is_read_as_any_page() {
    let parsed = read(&scan(1, &[]), Some(page()), OcrMode::Auto).unwrap();
    insta::assert_snapshot!(shown(&parsed), @r#"
    "scan"
    # 2 Maintenance
      Text Close the main valve before the cover is opened, and wait until it is cold. The spring behind it is under tension.
      Table 3x2
        | 0:[Part] | 1:[Torque]
        | 0:Cover | 1:12 Nm
        | 0:Valve | 1:30 Nm
      Picture - words: inlet
        Caption Figure 3. The valve
    "#);
    assert!(parsed.warnings.is_empty() && !parsed.unread_pictures);
    let table: Vec<&Table> = parsed
        .document
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            NodeKind::Table(table) => Some(table),
            _ => None,
        })
        .collect();
    assert_eq!(
        table[0].text(),
        "Part | Torque\nCover | 12 Nm\nValve | 30 Nm"
    );
}

#[test]
fn places_are_those_of_the_page() {
    let parsed = read(&scan(1, &[]), Some(page()), OcrMode::Auto).unwrap();
    let words = "The spring behind it is under tension.";
    let node = parsed
        .document
        .nodes
        .iter()
        .find(|node| node.text.contains(words));
    let node = node.expect("the paragraph");
    let start = node.text.find(words).expect("the sentence");
    let places = node.places(&(start..start + words.len()));
    assert_eq!(places.len(), 1);
    let bbox = places[0].bbox;
    assert!(
        (bbox.left - 60.0).abs() < 2.0 && (bbox.center_y() - 130.0).abs() < 2.0,
        "{bbox:?}"
    );
}

#[test]
fn what_is_not_read_is_told() {
    let check = |pages: usize, ocr: OcrMode, expected: &str| {
        let parsed = read(&scan(pages, &[]), None, ocr).unwrap();
        let warnings: Vec<String> = parsed.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, [expected]);
        assert!(parsed.unread_pictures);
    };
    check(
        1,
        OcrMode::Auto,
        "page 1: hardly any text of its own, and its picture was not read: the models that read pictures are not there",
    );
    check(
        3,
        OcrMode::Never,
        "pages 1-3: hardly any text of its own, and its picture was not read: OCR is off",
    );
}

#[test]
fn text_over_a_scan_is_taken_unless_all_is_to_be_read() {
    let line = "A layer of text that a scanner put over its picture of the page";
    let words = |ocr: OcrMode| {
        let parsed = read(&scan(1, &[line; 20]), Some(page()), ocr).unwrap();
        // The fake sees the same in every figure.
        let nodes = parsed.document.nodes.iter();
        let nodes = nodes.filter(|node| !matches!(node.kind, NodeKind::Picture(_)));
        let texts: Vec<&str> = nodes.map(|node| node.text.as_str()).collect();
        texts.join("\n")
    };
    assert!(words(OcrMode::Auto).contains("A layer of text"));
    assert!(!words(OcrMode::Auto).contains("Maintenance"));
    assert!(words(OcrMode::Always).contains("2 Maintenance"));
    assert!(!words(OcrMode::Always).contains("A layer of text"));
}

#[test]
fn reading_stops_where_the_caller_asks() {
    let sight = Arc::new(page());
    let steps = Cell::new(0);
    let options = ParseOptions {
        vision: Some(Arc::new(VisionModels::of(
            sight.clone(),
            sight.clone(),
            sight,
        ))),
        on_picture: &|step| {
            steps.set(step.at);
            assert_eq!(step.of, 5);
            step.at < 3
        },
        ..ParseOptions::default()
    };
    let bytes = scan(5, &[]);
    let source = Source {
        uri: "scan.pdf",
        bytes: &bytes,
        resolve: &|_| None,
    };
    assert_eq!(parse(&source, &options).unwrap_err(), ParseError::Stopped);
    assert_eq!(steps.get(), 3);
}

#[test]
fn a_picture_is_a_page_or_a_figure_with_its_words() {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(600, 800, image::Rgb([255; 3]))
        .write_to(&mut png, image::ImageFormat::Png)
        .unwrap();
    let png = png.into_inner();
    let kinds = |lines: Vec<OcrLine>| {
        let sight = FixedSight {
            lines,
            ..FixedSight::default()
        };
        let parsed = read(&png, Some(sight), OcrMode::Auto).unwrap();
        shown(&parsed)
    };
    let small = |text: &str, top: f32| {
        let width = text.chars().count() as f32 * 7.0;
        ocr_line(
            text,
            PixelBox {
                left: 50.0,
                top,
                right: 50.0 + width,
                bottom: top + 18.0,
            },
        )
    };
    insta::assert_snapshot!(kinds(vec![small("pump", 100.0), small("valve", 300.0)]), @r#"
    "scan"
    Picture image words: pump
    valve
    "#);
    let prose = (0..12).map(|row| {
        small(
            "a line of running text that says something of the pump and its valve",
            60.0 + row as f32 * 22.0,
        )
    });
    assert!(kinds(prose.collect()).contains("\nText"));
}
