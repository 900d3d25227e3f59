//! The derived indexes, as a function of the truth.

use crate::analyse::Analyser;
use crate::error::{Result, StoreError};
use crate::input::UnitKey;
use crate::layout::{Layout, discard};
use crate::protocol::{can_catch_up, dropped};
use crate::text_index::{self, TextIndex};
use crate::truth::Truth;
use crate::vector_store::VectorStore;
use catena_document::{Anchors, DocumentAnchors, View, anchors, fields};
use std::collections::HashMap;

/// The derived indexes, open for writing.
pub(crate) struct Derived {
    pub(crate) text: TextIndex,
    pub(crate) vectors: VectorStore,
}

impl Derived {
    /// Opens the derived indexes and brings them to the state of the truth; what is missing,
    /// broken or cannot catch up is rebuilt. `check` reads all of their files first.
    pub(crate) fn open(layout: &Layout, truth: &Truth, check: bool) -> Result<Self> {
        // An unfinished rebuild.
        discard(&layout.text_rebuilt());
        let text = TextIndex::open(&layout.text(), check).and_then(|text| {
            if can_catch_up(text.generation, truth.generation, truth.purged) {
                Ok(text)
            } else {
                Err(cannot_catch_up())
            }
        });
        let text = match text {
            Ok(text) => text,
            Err(error @ StoreError::DiskFull(_)) => return Err(error),
            Err(error) => {
                if truth.generation > 0 {
                    tracing::warn!(%error, "rebuilding the text index");
                }
                Self::rebuild_text(layout, truth)?
            }
        };
        let vectors = VectorStore::open(layout, check).and_then(|vectors| {
            if can_catch_up(vectors.generation(), truth.generation, truth.purged) {
                Ok(vectors)
            } else {
                Err(cannot_catch_up())
            }
        });
        let vectors = match vectors {
            Ok(vectors) => vectors,
            Err(error) => {
                if truth.generation > 0 {
                    tracing::warn!(%error, "rebuilding the vector index");
                }
                VectorStore::create(layout)?
            }
        };
        let mut derived = Self { text, vectors };
        derived.catch_up(truth)?;
        Ok(derived)
    }

    /// Builds both anew; the old ones serve until then.
    pub(crate) fn rebuild(layout: &Layout, truth: &Truth) -> Result<Self> {
        let mut derived = Self {
            text: Self::rebuild_text(layout, truth)?,
            vectors: VectorStore::create(layout)?,
        };
        derived.catch_up(truth)?;
        Ok(derived)
    }

    /// Builds the text index anew and puts it in the place of the old one, which serves until
    /// then.
    fn rebuild_text(layout: &Layout, truth: &Truth) -> Result<TextIndex> {
        let mut text = TextIndex::create(&layout.text_rebuilt())?;
        catch_up_text(&mut text, truth)?;
        text.close()?;
        text_index::replace(layout)?;
        TextIndex::open(&layout.text(), false)
    }

    /// Brings both to the state of the truth: the text first, then the vectors.
    pub(crate) fn catch_up(&mut self, truth: &Truth) -> Result<()> {
        if self.text.generation != truth.generation {
            let _span = tracing::debug_span!("text", generation = truth.generation).entered();
            catch_up_text(&mut self.text, truth)?;
        }
        if !self.vectors.is_at(truth.generation) {
            let _span = tracing::debug_span!("vectors", generation = truth.generation).entered();
            self.vectors.catch_up(truth)?;
        }
        Ok(())
    }
}

fn cannot_catch_up() -> StoreError {
    StoreError::damaged(crate::error::Part::Text, "it is not of this store's past")
}

/// Commits to the text index what the truth has added and dropped since.
fn catch_up_text(text: &mut TextIndex, truth: &Truth) -> Result<()> {
    let (from, to) = (text.generation, truth.generation);
    let gone = truth.removed(0..=dropped(to))?;
    let mut analysers: HashMap<Option<String>, Analyser> = HashMap::new();
    for addition in truth.additions(from + 1..=to)? {
        if addition.space == 0 && !gone.contains(&addition.seq) {
            add_units(text, truth, addition.seq, addition.view, &mut analysers)?;
        }
    }
    for seq in truth.removed(dropped(from) + 1..=dropped(to))? {
        text.delete(seq);
    }
    text.commit(to)
}

fn add_units(
    text: &mut TextIndex,
    truth: &Truth,
    seq: u64,
    view: View,
    analysers: &mut HashMap<Option<String>, Analyser>,
) -> Result<()> {
    let Some(row) = truth.document(seq)? else {
        return Ok(());
    };
    let language = match view {
        // Names are compared across documents of all languages.
        View::Relations => None,
        View::Evidence | View::Chunks => row.head.language.clone(),
    };
    let analyser = analysers
        .entry(language)
        .or_insert_with_key(|language| Analyser::new(language.as_deref()));
    let document = truth.whole(seq, row, Vec::new())?;
    let whole = match view {
        View::Evidence => DocumentAnchors::of(&document),
        View::Chunks | View::Relations => DocumentAnchors::default(),
    };
    for unit in truth.units(seq, view)? {
        let key = UnitKey {
            seq,
            view,
            ordinal: unit.ordinal,
        };
        let node = |id: catena_document::NodeId| document.nodes.get(id.0 as usize).cloned();
        let resolved = unit.resolve(document.id, &document.title, node);
        let anchors = match view {
            View::Evidence => anchors(&resolved, &whole),
            View::Chunks => Anchors::default(),
            View::Relations => Anchors::of_relation(unit.stated.as_ref()),
        };
        text.add((key, unit.modality), &fields(&resolved), &anchors, analyser)?;
    }
    Ok(())
}
