//! Turning texts into vectors.

use crate::ModelError;

/// The space that an embedder's vectors belong to. Vectors of two spaces are never compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// The model and the start of its hash: `minilm@8199be6f`.
    pub name: String,
    /// The numbers of a vector.
    pub dimension: usize,
    /// The most tokens that a text may have, as [`Embedder::count_tokens`] counts them; what is
    /// beyond is not read.
    pub window: usize,
}

/// Turns texts into vectors whose dot product says how near their meanings are.
pub trait Embedder: Send + Sync {
    /// The space of its vectors.
    fn space(&self) -> &Space;

    /// The tokens of a text, special tokens left out. Words between white space add up: the count
    /// of a text is the sum of theirs. Fast for words that were counted before.
    fn count_tokens(&self, text: &str) -> usize;

    /// A vector of length 1 for each text, in the order of the texts. The vector of a text does
    /// not depend on the other texts.
    ///
    /// # Errors
    /// [`ModelError::Run`].
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError>;
}

/// The cosine of two vectors of length 1, -1 to 1.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Scales a vector to length 1; one of zeros stays.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}
