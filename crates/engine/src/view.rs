//! Units of a view with their vectors, and views added to documents that are there already.

use crate::EngineError;
use catena_document::{
    Document, DocumentId, EvidenceUnit, NodeId, Relation, Unit, View, chunks, embedding_texts,
    relation_units, units,
};
use catena_index::{InputHash, NewVector, NewVectors, NewView, Snapshot, Store, Writer};
use catena_models::Embedder;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tokens of a chunk of the flat baseline: the embedder's window less its two special tokens.
const CHUNK_TOKENS: usize = 254;
/// Tokens that neighbouring chunks share.
const CHUNK_OVERLAP: usize = 32;
/// Texts embedded between two looks at progress and cancellation.
const SLICE: usize = 64;

/// The chunks of the flat baseline.
pub fn chunk_units(document: &Document, embedder: &dyn Embedder) -> Vec<Unit> {
    let count = |text: &str| embedder.count_tokens(text);
    let size = CHUNK_TOKENS.min(embedder.space().window);
    chunks(document, size, CHUNK_OVERLAP, &count)
}

/// The units of a view.
fn view_units(document: &Document, view: View, embedder: &dyn Embedder) -> Vec<Unit> {
    match view {
        View::Evidence => units(document),
        View::Chunks => chunk_units(document, embedder),
        // Nothing that the document itself gives.
        View::Relations => Vec::new(),
    }
}

/// A document's units of a view with their vectors; what the store has embedded before is taken
/// from it. `report` is told how many texts of how many are embedded.
pub(crate) fn embedded_view(
    document: &Document,
    view: View,
    writer: &mut Writer,
    embedder: &dyn Embedder,
    cancel: &AtomicBool,
    report: &mut dyn FnMut(usize, usize),
) -> Result<NewView, EngineError> {
    let units = view_units(document, view, embedder);
    let vectors = unit_vectors(document, &units, writer, embedder, cancel, report)?;
    Ok(NewView {
        view,
        units,
        vectors: vec![vectors],
    })
}

/// The vectors of a document's units.
pub(crate) fn unit_vectors(
    document: &Document,
    units: &[Unit],
    writer: &mut Writer,
    embedder: &dyn Embedder,
    cancel: &AtomicBool,
    report: &mut dyn FnMut(usize, usize),
) -> Result<NewVectors, EngineError> {
    let inputs = inputs(document, units, embedder);
    let vectors = vectors_of(&inputs, writer, embedder, cancel, report)?;
    let rows = inputs
        .iter()
        .map(|input| NewVector {
            ordinal: input.ordinal,
            part: input.part,
            input: input.hash,
            vector: vectors.get(&input.hash).cloned().unwrap_or_default(),
        })
        .collect();
    Ok(NewVectors {
        space: embedder.space().name.clone(),
        rows,
        omitted: Vec::new(),
    })
}

/// A text to be embedded for a part of a unit.
struct Input {
    ordinal: u32,
    part: u16,
    hash: InputHash,
    text: String,
}

fn inputs(document: &Document, units: &[Unit], embedder: &dyn Embedder) -> Vec<Input> {
    let _span = tracing::debug_span!("unit_texts", units = units.len()).entered();
    let count = |text: &str| embedder.count_tokens(text);
    let window = embedder.space().window;
    units
        .iter()
        .flat_map(|unit| {
            let whole = resolve(document, unit);
            let texts = embedding_texts(&whole, window, &count);
            let parts = texts.into_iter().zip(0_u16..);
            parts.map(|(text, part)| Input {
                ordinal: unit.ordinal,
                part,
                hash: InputHash::of(text.as_bytes()),
                text,
            })
        })
        .collect()
}

/// A unit with everything that it refers to, read from a whole document.
pub(crate) fn resolve(document: &Document, unit: &Unit) -> EvidenceUnit {
    let node = |id: NodeId| document.node(id).cloned();
    unit.resolve(document.id, &document.title, node)
}

/// The vectors of inputs, each text once.
fn vectors_of(
    inputs: &[Input],
    writer: &mut Writer,
    embedder: &dyn Embedder,
    cancel: &AtomicBool,
    report: &mut dyn FnMut(usize, usize),
) -> Result<HashMap<InputHash, Vec<f32>>, EngineError> {
    let space = embedder.space();
    writer.add_space(&space.name, space.dimension as u32)?;
    let mut vectors: HashMap<InputHash, Vec<f32>> = HashMap::new();
    let mut new: Vec<&Input> = Vec::new();
    for input in inputs {
        if vectors.contains_key(&input.hash) {
            continue;
        }
        // The place is taken at once, so that a text that comes twice is embedded once.
        let known = writer.known_vector(&space.name, input.hash)?;
        if known.is_none() {
            new.push(input);
        }
        vectors.insert(input.hash, known.unwrap_or_default());
    }
    let _span = tracing::debug_span!("embed", texts = new.len()).entered();
    let total = new.len();
    report(0, total);
    for (at, slice) in new.chunks(SLICE).enumerate() {
        if cancel.load(Ordering::Relaxed) {
            return Err(EngineError::Cancelled);
        }
        let texts: Vec<&str> = slice.iter().map(|input| input.text.as_str()).collect();
        for (input, vector) in slice.iter().zip(embedder.embed(&texts)?) {
            vectors.insert(input.hash, vector);
        }
        report((at * SLICE + slice.len()).min(total), total);
    }
    Ok(vectors)
}

/// Gives a document the relations that were stated of its nodes, with their vectors; it must have
/// none yet. Visible once the writer has committed.
///
/// # Errors
/// Where the store or the model fails, or the work is cancelled: the document has none then.
pub fn add_relations(
    document: &Document,
    stated: Vec<(NodeId, Relation)>,
    writer: &mut Writer,
    embedder: &dyn Embedder,
    cancel: &AtomicBool,
) -> Result<usize, EngineError> {
    let units = relation_units(stated);
    let count = units.len();
    let vectors = unit_vectors(document, &units, writer, embedder, cancel, &mut |_, _| {})?;
    let view = NewView {
        view: View::Relations,
        units,
        vectors: vec![vectors],
    };
    writer.add_view(&document.id, view)?;
    Ok(count)
}

/// Gives every document of a store a view, for the strategies that need another than the evidence
/// view. Returns how many documents got it; those that have it cost nothing.
///
/// # Errors
/// Where the store or the model fails, or the work is cancelled: what was finished stays.
pub fn ensure_view(
    store: &Store,
    writer: &mut Writer,
    view: View,
    embedder: &dyn Embedder,
    cancel: &AtomicBool,
) -> Result<usize, EngineError> {
    let snapshot = store.snapshot()?;
    let mut done = 0;
    for summary in snapshot.documents()? {
        if summary.units.iter().any(|&(have, _)| have == view) {
            continue;
        }
        let document = snapshot.document(&summary.id)?;
        let new = embedded_view(&document, view, writer, embedder, cancel, &mut |_, _| {})?;
        writer.add_view(&summary.id, new)?;
        done += 1;
    }
    writer.commit()?;
    Ok(done)
}

/// Gives a view that a document has its vectors in the space of another embedder.
///
/// # Errors
/// Where the store or the model fails, or the work is cancelled: the view has no vectors then.
pub fn reindex_view(
    snapshot: &Snapshot,
    writer: &mut Writer,
    id: &DocumentId,
    view: View,
    embedder: &dyn Embedder,
    cancel: &AtomicBool,
) -> Result<(), EngineError> {
    let document = snapshot.document(id)?;
    let units = snapshot.units(id, view)?;
    let report = &mut |_, _| {};
    let vectors = unit_vectors(&document, &units, writer, embedder, cancel, report)?;
    writer.add_vectors(id, view, vectors)?;
    Ok(())
}
