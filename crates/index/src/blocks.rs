//! How vectors lie in the truth: several rows to a value, so that pages of the database are full
//! whatever the dimension, and reading one row reads little else.
//!
//! A block holds the same number of rows for all documents of a space, the last one of a document
//! fewer. It is the rows' count (`u16`), then for each row its ordinal (`u32`), part (`u16`) and
//! the hash of what was embedded (16 bytes), then for each row its values (`f32`), all little
//! endian.

use crate::error::{Part, Result, StoreError};
use crate::input::{InputHash, NewVector};

/// Bytes that a block is meant to fill: four pages of the database, with room for its own data.
const BLOCK_BYTES: usize = 4 * 4096 - 64;
const ROW_HEAD: usize = 4 + 2 + 16;

/// Rows in a full block.
pub(crate) fn rows_per_block(dimension: u32) -> u32 {
    let row = ROW_HEAD + 4 * dimension as usize;
    (BLOCK_BYTES / row).clamp(1, usize::from(u16::MAX)) as u32
}

/// The values of a block of these rows.
pub(crate) fn encode(rows: &[NewVector]) -> Vec<u8> {
    let mut out = (rows.len() as u16).to_le_bytes().to_vec();
    for row in rows {
        out.extend(row.ordinal.to_le_bytes());
        out.extend(row.part.to_le_bytes());
        out.extend(row.input.0);
    }
    for value in rows.iter().flat_map(|row| &row.vector) {
        out.extend(value.to_le_bytes());
    }
    out
}

/// A stored block.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    heads: &'a [u8],
    values: &'a [u8],
    dimension: usize,
}

/// One row of a block.
pub(crate) struct Row<'a> {
    pub(crate) ordinal: u32,
    pub(crate) part: u16,
    pub(crate) input: InputHash,
    values: &'a [u8],
}

impl<'a> Block<'a> {
    pub(crate) fn decode(bytes: &'a [u8], dimension: u32) -> Result<Self> {
        let dimension = dimension as usize;
        let damaged = || StoreError::damaged(Part::Truth, "a vector block has a wrong size");
        let (count, rest) = bytes.split_first_chunk::<2>().ok_or_else(damaged)?;
        let count = usize::from(u16::from_le_bytes(*count));
        if rest.len() != count * (ROW_HEAD + 4 * dimension) {
            return Err(damaged());
        }
        let (heads, values) = rest.split_at(count * ROW_HEAD);
        Ok(Self {
            heads,
            values,
            dimension,
        })
    }

    pub(crate) fn rows(self) -> impl Iterator<Item = Row<'a>> {
        let heads = self.heads.chunks_exact(ROW_HEAD);
        let values = self.values.chunks_exact(4 * self.dimension.max(1));
        heads.zip(values).filter_map(|(head, values)| {
            let (ordinal, rest) = head.split_first_chunk()?;
            let (part, rest) = rest.split_first_chunk()?;
            Some(Row {
                ordinal: u32::from_le_bytes(*ordinal),
                part: u16::from_le_bytes(*part),
                input: InputHash(*rest.first_chunk()?),
                values,
            })
        })
    }

    pub(crate) fn row(self, at: u32) -> Option<Row<'a>> {
        self.rows().nth(at as usize)
    }
}

impl Row<'_> {
    pub(crate) fn values(&self) -> impl Iterator<Item = f32> {
        self.values
            .chunks_exact(4)
            .filter_map(|bytes| Some(f32::from_le_bytes(*bytes.first_chunk()?)))
    }

    /// The product with a vector of the same dimension.
    pub(crate) fn dot(&self, other: &[f32]) -> f32 {
        self.values().zip(other).map(|(a, b)| a * b).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_gives_back_its_rows() {
        let rows: Vec<NewVector> = (0..3_u16)
            .map(|at| NewVector {
                ordinal: u32::from(at) + 7,
                part: at,
                input: InputHash::of(&at.to_le_bytes()),
                vector: vec![f32::from(at), -0.5],
            })
            .collect();
        let bytes = encode(&rows);
        let block = Block::decode(&bytes, 2).unwrap();
        let back: Vec<NewVector> = block
            .rows()
            .map(|row| NewVector {
                ordinal: row.ordinal,
                part: row.part,
                input: row.input,
                vector: row.values().collect(),
            })
            .collect();
        assert_eq!(back, rows);
        assert_eq!(block.row(2).unwrap().ordinal, 9);
        assert!(block.row(3).is_none());
        assert!(Block::decode(&bytes, 3).is_err());
        assert!(Block::decode(&bytes[..1], 2).is_err());
    }

    #[test]
    fn blocks_fill_pages() {
        let filled = |dimension: u32| {
            let bytes = rows_per_block(dimension) as usize * (ROW_HEAD + 4 * dimension as usize);
            let pages = (bytes + 64).div_ceil(4096).next_power_of_two();
            bytes as f64 / (pages * 4096) as f64
        };
        for dimension in [128, 384, 512, 768, 1024] {
            assert!(
                filled(dimension) > 0.74,
                "{dimension}: {}",
                filled(dimension)
            );
        }
        assert_eq!(rows_per_block(100_000), 1);
    }
}
