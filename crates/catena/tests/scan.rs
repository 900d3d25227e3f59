//! Scanned pages, read by the real models.

mod common;

use catena_parse::Pages;
use common::{Folder, examples};
use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;

/// Pages of the manual that are scanned.
const PAGES: [u32; 2] = [4, 11];
/// By how much they lie askew: one degree.
const SKEW: f32 = 0.017_45;

/// A page of the manual as a scanner at `dpi` sees it, as JPEG with its size.
fn scanned(pages: &Pages, number: u32, dpi: f32, skew: f32) -> (Vec<u8>, u32, u32) {
    let page = pages.draw(number, dpi / 72.0).expect("a page");
    let page = image::load_from_memory(&page.png()).expect("PNG").to_rgb8();
    let (width, height) = page.dimensions();
    let (sine, cosine) = skew.sin_cos();
    let (mid_x, mid_y) = (width as f32 / 2.0, height as f32 / 2.0);
    let askew = RgbImage::from_fn(width, height, |x, y| {
        let (dx, dy) = (x as f32 - mid_x, y as f32 - mid_y);
        let from_x = (mid_x + dx * cosine + dy * sine).max(0.0) as u32;
        let from_y = (mid_y - dx * sine + dy * cosine).max(0.0) as u32;
        *page
            .get_pixel_checked(from_x, from_y)
            .unwrap_or(&Rgb([255; 3]))
    });
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, 80)
        .encode_image(&askew)
        .expect("JPEG");
    (jpeg, width, height)
}

/// A PDF whose pages are these pictures.
fn pdf(scans: &[(Vec<u8>, u32, u32)], dpi: f32) -> Vec<u8> {
    let mut objects: Vec<Vec<u8>> = vec![b"<</Type/Catalog/Pages 2 0 R>>".to_vec(), Vec::new()];
    let mut kids = String::new();
    for (jpeg, width, height) in scans {
        let (w, h) = (*width as f32 / dpi * 72.0, *height as f32 / dpi * 72.0);
        let at = objects.len() + 1;
        let _ = write!(kids, "{at} 0 R ");
        objects.push(
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {w} {h}]/Contents {} 0 R/Resources<</XObject<</I {} 0 R>>>>>>",
                at + 1,
                at + 2
            )
            .into_bytes(),
        );
        let draw = format!("{w} 0 0 {h} 0 0 cm /I Do");
        objects.push(format!("<</Length {}>>\nstream\n{draw}\nendstream", draw.len()).into_bytes());
        let mut picture = format!(
            "<</Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode/Length {}>>\nstream\n",
            jpeg.len()
        )
        .into_bytes();
        picture.extend_from_slice(jpeg);
        picture.extend_from_slice(b"\nendstream");
        objects.push(picture);
    }
    objects[1] = format!("<</Type/Pages/Kids[{kids}]/Count {}>>", scans.len()).into_bytes();
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut xref = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (object, number) in objects.iter().zip(1..) {
        let _ = writeln!(xref, "{:010} 00000 n ", out.len());
        out.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let at = out.len();
    let size = objects.len() + 1;
    out.extend_from_slice(xref.as_bytes());
    out.extend_from_slice(
        format!("trailer <</Size {size}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF").as_bytes(),
    );
    out
}

/// The lower-case words of the nodes on some pages of a document's JSON, each with its number.
fn words(document: &serde_json::Value, on_page: impl Fn(u64) -> bool) -> HashMap<String, usize> {
    let mut out = HashMap::new();
    for node in document["nodes"].as_array().expect("nodes") {
        let page = node["places"][0]["page"].as_u64();
        if !page.is_some_and(&on_page) {
            continue;
        }
        let text = node["text"].as_str().unwrap_or_default().to_lowercase();
        for word in text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            *out.entry(word.to_owned()).or_default() += 1;
        }
    }
    out
}

fn show(folder: &Folder, path: &str) -> serde_json::Value {
    folder.check(&["add", path], 0);
    folder.json(&["show", path, "--json"], 0)
}

#[test]
fn a_scan_askew_is_read_and_asked() {
    let folder = Folder::new();
    let manual = examples().join("manual.pdf");
    let bytes = fs::read(&manual).expect("the manual");
    let pages = Pages::open(&bytes, None).expect("the manual");
    let scans = PAGES.map(|number| scanned(&pages, number, 150.0, SKEW));
    folder.write("scan.pdf", pdf(&scans, 150.0));
    let read = words(&show(&folder, "scan.pdf"), |_| true);
    let truth = words(&show(&folder, manual.to_str().expect("UTF-8")), |page| {
        PAGES.map(u64::from).contains(&page)
    });
    let shared: usize = truth
        .iter()
        .map(|(word, count)| read.get(word).copied().unwrap_or(0).min(*count))
        .sum();
    let sizes = truth.values().sum::<usize>() + read.values().sum::<usize>();
    let f1 = 2.0 * shared as f32 / sizes as f32;
    let lost = truth
        .iter()
        .filter(|(word, count)| read.get(*word).copied().unwrap_or(0) < **count);
    let lost: Vec<&String> = lost.map(|(word, _)| word).collect();
    let new: Vec<_> = read
        .iter()
        .filter(|(w, _)| !truth.contains_key(*w))
        .collect();
    assert!(f1 >= 0.97, "word F1 {f1}, lost {lost:?} new {new:?}");
}

#[test]
fn words_in_a_picture_answer_a_question() {
    let folder = Folder::new();
    let bytes = fs::read(examples().join("manual.pdf")).expect("the manual");
    let pages = Pages::open(&bytes, None).expect("the manual");
    // A picture that a page of text brings along.
    let (jpeg, ..) = scanned(&pages, 4, 110.0, 0.0);
    folder.write("inside.jpg", jpeg);
    folder.write(
        "page.html",
        "<h1>Parts</h1><p>What is inside?</p><img src=inside.jpg>",
    );
    let document = show(&folder, "page.html");
    let picture = document["nodes"].as_array().expect("nodes").iter();
    let mut picture = picture.filter(|node| node["kind"] == "picture");
    let text = picture.next().expect("a picture")["text"]
        .as_str()
        .expect("text");
    assert!(text.contains("Main parts"), "{text}");
    // Without OCR it has no words.
    let other = Folder::new();
    let page = folder.path().join("page.html");
    let page = page.to_str().expect("UTF-8");
    other.check(&["add", page, "--ocr", "never"], 0);
    let document = other.json(&["show", page, "--json"], 0);
    assert!(!document.to_string().contains("Main parts"));
    // Once it may be read, the unchanged file is read again.
    other.check(&["add", page], 0);
    let document = other.json(&["show", page, "--json"], 0);
    assert!(document.to_string().contains("Main parts"));
}
