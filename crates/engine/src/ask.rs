//! From a question to its answer: the steps in their order.

use crate::answer::{
    EvidenceLimits, Generation, Writing, answer_by_rules, answer_with_evidence, answer_with_model,
};
use crate::plan::in_words;
use crate::{
    Answer, Block, EngineError, Found, Planner, Prompts, Query, Strategy, context, retrieve,
};
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
    /// The best passages, and after them images by similarity: the rule-based baseline.
    Rules,
    /// By a language model that is told what figures show; the evidence's own words where it
    /// fails.
    Llm(&'a dyn Generator),
}

impl Mode<'_> {
    /// Its name: `evidence`, `rules`, `llm`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::Rules => "rules",
            Self::Llm(_) => "llm",
        }
    }
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
    /// What a language model is told to do.
    pub prompts: &'a Prompts,
    /// Ends the making of the answer early.
    pub cancel: &'a AtomicBool,
}

/// Finds the evidence for a question and answers from it. Where a language model writes, `ready`
/// gets each block as soon as it is complete and checked. What went wrong while it was found
/// stands in the warnings of the answer as well.
///
/// # Errors
/// Where the store or the embedder fails. A language model that fails is a warning of the answer.
pub fn ask(
    snapshot: &Snapshot,
    query: &Query,
    asking: Asking<'_>,
    ready: &mut dyn FnMut(&Block),
) -> Result<(Found, Answer), EngineError> {
    let embedder = asking.embedder;
    let found = retrieve(snapshot, query, asking.strategy, embedder, asking.planner)?;
    let limits = EvidenceLimits::default();
    let by_evidence = || answer_with_evidence(snapshot, query, &found.hits, embedder, limits);
    let mut answer = match asking.mode {
        Mode::Evidence => by_evidence()?,
        Mode::Rules => answer_by_rules(snapshot, query, &found.hits, embedder, limits)?,
        Mode::Llm(generator) => match written(query, &found, asking, generator, ready) {
            Ok(answer) => answer,
            Err(why) => {
                let mut answer = by_evidence()?;
                let warning = format!("{why}; answered from the evidence alone");
                answer.warnings.push(warning);
                answer
            }
        },
    };
    answer.warnings.splice(0..0, found.warnings.clone());
    Ok((found, answer))
}

/// The answer of a language model; why there is none where it fails, or where nothing that it says
/// stands in the evidence.
fn written(
    query: &Query,
    found: &Found,
    asking: Asking<'_>,
    generator: &dyn Generator,
    ready: &mut dyn FnMut(&Block),
) -> Result<Answer, String> {
    let count = |text: &str| asking.embedder.count_tokens(text);
    let context = context(&found.hits, CONTEXT_TOKENS, &count);
    let writing = Writing {
        context: &context,
        instructions: &asking.prompts.answer,
        generator,
        generation: Generation::default(),
        embedder: asking.embedder,
        cancel: asking.cancel,
    };
    let written = answer_with_model(&query.text, writing, ready);
    let (answer, _) = written.map_err(|error| in_words(&error))?;
    match answer.checks {
        Some(checks) if checks.statements > 0 && checks.supported() == 0 => {
            Err("nothing that the language model said stands in the evidence".to_owned())
        }
        _ => Ok(answer),
    }
}
