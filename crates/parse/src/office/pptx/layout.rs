//! What a slide inherits from its layout and master: places and bullets.

use crate::office::package::{Package, Relations};
use crate::xml::{Element, Xml};
use std::collections::HashMap;
use std::rc::Rc;

/// The layouts read so far, by the names of their parts.
#[derive(Default)]
pub(super) struct Layouts(HashMap<String, Rc<Layout>>);

/// A slide's layout with its master, the nearer first.
#[derive(Default)]
pub(super) struct Layout {
    levels: Vec<Holders>,
}

/// The placeholders of a layout or master.
struct Holders {
    xml: Xml,
    by_index: HashMap<String, u32>,
    by_kind: HashMap<String, u32>,
}

/// What a shape stands in for.
#[derive(Clone, Debug, Default)]
pub(super) struct Placeholder {
    kind: Option<String>,
    index: Option<String>,
    exists: bool,
}

impl Layouts {
    /// The layout of a slide.
    pub(super) fn of(&mut self, package: &Package<'_>, slide: &Relations) -> Rc<Layout> {
        let part = |relations: &Relations, kind: &str| {
            relations
                .values()
                .find(|relation| relation.kind == kind && !relation.external)
                .map(|relation| relation.target.clone())
        };
        let Some(name) = part(slide, "slideLayout") else {
            return Rc::default();
        };
        if let Some(known) = self.0.get(&name) {
            return Rc::clone(known);
        }
        let master = part(&package.relations(&name), "slideMaster");
        let parts = std::iter::once(name.clone()).chain(master);
        let levels = parts
            .filter_map(|name| package.xml(&name))
            .map(Holders::new);
        let layout = Rc::new(Layout {
            levels: levels.collect(),
        });
        self.0.insert(name, Rc::clone(&layout));
        layout
    }
}

impl Layout {
    /// The shapes that a placeholder inherits from, the nearest first.
    pub(super) fn above<'a>(
        &'a self,
        holder: &'a Placeholder,
    ) -> impl Iterator<Item = Element<'a>> {
        let levels = self.levels.iter().filter(|_| holder.exists);
        levels.filter_map(|level| {
            let by_kind = |kind: &str| level.by_kind.get(kind);
            let by_index = holder.index.as_ref();
            let id = by_index
                .and_then(|index| level.by_index.get(index))
                .or_else(|| by_kind(holder.exact_kind()))
                .or_else(|| by_kind(holder.general_kind()))?;
            level.xml.element(*id)
        })
    }

    /// The master's style of the text in a body.
    pub(super) fn body_style(&self) -> Option<Element<'_>> {
        let root = |level: &'_ Holders| -> Option<u32> {
            Some(level.xml.root()?.path(&["txStyles", "bodyStyle"])?.id())
        };
        self.levels
            .iter()
            .find_map(|level| level.xml.element(root(level)?))
    }
}

impl Holders {
    fn new(xml: Xml) -> Self {
        let mut holders = Self {
            by_index: HashMap::new(),
            by_kind: HashMap::new(),
            xml,
        };
        let shapes = holders
            .xml
            .root()
            .into_iter()
            .flat_map(Element::descendants);
        for shape in shapes.filter(|shape| matches!(shape.name(), "sp" | "pic" | "graphicFrame")) {
            let holder = Placeholder::read(shape);
            if !holder.exists {
                continue;
            }
            let kind = holder.exact_kind().to_owned();
            holders.by_kind.entry(kind).or_insert(shape.id());
            if let Some(index) = holder.index {
                holders.by_index.entry(index).or_insert(shape.id());
            }
        }
        holders
    }
}

impl Placeholder {
    /// What a shape stands in for.
    pub(super) fn read(shape: Element<'_>) -> Self {
        let found = shape.children().find_map(|own| own.path(&["nvPr", "ph"]));
        Self {
            kind: found
                .and_then(|holder| holder.attr("type"))
                .map(str::to_owned),
            index: found
                .and_then(|holder| holder.attr("idx"))
                .map(str::to_owned),
            exists: found.is_some(),
        }
    }

    pub(super) fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    pub(super) fn is_title(&self) -> bool {
        matches!(self.kind(), Some("title" | "ctrTitle"))
    }

    /// Whether its text is in the style of a body, with bullets.
    pub(super) fn is_body(&self) -> bool {
        self.exists && matches!(self.kind(), None | Some("body" | "obj" | "subTitle"))
    }

    /// Its kind as layouts have it.
    fn exact_kind(&self) -> &str {
        self.kind().unwrap_or("obj")
    }

    /// Its kind as masters have it.
    fn general_kind(&self) -> &str {
        match self.kind() {
            Some("ctrTitle") => "title",
            None | Some("obj" | "subTitle") => "body",
            Some(kind) => kind,
        }
    }
}
