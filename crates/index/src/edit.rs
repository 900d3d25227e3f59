//! Changing the truth, inside one write transaction.

use crate::blocks::{self, rows_per_block};
use crate::error::{Result, StoreError};
use crate::input::{InputHash, NewDocument, NewVectors, NewView, check_units, check_vectors};
use crate::tables::{self, DocumentHead, DocumentRow, Link, SourceRow, decode, encode, view_code};
use crate::truth::{Space, all_spaces, embedded};
use catena_document::{ContentHash, DocumentId, Edge, View};
use redb::{Key, ReadableTable, Table, TableDefinition, Value, WriteTransaction};
use std::collections::BTreeMap;

/// The truth while generation `generation` is being written.
pub(crate) struct Edit<'t> {
    pub(crate) txn: &'t WriteTransaction,
    /// The generation that the transaction will commit.
    pub(crate) generation: u64,
}

/// Creates the tables of a new store.
pub(crate) fn create_tables(txn: &WriteTransaction) -> Result<()> {
    fn create<K: Key + 'static, V: Value + 'static>(
        txn: &WriteTransaction,
        table: TableDefinition<'_, K, V>,
    ) -> Result<()> {
        txn.open_table(table)?;
        Ok(())
    }
    let mut meta = txn.open_table(tables::META)?;
    meta.insert(tables::GENERATION, 0)?;
    meta.insert(tables::PURGED, 0)?;
    meta.insert(tables::NEXT_SEQ, 1)?;
    meta.insert(tables::NEXT_SPACE, 1)?;
    create(txn, tables::DOCUMENTS)?;
    create(txn, tables::PAGES)?;
    create(txn, tables::BY_ID)?;
    create(txn, tables::SOURCES)?;
    create(txn, tables::BY_SOURCE)?;
    create(txn, tables::NODES)?;
    create(txn, tables::UNITS)?;
    create(txn, tables::EDGES)?;
    create(txn, tables::VIEWS)?;
    create(txn, tables::SPACES)?;
    create(txn, tables::VECTORS)?;
    create(txn, tables::VECTOR_SETS)?;
    create(txn, tables::EMBEDDED)?;
    create(txn, tables::UNUSED)?;
    create(txn, tables::FILES)?;
    create(txn, tables::FILES_OF)?;
    create(txn, tables::SEEN)?;
    create(txn, tables::ANSWERS)?;
    create(txn, tables::ADDITIONS)?;
    create(txn, tables::REMOVALS)
}

impl<'t> Edit<'t> {
    fn open<K: Key + 'static, V: Value + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
    ) -> Result<Table<'t, K, V>> {
        Ok(self.txn.open_table(table)?)
    }

    /// The next number of a counter.
    fn take_number(&self, counter: &str) -> Result<u64> {
        let mut meta = self.open(tables::META)?;
        let number = meta.get(counter)?.map_or(1, |value| value.value());
        meta.insert(counter, number + 1)?;
        Ok(number)
    }

    // Looking up what is present: not removed, also not by this transaction.

    /// The present document of this name.
    pub(crate) fn find(&self, id: &DocumentId) -> Result<Option<u64>> {
        let by_id = self.open(tables::BY_ID)?;
        let rows = by_id.range((&id.0, 0)..=(&id.0, u64::MAX))?;
        for row in rows.rev() {
            let seq = row?.0.value().1;
            if !self.present_sources(seq)?.is_empty() {
                return Ok(Some(seq));
            }
        }
        Ok(None)
    }

    /// The present document that has this source, with when it got it.
    pub(crate) fn find_source(&self, uri: &str) -> Result<Option<(u64, u64)>> {
        let by_source = self.open(tables::BY_SOURCE)?;
        let sources = self.open(tables::SOURCES)?;
        let rows = by_source.range((uri, 0, 0)..=(uri, u64::MAX, u64::MAX))?;
        for row in rows.rev() {
            let row = row?;
            let (_, added_at, seq) = row.0.value();
            let Some(row) = sources.get((seq, uri, added_at))? else {
                continue;
            };
            if decode::<SourceRow>(row.value())?.removed_at.is_none() {
                return Ok(Some((seq, added_at)));
            }
        }
        Ok(None)
    }

    /// The sources that a document has, with when it got them and where they are if not kept.
    pub(crate) fn present_sources(&self, seq: u64) -> Result<Vec<(String, u64, Option<Link>)>> {
        let sources = self.open(tables::SOURCES)?;
        let mut out = Vec::new();
        for row in sources.range((seq, "", 0)..(seq + 1, "", 0))? {
            let (key, row) = row?;
            let row: SourceRow = decode(row.value())?;
            if row.removed_at.is_none() {
                let (_, uri, added_at) = key.value();
                out.push((uri.to_owned(), added_at, row.link));
            }
        }
        Ok(out)
    }

    pub(crate) fn row(&self, seq: u64) -> Result<Option<DocumentRow>> {
        let documents = self.open(tables::DOCUMENTS)?;
        let row = documents.get(seq)?;
        row.map(|row| decode(row.value())).transpose()
    }

    /// What models saw on the pictures of a document.
    pub(crate) fn seen(&self, seq: u64) -> Result<Vec<(ContentHash, Vec<u8>)>> {
        let table = self.open(tables::SEEN)?;
        let mut out = Vec::new();
        for row in table.range((seq, &[0; 32])..=(seq, &[u8::MAX; 32]))? {
            let (key, row) = row?;
            out.push((ContentHash(*key.value().1), row.value().to_vec()));
        }
        Ok(out)
    }

    /// What a language model answered about a document.
    pub(crate) fn answer(&self, seq: u64, asked: &ContentHash) -> Result<Option<Vec<u8>>> {
        let table = self.open(tables::ANSWERS)?;
        let row = table.get((seq, &asked.0))?;
        Ok(row.map(|row| row.value().to_vec()))
    }

    pub(crate) fn keep_answer(&self, seq: u64, asked: &ContentHash, answer: &[u8]) -> Result<()> {
        self.open(tables::ANSWERS)?
            .insert((seq, &asked.0), answer)?;
        Ok(())
    }

    /// The kept files that a document refers to.
    pub(crate) fn files(&self, seq: u64) -> Result<Vec<ContentHash>> {
        let table = self.open(tables::FILES_OF)?;
        let rows = table.range((seq, &[0; 32])..=(seq, &[u8::MAX; 32]))?;
        rows.map(|row| Ok(ContentHash(*row?.0.value().1))).collect()
    }

    /// The ties between a document's nodes.
    pub(crate) fn edges(&self, seq: u64) -> Result<Vec<Edge>> {
        let table = self.open(tables::EDGES)?;
        let mut out = Vec::new();
        for row in table.range((seq, 0)..=(seq, u32::MAX))? {
            out.extend(decode::<Vec<Edge>>(row?.1.value())?);
        }
        Ok(out)
    }

    /// Gives one insertion of a document the answers that another has.
    pub(crate) fn copy_answers(&self, from: u64, to: u64) -> Result<()> {
        let mut table = self.open(tables::ANSWERS)?;
        let mut rows = Vec::new();
        for row in table.range((from, &[0; 32])..=(from, &[u8::MAX; 32]))? {
            let (key, row) = row?;
            rows.push((*key.value().1, row.value().to_vec()));
        }
        for (asked, answer) in rows {
            table.insert((to, &asked), answer.as_slice())?;
        }
        Ok(())
    }

    pub(crate) fn space(&self, name: &str) -> Result<Space> {
        let spaces = self.open(tables::SPACES)?;
        let row = spaces.get(name)?;
        let row = row.ok_or_else(|| StoreError::UnknownSpace(name.to_owned()))?;
        let (number, dimension) = row.value();
        Ok(Space {
            name: name.to_owned(),
            number,
            dimension,
        })
    }

    pub(crate) fn embedded(&self, space: &Space, input: InputHash) -> Result<Option<Vec<f32>>> {
        let inputs = self.open(tables::EMBEDDED)?;
        embedded(&inputs, &self.open(tables::VECTORS)?, space, input)
    }

    // Adding.

    /// Inserts a document; its views have been checked. Gives its number and the bytes written.
    pub(crate) fn insert(
        &self,
        new: &NewDocument<'_>,
        files: &[ContentHash],
    ) -> Result<(u64, usize)> {
        let seq = self.take_number(tables::NEXT_SEQ)?;
        let document = &new.document;
        let row = encode(&DocumentRow {
            head: DocumentHead {
                id: document.id,
                added_at: self.generation,
                language: document.language.clone(),
            },
            title: document.title.clone(),
            media_type: document.media_type,
            pages: document.pages.len() as u32,
            nodes: document.nodes.len() as u32,
            parser: new.parser.clone(),
            warnings: new.warnings.clone(),
        })?;
        self.open(tables::DOCUMENTS)?.insert(seq, row.as_slice())?;
        let pages = encode(&document.pages)?;
        self.open(tables::PAGES)?.insert(seq, pages.as_slice())?;
        self.open(tables::BY_ID)?
            .insert((&document.id.0, seq), ())?;
        let mut bytes = row.len() + pages.len();
        let mut nodes = self.open(tables::NODES)?;
        for node in &document.nodes {
            let row = encode(node)?;
            nodes.insert((seq, node.id.0), row.as_slice())?;
            bytes += row.len();
        }
        drop(nodes);
        bytes += self.insert_edges(seq, &new.edges)?;
        let mut seen = self.open(tables::SEEN)?;
        for (key, row) in &new.seen {
            seen.insert((seq, &key.0), row.as_slice())?;
            bytes += row.len();
        }
        drop(seen);
        let mut by_file = self.open(tables::FILES)?;
        let mut by_document = self.open(tables::FILES_OF)?;
        for file in files {
            by_file.insert((&file.0, seq), ())?;
            by_document.insert((seq, &file.0), ())?;
        }
        Ok((seq, bytes))
    }

    fn insert_edges(&self, seq: u64, edges: &[Edge]) -> Result<usize> {
        let mut lists: BTreeMap<u32, Vec<Edge>> = BTreeMap::new();
        for edge in edges {
            lists.entry(edge.from.0).or_default().push(*edge);
        }
        let mut table = self.open(tables::EDGES)?;
        let mut bytes = 0;
        for (from, list) in lists {
            let row = encode(&list)?;
            table.insert((seq, from), row.as_slice())?;
            bytes += row.len();
        }
        Ok(bytes)
    }

    /// Gives a document a source.
    pub(crate) fn insert_source(&self, seq: u64, uri: &str, link: Option<Link>) -> Result<()> {
        let row = encode(&SourceRow {
            removed_at: None,
            link,
        })?;
        let at = self.generation;
        self.open(tables::SOURCES)?
            .insert((seq, uri, at), row.as_slice())?;
        self.open(tables::BY_SOURCE)?.insert((uri, at, seq), ())?;
        Ok(())
    }

    /// Notes that a document refers to a kept file.
    pub(crate) fn insert_file(&self, seq: u64, file: &ContentHash) -> Result<()> {
        self.open(tables::FILES)?.insert((&file.0, seq), ())?;
        self.open(tables::FILES_OF)?.insert((seq, &file.0), ())?;
        Ok(())
    }

    /// Inserts the units of a view, with their vectors, and logs it. Gives the bytes written.
    pub(crate) fn insert_view(&self, seq: u64, new: &NewView) -> Result<usize> {
        let view = view_code(new.view);
        let mut units = self.open(tables::UNITS)?;
        let mut bytes = 0;
        for unit in &new.units {
            let row = encode(unit)?;
            units.insert((seq, view, unit.ordinal), row.as_slice())?;
            bytes += row.len();
        }
        let row = (self.generation, new.units.len() as u32);
        self.open(tables::VIEWS)?.insert((seq, view), row)?;
        self.log_addition(seq, new.view, 0)?;
        for vectors in &new.vectors {
            bytes += self.insert_vectors(seq, new.view, vectors)?;
        }
        Ok(bytes)
    }

    /// Inserts the vectors of a view in one space, and logs it. Gives the bytes written.
    pub(crate) fn insert_vectors(&self, seq: u64, view: View, new: &NewVectors) -> Result<usize> {
        let space = self.space(&new.space)?;
        let code = view_code(view);
        let mut table = self.open(tables::VECTORS)?;
        let mut bytes = 0;
        let per_block = rows_per_block(space.dimension) as usize;
        for (number, rows) in (0_u32..).zip(new.rows.chunks(per_block)) {
            let block = blocks::encode(rows);
            table.insert((space.number, seq, code, number), block.as_slice())?;
            bytes += block.len();
        }
        let mut inputs = self.open(tables::EMBEDDED)?;
        for (at, row) in (0_u32..).zip(&new.rows) {
            inputs.insert((space.number, row.input.key(), seq, code, at), ())?;
        }
        let row = (
            self.generation,
            new.rows.len() as u32,
            new.omitted.len() as u32,
        );
        self.open(tables::VECTOR_SETS)?
            .insert((space.number, code, seq), row)?;
        self.log_addition(seq, view, space.number)?;
        Ok(bytes)
    }

    fn log_addition(&self, seq: u64, view: View, space: u32) -> Result<()> {
        let key = (self.generation, seq, view_code(view), space);
        self.open(tables::ADDITIONS)?.insert(key, ())?;
        Ok(())
    }

    /// Checks a view against a present document, and its vectors against their spaces.
    pub(crate) fn check_view(&self, view: &mut NewView, nodes: usize) -> Result<()> {
        check_units(view.view, &view.units, nodes)?;
        let units = view.units.len() as u32;
        for at in 0..view.vectors.len() {
            let (before, rest) = view.vectors.split_at_mut(at);
            let Some(vectors) = rest.first_mut() else {
                break;
            };
            if before.iter().any(|other| other.space == vectors.space) {
                let space = &vectors.space;
                return Err(StoreError::Invalid(format!("space `{space}` comes twice")));
            }
            let space = self.space(&vectors.space)?;
            check_vectors(vectors, space.dimension, units)?;
        }
        Ok(())
    }

    /// How many units a document has in a view, if it has the view.
    pub(crate) fn units(&self, seq: u64, view: View) -> Result<Option<u32>> {
        let views = self.open(tables::VIEWS)?;
        let row = views.get((seq, view_code(view)))?;
        Ok(row.map(|row| row.value().1))
    }

    pub(crate) fn has_vectors(&self, space: &Space, view: View, seq: u64) -> Result<bool> {
        let sets = self.open(tables::VECTOR_SETS)?;
        Ok(sets.get((space.number, view_code(view), seq))?.is_some())
    }

    /// The space of this name, made if there is none; its dimension must be this.
    pub(crate) fn ensure_space(&self, name: &str, dimension: u32) -> Result<()> {
        match self.space(name) {
            Ok(space) if space.dimension == dimension => Ok(()),
            Ok(space) => Err(StoreError::WrongDimension {
                space: space.name,
                expected: space.dimension,
                found: dimension,
            }),
            Err(StoreError::UnknownSpace(_)) => {
                let number = self.take_number(tables::NEXT_SPACE)? as u32;
                self.open(tables::SPACES)?
                    .insert(name, (number, dimension))?;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    // Removing.

    /// Takes a source from the document that has it. The document goes with its last source; then
    /// its number is given.
    pub(crate) fn remove_source(&self, uri: &str) -> Result<Option<u64>> {
        let Some((seq, added_at)) = self.find_source(uri)? else {
            return Ok(None);
        };
        self.mark_source(seq, uri, added_at)?;
        self.remove_if_unknown(seq)
    }

    /// Gives a source to a present document, and takes it from the one that has it. If that goes
    /// with it, its number is given.
    pub(crate) fn move_source(
        &self,
        seq: u64,
        uri: &str,
        link: Option<Link>,
    ) -> Result<Option<u64>> {
        let old = self.find_source(uri)?;
        self.insert_source(seq, uri, link)?;
        match old {
            // The row was overwritten.
            Some((other, added_at)) if (other, added_at) == (seq, self.generation) => Ok(None),
            Some((other, added_at)) => {
                self.mark_source(other, uri, added_at)?;
                self.remove_if_unknown(other)
            }
            None => Ok(None),
        }
    }

    fn remove_if_unknown(&self, seq: u64) -> Result<Option<u64>> {
        if !self.present_sources(seq)?.is_empty() {
            return Ok(None);
        }
        self.mark_document(seq)?;
        Ok(Some(seq))
    }

    /// Removes a present document with all its sources.
    pub(crate) fn remove_document(&self, seq: u64) -> Result<()> {
        for (uri, added_at, _) in self.present_sources(seq)? {
            self.mark_source(seq, &uri, added_at)?;
        }
        self.mark_document(seq)
    }

    fn mark_source(&self, seq: u64, uri: &str, added_at: u64) -> Result<()> {
        let mut sources = self.open(tables::SOURCES)?;
        let row = sources.get((seq, uri, added_at))?;
        let Some(mut row) = row
            .map(|row| decode::<SourceRow>(row.value()))
            .transpose()?
        else {
            return Ok(());
        };
        row.removed_at = Some(self.generation);
        let row = encode(&row)?;
        sources.insert((seq, uri, added_at), row.as_slice())?;
        self.open(tables::REMOVALS)?
            .insert((self.generation, seq, uri, added_at), ())?;
        Ok(())
    }

    fn mark_document(&self, seq: u64) -> Result<()> {
        let mut removals = self.open(tables::REMOVALS)?;
        removals.insert((self.generation, seq, "", 0), ())?;
        Ok(())
    }

    /// Deletes a space with all its vectors.
    pub(crate) fn drop_space(&self, space: &Space) -> Result<()> {
        let number = space.number;
        let mut additions = self.open(tables::ADDITIONS)?;
        let mut sets = self.open(tables::VECTOR_SETS)?;
        for view in View::ALL {
            let view = view_code(view);
            let keys = (number, view, 0)..=(number, view, u64::MAX);
            for row in sets.range(keys.clone())? {
                let (key, row) = row?;
                let (_, view, seq) = key.value();
                additions.remove((row.value().0, seq, view, number))?;
            }
            sets.retain_in(keys, |_, _| false)?;
        }
        let first = (number, 0, 0, 0);
        let last = (number, u64::MAX, u8::MAX, u32::MAX);
        self.open(tables::VECTORS)?
            .retain_in(first..=last, |_, _| false)?;
        let first = (number, 0, 0, 0, 0);
        let last = (number, u128::MAX, u64::MAX, u8::MAX, u32::MAX);
        self.open(tables::EMBEDDED)?
            .retain_in(first..=last, |_, ()| false)?;
        self.open(tables::SPACES)?.remove(space.name.as_str())?;
        Ok(())
    }

    // Deleting rows.

    /// Deletes the rows of what was removed at or before `until`. The kept files that no document
    /// refers to any more are noted as unused since `now`, in seconds of Unix time.
    pub(crate) fn purge(&self, until: u64, now: u64) -> Result<()> {
        let mut gone: Vec<(u64, String, u64)> = Vec::new();
        let mut removals = self.open(tables::REMOVALS)?;
        let due = (0, 0, "", 0)..(until + 1, 0, "", 0);
        for row in removals.range(due.clone())? {
            let row = row?;
            let (_, seq, uri, added_at) = row.0.value();
            gone.push((seq, uri.to_owned(), added_at));
        }
        removals.retain_in(due, |_, ()| false)?;
        drop(removals);
        let mut unused = self.open(tables::UNUSED)?;
        for (seq, uri, added_at) in gone {
            if uri.is_empty() {
                for file in self.delete_document(seq)? {
                    unused.insert((now, &file.0), ())?;
                }
            } else {
                self.delete_source(seq, &uri, added_at)?;
            }
        }
        self.open(tables::META)?.insert(tables::PURGED, until)?;
        Ok(())
    }

    /// The files that have been unused since `until` or longer, in seconds of Unix time; they are
    /// noted no more.
    pub(crate) fn expire(&self, until: u64) -> Result<Vec<ContentHash>> {
        let mut unused = self.open(tables::UNUSED)?;
        let due = ..=(until, &[u8::MAX; 32]);
        let mut files = Vec::new();
        for row in unused.range(due)? {
            files.push(ContentHash(*row?.0.value().1));
        }
        unused.retain_in(due, |_, ()| false)?;
        Ok(files)
    }

    /// Deletes a source's row, unless the source was given back in the commit that took it.
    fn delete_source(&self, seq: u64, uri: &str, added_at: u64) -> Result<()> {
        let mut sources = self.open(tables::SOURCES)?;
        let row = sources.get((seq, uri, added_at))?;
        let row = row
            .map(|row| decode::<SourceRow>(row.value()))
            .transpose()?;
        if row.is_some_and(|row| row.removed_at.is_some()) {
            sources.remove((seq, uri, added_at))?;
            self.open(tables::BY_SOURCE)?.remove((uri, added_at, seq))?;
        }
        Ok(())
    }

    fn delete_document(&self, seq: u64) -> Result<Vec<ContentHash>> {
        let mut documents = self.open(tables::DOCUMENTS)?;
        let row = documents.remove(seq)?;
        if let Some(row) = row {
            let head = DocumentHead::decode(row.value())?;
            self.open(tables::BY_ID)?.remove((&head.id.0, seq))?;
        }
        self.open(tables::PAGES)?.remove(seq)?;
        let mut sources = self.open(tables::SOURCES)?;
        let mut by_source = self.open(tables::BY_SOURCE)?;
        let own = (seq, "", 0)..(seq + 1, "", 0);
        for row in sources.range(own.clone())? {
            let row = row?;
            let (_, uri, added_at) = row.0.value();
            by_source.remove((uri, added_at, seq))?;
        }
        sources.retain_in(own, |_, _| false)?;
        let all = (seq, 0)..=(seq, u32::MAX);
        self.open(tables::NODES)?
            .retain_in(all.clone(), |_, _| false)?;
        self.open(tables::EDGES)?.retain_in(all, |_, _| false)?;
        let keys = (seq, &[0; 32])..=(seq, &[u8::MAX; 32]);
        self.open(tables::SEEN)?
            .retain_in(keys.clone(), |_, _| false)?;
        self.open(tables::ANSWERS)?.retain_in(keys, |_, _| false)?;
        self.delete_units(seq)?;
        let spaces = all_spaces(&self.open(tables::SPACES)?)?;
        for space in &spaces {
            for view in View::ALL {
                self.delete_vectors(space, seq, view)?;
            }
        }
        self.delete_files(seq)
    }

    fn delete_units(&self, seq: u64) -> Result<()> {
        let mut additions = self.open(tables::ADDITIONS)?;
        let mut views = self.open(tables::VIEWS)?;
        for view in View::ALL.map(view_code) {
            if let Some(row) = views.remove((seq, view))? {
                additions.remove((row.value().0, seq, view, 0))?;
            }
            self.open(tables::UNITS)?
                .retain_in((seq, view, 0)..=(seq, view, u32::MAX), |_, _| false)?;
        }
        Ok(())
    }

    fn delete_vectors(&self, space: &Space, seq: u64, view: View) -> Result<()> {
        let (number, code) = (space.number, view_code(view));
        let mut sets = self.open(tables::VECTOR_SETS)?;
        let Some(set) = sets.remove((number, code, seq))? else {
            return Ok(());
        };
        self.open(tables::ADDITIONS)?
            .remove((set.value().0, seq, code, number))?;
        let mut inputs = self.open(tables::EMBEDDED)?;
        let mut vectors = self.open(tables::VECTORS)?;
        let keys = (number, seq, code, 0)..=(number, seq, code, u32::MAX);
        let mut at = 0;
        for row in vectors.range(keys.clone())? {
            let (_, block) = row?;
            for row in blocks::Block::decode(block.value(), space.dimension)?.rows() {
                inputs.remove((number, row.input.key(), seq, code, at))?;
                at += 1;
            }
        }
        vectors.retain_in(keys, |_, _| false)?;
        Ok(())
    }

    fn delete_files(&self, seq: u64) -> Result<Vec<ContentHash>> {
        let mut by_document = self.open(tables::FILES_OF)?;
        let mut by_file = self.open(tables::FILES)?;
        let keys = (seq, &[0; 32])..=(seq, &[u8::MAX; 32]);
        let mut unused = Vec::new();
        for row in by_document.range(keys.clone())? {
            let file = *row?.0.value().1;
            by_file.remove((&file, seq))?;
            let mut others = by_file.range((&file, 0)..=(&file, u64::MAX))?;
            if others.next().transpose()?.is_none() {
                unused.push(ContentHash(file));
            }
        }
        by_document.retain_in(keys, |_, ()| false)?;
        Ok(unused)
    }
}
