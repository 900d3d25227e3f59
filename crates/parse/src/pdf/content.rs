//! What a page's content stream draws: glyphs, rules, shapes and pictures, in page coordinates.

use super::bounds;
use super::font::{FontId, FontTable};
use catena_document::BBox;
use hayro::hayro_interpret::font::{Glyph as HayroGlyph, GlyphRun, PositionedGlyph};
use hayro::hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, Paint, SoftMask,
};
use hayro::hayro_syntax::object::Dict;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape as _};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Glyphs kept of one page; a page with more is cut, with a warning.
const MAX_GLYPHS: usize = 400_000;
/// Shapes kept of one page; drawings are coarse anyway.
const MAX_SHAPES: usize = 100_000;
/// A filled or stroked path at most this thick, in points, may be a rule.
const RULE_THICKNESS: f32 = 2.5;
/// Rules shorter than this, in points, are part of a drawing.
const RULE_LENGTH: f32 = 8.0;

/// Bytes at each of three places that tell a picture from others.
const KEY_BYTES: usize = 256;

/// What is on a page.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Glyphs in drawing order.
    pub(super) glyphs: Vec<Glyph>,
    /// Horizontal and vertical rules.
    pub(super) rules: Vec<Rule>,
    /// Everything else that is drawn with lines and fills.
    pub(super) shapes: Vec<Shape>,
    /// Pictures.
    pub(super) images: Vec<BBox>,
    /// The boxes of what is drawn, other than glyphs, under each number of marked content.
    pub(super) marked: Vec<(u32, BBox)>,
    /// For every picture, a number that those of the same content share.
    pub(super) image_keys: Vec<u64>,
    /// Glyphs whose character is not known.
    pub(super) unknown: usize,
    /// Whether something was left out for its number.
    pub(super) cut: bool,
}

/// A glyph on its baseline.
#[derive(Clone, Debug)]
pub(super) struct Glyph {
    /// Its characters (a ligature has several), in logical order.
    pub(super) text: GlyphText,
    /// Start of its baseline.
    pub(super) x: f32,
    /// Height of its baseline, downwards.
    pub(super) y: f32,
    /// Its advance along the baseline, in points.
    pub(super) advance: f32,
    /// Font size in points as it appears.
    pub(super) size: f32,
    /// Direction of the baseline: 0 to the right, 1 down, 2 to the left, 3 up; odd angles none.
    pub(super) direction: Option<u8>,
    /// Its font.
    pub(super) font: FontId,
    /// Its colour as 0xRRGGBB.
    pub(super) color: u32,
    /// Marked by the author as no part of the text (page header, footer, watermark).
    pub(super) artifact: bool,
    /// The number of the marked content that it is part of, by which the structure tree names it.
    pub(super) mark: Option<u32>,
}

#[cfg(test)]
impl Glyph {
    /// A character of 10 points, half an em wide, that begins at a place.
    pub(super) fn of(c: char, x: f32, y: f32) -> Self {
        Self {
            text: GlyphText::Char(c),
            x,
            y,
            advance: 5.0,
            size: 10.0,
            direction: Some(0),
            font: FontId::UNKNOWN,
            color: 0,
            artifact: false,
            mark: None,
        }
    }
}

/// A glyph's characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GlyphText {
    /// One character.
    Char(char),
    /// A ligature or another sequence.
    Many(Box<str>),
}

impl GlyphText {
    pub(super) fn push_to(&self, out: &mut String) {
        match self {
            Self::Char(c) => out.push(*c),
            Self::Many(s) => out.push_str(s),
        }
    }

    pub(super) fn is_space(&self) -> bool {
        match self {
            Self::Char(c) => c.is_whitespace(),
            Self::Many(s) => s.chars().all(char::is_whitespace),
        }
    }
}

/// A horizontal or vertical line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Its box; thin in one direction.
    pub(super) bbox: BBox,
    /// Whether it runs from left to right.
    pub(super) horizontal: bool,
}

/// A drawn path.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Its box, clipped.
    pub(super) bbox: BBox,
    /// Whether it is a plain filled rectangle (a cell's or a box's background, a bar).
    pub(super) rectangle: bool,
    /// Its number of path segments.
    pub(super) segments: u32,
    /// The boxes of its parts where all its lines are horizontal or vertical and it is filled;
    /// empty for a plain rectangle and anything else.
    pub(super) boxes: Vec<BBox>,
}

/// Reads a page's content; fonts met are added to `fonts`.
pub(super) fn read<'a>(
    page: &'a Page<'a>,
    cache: &InterpreterCache<'a>,
    settings: &InterpreterSettings,
    fonts: &mut FontTable<'a>,
) -> Content {
    let (width, height) = page.render_dimensions();
    let transform = page.initial_transform(true).as_coeffs();
    let transform = Affine::new(transform);
    let target = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let mut context = Context::new(transform, target, cache, page.xref(), settings.clone());
    fonts.begin_page(page);
    let mut reader = Reader {
        content: Content::default(),
        fonts,
        clips: vec![BBox::new(0.0, 0.0, width, height)],
        marks: Vec::new(),
        hidden: 0,
    };
    let whole = bounds::interpret(page, &mut context, &mut reader);
    let mut found = reader.content;
    found.cut |= !whole;
    if reader.hidden * 10 > found.glyphs.len() * 8 {
        even_out(&mut found.glyphs);
    }
    found
}

/// Evens out the sizes of a hidden layer of text over a scan: they are guessed line by line.
fn even_out(glyphs: &mut [Glyph]) {
    let mut sizes: Vec<f32> = glyphs.iter().map(|glyph| glyph.size).collect();
    sizes.sort_by(f32::total_cmp);
    let Some(&usual) = sizes.get(sizes.len() / 2) else {
        return;
    };
    for glyph in glyphs {
        glyph.font = FontId::UNKNOWN;
        if (usual * 0.7..usual * 1.35).contains(&glyph.size) {
            glyph.size = usual;
        }
    }
}

/// Gathers what is drawn.
struct Reader<'f, 'a> {
    content: Content,
    fonts: &'f mut FontTable<'a>,
    /// The boxes of the clips in force, each within the one before.
    clips: Vec<BBox>,
    /// Glyphs that are not painted.
    hidden: usize,
    /// The open marked-content sequences.
    marks: Vec<Mark>,
}

/// A marked-content sequence.
struct Mark {
    artifact: bool,
    /// Its number, or that of the one around it.
    number: Option<u32>,
    /// What is drawn in it besides glyphs.
    drawn: Option<BBox>,
}

impl Mark {
    fn add(&mut self, bbox: BBox) {
        self.drawn = Some(self.drawn.map_or(bbox, |drawn| drawn.union(&bbox)));
    }
}

impl Reader<'_, '_> {
    fn clip(&self) -> BBox {
        self.clips.last().copied().unwrap_or_default()
    }

    fn push_clip(&mut self, bbox: Rect) {
        let inside = self.clip().intersection(&to_bbox(bbox));
        // An empty clip hides everything: a box without extent keeps that.
        let outer = self.clip();
        self.clips.push(inside.unwrap_or(BBox {
            right: outer.left,
            bottom: outer.top,
            ..outer
        }));
    }

    fn add_shape(&mut self, path: &BezPath, transform: Affine, stroke: Option<f32>) {
        let path = transform * path.clone();
        let bbox = to_bbox(path.bounding_box());
        let thick = stroke.unwrap_or(0.0);
        if is_thin(&bbox, thick) {
            let horizontal = bbox.width() >= bbox.height();
            let bbox = if stroke.is_some() {
                bbox.inflate(thick / 2.0)
            } else {
                bbox
            };
            if let Some(bbox) = self.clip().intersection(&bbox) {
                self.add_rule(bbox, horizontal);
            }
            return;
        }
        let Some(clipped) = self.clip().intersection(&bbox) else {
            return;
        };
        let segments = path.elements().len() as u32;
        let rectangle = is_rectangle(&path, &bbox);
        if stroke.is_some() && rectangle {
            self.add_outline(&bbox, thick);
            return;
        }
        if stroke.is_some() && self.add_straight_lines(&path, thick) {
            return;
        }
        let boxes = if stroke.is_none() && !rectangle {
            boxes_of(&path)
        } else {
            Vec::new()
        };
        self.push_shape(Shape {
            bbox: clipped,
            rectangle: rectangle && stroke.is_none(),
            segments,
            boxes,
        });
    }

    /// Notes that something is drawn in the open marked content.
    fn mark(&mut self, bbox: BBox) {
        if let Some(mark) = self.marks.last_mut() {
            mark.add(bbox);
        }
    }

    fn push_shape(&mut self, shape: Shape) {
        self.mark(shape.bbox);
        if self.content.shapes.len() < MAX_SHAPES {
            self.content.shapes.push(shape);
        } else {
            self.content.cut = true;
        }
    }

    fn add_rule(&mut self, bbox: BBox, horizontal: bool) {
        let length = if horizontal {
            bbox.width()
        } else {
            bbox.height()
        };
        if length < RULE_LENGTH {
            self.push_shape(Shape {
                bbox,
                rectangle: false,
                segments: 1,
                boxes: Vec::new(),
            });
        } else if self.content.rules.len() < MAX_SHAPES {
            self.mark(bbox);
            self.content.rules.push(Rule { bbox, horizontal });
        }
    }

    /// The four sides of a stroked rectangle as rules.
    fn add_outline(&mut self, bbox: &BBox, thick: f32) {
        let half = (thick / 2.0).max(0.1);
        let BBox {
            left,
            top,
            right,
            bottom,
        } = *bbox;
        let sides = [
            (BBox::new(left, top - half, right, top + half), true),
            (BBox::new(left, bottom - half, right, bottom + half), true),
            (BBox::new(left - half, top, left + half, bottom), false),
            (BBox::new(right - half, top, right + half, bottom), false),
        ];
        for (side, horizontal) in sides {
            if let Some(side) = self.clip().intersection(&side) {
                self.add_rule(side, horizontal);
            }
        }
    }

    /// Adds a stroked path of several straight horizontal and vertical lines (a grid drawn at
    /// once) as rules; `false` where it is anything else.
    fn add_straight_lines(&mut self, path: &BezPath, thick: f32) -> bool {
        let mut lines = Vec::new();
        let (mut start, mut at) = (Point::ZERO, Point::ZERO);
        for element in path.elements() {
            let to = match element {
                PathEl::MoveTo(point) => {
                    (start, at) = (*point, *point);
                    continue;
                }
                PathEl::LineTo(point) => *point,
                PathEl::ClosePath => start,
                PathEl::QuadTo(..) | PathEl::CurveTo(..) => return false,
            };
            let (dx, dy) = ((to.x - at.x).abs(), (to.y - at.y).abs());
            if dx > 0.5 && dy > 0.5 {
                return false;
            }
            lines.push((to_bbox(Rect::from_points(at, to)), dx >= dy));
            at = to;
        }
        // A closed polygon or a staircase is a drawing; a grid has many separate lines.
        for (line, horizontal) in lines {
            let line = line.inflate((thick / 2.0).max(0.1));
            if let Some(line) = self.clip().intersection(&line) {
                self.add_rule(line, horizontal);
            }
        }
        true
    }

    fn add_glyph(&mut self, glyph: &PositionedGlyph<'_>, props: &DrawProps<'_>, run: RunStyle) {
        let text = match glyph.as_unicode() {
            Some(BfString::Char(c)) => GlyphText::Char(c),
            Some(BfString::String(s)) => GlyphText::Many(s.into()),
            None => {
                self.content.unknown += 1;
                return;
            }
        };
        let transform = props.transform * glyph.transform();
        let [across_x, across_y, up_x, up_y, x, y] = transform.as_coeffs();
        let size = (up_x.hypot(up_y) * 1000.0) as f32;
        let (stretch, advance) = match &**glyph {
            HayroGlyph::Outline(outline) => {
                let stretch = self.fonts.stretch(run.font, outline);
                (stretch, outline.advance_width())
            }
            HayroGlyph::Type3(type3) => (1.0, type3.advance_width()),
        };
        let unit = across_x.hypot(across_y) / if stretch > 0.0 { stretch } else { 1.0 };
        let advance = (f64::from(advance.unwrap_or(500.0)) * unit) as f32;
        let (x, y) = (x as f32, y as f32);
        if !(size.is_finite() && advance.is_finite() && x.is_finite() && y.is_finite()) {
            return;
        }
        let middle_x = x + (across_x / across_x.hypot(across_y).max(1e-9)) as f32 * advance / 2.0;
        let middle_y = y - size * 0.3;
        if !self
            .clip()
            .inflate(1.0)
            .contains_point(middle_x, middle_y.max(0.0))
        {
            return;
        }
        if self.content.glyphs.len() >= MAX_GLYPHS {
            self.content.cut = true;
            return;
        }
        self.content.glyphs.push(Glyph {
            text,
            x,
            y,
            advance,
            size,
            direction: direction(across_x, across_y),
            font: run.font,
            color: run.color,
            artifact: self.marks.iter().any(|mark| mark.artifact),
            mark: self.marks.last().and_then(|mark| mark.number),
        });
    }
}

/// What all glyphs of a run share.
#[derive(Clone, Copy)]
struct RunStyle {
    font: FontId,
    color: u32,
}

impl<'a> Device<'a> for Reader<'_, 'a> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        if is_white(&props.paint) {
            return;
        }
        let scale = props.transform.determinant().abs().sqrt() as f32;
        match mode {
            DrawMode::Fill(_) => self.add_shape(path, props.transform, None),
            DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) => {
                let width = (stroke.line_width * scale).max(0.2);
                self.add_shape(path, props.transform, Some(width));
            }
            DrawMode::Invisible => {}
        }
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.push_clip(clip.path.bounding_box());
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.push_clip(*rect);
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let before_run = self.content.glyphs.len();
        // The font of text that nobody sees, over a scan, says nothing of what is seen.
        let shown = (!matches!(mode, DrawMode::Invisible)).then_some(run);
        let font = shown
            .and_then(|run| run.glyphs().first())
            .map_or(FontId::UNKNOWN, |glyph| match &**glyph {
                HayroGlyph::Outline(outline) => self.fonts.find(outline),
                HayroGlyph::Type3(_) => FontId::UNKNOWN,
            });
        let style = RunStyle {
            font,
            color: color(&props.paint),
        };
        let vertical = run.writing_mode() == WritingMode::Vertical;
        for glyph in run.glyphs() {
            let before = self.content.glyphs.len();
            self.add_glyph(glyph, &props, style);
            if vertical && let Some(glyph) = self.content.glyphs.get_mut(before) {
                set_down(glyph);
            }
        }
        if matches!(mode, DrawMode::Invisible) {
            self.hidden += self.content.glyphs.len() - before_run;
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let (width, height) = (f64::from(image.width()), f64::from(image.height()));
        let bbox = props
            .transform
            .transform_rect_bbox(Rect::new(0.0, 0.0, width, height));
        if let Some(bbox) = self.clip().intersection(&to_bbox(bbox))
            && self.content.images.len() < MAX_SHAPES
        {
            self.mark(bbox);
            self.content.images.push(bbox);
            self.content.image_keys.push(image_key(&image));
        }
    }

    fn pop_clip(&mut self) {
        if self.clips.len() > 1 {
            self.clips.pop();
        }
    }

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        let own = properties.and_then(|properties| properties.get::<u32>(b"MCID"));
        let outer = self.marks.last().and_then(|mark| mark.number);
        self.marks.push(Mark {
            artifact: tag == b"Artifact",
            number: own.or(outer),
            drawn: None,
        });
    }

    fn end_marked_content(&mut self) {
        let Some(mark) = self.marks.pop() else {
            return;
        };
        let outer = self.marks.last_mut();
        match (mark.number, mark.drawn, outer) {
            (Some(number), Some(drawn), outer)
                if outer.as_ref().and_then(|outer| outer.number) != Some(number)
                    && self.content.marked.len() < MAX_SHAPES =>
            {
                self.content.marked.push((number, drawn));
            }
            (_, Some(drawn), Some(outer)) => outer.add(drawn),
            _ => {}
        }
    }
}

/// Makes a glyph of vertical writing, drawn as any other, one of a line that runs down.
fn set_down(glyph: &mut Glyph) {
    let Some(across) = glyph.direction else {
        return;
    };
    let [along_x, along_y] =
        [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][usize::from(across)];
    // From the left end of its baseline to where its square begins, and a descent to the right,
    // so that the line's box is as wide as the square.
    let (right, up) = (glyph.size * 0.22, glyph.size * 0.88);
    glyph.x += along_x * right + along_y * up;
    glyph.y += along_y * right - along_x * up;
    glyph.direction = Some((across + 1) % 4);
    glyph.advance = glyph.size;
}

/// A number that pictures of the same content share, told by their ends and middle.
fn image_key(image: &Image<'_, '_>) -> u64 {
    let stream = match image {
        Image::Stencil(image) => image.stream(),
        Image::Raster(image) => image.stream(),
    };
    let bytes = stream.raw_data();
    let mut hasher = DefaultHasher::new();
    (image.width(), image.height(), bytes.len()).hash(&mut hasher);
    let last = bytes.len().saturating_sub(KEY_BYTES);
    for start in [0, last / 2, last] {
        bytes[start..bytes.len().min(start + KEY_BYTES)].hash(&mut hasher);
    }
    hasher.finish()
}

fn to_bbox(rect: Rect) -> BBox {
    BBox::new(
        rect.x0 as f32,
        rect.y0 as f32,
        rect.x1 as f32,
        rect.y1 as f32,
    )
}

/// Whether a path of this box and line width is as thin as a rule.
fn is_thin(bbox: &BBox, thick: f32) -> bool {
    let (short, long) = if bbox.width() < bbox.height() {
        (bbox.width(), bbox.height())
    } else {
        (bbox.height(), bbox.width())
    };
    short + thick <= RULE_THICKNESS && long > short * 3.0
}

/// The boxes of the parts of a path all of whose lines are horizontal or vertical; none where
/// others are among them.
fn boxes_of(path: &BezPath) -> Vec<BBox> {
    let mut out: Vec<Rect> = Vec::new();
    let mut at = Point::ZERO;
    for element in path.elements() {
        match element {
            PathEl::MoveTo(point) => {
                out.push(Rect::from_points(*point, *point));
                at = *point;
            }
            PathEl::LineTo(point) => {
                let straight = (point.x - at.x).abs() < 0.5 || (point.y - at.y).abs() < 0.5;
                let Some(part) = out.last_mut().filter(|_| straight) else {
                    return Vec::new();
                };
                *part = part.union_pt(*point);
                at = *point;
            }
            PathEl::ClosePath => {}
            PathEl::QuadTo(..) | PathEl::CurveTo(..) => return Vec::new(),
        }
    }
    out.into_iter().map(to_bbox).collect()
}

/// Whether a path is the outline of its box.
fn is_rectangle(path: &BezPath, bbox: &BBox) -> bool {
    let corner = |point: &Point| {
        let (x, y) = (point.x as f32, point.y as f32);
        let near = |a: f32, b: f32| (a - b).abs() < 0.5;
        (near(x, bbox.left) || near(x, bbox.right)) && (near(y, bbox.top) || near(y, bbox.bottom))
    };
    let elements = path.elements();
    (4..=7).contains(&elements.len())
        && elements.iter().all(|element| match element {
            PathEl::MoveTo(point) | PathEl::LineTo(point) => corner(point),
            PathEl::ClosePath => true,
            PathEl::QuadTo(..) | PathEl::CurveTo(..) => false,
        })
}

/// The quarter turn of a baseline with this direction vector, if it is one within 3 degrees.
fn direction(a: f64, b: f64) -> Option<u8> {
    let angle = b.atan2(a).to_degrees().rem_euclid(360.0);
    let turn = (angle / 90.0).round();
    ((angle - turn * 90.0).abs() < 3.0).then_some(turn as u8 % 4)
}

fn color(paint: &Paint<'_>) -> u32 {
    match paint {
        Paint::Color(color) => {
            let [r, g, b, _] = color.to_rgba().to_rgba8();
            u32::from_be_bytes([0, r, g, b])
        }
        Paint::Pattern(_) => 0,
    }
}

/// Whether paint leaves white paper white.
fn is_white(paint: &Paint<'_>) -> bool {
    match paint {
        Paint::Color(color) => {
            let [r, g, b, alpha] = color.to_rgba().to_rgba8();
            alpha < 8 || (r > 250 && g > 250 && b > 250)
        }
        Paint::Pattern(_) => false,
    }
}
