//! `catena compact`

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::output::bytes;
use crate::store::open;
use catena_index::{Store, Writer};

/// Make the store as small as it can be
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, context: &Context) -> Result<Exit, Failure> {
    let store = open(&context.settings)?;
    let before = size(&store)?;
    let path = store.path().to_owned();
    // Whoever reads keeps the database from being made smaller.
    drop(store);
    let mut writer = Writer::open(&path)?;
    let compacted = writer.compact()?;
    writer.close()?;
    let after = size(&Store::open(&path)?)?;
    let ui = &context.ui;
    ui.note(format!("Compacted: {} to {}", bytes(before), bytes(after)));
    if !compacted.database {
        ui.note("The database keeps its size: another process reads the store");
    }
    Ok(Exit::Done)
}

fn size(store: &Store) -> Result<u64, Failure> {
    Ok(store.snapshot()?.statistics()?.sizes.total())
}
