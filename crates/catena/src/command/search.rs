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
    /// Show the score of every stage and the role of each piece of evidence
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
    } else {
        print(&terminal::hits(&hits, args.explain, width()))?;
    }
    Ok(if hits.is_empty() {
        Exit::Partly
    } else {
        Exit::Done
    })
}
