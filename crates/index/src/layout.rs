//! Where the files of a store are, and how they are written so that a crash leaves no half file.

use crate::error::{Result, StoreError};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The format that this program reads and writes.
///
/// It changes whenever the bytes of a table do, also when a type of `catena-document` changes.
pub(crate) const FORMAT: u32 = 4;

const MARK: &str = "catena store, format ";

/// The extension of a file that is not whole yet.
pub(crate) const TEMPORARY: &str = "tmp";

/// The paths of a store.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The store at `root`, which must exist.
    pub(crate) fn existing(root: &Path) -> Result<Self> {
        let layout = Self {
            root: root.to_owned(),
        };
        match fs::read_to_string(layout.mark()) {
            Ok(text) => layout.check_format(&text)?,
            Err(error) => return Err(layout.absent(error)),
        }
        Ok(layout)
    }

    /// The store at `root`, which is begun there if the directory is empty or absent.
    pub(crate) fn existing_or_new(root: &Path) -> Result<Self> {
        let missing = match Self::existing(root) {
            Err(StoreError::NotAStore(_)) => !root.exists() || is_empty(root)?,
            found => return found,
        };
        if !missing {
            return Err(StoreError::NotAStore(root.to_owned()));
        }
        fs::create_dir_all(root).map_err(|error| StoreError::io(root, error))?;
        let layout = Self {
            root: root.to_owned(),
        };
        write_atomic(&layout.mark(), format!("{MARK}{FORMAT}\n").as_bytes())?;
        Ok(layout)
    }

    fn check_format(&self, text: &str) -> Result<()> {
        let found: Option<u32> = text
            .strip_prefix(MARK)
            .and_then(|rest| rest.trim().parse().ok());
        match found {
            Some(found) if found > FORMAT => Err(StoreError::NewerFormat {
                path: self.root.clone(),
                found,
                known: FORMAT,
            }),
            Some(found) if found < FORMAT => Err(StoreError::OlderFormat {
                path: self.root.clone(),
                found,
                known: FORMAT,
            }),
            Some(_) => Ok(()),
            None => Err(StoreError::NotAStore(self.root.clone())),
        }
    }

    fn absent(&self, error: io::Error) -> StoreError {
        if self.root.is_file() {
            return StoreError::NotADirectory(self.root.clone());
        }
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::InvalidData | io::ErrorKind::IsADirectory => {
                StoreError::NotAStore(self.root.clone())
            }
            io::ErrorKind::NotADirectory => StoreError::NotADirectory(self.root.clone()),
            _ => StoreError::io(self.mark(), error),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    fn mark(&self) -> PathBuf {
        self.root.join("catena-store")
    }

    pub(crate) fn truth(&self) -> PathBuf {
        self.root.join("truth.redb")
    }

    pub(crate) fn text(&self) -> PathBuf {
        self.root.join("text")
    }

    /// Where a text index is rebuilt before it takes the place of the old one.
    pub(crate) fn text_rebuilt(&self) -> PathBuf {
        self.root.join("text.tmp")
    }

    pub(crate) fn vectors(&self) -> PathBuf {
        self.root.join("vectors")
    }

    pub(crate) fn sources(&self) -> PathBuf {
        self.root.join("sources")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.root.join("writer.lock")
    }
}

fn is_empty(path: &Path) -> Result<bool> {
    let mut entries = fs::read_dir(path).map_err(|error| StoreError::io(path, error))?;
    Ok(entries.next().is_none())
}

/// Writes a file so that it is there whole and durably, or not at all.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    write_file(path, |file| file.write_all(bytes))?;
    sync_dir(path.parent().unwrap_or(path))
}

/// Writes a file under a temporary name, syncs it, and gives it its name. The name itself is
/// durable only once its directory is synced.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut io::BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    let temporary = temporary(path);
    let written = (|| {
        let mut out = io::BufWriter::with_capacity(1 << 16, File::create(&temporary)?);
        fill(&mut out)?;
        let out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        out.sync_all()?;
        drop(out);
        fs::rename(&temporary, path)
    })();
    written.map_err(|error| {
        // It may not be there; and if it stays, the next writer removes it.
        let _ = fs::remove_file(&temporary);
        StoreError::io(path, error)
    })
}

fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.{TEMPORARY}", std::process::id()));
    PathBuf::from(name)
}

pub(crate) fn is_temporary(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(TEMPORARY))
}

/// Makes the names in a directory durable.
pub(crate) fn sync_dir(path: &Path) -> Result<()> {
    if cfg!(unix) {
        let synced = File::open(path).and_then(|dir| dir.sync_all());
        synced.map_err(|error| StoreError::io(path, error))?;
    }
    Ok(())
}

/// The entries of a directory; none where it does not exist.
pub(crate) fn entries(path: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| StoreError::io(path, error);
    match fs::read_dir(path) {
        Ok(entries) => entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()
            .map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(failed(error)),
    }
}

/// Removes a file or directory that is no longer wanted. One that cannot be removed (on Windows
/// while it is mapped) is left to the next writer.
pub(crate) fn discard(path: &Path) {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    if let Err(error) = removed
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(path = %path.display(), %error, "left a file behind");
    }
}

/// Bytes of all files below a path.
pub(crate) fn size_below(path: &Path) -> u64 {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return 0;
    };
    if !meta.is_dir() {
        return meta.len();
    }
    let below = entries(path).unwrap_or_default();
    below.iter().map(|path| size_below(path)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: Result<Layout>) -> String {
        let error = result.unwrap_err();
        let text = error.to_string();
        let root = text.split('`').nth(1).unwrap_or_default().to_owned();
        let text = text.replace(&root, "S");
        format!("{text}; {}", error.hint().unwrap_or("-"))
    }

    #[test]
    fn a_store_is_told_from_what_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("s");
        insta::assert_snapshot!(message(Layout::existing(&root)), @"`S` is not a Catena store; add a document to create a store, or name another with `--store`");
        Layout::existing_or_new(&root).unwrap();
        Layout::existing(&root).unwrap();

        fs::write(root.join("catena-store"), "catena store, format 7\n").unwrap();
        insta::assert_snapshot!(message(Layout::existing_or_new(&root)), @"the store `S` has format 7, this program knows format 4; update the program");
        fs::write(root.join("catena-store"), b"\xff\x00").unwrap();
        insta::assert_snapshot!(message(Layout::existing_or_new(&root)), @"`S` is not a Catena store; add a document to create a store, or name another with `--store`");

        // A directory of someone else is never written into.
        let other = dir.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("letter.txt"), "Dear").unwrap();
        insta::assert_snapshot!(message(Layout::existing_or_new(&other)), @"`S` is not a Catena store; add a document to create a store, or name another with `--store`");
        let file = other.join("letter.txt");
        insta::assert_snapshot!(message(Layout::existing_or_new(&file)), @"`S` is not a directory; name a directory with `--store`");
        insta::assert_snapshot!(message(Layout::existing_or_new(&file.join("x"))), @"`S` is not a directory; name a directory with `--store`");
    }
}
