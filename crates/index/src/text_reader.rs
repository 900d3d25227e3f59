//! Opening the full-text index for reading, beside a process that writes it.

use crate::error::{Part, Result, StoreError};
use crate::text_index::{Fields, check_files, generation_of, schema};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::index::SegmentId;
use tantivy::schema::Field;
use tantivy::{Directory, Index, IndexReader, ReloadPolicy, Searcher, SegmentReader};

/// A directory that is only read.
///
/// tantivy's reader takes a lock file to hold back the writer's garbage collection while it opens
/// segments. Here it does not: it would need to write, and the writer would wait for readers. A
/// segment that is gone before it could be opened is an error, and the reader loads again.
#[derive(Clone, Debug)]
struct ReadOnly(MmapDirectory);

fn refused() -> io::Error {
    io::Error::from(io::ErrorKind::ReadOnlyFilesystem)
}

impl Directory for ReadOnly {
    fn get_file_handle(
        &self,
        path: &Path,
    ) -> std::result::Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> std::result::Result<(), DeleteError> {
        Err(DeleteError::IoError {
            io_error: Arc::new(refused()),
            filepath: path.to_owned(),
        })
    }

    fn exists(&self, path: &Path) -> std::result::Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> std::result::Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::IoError {
            io_error: Arc::new(refused()),
            filepath: path.to_owned(),
        })
    }

    fn atomic_read(&self, path: &Path) -> std::result::Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(refused())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _: &Lock) -> std::result::Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

/// The full-text index, open for reading.
pub(crate) struct TextReader {
    dir: PathBuf,
    index: Index,
    reader: IndexReader,
    /// The tokens of each field by segment, which never change.
    segments: HashMap<SegmentId, Tokens>,
    tokens: Arc<Tokens>,
    /// The generation that the reader's searcher surely is at.
    loaded: Option<u64>,
}

/// The files of an index that are not what was written.
pub(crate) fn damaged_files(dir: &Path) -> Result<HashSet<PathBuf>> {
    let directory =
        MmapDirectory::open(dir).map_err(|error| StoreError::damaged(Part::Text, error))?;
    Ok(Index::open(ReadOnly(directory))?.validate_checksum()?)
}

/// The number of tokens in each field.
pub(crate) type Tokens = HashMap<Field, u64>;

/// The index at one moment.
pub(crate) struct TextView {
    pub(crate) searcher: Searcher,
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) fields: Fields,
    /// The generation before the searcher was opened.
    pub(crate) before: u64,
    /// The generation after the searcher was opened.
    pub(crate) after: u64,
}

impl TextReader {
    pub(crate) fn open(dir: &Path) -> Result<Self> {
        let directory =
            MmapDirectory::open(dir).map_err(|error| StoreError::damaged(Part::Text, error))?;
        let index = Index::open(ReadOnly(directory))?;
        if index.schema() != schema().0 {
            return Err(made_by_another());
        }
        let builder = index.reader_builder().reload_policy(ReloadPolicy::Manual);
        let reader = builder.try_into()?;
        Ok(Self {
            dir: dir.to_owned(),
            index,
            reader,
            segments: HashMap::new(),
            tokens: Arc::default(),
            loaded: None,
        })
    }

    /// The index as it is now.
    pub(crate) fn view(&mut self) -> Result<TextView> {
        let before = self.generation()?;
        let after = if self.loaded == Some(before) {
            // Merges may have gone on since, but they change no search.
            before
        } else {
            self.loaded = None;
            self.reader.reload()?;
            let metas = self.index.load_metas()?;
            check_files(&self.dir, &metas.segments)?;
            let after = generation_of(metas.payload.as_deref()).ok_or_else(made_by_another)?;
            self.count_tokens()?;
            self.loaded = (before == after).then_some(before);
            after
        };
        Ok(TextView {
            searcher: self.reader.searcher(),
            tokens: self.tokens.clone(),
            fields: schema().1,
            before,
            after,
        })
    }

    /// Counts the tokens of the searcher's segments.
    ///
    /// tantivy has such numbers, but they change when it merges dropped units away, and the same
    /// documents would score differently. These are the same whatever the merges.
    fn count_tokens(&mut self) -> Result<()> {
        let searcher = self.reader.searcher();
        let mut segments = HashMap::new();
        let mut sum = Tokens::new();
        for segment in searcher.segment_readers() {
            let id = segment.segment_id();
            let tokens = match self.segments.remove(&id) {
                Some(tokens) => tokens,
                None => tokens_of(segment)?,
            };
            for (&field, count) in &tokens {
                *sum.entry(field).or_default() += count;
            }
            segments.insert(id, tokens);
        }
        (self.segments, self.tokens) = (segments, Arc::new(sum));
        Ok(())
    }

    fn generation(&self) -> Result<u64> {
        let metas = self.index.load_metas()?;
        generation_of(metas.payload.as_deref()).ok_or_else(made_by_another)
    }
}

fn tokens_of(segment: &SegmentReader) -> Result<Tokens> {
    let mut out = Tokens::new();
    for field in schema().1.texts() {
        let lengths = segment.get_fieldnorms_reader(field)?;
        let sum = (0..segment.max_doc()).map(|doc| u64::from(lengths.fieldnorm(doc)));
        out.insert(field, sum.sum());
    }
    Ok(out)
}

fn made_by_another() -> StoreError {
    StoreError::damaged(Part::Text, "it was made by another version of the program")
}
