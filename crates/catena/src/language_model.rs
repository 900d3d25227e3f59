//! The language model that is set: on a server, or in this process.

use crate::failure::Failure;
use crate::output::Ui;
use crate::settings::{Setting, Settings};
use catena_models::{CHAT_MODELS, ChatModel, Ledger, ModelEntry, Role};
use std::path::Path;
use std::time::Duration;

/// What is set, and what answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LanguageModel<'a> {
    /// On a server.
    Server {
        /// Its address, before `/chat/completions`.
        url: &'a str,
        /// The model's name.
        model: &'a str,
    },
    /// In this process: one of the list.
    Listed(&'static ModelEntry),
    /// In this process: a GGUF file of the user's.
    File(&'a Path),
}

impl<'a> LanguageModel<'a> {
    /// What is set, if anything is.
    pub(crate) fn of(settings: &'a Settings) -> Result<Option<Self>, Failure> {
        let url = settings.llm_url.value.as_deref();
        let Some(model) = settings.llm_model.value.as_deref() else {
            return match url {
                None => Ok(None),
                Some(_) => Err(Failure::usage(
                    "a language model's address is set, but not its name",
                    "set `CATENA_LLM_MODEL`, or `model` below `[llm]` in `catena.toml`",
                )),
            };
        };
        if let Some(url) = url {
            return Ok(Some(Self::Server { url, model }));
        }
        let listed = ModelEntry::by_name(model).filter(|entry| entry.role == Role::Chat);
        let file = Path::new(model);
        let is_file = file
            .extension()
            .is_some_and(|extension| extension == "gguf");
        let found = listed.map(Self::Listed);
        match found.or(is_file.then_some(Self::File(file))) {
            Some(_) if !cfg!(feature = "llama") => Err(not_built()),
            Some(found) => Ok(Some(found)),
            None => {
                let names: Vec<&str> = CHAT_MODELS.iter().map(|entry| entry.name).collect();
                Err(Failure::usage(
                    "a language model's name is set, but not its address",
                    format!(
                        "set `CATENA_LLM_URL`, or `url` below `[llm]` in `catena.toml`; without \
                         it the model is {}, or the path of a GGUF file",
                        names.join(", ")
                    ),
                ))
            }
        }
    }
}

/// The language model, where one is set, its calls counted. One of the list is fetched where it is
/// not on this machine, unless the network may not be used.
pub(crate) fn language_model(settings: &Settings, ui: &Ui) -> Result<Option<Ledger>, Failure> {
    let timeout = settings.llm_timeout.value;
    let timeout = timeout.map(|seconds| Duration::from_secs(seconds as u64));
    match LanguageModel::of(settings)? {
        Some(LanguageModel::Server { url, model }) => {
            let key = settings.llm_key.value.clone();
            Ok(Some(Ledger::new(ChatModel::new(url, model, key, timeout))))
        }
        Some(found) => in_process(found, timeout, settings, ui),
        None => Ok(None),
    }
}

#[cfg(feature = "llama")]
fn in_process(
    found: LanguageModel<'_>,
    timeout: Option<Duration>,
    settings: &Settings,
    ui: &Ui,
) -> Result<Option<Ledger>, Failure> {
    use catena_models::Llama;

    let model = match found {
        LanguageModel::Listed(entry) => {
            let files = crate::model::located(&settings.model_cache()?, entry, settings, ui)?;
            Llama::of_files(&files, timeout)?
        }
        LanguageModel::File(path) => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            Llama::new(&name, path.to_owned(), timeout)
        }
        LanguageModel::Server { .. } => return Ok(None),
    };
    Ok(Some(Ledger::new(model)))
}

#[cfg(not(feature = "llama"))]
fn in_process(
    _: LanguageModel<'_>,
    _: Option<Duration>,
    _: &Settings,
    _: &Ui,
) -> Result<Option<Ledger>, Failure> {
    Err(not_built())
}

/// That a model is to run in this process, which was built without llama.cpp.
fn not_built() -> Failure {
    Failure::usage(
        "this build runs no language model itself",
        "build with `--features llama`, or set `CATENA_LLM_URL`",
    )
}

/// The language model that plans a search, where that is wanted.
pub(crate) fn planning_model(settings: &Settings, ui: &Ui) -> Result<Option<Ledger>, Failure> {
    check_planning(settings)?;
    match settings.plan_calls.value {
        0 => Ok(None),
        _ => language_model(settings, ui),
    }
}

/// Whether there is a language model where one is to plan.
pub(crate) fn check_planning(settings: &Settings) -> Result<(), Failure> {
    let Setting { value, origin } = &settings.plan_calls;
    if *value == 0 || LanguageModel::of(settings)?.is_some() {
        return Ok(());
    }
    Err(Failure::usage(
        format!("`plan_calls` is {value} ({origin}), but no language model is set"),
        "set `CATENA_LLM_URL` and `CATENA_LLM_MODEL`, or leave `plan_calls` at 0",
    ))
}
