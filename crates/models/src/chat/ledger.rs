//! What language models cost: calls, tokens and time by what they were for.

use super::{ChatError, ChatRequest, ChatUsage, Generator};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A model whose calls are counted.
pub struct Ledger {
    inner: Box<dyn Generator>,
    entries: Mutex<Vec<LedgerEntry>>,
}

/// The calls for one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// What they were for: `answer`, `split`, `extract`.
    pub task: &'static str,
    /// How many there were, those that failed too.
    pub calls: u32,
    /// How many failed.
    pub failed: u32,
    /// Tokens of the prompts, as far as the model tells them.
    pub prompt_tokens: u64,
    /// Tokens of the answers, as far as the model tells them.
    pub completion_tokens: u64,
    /// How long they took.
    pub time: Duration,
}

impl Ledger {
    /// Counts the calls of a model from here on.
    pub fn new(inner: impl Generator + 'static) -> Self {
        Self {
            inner: Box::new(inner),
            entries: Mutex::default(),
        }
    }

    /// What was used until now, a task an entry, in the order of their first calls.
    pub fn entries(&self) -> Vec<LedgerEntry> {
        let entries = self.entries.lock();
        entries.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Generator for Ledger {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn generate(
        &self,
        request: &ChatRequest,
        cancel: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, ChatError> {
        let begin = Instant::now();
        let result = self.inner.generate(request, cancel, delta);
        let usage = result.as_ref().copied().unwrap_or_default();
        let entries = self.entries.lock();
        let mut entries = entries.unwrap_or_else(PoisonError::into_inner);
        let known = entries.iter().position(|entry| entry.task == request.task);
        let at = known.unwrap_or_else(|| {
            entries.push(LedgerEntry {
                task: request.task,
                calls: 0,
                failed: 0,
                prompt_tokens: 0,
                completion_tokens: 0,
                time: Duration::ZERO,
            });
            entries.len() - 1
        });
        if let Some(entry) = entries.get_mut(at) {
            entry.calls += 1;
            entry.failed += u32::from(result.is_err());
            entry.prompt_tokens += usage.prompt_tokens;
            entry.completion_tokens += usage.completion_tokens;
            entry.time += begin.elapsed();
        }
        result
    }
}
