//! What a writer has gathered and not committed.

use crate::edit::Edit;
use crate::error::Result;
use redb::{Database, WriteTransaction};
use std::time::{Duration, Instant};

/// A group is due when it is this old.
const TIME: Duration = Duration::from_secs(2);
/// A group is due when it holds this many bytes.
const BYTES: usize = 64 << 20;

/// The changes of one commit to be, in a transaction of the database.
pub(crate) struct Group {
    pub(crate) txn: WriteTransaction,
    /// The generation that its commit will have.
    pub(crate) generation: u64,
    began: Instant,
    bytes: usize,
    changed: bool,
}

impl Group {
    pub(crate) fn begin(database: &Database, generation: u64) -> Result<Self> {
        let mut txn = database.begin_write()?;
        // After a crash the database is then open at once.
        txn.set_quick_repair(true);
        Ok(Self {
            txn,
            generation,
            began: Instant::now(),
            bytes: 0,
            changed: false,
        })
    }

    pub(crate) fn edit(&self) -> Edit<'_> {
        Edit {
            txn: &self.txn,
            generation: self.generation,
        }
    }

    /// Notes a change, of so many bytes.
    pub(crate) fn note(&mut self, bytes: usize) {
        if !self.changed {
            self.began = Instant::now();
        }
        self.changed = true;
        self.bytes += bytes;
    }

    /// Whether anything was changed, not only looked at.
    pub(crate) fn is_changed(&self) -> bool {
        self.changed
    }

    /// Whether it should be committed before more is added.
    pub(crate) fn is_due(&self) -> bool {
        self.changed && (self.began.elapsed() > TIME || self.bytes > BYTES)
    }
}
