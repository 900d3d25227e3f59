//! The text of an answer as it comes: bounded, and without what a model thinks aloud.

use super::ChatError;

/// Bytes of text of one answer at most.
pub(super) const MAX_TEXT: usize = 256_000;
/// What a model that thinks aloud puts its thoughts between; they are no part of its answer.
const THOUGHT: [&str; 2] = ["<think>", "</think>"];

/// The text of an answer as it comes, thoughts left out.
#[derive(Default)]
pub(super) struct Text {
    /// What may be the beginning of a mark.
    held: String,
    thinking: bool,
    length: usize,
    /// Whether any text has been passed on.
    pub(super) any: bool,
}

impl Text {
    /// Takes the next piece.
    ///
    /// # Errors
    /// Where the answer is longer than any answer needs to be.
    pub(super) fn push(
        &mut self,
        content: &str,
        delta: &mut dyn FnMut(&str),
    ) -> Result<(), ChatError> {
        self.length += content.len();
        if self.length > MAX_TEXT {
            return Err(ChatError::TooLong(MAX_TEXT));
        }
        self.held.push_str(content);
        loop {
            let mark = THOUGHT[usize::from(self.thinking)];
            if let Some(at) = self.held.find(mark) {
                self.pass(at, delta);
                self.held.drain(..mark.len());
                self.thinking = !self.thinking;
                continue;
            }
            // The end may be a part of the mark.
            let open = (1..mark.len())
                .rev()
                .find(|&n| self.held.ends_with(&mark[..n]));
            self.pass(self.held.len() - open.unwrap_or(0), delta);
            return Ok(());
        }
    }

    /// Passes on the first bytes of what is held.
    fn pass(&mut self, bytes: usize, delta: &mut dyn FnMut(&str)) {
        let text: String = self.held.drain(..bytes).collect();
        if !self.thinking && !text.is_empty() {
            self.any |= !text.trim().is_empty();
            delta(&text);
        }
    }

    /// Passes on the rest.
    ///
    /// # Errors
    /// Where there was no text.
    pub(super) fn finish(&mut self, delta: &mut dyn FnMut(&str)) -> Result<(), ChatError> {
        self.pass(self.held.len(), delta);
        if self.any {
            Ok(())
        } else {
            Err(ChatError::Broken("it is empty".to_owned()))
        }
    }
}
