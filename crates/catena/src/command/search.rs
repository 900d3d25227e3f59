//! `catena search`

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::json::JsonHits;
use crate::language_model::planning_model;
use crate::output::{print, print_json, width};
use crate::retrieval::{self, planner, prepare};
use crate::store::open_filled;
use crate::terminal;
use std::sync::atomic::AtomicBool;

/// Find evidence: text, figures and tables, ranked
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to find
    query: String,
    #[command(flatten)]
    pub(crate) retrieval: retrieval::Args,
    /// Show how the evidence hangs together, and the score of every stage
    #[arg(long)]
    explain: bool,
    /// Write the evidence as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let prompts = context.settings.prompts()?;
    let planning = planning_model(&context.settings, &context.ui)?;
    let store = open_filled(&context.settings)?;
    let ready = prepare(&args.query, &args.retrieval, None, &store, context)?;
    // Ctrl-C ends the program at once: nothing is lost.
    let cancel = AtomicBool::new(false);
    let found = catena_engine::retrieve(
        &ready.snapshot,
        &ready.query,
        ready.strategy,
        ready.embedder.as_ref(),
        planner(planning.as_ref(), &prompts, context, &cancel),
    )?;
    for warning in &found.warnings {
        context.ui.warn(warning);
    }
    if args.json {
        print_json(&JsonHits::new(&args.query, ready.strategy.name(), &found))?;
    } else if found.hits.is_empty() {
        context.ui.note("Nothing found");
    } else if args.explain {
        print(&terminal::explain(&found, width()))?;
    } else {
        print(&terminal::hits(&found.hits, width()))?;
    }
    Ok(if found.hits.is_empty() {
        Exit::Partly
    } else {
        Exit::Done
    })
}
