//! all-MiniLM-L6-v2 in this process.

use crate::embed::normalise;
use crate::error::Cause;
use crate::parallel::{Pools, on_all_cores};
use crate::tokens::WordPieces;
use crate::{Embedder, ModelError, ModelFiles, Role, Space};
use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::NdTensor;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

/// The texts of a batch at most. Larger ones are no faster.
const BATCH_TEXTS: usize = 8;
/// The tokens of a batch at most, filling counted. Where they no longer fit the processor's
/// caches a token takes longer.
const BATCH_TOKENS: usize = 384;

/// The text embedder all-MiniLM-L6-v2: the mean of its last hidden states, scaled to length 1.
pub struct MiniLm {
    name: &'static str,
    space: Space,
    /// The tokens read at once, special tokens counted.
    window: usize,
    words: WordPieces,
    model: Model,
    nodes: Nodes,
    pools: Pools,
}

/// The inputs and the output of the network.
struct Nodes {
    ids: NodeId,
    mask: NodeId,
    types: NodeId,
    hidden: NodeId,
}

impl MiniLm {
    /// Loads `model.onnx` and `tokenizer.json`. Takes about a tenth of a second and 120 MB.
    ///
    /// # Errors
    /// [`ModelError::Load`], or [`ModelError::Missing`] for the files of another model.
    pub fn load(files: &ModelFiles) -> Result<Self, ModelError> {
        let entry = files.entry;
        let Role::TextEmbedding { dimension, window } = entry.role else {
            return Err(ModelError::Load {
                model: entry.name,
                source: "it is no text embedder".into(),
            });
        };
        let _span = tracing::debug_span!("load", model = entry.name).entered();
        let failed = |source| ModelError::Load {
            model: entry.name,
            source,
        };
        let (onnx, vocabulary) = (files.path("model.onnx")?, files.path("tokenizer.json")?);
        let (words, model) = thread::scope(|scope| {
            let words = scope.spawn(|| WordPieces::load(vocabulary));
            let model = ModelOptions::with_all_ops()
                .prepack_weights(false)
                .load_file(onnx);
            (
                words.join().unwrap_or_else(|panic| resume_unwind(panic)),
                model,
            )
        });
        let model = model.map_err(|error| failed(error.into()))?;
        let node = |name| model.node_id(name).map_err(|error| failed(error.into()));
        let hash = entry.files.iter().find(|file| file.name == "model.onnx");
        let hash = hash
            .and_then(|file| file.sha256.get(..8))
            .unwrap_or_default();
        Ok(Self {
            name: entry.name,
            space: Space {
                name: format!("{}@{hash}", entry.name),
                dimension,
                window: window.saturating_sub(2),
            },
            window,
            words: words.map_err(failed)?,
            nodes: Nodes {
                ids: node("input_ids")?,
                mask: node("attention_mask")?,
                types: node("token_type_ids")?,
                hidden: node("last_hidden_state")?,
            },
            model,
            pools: Pools::default(),
        })
    }

    /// The vectors of texts that are run at once, all filled to the length of the longest.
    fn run(&self, texts: &[&[i32]], pool: Option<Arc<ThreadPool>>) -> Result<Vec<Vec<f32>>, Cause> {
        let length = texts.iter().map(|ids| ids.len()).max().unwrap_or(0);
        let shape = [texts.len(), length];
        let mut ids = vec![0; texts.len() * length];
        let mut mask = ids.clone();
        for (row, text) in texts.iter().enumerate() {
            let row = row * length..row * length + text.len();
            ids[row.clone()].copy_from_slice(text);
            mask[row].fill(1);
        }
        let types = NdTensor::<i32, 2>::zeros(shape);
        let inputs = vec![
            (self.nodes.ids, NdTensor::from_data(shape, ids).into()),
            (self.nodes.mask, NdTensor::from_data(shape, mask).into()),
            (self.nodes.types, types.into()),
        ];
        let options = RunOptions::default().with_thread_pool(pool);
        let [hidden] = self
            .model
            .run_n(inputs, [self.nodes.hidden], Some(options))?;
        let (found, hidden) = hidden.into_shape_vec::<f32, 3>()?;
        let dimension = self.space.dimension;
        if found != [texts.len(), length, dimension] {
            return Err(format!("its output has the shape {found:?}").into());
        }
        let rows = hidden.chunks_exact(length * dimension);
        let vectors = rows
            .zip(texts)
            .map(|(row, text)| mean(&row[..text.len() * dimension], dimension));
        Ok(vectors.collect())
    }
}

impl Embedder for MiniLm {
    fn space(&self) -> &Space {
        &self.space
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.words.count(text)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let _span = tracing::debug_span!("embed", texts = texts.len()).entered();
        let failed = |source| ModelError::Run {
            model: self.name,
            source,
        };
        let encode = |text: &&str| self.words.encode(text, self.window);
        let ids = on_all_cores(texts, encode).map_err(failed)?;
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|&text| std::cmp::Reverse(ids[text].len()));
        let sorted: Vec<&[i32]> = order.iter().map(|&text| ids[text].as_slice()).collect();
        let lengths: Vec<usize> = sorted.iter().map(|ids| ids.len()).collect();
        let batches = batches(&lengths);
        let vectors = match batches.as_slice() {
            // Nothing else is to be done: all cores work at it.
            [batch] => vec![self.run(&sorted[batch.clone()], None).map_err(failed)?],
            batches => on_all_cores(batches, |batch| {
                self.pools
                    .with_one(|pool| self.run(&sorted[batch.clone()], Some(pool)))
            })
            .map_err(failed)?,
        };
        let mut out = vec![Vec::new(); texts.len()];
        for (text, vector) in order.into_iter().zip(vectors.into_iter().flatten()) {
            out[text] = vector;
        }
        Ok(out)
    }
}

/// The mean of the rows of `hidden`, scaled to length 1.
fn mean(hidden: &[f32], dimension: usize) -> Vec<f32> {
    let mut sum = vec![0.0; dimension];
    for token in hidden.chunks_exact(dimension) {
        sum.iter_mut().zip(token).for_each(|(sum, x)| *sum += x);
    }
    normalise(&mut sum);
    sum
}

/// Cuts texts, the longest first, into batches: no text is filled by more than a quarter of the
/// longest.
fn batches(lengths: &[usize]) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut start = 0;
    for at in 1..=lengths.len() {
        let longest = lengths[start];
        let fits = at < lengths.len()
            && at - start < BATCH_TEXTS
            && (at - start + 1) * longest <= BATCH_TOKENS
            && lengths[at] * 4 >= longest * 3;
        if !fits {
            batches.push(start..at);
            start = at;
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded_and_cover_all() {
        let check = |lengths: &[usize], ends: &[usize]| {
            let found = batches(lengths);
            assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
            let found: Vec<usize> = found.iter().map(|batch| batch.end).collect();
            assert_eq!(found, ends, "{lengths:?}");
        };
        check(&[], &[]);
        check(&[256], &[1]);
        check(&[256, 256], &[1, 2]);
        check(&[128, 120, 100, 97, 96, 95], &[3, 6]);
        check(&[10; 20], &[8, 16, 20]);
        check(&[40, 30, 29, 20], &[2, 3, 4]);
    }
}
