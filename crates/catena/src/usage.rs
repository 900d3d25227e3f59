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
    /// What a model was used for until now.
    pub(crate) fn of(model: Option<&Ledger>, settings: &Settings) -> Vec<Self> {
        let prices = Prices::of(settings);
        let usage = |model: &Ledger, entry: LedgerEntry| Self {
            model: model.name().to_owned(),
            task: entry.task,
            calls: entry.calls,
            failed: entry.failed,
            prompt_tokens: entry.prompt_tokens,
            answer_tokens: entry.completion_tokens,
            seconds: entry.time.as_secs_f64(),
            cost: prices.cost(entry.prompt_tokens, entry.completion_tokens),
        };
        let all = model.into_iter().flat_map(|model| {
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
        let cost = shown_cost(self.cost);
        format!(
            "Used `{}` for {}: {} {calls}{failed}, {} + {} tokens, {:.1} s{cost}",
            self.model, self.task, self.calls, self.prompt_tokens, self.answer_tokens, self.seconds
        )
    }
}

/// What a million tokens cost, as far as that is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices {
    prompt: Option<f64>,
    answer: Option<f64>,
}

impl Prices {
    /// The prices that are set.
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            prompt: settings.llm_prompt_price.value,
            answer: settings.llm_answer_price.value,
        }
    }

    /// What so many tokens of prompts and of answers cost; `None` where no price is set.
    pub(crate) fn cost(self, prompt: u64, answer: u64) -> Option<f64> {
        if self.prompt.is_none() && self.answer.is_none() {
            return None;
        }
        let part = |tokens: u64, price: Option<f64>| tokens as f64 * price.unwrap_or(0.0) / 1e6;
        Some(part(prompt, self.prompt) + part(answer, self.answer))
    }
}

/// A cost, to follow what it is of; empty where no price is set.
pub(crate) fn shown_cost(cost: Option<f64>) -> String {
    cost.map_or_else(String::new, |cost| format!(", cost {cost:.6}"))
}
