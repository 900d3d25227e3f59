//! What is added to a store, and the checks that it passes before anything is written.

use crate::error::{Result, StoreError};
use catena_document::{
    ContentHash, Document, DocumentId, Edge, Node, NodeId, NodeKind, Unit, UnitId, View,
};
use std::collections::HashSet;
use std::path::PathBuf;

/// A document with everything that is stored of it.
#[derive(Clone, Debug)]
pub struct NewDocument<'a> {
    /// The tree; its sources are the URIs that it is known under, at least one.
    pub document: Document,
    /// Its file.
    pub source: SourceFile<'a>,
    /// The parser and its version. The same file read by another parser replaces the document.
    pub parser: String,
    /// What the parser had to say.
    pub warnings: Vec<String>,
    /// The image files that its pictures refer to by hash.
    pub assets: Vec<Vec<u8>>,
    /// What models saw on its pictures, by the hash of model and picture; given back by
    /// [`Writer::seen`](crate::Writer::seen) when it is read again.
    pub seen: Vec<(ContentHash, Vec<u8>)>,
    /// The ties between its nodes.
    pub edges: Vec<Edge>,
    /// Its units with their vectors; there must be [`View::Evidence`] with at least one unit.
    pub views: Vec<NewView>,
}

/// A document's file.
#[derive(Clone, Debug)]
pub enum SourceFile<'a> {
    /// Kept in the store.
    Keep(&'a [u8]),
    /// Left where it is; only its path, size and time of change are kept.
    Link(PathBuf),
}

/// The units of one view, in order, with their vectors.
#[derive(Clone, Debug)]
pub struct NewView {
    /// The view.
    pub view: View,
    /// Its units; each one's ordinal is its place.
    pub units: Vec<Unit>,
    /// The vectors, at most one set a space.
    pub vectors: Vec<NewVectors>,
}

/// The vectors of a view's units in one space.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVectors {
    /// The space's name.
    pub space: String,
    /// The vectors by unit, then by part; a unit's parts count from 0.
    pub rows: Vec<NewVector>,
    /// The units that have no vector in this space. Every unit must have a vector or be listed
    /// here, so that none is forgotten silently.
    pub omitted: Vec<u32>,
}

/// The vector of a unit, or of a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVector {
    /// The unit's place in its view.
    pub ordinal: u32,
    /// Which part of the unit was embedded, from 0.
    pub part: u16,
    /// The hash of what was embedded.
    pub input: InputHash,
    /// The vector; stored with length 1.
    pub vector: Vec<f32>,
}

/// The hash of a text or image that was embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InputHash(pub [u8; 16]);

impl InputHash {
    /// The hash of a text's or an image's bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let hash = ContentHash::of(bytes).0;
        Self(hash.first_chunk().copied().unwrap_or_default())
    }

    pub(crate) fn key(self) -> u128 {
        u128::from_be_bytes(self.0)
    }
}

/// A unit's name inside one store: short, and only valid while its document is there.
///
/// A document that was removed and added again has another `seq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitKey {
    /// The number of the document's insertion.
    pub seq: u64,
    /// The view.
    pub view: View,
    /// The unit's place in its view.
    pub ordinal: u32,
}

impl UnitKey {
    /// The name outside the store.
    pub fn id(self, document: DocumentId) -> UnitId {
        UnitId {
            document,
            view: self.view,
            ordinal: self.ordinal,
        }
    }
}

fn invalid(what: impl Into<String>) -> StoreError {
    StoreError::Invalid(what.into())
}

/// Checks that a document is whole and agrees with itself.
pub(crate) fn check_document(new: &NewDocument<'_>) -> Result<()> {
    let document = &new.document;
    if document.sources.is_empty() || document.sources.iter().any(String::is_empty) {
        return Err(invalid("it has no source"));
    }
    check_nodes(&document.nodes)?;
    if let SourceFile::Keep(bytes) = new.source
        && ContentHash::of(bytes) != document.id
    {
        return Err(invalid("its name is not the hash of its file"));
    }
    let assets: HashSet<_> = new.assets.iter().map(|b| ContentHash::of(b)).collect();
    for node in &document.nodes {
        if let NodeKind::Picture(picture) = &node.kind
            && let Some(image) = picture.image
            && !assets.contains(&image)
        {
            return Err(invalid(format!("image {} is not given", image.short())));
        }
    }
    let count = document.nodes.len();
    if new
        .edges
        .iter()
        .any(|edge| !within(&[edge.from, edge.to], count))
    {
        return Err(invalid("an edge leads to no node"));
    }
    let evidence = new.views.iter().find(|view| view.view == View::Evidence);
    if evidence.is_none_or(|view| view.units.is_empty()) {
        return Err(invalid("it has no evidence"));
    }
    let mut seen = HashSet::new();
    for view in &new.views {
        if !seen.insert(view.view) {
            return Err(invalid("a view is given twice"));
        }
        check_units(view.view, &view.units, count)?;
    }
    Ok(())
}

fn check_nodes(nodes: &[Node]) -> Result<()> {
    for (at, node) in (0_u32..).zip(nodes) {
        let in_order = node.id == NodeId(at)
            && node.parent.is_none_or(|parent| parent.0 < at)
            && node.children.iter().all(|child| child.0 > at)
            && within(&node.children, nodes.len());
        if !in_order {
            return Err(invalid(format!("node {at} is out of order")));
        }
    }
    Ok(())
}

fn within(ids: &[NodeId], count: usize) -> bool {
    ids.iter().all(|id| (id.0 as usize) < count)
}

/// Checks units against a tree of `count` nodes.
pub(crate) fn check_units(view: View, units: &[Unit], count: usize) -> Result<()> {
    for (at, unit) in (0_u32..).zip(units) {
        let single = [unit.caption, unit.before, unit.after, unit.relation.to];
        let single: Vec<NodeId> = single.into_iter().flatten().collect();
        let good = unit.view == view
            && unit.ordinal == at
            && !unit.nodes.is_empty()
            && unit.stated.is_some() == (view == View::Relations)
            && [&unit.nodes, &unit.ancestors, &unit.nearby, &single]
                .iter()
                .all(|ids| within(ids, count));
        if !good {
            return Err(invalid(format!("unit {at} does not fit the tree")));
        }
    }
    Ok(())
}

/// Checks that a set of vectors serves each of `units` units or omits it, and makes their length 1.
pub(crate) fn check_vectors(vectors: &mut NewVectors, dimension: u32, units: u32) -> Result<()> {
    let space = &vectors.space;
    let mut served = vec![false; units as usize];
    let mut last: Option<(u32, u16)> = None;
    for row in &mut vectors.rows {
        let found = row.vector.len() as u32;
        if found != dimension {
            return Err(StoreError::WrongDimension {
                space: space.clone(),
                expected: dimension,
                found,
            });
        }
        let next = match last {
            Some((ordinal, part)) if ordinal == row.ordinal => part.checked_add(1),
            Some((ordinal, _)) if ordinal > row.ordinal => None,
            _ => Some(0),
        };
        let unit = served.get_mut(row.ordinal as usize);
        let (Some(unit), true) = (unit, next == Some(row.part)) else {
            return Err(invalid(format!(
                "the vector of unit {} part {} in space `{space}` is out of order",
                row.ordinal, row.part
            )));
        };
        *unit = true;
        last = Some((row.ordinal, row.part));
        if !normalise(&mut row.vector) {
            return Err(invalid(format!(
                "the vector of unit {} in space `{space}` has no direction",
                row.ordinal
            )));
        }
    }
    for &ordinal in &vectors.omitted {
        match served.get_mut(ordinal as usize) {
            Some(unit) if !*unit => *unit = true,
            _ => return Err(invalid(format!("unit {ordinal} cannot be omitted"))),
        }
    }
    match served.iter().position(|unit| !unit) {
        Some(at) => Err(invalid(format!(
            "unit {at} has no vector in space `{space}` and is not omitted"
        ))),
        None => Ok(()),
    }
}

/// Gives a vector length 1; `false` where it has none.
pub(crate) fn normalise(vector: &mut [f32]) -> bool {
    let square: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    if !square.is_finite() || square <= 0.0 {
        return false;
    }
    let factor = 1.0 / square.sqrt();
    for value in vector {
        *value = (f64::from(*value) * factor) as f32;
    }
    true
}
