//! From a question to its answer: the steps in their order.

use crate::answer::{EvidenceLimits, Generation, answer_with_evidence, answer_with_model};
use crate::{Answer, EngineError, Hit, Query, Strategy, context};
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

/// Finds the evidence for a question and answers from it.
///
/// # Errors
/// Where the store or the embedder fails. A language model that fails is a warning of the answer.
pub fn ask(
    snapshot: &Snapshot,
    query: &Query,
    strategy: &dyn Strategy,
    embedder: &dyn Embedder,
    mode: Mode<'_>,
    cancel: &AtomicBool,
) -> Result<(Vec<Hit>, Answer), EngineError> {
    let hits = {
        let _span = tracing::debug_span!("retrieve", strategy = strategy.name()).entered();
        strategy.retrieve(snapshot, query)?
    };
    let limits = EvidenceLimits::default();
    let mut failed = None;
    if let Mode::Model(generator) = mode {
        let count = |text: &str| embedder.count_tokens(text);
        let context = context(&hits, CONTEXT_TOKENS, &count);
        let generated = answer_with_model(
            &query.text,
            &context,
            generator,
            Generation::default(),
            cancel,
            &mut |_| {},
        );
        match generated {
            Ok((answer, _)) => return Ok((hits, answer)),
            Err(error) => failed = Some(error),
        }
    }
    let mut answer = answer_with_evidence(snapshot, query, &hits, embedder, limits)?;
    if let Some(error) = failed {
        let hint = error
            .hint()
            .map_or_else(String::new, |hint| format!(" ({hint})"));
        answer
            .warnings
            .push(format!("{error}{hint}; answered from the evidence alone"));
    }
    Ok((hits, answer))
}
