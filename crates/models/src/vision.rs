//! The models that read pictures, together.

use crate::{
    LAYOUT, Layout, ModelCache, ModelError, OCR, Ocr, PaddleOcr, PicoDet, SlaNet, TABLE,
    TableStructure,
};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The models that read pictures, each loaded when it is first asked for.
pub struct VisionModels {
    /// Where they are loaded from; none where they were given.
    cache: Option<ModelCache>,
    ocr: Mutex<Option<Arc<dyn Ocr>>>,
    layout: Mutex<Option<Arc<dyn Layout>>>,
    table: Mutex<Option<Arc<dyn TableStructure>>>,
}

impl VisionModels {
    /// Those of a cache.
    pub fn new(cache: ModelCache) -> Self {
        Self {
            cache: Some(cache),
            ocr: Mutex::default(),
            layout: Mutex::default(),
            table: Mutex::default(),
        }
    }

    /// These.
    pub fn of(ocr: Arc<dyn Ocr>, layout: Arc<dyn Layout>, table: Arc<dyn TableStructure>) -> Self {
        Self {
            cache: None,
            ocr: Mutex::new(Some(ocr)),
            layout: Mutex::new(Some(layout)),
            table: Mutex::new(Some(table)),
        }
    }

    /// Whether all of them are on this machine.
    ///
    /// # Errors
    /// [`ModelError::Missing`] for the first that is not, or as [`ModelCache::locate`].
    pub fn check(&self) -> Result<(), ModelError> {
        let Some(cache) = &self.cache else {
            return Ok(());
        };
        for entry in [&OCR, &LAYOUT, &TABLE] {
            cache.locate(entry)?;
        }
        Ok(())
    }

    /// What reads text.
    ///
    /// # Errors
    /// [`ModelError::Missing`] where its files are not on this machine, [`ModelError::Load`].
    pub fn ocr(&self) -> Result<Arc<dyn Ocr>, ModelError> {
        get(&self.ocr, self.cache.as_ref(), |cache| {
            Ok(Arc::new(PaddleOcr::load(&cache.locate(&OCR)?)?))
        })
    }

    /// What finds the regions of a page.
    ///
    /// # Errors
    /// As [`VisionModels::ocr`].
    pub fn layout(&self) -> Result<Arc<dyn Layout>, ModelError> {
        get(&self.layout, self.cache.as_ref(), |cache| {
            Ok(Arc::new(PicoDet::load(&cache.locate(&LAYOUT)?)?))
        })
    }

    /// What finds the cells of a table.
    ///
    /// # Errors
    /// As [`VisionModels::ocr`].
    pub fn table(&self) -> Result<Arc<dyn TableStructure>, ModelError> {
        get(&self.table, self.cache.as_ref(), |cache| {
            Ok(Arc::new(SlaNet::load(&cache.locate(&TABLE)?)?))
        })
    }
}

impl fmt::Debug for VisionModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VisionModels")
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}

/// A model that is there, else loaded and kept.
fn get<M: ?Sized>(
    kept: &Mutex<Option<Arc<M>>>,
    cache: Option<&ModelCache>,
    load: impl FnOnce(&ModelCache) -> Result<Arc<M>, ModelError>,
) -> Result<Arc<M>, ModelError> {
    // What another thread left after a panic is a whole model or none.
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    match (&*kept, cache) {
        (Some(model), _) => Ok(Arc::clone(model)),
        (None, Some(cache)) => Ok(Arc::clone(kept.insert(load(cache)?))),
        (None, None) => Err(ModelError::NoCacheFolder),
    }
}
