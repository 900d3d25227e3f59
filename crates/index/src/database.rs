//! Opening the database for writing.

use crate::edit::create_tables;
use crate::error::{Part, Result, StoreError};
use crate::layout::Layout;
use crate::truth::Truth;
use redb::{ConcurrencyMode, Database, DatabaseError, ReadableDatabase};
use std::io;

/// Memory for pages of the database.
const CACHE: usize = 128 << 20;

/// Opens the database of a store, with all its tables.
pub(crate) fn open(layout: &Layout) -> Result<Database> {
    let path = layout.truth();
    let size = std::fs::metadata(&path).map_or(0, |meta| meta.len());
    if size == 0 && layout.text().exists() {
        // Not a store that is being created: what it held is gone, and is not to be replaced by
        // nothing.
        return Err(StoreError::damaged(Part::Truth, "the file is missing"));
    }
    let mut builder = Database::builder();
    builder
        .set_concurrency_mode(ConcurrencyMode::SingleWriter)
        .set_cache_size(CACHE);
    let database = builder.create(&path).map_err(|error| match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::Locked {
            path: layout.root().to_owned(),
            process: None,
        },
        DatabaseError::Storage(redb::StorageError::Io(cause)) => match cause.kind() {
            io::ErrorKind::InvalidData => StoreError::damaged(Part::Truth, cause),
            _ => StoreError::io(&path, cause),
        },
        error => error.into(),
    })?;
    if is_empty(&database)? {
        let mut txn = database.begin_write()?;
        txn.set_quick_repair(true);
        create_tables(&txn)?;
        txn.commit()?;
    }
    Ok(database)
}

/// The state of the last commit.
pub(crate) fn read(database: &Database) -> Result<Truth> {
    Truth::open(&database.begin_read()?)
}

/// Whether the store is being created, perhaps after a crash while it was.
fn is_empty(database: &Database) -> Result<bool> {
    let txn = database.begin_read()?;
    Ok(txn.list_tables()?.next().is_none())
}
