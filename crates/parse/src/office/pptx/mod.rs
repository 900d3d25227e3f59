//! Reading presentations.
//!
//! A slide is a page and a section. [`shapes`] finds what stands on it and where, [`paragraphs`]
//! reads text with its bullets, [`table`] tables, and [`layout`] what a slide inherits.

mod layout;
mod paragraphs;
mod shapes;
mod table;

use super::Content;
use super::drawing::{Facts, Media};
use super::package::{Package, Relations};
use crate::ParseError;
use crate::assets::Pictures;
use crate::block::{Block, BlockKind};
use crate::xml::{Element, Xml};
use catena_document::{BBox, NodeKind, Page, Picture, Provenance, TreeBuilder};
use layout::{Layouts, Placeholder};
use shapes::Shape;
use std::collections::HashSet;

/// Slides that are read.
const MAX_SLIDES: usize = 10_000;
/// Units of Office's drawings in a point.
const UNITS_PER_POINT: f32 = 12_700.0;

/// The reader, and what it has found so far.
struct Deck<'a, 's> {
    media: Media<'a, 's>,
    tree: TreeBuilder,
    /// The slide's number, from 1.
    page: u32,
    /// The slide's whole extent.
    whole: BBox,
}

pub(super) fn read(
    package: &Package<'_>,
    pictures: &mut Pictures<'_>,
) -> Result<Content, ParseError> {
    let (_, presentation, relations) = package.main("ppt/presentation.xml")?;
    let root = presentation
        .root()
        .ok_or_else(|| ParseError::Damaged("the presentation holds nothing".into()))?;
    let size = root.child("sldSz");
    let points = |name, usual| {
        let units = size.and_then(|size| size.number(name)).unwrap_or(usual);
        (units as f32 / UNITS_PER_POINT).clamp(1.0, 10_000.0)
    };
    let (width, height) = (points("cx", 9_144_000), points("cy", 6_858_000));
    let mut deck = Deck {
        media: Media { package, pictures },
        tree: TreeBuilder::new(),
        page: 0,
        whole: BBox::new(0.0, 0.0, width, height),
    };
    let mut layouts = Layouts::default();
    let mut pages = Vec::new();
    // A slide's part stands for one slide, however often the list names it.
    let mut read = HashSet::new();
    let slides: Vec<Element<'_>> = root
        .child("sldIdLst")
        .into_iter()
        .flat_map(|list| list.named("sldId"))
        .collect();
    if slides.len() > MAX_SLIDES {
        package.warn(format!("only the first {MAX_SLIDES} slides are read"));
    }
    for (slide, number) in slides.into_iter().take(MAX_SLIDES).zip(1..) {
        deck.page = number;
        pages.push(Page {
            number,
            width,
            height,
            rotation: 0,
            label: None,
        });
        let relation = slide.prefixed_attr("id").and_then(|id| relations.get(id));
        let Some(relation) = relation.filter(|relation| !relation.external) else {
            package.warn(format!("slide {number} is missing"));
            continue;
        };
        if !read.insert(relation.target.as_str()) {
            package.warn(format!("slide {number} is another one again"));
            continue;
        }
        if let Some(xml) = package.xml(&relation.target) {
            deck.slide(&xml, &package.relations(&relation.target), &mut layouts);
        }
    }
    let nodes = deck.tree.finish();
    Ok(Content {
        title: None,
        pages,
        nodes,
    })
}

impl Deck<'_, '_> {
    fn slide(&mut self, xml: &Xml, relations: &Relations, layouts: &mut Layouts) {
        let Some(shapes) = xml.root().and_then(|root| root.path(&["cSld", "spTree"])) else {
            return;
        };
        let layout = layouts.of(self.media.package, relations);
        let mut shapes = shapes::read(shapes, &layout);
        let title = shapes::take_title(&mut shapes);
        let (text, bbox) = match &title {
            Some((shape, text)) => (text.clone(), shape.bbox),
            None => (format!("Slide {}", self.page), None),
        };
        let places = self.places(bbox, &text);
        let section = self.tree.section(1, text, places);
        self.tree.node_mut(section).anchor = Some(format!("slide-{}", self.page));
        for shape in shapes {
            self.shape(&shape, relations, &layout);
        }
        self.notes(relations);
    }

    fn shape(&mut self, shape: &Shape<'_>, relations: &Relations, layout: &layout::Layout) {
        for part in &shape.parts {
            self.shape(part, relations, layout);
        }
        let element = shape.element;
        match element.name() {
            "sp" | "cxnSp" => {
                if let Some(body) = element.child("txBody") {
                    if matches!(
                        shape.placeholder.kind(),
                        Some("ftr" | "dt" | "sldNum" | "hdr")
                    ) {
                        self.leaf(
                            NodeKind::PageFooter,
                            super::drawing::paragraphs(body),
                            shape.bbox,
                        );
                    } else {
                        self.text(body, shape.bbox, &shape.placeholder, layout);
                    }
                }
                // A shape may be filled with a picture.
                if element
                    .child("spPr")
                    .is_some_and(|own| own.child("blipFill").is_some())
                {
                    self.figures(shape, relations);
                }
            }
            "graphicFrame" => match element.find("tbl") {
                Some(tbl) => self.table(tbl, shape.bbox),
                None => self.figures(shape, relations),
            },
            "pic" => self.figures(shape, relations),
            _ => {}
        }
    }

    fn figures(&mut self, shape: &Shape<'_>, relations: &Relations) {
        let element = shape.element;
        let names = element.children().find_map(|child| child.child("cNvPr"));
        let mut facts = Facts::read(names, None);
        facts.size = shape.bbox.map(|bbox| {
            let pixels = |points: f32| (points * 96.0 / 72.0) as u32;
            (pixels(bbox.width()), pixels(bbox.height()))
        });
        for block in self.media.figures(element, relations, facts) {
            self.figure(block, shape.bbox);
        }
    }

    fn figure(&mut self, block: Block, bbox: Option<BBox>) {
        if let BlockKind::Figure(figure) = block.kind {
            let picture = Picture {
                image: figure.image,
                alt: figure.alt,
                ..Picture::default()
            };
            self.leaf(NodeKind::Picture(picture), figure.text, bbox);
        }
    }

    /// What the speaker says to the slide.
    fn notes(&mut self, relations: &Relations) {
        let Some((_, xml)) = self.media.package.related(relations, "notesSlide") else {
            return;
        };
        let shapes = xml.root().into_iter().flat_map(Element::descendants);
        for shape in shapes.filter(|shape| shape.name() == "sp") {
            if Placeholder::read(shape).kind() != Some("body") {
                continue;
            }
            let paragraphs = shape
                .child("txBody")
                .into_iter()
                .flat_map(|body| body.named("p"));
            for paragraph in paragraphs {
                self.leaf(NodeKind::Footnote, paragraphs::line(paragraph), None);
            }
        }
    }

    /// Adds a node, unless it has neither words nor a picture.
    fn leaf(&mut self, kind: NodeKind, text: String, bbox: Option<BBox>) {
        if !text.is_empty() || matches!(kind, NodeKind::Picture(_)) {
            let places = self.places(bbox, &text);
            self.tree.add(kind, text, places);
        }
    }

    /// The place of a shape; the whole slide where it has none.
    fn places(&self, bbox: Option<BBox>, text: &str) -> Vec<Provenance> {
        vec![Provenance {
            page: self.page,
            bbox: bbox.unwrap_or(self.whole),
            char_span: 0..text.len() as u32,
        }]
    }
}
