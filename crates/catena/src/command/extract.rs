//! `catena extract`

use crate::failure::{Exit, Failure};
use crate::interrupt::Careful;
use crate::language_model::language_model;
use crate::output::count;
use crate::progress::documents_bar;
use crate::store::{find_document, open_filled};
use crate::{Context, model};
use catena_document::DocumentId;
use catena_engine::{EngineError, Extracted, Extracting, extract, plan_extraction};
use catena_index::{Snapshot, Store, Writer};

/// Let a language model state how things are related in the documents: search follows it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these documents: a path, or the first digits of the id [default: all]
    document: Vec<String>,
    /// Calls of the language model at most; what is left goes on with the next run
    #[arg(long, value_name = "N")]
    calls: Option<usize>,
    /// Show what it would take, and call no model
    #[arg(long)]
    preview: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let Some(generator) = language_model(&context.settings, &context.ui)? else {
        return Err(Failure::usage(
            "no language model is set",
            "set `CATENA_LLM_URL` and `CATENA_LLM_MODEL`",
        ));
    };
    let store = open_filled(&context.settings)?;
    let snapshot = store.snapshot()?;
    let documents = documents(args, &snapshot)?;
    let embedder = model::embedder(&context.settings, &context.ui)?;
    let careful = Careful::begin();
    let mut writer = Writer::open(store.path())?;
    let prompts = context.settings.prompts()?;
    let mut extracting = Extracting {
        prompts: &prompts,
        generator: &generator,
        writer: &mut writer,
        embedder: embedder.as_ref(),
        calls: args.calls.unwrap_or(usize::MAX),
        cancel: careful.stop(),
    };
    let (mut calls, mut tokens) = (0, 0);
    for id in &documents {
        let plan = plan_extraction(&snapshot, id, &mut extracting)?;
        calls += plan.calls;
        tokens += plan.prompt_tokens;
    }
    let what = count(documents.len(), "document", "documents");
    let wanted = count(calls, "call", "calls");
    context.ui.note(format!(
        "{what} to read: {wanted} of `{}`, about {tokens} tokens of prompts",
        context.settings.llm_model.value.as_deref().unwrap_or("")
    ));
    let exit = if args.preview {
        Exit::Done
    } else {
        all(&documents, &store, &mut extracting, context)?
    };
    writer.close()?;
    Ok(exit)
}

/// The documents that are named, else all.
fn documents(args: &Args, snapshot: &Snapshot) -> Result<Vec<DocumentId>, Failure> {
    if args.document.is_empty() {
        let all = snapshot.documents()?;
        return Ok(all.into_iter().map(|summary| summary.id).collect());
    }
    let named = args.document.iter();
    named.map(|text| find_document(snapshot, text)).collect()
}

/// Extracts document by document, as far as the calls go, and says what came of it.
fn all(
    documents: &[DocumentId],
    store: &Store,
    extracting: &mut Extracting<'_>,
    context: &Context,
) -> Result<Exit, Failure> {
    let ui = &context.ui;
    let bar = documents_bar(ui, documents.len());
    let mut sum = Extracted::default();
    let mut left = 0;
    for (at, id) in documents.iter().enumerate() {
        let snapshot = store.snapshot()?;
        let title = snapshot.summary(id)?.title;
        let done = extract(&snapshot, id, extracting, &mut |done, of| {
            bar.set_message(format!("{title}: {done}/{of}"));
        });
        let done = match done {
            Ok(done) => done,
            Err(EngineError::Cancelled) => {
                left = documents.len() - at;
                break;
            }
            Err(error) => {
                bar.finish_and_clear();
                return Err(error.into());
            }
        };
        bar.inc(1);
        match done.relations {
            Some(relations) => *sum.relations.get_or_insert(0) += relations,
            None => left += 1,
        }
        sum.calls += done.calls;
        sum.unread += done.unread;
        sum.usage.prompt_tokens += done.usage.prompt_tokens;
        sum.usage.completion_tokens += done.usage.completion_tokens;
    }
    bar.finish_and_clear();
    let relations = count(sum.relations.unwrap_or(0), "relation", "relations");
    let tokens = sum.usage.prompt_tokens + sum.usage.completion_tokens;
    ui.note(format!(
        "Stated {relations} in {}, {tokens} tokens",
        count(sum.calls, "call", "calls")
    ));
    if sum.unread > 0 {
        let units = count(sum.unread, "unit", "units");
        ui.warn(format!("the answer for {units} could not be read"));
    }
    if left > 0 {
        let rest = count(left, "document", "documents");
        ui.note(format!("{rest} left; run it again to go on"));
        return Ok(if extracting.calls == 0 {
            Exit::Partly
        } else {
            Exit::Interrupted
        });
    }
    Ok(Exit::Done)
}
