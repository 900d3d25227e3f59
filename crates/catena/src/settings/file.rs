//! `catena.toml`.

use crate::failure::Failure;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// A file that was read, or none.
#[derive(Debug, Default)]
pub(super) struct File {
    /// Where it is; empty where there is none.
    pub(super) path: PathBuf,
    /// What it sets.
    pub(super) keys: Keys,
}

/// The keys of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Keys {
    pub(super) store: Option<PathBuf>,
    pub(super) models: Option<PathBuf>,
    pub(super) model_cache: Option<PathBuf>,
    pub(super) python: Option<PathBuf>,
    pub(super) offline: Option<bool>,
    pub(super) strategy: Option<String>,
    pub(super) text_budget: Option<usize>,
    pub(super) visual_budget: Option<usize>,
    pub(super) plan_calls: Option<usize>,
    pub(super) prompts: Option<PathBuf>,
    pub(super) llm: Llm,
}

/// The table `[llm]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Llm {
    pub(super) url: Option<String>,
    pub(super) model: Option<String>,
    pub(super) key: Option<String>,
    pub(super) timeout: Option<usize>,
    pub(super) prompt_price: Option<f64>,
    pub(super) answer_price: Option<f64>,
}

impl File {
    /// Reads a file. Paths in it are as from its folder.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path).map_err(|cause| Failure::file("read", path, cause))?;
        let mut keys: Keys = toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.get(..start).unwrap_or(&text).split('\n').count();
            let message = error.message();
            Failure::Usage {
                message: format!("`{}`, line {line}: {message}", path.display()),
                hint: None,
            }
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let folders = [
            &mut keys.store,
            &mut keys.models,
            &mut keys.model_cache,
            &mut keys.prompts,
        ];
        for relative in folders.into_iter().flatten() {
            *relative = folder.join(&*relative);
        }
        // A bare name is looked up in PATH.
        if let Some(python) = &mut keys.python
            && python.components().nth(1).is_some()
        {
            *python = folder.join(&*python);
        }
        Ok(Self {
            path: path.to_owned(),
            keys,
        })
    }
}
