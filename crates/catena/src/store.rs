//! The store that a command works on, and how its documents and units are named.

use crate::failure::Failure;
use crate::settings::Settings;
use catena_document::{DocumentId, UnitId, View};
use catena_index::{Snapshot, Store};
use std::path::Path;

/// Documents named where a name fits several, at most.
const NAMED: usize = 8;

/// Opens the store for reading.
pub(crate) fn open(settings: &Settings) -> Result<Store, Failure> {
    let path = &settings.store.value;
    if !path.exists() {
        return Err(Failure::usage(
            format!("there is no store at `{}`", path.display()),
            "add documents first: `catena add PATH`, or name another store with `--store`",
        ));
    }
    Ok(Store::open(path)?)
}

/// Opens the store for reading; an error where it has no documents.
pub(crate) fn open_filled(settings: &Settings) -> Result<Store, Failure> {
    let store = open(settings)?;
    if store.snapshot()?.is_empty() {
        return Err(Failure::usage(
            format!("the store `{}` has no documents", store.path().display()),
            "add some first: `catena add PATH`",
        ));
    }
    Ok(store)
}

/// The name that a path has as a source.
pub(crate) fn uri(path: &str) -> String {
    std::path::absolute(path).map_or_else(
        |_| path.to_owned(),
        |absolute| absolute.to_string_lossy().into_owned(),
    )
}

/// The source that a text names: a path, or a source as it was added.
pub(crate) fn find_source(snapshot: &Snapshot, text: &str) -> Result<Option<String>, Failure> {
    for uri in [uri(text), text.to_owned()] {
        if snapshot.find_source(&uri)?.is_some() {
            return Ok(Some(uri));
        }
    }
    Ok(None)
}

/// The document that a text names: a source of it, or the first digits of its id.
pub(crate) fn find_document(snapshot: &Snapshot, text: &str) -> Result<DocumentId, Failure> {
    if let Some(uri) = find_source(snapshot, text)?
        && let Some(id) = snapshot.find_source(&uri)?
    {
        return Ok(id);
    }
    let found = snapshot.find(text, NAMED + 1)?;
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(Failure::usage(
            format!("no document `{text}` in the store"),
            "name a path that was added, or the first digits of an id: `catena list` shows both",
        )),
        many => {
            let mut names = Vec::new();
            for id in many.iter().take(NAMED) {
                names.push(format!("{} ({})", id.short(), snapshot.summary(id)?.title));
            }
            if many.len() > NAMED {
                names.push("…".to_owned());
            }
            Err(Failure::usage(
                format!("`{text}` is the beginning of several ids"),
                format!("write more digits: {}", names.join(", ")),
            ))
        }
    }
}

/// The unit that a text names, such as `1a2b3c:17`; `None` where it has another form.
pub(crate) fn find_unit(snapshot: &Snapshot, text: &str) -> Result<Option<UnitId>, Failure> {
    let Some((document, place)) = text.rsplit_once(':') else {
        return Ok(None);
    };
    let marked = |mark, view| Some((view, place.strip_prefix(mark)?));
    let (view, digits) = marked('c', View::Chunks)
        .or_else(|| marked('r', View::Relations))
        .unwrap_or((View::Evidence, place));
    let is_hex = !document.is_empty() && document.bytes().all(|byte| byte.is_ascii_hexdigit());
    let Some(ordinal) = digits.parse().ok().filter(|_| is_hex) else {
        return Ok(None);
    };
    Ok(Some(UnitId {
        document: find_document(snapshot, document)?,
        view,
        ordinal,
    }))
}

/// A path as it is shown: from the current folder where it lies below.
pub(crate) fn shown(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| Path::new(path).strip_prefix(here).ok().map(Path::to_owned));
    below.map_or_else(|| path.to_owned(), |below| below.display().to_string())
}
