//! Pictures for the tests, and the models of the user's own cache.

use catena_models::{ModelCache, ModelEntry, ModelFiles, pull};
use image::RgbImage;
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The files of a model, pulled where they are missing.
pub(crate) fn files(entry: &'static ModelEntry) -> ModelFiles {
    let cache = ModelCache::of_user().expect("a cache folder");
    pull(&cache, entry, None, &AtomicBool::new(false), &mut |_| ()).expect("a pull");
    cache.locate(entry).expect("its files")
}

/// A white picture with an SVG's elements, whose text is `DejaVu` Sans.
pub(crate) fn drawn(width: u32, height: u32, elements: &str) -> RgbImage {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' \
         font-family='DejaVu Sans'>{elements}</svg>"
    );
    let mut options = Options::default();
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    let tree = Tree::from_str(&svg, &options).expect("an SVG");
    let mut pixmap = Pixmap::new(width, height).expect("a size");
    pixmap.fill(Color::WHITE);
    resvg::render(&tree, Transform::identity(), &mut pixmap.as_mut());
    let pixels = pixmap.data().chunks_exact(4);
    let pixels = pixels.flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
    RgbImage::from_raw(width, height, pixels.collect()).expect("all pixels")
}

/// A line of text of 20 pixels, its left end at `x` and its foot at `y`.
pub(crate) fn line(x: u32, y: u32, text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!("<text x='{x}' y='{y}' font-size='20'>{text}</text>")
}
