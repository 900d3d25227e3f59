//! `catena reindex`

use crate::failure::{Exit, Failure};
use crate::interrupt::Careful;
use crate::output::count;
use crate::progress::documents_bar;
use crate::store::open;
use crate::{Context, model};
use catena_document::{DocumentId, EvidenceUnit, View, embedding_texts};
use catena_index::{InputHash, NewVector, NewVectors, Snapshot, Writer};
use catena_models::Embedder;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Texts embedded between two looks at Ctrl-C.
const SLICE: usize = 64;

/// Embed the documents that another model embedded, then drop its vectors
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, context: &Context) -> Result<Exit, Failure> {
    let begun = Instant::now();
    let store = open(&context.settings)?;
    let embedder = model::embedder(&context.settings, &context.ui)?;
    let space = embedder.space().clone();
    let mut writer = Writer::open(store.path())?;
    writer.add_space(&space.name, space.dimension as u32)?;
    writer.commit()?;
    let left = missing(&store.snapshot()?, &space.name)?;
    let careful = Careful::begin();
    let bar = documents_bar(&context.ui, left.len());
    let mut done = 0;
    for (id, view) in &left {
        if careful.stop().load(Ordering::Relaxed) {
            break;
        }
        let snapshot = store.snapshot()?;
        bar.set_message(snapshot.summary(id)?.title);
        let texts = texts(&snapshot, id, *view, embedder.as_ref())?;
        let Some(rows) = embed(&texts, &mut writer, embedder.as_ref(), &careful)? else {
            break;
        };
        let vectors = NewVectors {
            space: space.name.clone(),
            rows,
            omitted: Vec::new(),
        };
        writer.add_vectors(id, *view, vectors)?;
        done += 1;
        bar.inc(1);
    }
    bar.finish_and_clear();
    writer.commit()?;
    let ui = &context.ui;
    if done < left.len() {
        writer.close()?;
        let rest = left.len() - done;
        ui.note(format!(
            "Stopped: {done} done, {rest} left; run it again to go on"
        ));
        return Ok(Exit::Interrupted);
    }
    // All is in the new space: the old ones have served.
    let mut dropped = 0;
    for other in store.snapshot()?.spaces()? {
        if other.name != space.name {
            writer.drop_space(&other.name)?;
            dropped += 1;
        }
    }
    writer.close()?;
    let documents = count(done, "document", "documents");
    let seconds = begun.elapsed().as_secs_f64();
    ui.note(format!(
        "Embedded {documents} by `{}` in {seconds:.1}s",
        space.name
    ));
    if dropped > 0 {
        ui.note(format!(
            "Dropped {}",
            count(dropped, "old space", "old spaces")
        ));
    }
    Ok(Exit::Done)
}

/// The documents and views that have no vectors in a space.
fn missing(snapshot: &Snapshot, space: &str) -> Result<Vec<(DocumentId, View)>, Failure> {
    let mut out = Vec::new();
    for view in [View::Evidence, View::Chunks] {
        let documents = snapshot.documents_without(space, view)?;
        out.extend(documents.into_iter().map(|id| (id, view)));
    }
    Ok(out)
}

/// A text to be embedded for a part of a unit.
struct Input {
    ordinal: u32,
    part: u16,
    text: String,
}

/// What is embedded of the units of a document.
fn texts(
    snapshot: &Snapshot,
    id: &DocumentId,
    view: View,
    embedder: &dyn Embedder,
) -> Result<Vec<Input>, Failure> {
    let document = snapshot.document(id)?;
    let count = |text: &str| embedder.count_tokens(text);
    let mut out = Vec::new();
    for unit in snapshot.units(id, view)? {
        let whole: EvidenceUnit =
            unit.resolve(*id, &document.title, |node| document.node(node).cloned());
        let parts = embedding_texts(&whole, embedder.space().window, &count);
        out.extend(parts.into_iter().zip(0_u16..).map(|(text, part)| Input {
            ordinal: unit.ordinal,
            part,
            text,
        }));
    }
    Ok(out)
}

/// The vectors of texts; what the store has embedded before is taken from it. `None` where the
/// user stopped it.
fn embed(
    inputs: &[Input],
    writer: &mut Writer,
    embedder: &dyn Embedder,
    careful: &Careful,
) -> Result<Option<Vec<NewVector>>, Failure> {
    let space = &embedder.space().name;
    let mut rows = Vec::with_capacity(inputs.len());
    for slice in inputs.chunks(SLICE) {
        if careful.stop().load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut new = Vec::new();
        let first = rows.len();
        for (at, input) in slice.iter().enumerate() {
            let hash = InputHash::of(input.text.as_bytes());
            let known = writer.known_vector(space, hash)?;
            if known.is_none() {
                new.push(at);
            }
            rows.push(NewVector {
                ordinal: input.ordinal,
                part: input.part,
                input: hash,
                vector: known.unwrap_or_default(),
            });
        }
        let texts: Vec<&str> = new.iter().map(|&at| slice[at].text.as_str()).collect();
        for (at, vector) in new.iter().zip(embedder.embed(&texts)?) {
            rows[first + at].vector = vector;
        }
    }
    Ok(Some(rows))
}
