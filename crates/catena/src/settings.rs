//! The settings, each with where it comes from: a flag, else a variable of the environment, else
//! `catena.toml`, else the default.

mod file;
mod lookup;

use crate::failure::Failure;
use crate::output::Global;
use crate::retrieval;
use catena_engine::{EngineError, Prompts, Retrieval, STRATEGIES};
use catena_models::{ModelCache, ModelError};
use directories::ProjectDirs;
use file::File;
use lookup::{Lookup, number, path, price, text, yes};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The folder of a store in the folder of a project.
const PROJECT_STORE: &str = ".catena";
/// The file of settings.
const FILE: &str = "catena.toml";

/// A setting and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    /// The value.
    pub(crate) value: T,
    /// Where it comes from.
    pub(crate) origin: Origin,
}

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A flag of the command.
    Flag(String),
    /// A variable of the environment.
    Variable(String),
    /// This file.
    File(PathBuf),
    /// Nothing was set.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Variable(name) => f.write_str(name),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// All settings.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The store's folder.
    pub(crate) store: Setting<PathBuf>,
    /// A folder of models of the user's own.
    pub(crate) models: Setting<Option<PathBuf>>,
    /// The folder that models are fetched into; none where the user has no cache folder.
    pub(crate) model_cache: Setting<Option<PathBuf>>,
    /// The Python that fetches models.
    pub(crate) python: Setting<Option<PathBuf>>,
    /// Whether the network may not be used.
    pub(crate) offline: Setting<bool>,
    /// The address of a language model, before `/chat/completions`.
    pub(crate) llm_url: Setting<Option<String>>,
    /// The name of a language model.
    pub(crate) llm_model: Setting<Option<String>>,
    /// The key for it. Never printed.
    pub(crate) llm_key: Setting<Option<String>>,
    /// Seconds that an answer of the language model may take.
    pub(crate) llm_timeout: Setting<Option<usize>>,
    /// What a million tokens of prompts cost, in the currency of the bill.
    pub(crate) llm_prompt_price: Setting<Option<f64>>,
    /// What a million tokens of answers cost.
    pub(crate) llm_answer_price: Setting<Option<f64>>,
    /// A folder of instructions for language models, in the place of Catena's own.
    pub(crate) prompts: Setting<Option<PathBuf>>,
    /// How evidence is found.
    pub(crate) strategy: Setting<String>,
    /// Units of text found at most.
    pub(crate) text_budget: Setting<usize>,
    /// Figures and tables found at most.
    pub(crate) visual_budget: Setting<usize>,
    /// Calls of the language model for planning a search at most; 0 where none is planned.
    pub(crate) plan_calls: Setting<usize>,
}

/// The settings given as flags.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    store: Option<PathBuf>,
    config: Option<PathBuf>,
    offline: bool,
    strategy: Option<String>,
    text_budget: Option<usize>,
    visual_budget: Option<usize>,
    plan_calls: Option<usize>,
}

impl Flags {
    /// The flags of a command that are settings.
    pub(crate) fn new(global: &Global, retrieval: Option<&retrieval::Args>) -> Self {
        Self {
            store: global.store.clone(),
            config: global.config.clone(),
            offline: global.offline,
            strategy: retrieval.and_then(|args| args.strategy.clone()),
            text_budget: retrieval.and_then(|args| args.text_budget),
            visual_budget: retrieval.and_then(|args| args.visual_budget),
            plan_calls: retrieval.and_then(|args| args.plan_calls),
        }
    }
}

impl Settings {
    /// Looks everything up, once.
    pub(crate) fn resolve(flags: &Flags) -> Result<Self, Failure> {
        let folder = env::current_dir().unwrap_or_default();
        let environment = |name: &str| env::var_os(name);
        Self::resolve_from(flags, &folder, &environment)
    }

    fn resolve_from(
        flags: &Flags,
        folder: &Path,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Failure> {
        let file = match &flags.config {
            Some(path) => File::read(path)?,
            None => match find_file(folder) {
                Some(path) => File::read(&path)?,
                None => File::default(),
            },
        };
        let look = Lookup {
            environment,
            path: &file.path,
        };
        let keys = file.keys;
        let llm = keys.llm;
        let budgets = Retrieval::default();
        let user = ProjectDirs::from("", "", "catena");
        let cache = || user.as_ref().map(|user| user.cache_dir().join("models"));
        let strategy = STRATEGIES.first().map_or("", |strategy| strategy.name());
        let offline = flags.offline.then_some(true);
        Ok(Self {
            store: look
                .up("store", flags.store.clone(), keys.store, path)?
                .or_else(|| default_store(folder, user.as_ref())),
            models: look.up("models", None, keys.models, path)?,
            model_cache: look
                .up("model_cache", None, keys.model_cache, path)?
                .or(cache()),
            python: look.up("python", None, keys.python, path)?,
            offline: look
                .up("offline", offline, keys.offline, yes)?
                .or_else(|| false),
            llm_url: look.up("llm_url", None, llm.url, text)?,
            llm_model: look.up("llm_model", None, llm.model, text)?,
            llm_key: look.up("llm_key", None, llm.key, text)?,
            llm_timeout: look.up("llm_timeout", None, llm.timeout, number)?,
            llm_prompt_price: look.up("llm_prompt_price", None, llm.prompt_price, price)?,
            llm_answer_price: look.up("llm_answer_price", None, llm.answer_price, price)?,
            prompts: look.up("prompts", None, keys.prompts, path)?,
            strategy: look
                .up("strategy", flags.strategy.clone(), keys.strategy, text)?
                .or_else(|| strategy.to_owned()),
            text_budget: look
                .up("text_budget", flags.text_budget, keys.text_budget, number)?
                .or_else(|| budgets.text_budget),
            visual_budget: look
                .up(
                    "visual_budget",
                    flags.visual_budget,
                    keys.visual_budget,
                    number,
                )?
                .or_else(|| budgets.visual_budget),
            plan_calls: look
                .up("plan_calls", flags.plan_calls, keys.plan_calls, number)?
                .or_else(|| 0),
        })
    }

    /// What language models are told to do.
    pub(crate) fn prompts(&self) -> Result<Prompts, EngineError> {
        match &self.prompts.value {
            Some(folder) => Prompts::read(folder),
            None => Ok(Prompts::default()),
        }
    }

    /// Where models are.
    pub(crate) fn model_cache(&self) -> Result<ModelCache, ModelError> {
        let folder = self.model_cache.value.clone();
        Ok(ModelCache {
            folder: folder.ok_or(ModelError::NoCacheFolder)?,
            models: self.models.value.clone(),
            offline: self.offline.value,
        })
    }
}

/// The file of settings in a folder or one above, else the user's.
fn find_file(folder: &Path) -> Option<PathBuf> {
    let near = folder.ancestors().map(|folder| folder.join(FILE));
    let user = ProjectDirs::from("", "", "catena").map(|user| user.config_dir().join(FILE));
    near.chain(user).find(|path| path.is_file())
}

/// The store in a folder or one above, else the user's.
fn default_store(folder: &Path, user: Option<&ProjectDirs>) -> PathBuf {
    let mut near = folder.ancestors().map(|folder| folder.join(PROJECT_STORE));
    near.find(|path| path.is_dir()).unwrap_or_else(|| {
        user.map_or_else(
            || folder.join(PROJECT_STORE),
            |user| user.data_dir().join("store"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn settings(folder: &Path, flags: &Flags, set: &[(&str, &str)]) -> Result<Settings, Failure> {
        let set: Vec<(String, OsString)> = set
            .iter()
            .map(|(name, value)| ((*name).to_owned(), OsString::from(value)))
            .collect();
        let environment = |name: &str| {
            let found = set.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| value.clone())
        };
        Settings::resolve_from(flags, folder, &environment)
    }

    #[test]
    fn a_flag_wins_over_a_variable_over_the_file_over_the_default() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).expect("a folder");
        let file = folder.path().join(FILE);
        fs::write(&file, "text_budget = 3\n").expect("a file");
        let budget = |flags: &Flags, set: &[(&str, &str)]| {
            let setting = settings(&below, flags, set).expect("settings").text_budget;
            (setting.value, setting.origin)
        };
        let none = Flags::default();
        assert_eq!(budget(&none, &[]), (3, Origin::File(file.clone())));
        let set = [("CATENA_TEXT_BUDGET", "4")];
        let variable = Origin::Variable("CATENA_TEXT_BUDGET".to_owned());
        assert_eq!(budget(&none, &set), (4, variable));
        let flags = Flags {
            text_budget: Some(5),
            ..Flags::default()
        };
        let flag = Origin::Flag("--text-budget".to_owned());
        assert_eq!(budget(&flags, &set), (5, flag));
        fs::remove_file(file).expect("removed");
        assert_eq!(budget(&none, &[("CATENA_TEXT_BUDGET", "")]).0, 8);
    }

    #[test]
    fn bad_values_name_their_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = |set: &[(&str, &str)]| {
            let error = settings(folder.path(), &Flags::default(), set).expect_err("bad");
            error
                .to_string()
                .replace(&folder.path().display().to_string(), "DIR")
        };
        insta::assert_snapshot!(error(&[("CATENA_OFFLINE", "maybe")]), @"`maybe` is no value for `CATENA_OFFLINE`");
        let write = |text: &str| fs::write(folder.path().join(FILE), text).expect("a file");
        write("offline = true\n\ntext_buget = 3\n");
        insta::assert_snapshot!(error(&[]), @"`DIR/catena.toml`, line 3: unknown field `text_buget`, expected one of `store`, `models`, `model_cache`, `python`, `offline`, `strategy`, `text_budget`, `visual_budget`, `plan_calls`, `prompts`, `llm`");
        write("[llm]\nurl = 3\n");
        insta::assert_snapshot!(error(&[]), @"`DIR/catena.toml`, line 2: invalid type: integer `3`, expected a string");
        write("store = \n");
        insta::assert_snapshot!(error(&[]), @"`DIR/catena.toml`, line 1: string values must be quoted, expected literal string");
    }

    #[test]
    fn the_store_of_a_project_is_found_from_below() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).expect("a folder");
        fs::create_dir(folder.path().join(PROJECT_STORE)).expect("a folder");
        let found = settings(&below, &Flags::default(), &[]).expect("settings");
        assert_eq!(found.store.value, folder.path().join(PROJECT_STORE));
        fs::write(folder.path().join(FILE), "store = 'mine'\n").expect("a file");
        let found = settings(&below, &Flags::default(), &[]).expect("settings");
        assert_eq!(found.store.value, folder.path().join("mine"));
    }
}
