//! Where the outline and the links of a PDF lead.

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::dict::keys::{A, D, DEST, DESTS, KIDS, NAMES, S};
use hayro::hayro_syntax::object::{
    Array, Dict, MaybeRef, Name, Object, ObjectIdentifier, String as PdfString,
};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, Point};
use std::collections::HashMap;

/// Nodes of a name tree visited at most.
const MAX_TREE: usize = 20_000;

/// A place that a link leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Destination {
    /// The page, from 1.
    pub(super) page: u32,
    /// The point on the page as the reader sees it, in points, where it is given.
    pub(super) point: Option<(f32, f32)>,
}

/// The destinations of a PDF.
pub(super) struct Destinations<'a> {
    pages: HashMap<ObjectIdentifier, u32>,
    names: HashMap<Vec<u8>, Object<'a>>,
    /// From the user space of each page to the page as the reader sees it.
    transforms: Vec<Affine>,
}

/// The document's catalogue.
pub(super) fn catalog(pdf: &Pdf) -> Option<Dict<'_>> {
    pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())
}

/// From a page's user space to the page as the reader sees it.
pub(super) fn transform(page: &Page<'_>) -> Affine {
    Affine::new(page.initial_transform(true).as_coeffs())
}

impl<'a> Destinations<'a> {
    pub(super) fn of(pdf: &'a Pdf) -> Self {
        let pages = pdf.pages().iter().zip(1..);
        let pages = pages.filter_map(|(page, number)| Some((page.raw().obj_id()?, number)));
        let catalog = catalog(pdf);
        Self {
            pages: pages.collect(),
            names: catalog.as_ref().map(named).unwrap_or_default(),
            transforms: pdf.pages().iter().map(transform).collect(),
        }
    }

    /// The number of a page, from 1.
    pub(super) fn page_number(&self, page: ObjectIdentifier) -> Option<u32> {
        self.pages.get(&page).copied()
    }

    /// Where an entry of the outline or a link leads, where that is in this file.
    pub(super) fn of_item(&self, item: &Dict<'_>) -> Option<Destination> {
        let destination = item.get::<Object<'_>>(DEST).or_else(|| {
            let action = item.get::<Dict<'_>>(A)?;
            let go_to = action
                .get::<Name<'_>>(S)
                .is_some_and(|kind| &*kind == b"GoTo");
            if go_to {
                action.get::<Object<'_>>(D)
            } else {
                None
            }
        })?;
        self.resolve(&destination, 0)
    }

    fn resolve(&self, destination: &Object<'_>, depth: u32) -> Option<Destination> {
        if depth > 4 {
            return None;
        }
        match destination {
            Object::Array(array) => self.explicit(array),
            Object::Dict(dict) => self.resolve(&dict.get::<Object<'_>>(D)?, depth + 1),
            Object::String(name) => self.resolve(self.names.get(name.as_bytes())?, depth + 1),
            Object::Name(name) => self.resolve(self.names.get(&**name)?, depth + 1),
            _ => None,
        }
    }

    /// `[page /XYZ left top zoom]` and its kin.
    fn explicit(&self, array: &Array<'_>) -> Option<Destination> {
        let page = match array.raw_iter().next()? {
            MaybeRef::Ref(page) => self.page_number(ObjectIdentifier::from(page))?,
            MaybeRef::NotRef(Object::Number(number)) => u32::try_from(number.as_i64() + 1).ok()?,
            MaybeRef::NotRef(_) => return None,
        };
        let rest: Vec<Object<'_>> = array.iter::<Object<'_>>().skip(1).take(5).collect();
        let number = |at: usize| match rest.get(at) {
            Some(Object::Number(number)) => Some(number.as_f64()),
            _ => None,
        };
        let kind = match rest.first() {
            Some(Object::Name(kind)) => kind.to_vec(),
            _ => Vec::new(),
        };
        let user = match kind.as_slice() {
            b"XYZ" => number(2).map(|top| Point::new(number(1).unwrap_or(0.0), top)),
            b"FitH" | b"FitBH" => number(1).map(|top| Point::new(0.0, top)),
            b"FitR" => number(4).map(|top| Point::new(number(1).unwrap_or(0.0), top)),
            _ => None,
        };
        let transform = self.transforms.get(page.checked_sub(1)? as usize)?;
        let point = user.map(|point| *transform * point);
        Some(Destination {
            page,
            point: point.map(|point| (point.x as f32, point.y as f32)),
        })
    }
}

/// The destinations that have names, from the catalog's dictionary and its name tree.
fn named<'a>(catalog: &Dict<'a>) -> HashMap<Vec<u8>, Object<'a>> {
    let mut out = HashMap::new();
    if let Some(dests) = catalog.get::<Dict<'a>>(DESTS) {
        for name in dests.keys() {
            if let Some(target) = dests.get::<Object<'a>>(&*name) {
                out.insert(name.to_vec(), target);
            }
        }
    }
    let tree = catalog
        .get::<Dict<'a>>(NAMES)
        .and_then(|names| names.get::<Dict<'a>>(DESTS));
    let mut stack: Vec<Dict<'a>> = tree.into_iter().collect();
    let mut visited = 0;
    while let Some(node) = stack.pop() {
        visited += 1;
        if visited > MAX_TREE {
            break;
        }
        if let Some(names) = node.get::<Array<'a>>(NAMES) {
            let mut items = names.iter::<Object<'a>>();
            while let (Some(name), Some(target)) = (items.next(), items.next()) {
                if let Object::String(name) = name {
                    out.insert(PdfString::as_bytes(&name).to_vec(), target);
                }
            }
        }
        if let Some(kids) = node.get::<Array<'a>>(KIDS) {
            stack.extend(kids.iter::<Dict<'a>>().take(MAX_TREE));
        }
    }
    out
}
