//! The one who writes.

use crate::database;
use crate::derive::Derived;
use crate::edit::Edit;
use crate::error::{Result, StoreError};
use crate::group::Group;
use crate::input::{InputHash, NewDocument, NewVectors, NewView, SourceFile, check_document};
use crate::layout::Layout;
use crate::lock::{Purpose, WriterLock};
use crate::protocol::{DELAY, purged};
use crate::sources::{self, NewFiles, Sources};
use crate::tables::{self, Link};
use crate::truth::Truth;
use catena_document::{ContentHash, Document, DocumentId, View};
use redb::{CompactionError, Database};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long a file is kept that nothing refers to any more, for snapshots that are held: longer
/// than an answer takes.
const GRACE: Duration = Duration::from_mins(10);

/// The one writer of a store.
///
/// What is added and removed is gathered in a group, which [`commit`](Self::commit) makes durable
/// and visible as a whole. A group also commits by itself when something is added to it after two
/// seconds or when it has gathered 64 MiB. Dropping a writer gives up its group and nothing else.
///
/// After an error of the disk the writer is done with ([`StoreError::Failed`]): open the store
/// again. Invalid input changes nothing and the writer goes on.
pub struct Writer {
    layout: Layout,
    files: NewFiles,
    sources: Sources,
    group: Option<Group>,
    /// `None` after a failure, and while they are being compacted.
    derived: Option<Derived>,
    generation: u64,
    // Closed after what is above, released last.
    database: Option<Database>,
    lock: WriterLock,
}

/// What adding a document has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// What became of the document.
    pub change: Change,
    /// The documents that went because their last source is now this one's.
    pub replaced: Vec<DocumentId>,
}

/// What can become of a document that is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    New,
    /// It was there, read by another parser, and has been replaced.
    Reparsed,
    /// It was there; it is now also known by a new source.
    SourceAdded,
    /// It was there with these very sources.
    Unchanged,
}

/// What [`Writer::compact`] has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// Whether the database file was made smaller, which needs that nobody reads.
    pub database: bool,
}

impl Writer {
    /// Opens the store at `path` for writing; an empty or missing directory becomes a store.
    ///
    /// What a crash has left is repaired first.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let layout = Layout::existing_or_new(path.as_ref())?;
        Self::open_for(layout, Purpose::Write)
    }

    pub(crate) fn open_for(layout: Layout, purpose: Purpose) -> Result<Self> {
        let _span = tracing::debug_span!("open", path = %layout.root().display()).entered();
        let lock = WriterLock::acquire(&layout, purpose)?;
        let database = database::open(&layout)?;
        let truth = database::read(&database)?;
        let sources = Sources::new(&layout);
        if lock.abandoned {
            tracing::info!("the last writer did not close the store");
            sweep(&sources, &truth)?;
        }
        let derived = Derived::open(&layout, &truth, lock.abandoned)?;
        Ok(Self {
            files: NewFiles::new(sources.clone()),
            sources,
            group: None,
            derived: Some(derived),
            generation: truth.generation,
            database: Some(database),
            lock,
            layout,
        })
    }

    /// The number of the last commit.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    // Adding.

    /// Adds a document under its sources.
    ///
    /// Where the store has it already, read by the same parser, it only gets the new sources and
    /// the rest is not looked at. A source that another document had is taken from it, and that
    /// document goes if it was its last.
    pub fn add(&mut self, mut new: NewDocument<'_>) -> Result<Added> {
        let mut seen = HashSet::new();
        new.document.sources.retain(|uri| seen.insert(uri.clone()));
        check_document(&new)?;
        let id = new.document.id;
        let link = link_of(&new.source, &id)?;
        let kept = self.edit(|edit| {
            let present = edit.find(&id)?;
            let parser = match present {
                Some(seq) => edit.row(seq)?.map(|row| row.parser),
                None => None,
            };
            Ok(present.filter(|_| parser.as_ref() == Some(&new.parser)))
        })?;
        if let Some(seq) = kept {
            return self.add_sources(
                (seq, &id),
                &new.document.sources,
                &new.source,
                link.as_ref(),
            );
        }
        let nodes = new.document.nodes.len();
        self.edit(|edit| {
            new.views
                .iter_mut()
                .try_for_each(|view| edit.check_view(view, nodes))
        })?;
        self.write(|writer| writer.insert(&new, link.as_ref()))
    }

    /// Puts a present document's tree, of which nodes were changed and none added or removed, with
    /// its views in the place of what is there. Its file, sources and ties stay, and what models saw
    /// and answered.
    pub fn replace(&mut self, mut document: Document, mut views: Vec<NewView>) -> Result<()> {
        let old = self.require(&document.id)?;
        let nodes = document.nodes.len();
        let (row, files, seen, edges) = self.edit(|edit| {
            let row = edit
                .row(old)?
                .ok_or(StoreError::UnknownDocument(document.id))?;
            if row.nodes as usize != nodes {
                let what = format!("the document has {} nodes, not {nodes}", row.nodes);
                return Err(StoreError::Invalid(what));
            }
            views
                .iter_mut()
                .try_for_each(|view| edit.check_view(view, nodes))?;
            Ok((row, edit.files(old)?, edit.seen(old)?, edit.edges(old)?))
        })?;
        // They are moved from what is replaced, each with its link.
        document.sources.clear();
        let new = NewDocument {
            document,
            // Its files are there.
            source: SourceFile::Keep(&[]),
            parser: row.parser,
            warnings: row.warnings,
            assets: Vec::new(),
            seen,
            edges,
            views,
        };
        self.write(|writer| writer.insert_kept(&new, &files, None))?;
        Ok(())
    }

    /// Inserts a document that has been checked; what the store has under its name goes.
    fn insert(&mut self, new: &NewDocument<'_>, link: Option<&Link>) -> Result<Added> {
        let files = self.keep_files(new)?;
        self.insert_kept(new, &files, link)
    }

    /// The same of a document whose files are kept.
    fn insert_kept(
        &mut self,
        new: &NewDocument<'_>,
        files: &[ContentHash],
        link: Option<&Link>,
    ) -> Result<Added> {
        let group = self.group()?;
        let edit = group.edit();
        let id = new.document.id;
        let old = edit.find(&id)?;
        let (seq, mut bytes) = edit.insert(new, files)?;
        for view in &new.views {
            bytes += edit.insert_view(seq, view)?;
        }
        let mut gone = Vec::new();
        for uri in &new.document.sources {
            gone.extend(edit.move_source(seq, uri, link.cloned())?);
        }
        if let Some(old) = old {
            edit.copy_answers(old, seq)?;
            for (uri, _, link) in edit.present_sources(old)? {
                if link.is_none() {
                    edit.insert_file(seq, &id)?;
                }
                edit.move_source(seq, &uri, link)?;
            }
        }
        let mut replaced = ids(&edit, gone)?;
        replaced.retain(|other| *other != id);
        group.note(bytes);
        let change = match old {
            None => Change::New,
            Some(_) => Change::Reparsed,
        };
        Ok(Added { change, replaced })
    }

    /// Gives a document that is present another source.
    pub fn add_source(
        &mut self,
        id: &DocumentId,
        uri: &str,
        source: &SourceFile<'_>,
    ) -> Result<Added> {
        if let SourceFile::Keep(bytes) = source
            && ContentHash::of(bytes) != *id
        {
            let what = "the file is not the document's".to_owned();
            return Err(StoreError::Invalid(what));
        }
        let link = link_of(source, id)?;
        let seq = self.require(id)?;
        self.add_sources((seq, id), &[uri.to_owned()], source, link.as_ref())
    }

    fn add_sources(
        &mut self,
        (seq, id): (u64, &DocumentId),
        uris: &[String],
        source: &SourceFile<'_>,
        link: Option<&Link>,
    ) -> Result<Added> {
        if let SourceFile::Keep(bytes) = source {
            // Also where nothing else is new: a file that got lost is back then.
            self.guarded(|writer| writer.files.put(*id, bytes))?;
        }
        let present = self.edit(|edit| edit.present_sources(seq))?;
        let known = |uri: &String| {
            let same = present.iter().find(|(other, ..)| other == uri);
            same.is_some_and(|(_, _, old)| old.as_ref() == link)
        };
        if uris.iter().all(known) {
            return Ok(Added {
                change: Change::Unchanged,
                replaced: Vec::new(),
            });
        }
        self.write(|writer| {
            let group = writer.group()?;
            let edit = group.edit();
            if link.is_none() {
                edit.insert_file(seq, id)?;
            }
            let mut gone = Vec::new();
            for uri in uris.iter().filter(|uri| !known(uri)) {
                gone.extend(edit.move_source(seq, uri, link.cloned())?);
            }
            let replaced = ids(&edit, gone)?;
            group.note(0);
            Ok(Added {
                change: Change::SourceAdded,
                replaced,
            })
        })
    }

    /// Adds a view with its vectors to a document that is present without it.
    pub fn add_view(&mut self, id: &DocumentId, mut view: NewView) -> Result<()> {
        let seq = self.require(id)?;
        self.edit(|edit| {
            if edit.units(seq, view.view)?.is_some() {
                let what = format!("the document has view `{:?}` already", view.view);
                return Err(StoreError::Invalid(what));
            }
            let nodes = edit.row(seq)?.map_or(0, |row| row.nodes);
            edit.check_view(&mut view, nodes as usize)
        })?;
        self.write(|writer| {
            let group = writer.group()?;
            let bytes = group.edit().insert_view(seq, &view)?;
            group.note(bytes);
            Ok(())
        })
    }

    /// Adds the vectors of one space to a view of a document that is present. `false` where it
    /// has them, which is how an interrupted reindexing goes on.
    pub fn add_vectors(
        &mut self,
        id: &DocumentId,
        view: View,
        mut vectors: NewVectors,
    ) -> Result<bool> {
        let seq = self.require(id)?;
        let has = self.edit(|edit| {
            let space = edit.space(&vectors.space)?;
            let units = edit.units(seq, view)?;
            let units = units.ok_or(StoreError::UnknownView {
                document: *id,
                view,
            })?;
            crate::input::check_vectors(&mut vectors, space.dimension, units)?;
            edit.has_vectors(&space, view, seq)
        })?;
        if has {
            return Ok(false);
        }
        self.write(|writer| {
            let group = writer.group()?;
            let bytes = group.edit().insert_vectors(seq, view, &vectors)?;
            group.note(bytes);
            Ok(true)
        })
    }

    /// Makes a vector space, or checks the dimension of the one of this name.
    pub fn add_space(&mut self, name: &str, dimension: u32) -> Result<()> {
        if name.is_empty() || dimension == 0 {
            let what = "a space needs a name and a dimension".to_owned();
            return Err(StoreError::Invalid(what));
        }
        match self.edit(|edit| edit.space(name)) {
            Err(StoreError::UnknownSpace(_)) => self.write(|writer| {
                let group = writer.group()?;
                group.edit().ensure_space(name, dimension)?;
                group.note(0);
                Ok(())
            }),
            Ok(_) => self.edit(|edit| edit.ensure_space(name, dimension)),
            Err(error) => Err(error),
        }
    }

    /// Deletes a vector space with its vectors. Whoever still searches in it gets an error.
    pub fn drop_space(&mut self, name: &str) -> Result<()> {
        let space = self.edit(|edit| edit.space(name))?;
        self.write(|writer| {
            let group = writer.group()?;
            group.edit().drop_space(&space)?;
            group.note(0);
            Ok(())
        })
    }

    // Removing.

    /// Takes a source from the document that has it; the document goes with its last source.
    /// `false` where no document has it.
    pub fn remove_source(&mut self, uri: &str) -> Result<bool> {
        if self.edit(|edit| edit.find_source(uri))?.is_none() {
            return Ok(false);
        }
        self.write(|writer| {
            let group = writer.group()?;
            group.edit().remove_source(uri)?;
            group.note(0);
            Ok(true)
        })
    }

    /// Removes a document with all its sources. `false` where it is not there.
    pub fn remove_document(&mut self, id: &DocumentId) -> Result<bool> {
        let Some(seq) = self.edit(|edit| edit.find(id))? else {
            return Ok(false);
        };
        self.write(|writer| {
            let group = writer.group()?;
            group.edit().remove_document(seq)?;
            group.note(0);
            Ok(true)
        })
    }

    // Looking.

    /// The parser that a present document was read by; `None` where it is not there. Sees the
    /// current group.
    pub fn parser(&mut self, id: &DocumentId) -> Result<Option<String>> {
        self.edit(|edit| {
            let seq = edit.find(id)?;
            let row = seq.map(|seq| edit.row(seq)).transpose()?.flatten();
            Ok(row.map(|row| row.parser))
        })
    }

    /// What models saw on the pictures of a present document; nothing where it is not there. Sees
    /// the current group.
    pub fn seen(&mut self, id: &DocumentId) -> Result<Vec<(ContentHash, Vec<u8>)>> {
        self.edit(|edit| {
            let seq = edit.find(id)?;
            Ok(seq
                .map(|seq| edit.seen(seq))
                .transpose()?
                .unwrap_or_default())
        })
    }

    /// What a language model answered when it was asked this about a present document; `asked` is
    /// the hash of the model with all that it was told. Sees the current group.
    pub fn answer(&mut self, id: &DocumentId, asked: &ContentHash) -> Result<Option<Vec<u8>>> {
        let seq = self.require(id)?;
        self.edit(|edit| edit.answer(seq, asked))
    }

    /// Keeps what a language model answered, for as long as the document is there; when that is
    /// read again as well.
    pub fn keep_answer(
        &mut self,
        id: &DocumentId,
        asked: &ContentHash,
        answer: &[u8],
    ) -> Result<()> {
        let seq = self.require(id)?;
        self.write(|writer| {
            let group = writer.group()?;
            group.edit().keep_answer(seq, asked, answer)?;
            group.note(answer.len());
            Ok(())
        })
    }

    /// The document that has this source. Sees the current group.
    pub fn source(&mut self, uri: &str) -> Result<Option<DocumentId>> {
        self.edit(|edit| {
            let found = edit.find_source(uri)?;
            let row = found.map(|(seq, _)| edit.row(seq)).transpose()?.flatten();
            Ok(row.map(|row| row.head.id))
        })
    }

    /// The vector of a text or image that was embedded before, of length 1. Sees the current
    /// group.
    pub fn known_vector(&mut self, space: &str, input: InputHash) -> Result<Option<Vec<f32>>> {
        self.edit(|edit| edit.embedded(&edit.space(space)?, input))
    }

    // Committing.

    /// Makes the group durable and visible; does nothing if there is none. Gives the number of
    /// the last commit.
    pub fn commit(&mut self) -> Result<u64> {
        if self.group.as_ref().is_some_and(Group::is_changed) {
            self.guarded(Self::commit_group)?;
        } else if self.derived.is_none() {
            return Err(StoreError::Failed);
        } else {
            self.give_up_group();
        }
        Ok(self.generation)
    }

    /// Commits what is left and closes the store, waiting for merges.
    pub fn close(mut self) -> Result<()> {
        self.commit()?;
        self.shut()
    }

    /// Makes the store as small as it can be: deletes the rows of what was removed, merges the
    /// indexes, and where nobody reads, also shrinks the database. Readers go on meanwhile, but
    /// one that begins while the database shrinks waits for it.
    pub fn compact(&mut self) -> Result<Compacted> {
        self.commit()?;
        self.guarded(|writer| {
            // What was removed last leaves the truth that many commits later.
            for _ in 0..=DELAY {
                if !writer.truth()?.has_removals()? {
                    break;
                }
                writer.group()?;
                writer.commit_group()?;
            }
            let truth = writer.truth()?;
            let mut derived = writer.derived.take().ok_or(StoreError::Failed)?;
            derived.text = derived.text.compact()?;
            derived.vectors.compact(&truth)?;
            writer.derived = Some(derived);
            drop(truth);
            let database = writer.database.as_mut().ok_or(StoreError::Failed)?;
            let alone = match database.compact() {
                Ok(_) => true,
                Err(CompactionError::Storage(error)) => return Err(error.into()),
                Err(error) => {
                    tracing::info!(%error, "the database was not made smaller");
                    false
                }
            };
            if alone {
                // No snapshot shows what nothing refers to.
                writer.group()?;
                writer.commit_group_after(Duration::ZERO)?;
            }
            sweep(&writer.sources, &writer.truth()?)?;
            Ok(Compacted { database: alone })
        })
    }

    /// Throws the derived indexes away and builds them anew from the truth.
    pub fn rebuild(&mut self) -> Result<()> {
        self.commit()?;
        self.guarded(|writer| {
            let truth = writer.truth()?;
            let old = writer.derived.take().ok_or(StoreError::Failed)?;
            old.text.close()?;
            writer.derived = Some(Derived::rebuild(&writer.layout, &truth)?);
            Ok(())
        })
    }

    // Parts of the above.

    /// Runs something that writes; if it fails, the group is given up and the writer with it.
    fn guarded<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.derived.is_none() {
            return Err(StoreError::Failed);
        }
        let done = write(self);
        if done.is_err() {
            self.derived = None;
            self.give_up_group();
        }
        done
    }

    /// Runs something that adds to the group, which commits first if it is due.
    fn write<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.guarded(|writer| {
            let due = writer.group.as_ref().is_some_and(Group::is_due);
            if due {
                writer.commit_group()?;
            }
            write(writer)
        })
    }

    /// Looks at the truth as the group has it.
    fn edit<T>(&mut self, look: impl FnOnce(&Edit<'_>) -> Result<T>) -> Result<T> {
        if self.derived.is_none() {
            return Err(StoreError::Failed);
        }
        let group = self.group()?;
        look(&group.edit())
    }

    fn require(&mut self, id: &DocumentId) -> Result<u64> {
        let found = self.edit(|edit| edit.find(id))?;
        found.ok_or(StoreError::UnknownDocument(*id))
    }

    /// The group, begun if there is none.
    fn group(&mut self) -> Result<&mut Group> {
        if self.group.is_none() {
            let database = self.database.as_ref().ok_or(StoreError::Failed)?;
            self.group = Some(Group::begin(database, self.generation + 1)?);
        }
        self.group.as_mut().ok_or(StoreError::Failed)
    }

    fn commit_group(&mut self) -> Result<()> {
        self.commit_group_after(GRACE)
    }

    /// Commits the group, and deletes the files that have been unused for so long.
    fn commit_group_after(&mut self, grace: Duration) -> Result<()> {
        let Some(group) = self.group.take() else {
            return Ok(());
        };
        let _span = tracing::debug_span!("commit", generation = group.generation).entered();
        self.files.sync()?;
        let generation = group.generation;
        let edit = group.edit();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.unwrap_or_default();
        edit.purge(purged(generation), now.as_secs())?;
        let expired = edit.expire(now.saturating_sub(grace).as_secs())?;
        group
            .txn
            .open_table(tables::META)?
            .insert(tables::GENERATION, generation)?;
        group.txn.commit()?;
        self.files.commit();
        self.generation = generation;
        let truth = self.truth()?;
        self.derived
            .as_mut()
            .ok_or(StoreError::Failed)?
            .catch_up(&truth)?;
        for file in expired {
            if !truth.refers_to(&file.0)? {
                self.sources.delete(&file);
            }
        }
        Ok(())
    }

    fn truth(&self) -> Result<Truth> {
        database::read(self.database.as_ref().ok_or(StoreError::Failed)?)
    }

    fn keep_files(&mut self, new: &NewDocument<'_>) -> Result<Vec<ContentHash>> {
        let mut files = Vec::new();
        if let SourceFile::Keep(bytes) = new.source {
            self.files.put(new.document.id, bytes)?;
            files.push(new.document.id);
        }
        for asset in &new.assets {
            let hash = ContentHash::of(asset);
            self.files.put(hash, asset)?;
            files.push(hash);
        }
        Ok(files)
    }

    fn give_up_group(&mut self) {
        if let Some(group) = self.group.take()
            && let Err(error) = group.txn.abort()
        {
            tracing::debug!(%error, "the group could not be aborted");
        }
        if let Ok(truth) = self.truth() {
            self.files.abandon(|hash| truth.refers_to(&hash.0));
        }
    }

    /// Closes everything; the lock says so if all went well.
    fn shut(&mut self) -> Result<()> {
        let healthy = self.derived.is_some();
        self.give_up_group();
        if let Some(derived) = self.derived.take() {
            derived.text.close()?;
        }
        if let Some(database) = self.database.take() {
            database.close()?;
            if healthy {
                self.lock.clear();
            }
        }
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Err(error) = self.shut() {
            tracing::warn!(%error, "the store was not closed cleanly");
        }
    }
}

/// The names of documents.
fn ids(edit: &Edit<'_>, seqs: Vec<u64>) -> Result<Vec<DocumentId>> {
    let rows = seqs.into_iter().map(|seq| edit.row(seq));
    let ids = rows.filter_map(|row| row.map(|row| Some(row?.head.id)).transpose());
    ids.collect()
}

fn link_of(source: &SourceFile<'_>, id: &DocumentId) -> Result<Option<Link>> {
    match source {
        SourceFile::Keep(_) => Ok(None),
        SourceFile::Link(path) => sources::link(path, id).map(Some),
    }
}

/// Removes the files that neither a document refers to nor a snapshot may show.
fn sweep(sources: &Sources, truth: &Truth) -> Result<()> {
    let unused = truth.unused_files()?;
    sources.sweep(|hash| Ok(unused.contains(hash) || truth.refers_to(&hash.0)?))
}
