//! What can go wrong with a store.

use crate::input::UnitKey;
use catena_document::{ContentHash, DocumentId, View};
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of an operation on a store.
pub type Result<T> = std::result::Result<T, StoreError>;

/// What can go wrong with a store; [`StoreError::hint`] says what a person can do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store at this path.
    #[error("`{0}` is not a Catena store")]
    NotAStore(PathBuf),
    /// The path is a file.
    #[error("`{0}` is not a directory")]
    NotADirectory(PathBuf),
    /// The store was written by a later version of the program.
    #[error("the store `{path}` has format {found}, this program knows format {known}")]
    NewerFormat {
        /// The store.
        path: PathBuf,
        /// The store's format.
        found: u32,
        /// The newest format that this program knows.
        known: u32,
    },
    /// The store was written by an earlier version of the program, in a form that is read no more.
    #[error("the store `{path}` has format {found}, this program reads format {known}")]
    OlderFormat {
        /// The store.
        path: PathBuf,
        /// The store's format.
        found: u32,
        /// The format that this program reads.
        known: u32,
    },
    /// Another process writes to the store.
    #[error("the store `{path}` is being written by {}", holder(*process))]
    Locked {
        /// The store.
        path: PathBuf,
        /// The process that writes, where it is known.
        process: Option<u32>,
    },
    /// The store was not closed cleanly and cannot be repaired from here.
    #[error("the store `{0}` was not closed cleanly and must be repaired")]
    NeedsRepair(PathBuf),
    /// No whole state of the store could be read in time.
    #[error("the store `{0}` changes too fast or is being rebuilt")]
    Busy(PathBuf),
    /// The device of the store is full. What was committed before is safe.
    #[error("no space left on the device of the store")]
    DiskFull(#[source] Cause),
    /// A file cannot be read or written.
    #[error("cannot access `{path}`: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        cause: io::Error,
    },
    /// Stored data cannot be read.
    #[error("{what} cannot be read: {cause}")]
    Damaged {
        /// Which part of the store.
        what: Part,
        /// Why not.
        #[source]
        cause: Cause,
    },
    /// An earlier write failed, so that this writer cannot go on.
    #[error("an earlier write to the store failed")]
    Failed,
    /// What was to be added contradicts itself.
    #[error("invalid document: {0}")]
    Invalid(String),
    /// There is no document of this name.
    #[error("no document `{}` in the store", .0.short())]
    UnknownDocument(DocumentId),
    /// The document has no such view.
    #[error("document `{}` has no view `{view:?}`", .document.short())]
    UnknownView {
        /// The document.
        document: DocumentId,
        /// The view.
        view: View,
    },
    /// There is no such unit, or not any more.
    #[error("no unit {} in view `{:?}` of insertion {}", .0.ordinal, .0.view, .0.seq)]
    UnknownUnit(UnitKey),
    /// There is no vector space of this name.
    #[error("no vector space `{0}` in the store")]
    UnknownSpace(String),
    /// A vector has not the dimension of its space.
    #[error("a vector of dimension {found} for space `{space}` of dimension {expected}")]
    WrongDimension {
        /// The space.
        space: String,
        /// The space's dimension.
        expected: u32,
        /// The vector's dimension.
        found: u32,
    },
    /// A linked source is no longer the file that was added.
    #[error("the linked source `{0}` has changed")]
    SourceChanged(PathBuf),
    /// A source or asset is not where it was.
    #[error("the file `{0}` is missing")]
    SourceMissing(PathBuf),
    /// There is no asset of this hash.
    #[error("no asset `{}` in the store", .0.short())]
    UnknownAsset(ContentHash),
}

/// A part of the store, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The database that holds the truth.
    Truth,
    /// The full-text index.
    Text,
    /// The vector segments.
    Vectors,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truth => "the store's database",
            Self::Text => "the text index",
            Self::Vectors => "the vector index",
        })
    }
}

/// The error of a library below.
pub struct Cause(Box<dyn Error + Send + Sync>);

impl Cause {
    pub(crate) fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

fn holder(process: Option<u32>) -> String {
    process.map_or_else(
        || "another process".to_owned(),
        |id| format!("process {id}"),
    )
}

impl StoreError {
    /// What a person can do about it, if anything.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotAStore(_) => {
                "add a document to create a store, or name another with `--store`"
            }
            Self::NotADirectory(_) => "name a directory with `--store`",
            Self::NewerFormat { .. } => "update the program",
            Self::OlderFormat { .. } => {
                "move the folder away and add the documents again: their files are in its `sources`"
            }
            Self::Locked { .. } => "wait until that process has finished, or stop it",
            Self::NeedsRepair(_) => "open it once where it can be written",
            Self::Busy(_) => "try again in a moment",
            Self::DiskFull(_) => "free some space, then run the same command again",
            Self::Io { cause, .. } if is_refused(cause) => {
                "check the permissions of the store's directory"
            }
            Self::Damaged {
                what: Part::Truth, ..
            } => "restore the store from a backup, or add the documents to a new one",
            Self::Damaged { .. } => "run `catena health`; the index is rebuilt from the documents",
            Self::Failed => "open the store again; what was committed is safe",
            Self::SourceChanged(_) => "add the file again",
            Self::SourceMissing(_) => "put the file back, or add it again",
            _ => return None,
        })
    }

    /// An error of a file operation on `path`.
    pub(crate) fn io(path: impl AsRef<Path>, cause: io::Error) -> Self {
        if is_full(&cause) {
            return Self::DiskFull(Cause::new(cause));
        }
        Self::Io {
            path: path.as_ref().to_owned(),
            cause,
        }
    }

    /// A part of the store that cannot be read.
    pub(crate) fn damaged(what: Part, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Damaged {
            what,
            cause: Cause::new(cause),
        }
    }

    /// Whether opening the store for writing could mend this.
    pub(crate) fn is_mendable(&self) -> bool {
        match self {
            Self::NeedsRepair(_) | Self::Busy(_) => true,
            Self::Damaged { what, .. } => *what != Part::Truth,
            _ => false,
        }
    }
}

/// Whether a file could not be written or read for want of permission.
pub(crate) fn is_refused(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

impl From<redb::Error> for StoreError {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::Io(cause) if is_full(&cause) => Self::DiskFull(Cause::new(cause)),
            redb::Error::PreviousIo => Self::Failed,
            other => Self::damaged(Part::Truth, other),
        }
    }
}

/// redb has an error type for each operation; all of them are cases of [`redb::Error`].
macro_rules! from_redb {
    ($($error:ident),*) => {$(
        impl From<redb::$error> for StoreError {
            fn from(error: redb::$error) -> Self {
                redb::Error::from(error).into()
            }
        }
    )*};
}
from_redb!(
    StorageError,
    TableError,
    TransactionError,
    CommitError,
    DatabaseError
);

impl From<postcard::Error> for StoreError {
    fn from(error: postcard::Error) -> Self {
        Self::damaged(Part::Truth, error)
    }
}

impl From<tantivy::TantivyError> for StoreError {
    fn from(error: tantivy::TantivyError) -> Self {
        use tantivy::TantivyError as T;
        use tantivy::directory::error::{LockError, OpenReadError, OpenWriteError};
        let cause = match &error {
            T::IoError(cause)
            | T::OpenReadError(OpenReadError::IoError {
                io_error: cause, ..
            })
            | T::OpenWriteError(OpenWriteError::IoError {
                io_error: cause, ..
            })
            | T::LockFailure(LockError::IoError(cause), _) => Some(cause),
            _ => None,
        };
        // Some errors keep only the text of their cause, or have it deep inside.
        let text = format!("{error} {error:?}");
        let told = ["os error 28", "os error 112", "StorageFull"];
        let full = cause.is_some_and(|cause| is_full(cause))
            || told.iter().any(|words| text.contains(words));
        if full {
            return Self::DiskFull(Cause::new(error));
        }
        Self::damaged(Part::Text, error)
    }
}
