//! Page images and crops of a PDF or a picture, drawn on demand.

use super::drawable::is_drawable;
use super::open;
use crate::guard::guarded;
use crate::image_file;
use crate::picture::picture_rgb;
use crate::source::ParseError;
use catena_document::BBox;
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::page::Page;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use image::{ImageFormat, RgbImage};

/// Pixels of the longer side at most.
const MAX_SIDE: f32 = 6000.0;
/// Pixels a point at least, where that many fit.
const MIN_SCALE: f32 = 0.05;

/// A file opened for drawing: a PDF, or a picture, which is its only page.
pub struct Pages(Kind);

enum Kind {
    Pdf(Pdf),
    Picture {
        image: RgbImage,
        /// Pixels a point.
        scale: f32,
    },
}

/// A drawn page.
pub struct PageImage {
    image: RgbImage,
    /// Pixels a point.
    scale: f32,
}

impl Pages {
    /// Opens a picture, or a PDF with its password where it needs one.
    pub fn open(bytes: &[u8], password: Option<&str>) -> Result<Self, ParseError> {
        if image_file::media_type(bytes).is_none() {
            return Ok(Self(Kind::Pdf(open(bytes, password)?)));
        }
        let (width, _) = image_file::page_size(bytes)?;
        let image = picture_rgb(bytes, MAX_SIDE as u32)?;
        let scale = image.width() as f32 / width;
        Ok(Self(Kind::Picture { image, scale }))
    }

    /// How many pages it has.
    pub fn count(&self) -> u32 {
        match &self.0 {
            Kind::Pdf(pdf) => pdf.pages().len() as u32,
            Kind::Picture { .. } => 1,
        }
    }

    /// Draws a page, counted from 1, at `scale` pixels a point (2 is 144 dpi); `None` where there
    /// is no such page, or too much on it to be drawn. A larger scale than 6,000 pixels a side is lowered.
    pub fn draw(&self, number: u32, scale: f32) -> Option<PageImage> {
        let at = (number as usize).checked_sub(1)?;
        let (image, scale) = match &self.0 {
            Kind::Pdf(pdf) => draw(pdf.pages().get(at)?, scale)?,
            Kind::Picture { image, scale: own } if at == 0 => resized(image, *own, scale),
            Kind::Picture { .. } => return None,
        };
        Some(PageImage { image, scale })
    }
}

/// A picture of `own` pixels a point at `scale`, or at its own where that is less.
fn resized(image: &RgbImage, own: f32, scale: f32) -> (RgbImage, f32) {
    let by = scale.max(0.05) / own;
    if by >= 1.0 {
        return (image.clone(), own);
    }
    let side = |pixels: u32| ((pixels as f32 * by).round() as u32).max(1);
    let (width, height) = (side(image.width()), side(image.height()));
    let filter = image::imageops::FilterType::Triangle;
    let image = image::imageops::resize(image, width, height, filter);
    (image, own * by)
}

/// Draws a page; returns the pixels a point as well, which may be fewer than asked for. `None` where
/// there is too much on it.
pub(super) fn draw(page: &Page<'_>, scale: f32) -> Option<(RgbImage, f32)> {
    let (width, height) = page.render_dimensions();
    if !(width.is_finite() && height.is_finite()) {
        return None;
    }
    let most = MAX_SIDE / width.max(height).max(1.0);
    let scale = scale.max(MIN_SCALE).min(most);
    let _span = tracing::debug_span!("draw_page").entered();
    if !is_drawable(page, scale) {
        return None;
    }
    let pixmap = guarded(|| {
        render(
            page,
            &RenderCache::new(),
            &InterpreterSettings::default(),
            &RenderSettings::default(),
            &PixmapSettings {
                x_scale: scale,
                y_scale: scale,
                bg_color: WHITE,
            },
        )
    })?;
    let (width, height) = (u32::from(pixmap.width()), u32::from(pixmap.height()));
    // The background is opaque, so that the alpha channel says nothing.
    let pixels = pixmap.data_as_u8_slice().chunks_exact(4);
    let rgb = pixels
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .collect();
    Some((RgbImage::from_raw(width, height, rgb)?, scale))
}

impl PageImage {
    /// The page as PNG.
    pub fn png(&self) -> Vec<u8> {
        encode(&self.image)
    }

    /// A box of the page, in points, as PNG; `None` where it has no extent on the page.
    pub fn crop_png(&self, bbox: &BBox) -> Option<Vec<u8>> {
        let (width, height) = self.image.dimensions();
        let pixels =
            |points: f32, most: u32| (points * self.scale).round().clamp(0.0, most as f32) as u32;
        let (left, top) = (pixels(bbox.left, width), pixels(bbox.top, height));
        let (right, bottom) = (pixels(bbox.right, width), pixels(bbox.bottom, height));
        if right <= left || bottom <= top {
            return None;
        }
        let part = image::imageops::crop_imm(&self.image, left, top, right - left, bottom - top);
        Some(encode(&part.to_image()))
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.image.dimensions()
    }
}

fn encode(image: &RgbImage) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let written = image.write_to(&mut out, ImageFormat::Png);
    if let Err(error) = written {
        tracing::warn!(%error, "a page image could not be encoded");
    }
    out.into_inner()
}
