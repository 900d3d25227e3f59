//! The file that says which process writes.
//!
//! redb's own lock is what keeps two writers apart; this file, locked before the database is
//! opened, is there so that the second can name the first, and so that a writer that died is
//! noticed: a clean close empties the file.

use crate::error::{Result, StoreError};
use crate::layout::Layout;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

/// Why a process holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To add and remove documents.
    Write,
    /// A reader that repairs, for a moment.
    Repair,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Repair => "repair",
        }
    }
}

/// How long a writer waits for a reader that repairs.
const REPAIR_WAIT: Duration = Duration::from_secs(30);

/// The writer's lock, held until it is dropped.
#[derive(Debug)]
pub(crate) struct WriterLock {
    file: File,
    /// Whether the last writer ended without closing the store.
    pub(crate) abandoned: bool,
}

impl WriterLock {
    /// Takes the lock; a writer waits for one that repairs, nobody waits for one that writes.
    pub(crate) fn acquire(layout: &Layout, purpose: Purpose) -> Result<Self> {
        let deadline = Instant::now() + REPAIR_WAIT;
        loop {
            match Self::try_acquire(layout, purpose) {
                Err((StoreError::Locked { .. }, Some(Purpose::Repair)))
                    if purpose == Purpose::Write && Instant::now() < deadline =>
                {
                    std::thread::sleep(Duration::from_millis(5));
                }
                other => return other.map_err(|(error, _)| error),
            }
        }
    }

    fn try_acquire(
        layout: &Layout,
        purpose: Purpose,
    ) -> std::result::Result<Self, (StoreError, Option<Purpose>)> {
        let path = layout.lock();
        let failed = |error| (StoreError::io(&path, error), None);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(failed)?;
        let locked = file.try_lock();
        let mut text = String::new();
        // What cannot be read tells nothing about the holder; that is all.
        let _ = file.read_to_string(&mut text);
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut words = text.split_whitespace();
                let locked = StoreError::Locked {
                    path: layout.root().to_owned(),
                    process: words.next().and_then(|id| id.parse().ok()),
                };
                // The holder has just come, or goes as we look: it is asked again.
                let purpose = match words.next() {
                    Some(word) if word == Purpose::Write.name() => Purpose::Write,
                    _ => Purpose::Repair,
                };
                return Err((locked, Some(purpose)));
            }
            // A file system without locks: redb's lock is left, or its own error.
            Err(TryLockError::Error(error)) => {
                tracing::debug!(%error, "the lock file cannot be locked");
            }
        }
        let abandoned = !text.trim().is_empty();
        let line = format!("{} {}\n", std::process::id(), purpose.name());
        let mut lock = Self { file, abandoned };
        lock.write(&line).map_err(failed)?;
        Ok(lock)
    }

    fn write(&mut self, line: &str) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(line.as_bytes())
    }

    /// Says that the store was closed cleanly.
    pub(crate) fn clear(&mut self) {
        if let Err(error) = self.write("") {
            tracing::debug!(%error, "the lock file cannot be emptied");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_is_named_and_its_death_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::existing_or_new(&dir.path().join("s")).unwrap();
        let mut first = WriterLock::acquire(&layout, Purpose::Write).unwrap();
        assert!(!first.abandoned);
        let own = std::process::id();
        match WriterLock::acquire(&layout, Purpose::Write) {
            Err(StoreError::Locked {
                process: Some(id), ..
            }) => assert_eq!(id, own),
            other => panic!("{other:?}"),
        }
        first.clear();
        drop(first);
        let second = WriterLock::acquire(&layout, Purpose::Write).unwrap();
        assert!(!second.abandoned);
        drop(second);
        let third = WriterLock::acquire(&layout, Purpose::Repair).unwrap();
        assert!(third.abandoned, "the second never said that it was done");
    }
}
