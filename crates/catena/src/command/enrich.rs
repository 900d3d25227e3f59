//! `catena extract` and `catena describe`: what a language model is asked about documents ahead.

use crate::failure::{Exit, Failure};
use crate::interrupt::Careful;
use crate::language_model::language_model;
use crate::output::count;
use crate::progress::documents_bar;
use crate::store::{find_document, open_filled};
use crate::usage::{Prices, shown_cost};
use crate::{Context, model};
use catena_document::DocumentId;
use catena_engine::{
    EngineError, Enriched, Enriching, EnrichmentPlan, describe, extract, plan_descriptions,
    plan_extraction,
};
use catena_index::{RenderCache, Snapshot, Store, Writer};
use catena_models::Generator as _;

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

/// What the model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// How things are related.
    Relations,
    /// What figures show.
    Descriptions,
}

/// Tokens of an answer, for the cost told ahead: relations of a passage, a description.
const ANSWER_TOKENS: usize = 200;

impl Wanted {
    fn plan(
        self,
        snapshot: &Snapshot,
        id: &DocumentId,
        enriching: &mut Enriching<'_>,
    ) -> Result<EnrichmentPlan, EngineError> {
        match self {
            Self::Relations => plan_extraction(snapshot, id, enriching),
            Self::Descriptions => plan_descriptions(snapshot, id, enriching),
        }
    }

    fn work(
        self,
        snapshot: &Snapshot,
        id: &DocumentId,
        cache: &RenderCache,
        enriching: &mut Enriching<'_>,
        report: &mut dyn FnMut(usize, usize),
    ) -> Result<Enriched, EngineError> {
        match self {
            Self::Relations => extract(snapshot, id, enriching, report),
            Self::Descriptions => describe(snapshot, id, cache, enriching, report),
        }
    }

    /// What was given, in words.
    fn given(self, number: usize) -> String {
        match self {
            Self::Relations => format!("Stated {}", count(number, "relation", "relations")),
            Self::Descriptions => format!("Described {}", count(number, "figure", "figures")),
        }
    }
}

pub(crate) fn run(wanted: Wanted, args: &Args, context: &Context) -> Result<Exit, Failure> {
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
    let mut enriching = Enriching {
        prompts: &prompts,
        generator: &generator,
        writer: &mut writer,
        embedder: embedder.as_ref(),
        calls: args.calls.unwrap_or(usize::MAX),
        cancel: careful.stop(),
    };
    let (mut calls, mut tokens) = (0, 0);
    for id in &documents {
        let plan = wanted.plan(&snapshot, id, &mut enriching)?;
        calls += plan.calls;
        tokens += plan.prompt_tokens;
    }
    let prices = Prices::of(&context.settings);
    let cost = shown_cost(prices.cost(tokens as u64, (calls * ANSWER_TOKENS) as u64));
    context.ui.note(format!(
        "{} to read: {} of `{}`, about {tokens} tokens of prompts{cost}",
        count(documents.len(), "document", "documents"),
        count(calls, "call", "calls"),
        generator.name(),
    ));
    let exit = if args.preview {
        Exit::Done
    } else {
        all(wanted, &documents, &store, &mut enriching, context)?
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

/// Works document by document, as far as the calls go, and says what came of it.
fn all(
    wanted: Wanted,
    documents: &[DocumentId],
    store: &Store,
    enriching: &mut Enriching<'_>,
    context: &Context,
) -> Result<Exit, Failure> {
    let ui = &context.ui;
    let bar = documents_bar(ui, documents.len());
    let cache = store.render_cache();
    let mut sum = Enriched::default();
    let mut left = 0;
    for (at, id) in documents.iter().enumerate() {
        let snapshot = store.snapshot()?;
        let title = snapshot.summary(id)?.title;
        let done = wanted.work(&snapshot, id, &cache, enriching, &mut |done, of| {
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
        left += usize::from(!done.complete);
        sum += done;
    }
    bar.finish_and_clear();
    let usage = sum.spent.usage;
    let prices = Prices::of(&context.settings);
    let cost = shown_cost(prices.cost(usage.prompt_tokens, usage.completion_tokens));
    ui.note(format!(
        "{} in {}, {} tokens{cost}",
        wanted.given(sum.given),
        count(sum.spent.calls, "call", "calls"),
        usage.prompt_tokens + usage.completion_tokens,
    ));
    if sum.unread > 0 {
        let units = count(sum.unread, "unit", "units");
        ui.warn(format!("the answer for {units} could not be read"));
    }
    if left > 0 {
        let rest = count(left, "document", "documents");
        ui.note(format!("{rest} left; run it again to go on"));
        return Ok(if enriching.calls == 0 {
            Exit::Partly
        } else {
            Exit::Interrupted
        });
    }
    Ok(Exit::Done)
}
