//! The real models of layout and of tables, from the user's own cache; they are pulled where they
//! are not there.

mod common;

use catena_models::{
    LAYOUT, Layout, LayoutKind, MINILM, MiniLm, ModelError, PicoDet, PixelBox, SlaNet, TABLE,
    TableStructure,
};
use common::{drawn, files, line};
use image::{Rgb, RgbImage};
use std::fmt::Write as _;

const ROWS: [[&str; 3]; 5] = [
    ["Part", "Number", "Weight"],
    ["Filter", "7741-B", "120 g"],
    ["Panel", "7742", "2.4 kg"],
    ["Screw", "M4 x 10", "3 g"],
    ["Valve", "1180-C", "340 g"],
];

/// [`ROWS`] with rules, its top left corner at a place; 540 by 200 pixels.
fn table(x: u32, y: u32) -> String {
    let mut out = String::new();
    for (row, cells) in ROWS.iter().enumerate() {
        for (column, text) in cells.iter().enumerate() {
            let (left, top) = (x + column as u32 * 180, y + row as u32 * 40);
            let _ = write!(
                out,
                "<rect x='{left}' y='{top}' width='180' height='40' fill='none' stroke='black'/>"
            );
            out += &line(left + 12, top + 27, text);
        }
    }
    out
}

/// A page of 1240 by 1754 pixels with paragraphs around a table and a chart.
fn page() -> RgbImage {
    let sentence = "Before you open the drain, close the main valve and wait for ten minutes.";
    let paragraph = |y: u32| -> String {
        let line = |n: u32| {
            line(
                150,
                y + n * 30,
                &format!("{sentence} Then go on as is shown."),
            )
        };
        (0..8).map(line).collect()
    };
    let bars = [60, 140, 100, 180, 120].iter().enumerate();
    let bars = bars.map(|(at, height)| {
        let (x, y) = (420 + at * 80, 1250 - height);
        format!("<rect x='{x}' y='{y}' width='50' height='{height}' fill='steelblue'/>")
    });
    let chart = bars.collect::<String>()
        + "<path d='M400 1020 V1250 H840' stroke='black' fill='none' stroke-width='2'/>"
        + &line(400, 1300, "Figure 1: The weights of the parts.");
    let elements = paragraph(160) + &table(350, 500) + &paragraph(760) + &chart + &paragraph(1380);
    drawn(1240, 1754, &elements)
}

fn covers(found: &PixelBox, [left, top, right, bottom]: [f32; 4]) -> bool {
    let width = found.right.min(right) - found.left.max(left);
    let height = found.bottom.min(bottom) - found.top.max(top);
    let shared = width.max(0.0) * height.max(0.0);
    let area = (found.right - found.left) * (found.bottom - found.top);
    shared / (area + (right - left) * (bottom - top) - shared) > 0.7
}

#[test]
fn the_regions_of_a_page() {
    let model = PicoDet::load(&files(&LAYOUT)).expect("a model");
    let found = model.find(&page()).expect("regions");
    assert!(found.is_sorted_by(|a, b| a.score >= b.score));
    let check = |kind, place| {
        let region = found.iter().find(|region| covers(&region.bbox, place));
        assert_eq!(region.map(|region| region.kind), Some(kind), "{found:?}");
    };
    check(LayoutKind::Table, [350.0, 500.0, 890.0, 700.0]);
    check(LayoutKind::Figure, [400.0, 1020.0, 840.0, 1250.0]);
    check(LayoutKind::Text, [150.0, 145.0, 1120.0, 375.0]);
    let blank = RgbImage::from_pixel(600, 800, Rgb([255; 3]));
    assert!(model.find(&blank).expect("regions").is_empty());
    assert!(
        model
            .find(&RgbImage::new(0, 0))
            .expect("regions")
            .is_empty()
    );
}

#[test]
fn the_cells_of_a_table() {
    let model = SlaNet::load(&files(&TABLE)).expect("a model");
    let found = model
        .cells(&drawn(580, 240, &table(20, 20)))
        .expect("cells");
    assert_eq!((found.rows, found.columns), (5, 3), "{found:?}");
    assert_eq!(found.cells.len(), 15);
    assert!(found.confidence > 0.8);
    for (at, cell) in found.cells.iter().enumerate() {
        assert_eq!((cell.row, cell.column), (at / 3, at % 3));
        assert_eq!((cell.row_span, cell.column_span), (1, 1));
        let (x, y) = (
            20.0 + 180.0 * (at % 3) as f32,
            20.0 + 40.0 * (at / 3) as f32,
        );
        let middle = f32::midpoint(cell.bbox.top, cell.bbox.bottom);
        assert!((y..y + 40.0).contains(&middle), "{cell:?}");
        assert!(
            cell.bbox.left < x + 90.0 && cell.bbox.right > x + 20.0,
            "{cell:?}"
        );
    }
    assert!(
        model
            .cells(&RgbImage::new(0, 7))
            .expect("cells")
            .cells
            .is_empty()
    );
}

#[test]
fn the_files_of_another_model_do_not_load() {
    let missing = |error: Option<ModelError>, name| {
        assert!(matches!(error, Some(ModelError::Missing { file, .. }) if file == name));
    };
    missing(PicoDet::load(&files(&TABLE)).err(), "layout.onnx");
    missing(SlaNet::load(&files(&LAYOUT)).err(), "structure.onnx");
    let error = MiniLm::load(&files(&LAYOUT)).err().expect("no embedder");
    assert_eq!(error.to_string(), "cannot load the model `layout`");
    assert!(MiniLm::load(&files(&MINILM)).is_ok());
}
