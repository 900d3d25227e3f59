//! A page in reading order: its paragraphs, figures and tables.

use super::block::{Block, Column, TextLine, blocks, lines};
use super::figure::{self, Evidence, FoundFigure};
use super::font::{FontId, FontTable};
use super::formula::{self, FoundFormula};
use super::furniture::Edge;
use super::layout::{Piece, regions};
use super::page::PageText;
use super::table::{self, FoundTable};
use super::words::Segment;
use catena_document::{BBox, LabelKind, caption_label};
use std::collections::{HashMap, HashSet};

/// Boxes looked at on one page for the text that they frame.
const MAX_FRAMES: usize = 200;

/// What stands on a page, in reading order.
#[derive(Debug)]
pub(super) enum Item {
    Text(Block),
    Figure(FoundFigure),
    Table(FoundTable),
    Formula(FoundFormula),
    /// What has become part of another item.
    Nothing,
}

impl Item {
    pub(super) fn bbox(&self) -> BBox {
        match self {
            Self::Text(block) => block.bbox,
            Self::Figure(figure) => figure.bbox,
            Self::Table(table) => table.bbox,
            Self::Formula(formula) => formula.bbox,
            Self::Nothing => BBox::default(),
        }
    }
}

/// A page's items, and its running headers and footers.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub(super) items: Vec<Item>,
    pub(super) headers: Vec<Block>,
    pub(super) footers: Vec<Block>,
}

/// What all pages are read with.
pub(super) struct Setting<'a, 'f> {
    pub(super) fonts: &'f FontTable<'a>,
    /// The body's font size in points.
    pub(super) body: f32,
    /// What is drawn at the same place of many pages: logos, frames, backgrounds.
    pub(super) template: Template,
    /// The font of most of the text.
    pub(super) body_font: FontId,
}

/// Puts a page in order; `furniture` are its running headers and footers.
pub(super) fn flow(
    page: &PageText,
    furniture: &[(usize, Edge)],
    setting: &Setting<'_, '_>,
) -> Flow {
    let mut free = vec![true; page.segments.len()];
    for &(at, _) in furniture {
        free[at] = false;
    }
    let captions: Vec<BBox> = page
        .segments
        .iter()
        .filter(|segment| {
            caption_label(&segment.text()).is_some_and(|label| label.kind == LabelKind::Table)
        })
        .map(|segment| segment.bbox)
        .collect();
    let formulas = formula::find(page, &free);
    take(
        &mut free,
        formulas.iter().flat_map(|formula| &formula.segments),
    );
    // What is surest comes first and takes its words: grids, then pictures and drawings, then
    // what only alignment shows.
    let mut tables = table::ruled(page, &free);
    take(&mut free, tables.iter().flat_map(|table| &table.segments));
    let mut taken: Vec<BBox> = tables.iter().map(|table| table.bbox).collect();
    let scanned = table::scanned(page, &free, &taken);
    take(&mut free, scanned.iter().flat_map(|table| &table.segments));
    taken.extend(scanned.iter().map(|table| table.bbox));
    tables.extend(scanned);
    let mut figures = figure::find(page, &free, &taken, setting, Evidence::Strong);
    take(
        &mut free,
        figures.iter().flat_map(|figure| &figure.segments),
    );
    taken.extend(figures.iter().map(|figure| figure.bbox));
    let aligned = table::aligned(page, &free, &taken, &captions);
    take(&mut free, aligned.iter().flat_map(|table| &table.segments));
    taken.extend(aligned.iter().map(|table| table.bbox));
    tables.extend(aligned);
    let more = figure::find(page, &free, &taken, setting, Evidence::Any);
    take(&mut free, more.iter().flat_map(|figure| &figure.segments));
    figures.extend(more);
    let figures = figures.into_iter().map(Item::Figure);
    let tables = tables.into_iter().map(Item::Table);
    let formulas = formulas.into_iter().map(Item::Formula);
    let visuals = figures.chain(tables).chain(formulas).map(Some).collect();
    let mut out = Flow {
        items: order(page, &free, visuals, setting),
        ..Flow::default()
    };
    for edge in [Edge::Top, Edge::Bottom] {
        let segments: Vec<&Segment> = furniture
            .iter()
            .filter(|(_, own)| *own == edge)
            .map(|&(at, _)| &page.segments[at])
            .collect();
        let column = Column::of(segments.iter().map(|segment| segment.bbox));
        let found = blocks(page.number, lines(&segments, setting.fonts), column);
        match edge {
            Edge::Top => out.headers = found,
            Edge::Bottom => out.footers = found,
        }
    }
    out
}

fn take<'s>(free: &mut [bool], segments: impl Iterator<Item = &'s usize>) {
    for &at in segments {
        free[at] = false;
    }
}

/// Text and what else there is in reading order.
fn order(
    page: &PageText,
    free: &[bool],
    mut visuals: Vec<Option<Item>>,
    setting: &Setting<'_, '_>,
) -> Vec<Item> {
    let text: Vec<&Segment> = page
        .segments
        .iter()
        .zip(free)
        .filter(|&(segment, &free)| free && segment.direction == Some(0))
        .map(|(segment, _)| segment)
        .collect();
    let pieces: Vec<Piece> = text
        .iter()
        .map(|segment| Piece {
            bbox: segment.bbox,
            chars: Some(segment.chars()),
        })
        .chain(visuals.iter().flatten().map(|item| Piece {
            bbox: item.bbox(),
            chars: None,
        }))
        .collect();
    let mut out = Vec::new();
    for region in regions(&pieces, &frames(page, &pieces), setting.body) {
        let mut run: Vec<&Segment> = Vec::new();
        let column = Column::of(
            region
                .iter()
                .filter_map(|&at| text.get(at))
                .map(|segment| segment.bbox),
        );
        for at in region {
            if let Some(&segment) = text.get(at) {
                run.push(segment);
                continue;
            }
            out.extend(text_items(page, &mut run, setting, column));
            out.extend(visuals.get_mut(at - text.len()).and_then(Option::take));
        }
        out.extend(text_items(page, &mut run, setting, column));
    }
    // Turned and slanted text outside figures comes last.
    for (segment, _) in page
        .segments
        .iter()
        .zip(free)
        .filter(|&(segment, &free)| free && segment.direction != Some(0))
    {
        let column = Column::of(std::iter::once(segment.bbox));
        out.extend(text_items(page, &mut vec![segment], setting, column));
    }
    out
}

/// The boxes drawn round text (side bars, call-outs): filled rectangles and outlines that no text
/// runs out of.
fn frames(page: &PageText, pieces: &[Piece]) -> Vec<BBox> {
    let filled = page
        .shapes
        .iter()
        .filter(|shape| shape.rectangle)
        .map(|shape| shape.bbox);
    let mut out: Vec<BBox> = filled
        .chain(outlines(page))
        .filter(|bbox| bbox.width() > 60.0 && bbox.height() > 30.0)
        .filter(|bbox| bbox.area() < page.bbox().area() * 0.7)
        .take(MAX_FRAMES)
        .collect();
    out.retain(|frame| {
        let mut runs_out = pieces.iter().filter(|piece| {
            let inside = frame.overlap_area(&piece.bbox);
            inside > piece.bbox.area() * 0.15 && !frame.contains(&piece.bbox, 3.0)
        });
        runs_out.next().is_none()
    });
    out
}

/// The rectangles whose four sides are drawn as rules.
fn outlines(page: &PageText) -> impl Iterator<Item = BBox> + '_ {
    let meets = |a: f32, b: f32| (a - b).abs() < 3.0;
    let of = |horizontal: bool| {
        let rules = page
            .rules
            .iter()
            .filter(move |rule| rule.horizontal == horizontal);
        rules.map(|rule| rule.bbox).take(MAX_FRAMES)
    };
    of(true).flat_map(move |top| {
        let bottoms = of(true).filter(move |bottom| {
            bottom.top > top.top + 20.0
                && meets(bottom.left, top.left)
                && meets(bottom.right, top.right)
        });
        let side = move |x: f32, bottom: f32| {
            of(false).any(|side| {
                meets(side.center_x(), x) && meets(side.top, top.top) && meets(side.bottom, bottom)
            })
        };
        let closed =
            move |bottom: &BBox| side(top.left, bottom.bottom) && side(top.right, bottom.bottom);
        bottoms
            .filter(closed)
            .map(move |bottom| BBox::new(top.left, top.top, top.right, bottom.bottom))
    })
}

/// The paragraphs of a run of segments, which is taken.
fn text_items(
    page: &PageText,
    run: &mut Vec<&Segment>,
    setting: &Setting<'_, '_>,
    column: Column,
) -> impl Iterator<Item = Item> {
    let mut segments = std::mem::take(run);
    let caps = take_drop_caps(&mut segments);
    let mut lines = lines(&segments, setting.fonts);
    for cap in caps {
        put_drop_cap(&mut lines, cap);
    }
    blocks(page.number, lines, column)
        .into_iter()
        .map(Item::Text)
}

/// Takes out the large first letters that reach down beside several lines.
fn take_drop_caps<'s>(segments: &mut Vec<&'s Segment>) -> Vec<&'s Segment> {
    let is_cap = |cap: &Segment, all: &[&Segment]| {
        let mut chars = cap.words.iter().flat_map(|word| word.text.chars());
        let letter = chars.next().is_some_and(char::is_uppercase) && chars.next().is_none();
        let beside = all.iter().filter(|line| {
            cap.size > line.size * 1.6
                && line.bbox.left > cap.bbox.left
                && line.bbox.left < cap.bbox.right + line.size * 2.0
                && cap.bbox.overlap_y(&line.bbox) > line.bbox.height() * 0.5
        });
        letter && beside.count() >= 1
    };
    let all = segments.clone();
    segments
        .extract_if(.., |segment| is_cap(segment, &all))
        .collect()
}

/// Puts a large first letter at the start of the first line beside it; all lines beside it begin
/// where it does.
fn put_drop_cap(lines: &mut [TextLine], cap: &Segment) {
    let is_beside = |line: &TextLine| cap.bbox.overlap_y(&line.bbox) > line.bbox.height() * 0.5;
    let top = |at: usize| lines[at].bbox.top;
    let first = (0..lines.len())
        .filter(|&at| is_beside(&lines[at]))
        .min_by(|&a, &b| top(a).total_cmp(&top(b)));
    if let Some(first) = first {
        lines[first].text.insert_str(0, &cap.text());
    }
    for line in lines.iter_mut().filter(|line| is_beside(line)) {
        line.bbox.left = line.bbox.left.min(cap.bbox.left);
    }
}

/// What is drawn at the same place of many pages.
#[derive(Debug, Default)]
pub(super) struct Template(HashSet<TemplateKey>);

/// A box in steps of two points, and the content of a picture there.
type TemplateKey = ([i32; 4], u64);

impl Template {
    /// Learns what at least three pages, and one in six, have in common.
    pub(super) fn of(pages: &[PageText]) -> Self {
        let mut counts: HashMap<TemplateKey, usize> = HashMap::new();
        for page in pages {
            let shapes = page.shapes.iter().map(|shape| &shape.bbox);
            let rules = page.rules.iter().map(|rule| &rule.bbox);
            let drawn = shapes.chain(rules).map(|bbox| template_key(bbox, 0));
            let images = page.images.iter().zip(&page.image_keys);
            let images = images.map(|(bbox, &content)| template_key(bbox, content));
            let keys: HashSet<TemplateKey> = drawn.chain(images).collect();
            for key in keys {
                *counts.entry(key).or_default() += 1;
            }
        }
        let enough = (pages.len() / 6).max(3);
        let common = counts.into_iter().filter(|&(_, count)| count >= enough);
        Self(common.map(|(key, _)| key).collect())
    }

    /// Whether a drawing is one of them.
    pub(super) fn holds(&self, bbox: &BBox) -> bool {
        self.holds_picture(bbox, 0)
    }

    /// Whether a picture of this content is one of them.
    pub(super) fn holds_picture(&self, bbox: &BBox, content: u64) -> bool {
        self.0.contains(&template_key(bbox, content))
    }
}

fn template_key(bbox: &BBox, content: u64) -> TemplateKey {
    let sides = [bbox.left, bbox.top, bbox.right, bbox.bottom];
    (sides.map(|side| (side / 2.0).round() as i32), content)
}

/// The font of most of a document's text.
pub(super) fn body_font(pages: &[PageText]) -> FontId {
    let mut counts: HashMap<FontId, usize> = HashMap::new();
    let words = pages
        .iter()
        .flat_map(|page| &page.segments)
        .flat_map(|segment| &segment.words);
    for word in words {
        *counts.entry(word.font).or_default() += word.text.len();
    }
    let most = counts
        .into_iter()
        .max_by_key(|&(font, count)| (count, font));
    most.map_or(FontId::UNKNOWN, |(font, _)| font)
}
