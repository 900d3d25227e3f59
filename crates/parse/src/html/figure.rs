//! Pictures: which are evidence, and which only decorate.

use super::dom::DomId;
use super::svg;
use super::walk::Walk;
use crate::assets::{Address, Loaded};
use crate::block::{Block, BlockKind, Figure};
use crate::caption::{adopt, pair_captions};
use crate::picture::{pixels, svg_size};
use crate::text::folded;

/// Pictures below this many pixels in both directions are icons.
const ICON: u32 = 32;
/// Attributes in which pages keep the address of a picture that is loaded later.
const LAZY: [&str; 4] = ["data-src", "data-original", "data-lazy-src", "data-lazy"];

/// What a picture turns out to be.
pub(super) enum Seen {
    /// Evidence.
    Evidence(Block),
    /// A formula drawn as a picture: its source.
    Formula(String),
    /// A small sign within text: what stands for it.
    Icon(String),
    /// Nothing that tells anything.
    Decoration,
    /// Not a picture: what stands below it counts.
    Fallback,
}

impl<'a> Walk<'a, '_> {
    /// Judges a picture.
    pub(super) fn see(&mut self, id: DomId) -> Seen {
        let dom = self.dom;
        match dom.name(id) {
            "svg" => self.drawing(id),
            "picture" => {
                let image = dom.subtree(id).find(|&below| dom.name(below) == "img");
                image.map_or(Seen::Decoration, |image| self.image(image))
            }
            "object" => self.embedded(id, "data"),
            "embed" => match self.embedded(id, "src") {
                Seen::Fallback => Seen::Decoration,
                seen => seen,
            },
            _ => self.image(id),
        }
    }

    /// A picture in `<object>` or `<embed>`.
    fn embedded(&mut self, id: DomId, name: &str) -> Seen {
        let dom = self.dom;
        let Some(address) = dom.filled_attr(id, name) else {
            return Seen::Fallback;
        };
        let typed = dom
            .attr(id, "type")
            .is_some_and(|kind| kind.trim().starts_with("image/"));
        if !typed && !names_picture(address) {
            return Seen::Fallback;
        }
        let alt = dom
            .filled_attr(id, "aria-label")
            .map_or_else(|| folded(&dom.raw_text(id)), folded);
        self.evidence(id, &[address], Some(alt).filter(|alt| !alt.is_empty()))
    }

    fn image(&mut self, id: DomId) -> Seen {
        let dom = self.dom;
        let alt = ["alt", "title", "aria-label"]
            .iter()
            .find_map(|name| dom.filled_attr(id, name))
            .map(folded);
        if dom.has_role(id, &["presentation", "none"]) {
            return Seen::Decoration;
        }
        if self.doubles_formula(id) {
            return Seen::Decoration;
        }
        if let Some(tex) = alt.as_deref().and_then(|alt| self.formula_source(id, alt)) {
            return Seen::Formula(tex);
        }
        let declared = ["width", "height"].map(|name| dom.attr(id, name).and_then(pixels));
        if let [Some(width), Some(height)] = declared
            && is_icon((width as u32, height as u32))
        {
            return alt.map_or(Seen::Decoration, Seen::Icon);
        }
        let addresses = self.addresses(id);
        if addresses.iter().any(|address| is_badge(address)) {
            return Seen::Decoration;
        }
        self.evidence(id, &addresses, alt)
    }

    /// Whether a picture stands beside the formula that it shows, for browsers that know no formulas.
    fn doubles_formula(&self, id: DomId) -> bool {
        let dom = self.dom;
        let fallback = |class: &str| class.starts_with("mwe-math-fallback-image");
        let is_math = |near: DomId| dom.name(near) == "math";
        let before = dom.element_before(id);
        dom.classes(id).any(fallback)
            && before.is_some_and(|before| dom.subtree(before).take(4).any(is_math))
    }

    /// The TeX of a formula that is drawn as a picture.
    fn formula_source(&self, id: DomId, alt: &str) -> Option<String> {
        let classed = self.dom.classes(id).any(|class| {
            matches!(
                class,
                "tex"
                    | "latex"
                    | "math"
                    | "mwe-math-fallback-image-inline"
                    | "mwe-math-fallback-image-display"
            )
        });
        let quoted = ["$", "\\(", "\\[", "{\\displaystyle"]
            .iter()
            .any(|start| alt.starts_with(start));
        if !classed && !quoted {
            return None;
        }
        let bare = alt.strip_prefix("{\\displaystyle").unwrap_or(alt);
        let bare = if bare.len() < alt.len() {
            bare.trim_end().strip_suffix('}').unwrap_or(bare)
        } else {
            alt
        };
        Some(bare.trim_matches([' ', '$']).to_owned()).filter(|tex| !tex.is_empty())
    }

    /// The addresses under which a picture may be had, the best first.
    fn addresses(&self, id: DomId) -> Vec<&'a str> {
        let dom = self.dom;
        let mut out: Vec<&str> = Vec::new();
        // A small picture may lead to the large one.
        out.extend(self.dom.ancestors(id).take(3).find_map(|above| {
            let link = dom
                .filled_attr(above, "href")
                .filter(|_| dom.name(above) == "a")?;
            let local = matches!(self.pictures.address(link), Address::Local(_));
            (local && names_picture(link)).then_some(link)
        }));
        let source = dom.filled_attr(id, "src");
        // A placeholder of a few bytes stands in `src` until a script runs.
        let placeholder = |src: &&str| src.trim_start().starts_with("data:") && src.len() < 400;
        out.extend(source.filter(|src| !placeholder(src)));
        out.extend(LAZY.iter().filter_map(|name| dom.filled_attr(id, name)));
        let mut sets: Vec<&str> = ["srcset", "data-srcset"]
            .iter()
            .filter_map(|name| dom.filled_attr(id, name))
            .collect();
        if let Some(picture) = dom.parent(id).filter(|&above| dom.name(above) == "picture") {
            let sources = dom
                .children(picture)
                .filter(|&child| dom.name(child) == "source");
            sets.extend(sources.filter_map(|child| dom.filled_attr(child, "srcset")));
        }
        for set in sets {
            out.extend(
                set.split(", ")
                    .filter_map(|part| part.split_whitespace().next())
                    .take(8),
            );
        }
        out.extend(source.filter(placeholder));
        out
    }

    fn evidence(&mut self, id: DomId, addresses: &[&str], alt: Option<String>) -> Seen {
        let loaded = self.pictures.load(addresses);
        let size = loaded.as_ref().and_then(|loaded| loaded.size);
        if size.is_some_and(is_icon) {
            return alt.map_or(Seen::Decoration, Seen::Icon);
        }
        let source = match (&loaded, addresses.first()) {
            (Some(loaded), _) => loaded.hash.to_string(),
            (None, Some(address)) => (*address).chars().take(200).collect(),
            (None, None) => String::new(),
        };
        Seen::Evidence(self.figure_block(id, loaded, alt, source))
    }

    fn figure_block(
        &self,
        id: DomId,
        loaded: Option<Loaded>,
        alt: Option<String>,
        source: String,
    ) -> Block {
        let dom = self.dom;
        let declared = ["width", "height"]
            .iter()
            .filter_map(|name| dom.attr(id, name).and_then(pixels))
            .map(|side| side as u32)
            .max();
        let actual = loaded.as_ref().and_then(|loaded| loaded.size);
        let extent = declared.or(actual.map(|(width, height)| width.max(height)));
        let (image, text) = match loaded {
            Some(loaded) => (Some(loaded.hash), loaded.words),
            None => (None, String::new()),
        };
        let figure = Figure {
            image,
            alt,
            text,
            source,
            extent,
            ..Figure::default()
        };
        let mut block = Block::new(BlockKind::Figure(Box::new(figure)));
        block.anchor = self.own_anchor(id);
        block
    }

    /// A drawing within the page.
    fn drawing(&mut self, id: DomId) -> Seen {
        let dom = self.dom;
        let attr = |name| dom.attr(id, name);
        let size = svg_size(attr("width"), attr("height"), attr("viewBox"));
        let alt = dom.filled_attr(id, "aria-label").map(folded);
        let facts = svg::look(dom, id);
        if size.is_some_and(is_icon) || facts.shapes == 0 {
            return alt.map_or(Seen::Decoration, Seen::Icon);
        }
        let words = folded(&facts.words);
        let loaded =
            svg::markup(dom, id).and_then(|xml| self.pictures.keep(xml.into_bytes(), "svg"));
        let source = loaded
            .as_ref()
            .map_or_else(String::new, |loaded| loaded.hash.to_string());
        let mut block = self.figure_block(id, loaded, alt.or(facts.title), source);
        if let BlockKind::Figure(figure) = &mut block.kind {
            figure.text = words;
        }
        Seen::Evidence(block)
    }

    /// A figure: its caption goes to its first picture or table, and its other pictures to that.
    pub(super) fn figure(&mut self, id: DomId) {
        self.flush();
        self.pass_anchor(id);
        let dom = self.dom;
        let name = self.pending.take();
        let captions: Vec<DomId> = dom
            .children(id)
            .filter(|&child| dom.name(child) == "figcaption" && !self.boilerplate.skips(child))
            .collect();
        let mut texts = Vec::new();
        let mut pictures = Vec::new();
        for &caption in &captions {
            let (text, inside, _) = self.line(caption);
            texts.push(text);
            pictures.extend(inside);
        }
        let mut blocks = self.nested(|walk| {
            for child in dom.children(id).filter(|child| !captions.contains(child)) {
                walk.node(child);
            }
            walk.flush();
            pair_captions(&mut walk.out);
        });
        blocks.extend(pictures);
        let caption = texts.join(" ").trim().to_owned();
        let before = captions
            .first()
            .is_some_and(|&first| dom.element_before(first).is_none());
        self.out.extend(assembled(blocks, caption, name, before));
    }
}

/// A figure's blocks with its caption and name in their places.
fn assembled(
    mut blocks: Vec<Block>,
    caption: String,
    name: Option<String>,
    caption_first: bool,
) -> Vec<Block> {
    let visual =
        |block: &Block| matches!(block.kind, BlockKind::Figure(_) | BlockKind::Table { .. });
    let Some(at) = blocks.iter().position(visual) else {
        // Code, a formula, or something that cannot be read: its caption stays beside it.
        if !caption.is_empty() {
            let place = if caption_first { 0 } else { blocks.len() };
            blocks.insert(place, Block::paragraph(caption));
        }
        if let Some(first) = blocks.first_mut() {
            first.anchor = first.anchor.take().or(name);
        }
        return blocks;
    };
    blocks[at].anchor = name.or(blocks[at].anchor.take());
    if caption.is_empty() {
        return blocks;
    }
    if let BlockKind::Table { .. } = blocks[at].kind {
        blocks[at].set_caption(caption);
        return blocks;
    }
    let is_part = |block: &mut Block| matches!(block.kind, BlockKind::Figure(_));
    let parts = blocks.extract_if(at + 1.., is_part).collect();
    adopt(&mut blocks[at], caption, parts);
    blocks
}

fn is_icon((width, height): (u32, u32)) -> bool {
    width < ICON && height < ICON
}

/// Whether an address ends like that of a picture.
fn names_picture(address: &str) -> bool {
    let path = address
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    [
        ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".svg",
    ]
    .iter()
    .any(|end| path.ends_with(end))
}

/// Whether a picture is a badge that some service draws.
fn is_badge(address: &str) -> bool {
    address.starts_with("http") && (address.contains("shields.io") || address.contains("badge"))
}
