//! The last questions asked of a store, so that a follow-up is understood.
//!
//! They lie in the store's folder beside its own files, and go when documents are removed: what an
//! answer named comes from a document.

use crate::failure::Failure;
use catena_engine::Turn;
use std::fs;
use std::path::{Path, PathBuf};

/// Questions that are kept.
const KEPT: usize = 8;
/// Bytes of the file that are read.
const MOST: u64 = 1 << 20;

fn file(store: &Path) -> PathBuf {
    store.join("conversation.json")
}

/// The turns of the last conversation, the last of them last.
///
/// # Errors
/// Where there is none.
pub(crate) fn turns(store: &Path) -> Result<Vec<Turn>, Failure> {
    let path = file(store);
    let small = fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= MOST);
    let bytes = if small { fs::read(&path).ok() } else { None };
    let turns: Option<Vec<Turn>> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    turns.filter(|turns| !turns.is_empty()).ok_or_else(|| {
        Failure::usage(
            "there is no question before this one",
            "ask once without `--continue`",
        )
    })
}

/// Keeps the turns of a conversation. A store that cannot be written keeps none.
pub(crate) fn keep(store: &Path, turns: &[Turn]) {
    let kept = &turns[turns.len().saturating_sub(KEPT)..];
    let path = file(store);
    let part = path.with_extension("json.part");
    let written = serde_json::to_vec(kept)
        .map_err(std::io::Error::from)
        .and_then(|bytes| fs::write(&part, bytes))
        .and_then(|()| fs::rename(&part, &path));
    if let Err(error) = written {
        tracing::debug!(%error, "the conversation is not kept");
    }
}

/// Forgets the conversation.
pub(crate) fn forget(store: &Path) {
    let _ = fs::remove_file(file(store));
}
