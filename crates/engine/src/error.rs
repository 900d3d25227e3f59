//! What can go wrong between a file and an answer.

use catena_index::StoreError;
use catena_models::{ChatError, ModelError};
use catena_parse::ParseError;
use std::io;
use std::path::PathBuf;

/// Why something could not be added, found or answered; [`EngineError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A file could not be read from disk.
    #[error("cannot read `{path}`: {}", io_cause(cause))]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// A file could not be understood.
    #[error("cannot read `{path}`: {cause}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: ParseError,
    },
    /// A model is missing or failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A language model gave no whole answer.
    #[error(transparent)]
    LanguageModel(#[from] ChatError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no strategy of this name.
    #[error("no strategy `{0}`")]
    UnknownStrategy(String),
    /// The store's vectors belong to another embedder.
    #[error("the store was embedded by `{found}`, this program embeds by `{wanted}`")]
    OtherSpace {
        /// The store's space.
        found: String,
        /// The embedder's space.
        wanted: String,
    },
    /// A file of instructions for a language model belongs to no task.
    #[error("`{0}` is no instruction that Catena knows")]
    UnknownPrompt(PathBuf),
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl EngineError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::File { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                Some("check the path; quote it if it has spaces".to_owned())
            }
            Self::Parse { cause, .. } => cause.hint().map(str::to_owned),
            Self::Model(error) => error.hint().map(str::to_owned),
            Self::LanguageModel(error) => error.hint().map(str::to_owned),
            Self::Store(error) => error.hint().map(str::to_owned),
            Self::UnknownPrompt(_) => Some(
                "the files are `answer.txt`, `split.txt`, `hop.txt`, `extract.txt`, \
                 `follow-up.txt`"
                    .to_owned(),
            ),
            Self::UnknownStrategy(_) => {
                let names: Vec<_> = crate::STRATEGIES.iter().map(|s| s.name()).collect();
                Some(format!("the strategies are: {}", names.join(", ")))
            }
            Self::OtherSpace { .. } => {
                Some("run `catena reindex` to embed the store anew".to_owned())
            }
            Self::File { .. } | Self::Cancelled => None,
        }
    }
}

/// An I/O error in plain words where it has some.
fn io_cause(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
