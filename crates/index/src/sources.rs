//! The files of sources and assets, each kept once under the hash of its content.

use crate::error::{Result, StoreError};
use crate::layout::{self, Layout, discard, entries, is_temporary};
use crate::tables::Link;
use catena_document::ContentHash;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The directory of kept files.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    root: PathBuf,
}

impl Sources {
    pub(crate) fn new(layout: &Layout) -> Self {
        Self {
            root: layout.sources(),
        }
    }

    fn path(&self, hash: &ContentHash) -> PathBuf {
        let name = hash.to_string();
        self.root.join(&name[..2]).join(name)
    }

    /// Whether a file of this hash is kept.
    pub(crate) fn has(&self, hash: &ContentHash) -> bool {
        self.path(hash).is_file()
    }

    /// The bytes of a kept file.
    pub(crate) fn read(&self, hash: &ContentHash) -> Result<Vec<u8>> {
        let path = self.path(hash);
        read(&path)
    }

    /// Removes a kept file that nothing refers to.
    pub(crate) fn delete(&self, hash: &ContentHash) {
        discard(&self.path(hash));
    }

    /// Removes what a writer that died has left: half files, and files that nothing refers to.
    pub(crate) fn sweep(&self, is_used: impl Fn(&ContentHash) -> Result<bool>) -> Result<()> {
        for folder in entries(&self.root)? {
            for path in entries(&folder)? {
                let hash = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .and_then(|name| name.parse().ok());
                let unused = match &hash {
                    Some(hash) => !is_used(hash)?,
                    None => is_temporary(&path),
                };
                if unused {
                    discard(&path);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn size(&self) -> u64 {
        layout::size_below(&self.root)
    }
}

/// Files written for a group that is not committed yet.
#[derive(Debug)]
pub(crate) struct NewFiles {
    sources: Sources,
    written: BTreeSet<ContentHash>,
    folders: BTreeSet<PathBuf>,
}

impl NewFiles {
    pub(crate) fn new(sources: Sources) -> Self {
        Self {
            sources,
            written: BTreeSet::new(),
            folders: BTreeSet::new(),
        }
    }

    /// Keeps a file; its content is on disk when this returns, its name after
    /// [`sync`](Self::sync).
    pub(crate) fn put(&mut self, hash: ContentHash, bytes: &[u8]) -> Result<()> {
        let path = self.sources.path(&hash);
        let folder = path.parent().unwrap_or(&self.sources.root);
        if !folder.is_dir() {
            fs::create_dir_all(folder).map_err(|error| StoreError::io(folder, error))?;
            self.folders.insert(self.sources.root.clone());
        }
        self.folders.insert(folder.to_owned());
        let kept = fs::metadata(&path).is_ok_and(|meta| meta.len() == bytes.len() as u64);
        if kept {
            return Ok(());
        }
        // Remembered before it is there, so that a failure half way leaves nothing.
        self.written.insert(hash);
        layout::write_file(&path, |file| file.write_all(bytes))
    }

    /// Makes the names of all files durable. To be called before the commit that refers to them.
    pub(crate) fn sync(&mut self) -> Result<()> {
        for folder in &self.folders {
            layout::sync_dir(folder)?;
        }
        self.folders.clear();
        Ok(())
    }

    /// The group was committed.
    pub(crate) fn commit(&mut self) {
        self.written.clear();
    }

    /// The group was given up: its files go, except those that something else refers to.
    pub(crate) fn abandon(&mut self, is_used: impl Fn(&ContentHash) -> Result<bool>) {
        for hash in std::mem::take(&mut self.written) {
            if matches!(is_used(&hash), Ok(false)) {
                self.sources.delete(&hash);
            }
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::SourceMissing(path.to_owned()),
        _ => StoreError::io(path, error),
    })
}

/// What is kept of a file that stays where it is; it must be the file of this hash.
pub(crate) fn link(path: &Path, hash: &ContentHash) -> Result<Link> {
    let failed = |error| StoreError::io(path, error);
    let path = std::path::absolute(path).map_err(failed)?;
    // Its time first: a change from here on is seen when it is read.
    let meta = fs::metadata(&path).map_err(failed)?;
    if ContentHash::of(&read(&path)?) != *hash {
        return Err(StoreError::SourceChanged(path));
    }
    Ok(Link {
        size: meta.len(),
        modified: meta.modified().ok(),
        path,
    })
}

/// The bytes of a linked file, which must still be the file that was added.
pub(crate) fn read_link(link: &Link, hash: &ContentHash) -> Result<Vec<u8>> {
    let bytes = read(&link.path)?;
    let modified = fs::metadata(&link.path).and_then(|meta| meta.modified());
    let untouched = bytes.len() as u64 == link.size && modified.ok() == link.modified;
    // A file that was copied or touched is still the same if its content is.
    if untouched || ContentHash::of(&bytes) == *hash {
        return Ok(bytes);
    }
    Err(StoreError::SourceChanged(link.path.clone()))
}
