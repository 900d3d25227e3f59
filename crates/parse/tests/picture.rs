//! Drawing pictures as PNG.

use catena_parse::{ParseError, picture_png};
use image::{DynamicImage, GrayAlphaImage, ImageFormat, LumaA, Rgb, RgbImage};
use std::io::Cursor;

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, format).unwrap();
    out.into_inner()
}

fn drawn(bytes: &[u8], max_side: u32) -> RgbImage {
    let png = picture_png(bytes, max_side).unwrap();
    assert_eq!(image::guess_format(&png).unwrap(), ImageFormat::Png);
    image::load_from_memory(&png).unwrap().to_rgb8()
}

#[test]
fn every_kind_is_drawn_and_scaled_down_only() {
    let picture = DynamicImage::ImageRgb8(RgbImage::from_pixel(200, 100, Rgb([10, 200, 30])));
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::Gif,
        ImageFormat::WebP,
        ImageFormat::Bmp,
        ImageFormat::Tiff,
    ] {
        let bytes = encoded(&picture, format);
        for (max_side, size) in [(50, (50, 25)), (200, (200, 100)), (4096, (200, 100))] {
            let out = drawn(&bytes, max_side);
            assert_eq!(out.dimensions(), size, "{format:?}");
            let [red, green, blue] = out.get_pixel(20, 10).0;
            assert!(red < 20 && green > 190 && blue < 40, "{format:?}");
        }
    }
}

#[test]
fn what_is_transparent_becomes_white() {
    let mut picture = GrayAlphaImage::from_pixel(10, 10, LumaA([0, 0]));
    picture.put_pixel(5, 5, LumaA([0, 255]));
    let out = drawn(&encoded(&picture.into(), ImageFormat::Png), 100);
    assert_eq!(out.get_pixel(0, 0).0, [255, 255, 255]);
    assert_eq!(out.get_pixel(5, 5).0, [0, 0, 0]);
}

#[test]
fn text_of_a_drawing_is_seen_on_any_machine() {
    let text = |family: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='50'>\
             <text x='10' y='35' font-size='30' font-family='{family}'>Ventil Ж</text></svg>"
        )
    };
    for family in ["sans-serif", "No Such Font", "monospace"] {
        let out = drawn(text(family).as_bytes(), 400);
        let dark = out.pixels().filter(|pixel| pixel.0[0] < 128).count();
        assert!(dark > 200, "{family}: {dark}");
    }
}

#[test]
fn a_drawing_reaches_for_nothing_outside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.png");
    let secret = RgbImage::from_pixel(50, 50, Rgb([255, 0, 0]));
    std::fs::write(&path, encoded(&secret.into(), ImageFormat::Png)).unwrap();
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='50' height='50'>\
         <image width='50' height='50' href='{0}'/><image width='50' height='50' href='file://{0}'/></svg>",
        path.display()
    );
    assert!(
        drawn(svg.as_bytes(), 50)
            .pixels()
            .all(|pixel| pixel.0 == [255, 255, 255])
    );
}

#[test]
fn what_cannot_be_drawn() {
    let svg = |inside: &str| {
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>{inside}</svg>")
            .into_bytes()
    };
    let png = encoded(&RgbImage::new(64, 64).into(), ImageFormat::Png);
    let damaged = |bytes: &[u8]| matches!(picture_png(bytes, 100), Err(ParseError::Damaged(_)));
    assert!(damaged(b""));
    assert!(damaged(b"words"));
    assert!(damaged(&png[..png.len() / 2]));
    assert!(damaged(b"<svg"));
    assert!(damaged(b"<html><svg></svg></html>"));
    // A bitmap that says that it is huge.
    let mut bmp = encoded(&RgbImage::new(4, 4).into(), ImageFormat::Bmp);
    bmp[18..22].copy_from_slice(&60_000_u32.to_le_bytes());
    bmp[22..26].copy_from_slice(&60_000_u32.to_le_bytes());
    assert!(picture_png(&bmp, 100).is_err());
    // Drawings that grow, or nest without end.
    let uses: Vec<String> = (0..30)
        .map(|at| {
            format!(
                "<g id='g{}'><use href='#g{at}'/><use href='#g{at}'/></g>",
                at + 1
            )
        })
        .collect();
    let uses = uses.concat();
    let _ = picture_png(
        &svg(&format!("<rect id='g0' width='1' height='1'/>{uses}")),
        100,
    );
    let _ = picture_png(&svg(&("<g>".repeat(900) + &"</g>".repeat(900))), 100);
    let _ = picture_png(
        &svg(&("<g>".repeat(100_000) + &"</g>".repeat(100_000))),
        100,
    );
}
