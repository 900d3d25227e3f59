//! What a language model is asked about documents before anybody asks a question: the relations
//! that their evidence states, and what their figures show.
//!
//! What the model answered is kept in the store with the document, so that a call is never paid
//! twice: work that was stopped goes on where it was, also when the document was read again in
//! between.

mod describe;
mod extract;

pub use describe::{describe, plan_descriptions};
pub use extract::{extract, plan_extraction};

use crate::{EngineError, Prompts};
use catena_document::{ContentHash, DocumentId};
use catena_index::Writer;
use catena_models::{
    ChatError, ChatMessage, ChatRequest, ChatRole, ChatUsage, Embedder, Generator,
};
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long an answer may take.
const DEADLINE: Duration = Duration::from_mins(2);
/// Calls between two commits of what they gave.
const COMMIT: usize = 20;

/// What documents are enriched with.
pub struct Enriching<'a> {
    /// The language model.
    pub generator: &'a dyn Generator,
    /// What it is told to do.
    pub prompts: &'a Prompts,
    /// The store's writer.
    pub writer: &'a mut Writer,
    /// Embeds what the model gives.
    pub embedder: &'a dyn Embedder,
    /// Calls of the model that are left; counted down.
    pub calls: usize,
    /// Set to true, it stops the work at the next call.
    pub cancel: &'a AtomicBool,
}

/// What it would take to enrich a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnrichmentPlan {
    /// Units that the model is asked about.
    pub units: usize,
    /// Calls that are still to be made: the others have their answers.
    pub calls: usize,
    /// Tokens of the prompts of those calls, by the embedder's count; of pictures an estimate.
    pub prompt_tokens: usize,
}

/// What came of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enriched {
    /// Relations stated, or figures that have a description now.
    pub given: usize,
    /// Units that the model gave nothing readable of, also not when asked again.
    pub unread: usize,
    /// Whether the calls sufficed for all of its units; else what was answered is kept.
    pub complete: bool,
    /// What it took.
    pub spent: Spent,
}

/// What calls took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Calls made.
    pub calls: usize,
    /// Tokens used, where the model tells them.
    pub usage: ChatUsage,
}

impl AddAssign for Enriched {
    fn add_assign(&mut self, other: Self) {
        self.given += other.given;
        self.unread += other.unread;
        self.complete &= other.complete;
        self.spent.calls += other.spent.calls;
        self.spent.usage.prompt_tokens += other.spent.usage.prompt_tokens;
        self.spent.usage.completion_tokens += other.spent.usage.completion_tokens;
    }
}

/// How a model is asked about a unit.
struct Task<'a> {
    /// What it is for.
    name: &'static str,
    /// Tokens of an answer at most.
    max_tokens: u32,
    /// Whether an answer can be read.
    is_read: &'a dyn Fn(&str) -> bool,
    /// What is said where it cannot, once.
    repair: &'a str,
}

impl Enriching<'_> {
    /// The answer that is kept.
    fn known(
        &mut self,
        id: &DocumentId,
        asked: &ContentHash,
    ) -> Result<Option<String>, EngineError> {
        let known = self.writer.answer(id, asked)?;
        Ok(known.map(|known| String::from_utf8_lossy(&known).into_owned()))
    }

    /// The hash of all that makes an answer what it is.
    fn hash(&self, instructions: &str, prompt: &str) -> ContentHash {
        let told = format!("{}\0{instructions}\0{prompt}", self.generator.name());
        ContentHash::of(told.as_bytes())
    }

    /// Asks the model, once more where its answer cannot be read, and keeps what it answered; `None`
    /// where no call is left.
    fn ask(
        &mut self,
        id: &DocumentId,
        asked: &ContentHash,
        mut messages: Vec<ChatMessage>,
        task: &Task<'_>,
        spent: &mut Spent,
    ) -> Result<Option<String>, EngineError> {
        let mut answer = None;
        for _ in 0..2 {
            if self.calls == 0 {
                // An answer that could not be read is as good as none.
                return Ok(None);
            }
            if self.cancel.load(Ordering::Relaxed) {
                return Err(EngineError::Cancelled);
            }
            self.calls -= 1;
            spent.calls += 1;
            let request = ChatRequest {
                task: task.name,
                messages: messages.clone(),
                max_tokens: task.max_tokens,
                deadline: DEADLINE,
            };
            let mut text = String::new();
            let given = self
                .generator
                .generate(&request, self.cancel, &mut |delta| {
                    text.push_str(delta);
                });
            let usage = match given {
                Ok(usage) => usage,
                Err(ChatError::Cancelled) => return Err(EngineError::Cancelled),
                Err(error) => {
                    self.writer.commit()?;
                    return Err(error.into());
                }
            };
            spent.usage.prompt_tokens += usage.prompt_tokens;
            spent.usage.completion_tokens += usage.completion_tokens;
            let is_read = (task.is_read)(&text);
            messages.push(ChatMessage::text(ChatRole::Assistant, &text));
            messages.push(ChatMessage::text(ChatRole::User, task.repair));
            answer = Some(text);
            if is_read {
                break;
            }
        }
        if let Some(answer) = &answer {
            self.writer.keep_answer(id, asked, answer.as_bytes())?;
            if spent.calls.is_multiple_of(COMMIT) {
                self.writer.commit()?;
            }
        }
        Ok(answer)
    }
}
