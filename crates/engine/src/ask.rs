//! From a question to its answer: the steps in their order.

use crate::answer::{EvidenceLimits, Generation, answer_with_evidence, answer_with_model};
use crate::plan::in_words;
use crate::{Answer, EngineError, Found, Planner, Query, Strategy, context, retrieve};
use catena_index::Snapshot;
use catena_models::{Embedder, Generator};
use std::sync::atomic::AtomicBool;

/// Tokens of evidence that a model is given.
const CONTEXT_TOKENS: usize = 6000;

/// How an answer is made.
#[derive(Clone, Copy)]
pub enum Mode<'a> {
    /// From the evidence's own words.
    Evidence,
    /// By a language model; the evidence's own words where it fails.
    Model(&'a dyn Generator),
}

/// How a question is answered.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// How evidence is found.
    pub strategy: &'a dyn Strategy,
    /// The model that embedded the question.
    pub embedder: &'a dyn Embedder,
    /// Who plans the search, where one does.
    pub planner: Option<Planner<'a>>,
    /// How the answer is made.
    pub mode: Mode<'a>,
    /// Ends the making of the answer early.
    pub cancel: &'a AtomicBool,
}

/// Finds the evidence for a question and answers from it. What went wrong while it was found
/// stands in the warnings of the answer as well.
///
/// # Errors
/// Where the store or the embedder fails. A language model that fails is a warning of the answer.
pub fn ask(
    snapshot: &Snapshot,
    query: &Query,
    asking: Asking<'_>,
) -> Result<(Found, Answer), EngineError> {
    let embedder = asking.embedder;
    let found = retrieve(snapshot, query, asking.strategy, embedder, asking.planner)?;
    let mut failed = None;
    if let Mode::Model(generator) = asking.mode {
        let count = |text: &str| embedder.count_tokens(text);
        let context = context(&found.hits, CONTEXT_TOKENS, &count);
        let generated = answer_with_model(
            &query.text,
            &context,
            generator,
            Generation::default(),
            asking.cancel,
            &mut |_| {},
        );
        match generated {
            Ok((mut answer, _)) => {
                answer.warnings.splice(0..0, found.warnings.clone());
                return Ok((found, answer));
            }
            Err(error) => failed = Some(error),
        }
    }
    let limits = EvidenceLimits::default();
    let mut answer = answer_with_evidence(snapshot, query, &found.hits, embedder, limits)?;
    answer.warnings.splice(0..0, found.warnings.clone());
    if let Some(error) = failed {
        let why = in_words(&error);
        answer
            .warnings
            .push(format!("{why}; answered from the evidence alone"));
    }
    Ok((found, answer))
}
