//! Pictures, charts and diagrams, which are the same in all office files.

use super::package::{Package, Relations};
use crate::assets::Pictures;
use crate::block::{Block, BlockKind, Figure};
use crate::text::{Folded, folded};
use crate::xml::{Element, Xml};

/// Units of Office's drawings in a pixel; there are 914,400 in an inch.
const UNITS_PER_PIXEL: i64 = 9525;
/// Pictures below this many pixels in both directions, without words, only decorate.
const ICON: u32 = 32;
/// Bytes of the words kept of a chart or diagram.
const MAX_WORDS: usize = 20_000;

/// What is needed to get at pictures: the part that shows them, and where they are kept.
pub(super) struct Media<'a, 's> {
    pub(super) package: &'a Package<'a>,
    pub(super) pictures: &'a mut Pictures<'s>,
}

/// What a drawing says of itself.
#[derive(Clone, Default)]
pub(super) struct Facts {
    /// The text that the author gave in its place.
    pub(super) alt: Option<String>,
    /// Whether the author says that it tells nothing.
    pub(super) decorative: bool,
    /// Width and height in pixels.
    pub(super) size: Option<(u32, u32)>,
}

impl Facts {
    /// Reads `wp:docPr`, `p:cNvPr` or `xdr:cNvPr`.
    pub(super) fn read(properties: Option<Element<'_>>, size: Option<Element<'_>>) -> Self {
        let text = |name| {
            let text = folded(properties?.attr(name)?);
            Some(text).filter(|text| !text.is_empty() && !is_file_name(text))
        };
        let decorative = properties
            .and_then(|properties| properties.find("decorative"))
            .and_then(|mark| mark.attr("val"));
        let pixels = |name| Some((size?.number(name)? / UNITS_PER_PIXEL).clamp(0, 100_000) as u32);
        Self {
            alt: text("descr").or_else(|| text("title")),
            decorative: decorative.is_some_and(|value| value == "1" || value == "true"),
            size: pixels("cx").zip(pixels("cy")),
        }
    }

    fn tells_nothing(&self) -> bool {
        let icon = |(width, height)| width < ICON && height < ICON;
        self.decorative || (self.alt.is_none() && self.size.is_some_and(icon))
    }
}

/// Whether a text is the name of a picture's file, which some programs write where a person has
/// given nothing.
fn is_file_name(text: &str) -> bool {
    let ending = text
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    let known = [
        "png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "emf", "wmf", "svg", "webp",
    ];
    !text.contains(' ') && ending.is_some_and(|ending| known.contains(&&*ending))
}

impl Media<'_, '_> {
    /// The pictures, charts and diagrams below a drawing; the text in its place goes to the first.
    pub(super) fn figures(
        &mut self,
        drawing: Element<'_>,
        relations: &Relations,
        facts: Facts,
    ) -> Vec<Block> {
        let mut out = Vec::new();
        if facts.tells_nothing() {
            return out;
        }
        let mut facts = facts;
        // What stands in text boxes is read with their text.
        let mut box_end = 0;
        for element in drawing.descendants() {
            if element.id() < box_end {
                continue;
            }
            let id = match element.name() {
                "txbxContent" => {
                    box_end = element.end();
                    continue;
                }
                "blip" => element
                    .prefixed_attr("embed")
                    .or_else(|| element.prefixed_attr("link")),
                "imagedata" => element
                    .prefixed_attr("id")
                    .or_else(|| element.prefixed_attr("pict")),
                "chart" => {
                    out.extend(self.words(
                        element.prefixed_attr("id"),
                        relations,
                        &mut facts,
                        chart,
                    ));
                    continue;
                }
                "relIds" => {
                    out.extend(self.words(
                        element.prefixed_attr("dm"),
                        relations,
                        &mut facts,
                        diagram,
                    ));
                    continue;
                }
                _ => continue,
            };
            let figure = self.figure(id.unwrap_or_default(), relations, &mut facts);
            out.extend(figure);
        }
        out
    }

    /// A picture by the name that its part gives it.
    fn figure(&mut self, id: &str, relations: &Relations, facts: &mut Facts) -> Option<Block> {
        let relation = relations.get(id)?;
        let loaded = if relation.external {
            self.pictures.load(&[&relation.target])
        } else {
            self.pictures.load_entry(&relation.target)
        };
        let extent = facts
            .size
            .or(loaded.as_ref().and_then(|loaded| loaded.size));
        let (image, text) = match loaded {
            Some(loaded) => (Some(loaded.hash), loaded.words),
            None => (None, String::new()),
        };
        let alt = facts.alt.take();
        let tells = image.is_some() || alt.is_some();
        tells.then(|| {
            figure_block(Figure {
                image,
                alt,
                text,
                source: relation.target.clone(),
                extent: extent.map(|(width, height)| width.max(height)),
                ..Figure::default()
            })
        })
    }

    /// A figure of which only the words are known.
    fn words(
        &mut self,
        id: Option<&str>,
        relations: &Relations,
        facts: &mut Facts,
        read: fn(&Xml) -> String,
    ) -> Option<Block> {
        let relation = relations.get(id?).filter(|relation| !relation.external)?;
        let text = read(&self.package.xml(&relation.target)?);
        let alt = facts.alt.take();
        (!text.is_empty() || alt.is_some()).then(|| {
            figure_block(Figure {
                alt,
                text,
                ..Figure::default()
            })
        })
    }
}

fn figure_block(figure: Figure) -> Block {
    Block::new(BlockKind::Figure(Box::new(figure)))
}

/// The words of a chart: its titles, then each series with its values as last computed.
fn chart(xml: &Xml) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut size = 0;
    let mut add = |text: String| {
        size += text.len();
        if !text.is_empty() && size <= MAX_WORDS {
            parts.push(text);
        }
    };
    for element in xml.root().into_iter().flat_map(Element::descendants) {
        match element.name() {
            "title" => add(paragraphs(element)),
            "ser" => add(series(element)),
            _ => {}
        }
    }
    parts.join("; ")
}

/// A series as `Pumps: 2023 4, 2024 7`.
fn series(series: Element<'_>) -> String {
    let points = |name: &str| -> Vec<String> {
        let values = series
            .child(name)
            .into_iter()
            .flat_map(Element::descendants);
        let points = values.filter(|below| below.name() == "pt").take(500);
        points
            .map(|point| folded(&point.child("v").map(Element::text).unwrap_or_default()))
            .collect()
    };
    let name = points("tx").join(" ");
    let names = [points("cat"), points("xVal")].concat();
    let values = [points("val"), points("yVal")].concat();
    let pairs: Vec<String> = (0..names.len().max(values.len()))
        .map(|at| {
            let part = |list: &[String]| list.get(at).cloned().unwrap_or_default();
            folded(&format!("{} {}", part(&names), part(&values)))
        })
        .collect();
    let joint = if name.is_empty() || pairs.is_empty() {
        ""
    } else {
        ": "
    };
    format!("{name}{joint}{}", pairs.join(", "))
}

/// The words of a diagram (`SmartArt`), shape by shape.
fn diagram(xml: &Xml) -> String {
    let points = xml.root().into_iter().flat_map(Element::descendants);
    let texts: Vec<String> = points
        .filter(|element| {
            element.name() == "t" && element.children().any(|below| below.name() == "p")
        })
        .map(paragraphs)
        .filter(|text| !text.is_empty())
        .take(2_000)
        .collect();
    texts.join("; ")
}

/// The paragraphs of a drawing's text as one line.
pub(super) fn paragraphs(element: Element<'_>) -> String {
    let mut out = Folded::default();
    for below in element.descendants() {
        match below.name() {
            "t" => out.push(&below.text()),
            "p" | "br" | "tab" => out.space(),
            _ => {}
        }
    }
    out.into_string()
}
