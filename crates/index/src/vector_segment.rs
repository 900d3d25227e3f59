//! A file of int8 vectors: written once, mapped, never changed.
//!
//! All numbers are little endian. The header takes [`HEADER`] bytes: magic and version, the
//! dimension, the bytes of a row, the number of rows and of ranges (each `u32`), and the SHA-256
//! of all that is not this hash. Then follow, each for all rows in turn: the codes (a row is the
//! dimension padded with zeros to a multiple of 64, so that each begins at a multiple of 64), the
//! scales (`f32`), the ordinals (`u32`), the parts (`u16`) and the modalities (`u8`); then the
//! ranges, by document number: number (`u64`), first row and rows (`u32`). A document's rows are
//! sorted by ordinal and part.
//!
//! The product of a row's codes and scale with a vector approximates their cosine.

use crate::error::{Part, Result, StoreError};
use crate::layout::write_file;
use memmap2::Mmap;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

const MAGIC: [u8; 8] = *b"CATVEC\x00\x01";
const HEADER: usize = 64;
const HASH: std::ops::Range<usize> = 24..56;
const RANGE: usize = 16;

/// The bytes of a row of codes.
pub(crate) fn stride(dimension: u32) -> usize {
    (dimension as usize).next_multiple_of(64)
}

/// A vector as int8 codes: each value is about its code times the scale.
pub(crate) fn quantise(vector: impl Iterator<Item = f32> + Clone, codes: &mut Vec<u8>) -> f32 {
    let largest = vector.clone().fold(0.0_f32, |max, x| max.max(x.abs()));
    if largest <= 0.0 {
        codes.extend(vector.map(|_| 0));
        return 0.0;
    }
    let inverse = 127.0 / largest;
    codes.extend(vector.map(|x| ((x * inverse).round().clamp(-127.0, 127.0) as i8) as u8));
    largest / 127.0
}

/// The rows of one document, as the sections of a segment have them.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub(crate) seq: u64,
    pub(crate) codes: &'a [u8],
    pub(crate) scales: &'a [u8],
    pub(crate) ordinals: &'a [u8],
    pub(crate) parts: &'a [u8],
    pub(crate) modalities: &'a [u8],
}

/// Rows in memory, on their way to a segment.
pub(crate) struct Rows {
    stride: usize,
    seqs: Vec<(u64, usize, usize)>,
    codes: Vec<u8>,
    scales: Vec<u8>,
    ordinals: Vec<u8>,
    parts: Vec<u8>,
    modalities: Vec<u8>,
}

impl Rows {
    pub(crate) fn new(dimension: u32) -> Self {
        Self {
            stride: stride(dimension),
            seqs: Vec::new(),
            codes: Vec::new(),
            scales: Vec::new(),
            ordinals: Vec::new(),
            parts: Vec::new(),
            modalities: Vec::new(),
        }
    }

    /// Adds a row; the rows of a document come one after the other.
    pub(crate) fn push(
        &mut self,
        seq: u64,
        (ordinal, part, modality): (u32, u16, u8),
        vector: impl Iterator<Item = f32> + Clone,
    ) {
        let at = self.modalities.len();
        match self.seqs.last_mut() {
            Some((last, _, rows)) if *last == seq => *rows += 1,
            _ => self.seqs.push((seq, at, 1)),
        }
        let scale = quantise(vector, &mut self.codes);
        self.codes.resize((at + 1) * self.stride, 0);
        self.scales.extend(scale.to_le_bytes());
        self.ordinals.extend(ordinal.to_le_bytes());
        self.parts.extend(part.to_le_bytes());
        self.modalities.push(modality);
    }

    /// Bytes held.
    pub(crate) fn size(&self) -> usize {
        self.codes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.modalities.is_empty()
    }

    pub(crate) fn pieces(&self) -> Vec<Piece<'_>> {
        let stride = self.stride;
        let piece = |&(seq, first, rows): &(u64, usize, usize)| {
            let to = first + rows;
            Piece {
                seq,
                codes: &self.codes[first * stride..to * stride],
                scales: &self.scales[first * 4..to * 4],
                ordinals: &self.ordinals[first * 4..to * 4],
                parts: &self.parts[first * 2..to * 2],
                modalities: &self.modalities[first..to],
            }
        };
        self.seqs.iter().map(piece).collect()
    }
}

/// Writes a segment of these pieces, by document number; its bytes are on disk on return.
pub(crate) fn write(path: &Path, dimension: u32, pieces: &mut [Piece<'_>]) -> Result<()> {
    pieces.sort_unstable_by_key(|piece| piece.seq);
    let rows: usize = pieces.iter().map(|piece| piece.modalities.len()).sum();
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    let numbers = [
        dimension,
        stride(dimension) as u32,
        rows as u32,
        pieces.len() as u32,
    ];
    for (at, number) in numbers.into_iter().enumerate() {
        header[8 + 4 * at..12 + 4 * at].copy_from_slice(&number.to_le_bytes());
    }
    let hash = {
        let mut hasher = Sha256::new();
        hasher.update(header);
        sections(pieces, |bytes| {
            hasher.update(bytes);
            Ok(())
        })
        .map_err(|error| StoreError::io(path, error))?;
        hasher.finalize()
    };
    header[HASH].copy_from_slice(&hash);
    write_file(path, |file| {
        file.write_all(&header)?;
        sections(pieces, |bytes| file.write_all(bytes))
    })
}

/// Calls `each` with the bytes of all sections in order.
fn sections(pieces: &[Piece<'_>], mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let fields: [for<'a> fn(&Piece<'a>) -> &'a [u8]; 5] = [
        |piece| piece.codes,
        |piece| piece.scales,
        |piece| piece.ordinals,
        |piece| piece.parts,
        |piece| piece.modalities,
    ];
    for field in fields {
        for piece in pieces {
            each(field(piece))?;
        }
    }
    let mut first = 0_u32;
    for piece in pieces {
        let rows = piece.modalities.len() as u32;
        each(&piece.seq.to_le_bytes())?;
        each(&first.to_le_bytes())?;
        each(&rows.to_le_bytes())?;
        first += rows;
    }
    Ok(())
}

/// The rows of one document in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) seq: u64,
    pub(crate) first: u32,
    pub(crate) rows: u32,
}

/// A segment, mapped.
pub(crate) struct Segment {
    map: Mmap,
    pub(crate) dimension: u32,
    stride: usize,
    rows: usize,
    ranges: Vec<Range>,
}

fn damaged(why: &'static str) -> StoreError {
    StoreError::damaged(Part::Vectors, why)
}

impl Segment {
    /// Maps a segment and checks that it has the shape that it says.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |error| StoreError::damaged(Part::Vectors, error);
        let file = File::open(path).map_err(failed)?;
        // SAFETY: the map is only read, and the file under it never changes: a segment is written
        // under another name, given its own by rename when it is whole, and from then on it is
        // only ever removed, which leaves the map as it is. Nothing truncates it.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
        let header = map
            .get(..HEADER)
            .ok_or_else(|| damaged("a segment is too short"))?;
        if header[..8] != MAGIC {
            return Err(damaged("a segment is of another kind"));
        }
        let number = |at: usize| {
            let bytes = header[8 + 4 * at..].first_chunk().copied();
            u32::from_le_bytes(bytes.unwrap_or_default())
        };
        let (dimension, stride, rows, ranges) = (number(0), number(1), number(2), number(3));
        let mut segment = Self {
            dimension,
            stride: stride as usize,
            rows: rows as usize,
            ranges: Vec::new(),
            map,
        };
        let expected = segment.end() as u128 + u128::from(ranges) * RANGE as u128;
        if segment.stride != self::stride(dimension) || segment.map.len() as u128 != expected {
            return Err(damaged("a segment has a wrong size"));
        }
        segment.ranges = segment.read_ranges()?;
        Ok(segment)
    }

    fn read_ranges(&self) -> Result<Vec<Range>> {
        let bytes = &self.map[self.end()..];
        let mut out: Vec<Range> = Vec::with_capacity(bytes.len() / RANGE);
        let mut next = 0;
        for range in bytes.chunks_exact(RANGE) {
            let seq = u64::from_le_bytes(range[..8].first_chunk().copied().unwrap_or_default());
            let first = u32::from_le_bytes(range[8..].first_chunk().copied().unwrap_or_default());
            let rows = u32::from_le_bytes(range[12..].first_chunk().copied().unwrap_or_default());
            let in_order = out.last().is_none_or(|last| last.seq < seq);
            if !in_order || first as usize != next || rows as usize > self.rows - next {
                return Err(damaged("the documents of a segment are out of order"));
            }
            next += rows as usize;
            out.push(Range { seq, first, rows });
        }
        if next != self.rows {
            return Err(damaged("rows of a segment belong to no document"));
        }
        Ok(out)
    }

    /// Whether its bytes are those that were written.
    pub(crate) fn is_intact(&self) -> bool {
        let mut header = [0; HEADER];
        header.copy_from_slice(&self.map[..HEADER]);
        let hash: Vec<u8> = header[HASH].to_vec();
        header[HASH].fill(0);
        let mut hasher = Sha256::new();
        hasher.update(header);
        hasher.update(&self.map[HEADER..]);
        hasher.finalize().as_slice() == hash
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The documents in it, by number.
    pub(crate) fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    pub(crate) fn range_of(&self, seq: u64) -> Option<Range> {
        let at = self.ranges.binary_search_by_key(&seq, |range| range.seq);
        at.ok().map(|at| self.ranges[at])
    }

    // Where the sections begin.

    fn scales_at(&self) -> usize {
        HEADER + self.rows * self.stride
    }

    fn ordinals_at(&self) -> usize {
        self.scales_at() + 4 * self.rows
    }

    fn parts_at(&self) -> usize {
        self.ordinals_at() + 4 * self.rows
    }

    fn modalities_at(&self) -> usize {
        self.parts_at() + 2 * self.rows
    }

    fn end(&self) -> usize {
        self.modalities_at() + self.rows
    }

    /// The codes of rows, each padded to the stride.
    pub(crate) fn codes(&self, rows: std::ops::Range<u32>) -> &[u8] {
        let at = |row: u32| HEADER + row as usize * self.stride;
        &self.map[at(rows.start)..at(rows.end)]
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// The rows of a unit, the parts in order.
    pub(crate) fn rows_of(&self, range: Range, ordinal: u32) -> std::ops::Range<u32> {
        let first = |wanted: u32| {
            let (mut low, mut high) = (range.first, range.first + range.rows);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.ordinal(middle) < wanted {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        let begin = first(ordinal);
        begin..ordinal.checked_add(1).map_or(begin, first)
    }

    /// The vector of a row, as near as its codes give it.
    pub(crate) fn vector(&self, row: u32) -> Vec<f32> {
        let scale = self.scale(row);
        let codes = self.codes(row..row + 1).iter();
        let values = codes.map(|&code| f32::from(code as i8) * scale);
        values.take(self.dimension as usize).collect()
    }

    pub(crate) fn scale(&self, row: u32) -> f32 {
        f32::from_le_bytes(self.bytes(self.scales_at() + 4 * row as usize))
    }

    pub(crate) fn ordinal(&self, row: u32) -> u32 {
        u32::from_le_bytes(self.bytes(self.ordinals_at() + 4 * row as usize))
    }

    pub(crate) fn part(&self, row: u32) -> u16 {
        u16::from_le_bytes(self.bytes(self.parts_at() + 2 * row as usize))
    }

    pub(crate) fn modality(&self, row: u32) -> u8 {
        self.map[self.modalities_at() + row as usize]
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.map[at..].first_chunk().copied().unwrap_or([0; N])
    }

    /// The rows of one of its documents, to be copied.
    pub(crate) fn piece(&self, range: Range) -> Piece<'_> {
        let (from, to) = (range.first as usize, (range.first + range.rows) as usize);
        let slice = |at: usize, size: usize| &self.map[at + from * size..at + to * size];
        Piece {
            seq: range.seq,
            codes: slice(HEADER, self.stride),
            scales: slice(self.scales_at(), 4),
            ordinals: slice(self.ordinals_at(), 4),
            parts: slice(self.parts_at(), 2),
            modalities: slice(self.modalities_at(), 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn segment(dir: &Path, docs: &[(u64, u32)]) -> std::path::PathBuf {
        let mut rows = Rows::new(70);
        for &(seq, count) in docs {
            for ordinal in 0..count {
                let vector = (0..70).map(move |x| ((x + ordinal + seq as u32) as f32).sin());
                rows.push(seq, (ordinal, ordinal as u16 % 2, 1), vector);
            }
        }
        let path = dir.join("1.segment");
        write(&path, 70, &mut rows.pieces()).unwrap();
        path
    }

    #[test]
    fn a_segment_gives_back_its_rows_by_document() {
        let dir = tempfile::tempdir().unwrap();
        let segment = Segment::open(&segment(dir.path(), &[(9, 2), (3, 3)])).unwrap();
        assert!(segment.is_intact());
        assert_eq!(
            (segment.rows(), segment.stride(), segment.dimension),
            (5, 128, 70)
        );
        let seqs: Vec<_> = segment.ranges().iter().map(|range| range.seq).collect();
        assert_eq!(seqs, [3, 9]);
        let nine = segment.range_of(9).unwrap();
        assert_eq!((nine.first, nine.rows), (3, 2));
        assert_eq!(
            (segment.ordinal(4), segment.part(4), segment.modality(4)),
            (1, 1, 1)
        );
        let codes = segment.codes(4..5);
        let scale = segment.scale(4);
        for (x, &code) in codes.iter().enumerate().take(70) {
            let exact = ((x as u32 + 1 + 9) as f32).sin();
            assert!((f32::from(code as i8) * scale - exact).abs() <= scale / 2.0 + 1e-6);
        }
        assert!(codes[70..].iter().all(|&code| code == 0));
        assert_eq!(segment.codes(0..1).as_ptr() as usize % 64, 0);
    }

    #[test]
    fn a_damaged_segment_is_refused_or_found_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = segment(dir.path(), &[(1, 4), (2, 1)]);
        let whole = fs::read(&path).unwrap();
        let damaged = dir.path().join("damaged");
        for cut in [0, 1, HEADER - 1, HEADER, whole.len() / 2, whole.len() - 1] {
            fs::write(&damaged, &whole[..cut]).unwrap();
            assert!(Segment::open(&damaged).is_err(), "cut at {cut}");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            fs::remove_file(&damaged).unwrap();
            fs::write(&damaged, &bytes).unwrap();
            let passes = Segment::open(&damaged).is_ok_and(|segment| segment.is_intact());
            assert!(!passes, "byte {at} changed");
        }
    }
}
