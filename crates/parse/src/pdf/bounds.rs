//! Interpreting a page within bounds.
//!
//! Forms may draw forms that draw forms, each many times over, and the interpreter follows them
//! all: fifty levels of two each take longer than anyone waits. It cannot be told to stop, so it
//! is left by unwinding from the device that it draws on.

use hayro::hayro_interpret::font::GlyphRun;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
    interpret_page,
};
use hayro::hayro_syntax::object::Dict;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{BezPath, Rect};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Steps that drawing a page may take; the fullest maps take some hundred thousand.
const MAX_STEPS: u32 = 1_000_000;

/// Draws a page on a device; whether it came to its end. It does not where there is too much on
/// the page, or where the interpreter panics.
pub(super) fn interpret<'a>(
    page: &'a Page<'a>,
    context: &mut Context<'a>,
    device: &mut impl Device<'a>,
) -> bool {
    let mut bounded = Bounded {
        device,
        left: MAX_STEPS,
    };
    let result = catch_unwind(AssertUnwindSafe(|| {
        interpret_page(page, context, &mut bounded);
    }));
    result.is_ok()
}

/// A device that counts what is drawn, and leaves where it is too much.
struct Bounded<'d, D> {
    device: &'d mut D,
    left: u32,
}

impl<D> Bounded<'_, D> {
    fn step(&mut self) {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            // Unlike a panic this says nothing on its way.
            None => resume_unwind(Box::new("too many steps")),
        }
    }
}

impl<'a, D: Device<'a>> Device<'a> for Bounded<'_, D> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.step();
        self.device.draw_path(path, props, mode);
    }

    fn push_clip_path(&mut self, path: &ClipPath) {
        self.step();
        self.device.push_clip_path(path);
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.step();
        self.device.push_clip_rect(rect);
    }

    fn push_transparency_group(
        &mut self,
        opacity: f32,
        mask: Option<SoftMask<'a>>,
        mode: BlendMode,
    ) {
        self.step();
        self.device.push_transparency_group(opacity, mask, mode);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.step();
        self.device.draw_glyph_run(run, props, mode);
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.step();
        self.device.draw_image(image, props);
    }

    fn pop_clip(&mut self) {
        self.device.pop_clip();
    }

    fn pop_transparency_group(&mut self) {
        self.device.pop_transparency_group();
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.step();
        self.device.draw_rect(rect, props, mode);
    }

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        self.device.begin_marked_content(tag, properties);
    }

    fn end_marked_content(&mut self) {
        self.device.end_marked_content();
    }
}
