//! Fakes of the models for tests: fast, the same everywhere, without files.

use crate::embed::normalise;
use crate::{
    Embedder, Layout, LayoutRegion, ModelError, Ocr, OcrLine, PixelBox, Point, Quad, Space,
    TableCells, TableStructure,
};
use image::RgbImage;

/// Embeds a text as the bag of its words: each word, in lower case, adds or subtracts 1 at a place
/// that its hash names. Texts that share words are near. A text without words gets the first unit
/// vector.
#[derive(Clone, Debug)]
pub struct HashEmbedder {
    space: Space,
}

impl HashEmbedder {
    /// An embedder into `dimension` numbers, at least 1, with a window of 254 words.
    pub fn new(dimension: usize) -> Self {
        let dimension = dimension.max(1);
        Self {
            space: Space {
                name: format!("hash-{dimension}"),
                dimension,
                window: 254,
            },
        }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.space.dimension];
        for word in text.split_whitespace().take(self.space.window) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let hash = fnv1a(&word.to_lowercase());
            let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
            vector[(hash % self.space.dimension as u64) as usize] += sign;
        }
        if vector.iter().all(|&x| x == 0.0) {
            vector[0] = 1.0;
        }
        normalise(&mut vector);
        vector
    }
}

impl Embedder for HashEmbedder {
    fn space(&self) -> &Space {
        &self.space
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

/// Finds the same on every picture: an [`Ocr`], a [`Layout`] and a [`TableStructure`].
#[derive(Clone, Debug, Default)]
pub struct FixedSight {
    /// The lines of text.
    pub lines: Vec<OcrLine>,
    /// The regions of a page.
    pub regions: Vec<LayoutRegion>,
    /// The cells of a table.
    pub cells: TableCells,
}

impl Ocr for FixedSight {
    fn read(&self, _: &RgbImage) -> Result<Vec<OcrLine>, ModelError> {
        Ok(self.lines.clone())
    }
}

impl Layout for FixedSight {
    fn find(&self, _: &RgbImage) -> Result<Vec<LayoutRegion>, ModelError> {
        Ok(self.regions.clone())
    }
}

impl TableStructure for FixedSight {
    fn cells(&self, _: &RgbImage) -> Result<TableCells, ModelError> {
        Ok(self.cells.clone())
    }
}

/// A line of upright text in a box, read without doubt, its characters all of one width.
pub fn ocr_line(text: &str, bbox: PixelBox) -> OcrLine {
    let PixelBox {
        left,
        top,
        right,
        bottom,
    } = bbox;
    let corners: [Point; 4] = [[left, top], [right, top], [right, bottom], [left, bottom]];
    let count = text.chars().count();
    OcrLine {
        text: text.to_owned(),
        quad: Quad { corners },
        confidence: 1.0,
        centres: (0..count)
            .map(|at| (at as f32 + 0.5) / count as f32)
            .collect(),
    }
}

/// The 64-bit FNV-1a hash: the same on every machine and in every release.
fn fnv1a(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_words_make_texts_near() {
        let embedder = HashEmbedder::new(64);
        let texts = [
            "Close the main valve.",
            "the valve: close it",
            "a blue bird sang",
            "",
        ];
        let vectors = embedder.embed(&texts).expect("never fails");
        let cosine = |a: usize, b: usize| -> f32 {
            vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum()
        };
        assert!(cosine(0, 1) > 0.5 && cosine(0, 1) > cosine(0, 2) + 0.3);
        assert!(vectors.iter().all(|vector| vector.len() == 64));
        assert!((0..texts.len()).all(|at| (cosine(at, at) - 1.0).abs() < 1e-5));
        assert_eq!(
            vectors,
            HashEmbedder::new(64).embed(&texts).expect("never fails")
        );
    }

    #[test]
    fn a_line_has_words_in_their_places() {
        let line = ocr_line(
            "ab c",
            PixelBox {
                left: 100.0,
                top: 0.0,
                right: 140.0,
                bottom: 10.0,
            },
        );
        let words = line.words();
        let words = words
            .iter()
            .map(|word| (word.text, word.quad.bbox().left, word.quad.bbox().right));
        assert_eq!(
            words.collect::<Vec<_>>(),
            [("ab", 100.0, 120.0), ("c", 130.0, 140.0)]
        );
    }
}
