//! A whole state of a store.

use crate::catalogue::{Catalogue, Seqs};
use crate::error::{Result, StoreError};
use crate::filter::{Filter, Groups, Resolved};
use crate::input::{InputHash, UnitKey};
use crate::layout::Layout;
use crate::sources::{Sources, read_link};
use crate::tables::DocumentRow;
use crate::text_index::modality_code;
use crate::text_reader::TextView;
use crate::text_search::{self, TextQuery};
use crate::truth::{SourceEntry, Truth};
use crate::vector_scan;
use crate::vector_store::VectorView;
use catena_document::{
    ContentHash, Document, DocumentId, Edge, EvidenceUnit, MediaType, Modality, Node, NodeId,
    Relation, Unit, UnitId, View,
};

/// All modalities, as one group.
const ALL: &[Modality] = &[
    Modality::Text,
    Modality::Table,
    Modality::Figure,
    Modality::Formula,
];

/// A state of the store that a commit left behind, whole and unchanging.
///
/// To be dropped when the query or answer is done: it keeps the pages of that state from being
/// reused.
pub struct Snapshot {
    pub(crate) generation: u64,
    pub(crate) catalogue: std::sync::Arc<Catalogue>,
    pub(crate) truth: Truth,
    pub(crate) text: TextView,
    pub(crate) vectors: VectorView,
    pub(crate) sources: Sources,
    pub(crate) layout: Layout,
}

/// What is known of a document without its tree.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentSummary {
    /// Its name.
    pub id: DocumentId,
    /// The number of its insertion, as in [`UnitKey::seq`].
    pub seq: u64,
    /// Its title.
    pub title: String,
    /// Where it came from.
    pub sources: Vec<String>,
    /// The kind of file.
    pub media_type: MediaType,
    /// ISO 639-1 code of its language, if that is known.
    pub language: Option<String>,
    /// Number of pages.
    pub pages: u32,
    /// Number of nodes.
    pub nodes: u32,
    /// Its views and how many units each has.
    pub units: Vec<(View, u32)>,
    /// The parser that read it.
    pub parser: String,
    /// What the parser had to say.
    pub warnings: Vec<String>,
}

/// A vector space of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceSummary {
    /// Its name.
    pub name: String,
    /// The dimension of its vectors.
    pub dimension: u32,
}

impl Snapshot {
    /// The number of the commit that left this state behind; 0 for a new store.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    // Documents.

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.catalogue.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All documents, in the order in which they were added.
    pub fn documents(&self) -> Result<Vec<DocumentSummary>> {
        let all = self.catalogue.iter();
        all.map(|(seq, _)| self.summary_of(seq)).collect()
    }

    /// What is known of one document.
    pub fn summary(&self, id: &DocumentId) -> Result<DocumentSummary> {
        self.summary_of(self.seq(id)?)
    }

    fn summary_of(&self, seq: u64) -> Result<DocumentSummary> {
        let row = self.row(seq)?;
        let views = self.truth.views(seq)?.into_iter();
        let views = views.filter(|view| view.added_at <= self.generation);
        Ok(DocumentSummary {
            id: row.head.id,
            seq,
            sources: self.source_uris(seq)?,
            units: views.map(|view| (view.view, view.units)).collect(),
            title: row.title,
            media_type: row.media_type,
            language: row.head.language,
            pages: row.pages,
            nodes: row.nodes,
            parser: row.parser,
            warnings: row.warnings,
        })
    }

    /// The number of a document's insertion.
    pub fn seq(&self, id: &DocumentId) -> Result<u64> {
        for row in self.truth.by_id(id.0..=id.0)? {
            let (_, seq) = row?;
            if self.catalogue.get(seq).is_some() {
                return Ok(seq);
            }
        }
        Err(StoreError::UnknownDocument(*id))
    }

    /// The document of an insertion.
    pub fn document_id(&self, seq: u64) -> Option<DocumentId> {
        self.catalogue.get(seq).map(|entry| entry.id)
    }

    /// The documents whose names begin with these hexadecimal digits, at most `limit`.
    pub fn find(&self, prefix: &str, limit: usize) -> Result<Vec<DocumentId>> {
        let Some((first, last)) = range_of_prefix(prefix) else {
            return Ok(Vec::new());
        };
        let mut out = Vec::new();
        for row in self.truth.by_id(first..=last)? {
            let (id, seq) = row?;
            if out.len() == limit {
                break;
            }
            if self.catalogue.get(seq).is_some() {
                out.push(id);
            }
        }
        Ok(out)
    }

    /// The document that has this source.
    pub fn find_source(&self, uri: &str) -> Result<Option<DocumentId>> {
        for (seq, _) in self.truth.by_source(uri)? {
            if let Some(entry) = self.catalogue.get(seq)
                && self.source_uris(seq)?.iter().any(|source| source == uri)
            {
                return Ok(Some(entry.id));
            }
        }
        Ok(None)
    }

    /// A whole document.
    pub fn document(&self, id: &DocumentId) -> Result<Document> {
        let seq = self.seq(id)?;
        let sources = self.source_uris(seq)?;
        self.truth.whole(seq, self.row(seq)?, sources)
    }

    pub(crate) fn row(&self, seq: u64) -> Result<DocumentRow> {
        let row = self.truth.document(seq)?;
        row.ok_or_else(|| {
            let what = format!("document {seq} is missing");
            StoreError::damaged(crate::error::Part::Truth, what)
        })
    }

    pub(crate) fn visible_sources(&self, seq: u64) -> Result<Vec<SourceEntry>> {
        let mut sources = self.truth.sources(seq)?;
        sources.retain(|source| {
            let removed = source.row.removed_at;
            source.added_at <= self.generation && removed.is_none_or(|at| at > self.generation)
        });
        Ok(sources)
    }

    fn source_uris(&self, seq: u64) -> Result<Vec<String>> {
        let sources = self.visible_sources(seq)?;
        Ok(sources.into_iter().map(|source| source.uri).collect())
    }

    /// The bytes of a document's file. For a linked file an error says so if it has changed or
    /// gone.
    pub fn source_bytes(&self, id: &DocumentId) -> Result<Vec<u8>> {
        let seq = self.seq(id)?;
        if self.sources.has(id) {
            return self.sources.read(id);
        }
        let mut failure = None;
        for source in self.visible_sources(seq)? {
            let Some(link) = &source.row.link else {
                continue;
            };
            match read_link(link, id) {
                Ok(bytes) => return Ok(bytes),
                Err(error) => failure = Some(error),
            }
        }
        Err(match failure {
            Some(error) => error,
            None => match self.sources.read(id) {
                Ok(bytes) => return Ok(bytes),
                Err(error) => error,
            },
        })
    }

    /// The bytes of an image file that a document brought.
    pub fn asset_bytes(&self, hash: &ContentHash) -> Result<Vec<u8>> {
        if !self.truth.refers_to(&hash.0)? {
            return Err(StoreError::UnknownAsset(*hash));
        }
        self.sources.read(hash)
    }

    // Trees and units.

    /// A node of a visible document.
    pub fn node(&self, seq: u64, id: NodeId) -> Result<Option<Node>> {
        match self.catalogue.get(seq) {
            Some(_) => self.truth.node(seq, id),
            None => Ok(None),
        }
    }

    /// The nodes of a document in reading order.
    pub fn nodes(&self, id: &DocumentId) -> Result<Vec<Node>> {
        self.truth.nodes(self.seq(id)?)
    }

    /// The edges that begin at a node of a visible document.
    pub fn edges_from(&self, seq: u64, node: NodeId) -> Result<Vec<Edge>> {
        match self.catalogue.get(seq) {
            Some(_) => self.truth.edges_from(seq, node),
            None => Ok(Vec::new()),
        }
    }

    /// The edges of a document.
    pub fn edges(&self, id: &DocumentId) -> Result<Vec<Edge>> {
        self.truth.edges(self.seq(id)?)
    }

    /// The units of a view of a document, in order; an error if it has no such view.
    pub fn units(&self, id: &DocumentId, view: View) -> Result<Vec<Unit>> {
        let seq = self.seq(id)?;
        if !self.catalogue.with_view(view).contains(seq) {
            return Err(StoreError::UnknownView {
                document: *id,
                view,
            });
        }
        self.truth.units(seq, view)
    }

    /// A unit as references.
    pub fn unit(&self, key: UnitKey) -> Result<Unit> {
        if !self.catalogue.with_view(key.view).contains(key.seq) {
            return Err(StoreError::UnknownUnit(key));
        }
        self.truth.unit(key)?.ok_or(StoreError::UnknownUnit(key))
    }

    /// The unit of a view that a node of a visible document is in, or begins: units stand in
    /// reading order, so that a few of them are read.
    pub fn unit_of(&self, seq: u64, view: View, node: NodeId) -> Result<Option<UnitKey>> {
        let views = self.truth.views(seq)?;
        let count = views
            .iter()
            .find(|have| have.view == view)
            .map_or(0, |have| have.units);
        let at = |ordinal| {
            let key = UnitKey { seq, view, ordinal };
            Ok::<_, StoreError>((key, self.unit(key)?))
        };
        // The last unit that begins at the node or before it.
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if at(middle)?.1.nodes[0] <= node {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // Of a heading the unit that comes first below it.
        for ordinal in [low.checked_sub(1), Some(low).filter(|&next| next < count)] {
            let Some(ordinal) = ordinal else { continue };
            let (key, unit) = at(ordinal)?;
            let has = unit.nodes.contains(&node) || unit.caption == Some(node);
            if has || unit.ancestors.contains(&node) {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// The relations that were stated of an evidence unit, in their order.
    pub fn relations_of(&self, key: UnitKey) -> Result<Vec<(UnitKey, Relation)>> {
        let view = View::Relations;
        let count = match self.truth.view(key.seq, view)? {
            Some(have) if have.added_at <= self.generation => have.units,
            _ => return Ok(Vec::new()),
        };
        let at = |ordinal| {
            let seq = key.seq;
            let key = UnitKey { seq, view, ordinal };
            Ok::<_, StoreError>((key, self.unit(key)?))
        };
        let nodes = self.unit(key)?.nodes;
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if at(middle)?.1.nodes[0] < nodes[0] {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut out = Vec::new();
        for ordinal in low..count {
            let (key, unit) = at(ordinal)?;
            if nodes.last().is_some_and(|&last| unit.nodes[0] > last) {
                break;
            }
            if nodes.contains(&unit.nodes[0]) {
                out.extend(unit.stated.map(|stated| (key, stated)));
            }
        }
        Ok(out)
    }

    /// A unit with everything that it refers to. Reads a few rows, whatever the document's size.
    pub fn resolve(&self, key: UnitKey) -> Result<EvidenceUnit> {
        let unit = self.unit(key)?;
        let row = self.row(key.seq)?;
        let failure = std::cell::RefCell::new(None);
        let node = |id| match self.truth.node(key.seq, id) {
            Ok(node) => node,
            Err(error) => {
                failure.replace(Some(error));
                None
            }
        };
        let resolved = unit.resolve(row.head.id, &row.title, node);
        match failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(resolved),
        }
    }

    /// The name inside the store of a unit's name outside.
    pub fn unit_key(&self, id: &UnitId) -> Result<UnitKey> {
        Ok(UnitKey {
            seq: self.seq(&id.document)?,
            view: id.view,
            ordinal: id.ordinal,
        })
    }

    /// The name outside the store of a unit's name inside, if its document is visible.
    pub fn unit_id(&self, key: UnitKey) -> Option<UnitId> {
        Some(key.id(self.document_id(key.seq)?))
    }

    // Vectors.

    /// The vector spaces.
    pub fn spaces(&self) -> Result<Vec<SpaceSummary>> {
        let spaces = self.truth.spaces()?.into_iter();
        let summary = |space: crate::truth::Space| SpaceSummary {
            name: space.name,
            dimension: space.dimension,
        };
        Ok(spaces.map(summary).collect())
    }

    /// The documents that have a view but no vectors of it in a space: what is left to reindex.
    pub fn documents_without(&self, space: &str, view: View) -> Result<Vec<DocumentId>> {
        let space = self.truth.space(space)?;
        let with = self.catalogue.with_view(view);
        let mut out = Vec::new();
        for (seq, entry) in self.catalogue.iter() {
            if with.contains(seq) && self.truth.vector_set(space.number, view, seq)?.is_none() {
                out.push(entry.id);
            }
        }
        Ok(out)
    }

    /// The vector of a text or image that was embedded before, of length 1.
    pub fn known_vector(&self, space: &str, input: InputHash) -> Result<Option<Vec<f32>>> {
        self.truth.embedded(&self.truth.space(space)?, input)
    }

    // Searching.

    /// The best `k` units of a view for a query in words, with their scores, the best first:
    /// BM25F over the fields.
    ///
    /// The query is understood in each of the languages that most documents are in.
    pub fn search_text(
        &self,
        query: &TextQuery,
        view: View,
        filter: &Filter,
        k: usize,
    ) -> Result<Vec<(UnitKey, f32)>> {
        let mut rankings = self.search_text_by(query, view, filter, &[ALL], k)?;
        Ok(rankings.pop().unwrap_or_default())
    }

    /// As [`search_text`](Self::search_text), the best `k` units of each group of modalities, at
    /// the cost of one search; a modality is in one group or in none.
    pub fn search_text_by(
        &self,
        query: &TextQuery,
        view: View,
        filter: &Filter,
        groups: &[&[Modality]],
        k: usize,
    ) -> Result<Vec<Vec<(UnitKey, f32)>>> {
        let (filter, groups) = self.resolve_groups(filter, view, groups)?;
        let languages = self.catalogue.languages();
        text_search::search(&self.text, query, view, &languages, (&filter, &groups), k)
    }

    /// The best `k` units of a view for a vector, with which part of the unit it was and the
    /// cosine, the best first.
    pub fn search_vectors(
        &self,
        space: &str,
        view: View,
        query: &[f32],
        filter: &Filter,
        k: usize,
    ) -> Result<Vec<(UnitKey, u16, f32)>> {
        let mut rankings = self.search_vectors_by((space, query), view, filter, &[ALL], k)?;
        Ok(rankings.pop().unwrap_or_default())
    }

    /// As [`search_vectors`](Self::search_vectors) for a vector of a space, the best `k` units of
    /// each group of modalities, at the cost of one search; a modality is in one group or in none.
    pub fn search_vectors_by(
        &self,
        (space, query): (&str, &[f32]),
        view: View,
        filter: &Filter,
        groups: &[&[Modality]],
        k: usize,
    ) -> Result<Vec<Vec<(UnitKey, u16, f32)>>> {
        let space = self.truth.space(space)?;
        let (filter, groups) = self.resolve_groups(filter, view, groups)?;
        let segments = self.vectors.segments(space.number, view);
        let within = (&filter, &groups);
        vector_scan::search((&self.truth, segments), &space, view, query, within, k)
    }

    /// The vectors of units in a space, a list for each: one vector for each part of it that was
    /// embedded, of length about 1, as near as int8 keeps them.
    pub fn vectors_of(&self, space: &str, units: &[UnitKey]) -> Result<Vec<Vec<Vec<f32>>>> {
        let space = self.truth.space(space)?;
        let vectors = units.iter().map(|unit| {
            let mut segments = self.vectors.segments(space.number, unit.view).iter();
            let found = segments.find_map(|segment| Some((segment, segment.range_of(unit.seq)?)));
            found.map_or_else(Vec::new, |(segment, range)| {
                let rows = segment.rows_of(range, unit.ordinal);
                rows.map(|row| segment.vector(row)).collect()
            })
        });
        Ok(vectors.collect())
    }

    fn resolve_groups(
        &self,
        filter: &Filter,
        view: View,
        groups: &[&[Modality]],
    ) -> Result<(Resolved, Groups)> {
        let groups = Groups::of(groups);
        let mut filter = self.resolve_filter(filter, view)?;
        filter.modalities &= groups.modalities();
        Ok((filter, groups))
    }

    pub(crate) fn resolve_filter(&self, filter: &Filter, view: View) -> Result<Resolved> {
        let visible = self.catalogue.with_view(view);
        let mut documents = match &filter.documents {
            None => visible.clone(),
            Some(ids) => {
                let mut out = Seqs::default();
                for id in ids {
                    match self.seq(id) {
                        Ok(seq) if visible.contains(seq) => out.insert(seq),
                        Ok(_) | Err(StoreError::UnknownDocument(_)) => {}
                        Err(error) => return Err(error),
                    }
                }
                out
            }
        };
        if let Some(wanted) = &filter.languages {
            let mut out = Seqs::default();
            for (seq, entry) in self.catalogue.iter() {
                let language = entry.language.as_deref();
                if documents.contains(seq)
                    && language.is_some_and(|language| wanted.iter().any(|w| w == language))
                {
                    out.insert(seq);
                }
            }
            documents = out;
        }
        let modalities = match &filter.modalities {
            None => u8::MAX,
            Some(some) => some
                .iter()
                .fold(0, |bits, &modality| bits | 1 << modality_code(modality)),
        };
        let units = match &filter.section {
            None => None,
            Some(section) => Some(text_search::in_section(
                &self.text,
                section,
                view,
                &self.catalogue.languages(),
            )?),
        };
        Ok(Resolved {
            documents,
            modalities,
            units,
        })
    }
}

/// The smallest and the largest name with these first digits.
fn range_of_prefix(prefix: &str) -> Option<([u8; 32], [u8; 32])> {
    if prefix.is_empty() || prefix.len() > 64 {
        return None;
    }
    let prefix = prefix.to_ascii_lowercase();
    let fill = |with: &str| -> Option<[u8; 32]> {
        let full = format!("{prefix}{}", with.repeat(64 - prefix.len()));
        let hash: ContentHash = full.parse().ok()?;
        Some(hash.0)
    };
    Some((fill("0")?, fill("f")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_names() {
        let (first, last) = range_of_prefix("1aF").unwrap();
        assert_eq!((first[0], first[1], first[2]), (0x1a, 0xf0, 0));
        assert_eq!((last[0], last[1], last[2]), (0x1a, 0xff, 0xff));
        for bad in ["", "xyz", "é", &"0".repeat(65)] {
            assert!(range_of_prefix(bad).is_none(), "{bad}");
        }
    }
}
