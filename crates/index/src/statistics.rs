//! How much is in a store.

use crate::error::Result;
use crate::layout::size_below;
use crate::snapshot::Snapshot;
use catena_document::View;

/// How much is in a store, and how large it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Documents.
    pub documents: u64,
    /// Units in each view that any document has.
    pub units: Vec<(View, u64)>,
    /// Vectors in each space and view that has any.
    pub vectors: Vec<VectorStatistics>,
    /// Bytes on disk.
    pub sizes: Sizes,
}

/// The vectors of one space and view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorStatistics {
    /// The space's name.
    pub space: String,
    /// The dimension of its vectors.
    pub dimension: u32,
    /// The view.
    pub view: View,
    /// Vectors.
    pub vectors: u64,
    /// Documents that have the view.
    pub documents: u64,
    /// Of these, documents without vectors: what is left to reindex.
    pub missing: u64,
}

/// Bytes on disk of the parts of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The database: trees, units and vectors.
    pub truth: u64,
    /// The text index.
    pub text: u64,
    /// The vector segments.
    pub vectors: u64,
    /// The kept sources and assets.
    pub sources: u64,
    /// The cache of rendered pages.
    pub cache: u64,
}

impl Sizes {
    /// All parts together.
    pub fn total(&self) -> u64 {
        self.truth + self.text + self.vectors + self.sources + self.cache
    }
}

impl Snapshot {
    /// How much is in the store.
    pub fn statistics(&self) -> Result<Statistics> {
        let mut units = Vec::new();
        let mut vectors = Vec::new();
        let spaces = self.truth.spaces()?;
        for view in View::ALL {
            let with_view = self.catalogue.with_view(view);
            let all = self.catalogue.iter().map(|(seq, _)| seq);
            let seqs: Vec<u64> = all.filter(|&seq| with_view.contains(seq)).collect();
            if seqs.is_empty() {
                continue;
            }
            let mut count = 0;
            for &seq in &seqs {
                count += self
                    .truth
                    .view(seq, view)?
                    .map_or(0, |v| u64::from(v.units));
            }
            units.push((view, count));
            for space in &spaces {
                let present = self.truth.vector_sets(space.number, view)?;
                let present = present
                    .iter()
                    .filter(|set| set.added_at <= self.generation && with_view.contains(set.seq));
                let rows: Vec<u64> = present.map(|set| u64::from(set.rows)).collect();
                if rows.is_empty() {
                    continue;
                }
                vectors.push(VectorStatistics {
                    space: space.name.clone(),
                    dimension: space.dimension,
                    view,
                    vectors: rows.iter().sum(),
                    documents: seqs.len() as u64,
                    missing: (seqs.len() - rows.len()) as u64,
                });
            }
        }
        Ok(Statistics {
            documents: self.len() as u64,
            units,
            vectors,
            sizes: Sizes {
                truth: size_below(&self.layout.truth()),
                text: size_below(&self.layout.text()),
                vectors: size_below(&self.layout.vectors()),
                sources: self.sources.size(),
                cache: size_below(&self.layout.cache()),
            },
        })
    }
}
