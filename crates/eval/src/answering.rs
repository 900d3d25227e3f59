//! What evaluations of answers share: who answers, and what is kept of an answer.

use crate::evaluation::Evaluation;
use crate::{Answering, EvalError};
use catena_engine::{
    Answer, Asking, Block, Found, Mode, Prompts, Retrieval, Strategy, ask, embed_query,
};
use catena_index::{RenderCache, Snapshot};
use std::sync::atomic::AtomicBool;

/// A strategy that answers in a mode.
pub(crate) struct System<'a> {
    /// The mode's name, after the strategy's where there are several.
    pub(crate) name: String,
    strategy: &'static dyn Strategy,
    mode: Mode<'a>,
    prompts: &'a Prompts,
}

/// Each strategy in each mode.
pub(crate) fn systems<'a>(
    evaluation: &Evaluation<'_>,
    answering: &Answering<'a>,
) -> Vec<System<'a>> {
    let strategies = &evaluation.strategies;
    let pairs = strategies
        .iter()
        .flat_map(|&strategy| answering.modes.iter().map(move |&mode| (strategy, mode)));
    let name = |strategy: &str, mode: &str| match strategies.len() {
        1 => mode.to_owned(),
        _ => format!("{strategy}/{mode}"),
    };
    pairs
        .map(|(strategy, mode)| System {
            name: name(strategy.name(), mode.name()),
            strategy,
            mode,
            prompts: answering.prompts,
        })
        .collect()
}

impl System<'_> {
    /// Answers a question with the retrieval budgets that `ask` has by default.
    pub(crate) fn answer(
        &self,
        question: &str,
        snapshot: &Snapshot,
        cache: &RenderCache,
        evaluation: &Evaluation<'_>,
        cancel: &AtomicBool,
    ) -> Result<(Found, Answer), EvalError> {
        let embedder = evaluation.embedder();
        let query = embed_query(question, embedder, Retrieval::default())?;
        let asking = Asking {
            strategy: self.strategy,
            embedder,
            planner: None,
            mode: self.mode,
            prompts: self.prompts,
            cache,
            cancel,
        };
        Ok(ask(snapshot, &query, asking, &mut |_| {})?)
    }
}

/// The words of an answer, a block a paragraph.
pub(crate) fn answer_text(answer: &Answer) -> String {
    let words = |block: &Block| match block {
        Block::Text { markdown, .. } | Block::Table { markdown, .. } => markdown.clone(),
        Block::Figure { caption, .. } => format!("[{caption}]"),
    };
    let blocks: Vec<String> = answer.blocks.iter().map(words).collect();
    blocks.join("\n\n")
}
