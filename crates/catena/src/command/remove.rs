//! `catena remove`

use crate::Context;
use crate::conversation;
use crate::failure::{Exit, Failure};
use crate::output::count;
use crate::store::{find_document, find_source, open};
use catena_document::DocumentId;
use catena_index::{Snapshot, Writer};

/// Remove documents
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Paths that were added, or the first digits of ids; a document that was added under several
    /// paths goes with the last of them, or by its id
    #[arg(value_name = "ID", required = true)]
    documents: Vec<String>,
}

/// What is to be removed.
enum Target {
    /// A source; its document goes with its last.
    Source(String),
    /// A document with all its sources.
    Document(DocumentId),
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let store = open(&context.settings)?;
    let snapshot = store.snapshot()?;
    let before = snapshot.len();
    let mut targets = Vec::new();
    let mut failed = false;
    for text in &args.documents {
        match target(&snapshot, text) {
            Ok(target) => targets.push(target),
            Err(failure @ Failure::Usage { .. }) => {
                context.ui.report(&failure);
                failed = true;
            }
            Err(failure) => return Err(failure),
        }
    }
    drop(snapshot);
    if !targets.is_empty() {
        let mut writer = Writer::open(store.path())?;
        for target in &targets {
            match target {
                Target::Source(uri) => writer.remove_source(uri)?,
                Target::Document(id) => writer.remove_document(id)?,
            };
        }
        writer.close()?;
        conversation::forget(store.path());
        let removed = before.saturating_sub(store.snapshot()?.len());
        let stay = targets.len().saturating_sub(removed);
        let removed = count(removed, "document", "documents");
        context.ui.note(if stay == 0 {
            format!("Removed {removed}")
        } else {
            {
                let stay = count(stay, "document stays", "documents stay");
                format!("Removed {removed}; {stay} under another path")
            }
        });
    }
    Ok(if failed { Exit::Partly } else { Exit::Done })
}

fn target(snapshot: &Snapshot, text: &str) -> Result<Target, Failure> {
    match find_source(snapshot, text)? {
        Some(uri) => Ok(Target::Source(uri)),
        None => Ok(Target::Document(find_document(snapshot, text)?)),
    }
}
