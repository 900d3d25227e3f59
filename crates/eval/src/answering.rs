//! What evaluations of answers share: who answers, and what is kept of an answer.

use crate::evaluation::Evaluation;
use crate::{Answering, EvalError, Metric};
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

/// At most so many of the questions, spread evenly.
pub(crate) fn spread<T>(mut all: Vec<T>, most: Option<usize>) -> Vec<T> {
    let count = all.len();
    let most = most.unwrap_or(count).min(count);
    let mut at = 0;
    all.retain(|_| {
        let kept = at * most / count != (at + 1) * most / count;
        at += 1;
        kept
    });
    all
}

/// What the checks of a model's answer found; nothing of an answer without a model.
pub(crate) fn check_scores(answer: &Answer) -> Vec<(Metric, f64)> {
    let Some(checks) = answer.checks else {
        return Vec::new();
    };
    let share = |part: usize, of: usize| (of > 0).then(|| part as f64 / of as f64);
    let found = [
        (
            Metric::SupportedAsCited,
            share(checks.supported_as_cited, checks.statements),
        ),
        (
            Metric::Supported,
            share(checks.supported(), checks.statements),
        ),
        (
            Metric::InvalidLabels,
            share(checks.invalid_labels, checks.labels),
        ),
    ];
    let known = found.into_iter();
    known
        .filter_map(|(metric, share)| Some((metric, share?)))
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_evenly() {
        let check = |count: usize, most: Option<usize>, expected: &[usize]| {
            assert_eq!(spread((0..count).collect(), most), expected);
        };
        check(5, None, &[0, 1, 2, 3, 4]);
        check(4, Some(2), &[1, 3]);
        check(5, Some(2), &[2, 4]);
        check(2, Some(9), &[0, 1]);
        check(0, Some(3), &[]);
    }
}
