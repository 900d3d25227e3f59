//! The one of many who read.

use crate::catalogue::Catalogue;
use crate::error::{Result, StoreError, is_refused};
use crate::layout::Layout;
use crate::lock::Purpose;
use crate::protocol::Seen;
use crate::render_cache::RenderCache;
use crate::snapshot::Snapshot;
use crate::sources::Sources;
use crate::text_reader::TextReader;
use crate::truth::Truth;
use crate::vector_store::VectorReader;
use crate::writer::Writer;
use redb::{ConcurrencyMode, Database, DatabaseError, ReadOnlyDatabase, ReadableDatabase};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a reader tries to get a whole state of the store.
const PATIENCE: Duration = Duration::from_secs(10);
/// Failed attempts after which a reader tries to repair.
const ATTEMPTS: u32 = 5;
/// Memory for pages of the database.
const CACHE: usize = 64 << 20;

/// A store, open for reading.
///
/// Any number of processes may read while one writes; none waits for another. To be shared by
/// threads.
pub struct Store {
    layout: Layout,
    /// `None` until it is first needed, and after an error, so that all is opened again.
    state: Mutex<Option<State>>,
}

/// What is kept open between snapshots.
struct State {
    database: ReadOnlyDatabase,
    text: TextReader,
    vectors: VectorReader,
    catalogue: Arc<Catalogue>,
}

impl Store {
    /// Opens the store at `path` for reading.
    ///
    /// A store that was not closed cleanly is repaired, if this process may write to it and no
    /// other does.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let store = Self {
            layout: Layout::existing(path.as_ref())?,
            state: Mutex::new(None),
        };
        store.snapshot()?;
        Ok(store)
    }

    /// The directory of the store.
    pub fn path(&self) -> &Path {
        self.layout.root()
    }

    /// The newest whole state of the store.
    ///
    /// To be kept for one query or one answer: the store cannot reuse what a snapshot shows.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let deadline = Instant::now() + PATIENCE;
        let mut pause = Duration::from_millis(1);
        for attempt in 1.. {
            let early = attempt < ATTEMPTS;
            let error = match self.try_snapshot() {
                Err(error) if error.is_mendable() => error,
                // What is read just as it is being written can look damaged, once.
                Err(error @ StoreError::Damaged { .. }) if early => error,
                done => return done,
            };
            tracing::debug!(%error, attempt, "no snapshot");
            let mended = match error {
                // A writer that is at work is overtaken sooner or later.
                StoreError::Busy(_) | StoreError::Damaged { .. } if early => false,
                _ => self.mend(&error)?,
            };
            if Instant::now() > deadline {
                return Err(error);
            }
            if !mended {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(50));
            }
        }
        Err(StoreError::Busy(self.layout.root().to_owned()))
    }

    /// The cache of page images and crops.
    pub fn render_cache(&self) -> RenderCache {
        RenderCache::new(self.layout.cache())
    }

    /// Loads the parts in the order that the protocol asks for.
    fn try_snapshot(&self) -> Result<Snapshot> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = match state.take() {
            Some(open) => open,
            None => State::open(&self.layout)?,
        };
        let snapshot = open.snapshot(&self.layout)?;
        *state = Some(open);
        snapshot.ok_or_else(|| StoreError::Busy(self.layout.root().to_owned()))
    }

    /// Becomes the writer for a moment, which repairs; `false` if another process writes.
    fn mend(&self, error: &StoreError) -> Result<bool> {
        match Writer::open_for(self.layout.clone(), Purpose::Repair).and_then(Writer::close) {
            Ok(()) => {
                tracing::info!(%error, "repaired the store");
                Ok(true)
            }
            Err(StoreError::Locked { .. }) => Ok(false),
            Err(StoreError::Io { cause, .. }) if is_refused(&cause) => {
                Err(StoreError::NeedsRepair(self.layout.root().to_owned()))
            }
            Err(error) => Err(error),
        }
    }
}

impl State {
    fn open(layout: &Layout) -> Result<Self> {
        let path = layout.truth();
        let mut builder = Database::builder();
        builder
            .set_concurrency_mode(ConcurrencyMode::SingleWriter)
            .set_cache_size(CACHE);
        let needs_repair = || StoreError::NeedsRepair(layout.root().to_owned());
        let database = builder.open_read_only(&path).map_err(|error| match error {
            DatabaseError::RepairAborted => needs_repair(),
            // Another process is just opening it.
            DatabaseError::DatabaseAlreadyOpen => StoreError::Busy(layout.root().to_owned()),
            DatabaseError::Storage(redb::StorageError::Io(cause)) => match cause.kind() {
                // A crash while the store was being created.
                io::ErrorKind::NotFound | io::ErrorKind::InvalidData => needs_repair(),
                _ => StoreError::io(&path, cause),
            },
            error => error.into(),
        })?;
        let txn = database.begin_read()?;
        if txn.list_tables()?.next().is_none() {
            return Err(needs_repair());
        }
        Ok(Self {
            database,
            text: TextReader::open(&layout.text())?,
            vectors: VectorReader::new(layout),
            catalogue: Arc::default(),
        })
    }

    /// The newest state, or `None` if a writer has overtaken its loading.
    fn snapshot(&mut self, layout: &Layout) -> Result<Option<Snapshot>> {
        let vectors = self.vectors.view()?;
        let text = self.text.view()?;
        let truth = Truth::open(&self.database.begin_read()?)?;
        let seen = Seen {
            vectors: vectors.generation,
            text_before: text.before,
            text_after: text.after,
            truth: truth.generation,
            purged: truth.purged,
        };
        let Some(generation) = seen.generation() else {
            return Ok(None);
        };
        if self.catalogue.generation != generation {
            Arc::make_mut(&mut self.catalogue).advance(&truth, generation)?;
        }
        Ok(Some(Snapshot {
            generation,
            catalogue: self.catalogue.clone(),
            truth,
            text,
            vectors,
            sources: Sources::new(layout),
            layout: layout.clone(),
        }))
    }
}
