//! What was read in pictures, kept by the pictures.

use crate::EvalError;
use catena_document::ContentHash;
use catena_models::{
    Layout, LayoutRegion, ModelError, Ocr, OcrLine, TableCells, TableStructure, VisionModels,
};
use image::RgbImage;
use redb::{Database, DatabaseError, ReadableDatabase, TableDefinition};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The hash of a model's name and a picture's pixels → what the model saw, as JSON.
const SEEN: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("seen");
/// Memory for pages of the database.
const MEMORY: usize = 32 << 20;

/// The models that read pictures, behind a file in the work folder that keeps what they saw.
///
/// # Errors
/// Where the file cannot be opened.
pub(crate) fn cached(
    work: &Path,
    inner: Arc<VisionModels>,
) -> Result<Arc<VisionModels>, EvalError> {
    fs::create_dir_all(work).map_err(|cause| EvalError::file("write", work, cause))?;
    let path = work.join("vision.redb");
    let database = Database::builder()
        .set_cache_size(MEMORY)
        .create(&path)
        .map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => EvalError::InUse(work.to_owned()),
            error => EvalError::cache(&path, error),
        })?;
    let cache = Arc::new(VisionCache {
        inner,
        database,
        path,
    });
    Ok(Arc::new(VisionModels::of(
        cache.clone(),
        cache.clone(),
        cache,
    )))
}

struct VisionCache {
    inner: Arc<VisionModels>,
    database: Database,
    path: PathBuf,
}

impl VisionCache {
    /// What a model saw on a picture, from the file or by `see`.
    fn get<T: Serialize + DeserializeOwned>(
        &self,
        model: &str,
        image: &RgbImage,
        see: impl FnOnce() -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        let key = key(model, image);
        let known = self
            .read(&key)
            .map_err(|error| self.failed("read", error))?;
        // A row of another version is none.
        if let Some(seen) = known.and_then(|row| serde_json::from_slice(&row).ok()) {
            return Ok(seen);
        }
        let seen = see()?;
        let row = serde_json::to_vec(&seen).map_err(|error| self.failed("write", error))?;
        self.write(&key, &row)
            .map_err(|error| self.failed("write", error))?;
        Ok(seen)
    }

    fn read(&self, key: &ContentHash) -> Result<Option<Vec<u8>>, redb::Error> {
        let table = match self.database.begin_read()?.open_table(SEEN) {
            Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
            table => table?,
        };
        Ok(table.get(&key.0)?.map(|row| row.value().to_vec()))
    }

    fn write(&self, key: &ContentHash, row: &[u8]) -> Result<(), redb::Error> {
        let txn = self.database.begin_write()?;
        txn.open_table(SEEN)?.insert(&key.0, row)?;
        txn.commit()?;
        Ok(())
    }

    fn failed(
        &self,
        action: &'static str,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> ModelError {
        ModelError::Io {
            action,
            path: self.path.clone(),
            source: io::Error::other(error),
        }
    }
}

impl Ocr for VisionCache {
    fn read(&self, image: &RgbImage) -> Result<Vec<OcrLine>, ModelError> {
        self.get(catena_models::OCR.version(), image, || {
            self.inner.ocr()?.read(image)
        })
    }
}

impl Layout for VisionCache {
    fn find(&self, image: &RgbImage) -> Result<Vec<LayoutRegion>, ModelError> {
        self.get(catena_models::LAYOUT.version(), image, || {
            self.inner.layout()?.find(image)
        })
    }
}

impl TableStructure for VisionCache {
    fn cells(&self, image: &RgbImage) -> Result<TableCells, ModelError> {
        self.get(catena_models::TABLE.version(), image, || {
            self.inner.table()?.cells(image)
        })
    }
}

fn key(model: &str, image: &RgbImage) -> ContentHash {
    let (width, height) = image.dimensions();
    let mut bytes = format!("{model} {width} {height} ").into_bytes();
    bytes.extend_from_slice(image.as_raw());
    ContentHash::of(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use catena_models::PixelBox;
    use catena_models::testing::{FixedSight, ocr_line};

    #[test]
    fn what_was_seen_is_not_looked_for_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let models = |text: &str| {
            let bbox = PixelBox {
                right: 40.0,
                bottom: 10.0,
                ..PixelBox::default()
            };
            let sight = Arc::new(FixedSight {
                lines: vec![ocr_line(text, bbox)],
                ..FixedSight::default()
            });
            let models = VisionModels::of(sight.clone(), sight.clone(), sight);
            cached(folder.path(), Arc::new(models)).expect("a cache")
        };
        let read = |models: &VisionModels, side: u32| {
            let ocr = models.ocr().expect("given");
            let lines = ocr.read(&RgbImage::new(side, 4)).expect("read");
            lines[0].text.clone()
        };
        assert_eq!(read(&models("first"), 8), "first");
        let second = models("second");
        assert_eq!(
            (read(&second, 8), read(&second, 9)),
            ("first".into(), "second".into())
        );
    }
}
