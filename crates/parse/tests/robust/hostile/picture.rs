use super::check;
use image::{DynamicImage, ImageFormat};
use insta::assert_snapshot;
use std::io::Cursor;

fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height)
        .write_to(&mut out, format)
        .expect("a picture");
    out.into_inner()
}

#[test]
fn pictures_larger_than_their_bytes() {
    assert_snapshot!(check("a.png", &encoded(9_000, 9_000, ImageFormat::Png)), @"error: the file is too large: a picture of 9000 × 9000 pixels");
    assert_snapshot!(check("a.png", &encoded(8_000, 8_000, ImageFormat::Png)), @"
    1 nodes, 1 pages: 
    ! the words in it were not read: the models that read pictures are not there
    ");
    let mut gif = encoded(9, 9, ImageFormat::Gif);
    gif[6..10].fill(0xff);
    assert_snapshot!(check("a.gif", &gif), @"error: the file is too large: a picture of 65535 × 65535 pixels");
    let mut bmp = encoded(9, 9, ImageFormat::Bmp);
    bmp[18..26].fill(0x7f);
    assert_snapshot!(check("a.bmp", &bmp), @"error: the file is damaged: the picture cannot be read");
    let mut jpeg = encoded(9, 9, ImageFormat::Jpeg);
    let at = jpeg
        .windows(2)
        .position(|pair| pair == b"\xff\xc0")
        .expect("its size");
    jpeg[at + 5..at + 9].fill(0x1f);
    assert_snapshot!(check("a.jpg", &jpeg), @"
    1 nodes, 1 pages: 
    ! the words in it were not read: the models that read pictures are not there
    ");
}

#[test]
fn a_directory_of_pictures_that_leads_in_a_circle() {
    let mut tiff = encoded(9, 9, ImageFormat::Tiff);
    let start = u32::from_le_bytes(tiff[4..8].try_into().expect("four bytes")) as usize;
    let entries = usize::from(u16::from_le_bytes(
        tiff[start..start + 2].try_into().expect("two bytes"),
    ));
    let next = start + 2 + entries * 12;
    let place = tiff[4..8].to_vec();
    tiff[next..next + 4].copy_from_slice(&place);
    assert_snapshot!(check("a.tiff", &tiff), @"error: the file is damaged: the picture cannot be read");
}

/// A page that shows a drawing.
fn drawn(inside: &str) -> String {
    let svg =
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='90' height='90'>{inside}</svg>");
    let data: String = svg.bytes().map(|byte| format!("%{byte:02x}")).collect();
    check(
        "a.html",
        format!("<p>Words.<p><img alt=A src=\"data:image/svg+xml,{data}\">").as_bytes(),
    )
}

fn nested(open: &str, close: &str, depth: usize) -> String {
    open.repeat(depth) + &close.repeat(depth)
}

#[test]
fn drawings_that_show_themselves_or_grow() {
    let twice = |tag: &str, attribute: &str| -> String {
        (0..40).map(|at| format!("<{tag} id='a{}'><rect width='9' height='9' {attribute}='url(#a{at})'/><use href='#a{at}'/><use href='#a{at}'/></{tag}>", at + 1)).collect()
    };
    for inside in [
        "<g id='a'><use href='#a'/></g>".to_owned(),
        "<pattern id='a' width='9' height='9'><rect width='9' height='9' fill='url(#a)'/></pattern><rect width='90' height='90' fill='url(#a)'/>".to_owned(),
        "<mask id='a'><rect width='9' height='9' mask='url(#a)'/></mask><rect width='90' height='90' mask='url(#a)'/>".to_owned(),
        "<clipPath id='a' clip-path='url(#a)'><rect width='9' height='9'/></clipPath><rect width='90' height='90' clip-path='url(#a)'/>".to_owned(),
        "<filter id='a'><feImage href='#b'/></filter><rect id='b' width='90' height='90' filter='url(#a)'/>".to_owned(),
        "<linearGradient id='a' href='#a'/><rect width='90' height='90' fill='url(#a)'/>".to_owned(),
        "<pattern id='a' width='0.0001' height='0.0001' patternUnits='userSpaceOnUse'><path d='M0 0h9'/></pattern><rect width='90' height='90' fill='url(#a)'/>".to_owned(),
        "<path d='M0 0H90' stroke='red' stroke-dasharray='0.00001'/>".to_owned(),
        "<path d='M0 0H1e30V1e30' stroke='red' stroke-width='1e30' stroke-dasharray='1 1'/>".to_owned(),
        "<filter id='a' x='-9999' y='-9999' width='99999' height='99999'><feGaussianBlur stdDeviation='999999'/><feMorphology radius='9999'/></filter><rect width='90' height='90' filter='url(#a)'/>".to_owned(),
        "<filter id='a'><feTurbulence baseFrequency='9' numOctaves='999999999'/></filter><rect width='90' height='90' filter='url(#a)'/>".to_owned(),
        "<filter id='a'><feConvolveMatrix order='9999' kernelMatrix='1'/></filter><rect width='90' height='90' filter='url(#a)'/>".to_owned(),
        twice("g", "x") + "<use href='#a40'/>",
        twice("pattern", "fill") + "<rect width='90' height='90' fill='url(#a40)'/>",
        twice("mask", "mask") + "<rect width='90' height='90' mask='url(#a40)'/>",
        twice("marker", "marker-start") + "<path d='M0 0L9 9' marker-start='url(#a40)'/>",
        "<circle r='1e20' stroke='red' stroke-width='5' stroke-dasharray='1 1'/>".to_owned(),
        "<rect width='90' height='90' opacity='0.5'/>".repeat(100_000),
        nested("<g opacity='0.5'>", "</g>", 900),
        format!("<text>{}</text>", nested("<tspan>x", "</tspan>", 900)),
        format!("<text>{}</text>", "Zürich ".repeat(100_000)),
        format!("<style>{}g{{fill:red}}</style>{}", "g g g g g g g g,".repeat(5_000), nested("<g>", "</g>", 100)),
        format!("<filter id='f'><feGaussianBlur stdDeviation='20'/></filter>{}", nested("<g filter='url(#f)'><path d='M0 0h9v9z'/>", "</g>", 100)),
        format!("<path d='M0 0{}' stroke='red' stroke-dasharray='1 1'/>", "L9 9L0 9".repeat(100_000)),
    ] {
        let shown = drawn(&inside);
        assert!(shown.starts_with("2 nodes"), "{}: {shown}", &inside[..inside.len().min(90)]);
    }
}
