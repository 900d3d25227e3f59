//! Searching vectors: exact in int8 over what passes the filter, the best rescored from the truth.

use crate::error::{Result, StoreError};
use crate::filter::{Groups, Resolved};
use crate::input::{UnitKey, normalise};
use crate::top::Top;
use crate::truth::{Space, Truth};
use crate::vector_segment::{Range, Segment, quantise, stride};
use catena_document::View;
use multiversion::multiversion;
use std::sync::Arc;

/// Candidates rescored for each result wanted, and at least.
const OVERSAMPLING: usize = 4;
const CANDIDATES: usize = 64;
/// Rows that are worth a thread of their own.
const ROWS_PER_THREAD: usize = 1 << 15;
/// Rows whose products are taken at once.
const BATCH: u32 = 256;

/// A unit with its vectors, found by int8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    seq: u64,
    ordinal: u32,
    /// Its rows, counted in its document.
    first: u32,
    rows: u32,
}

/// The best `k` units of each group of a view by the cosine of their best part, the best first.
pub(crate) fn search(
    (truth, segments): (&Truth, &[Arc<Segment>]),
    space: &Space,
    view: View,
    query: &[f32],
    (filter, groups): (&Resolved, &Groups),
    k: usize,
) -> Result<Vec<Vec<(UnitKey, u16, f32)>>> {
    if query.len() != space.dimension as usize {
        return Err(StoreError::WrongDimension {
            space: space.name.clone(),
            expected: space.dimension,
            found: query.len() as u32,
        });
    }
    let mut query = query.to_vec();
    if k == 0 || !normalise(&mut query) {
        return Ok(vec![Vec::new(); groups.len()]);
    }
    let keep = k.saturating_mul(OVERSAMPLING).max(CANDIDATES);
    let rescored = |candidates: Top<Candidate>| {
        let mut top = Top::new(k);
        for (_, found) in candidates.into_sorted() {
            let mut best = (f32::MIN, 0);
            let rows = found.first..found.first + found.rows;
            truth.vectors_at(space, (found.seq, view), rows, |row| {
                let cosine = row.dot(&query);
                if cosine > best.0 {
                    best = (cosine, row.part);
                }
            })?;
            top.push(best.0, (found.seq, found.ordinal, best.1));
        }
        let key = |(seq, ordinal)| UnitKey { seq, view, ordinal };
        let sorted = top.into_sorted().into_iter();
        Ok(sorted
            .map(|(score, (seq, ordinal, part))| (key((seq, ordinal)), part, score))
            .collect())
    };
    let found = scan(segments, &query, (filter, groups), keep);
    found.into_iter().map(rescored).collect()
}

/// The best units by int8, over all cores where that is worth it.
fn scan(
    segments: &[Arc<Segment>],
    query: &[f32],
    (filter, groups): (&Resolved, &Groups),
    keep: usize,
) -> Vec<Top<Candidate>> {
    let ranges: Vec<(&Segment, Range)> = segments
        .iter()
        .flat_map(|segment| segment.ranges().iter().map(|&range| (&**segment, range)))
        .filter(|(_, range)| filter.has_document(range.seq))
        .collect();
    let rows: usize = ranges.iter().map(|(_, range)| range.rows as usize).sum();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = (rows / ROWS_PER_THREAD).clamp(1, cores);
    let query = query_codes(query);
    if threads == 1 {
        return scan_ranges(&ranges, &query, (filter, groups), keep);
    }
    let mut tops: Vec<Top<Candidate>> = (0..groups.len()).map(|_| Top::new(keep)).collect();
    std::thread::scope(|scope| {
        let shares = shares(&ranges, rows.div_ceil(threads));
        let running: Vec<_> = shares
            .into_iter()
            .map(|share| scope.spawn(|| scan_ranges(share, &query, (filter, groups), keep)))
            .collect();
        for thread in running {
            let found = thread.join().unwrap_or_default();
            for (top, found) in tops.iter_mut().zip(found) {
                for (score, candidate) in found.into_sorted() {
                    top.push(score, candidate);
                }
            }
        }
    });
    tops
}

/// Cuts ranges into shares of about `rows` rows.
fn shares<'a>(
    mut ranges: &'a [(&'a Segment, Range)],
    rows: usize,
) -> Vec<&'a [(&'a Segment, Range)]> {
    let mut out = Vec::new();
    while !ranges.is_empty() {
        let mut sum = 0;
        let full = ranges.iter().position(|(_, range)| {
            sum += range.rows as usize;
            sum >= rows
        });
        let (share, rest) = ranges.split_at(full.map_or(ranges.len(), |at| at + 1));
        out.push(share);
        ranges = rest;
    }
    out
}

/// A query's codes, padded like a row's. Its scale is left out: it changes no order.
fn query_codes(query: &[f32]) -> Vec<i16> {
    let mut codes = Vec::new();
    quantise(query.iter().copied(), &mut codes);
    let mut out: Vec<i16> = codes
        .into_iter()
        .map(|code| i16::from(code as i8))
        .collect();
    out.resize(stride(query.len() as u32), 0);
    out
}

fn scan_ranges(
    ranges: &[(&Segment, Range)],
    query: &[i16],
    (filter, groups): (&Resolved, &Groups),
    keep: usize,
) -> Vec<Top<Candidate>> {
    let mut tops: Vec<Top<Candidate>> = (0..groups.len()).map(|_| Top::new(keep)).collect();
    let mut products = [0; BATCH as usize];
    for &(segment, range) in ranges {
        let mut best = Best::default();
        let end = range.first + range.rows;
        let mut at = range.first;
        while at < end {
            let run = next_run(segment, filter, range.seq, at..end);
            if run.is_empty() {
                break;
            }
            let products = &mut products[..run.len()];
            multiply(
                query,
                segment.codes(run.clone()),
                segment.stride(),
                products,
            );
            for (row, &product) in run.clone().zip(&*products) {
                let score = product as f32 * segment.scale(row);
                let unit = (segment.ordinal(row), segment.modality(row));
                best.add(unit, row - range.first, score, |score, unit| {
                    push(&mut tops, groups, (range.seq, unit), score);
                });
            }
            at = run.end;
        }
        best.finish(|score, unit| push(&mut tops, groups, (range.seq, unit), score));
    }
    tops
}

fn push(tops: &mut [Top<Candidate>], groups: &Groups, (seq, unit): (u64, Rows), score: f32) {
    let top = groups
        .group(unit.modality)
        .and_then(|group| tops.get_mut(group));
    if let Some(top) = top
        && score > top.threshold()
    {
        let candidate = Candidate {
            seq,
            ordinal: unit.ordinal,
            first: unit.first,
            rows: unit.count,
        };
        top.push(score, candidate);
    }
}

/// The next rows in a row that pass the filter, at most [`BATCH`].
fn next_run(
    segment: &Segment,
    filter: &Resolved,
    seq: u64,
    rows: std::ops::Range<u32>,
) -> std::ops::Range<u32> {
    if filter.takes_whole_documents() {
        return rows.start..rows.end.min(rows.start + BATCH);
    }
    let passes = |row: &u32| filter.has_unit(seq, segment.modality(*row), segment.ordinal(*row));
    let Some(start) = rows.clone().find(passes) else {
        return rows.end..rows.end;
    };
    let limit = rows.end.min(start + BATCH);
    let end = (start..limit).find(|row| !passes(row)).unwrap_or(limit);
    start..end
}

/// The rows of a unit.
#[derive(Clone, Copy)]
struct Rows {
    ordinal: u32,
    modality: u8,
    first: u32,
    count: u32,
}

/// Gathers the rows of a unit, which come one after the other.
#[derive(Default)]
struct Best {
    unit: Option<(f32, Rows)>,
}

impl Best {
    fn add(
        &mut self,
        (ordinal, modality): (u32, u8),
        row: u32,
        score: f32,
        done: impl FnOnce(f32, Rows),
    ) {
        match &mut self.unit {
            Some((best, unit)) if unit.ordinal == ordinal => {
                *best = best.max(score);
                unit.count += 1;
            }
            unit => {
                let new = Rows {
                    ordinal,
                    modality,
                    first: row,
                    count: 1,
                };
                if let Some((score, unit)) = unit.replace((score, new)) {
                    done(score, unit);
                }
            }
        }
    }

    fn finish(self, done: impl FnOnce(f32, Rows)) {
        if let Some((score, unit)) = self.unit {
            done(score, unit);
        }
    }
}

/// The products of a query with rows of codes; as wide as the processor can.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn multiply(query: &[i16], codes: &[u8], stride: usize, products: &mut [i32]) {
    for (row, product) in codes.chunks_exact(stride).zip(products) {
        let mut sum = 0;
        for (&a, &b) in query.iter().zip(row) {
            sum += i32::from(a) * i32::from(b as i8);
        }
        *product = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_are_exact(rows in prop::collection::vec(prop::collection::vec(any::<i8>(), 128), 1..5), query in prop::collection::vec(-127_i16..=127, 128)) {
            let codes: Vec<u8> = rows.iter().flatten().map(|&code| code as u8).collect();
            let mut products = vec![0; rows.len()];
            multiply(&query, &codes, 128, &mut products);
            for (row, product) in rows.iter().zip(products) {
                let exact: i32 = row.iter().zip(&query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
                prop_assert_eq!(product, exact);
            }
        }
    }

    #[test]
    fn shares_cover_all_ranges() {
        let ranges: Vec<u32> = vec![5, 1, 1, 9, 2, 2];
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let mut rows = crate::vector_segment::Rows::new(2);
        for (seq, &count) in (0_u64..).zip(&ranges) {
            for ordinal in 0..count {
                rows.push(seq, (ordinal, 0, 0), [1.0, 0.5].into_iter());
            }
        }
        crate::vector_segment::write(&path, 2, &mut rows.pieces()).unwrap();
        let segment = Segment::open(&path).unwrap();
        let all: Vec<_> = segment
            .ranges()
            .iter()
            .map(|&range| (&segment, range))
            .collect();
        let sizes: Vec<Vec<u32>> = shares(&all, 7)
            .iter()
            .map(|share| share.iter().map(|(_, range)| range.rows).collect())
            .collect();
        assert_eq!(sizes, [vec![5, 1, 1], vec![9], vec![2, 2]]);
    }
}
