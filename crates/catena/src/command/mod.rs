//! The subcommands, a file each.

pub(crate) mod add;
pub(crate) mod ask;
pub(crate) mod compact;
pub(crate) mod enrich;
pub(crate) mod eval;
pub(crate) mod health;
pub(crate) mod list;
pub(crate) mod models;
pub(crate) mod reindex;
pub(crate) mod remove;
pub(crate) mod search;
pub(crate) mod show;
