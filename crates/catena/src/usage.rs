//! What language models were used for, and what it cost.

use crate::settings::Settings;
use catena_models::{Generator, Ledger, LedgerEntry};
use serde::Serialize;

/// The calls for one task.
#[derive(Debug, Serialize)]
pub(crate) struct Usage {
    model: String,
    task: &'static str,
    calls: u32,
    failed: u32,
    prompt_tokens: u64,
    answer_tokens: u64,
    seconds: f64,
    /// None where the prices are not set.
    cost: Option<f64>,
}

impl Usage {
    /// What models were used for until now.
    pub(crate) fn of(models: &[Option<&Ledger>], settings: &Settings) -> Vec<Self> {
        let prices = (
            settings.llm_prompt_price.value,
            settings.llm_answer_price.value,
        );
        let models = models.iter().copied().flatten();
        let usage = |model: &Ledger, entry: LedgerEntry| Self {
            model: model.name().to_owned(),
            task: entry.task,
            calls: entry.calls,
            failed: entry.failed,
            prompt_tokens: entry.prompt_tokens,
            answer_tokens: entry.completion_tokens,
            seconds: entry.time.as_secs_f64(),
            cost: cost(&entry, prices),
        };
        let all = models.flat_map(|model| {
            let entries = model.entries().into_iter();
            entries.map(move |entry| usage(model, entry))
        });
        all.collect()
    }

    /// A line for people.
    pub(crate) fn line(&self) -> String {
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let calls = if self.calls == 1 { "call" } else { "calls" };
        let cost = self
            .cost
            .map_or_else(String::new, |cost| format!(", cost {cost:.6}"));
        format!(
            "Used `{}` for {}: {} {calls}{failed}, {} + {} tokens, {:.1} s{cost}",
            self.model, self.task, self.calls, self.prompt_tokens, self.answer_tokens, self.seconds
        )
    }
}

/// What calls cost by the prices of a million tokens of prompts and of answers.
fn cost(entry: &LedgerEntry, (prompt, answer): (Option<f64>, Option<f64>)) -> Option<f64> {
    if prompt.is_none() && answer.is_none() {
        return None;
    }
    let part = |tokens: u64, price: Option<f64>| tokens as f64 * price.unwrap_or(0.0) / 1e6;
    Some(part(entry.prompt_tokens, prompt) + part(entry.completion_tokens, answer))
}
