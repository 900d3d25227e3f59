//! The word pieces of a text, and a fast count of them.

use crate::error::Cause;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tokenizers::Tokenizer;

/// Tables of counted words; each has a lock of its own.
const SHARDS: usize = 16;
/// The words that a table holds before it starts anew: all of them take some 6 MB.
const SHARD_WORDS: usize = 4096;
/// The longest word, in bytes, whose count is kept.
const LONGEST_WORD: usize = 64;

/// A tokenizer of the BERT kind, and the counts of the words that it saw.
pub(crate) struct WordPieces {
    tokenizer: Tokenizer,
    start: i32,
    end: i32,
    hash: RandomState,
    counts: [Mutex<HashMap<Box<str>, usize>>; SHARDS],
}

impl WordPieces {
    /// Reads a `tokenizer.json`.
    pub(crate) fn load(path: &Path) -> Result<Self, Cause> {
        let mut tokenizer = Tokenizer::from_file(path)?;
        // The file cuts and fills every text to 128 tokens.
        tokenizer.with_padding(None).with_truncation(None)?;
        let special = |token| {
            let id = tokenizer.token_to_id(token);
            id.map(|id| id as i32).ok_or(format!("it has no `{token}`"))
        };
        Ok(Self {
            start: special("[CLS]")?,
            end: special("[SEP]")?,
            tokenizer,
            hash: RandomState::new(),
            counts: std::array::from_fn(|_| Mutex::default()),
        })
    }

    /// The ids of a text between the two special tokens, `window` of them at most.
    pub(crate) fn encode(&self, text: &str, window: usize) -> Result<Vec<i32>, Cause> {
        let room = window.saturating_sub(2);
        // So many bytes fill the window, but for freaks (a page of spaces, a word of 100,000
        // letters, which is one token). What follows is let go, so that no text takes long.
        let text = &text[..text.floor_char_boundary(room * 400)];
        let encoding = self.tokenizer.encode_fast(text, false)?;
        let ids = encoding.get_ids().iter().take(room).map(|&id| id as i32);
        Ok([self.start]
            .into_iter()
            .chain(ids)
            .chain([self.end])
            .collect())
    }

    /// The tokens of a text without special tokens.
    pub(crate) fn count(&self, text: &str) -> usize {
        let words = text.split(is_space).filter(|word| !word.is_empty());
        words.map(|word| self.count_word(word)).sum()
    }

    fn count_word(&self, word: &str) -> usize {
        // The tokenizer fails only on a vocabulary without `[UNK]`; that is one token then.
        let count = || {
            self.tokenizer
                .encode_fast(word, false)
                .map_or(1, |it| it.len())
        };
        if word.len() > LONGEST_WORD {
            return count();
        }
        let shard = &self.counts[self.hash.hash_one(word) as usize % SHARDS];
        let lock = || shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = lock().get(word) {
            return known;
        }
        let count = count();
        let mut counts = lock();
        if counts.len() >= SHARD_WORDS {
            counts.clear();
        }
        counts.insert(word.into(), count);
        count
    }
}

/// Whether the tokenizer takes `c` for white space. It removes control characters before, and
/// these three are control characters to it.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{b}' | '\u{c}' | '\u{85}')
}
