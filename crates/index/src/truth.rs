//! Reading the truth.

use crate::blocks::{Block, Row, rows_per_block};
use crate::error::{Part, Result, StoreError};
use crate::input::{InputHash, UnitKey};
use crate::tables::{self, DocumentHead, DocumentRow, SourceRow, decode, view_code, view_of};
use catena_document::{ContentHash, Document, DocumentId, Edge, Node, NodeId, Page, Unit, View};
use redb::{
    Key, ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata, TableDefinition,
    Value,
};
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// One state of the truth. It keeps the pages of that state from being reused, so it is held no
/// longer than it takes to answer.
pub(crate) struct Truth {
    /// The number of the commit that this is the state of.
    pub(crate) generation: u64,
    /// Up to which removal rows have been deleted.
    pub(crate) purged: u64,
    pub(crate) documents: ReadOnlyTable<u64, &'static [u8]>,
    pages: ReadOnlyTable<u64, &'static [u8]>,
    by_id: ReadOnlyTable<(&'static [u8; 32], u64), ()>,
    sources: ReadOnlyTable<(u64, &'static str, u64), &'static [u8]>,
    by_source: ReadOnlyTable<(&'static str, u64, u64), ()>,
    nodes: ReadOnlyTable<(u64, u32), &'static [u8]>,
    units: ReadOnlyTable<(u64, u8, u32), &'static [u8]>,
    edges: ReadOnlyTable<(u64, u32), &'static [u8]>,
    views: ReadOnlyTable<(u64, u8), (u64, u32)>,
    spaces: ReadOnlyTable<&'static str, (u32, u32)>,
    vectors: ReadOnlyTable<(u32, u64, u8, u32), &'static [u8]>,
    vector_sets: ReadOnlyTable<(u32, u8, u64), (u64, u32, u32)>,
    embedded: ReadOnlyTable<(u32, u128, u64, u8, u32), ()>,
    files: ReadOnlyTable<(&'static [u8; 32], u64), ()>,
    files_of: ReadOnlyTable<(u64, &'static [u8; 32]), ()>,
    additions: ReadOnlyTable<(u64, u64, u8, u32), ()>,
    removals: ReadOnlyTable<(u64, u64, &'static str, u64), ()>,
    unused: ReadOnlyTable<(u64, &'static [u8; 32]), ()>,
}

/// A vector space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    pub(crate) name: String,
    pub(crate) number: u32,
    pub(crate) dimension: u32,
}

/// The vector spaces of a table, by name.
pub(crate) fn all_spaces(
    table: &impl ReadableTable<&'static str, (u32, u32)>,
) -> Result<Vec<Space>> {
    let rows = table.range::<&str>(..)?;
    rows.map(|row| {
        let (name, row) = row?;
        let (number, dimension) = row.value();
        Ok(Space {
            name: name.value().to_owned(),
            number,
            dimension,
        })
    })
    .collect()
}

/// A view of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewEntry {
    pub(crate) view: View,
    pub(crate) added_at: u64,
    pub(crate) units: u32,
}

/// The vectors of a view of a document in one space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorSetEntry {
    pub(crate) seq: u64,
    pub(crate) added_at: u64,
    pub(crate) rows: u32,
    pub(crate) omitted: u32,
}

/// An entry of the log of additions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addition {
    pub(crate) seq: u64,
    pub(crate) view: View,
    /// The space whose vectors were added; 0 for the view's units.
    pub(crate) space: u32,
}

/// A source of a document.
pub(crate) struct SourceEntry {
    pub(crate) uri: String,
    pub(crate) added_at: u64,
    pub(crate) row: SourceRow,
}

fn missing(what: &str) -> StoreError {
    StoreError::damaged(Part::Truth, format!("{what} is missing"))
}

impl Truth {
    pub(crate) fn open(txn: &ReadTransaction) -> Result<Self> {
        fn open<K: Key + 'static, V: Value + 'static>(
            txn: &ReadTransaction,
            table: TableDefinition<'_, K, V>,
        ) -> Result<ReadOnlyTable<K, V>> {
            Ok(txn.open_table(table)?)
        }
        let meta = open(txn, tables::META)?;
        let number = |name: &str| -> Result<u64> {
            let value = meta.get(name)?.ok_or_else(|| missing(name))?;
            Ok(value.value())
        };
        Ok(Self {
            generation: number(tables::GENERATION)?,
            purged: number(tables::PURGED)?,
            documents: open(txn, tables::DOCUMENTS)?,
            pages: open(txn, tables::PAGES)?,
            by_id: open(txn, tables::BY_ID)?,
            sources: open(txn, tables::SOURCES)?,
            by_source: open(txn, tables::BY_SOURCE)?,
            nodes: open(txn, tables::NODES)?,
            units: open(txn, tables::UNITS)?,
            edges: open(txn, tables::EDGES)?,
            views: open(txn, tables::VIEWS)?,
            spaces: open(txn, tables::SPACES)?,
            vectors: open(txn, tables::VECTORS)?,
            vector_sets: open(txn, tables::VECTOR_SETS)?,
            embedded: open(txn, tables::EMBEDDED)?,
            files: open(txn, tables::FILES)?,
            files_of: open(txn, tables::FILES_OF)?,
            additions: open(txn, tables::ADDITIONS)?,
            removals: open(txn, tables::REMOVALS)?,
            unused: open(txn, tables::UNUSED)?,
        })
    }

    // Documents.

    pub(crate) fn document(&self, seq: u64) -> Result<Option<DocumentRow>> {
        let row = self.documents.get(seq)?;
        row.map(|row| decode(row.value())).transpose()
    }

    pub(crate) fn has_document(&self, seq: u64) -> Result<bool> {
        Ok(self.documents.get(seq)?.is_some())
    }

    /// The heads of all documents, by seq.
    pub(crate) fn heads(&self) -> Result<impl Iterator<Item = Result<(u64, DocumentHead)>>> {
        let rows = self.documents.range::<u64>(..)?;
        Ok(rows.map(|row| {
            let (seq, row) = row?;
            Ok((seq.value(), DocumentHead::decode(row.value())?))
        }))
    }

    /// The insertions of the documents whose names lie in a range, perhaps removed since.
    pub(crate) fn by_id(
        &self,
        ids: RangeInclusive<[u8; 32]>,
    ) -> Result<impl Iterator<Item = Result<(DocumentId, u64)>>> {
        let (first, last) = (ids.start(), ids.end());
        let rows = self.by_id.range((first, 0)..=(last, u64::MAX))?;
        Ok(rows.map(|row| {
            let row = row?;
            let (id, seq) = row.0.value();
            Ok((catena_document::ContentHash(*id), seq))
        }))
    }

    /// The insertions that had this source, with when it was added; the latest last.
    pub(crate) fn by_source(&self, uri: &str) -> Result<Vec<(u64, u64)>> {
        let rows = self
            .by_source
            .range((uri, 0, 0)..=(uri, u64::MAX, u64::MAX))?;
        let seqs = rows.map(|row| {
            let row = row?;
            let (_, added_at, seq) = row.0.value();
            Ok((seq, added_at))
        });
        seqs.collect()
    }

    /// A document by its row, with these sources.
    pub(crate) fn whole(
        &self,
        seq: u64,
        row: DocumentRow,
        sources: Vec<String>,
    ) -> Result<Document> {
        Ok(Document {
            id: row.head.id,
            sources,
            media_type: row.media_type,
            title: row.title,
            language: row.head.language,
            pages: self.pages(seq)?,
            nodes: self.nodes(seq)?,
        })
    }

    pub(crate) fn pages(&self, seq: u64) -> Result<Vec<Page>> {
        let pages = self.pages.get(seq)?.ok_or_else(|| missing("a page list"))?;
        decode(pages.value())
    }

    /// The sources of a document, also those removed.
    pub(crate) fn sources(&self, seq: u64) -> Result<Vec<SourceEntry>> {
        let rows = self.sources.range((seq, "", 0)..(seq + 1, "", 0))?;
        rows.map(|row| {
            let (key, row) = row?;
            let (_, uri, added_at) = key.value();
            Ok(SourceEntry {
                uri: uri.to_owned(),
                added_at,
                row: decode(row.value())?,
            })
        })
        .collect()
    }

    /// The kept files that a document refers to.
    pub(crate) fn files_of(&self, seq: u64) -> Result<Vec<catena_document::ContentHash>> {
        let rows = self
            .files_of
            .range((seq, &[0; 32])..=(seq, &[u8::MAX; 32]))?;
        rows.map(|row| Ok(catena_document::ContentHash(*row?.0.value().1)))
            .collect()
    }

    /// Whether any document refers to a kept file.
    pub(crate) fn refers_to(&self, file: &[u8; 32]) -> Result<bool> {
        let mut rows = self.files.range((file, 0)..=(file, u64::MAX))?;
        Ok(rows.next().transpose()?.is_some())
    }

    /// The kept files that no document refers to any more and that are not deleted yet.
    pub(crate) fn unused_files(&self) -> Result<HashSet<ContentHash>> {
        let rows = self.unused.iter()?;
        rows.map(|row| Ok(ContentHash(*row?.0.value().1))).collect()
    }

    // Trees.

    pub(crate) fn node(&self, seq: u64, id: NodeId) -> Result<Option<Node>> {
        let row = self.nodes.get((seq, id.0))?;
        row.map(|row| decode(row.value())).transpose()
    }

    pub(crate) fn nodes(&self, seq: u64) -> Result<Vec<Node>> {
        let rows = self.nodes.range((seq, 0)..=(seq, u32::MAX))?;
        rows.map(|row| decode(row?.1.value())).collect()
    }

    pub(crate) fn edges_from(&self, seq: u64, node: NodeId) -> Result<Vec<Edge>> {
        let row = self.edges.get((seq, node.0))?;
        row.map_or_else(|| Ok(Vec::new()), |row| decode(row.value()))
    }

    pub(crate) fn edges(&self, seq: u64) -> Result<Vec<Edge>> {
        let rows = self.edges.range((seq, 0)..=(seq, u32::MAX))?;
        let lists: Vec<Vec<Edge>> = rows
            .map(|row| decode(row?.1.value()))
            .collect::<Result<_>>()?;
        Ok(lists.into_iter().flatten().collect())
    }

    // Units.

    pub(crate) fn view(&self, seq: u64, view: View) -> Result<Option<ViewEntry>> {
        let row = self.views.get((seq, view_code(view)))?;
        Ok(row.map(|row| {
            let (added_at, units) = row.value();
            ViewEntry {
                view,
                added_at,
                units,
            }
        }))
    }

    pub(crate) fn views(&self, seq: u64) -> Result<Vec<ViewEntry>> {
        let found = View::ALL.map(|view| self.view(seq, view));
        found.into_iter().filter_map(Result::transpose).collect()
    }

    pub(crate) fn unit(&self, key: UnitKey) -> Result<Option<Unit>> {
        let row = self
            .units
            .get((key.seq, view_code(key.view), key.ordinal))?;
        row.map(|row| decode(row.value())).transpose()
    }

    pub(crate) fn units(&self, seq: u64, view: View) -> Result<Vec<Unit>> {
        let view = view_code(view);
        let rows = self.units.range((seq, view, 0)..=(seq, view, u32::MAX))?;
        rows.map(|row| decode(row?.1.value())).collect()
    }

    // Vectors.

    pub(crate) fn spaces(&self) -> Result<Vec<Space>> {
        all_spaces(&self.spaces)
    }

    pub(crate) fn space(&self, name: &str) -> Result<Space> {
        let row = self.spaces.get(name)?;
        let row = row.ok_or_else(|| StoreError::UnknownSpace(name.to_owned()))?;
        let (number, dimension) = row.value();
        Ok(Space {
            name: name.to_owned(),
            number,
            dimension,
        })
    }

    pub(crate) fn vector_set(
        &self,
        space: u32,
        view: View,
        seq: u64,
    ) -> Result<Option<VectorSetEntry>> {
        let row = self.vector_sets.get((space, view_code(view), seq))?;
        Ok(row.map(|row| {
            let (added_at, rows, omitted) = row.value();
            VectorSetEntry {
                seq,
                added_at,
                rows,
                omitted,
            }
        }))
    }

    pub(crate) fn vector_sets(&self, space: u32, view: View) -> Result<Vec<VectorSetEntry>> {
        let view = view_code(view);
        let keys = (space, view, 0)..=(space, view, u64::MAX);
        let rows = self.vector_sets.range(keys)?;
        rows.map(|row| {
            let (key, row) = row?;
            let (added_at, rows, omitted) = row.value();
            Ok(VectorSetEntry {
                seq: key.value().2,
                added_at,
                rows,
                omitted,
            })
        })
        .collect()
    }

    /// Calls `each` with every vector of a view of a document, in order.
    pub(crate) fn each_vector(
        &self,
        space: &Space,
        seq: u64,
        view: View,
        mut each: impl FnMut(Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let view = view_code(view);
        let keys = (space.number, seq, view, 0)..=(space.number, seq, view, u32::MAX);
        for row in self.vectors.range(keys)? {
            let (_, block) = row?;
            for row in Block::decode(block.value(), space.dimension)?.rows() {
                each(row)?;
            }
        }
        Ok(())
    }

    /// Calls `each` with the vectors of the given rows.
    pub(crate) fn vectors_at(
        &self,
        space: &Space,
        (seq, view): (u64, View),
        rows: std::ops::Range<u32>,
        mut each: impl FnMut(Row<'_>),
    ) -> Result<()> {
        let per_block = rows_per_block(space.dimension);
        let mut at = rows.start;
        while at < rows.end {
            let number = at / per_block;
            let key = (space.number, seq, view_code(view), number);
            let block = self.vectors.get(key)?;
            let block = block.ok_or_else(|| missing("a vector block"))?;
            let until = rows.end.min((number + 1) * per_block);
            let inside = Block::decode(block.value(), space.dimension)?.rows();
            let skip = (at % per_block) as usize;
            inside
                .skip(skip)
                .take((until - at) as usize)
                .for_each(&mut each);
            at = until;
        }
        Ok(())
    }

    /// A vector of this input, if there is one.
    pub(crate) fn embedded(&self, space: &Space, input: InputHash) -> Result<Option<Vec<f32>>> {
        embedded(&self.embedded, &self.vectors, space, input)
    }

    /// Whether the log of embedded inputs leads to this row.
    pub(crate) fn is_embedded(
        &self,
        space: u32,
        input: InputHash,
        (seq, view, row): (u64, View, u32),
    ) -> Result<bool> {
        let key = (space, input.key(), seq, view_code(view), row);
        Ok(self.embedded.get(key)?.is_some())
    }

    // Logs.

    /// What was added in these generations.
    pub(crate) fn additions(&self, generations: RangeInclusive<u64>) -> Result<Vec<Addition>> {
        if generations.is_empty() {
            return Ok(Vec::new());
        }
        let first = (*generations.start(), 0, 0, 0);
        let last = (*generations.end(), u64::MAX, u8::MAX, u32::MAX);
        let rows = self.additions.range(first..=last)?;
        rows.map(|row| {
            let row = row?;
            let (_, seq, view, space) = row.0.value();
            let view = view_of(view)?;
            Ok(Addition { seq, view, space })
        })
        .collect()
    }

    /// The documents removed in these generations.
    pub(crate) fn removed(&self, generations: RangeInclusive<u64>) -> Result<HashSet<u64>> {
        if generations.is_empty() {
            return Ok(HashSet::new());
        }
        let (first, last) = (*generations.start(), generations.end().saturating_add(1));
        let mut out = HashSet::new();
        for row in self.removals.range((first, 0, "", 0)..(last, 0, "", 0))? {
            let row = row?;
            let (_, seq, uri, _) = row.0.value();
            if uri.is_empty() {
                out.insert(seq);
            }
        }
        Ok(out)
    }

    /// Whether anything was removed whose rows are still there.
    pub(crate) fn has_removals(&self) -> Result<bool> {
        Ok(!self.removals.is_empty()?)
    }

    /// Rows of all tables.
    #[cfg(test)]
    pub(crate) fn row_counts(&self) -> Result<Vec<(&'static str, u64)>> {
        Ok(vec![
            ("documents", self.documents.len()?),
            ("pages", self.pages.len()?),
            ("by_id", self.by_id.len()?),
            ("sources", self.sources.len()?),
            ("by_source", self.by_source.len()?),
            ("nodes", self.nodes.len()?),
            ("units", self.units.len()?),
            ("edges", self.edges.len()?),
            ("views", self.views.len()?),
            ("spaces", self.spaces.len()?),
            ("vectors", self.vectors.len()?),
            ("vector_sets", self.vector_sets.len()?),
            ("embedded", self.embedded.len()?),
            ("files", self.files.len()?),
            ("files_of", self.files_of.len()?),
            ("additions", self.additions.len()?),
            ("removals", self.removals.len()?),
        ])
    }
}

/// A vector of this input, if there is one; also inside a write transaction.
pub(crate) fn embedded(
    embedded: &impl ReadableTable<(u32, u128, u64, u8, u32), ()>,
    vectors: &impl ReadableTable<(u32, u64, u8, u32), &'static [u8]>,
    space: &Space,
    input: InputHash,
) -> Result<Option<Vec<f32>>> {
    let (number, key) = (space.number, input.key());
    let first = (number, key, 0, 0, 0);
    let last = (number, key, u64::MAX, u8::MAX, u32::MAX);
    let Some(found) = embedded.range(first..=last)?.next().transpose()? else {
        return Ok(None);
    };
    let (_, _, seq, view, row) = found.0.value();
    let per_block = rows_per_block(space.dimension);
    let block = vectors.get((number, seq, view, row / per_block))?;
    let block = block.ok_or_else(|| missing("a vector block"))?;
    let block = Block::decode(block.value(), space.dimension)?;
    Ok(block.row(row % per_block).map(|row| row.values().collect()))
}
