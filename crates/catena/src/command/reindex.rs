//! `catena reindex`

use crate::failure::{Exit, Failure};
use crate::interrupt::Careful;
use crate::output::count;
use crate::progress::documents_bar;
use crate::store::open;
use crate::{Context, model};
use catena_document::{DocumentId, View};
use catena_engine::{EngineError, reindex_view};
use catena_index::{Snapshot, Writer};
use std::sync::atomic::Ordering;
use std::time::Instant;

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
        match reindex_view(
            &snapshot,
            &mut writer,
            id,
            *view,
            embedder.as_ref(),
            careful.stop(),
        ) {
            Ok(()) => {}
            Err(EngineError::Cancelled) => break,
            Err(error) => return Err(error.into()),
        }
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
    for view in View::ALL {
        let documents = snapshot.documents_without(space, view)?;
        out.extend(documents.into_iter().map(|id| (id, view)));
    }
    Ok(out)
}
