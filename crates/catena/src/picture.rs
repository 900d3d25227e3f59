//! Pictures of figures and tables: crops of pages, or the pictures that documents bring.

use crate::failure::Failure;
use crate::output::Ui;
use catena_document::{DocumentId, UnitId};
use catena_engine::{page_png, unit_png};
use catena_index::{RenderCache, Snapshot, Store};
use std::fs;
use std::path::{Path, PathBuf};

/// Pixels a point: 144 dpi.
pub(crate) const SCALE: f32 = 2.0;

/// The pictures of units of a snapshot.
pub(crate) struct Pictures<'a> {
    snapshot: &'a Snapshot,
    cache: RenderCache,
    /// Where files for the user go. Below the store's cache they are removed with it, the oldest
    /// first.
    folder: PathBuf,
    ui: &'a Ui,
}

impl<'a> Pictures<'a> {
    /// The pictures of the units of a store.
    pub(crate) fn new(store: &Store, snapshot: &'a Snapshot, ui: &'a Ui) -> Self {
        Self {
            snapshot,
            cache: store.render_cache(),
            folder: store.path().join("cache/figures"),
            ui,
        }
    }

    /// A unit as PNG; `None` with a warning where it cannot be drawn.
    pub(crate) fn png(&self, unit: &UnitId) -> Option<Vec<u8>> {
        let drawn = self
            .snapshot
            .unit_key(unit)
            .and_then(|key| self.snapshot.resolve(key))
            .map_err(Failure::from)
            .and_then(|unit| Ok(unit_png(self.snapshot, &self.cache, &unit, SCALE)?));
        drawn.unwrap_or_else(|failure| {
            self.ui.warn(format!("`{unit}` cannot be shown: {failure}"));
            None
        })
    }

    /// A page as PNG, at `scale` pixels a point; `None` with a warning where it cannot be drawn.
    pub(crate) fn page(&self, document: &DocumentId, number: u32, scale: f32) -> Option<Vec<u8>> {
        let drawn = page_png(self.snapshot, &self.cache, *document, number, scale);
        drawn.unwrap_or_else(|error| {
            self.ui
                .warn(format!("page {number} cannot be shown: {error}"));
            None
        })
    }

    /// A file with a unit as PNG; `None` with a warning where it cannot be drawn or written.
    pub(crate) fn file(&self, unit: &UnitId) -> Option<PathBuf> {
        let png = self.png(unit)?;
        let name = format!("{}-{}.png", unit.document.short(), unit.ordinal);
        // A store that may not be written to has no cache.
        let other = std::env::temp_dir().join("catena-figures");
        let written = keep(&self.folder, &name, &png).or_else(|_| keep(&other, &name, &png));
        match written {
            Ok(path) => Some(std::path::absolute(&path).unwrap_or(path)),
            Err(cause) => {
                self.ui
                    .warn(format!("`{unit}` cannot be written to a file: {cause}"));
                None
            }
        }
    }
}

/// Writes a file whole, so that nobody opens half of it.
fn keep(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let path = folder.join(name);
    let part = folder.join(format!("{name}.{}.tmp", std::process::id()));
    fs::write(&part, bytes)?;
    fs::rename(&part, &path)?;
    Ok(path)
}
