//! What the models saw on pictures, kept so that no picture is looked at twice.

use crate::{
    LAYOUT, Layout, LayoutRegion, ModelEntry, ModelError, OCR, Ocr, OcrLine, TABLE, TableCells,
    TableStructure, VisionModels,
};
use image::RgbImage;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Where it is kept what models saw.
pub trait VisionStore: Send + Sync {
    /// What was kept under a key.
    ///
    /// # Errors
    /// [`ModelError::Io`].
    fn get(&self, key: &[u8; 32]) -> Result<Option<Vec<u8>>, ModelError>;

    /// Keeps something under a key.
    ///
    /// # Errors
    /// [`ModelError::Io`].
    fn put(&self, key: &[u8; 32], seen: &[u8]) -> Result<(), ModelError>;
}

impl VisionModels {
    /// These models, asked only for pictures of which `store` does not know what they saw.
    #[must_use]
    pub fn behind(self: Arc<Self>, store: Arc<dyn VisionStore>) -> Self {
        let cached = Arc::new(Cached { inner: self, store });
        Self::of(cached.clone(), cached.clone(), cached)
    }
}

struct Cached {
    inner: Arc<VisionModels>,
    store: Arc<dyn VisionStore>,
}

impl Cached {
    fn seen<T: Serialize + DeserializeOwned>(
        &self,
        model: &ModelEntry,
        image: &RgbImage,
        see: impl FnOnce() -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        let key = key(model, image);
        // What an older version kept in another form is looked at again.
        if let Some(kept) = self.store.get(&key)?
            && let Ok(seen) = postcard::from_bytes(&kept)
        {
            return Ok(seen);
        }
        let seen = see()?;
        let bytes = postcard::to_stdvec(&seen).map_err(|source| ModelError::Run {
            model: model.name,
            source: source.into(),
        })?;
        self.store.put(&key, &bytes)?;
        Ok(seen)
    }
}

impl Ocr for Cached {
    fn read(&self, image: &RgbImage) -> Result<Vec<OcrLine>, ModelError> {
        self.seen(&OCR, image, || self.inner.ocr()?.read(image))
    }
}

impl Layout for Cached {
    fn find(&self, image: &RgbImage) -> Result<Vec<LayoutRegion>, ModelError> {
        self.seen(&LAYOUT, image, || self.inner.layout()?.find(image))
    }
}

impl TableStructure for Cached {
    fn cells(&self, image: &RgbImage) -> Result<TableCells, ModelError> {
        self.seen(&TABLE, image, || self.inner.table()?.cells(image))
    }
}

/// The hash of a model and a picture's pixels. The model's files are released together, so that the
/// first one's hash stands for all.
fn key(model: &ModelEntry, image: &RgbImage) -> [u8; 32] {
    let version = model.files.first().map_or(model.name, |file| file.sha256);
    let mut hash = Sha256::new();
    hash.update(format!("{version} {} {} ", image.width(), image.height()));
    hash.update(image.as_raw());
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PixelBox;
    use crate::testing::{FixedSight, ocr_line};
    use std::collections::HashMap;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Kept(Mutex<HashMap<[u8; 32], Vec<u8>>>);

    impl VisionStore for Kept {
        fn get(&self, key: &[u8; 32]) -> Result<Option<Vec<u8>>, ModelError> {
            Ok(self.0.lock().expect("whole").get(key).cloned())
        }

        fn put(&self, key: &[u8; 32], seen: &[u8]) -> Result<(), ModelError> {
            self.0.lock().expect("whole").insert(*key, seen.to_vec());
            Ok(())
        }
    }

    #[test]
    fn what_was_seen_is_not_looked_for_again() {
        let kept = Arc::new(Kept::default());
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
            Arc::new(models).behind(kept.clone())
        };
        let read = |models: &VisionModels, side: u32| {
            let lines = models.ocr().expect("given").read(&RgbImage::new(side, 4));
            lines.expect("read").remove(0).text
        };
        assert_eq!(read(&models("first"), 8), "first");
        assert_eq!(read(&models("second"), 8), "first");
        assert_eq!(read(&models("second"), 9), "second");
        let layout = models("third").layout().expect("given");
        assert_eq!(layout.find(&RgbImage::new(8, 4)).expect("found"), []);
    }
}
