//! The real reader of text, from the user's own cache; it is pulled where it is not there.

mod common;

use catena_models::{LAYOUT, ModelError, OCR, Ocr, OcrLine, PaddleOcr, skew};
use common::{drawn, files, line};
use image::{Rgb, RgbImage, imageops};
use std::sync::OnceLock;

fn ocr() -> &'static PaddleOcr {
    static MODEL: OnceLock<PaddleOcr> = OnceLock::new();
    MODEL.get_or_init(|| PaddleOcr::load(&files(&OCR)).expect("a model"))
}

const PAGE: [&str; 8] = [
    "Maintenance of the circulation pump",
    "Before you open the drain, close the main valve.",
    "Wait at least 10 minutes until it has cooled to 45.5 °C.",
    "1. Unscrew the four screws M4 of the left side panel.",
    "2. Pull out the filter (part no. 7741-B) and rinse it;",
    "never use a brush, it damages the mesh (see Fig. 3).",
    "The pump gives 9 bar at 1,450 rpm & draws 2.3 A.",
    "Questions? service@example.com, +49 30 1234567",
];

/// The lines of [`PAGE`], with what an SVG transforms around the middle of the page.
fn page(transform: &str) -> RgbImage {
    let lines = PAGE.iter().zip(1..);
    let lines: String = lines.map(|(text, n)| line(90, 60 + n * 40, text)).collect();
    drawn(800, 500, &format!("<g transform='{transform}'>{lines}</g>"))
}

fn texts(lines: &[OcrLine]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

/// Reads a picture of [`PAGE`] and expects it, line by line.
#[track_caller]
fn check_page(image: &RgbImage) -> Vec<OcrLine> {
    let lines = ocr().read(image).expect("lines");
    assert_eq!(texts(&lines), PAGE);
    for line in &lines {
        assert!((0.8..=1.0).contains(&line.confidence), "{line:?}");
        assert_eq!(line.centres.len(), line.text.chars().count());
        assert!(line.centres.is_sorted() && line.centres.iter().all(|x| (0.0..=1.0).contains(x)));
        let bbox = line.quad.bbox();
        assert!(bbox.left >= 0.0 && bbox.right <= image.width() as f32);
        assert!(bbox.top >= 0.0 && bbox.bottom <= image.height() as f32);
    }
    lines
}

#[test]
fn lines_are_read_where_they_are() {
    let lines = check_page(&page(""));
    assert!(skew(&lines).to_degrees().abs() < 0.2);
    for (line, n) in lines.iter().zip(1_u8..) {
        let (bbox, foot) = (line.quad.bbox(), 60.0 + 40.0 * f32::from(n));
        assert!((80.0..=92.0).contains(&bbox.left), "{bbox:?}");
        assert!((foot - 24.0..foot - 12.0).contains(&bbox.top), "{bbox:?}");
        assert!((foot..foot + 12.0).contains(&bbox.bottom), "{bbox:?}");
    }
    let words = lines[0].words();
    let found: Vec<&str> = words.iter().map(|word| word.text).collect();
    assert_eq!(found, ["Maintenance", "of", "the", "circulation", "pump"]);
    // As wide as the font makes them.
    for (word, (left, right)) in words.iter().zip([
        (90.0, 219.0),
        (225.0, 244.0),
        (250.0, 283.0),
        (289.0, 395.0),
        (401.0, 459.0),
    ]) {
        let bbox = word.quad.bbox();
        assert!((bbox.left - left).abs() < 8.0, "{word:?}");
        assert!((bbox.right - right).abs() < 8.0, "{word:?}");
    }
}

#[test]
fn skewed_pages_are_read() {
    for degrees in [-3.0, 1.0, 3.0] {
        let image = page(&format!("rotate({degrees} 400 250)"));
        let found = skew(&check_page(&image)).to_degrees();
        assert!((found - degrees).abs() < 0.3, "{found}, not {degrees}");
    }
}

#[test]
fn turned_pages_are_read() {
    let lines = check_page(&page("")).len();
    let upside_down = imageops::rotate180(&page(""));
    let mut found = ocr().read(&upside_down).expect("lines");
    assert!(skew(&found).abs() < 1e-9);
    assert!(found.iter().all(|line| line.quad.angle().abs() > 3.0));
    found.reverse();
    assert_eq!(texts(&found), PAGE);

    let turned = [
        (imageops::rotate90(&page("")), 1.0),
        (imageops::rotate270(&page("")), -1.0),
    ];
    for (image, direction) in turned {
        let mut found = ocr().read(&image).expect("lines");
        assert_eq!(found.len(), lines);
        found.sort_by(|a, b| a.text.cmp(&b.text));
        let mut expected = PAGE;
        expected.sort_unstable();
        assert_eq!(texts(&found), expected);
        for line in found {
            let angle = line.quad.angle() * direction;
            assert!(
                (angle - std::f32::consts::FRAC_PI_2).abs() < 0.05,
                "{line:?}"
            );
        }
    }
}

#[test]
fn columns_and_small_pictures() {
    let columns =
        line(30, 60, "left above") + &line(400, 62, "right above") + &line(30, 110, "left below");
    let found = ocr().read(&drawn(640, 200, &columns)).expect("lines");
    assert_eq!(texts(&found), ["left above", "right above", "left below"]);

    let label = drawn(130, 40, &line(12, 27, "Speed [m/s]"));
    assert_eq!(texts(&ocr().read(&label).expect("lines")), ["Speed [m/s]"]);
}

#[test]
fn without_text_there_is_nothing() {
    for (width, height) in [(0, 0), (0, 5), (1, 1), (3, 2000), (300, 200)] {
        let image = RgbImage::from_pixel(width, height, Rgb([255; 3]));
        assert!(ocr().read(&image).expect("lines").is_empty());
    }
    let noise = RgbImage::from_fn(200, 200, |x, y| {
        let hash = (x * 7919 + y * 104_729).wrapping_mul(2_654_435_761) >> 24;
        Rgb([hash as u8; 3])
    });
    assert!(ocr().read(&noise).expect("lines").len() < 3);
}

#[test]
fn threads_share_one_model() {
    let image = drawn(400, 80, &line(20, 45, "Open the valve slowly."));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let found = ocr().read(&image).expect("lines");
                assert_eq!(texts(&found), ["Open the valve slowly."]);
            });
        }
    });
}

#[test]
fn the_files_of_another_model_are_no_reader() {
    let error = PaddleOcr::load(&files(&LAYOUT)).err().expect("no reader");
    assert!(matches!(
        error,
        ModelError::Missing {
            model: "layout",
            file: "recognition.onnx",
            ..
        }
    ));
}
