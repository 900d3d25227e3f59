//! The fonts of a document: what their dictionaries say of name, weight and shape.

use hayro::hayro_interpret::font::OutlineGlyph;
use hayro::hayro_interpret::{CMapResolverFn, FontResolverFn};
use hayro::hayro_syntax::object::dict::keys::{
    BASE_FONT, DESCENDANT_FONTS, FLAGS, FONT, FONT_DESC, FONT_WEIGHT, ITALIC_ANGLE, RESOURCES,
    STEM_V, SUBTYPE, TYPE0, TYPE3, XOBJECT,
};
use hayro::hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier, Stream};
use hayro::hayro_syntax::page::Page;
use hayro_font::{Font, FontCache, FontGlyph};
use std::collections::{HashMap, HashSet};

/// Form objects looked into for fonts, of one page.
const MAX_FORMS: usize = 200;

/// A font of a [`FontTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FontId(u16);

impl FontId {
    /// A font that could not be told.
    pub(super) const UNKNOWN: Self = Self(0);
    /// A bold font of which nothing else is known.
    pub(super) const BOLD: Self = Self(1);
    /// A font of one width of which nothing else is known.
    pub(super) const MONO: Self = Self(2);
}

/// What is known of a font.
#[allow(clippy::struct_excessive_bools)] // Independent facts of a dictionary.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FontInfo {
    /// Its PostScript name without the subset's prefix.
    pub(super) name: String,
    /// Whether it is bold.
    pub(super) bold: bool,
    /// Whether it is italic or oblique.
    pub(super) italic: bool,
    /// Whether all its glyphs have one width.
    pub(super) mono: bool,
    /// Whether its codes may have several bytes.
    composite: bool,
}

/// The fonts met so far, and those that the current page can use.
pub(super) struct FontTable<'a> {
    infos: Vec<FontInfo>,
    loaded: Vec<Option<Font<'a>>>,
    by_object: HashMap<ObjectIdentifier, FontId>,
    on_page: Vec<FontId>,
    last: FontId,
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
}

impl<'a> FontTable<'a> {
    pub(super) fn new(font_resolver: FontResolverFn, cmap_resolver: CMapResolverFn) -> Self {
        Self {
            infos: vec![
                FontInfo::default(),
                FontInfo {
                    bold: true,
                    ..FontInfo::default()
                },
                FontInfo {
                    mono: true,
                    ..FontInfo::default()
                },
            ],
            loaded: vec![None, None, None],
            by_object: HashMap::new(),
            on_page: Vec::new(),
            last: FontId::UNKNOWN,
            cache: FontCache::new(),
            font_resolver,
            cmap_resolver,
        }
    }

    /// What is known of a font.
    pub(super) fn info(&self, id: FontId) -> &FontInfo {
        &self.infos[usize::from(id.0)]
    }

    /// Makes the fonts that a page's resources name known.
    pub(super) fn begin_page(&mut self, page: &Page<'a>) {
        self.on_page.clear();
        let resources = page.resources();
        let mut forms = HashSet::new();
        self.add_fonts(&resources.fonts.clone());
        self.add_forms(&resources.x_objects.clone(), &mut forms, 0);
    }

    fn add_fonts(&mut self, fonts: &Dict<'a>) {
        for name in fonts.keys() {
            let Some(dict) = fonts.get::<Dict<'a>>(&*name) else {
                continue;
            };
            let object = dict.obj_id();
            let known = object.and_then(|object| self.by_object.get(&object).copied());
            let id = known.or_else(|| self.load(&dict));
            if let Some(id) = id {
                if let Some(object) = object {
                    self.by_object.insert(object, id);
                }
                if !self.on_page.contains(&id) {
                    self.on_page.push(id);
                }
            }
        }
    }

    fn add_forms(&mut self, objects: &Dict<'a>, seen: &mut HashSet<ObjectIdentifier>, depth: u32) {
        if depth > 4 {
            return;
        }
        for name in objects.keys() {
            if seen.len() >= MAX_FORMS {
                return;
            }
            let Some(stream) = objects.get::<Stream<'a>>(&*name) else {
                continue;
            };
            if !seen.insert(stream.obj_id()) {
                continue;
            }
            if let Some(resources) = stream.dict().get::<Dict<'a>>(RESOURCES) {
                if let Some(fonts) = resources.get::<Dict<'a>>(FONT) {
                    self.add_fonts(&fonts);
                }
                if let Some(nested) = resources.get::<Dict<'a>>(XOBJECT) {
                    self.add_forms(&nested, seen, depth + 1);
                }
            }
        }
    }

    fn load(&mut self, dict: &Dict<'a>) -> Option<FontId> {
        if dict
            .get::<Name<'_>>(SUBTYPE)
            .is_some_and(|name| &*name == TYPE3)
        {
            return None;
        }
        let id = FontId(u16::try_from(self.infos.len()).ok()?);
        let font = self
            .cache
            .font(dict, &self.font_resolver, &self.cmap_resolver)?;
        self.infos.push(describe(dict));
        self.loaded.push(Some(font));
        Some(id)
    }

    /// The font that a glyph was drawn with: the one on this page whose code gives the same
    /// outline.
    pub(super) fn find(&mut self, glyph: &OutlineGlyph) -> FontId {
        if self.matches(self.last, glyph) && self.on_page.contains(&self.last) {
            return self.last;
        }
        let found = self
            .on_page
            .iter()
            .copied()
            .find(|&id| self.matches(id, glyph));
        self.last = found.unwrap_or(FontId::UNKNOWN);
        self.last
    }

    fn matches(&self, id: FontId, glyph: &OutlineGlyph) -> bool {
        let Some(Some(font)) = self.loaded.get(usize::from(id.0)) else {
            return false;
        };
        let code = glyph.char_code();
        // The codes of simple fonts have one byte.
        if (code > 0xff && !self.info(id).composite) || font.map_code(code) != glyph.glyph_id() {
            return false;
        }
        match font.glyph(glyph.glyph_id(), code) {
            FontGlyph::Outline(mine) => mine.identifier() == glyph.identifier(),
            FontGlyph::Type3(_) => false,
        }
    }

    /// By how much a glyph is stretched to its advance.
    pub(super) fn stretch(&self, id: FontId, glyph: &OutlineGlyph) -> f64 {
        match self.loaded.get(usize::from(id.0)) {
            Some(Some(font)) => font.glyph_stretch(glyph.glyph_id(), glyph.char_code()),
            _ => 1.0,
        }
    }
}

/// Reads a font's dictionary; a composite font's descriptor is its descendant's.
fn describe(dict: &Dict<'_>) -> FontInfo {
    let composite = dict
        .get::<Name<'_>>(SUBTYPE)
        .is_some_and(|name| &*name == TYPE0);
    let base = dict.get::<Name<'_>>(BASE_FONT);
    let name = base.map_or_else(String::new, |name| without_prefix(name.as_str()).to_owned());
    let descendant = dict
        .get::<Array<'_>>(DESCENDANT_FONTS)
        .and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let descriptor = descendant
        .as_ref()
        .unwrap_or(dict)
        .get::<Dict<'_>>(FONT_DESC)
        .unwrap_or_default();
    let flags = descriptor.get::<u32>(FLAGS).unwrap_or(0);
    let weight = descriptor.get::<f32>(FONT_WEIGHT).unwrap_or(0.0);
    let stem = descriptor.get::<f32>(STEM_V).unwrap_or(0.0);
    let angle = descriptor.get::<f32>(ITALIC_ANGLE).unwrap_or(0.0);
    let lower = name.to_ascii_lowercase();
    FontInfo {
        bold: is_bold_name(&lower)
            || weight >= 600.0
            || flags & FORCE_BOLD != 0
            || (stem >= 140.0 && !is_light_name(&lower)),
        // Math fonts slant without being italic text; the name decides for them.
        italic: ["italic", "oblique", "-it", "cmti", "sfti", "ital"]
            .iter()
            .any(|mark| lower.contains(mark))
            || (angle != 0.0 && !lower.starts_with("cm")),
        mono: flags & FIXED_PITCH != 0
            || ["mono", "courier", "cmtt", "sftt", "consol", "typewriter"]
                .iter()
                .any(|mark| lower.contains(mark)),
        name,
        composite,
    }
}

const FIXED_PITCH: u32 = 1;
const FORCE_BOLD: u32 = 1 << 18;

/// Whether a lower-case PostScript name says that the font is bold.
fn is_bold_name(lower: &str) -> bool {
    let words = [
        "bold",
        "black",
        "heavy",
        "demi",
        "cmb",
        "sfb",
        "-bd",
        "sfsx",
        "cmssbx",
        "nimbusrom-bol",
    ];
    words.iter().any(|mark| lower.contains(mark)) || lower.ends_with("-b")
}

fn is_light_name(lower: &str) -> bool {
    [
        "regular", "light", "roman", "book", "medium", "-r", "italic",
    ]
    .iter()
    .any(|mark| lower.contains(mark))
}

/// A name without the six letters that mark a subset.
fn without_prefix(name: &str) -> &str {
    match name.split_once('+') {
        Some((prefix, rest)) if prefix.len() == 6 => rest,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bold_by_name() {
        for (name, bold) in [
            ("CMBX12", true),
            ("SFBX1000", true),
            ("Arial-BoldMT", true),
            ("OpenSans-Semibold", true),
            ("Helvetica", false),
            ("CMR10", false),
        ] {
            assert_eq!(is_bold_name(&name.to_ascii_lowercase()), bold, "{name}");
        }
        assert_eq!(without_prefix("ABCDEF+CMR10"), "CMR10");
    }
}
