//! What an evaluation is told and works with.

use crate::EvalError;
use catena_engine::{Mode, Prompts, STRATEGIES, Strategy, by_name};
use catena_models::{Embedder, VisionModels};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to evaluate, and where to keep what is made on the way.
#[derive(Clone, Debug)]
pub struct EvalOptions {
    /// The strategies by name, the one in question first: the others are compared with it. None
    /// stands for the default strategy.
    pub strategies: Vec<String>,
    /// The folder that keeps stores and embeddings for later runs.
    pub work: PathBuf,
    /// Where to write what was found for every question, a [`Record`](crate::Record) a line.
    pub run: Option<PathBuf>,
    /// The run file of an earlier run to compare with.
    pub compare: Option<PathBuf>,
}

impl EvalOptions {
    /// The strategies, each once.
    pub(crate) fn resolve(&self) -> Result<Vec<&'static dyn Strategy>, EvalError> {
        if self.strategies.is_empty() {
            return Ok(STRATEGIES[..1].to_vec());
        }
        let mut out: Vec<&'static dyn Strategy> = Vec::new();
        for name in &self.strategies {
            let strategy = by_name(name)?;
            if out.iter().all(|have| have.name() != strategy.name()) {
                out.push(strategy);
            }
        }
        Ok(out)
    }
}

/// The ways to answer that are evaluated.
#[derive(Clone)]
pub struct Answering<'a> {
    /// How answers are made, the way in question first: the others are compared with it.
    pub modes: Vec<Mode<'a>>,
    /// What a language model is told to do.
    pub prompts: &'a Prompts,
    /// At most so many questions are asked, spread evenly; all where this is `None`.
    pub questions: Option<usize>,
}

/// The work folder where none is named: `catena/eval` in the user's cache folder. `None` where
/// this user has no cache folder.
pub fn default_work_folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "catena")?;
    Some(folders.cache_dir().join("eval"))
}

/// What an evaluation works with.
pub struct Tools<'a> {
    /// Embeds what is not in the work folder yet.
    pub embedder: Arc<dyn Embedder>,
    /// The models that read pictures, where those are to be read.
    pub vision: Option<Arc<VisionModels>>,
    /// Told how far the work has come.
    pub progress: &'a mut dyn FnMut(Progress<'_>),
    /// Set to true, it stops the work at the next step.
    pub cancel: &'a AtomicBool,
}

impl Tools<'_> {
    pub(crate) fn check_cancelled(&self) -> Result<(), EvalError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(EvalError::Cancelled);
        }
        Ok(())
    }
}

/// How far an evaluation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Which document it is at, from 1.
    pub document: usize,
    /// The documents of the set.
    pub documents: usize,
    /// The document's name.
    pub name: &'a str,
    /// What is being done.
    pub step: Step,
}

/// What is being done with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is being read.
    Reading,
    /// So many of so many of its texts are embedded.
    Embedding(usize, usize),
    /// So many of so many of its questions are asked.
    Asking(usize, usize),
}

impl From<catena_engine::Stage> for Step {
    fn from(stage: catena_engine::Stage) -> Self {
        match stage {
            catena_engine::Stage::Reading | catena_engine::Stage::Picture(..) => Self::Reading,
            catena_engine::Stage::Embedding(done, total) => Self::Embedding(done, total),
        }
    }
}
