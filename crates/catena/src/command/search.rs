//! `catena search`

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::json::JsonHits;
use crate::output::{print, print_json, width};
use crate::retrieval::{self, prepare};
use crate::store::open_filled;
use crate::terminal;

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
    let store = open_filled(&context.settings)?;
    let ready = prepare(&args.query, &args.retrieval, None, &store, context)?;
    let hits = ready.strategy.retrieve(&ready.snapshot, &ready.query)?;
    if args.json {
        print_json(&JsonHits::new(&args.query, ready.strategy.name(), &hits))?;
    } else if hits.is_empty() {
        context.ui.note("Nothing found");
    } else if args.explain {
        print(&terminal::explain(&hits, width()))?;
    } else {
        print(&terminal::hits(&hits, width()))?;
    }
    Ok(if hits.is_empty() {
        Exit::Partly
    } else {
        Exit::Done
    })
}
