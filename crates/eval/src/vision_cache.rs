//! What was seen on pictures, kept in the work folder.

use crate::EvalError;
use crate::embedding_cache::{cache_failed, open_cache};
use catena_models::{ModelError, VisionModels, VisionStore};
use redb::{Database, ReadableDatabase, TableDefinition, TableError};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model with a picture → what it saw.
const SEEN: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("seen");

/// The models that read pictures, behind a file in the work folder that keeps what they saw.
///
/// # Errors
/// Where the file cannot be opened.
pub(crate) fn cached(
    work: &Path,
    inner: Arc<VisionModels>,
) -> Result<Arc<VisionModels>, EvalError> {
    fs::create_dir_all(work).map_err(|cause| EvalError::file("write", work, cause))?;
    let path = work.join("vision.redb");
    let database = open_cache(work, &path)?;
    Ok(Arc::new(inner.behind(Arc::new(Kept { database, path }))))
}

struct Kept {
    database: Database,
    path: PathBuf,
}

impl Kept {
    fn read(&self, key: &[u8; 32]) -> Result<Option<Vec<u8>>, redb::Error> {
        let table = match self.database.begin_read()?.open_table(SEEN) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(None),
            table => table?,
        };
        Ok(table.get(key)?.map(|row| row.value().to_vec()))
    }

    fn write(&self, key: &[u8; 32], seen: &[u8]) -> Result<(), redb::Error> {
        let txn = self.database.begin_write()?;
        txn.open_table(SEEN)?.insert(key, seen)?;
        txn.commit()?;
        Ok(())
    }

    fn failed(&self, action: &'static str) -> impl Fn(redb::Error) -> ModelError + use<> {
        cache_failed(&self.path, action)
    }
}

impl VisionStore for Kept {
    fn get(&self, key: &[u8; 32]) -> Result<Option<Vec<u8>>, ModelError> {
        self.read(key).map_err(self.failed("read"))
    }

    fn put(&self, key: &[u8; 32], seen: &[u8]) -> Result<(), ModelError> {
        self.write(key, seen).map_err(self.failed("write"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_there_when_it_is_opened_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("vision.redb");
        let open = || Kept {
            database: Database::create(&path).expect("a database"),
            path: path.clone(),
        };
        let kept = open();
        assert_eq!(kept.get(&[1; 32]).expect("read"), None);
        kept.put(&[1; 32], b"seen").expect("written");
        drop(kept);
        let kept = open();
        assert_eq!(kept.get(&[1; 32]).expect("read"), Some(b"seen".to_vec()));
        assert_eq!(kept.get(&[2; 32]).expect("read"), None);
    }
}
