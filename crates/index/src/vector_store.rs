//! The vector segments of a store and the manifest that lists them.
//!
//! A commit writes its new rows to a segment for each space and view, then replaces the manifest.
//! Four segments of about a size are merged into one, so that their number grows with the
//! logarithm of the store and a row is copied a few times in its life; a merge leaves out the rows
//! of documents that are gone.

use crate::error::{Part, Result, StoreError};
use crate::layout::{Layout, discard, entries, sync_dir, write_atomic};
use crate::protocol::dropped;
use crate::tables::view_code;
use crate::text_index::modality_code;
use crate::truth::{Space, Truth};
use crate::vector_segment::{self, Piece, Rows, Segment};
use catena_document::{ContentHash, View};
use serde::{Deserialize, Serialize};
use std::collections::hash_map::Entry::Vacant;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Codes that are gathered before a segment is written, in bytes.
const GATHERED: usize = 64 << 20;
/// Segments of a size that are merged into one.
const FAN: usize = 4;
/// Rows of the smallest size.
const SMALLEST: u64 = 256;
/// A segment with more rows is merged by [`VectorStore::compact`] only.
const LARGEST: u64 = 1 << 22;

/// Which segments there are at one generation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) generation: u64,
    /// The number of the next segment's file. Never used twice, since readers keep segments by it.
    next: u64,
    segments: Vec<Entry>,
}

/// A segment in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    file: u64,
    space: u32,
    view: u8,
    rows: u64,
    /// Rows of documents that are gone.
    dead: u64,
}

impl Entry {
    fn group(&self) -> (u32, u8) {
        (self.space, self.view)
    }

    /// Sizes grow by [`FAN`].
    fn size(&self) -> u32 {
        (self.rows / SMALLEST).max(1).ilog(FAN as u64)
    }
}

const MANIFEST: &str = "manifest";

fn damaged(why: &'static str) -> StoreError {
    StoreError::damaged(Part::Vectors, why)
}

impl Manifest {
    fn read(dir: &Path) -> Result<Self> {
        let text = fs::read_to_string(dir.join(MANIFEST))
            .map_err(|error| StoreError::damaged(Part::Vectors, error))?;
        let (hash, json) = text
            .split_once('\n')
            .ok_or_else(|| damaged("the manifest is cut"))?;
        if ContentHash::of(json.as_bytes()).to_string() != hash {
            return Err(damaged("the manifest is damaged"));
        }
        serde_json::from_str(json).map_err(|error| StoreError::damaged(Part::Vectors, error))
    }

    fn write(&self, dir: &Path) -> Result<()> {
        let json = serde_json::to_string_pretty(self)
            .map_err(|error| StoreError::damaged(Part::Vectors, error))?;
        let hash = ContentHash::of(json.as_bytes());
        write_atomic(&dir.join(MANIFEST), format!("{hash}\n{json}").as_bytes())
    }
}

fn path(dir: &Path, file: u64) -> PathBuf {
    dir.join(format!("{file}.segment"))
}

/// Segments by the number of their file.
type Open = HashMap<u64, Arc<Segment>>;

/// Opens the segments of a manifest that are not open, and forgets those that are not in it.
fn open_segments(dir: &Path, manifest: &Manifest, open: &mut Open) -> Result<()> {
    let listed: HashSet<u64> = manifest.segments.iter().map(|entry| entry.file).collect();
    open.retain(|file, _| listed.contains(file));
    for entry in &manifest.segments {
        if let Vacant(place) = open.entry(entry.file) {
            let segment = Segment::open(&path(dir, entry.file))?;
            if segment.rows() as u64 != entry.rows {
                return Err(damaged("a segment is not the one of the manifest"));
            }
            place.insert(Arc::new(segment));
        }
    }
    Ok(())
}

/// The segments at one moment, for reading.
#[derive(Clone)]
pub(crate) struct VectorView {
    pub(crate) generation: u64,
    groups: HashMap<(u32, u8), Vec<Arc<Segment>>>,
}

impl VectorView {
    /// The segments of a space and view.
    pub(crate) fn segments(&self, space: u32, view: View) -> &[Arc<Segment>] {
        let segments = self.groups.get(&(space, view_code(view)));
        segments.map_or(&[], Vec::as_slice)
    }
}

/// Opens the segments for reading, and keeps them open between snapshots.
pub(crate) struct VectorReader {
    dir: PathBuf,
    open: Open,
}

impl VectorReader {
    pub(crate) fn new(layout: &Layout) -> Self {
        Self {
            dir: layout.vectors(),
            open: Open::new(),
        }
    }

    /// The segments as they are now.
    pub(crate) fn view(&mut self) -> Result<VectorView> {
        let manifest = Manifest::read(&self.dir)?;
        open_segments(&self.dir, &manifest, &mut self.open)?;
        let mut groups: HashMap<_, Vec<_>> = HashMap::new();
        for entry in &manifest.segments {
            if let Some(segment) = self.open.get(&entry.file) {
                groups
                    .entry(entry.group())
                    .or_default()
                    .push(segment.clone());
            }
        }
        Ok(VectorView {
            generation: manifest.generation,
            groups,
        })
    }
}

/// The segments, open for writing.
pub(crate) struct VectorStore {
    dir: PathBuf,
    manifest: Manifest,
    /// Whether the manifest on disk is this one.
    published: bool,
    open: Open,
}

impl VectorStore {
    /// Opens the segments of a store; an error says that they must be rebuilt.
    ///
    /// `check` reads them all, after a crash.
    pub(crate) fn open(layout: &Layout, check: bool) -> Result<Self> {
        let dir = layout.vectors();
        let manifest = Manifest::read(&dir)?;
        let mut open = Open::new();
        open_segments(&dir, &manifest, &mut open)?;
        if check && !open.values().all(|segment| segment.is_intact()) {
            return Err(damaged("a segment is damaged"));
        }
        let store = Self {
            dir,
            manifest,
            published: true,
            open,
        };
        store.sweep()?;
        Ok(store)
    }

    /// Begins without segments. What is there is removed by the next commit.
    pub(crate) fn create(layout: &Layout) -> Result<Self> {
        let dir = layout.vectors();
        fs::create_dir_all(&dir).map_err(|error| StoreError::io(&dir, error))?;
        // Later than any number that a manifest which is lost can have given.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let next = now.map_or(1, |time| time.as_micros() as u64);
        Ok(Self {
            dir,
            manifest: Manifest {
                next,
                ..Manifest::default()
            },
            published: false,
            open: Open::new(),
        })
    }

    pub(crate) fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// Whether what is on disk is the state of the truth at `generation`.
    pub(crate) fn is_at(&self, generation: u64) -> bool {
        self.published && self.manifest.generation == generation
    }

    /// Commits what the truth has added and dropped since.
    pub(crate) fn catch_up(&mut self, truth: &Truth) -> Result<()> {
        let (from, to) = (self.manifest.generation, truth.generation);
        let spaces = truth.spaces()?;
        let gone = truth.removed(0..=dropped(to))?;
        let mut next = self.manifest.clone();
        next.generation = to;
        next.segments
            .retain(|entry| spaces.iter().any(|space| space.number == entry.space));
        let newly_gone = truth.removed(dropped(from) + 1..=dropped(to))?;
        for entry in &mut next.segments {
            let segment = self.segment(entry.file)?;
            let rows = newly_gone.iter().filter_map(|&seq| segment.range_of(seq));
            entry.dead += rows.map(|range| u64::from(range.rows)).sum::<u64>();
        }
        next.segments.retain(|entry| entry.dead < entry.rows);
        self.add(truth, &spaces, from, &gone, &mut next)?;
        let lives = |seq| Ok(!gone.contains(&seq) && truth.has_document(seq)?);
        while let Some(files) = due(&next.segments) {
            self.merge(&mut next, &files, &lives)?;
        }
        self.publish(next)
    }

    /// Merges the segments of each space and view into one, without rows of what is gone.
    pub(crate) fn compact(&mut self, truth: &Truth) -> Result<()> {
        let gone = truth.removed(0..=dropped(truth.generation))?;
        let lives = |seq| Ok(!gone.contains(&seq) && truth.has_document(seq)?);
        let mut next = self.manifest.clone();
        let mut groups: BTreeMap<(u32, u8), Vec<u64>> = BTreeMap::new();
        for entry in &next.segments {
            groups.entry(entry.group()).or_default().push(entry.file);
        }
        for files in groups.into_values() {
            let dead = next
                .segments
                .iter()
                .filter(|entry| files.contains(&entry.file));
            if files.len() > 1 || dead.map(|entry| entry.dead).sum::<u64>() > 0 {
                self.merge(&mut next, &files, &lives)?;
            }
        }
        self.publish(next)
    }

    /// Writes segments of the vectors added after `from`.
    fn add(
        &mut self,
        truth: &Truth,
        spaces: &[Space],
        from: u64,
        gone: &HashSet<u64>,
        next: &mut Manifest,
    ) -> Result<()> {
        let mut groups: BTreeMap<(u32, u8), Rows> = BTreeMap::new();
        for addition in truth.additions(from + 1..=truth.generation)? {
            let Some(space) = spaces.iter().find(|space| space.number == addition.space) else {
                continue;
            };
            let (seq, view) = (addition.seq, addition.view);
            if gone.contains(&seq) || !truth.has_document(seq)? {
                continue;
            }
            let units = truth.units(seq, view)?;
            let group = (space.number, view_code(view));
            let rows = groups
                .entry(group)
                .or_insert_with(|| Rows::new(space.dimension));
            truth.each_vector(space, seq, view, |row| {
                let unit = units
                    .get(row.ordinal as usize)
                    .ok_or_else(|| StoreError::damaged(Part::Truth, "a vector has no unit"))?;
                let head = (row.ordinal, row.part, modality_code(unit.modality));
                let values: Vec<f32> = row.values().collect();
                rows.push(seq, head, values.into_iter());
                Ok(())
            })?;
            if rows.size() > GATHERED
                && let Some(rows) = groups.remove(&group)
            {
                self.append(next, group, space.dimension, &mut rows.pieces())?;
            }
        }
        for (group, rows) in groups {
            let space = spaces.iter().find(|space| space.number == group.0);
            if let (Some(space), false) = (space, rows.is_empty()) {
                self.append(next, group, space.dimension, &mut rows.pieces())?;
            }
        }
        Ok(())
    }

    /// Writes a segment and lists it.
    fn append(
        &mut self,
        next: &mut Manifest,
        (space, view): (u32, u8),
        dimension: u32,
        pieces: &mut [Piece<'_>],
    ) -> Result<()> {
        let file = next.next;
        next.next += 1;
        let path = path(&self.dir, file);
        vector_segment::write(&path, dimension, pieces)?;
        let segment = Segment::open(&path)?;
        next.segments.push(Entry {
            file,
            space,
            view,
            rows: segment.rows() as u64,
            dead: 0,
        });
        self.open.insert(file, Arc::new(segment));
        Ok(())
    }

    /// Replaces segments of one space and view by one of the documents that live.
    fn merge(
        &mut self,
        next: &mut Manifest,
        files: &[u64],
        lives: &impl Fn(u64) -> Result<bool>,
    ) -> Result<()> {
        let segments: Vec<Arc<Segment>> = files
            .iter()
            .map(|&file| self.segment(file))
            .collect::<Result<_>>()?;
        let Some(first) = next
            .segments
            .iter()
            .find(|entry| files.contains(&entry.file))
        else {
            return Ok(());
        };
        let group = first.group();
        next.segments.retain(|entry| !files.contains(&entry.file));
        let mut pieces = Vec::new();
        for segment in &segments {
            for &range in segment.ranges() {
                if lives(range.seq)? {
                    pieces.push(segment.piece(range));
                }
            }
        }
        if let (Some(segment), false) = (segments.first(), pieces.is_empty()) {
            self.append(next, group, segment.dimension, &mut pieces)?;
        }
        Ok(())
    }

    fn segment(&self, file: u64) -> Result<Arc<Segment>> {
        let segment = self.open.get(&file).cloned();
        segment.ok_or_else(|| damaged("a segment is not open"))
    }

    /// Makes a manifest the current one.
    fn publish(&mut self, next: Manifest) -> Result<()> {
        // The names of the segments come before the manifest that lists them.
        sync_dir(&self.dir)?;
        next.write(&self.dir)?;
        self.manifest = next;
        self.published = true;
        let listed: HashSet<u64> = self.manifest.segments.iter().map(|e| e.file).collect();
        self.open.retain(|file, _| listed.contains(file));
        self.sweep()
    }

    /// Removes files that the manifest does not list.
    fn sweep(&self) -> Result<()> {
        let listed: HashSet<PathBuf> = self
            .manifest
            .segments
            .iter()
            .map(|entry| path(&self.dir, entry.file))
            .chain([self.dir.join(MANIFEST)])
            .collect();
        for path in entries(&self.dir)? {
            if !listed.contains(&path) {
                discard(&path);
            }
        }
        Ok(())
    }
}

/// The files that should be merged next: several of about a size, or one that is half dead.
fn due(segments: &[Entry]) -> Option<Vec<u64>> {
    if let Some(entry) = segments.iter().find(|entry| entry.dead * 2 > entry.rows) {
        return Some(vec![entry.file]);
    }
    let mut sizes: BTreeMap<((u32, u8), u32), Vec<u64>> = BTreeMap::new();
    for entry in segments.iter().filter(|entry| entry.rows <= LARGEST) {
        let files = sizes.entry((entry.group(), entry.size())).or_default();
        files.push(entry.file);
    }
    sizes.into_values().find(|files| files.len() >= FAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(file: u64, rows: u64, dead: u64) -> Entry {
        Entry {
            file,
            space: 1,
            view: 0,
            rows,
            dead,
        }
    }

    #[test]
    fn what_is_merged() {
        let sizes = |rows: &[u64]| -> Vec<Entry> {
            (0..)
                .zip(rows)
                .map(|(file, &rows)| entry(file, rows, 0))
                .collect()
        };
        assert_eq!(due(&sizes(&[100, 5, 900])), None);
        assert_eq!(due(&sizes(&[100, 5, 9000, 900, 1])), Some(vec![0, 1, 3, 4]));
        assert_eq!(due(&[entry(3, 10, 6)]), Some(vec![3]));
        assert_eq!(due(&sizes(&[LARGEST + 1; 8])), None);
    }

    proptest! {
        /// Whatever the commits, segments stay few and a row is seldom copied.
        #[test]
        fn segments_stay_few(commits in prop::collection::vec(1_u64..2000, 1..400)) {
            let mut segments: Vec<Entry> = Vec::new();
            let mut copied = 0;
            let mut file = 0;
            for &rows in &commits {
                file += 1;
                segments.push(entry(file, rows, 0));
                while let Some(files) = due(&segments) {
                    let rows: u64 = segments
                        .iter()
                        .filter(|entry| files.contains(&entry.file))
                        .map(|entry| entry.rows)
                        .sum();
                    segments.retain(|entry| !files.contains(&entry.file));
                    copied += rows;
                    file += 1;
                    segments.push(entry(file, rows, 0));
                }
            }
            let total: u64 = commits.iter().sum();
            let sizes = u64::from((total / SMALLEST).max(1).ilog(4)) + 1;
            prop_assert!(segments.len() as u64 <= 3 * sizes, "{} segments", segments.len());
            // Rows smaller than the smallest size are copied more often, at most once in FAN commits.
            prop_assert!(copied <= total * (sizes + 64), "{copied} of {total}");
        }
    }
}
