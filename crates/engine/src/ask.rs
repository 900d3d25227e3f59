//! From a question to its answer: the steps in their order.

use crate::answer::{
    EvidenceLimits, Generation, WORTH_ASKING, Writing, answer_by_rules, answer_with_evidence,
    answer_with_model, evidence_confidence, nearest_evidence,
};
use crate::plan::in_words;
use crate::{
    Answer, AnswerOutcome, Block, Checks, Context, EngineError, Found, Planner, Prompts, Query,
    Strategy, context, page_png, retrieve, unit_png,
};
use catena_index::{RenderCache, Snapshot};
use catena_models::{Embedder, Generator};
use std::sync::atomic::AtomicBool;

/// Tokens of evidence that a model is given.
const CONTEXT_TOKENS: usize = 6000;

/// Pictures that a model is shown at most, and their bytes together.
const PICTURES: usize = 6;
const PICTURE_BYTES: usize = 6 << 20;
/// Their pixels a point: 108 dpi.
const SCALE: f32 = 1.5;

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
    /// By a language model that sees the figures and tables, and the page of the best evidence.
    Mllm(&'a dyn Generator),
}

impl<'a> Mode<'a> {
    /// Its name: `evidence`, `rules`, `llm`, `mllm`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::Rules => "rules",
            Self::Llm(_) => "llm",
            Self::Mllm(_) => "mllm",
        }
    }

    /// The language model, where one writes.
    pub fn generator(&self) -> Option<&'a dyn Generator> {
        match self {
            Self::Evidence | Self::Rules => None,
            Self::Llm(generator) | Self::Mllm(generator) => Some(*generator),
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
    /// Keeps the pictures that a model is shown.
    pub cache: &'a RenderCache,
    /// Ends the making of the answer early.
    pub cancel: &'a AtomicBool,
}

/// Finds the evidence for a question and answers from it. A language model is asked only where the
/// evidence may answer; where it writes, `ready`
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
        Mode::Llm(_) | Mode::Mllm(_) => {
            let confidence = evidence_confidence(snapshot, query, &found.hits, embedder)?;
            if confidence < WORTH_ASKING {
                by_evidence()?
            } else {
                match written(snapshot, query, (&found, confidence), asking, ready) {
                    // A small model often finds nothing where there is something: what comes
                    // nearest is shown with its refusal.
                    Ok(answer) if answer.outcome == AnswerOutcome::InsufficientEvidence => Answer {
                        citations: nearest_evidence(query, &found.hits, embedder)?,
                        ..answer
                    },
                    Ok(answer) => answer,
                    Err(Unwritten { why, checks }) => {
                        let mut answer = by_evidence()?;
                        let warning = format!("{why}; answered from the evidence alone");
                        answer.warnings.push(warning);
                        Answer { checks, ..answer }
                    }
                }
            }
        }
    };
    answer.warnings.splice(0..0, found.warnings.clone());
    Ok((found, answer))
}

/// The answer of a language model; why there is none where it fails, or where nothing that it says
/// stands in the evidence.
fn written(
    snapshot: &Snapshot,
    query: &Query,
    (found, confidence): (&Found, f32),
    asking: Asking<'_>,
    ready: &mut dyn FnMut(&Block),
) -> Result<Answer, Unwritten> {
    let count = |text: &str| asking.embedder.count_tokens(text);
    let context = context(&found.hits, CONTEXT_TOKENS, &count);
    let generator = asking.mode.generator();
    let unwritten = |why, checks| Unwritten { why, checks };
    let generator = generator.ok_or_else(|| unwritten("no language model".to_owned(), None))?;
    let pictures = match asking.mode {
        Mode::Mllm(_) => pictures(snapshot, asking.cache, &context),
        _ => Vec::new(),
    };
    let writing = Writing {
        context: &context,
        confidence,
        pictures: &pictures,
        instructions: &asking.prompts.answer,
        generator,
        generation: Generation::default(),
        embedder: asking.embedder,
        cancel: asking.cancel,
    };
    let written = answer_with_model(&query.text, writing, ready);
    let (answer, _) = written.map_err(|error| unwritten(in_words(&error), None))?;
    match answer.checks {
        Some(checks) if checks.statements > 0 && checks.supported() == 0 => {
            let why = "nothing that the language model said stands in the evidence".to_owned();
            Err(unwritten(why, Some(checks)))
        }
        _ => Ok(answer),
    }
}

/// Why there is no answer of a language model.
struct Unwritten {
    why: String,
    /// What was found of what it said.
    checks: Option<Checks>,
}

/// Pictures of the figures and tables of a context, then of the page that its best block stands
/// on, each with its label.
fn pictures(snapshot: &Snapshot, cache: &RenderCache, context: &Context) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    let mut size = 0;
    let mut add = |label: &str, png: Result<Option<Vec<u8>>, EngineError>| match png {
        Ok(Some(png)) if out.len() < PICTURES && size + png.len() <= PICTURE_BYTES => {
            size += png.len();
            out.push((label.to_owned(), png));
        }
        Ok(_) => {}
        // The model still has what is known of it in words.
        Err(error) => tracing::warn!(label, %error, "cannot be shown to the language model"),
    };
    for block in context
        .blocks
        .iter()
        .filter(|block| block.unit.modality.is_visual())
    {
        add(&block.label, unit_png(snapshot, cache, &block.unit, SCALE));
    }
    let best = context
        .blocks
        .iter()
        .max_by(|a, b| a.score.total_cmp(&b.score));
    if let Some((block, page)) = best.and_then(|block| Some((block, block.unit.page()?))) {
        let png = page_png(snapshot, cache, block.unit.id.document, page, SCALE);
        add(&format!("page of {}", block.label), png);
    }
    out
}
