//! `catena models`

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::model::fetch;
use crate::output::{DIM, GOOD, WARNING, bytes, paint, print};
use catena_models::{CHAT_MODELS, MODELS, ModelCache, ModelEntry, ModelError};
use clap::Subcommand;

/// List, fetch and remove models
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the models, and whether they are on this machine
    List,
    /// Fetch models into the user's cache
    Pull {
        /// Their names [default: all but language models]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Remove models from the user's cache
    Remove {
        /// Their names
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let cache = context.settings.model_cache()?;
    match &args.action {
        Action::List => list(&cache),
        Action::Pull { names } => pull(names, &cache, context),
        Action::Remove { names } => {
            for entry in entries(names)? {
                let removed = cache.remove(entry)?;
                let what = if removed { "Removed" } else { "There was no" };
                context.ui.note(format!("{what} model `{}`", entry.name));
            }
            Ok(Exit::Done)
        }
    }
}

fn list(cache: &ModelCache) -> Result<Exit, Failure> {
    let mut out = String::new();
    for entry in MODELS.iter().chain(CHAT_MODELS) {
        out.push_str(&format!(
            "{:<10} {:<14} {} ({})\n{:11}{}\n",
            entry.name,
            state(cache, entry),
            entry.purpose,
            bytes(entry.bytes()),
            "",
            paint(DIM, format_args!("licence {}", entry.licence)),
        ));
    }
    print(&out)?;
    Ok(Exit::Done)
}

/// Whether a model is on this machine, in a word.
fn state(cache: &ModelCache, entry: &'static ModelEntry) -> String {
    match cache.locate(entry) {
        Ok(_) => paint(GOOD, "present"),
        Err(ModelError::Missing { .. }) => "missing".to_owned(),
        Err(_) => paint(WARNING, "wrong"),
    }
}

fn pull(names: &[String], cache: &ModelCache, context: &Context) -> Result<Exit, Failure> {
    let entries = if names.is_empty() {
        MODELS.to_vec()
    } else {
        entries(names)?
    };
    for entry in entries {
        if cache.locate(entry).is_ok() {
            context
                .ui
                .note(format!("The model `{}` is here already", entry.name));
            continue;
        }
        fetch(cache, entry, &context.settings, &context.ui)?;
        cache.locate(entry)?;
        let size = bytes(entry.download_bytes());
        context
            .ui
            .note(format!("Fetched the model `{}`, {size}", entry.name));
    }
    Ok(Exit::Done)
}

fn entries(names: &[String]) -> Result<Vec<&'static ModelEntry>, Failure> {
    let entry = |name: &String| {
        ModelEntry::by_name(name).ok_or_else(|| {
            let all = MODELS.iter().chain(CHAT_MODELS);
            let names: Vec<&str> = all.map(|entry| entry.name).collect();
            Failure::usage(
                format!("no model `{name}`"),
                format!("the models are: {}", names.join(", ")),
            )
        })
    };
    names.iter().map(entry).collect()
}
