//! What ends a command, and with which exit code.

use catena_engine::EngineError;
use catena_eval::EvalError;
use catena_index::StoreError;
use catena_models::ModelError;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is done.
    Done,
    /// There is no evidence, or some inputs failed, each of which was named.
    Partly,
    /// Wrong usage or an error.
    Failed,
    /// It was interrupted.
    Interrupted,
}

impl Exit {
    /// Its number.
    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::Partly => 1,
            Self::Failed => 2,
            Self::Interrupted => 130,
        })
    }
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Adding or answering failed.
    #[error(transparent)]
    Engine(EngineError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A model is missing or failed.
    #[error(transparent)]
    Model(ModelError),
    /// An evaluation failed.
    #[error(transparent)]
    Eval(EvalError),
    /// Something was asked for that is not there or makes no sense.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A file could not be read or written.
    #[error("cannot {action} `{}`: {}", path.display(), plain(cause))]
    File {
        /// What was tried: "read", "write".
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        cause: io::Error,
    },
    /// The result could not be written out.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// The user stopped it.
    #[error("stopped")]
    Stopped,
}

impl Failure {
    /// A mistake of the user, with what to do about it.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage {
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    /// A file that could not be read or written.
    pub(crate) fn file(action: &'static str, path: &Path, cause: io::Error) -> Self {
        Self::File {
            action,
            path: path.to_owned(),
            cause,
        }
    }

    /// What a person can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::Store(error) => error.hint().map(str::to_owned),
            Self::Model(error) => error.hint().map(str::to_owned),
            Self::Eval(error) => error.hint(),
            Self::Usage { hint, .. } => hint.clone(),
            Self::File { .. } | Self::Output(_) | Self::Stopped => None,
        }
    }

    /// The cause in the words of a library below, where the message does not hold it already.
    pub(crate) fn detail(&self) -> Option<String> {
        match self {
            Self::Model(error) => error.source().map(ToString::to_string),
            _ => None,
        }
    }

    /// How the command ends that failed so.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Stopped => Exit::Interrupted,
            // Whoever closes the pipe has seen enough.
            Self::Output(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            _ => Exit::Failed,
        }
    }
}

/// An error of the system in plain words where it has some.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Model(error) => error.into(),
            EngineError::Store(error) => error.into(),
            EngineError::Cancelled => Self::Stopped,
            other => Self::Engine(other),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Cancelled => Self::Stopped,
            other => Self::Model(other),
        }
    }
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        match error {
            EvalError::Engine(error) => error.into(),
            EvalError::Cancelled => Self::Stopped,
            other => Self::Eval(other),
        }
    }
}
