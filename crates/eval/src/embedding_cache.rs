//! Vectors kept by the text that they are of.

use crate::EvalError;
use catena_document::ContentHash;
use catena_models::{Embedder, ModelError, Space};
use redb::{Database, DatabaseError, ReadableDatabase, TableDefinition};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The hash of a text → its vector, as little-endian `f32`.
const VECTORS: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("vectors");
/// Memory for pages of the database.
const MEMORY: usize = 32 << 20;

/// An embedder that keeps every vector in a file, one file a space, and computes none twice.
pub(crate) struct CachedEmbedder {
    inner: Arc<dyn Embedder>,
    database: Database,
    path: PathBuf,
}

impl CachedEmbedder {
    /// Opens the cache of the embedder's space in a work folder.
    pub(crate) fn open(work: &Path, inner: Arc<dyn Embedder>) -> Result<Self, EvalError> {
        let folder = work.join("embeddings");
        fs::create_dir_all(&folder).map_err(|cause| EvalError::file("write", &folder, cause))?;
        let path = folder.join(format!("{}.redb", file_name(&inner.space().name)));
        let database = open_cache(work, &path)?;
        let made = begin(&database);
        made.map_err(|error| EvalError::cache(&path, error))?;
        Ok(Self {
            inner,
            database,
            path,
        })
    }

    fn read(&self, keys: &[ContentHash]) -> Result<HashMap<ContentHash, Vec<f32>>, redb::Error> {
        let table = self.database.begin_read()?.open_table(VECTORS)?;
        let mut out = HashMap::new();
        for key in keys {
            let Some(row) = table.get(&key.0)? else {
                continue;
            };
            let (numbers, _) = row.value().as_chunks::<4>();
            // A row of another length is none of this space; its text is embedded anew.
            if numbers.len() == self.space().dimension {
                let vector = numbers.iter().copied().map(f32::from_le_bytes);
                out.insert(*key, vector.collect());
            }
        }
        Ok(out)
    }

    fn write(&self, vectors: &[(ContentHash, Vec<f32>)]) -> Result<(), redb::Error> {
        let txn = self.database.begin_write()?;
        {
            let mut table = txn.open_table(VECTORS)?;
            for (key, vector) in vectors {
                let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
                table.insert(&key.0, bytes.as_slice())?;
            }
        }
        txn.commit()?;
        Ok(())
    }

    fn failed(&self, action: &'static str) -> impl Fn(redb::Error) -> ModelError + use<> {
        cache_failed(&self.path, action)
    }
}

impl Embedder for CachedEmbedder {
    fn space(&self) -> &Space {
        self.inner.space()
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.inner.count_tokens(text)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let keys: Vec<ContentHash> = texts
            .iter()
            .map(|text| ContentHash::of(text.as_bytes()))
            .collect();
        let mut known = self.read(&keys).map_err(self.failed("read"))?;
        let mut seen = HashSet::new();
        let (new_keys, new_texts): (Vec<_>, Vec<_>) = keys
            .iter()
            .zip(texts.iter().copied())
            .filter(|(key, _)| !known.contains_key(*key) && seen.insert(**key))
            .unzip();
        if !new_texts.is_empty() {
            let vectors = self.inner.embed(&new_texts)?;
            let new: Vec<_> = new_keys.into_iter().copied().zip(vectors).collect();
            self.write(&new).map_err(self.failed("write"))?;
            known.extend(new);
        }
        let vector = |key| known.get(key).cloned().unwrap_or_default();
        Ok(keys.iter().map(vector).collect())
    }
}

/// Opens a file of the work folder that keeps what was computed.
pub(crate) fn open_cache(work: &Path, path: &Path) -> Result<Database, EvalError> {
    Database::builder()
        .set_cache_size(MEMORY)
        .create(path)
        .map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => EvalError::InUse(work.to_owned()),
            error => EvalError::cache(path, error),
        })
}

/// Tells that a cache could not be read or written.
pub(crate) fn cache_failed(
    path: &Path,
    action: &'static str,
) -> impl Fn(redb::Error) -> ModelError + use<> {
    let path = path.to_owned();
    move |error| ModelError::Io {
        action,
        path: path.clone(),
        source: io::Error::other(error),
    }
}

/// Makes the table, so that readers find it.
fn begin(database: &Database) -> Result<(), redb::Error> {
    let txn = database.begin_write()?;
    txn.open_table(VECTORS)?;
    txn.commit()?;
    Ok(())
}

/// A space's name as a name of a file.
pub(crate) fn file_name(space: &str) -> String {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@' | '.') {
            c
        } else {
            '_'
        }
    };
    space.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use catena_models::testing::HashEmbedder;
    use std::sync::Mutex;

    /// Notes what it is asked to embed.
    struct Noting(HashEmbedder, Arc<Mutex<Vec<String>>>);

    impl Embedder for Noting {
        fn space(&self) -> &Space {
            self.0.space()
        }

        fn count_tokens(&self, text: &str) -> usize {
            self.0.count_tokens(text)
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
            let mut asked = self
                .1
                .lock()
                .expect("no test panics while it holds the lock");
            asked.extend(texts.iter().map(|&text| text.to_owned()));
            self.0.embed(texts)
        }
    }

    #[test]
    fn nothing_is_embedded_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let open = || {
            let inner = Noting(HashEmbedder::new(16), Arc::clone(&asked));
            CachedEmbedder::open(folder.path(), Arc::new(inner)).expect("a cache")
        };
        let embed = |cache: &CachedEmbedder, texts: &[&str]| cache.embed(texts).expect("vectors");
        let plain = HashEmbedder::new(16);
        let texts = ["pump", "valve", "pump", ""];
        let first = open();
        assert_eq!(
            embed(&first, &texts),
            plain.embed(&texts).expect("never fails")
        );
        assert!(matches!(
            CachedEmbedder::open(folder.path(), Arc::new(plain.clone())),
            Err(EvalError::InUse(_))
        ));
        drop(first);
        let second = open();
        let more = ["valve", "hose"];
        assert_eq!(
            embed(&second, &more),
            plain.embed(&more).expect("never fails")
        );
        let asked = asked
            .lock()
            .expect("no test panics while it holds the lock");
        assert_eq!(*asked, ["pump", "valve", "", "hose"]);
    }
}
