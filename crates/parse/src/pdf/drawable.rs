//! Whether a page can be drawn within bounds.
//!
//! The renderer makes every picture, pattern cell and mask whole before it puts them on the page,
//! as large as the file says: a line of pixels 16 million wide, or a cell of 65,000 by 65,000. So
//! a page is gone through once without drawing, and what drawing would take is added up.

use super::bounds::interpret;
use crate::picture::MAX_PIXELS;
use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::pattern::{Pattern, TilingPattern};
use hayro::hayro_interpret::util::x_y_advances;
use hayro::hayro_interpret::{
    BlendMode, CacheKey as _, ClipPath, Context, Device, DrawMode, DrawProps, Image,
    ImageDrawProps, InterpreterCache, InterpreterSettings, Paint, SoftMask,
};
use hayro::hayro_syntax::object::{Dict, Stream};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, Rect, Shape as _};
use std::collections::HashSet;
use std::panic::resume_unwind;

/// Steps that drawing a page may take, those within patterns, masks and drawn letters with it.
const MAX_STEPS: u64 = 2_000_000;
/// Pixels that may be made for a page, one after another; a sheet of photos takes some hundred
/// millions.
const MAX_MADE: u64 = 2_000_000_000;
/// Pixels that may be kept while a page is drawn: those of its masks.
const MAX_KEPT: u64 = 256_000_000;

/// How long the outline of a letter is at most, roughly.
const OUTLINE: f64 = 500.0;

/// Whether a page, at `scale` pixels a point, can be drawn in bounded time and memory.
pub(super) fn is_drawable(page: &Page<'_>, scale: f32) -> bool {
    let (width, height) = page.render_dimensions();
    let (scale, width, height) = (f64::from(scale), f64::from(width), f64::from(height));
    let target = Rect::new(0.0, 0.0, width * scale, height * scale);
    let transform = Affine::scale(scale) * Affine::new(page.initial_transform(true).as_coeffs());
    let cache = InterpreterCache::new();
    let settings = InterpreterSettings::default();
    let mut context = Context::new(transform, target, &cache, page.xref(), settings);
    let mut scales = Scales {
        target,
        steps: 0,
        made: 0,
        kept: 0,
        masks: HashSet::new(),
    };
    interpret(page, &mut context, &mut scales)
}

/// A device that weighs what is drawn, and leaves where it is too much.
struct Scales {
    /// What is drawn on: the page, or a pattern's cell.
    target: Rect,
    steps: u64,
    made: u64,
    kept: u64,
    /// Masks met so far; each is made once.
    masks: HashSet<u128>,
}

impl Scales {
    fn check(fits: bool) {
        if !fits {
            // Unlike a panic this says nothing on its way.
            resume_unwind(Box::new("too much to draw"));
        }
    }

    fn step(&mut self) {
        self.steps += 1;
        Self::check(self.steps <= MAX_STEPS);
    }

    /// Counts pixels that are made at once.
    fn make(&mut self, pixels: f64) {
        Self::check(pixels <= MAX_PIXELS as f64);
        self.made += pixels as u64;
        Self::check(self.made <= MAX_MADE);
    }

    fn mask(&mut self, mask: Option<&SoftMask<'_>>) {
        let Some(mask) = mask else { return };
        if self.masks.insert(mask.cache_key()) {
            self.make(self.target.area());
            self.kept += self.target.area() as u64;
            Self::check(self.kept <= MAX_KEPT);
            mask.interpret(self);
        }
    }

    /// Counts what painting a box takes, where it is not a plain colour.
    fn paint(&mut self, paint: &Paint<'_>, transform: Affine, bbox: Rect) {
        let Paint::Pattern(pattern) = paint else {
            return;
        };
        let area = transform.transform_rect_bbox(bbox).intersect(self.target);
        match &**pattern {
            Pattern::Shading(_) => self.make(area.area()),
            Pattern::Tiling(tiling) => self.tiles(tiling, area),
        }
    }

    /// Counts the dashes of a line; each is drawn for itself.
    fn dashes(&mut self, mode: &DrawMode, length: impl Fn() -> f64) {
        let (DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke)) = mode else {
            return;
        };
        let lengths = &stroke.dash_array;
        if lengths.is_empty() {
            return;
        }
        let whole: f64 = lengths.iter().copied().map(f64::from).sum();
        let rounds = (length() + f64::from(stroke.dash_offset).abs()) / whole;
        let dashes = rounds * lengths.len() as f64;
        // Lengths below nothing, and all of them nothing, never come to an end.
        let ends = lengths.iter().all(|&length| length >= 0.0) && dashes.is_finite();
        Self::check(ends && dashes <= MAX_STEPS as f64);
        self.steps += dashes as u64;
        Self::check(self.steps <= MAX_STEPS);
    }

    /// Counts a cell, and each of the copies of its content that overlap in it.
    fn tiles(&mut self, tiling: &TilingPattern<'_>, area: Rect) {
        let area = tiling.matrix.inverse().transform_rect_bbox(area);
        let (x, y) = x_y_advances(&tiling.matrix);
        let bbox = tiling.bbox;
        let across = Tiles::new(x.length(), bbox.width(), tiling.x_step, area.width());
        let down = Tiles::new(y.length(), bbox.height(), tiling.y_step, area.height());
        self.make(across.size * down.size);
        let page = std::mem::replace(
            &mut self.target,
            Rect::new(0.0, 0.0, across.size, down.size),
        );
        let (steps, made) = (self.steps, self.made);
        let to_cell = Affine::scale_non_uniform(x.length(), y.length())
            * Affine::translate((-bbox.x0, -bbox.y0));
        tiling.interpret(self, to_cell, false);
        self.target = page;
        let again = (across.copies * down.copies - 1.0).max(0.0);
        let times = |one: u64| (one as f64 * again).min(u32::MAX.into()) as u64;
        self.steps += times(self.steps - steps + 1);
        Self::check(self.steps <= MAX_STEPS);
        self.made += times(self.made - made);
        Self::check(self.made <= MAX_MADE);
    }
}

/// How a pattern's cells lie along one axis.
struct Tiles {
    /// Pixels of what is repeated.
    size: f64,
    /// How many copies of the content are drawn into it.
    copies: f64,
}

impl Tiles {
    /// `width` of the content, `step` from one to the next and `visible` width are in the units of
    /// the pattern, of which each has `scale` pixels.
    fn new(scale: f64, width: f64, step: f32, visible: f64) -> Self {
        let step = f64::from(step.abs());
        let repeated = if visible >= step { step } else { visible };
        Self {
            size: (repeated * scale).clamp(1.0, f64::from(u16::MAX)),
            copies: ((width + repeated) / step).ceil().max(1.0),
        }
    }
}

impl<'a> Device<'a> for Scales {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.step();
        self.dashes(mode, || path.perimeter(1.0));
        self.mask(props.soft_mask.as_ref());
        self.paint(&props.paint, props.transform, path.bounding_box());
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.step();
        self.dashes(mode, || rect.perimeter(1.0));
        self.mask(props.soft_mask.as_ref());
        self.paint(&props.paint, props.transform, *rect);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.step();
        self.dashes(mode, || run.glyphs().len() as f64 * OUTLINE);
        self.mask(props.soft_mask.as_ref());
        for placed in run.glyphs() {
            if let Glyph::Type3(glyph) = &**placed {
                self.step();
                glyph.interpret(self, props.transform, placed.transform(), &props.paint);
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.step();
        let (width, height) = (f64::from(image.width()), f64::from(image.height()));
        let place = Rect::new(0.0, 0.0, width, height);
        // Pictures beside the page are not made.
        if !props
            .transform
            .transform_rect_bbox(place)
            .overlaps(self.target)
        {
            return;
        }
        self.mask(props.soft_mask.as_ref());
        self.make(width * height);
        if let Image::Raster(raster) = &image {
            let dict = raster.stream().dict();
            for name in ["SMask", "Mask"] {
                let mask = dict.get::<Stream<'_>>(name);
                let side = |name| mask.as_ref().and_then(|mask| mask.dict().get::<u32>(name));
                if let (Some(width), Some(height)) = (side("Width"), side("Height")) {
                    self.make(f64::from(width) * f64::from(height));
                }
            }
        }
        let (x, y) = x_y_advances(&props.transform);
        let (x, y) = (x.length(), y.length());
        // One that is made smaller is made as large as it lies on the page.
        if x < 1.0 || y < 1.0 {
            let most = f64::from(u16::MAX / 2);
            self.make((width * x).min(most) * (height * y).min(most));
        }
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.step();
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.step();
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.step();
        self.mask(mask.as_ref());
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, _: &[u8], _: Option<&Dict<'_>>) {}

    fn end_marked_content(&mut self) {}
}
