//! What can go wrong in an evaluation.

use catena_engine::EngineError;
use catena_index::StoreError;
use catena_models::ModelError;
use std::io;
use std::path::{Path, PathBuf};

/// The cause of an error of a library below.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why an evaluation could not be done; [`EvalError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A file or folder could not be read or written.
    #[error("cannot {action} `{}`: {cause}", path.display())]
    File {
        /// What was tried: "read", "write".
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        #[source]
        cause: io::Error,
    },
    /// A file of a data set is missing.
    #[error("`{}` is missing: {what}", path.display())]
    Missing {
        /// The file or folder that was expected.
        path: PathBuf,
        /// What it should hold.
        what: String,
    },
    /// A file of a data set is not as expected.
    #[error("`{}`{}: {what}", path.display(), line_text(*line))]
    Data {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where the file has a record a line.
        line: Option<usize>,
        /// What is wrong, and what was expected.
        what: String,
    },
    /// There is no data set of this name.
    #[error("no data set `{0}`")]
    UnknownDataset(String),
    /// There is no check of this name.
    #[error("no check `{0}`")]
    UnknownCheck(String),
    /// The earlier run has none of the systems of this one.
    #[error("the run `{}` has none of the systems of this run: it has {found}", path.display())]
    NothingToCompare {
        /// The run file.
        path: PathBuf,
        /// The systems that it has.
        found: String,
    },
    /// The work folder is in use by another evaluation.
    #[error("the work folder `{}` is in use by another evaluation", .0.display())]
    InUse(PathBuf),
    /// The cache of embeddings failed.
    #[error("the cache of embeddings `{}` cannot be used: {cause}", path.display())]
    Cache {
        /// The cache's file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: Cause,
    },
    /// Adding or retrieving failed.
    #[error(transparent)]
    Engine(EngineError),
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl EvalError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::File { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                Some("check the path; quote it if it has spaces".to_owned())
            }
            Self::Missing { .. } | Self::Data { .. } => {
                Some("give the folder of the data set as it was published".to_owned())
            }
            Self::UnknownCheck(_) => {
                let names = crate::Check::ALL.map(crate::Check::name);
                Some(format!("the checks are: {}", names.join(", ")))
            }
            Self::UnknownDataset(_) => Some("the data sets are: musique, hotpotqa".to_owned()),
            Self::NothingToCompare { .. } => {
                Some("name one of its systems with `--strategy`".to_owned())
            }
            Self::InUse(_) => {
                Some("wait until it has finished, or give another folder with `--work`".to_owned())
            }
            Self::Cache { path, .. } => Some(format!(
                "remove `{}`: it is made again, which embeds all texts anew",
                path.display()
            )),
            Self::Engine(error) => error.hint(),
            Self::Cancelled => Some("run it again: what was built is kept".to_owned()),
            Self::File { .. } => None,
        }
    }

    pub(crate) fn file(action: &'static str, path: &Path, cause: io::Error) -> Self {
        Self::File {
            action,
            path: path.to_owned(),
            cause,
        }
    }

    pub(crate) fn data(path: &Path, line: Option<usize>, what: impl Into<String>) -> Self {
        Self::Data {
            path: path.to_owned(),
            line,
            what: what.into(),
        }
    }

    pub(crate) fn cache(path: &Path, cause: impl Into<Cause>) -> Self {
        Self::Cache {
            path: path.to_owned(),
            cause: cause.into(),
        }
    }
}

impl From<EngineError> for EvalError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Cancelled => Self::Cancelled,
            EngineError::Store(StoreError::Locked { path, .. }) => Self::InUse(path),
            error => Self::Engine(error),
        }
    }
}

impl From<StoreError> for EvalError {
    fn from(error: StoreError) -> Self {
        EngineError::from(error).into()
    }
}

impl From<ModelError> for EvalError {
    fn from(error: ModelError) -> Self {
        EngineError::from(error).into()
    }
}

fn line_text(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(" line {line}"))
}
