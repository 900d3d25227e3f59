//! Pictures that come with documents, or are some: their kind, size and drawing.

use crate::guard::guarded;
use crate::{ParseError, svg_cost};
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg;
use resvg::usvg::roxmltree;
use std::io::Cursor;
use std::sync::{Arc, LazyLock};

/// Pixels of the largest picture that is decoded.
pub(crate) const MAX_PIXELS: u64 = 64_000_000;
/// Bytes that decoding one picture may take.
const MAX_ALLOC: u64 = 512 << 20;
/// Elements of the largest SVG that is read.
const MAX_SVG_NODES: u32 = 500_000;

/// A picture as PNG on white, its longer side at most `max_side` pixels.
///
/// Reads PNG, JPEG (turned as its camera says), GIF and WebP (the first frame), BMP, TIFF and SVG.
/// Nothing outside the picture is looked at. Text in an SVG is set in the machine's fonts, else in
/// `DejaVu Sans`, which is part of the program.
///
/// # Errors
/// Where the bytes are of no such kind, are damaged, or hold more than 64 million pixels.
pub fn picture_png(bytes: &[u8], max_side: u32) -> Result<Vec<u8>, ParseError> {
    let picture = picture_rgb(bytes, max_side)?;
    let mut out = Cursor::new(Vec::new());
    picture
        .write_to(&mut out, ImageFormat::Png)
        .map_err(|error| damaged(&error.to_string()))?;
    Ok(out.into_inner())
}

/// A picture on white, its longer side at most `max_side` pixels; as [`picture_png`].
pub(crate) fn picture_rgb(bytes: &[u8], max_side: u32) -> Result<RgbImage, ParseError> {
    let max_side = max_side.max(1);
    Ok(match kind(bytes) {
        // The rasterizer panics where a path reaches far beyond the canvas.
        Some(Kind::Svg) => guarded(|| draw_svg(bytes, max_side))
            .unwrap_or_else(|| Err(damaged("the SVG cannot be drawn")))?,
        Some(Kind::Raster(format)) => {
            let picture = decode(bytes, format)?;
            let fits = picture.width() <= max_side && picture.height() <= max_side;
            on_white(&if fits {
                picture
            } else {
                picture.resize(max_side, max_side, image::imageops::FilterType::Triangle)
            })
        }
        None => return Err(damaged("neither PNG, JPEG, GIF, WebP, BMP, TIFF nor SVG")),
    })
}

/// The registered name of a picture's kind, told by its content.
pub(crate) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    Some(match kind(bytes)? {
        Kind::Raster(format) => format.to_mime_type(),
        Kind::Svg => "image/svg+xml",
    })
}

/// A picture's width and height in pixels, as it says itself.
pub(crate) fn picture_size(bytes: &[u8]) -> Option<(u32, u32)> {
    match kind(bytes)? {
        Kind::Raster(format) => ImageReader::with_format(Cursor::new(bytes), format)
            .into_dimensions()
            .ok(),
        Kind::Svg => svg_facts(bytes).and_then(|facts| facts.size),
    }
}

/// A picture's width and height in pixels, turned as its camera says; `None` of an SVG, and where
/// the picture is damaged.
pub(crate) fn upright_size(bytes: &[u8]) -> Option<(u32, u32)> {
    use image::metadata::Orientation;
    let Kind::Raster(format) = kind(bytes)? else {
        return None;
    };
    let reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    let lying = matches!(
        decoder.orientation().ok()?,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    Some(if lying {
        (height, width)
    } else {
        (width, height)
    })
}

/// What an SVG says of itself.
pub(crate) struct SvgFacts {
    /// Width and height in pixels.
    pub(crate) size: Option<(u32, u32)>,
    /// The words drawn, in the order of the file.
    pub(crate) words: String,
}

/// Reads what an SVG says of itself; `None` where it is no SVG.
pub(crate) fn svg_facts(bytes: &[u8]) -> Option<SvgFacts> {
    let text = std::str::from_utf8(bytes).ok()?;
    let document = svg_tree(text).ok()?;
    let root = document.root_element();
    let texts = root
        .descendants()
        .filter(|node| matches!(node.tag_name().name(), "text" | "foreignObject"));
    let mut words = String::new();
    for text in texts {
        for part in text
            .descendants()
            .filter(roxmltree::Node::is_text)
            .map(|node| node.text())
        {
            for word in part.unwrap_or_default().split_whitespace() {
                words.push_str(if words.is_empty() { "" } else { " " });
                words.push_str(word);
            }
        }
    }
    let attr = |name| root.attribute(name);
    Some(SvgFacts {
        size: svg_size(attr("width"), attr("height"), attr("viewBox")),
        words,
    })
}

/// An SVG's width and height in pixels by its attributes.
pub(crate) fn svg_size(
    width: Option<&str>,
    height: Option<&str>,
    view_box: Option<&str>,
) -> Option<(u32, u32)> {
    let view: Vec<f32> = view_box
        .unwrap_or_default()
        .split([' ', ',', '\n', '\t'])
        .filter_map(|part| part.parse().ok())
        .collect();
    let side = |declared: Option<&str>, at: usize| {
        declared
            .and_then(pixels)
            .or(view.get(at).copied())
            .map(|side| side.ceil() as u32)
    };
    Some((side(width, 2)?, side(height, 3)?))
}

/// A length in CSS pixels; `None` for one that depends on its surroundings.
pub(crate) fn pixels(length: &str) -> Option<f32> {
    let length = length.trim();
    let end = length
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(length.len());
    let number: f32 = length[..end].parse().ok()?;
    let unit = match length[end..].trim() {
        "" | "px" => 1.0,
        "pt" => 96.0 / 72.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 96.0 / 25.4,
        "em" | "rem" | "pc" => 16.0,
        "ex" => 8.0,
        _ => return None,
    };
    Some(number * unit)
}

#[derive(Clone, Copy)]
enum Kind {
    Raster(ImageFormat),
    Svg,
}

fn kind(bytes: &[u8]) -> Option<Kind> {
    let raster = match image::guess_format(bytes).ok() {
        Some(
            format @ (ImageFormat::Png
            | ImageFormat::Jpeg
            | ImageFormat::Gif
            | ImageFormat::WebP
            | ImageFormat::Bmp
            | ImageFormat::Tiff),
        ) => Some(Kind::Raster(format)),
        _ => None,
    };
    raster.or_else(|| is_svg(bytes).then_some(Kind::Svg))
}

/// Whether the first element is `<svg>`.
fn is_svg(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(64 << 10)]);
    let mut rest = head.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<?") {
            "?>"
        } else if rest.to_ascii_lowercase().starts_with("<!doctype") {
            // An internal subset ends with `]>`.
            let subset = rest
                .find('[')
                .filter(|&at| rest.find('>').is_some_and(|end| at < end));
            if subset.is_some() { "]>" } else { ">" }
        } else {
            break;
        };
        match rest.find(end) {
            Some(at) => rest = rest[at + end.len()..].trim_start(),
            None => return false,
        }
    }
    rest.starts_with("<svg") || rest.starts_with("<svg:svg")
}

fn damaged(cause: &str) -> ParseError {
    ParseError::Damaged(format!("picture: {cause}"))
}

fn intricate() -> ParseError {
    ParseError::TooLarge("a drawing of too many parts".to_owned())
}

fn decode(bytes: &[u8], format: ImageFormat) -> Result<DynamicImage, ParseError> {
    let failed = |error: image::ImageError| damaged(&error.to_string());
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_ALLOC);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(failed)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(ParseError::TooLarge(format!(
            "a picture of {width} × {height} pixels"
        )));
    }
    let orientation = decoder.orientation().map_err(failed)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(failed)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// A picture without transparency: black lines on nothing are meant to be seen.
fn on_white(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let picture = picture.to_rgba8();
    let mut out = RgbImage::new(picture.width(), picture.height());
    for (to, from) in out.pixels_mut().zip(picture.pixels()) {
        let [red, green, blue, alpha] = from.0.map(u32::from);
        let over = |colour: u32| ((colour * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
        *to = Rgb([over(red), over(green), over(blue)]);
    }
    out
}

fn draw_svg(bytes: &[u8], max_side: u32) -> Result<RgbImage, ParseError> {
    let text = std::str::from_utf8(bytes).map_err(|_| damaged("the SVG is not in UTF-8"))?;
    let document = svg_tree(text).map_err(|error| damaged(&error.to_string()))?;
    if !svg_cost::is_small(&document) {
        return Err(intricate());
    }
    let options = usvg::Options {
        image_href_resolver: usvg::ImageHrefResolver {
            // A file that the SVG names is none of its business.
            resolve_string: Box::new(|_, _| None),
            ..usvg::ImageHrefResolver::default()
        },
        fontdb: Arc::clone(&FONTS),
        font_family: FONT.to_owned(),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_xmltree(&document, &options)
        .map_err(|error| damaged(&error.to_string()))?;
    let size = tree.size();
    let scale = (max_side as f32 / size.width().max(size.height())).min(1.0);
    let pixels = |length: f32| ((length * scale).ceil() as u32).clamp(1, max_side);
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    let large = || ParseError::TooLarge(format!("a drawing of {width} × {height} pixels"));
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(large());
    }
    if !svg_cost::is_quick(&tree, scale) {
        return Err(intricate());
    }
    let mut pixmap = Pixmap::new(width, height).ok_or_else(large)?;
    pixmap.fill(Color::WHITE);
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixmap.as_mut(),
    );
    // On white nothing is transparent.
    let colours = pixmap
        .data()
        .chunks_exact(4)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
    RgbImage::from_raw(width, height, colours.collect()).ok_or_else(large)
}

fn svg_tree(text: &str) -> Result<roxmltree::Document<'_>, roxmltree::Error> {
    let options = roxmltree::ParsingOptions {
        // Many drawings name their DTD; external entities are never read.
        allow_dtd: true,
        nodes_limit: MAX_SVG_NODES,
        entity_resolver: None,
    };
    roxmltree::Document::parse_with_options(text.trim_start_matches('\u{feff}'), options)
}

/// The family that stands in for all that are not there.
const FONT: &str = "DejaVu Sans";

static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_system_fonts();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.set_serif_family(FONT);
    fonts.set_sans_serif_family(FONT);
    fonts.set_monospace_family(FONT);
    fonts.set_cursive_family(FONT);
    fonts.set_fantasy_family(FONT);
    Arc::new(fonts)
});
