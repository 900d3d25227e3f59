//! Finding evidence by a plan that a language model makes: the question is split into
//! sub-questions, each is searched by the same strategy, and where one needs the answer of an
//! earlier one, the model has to show that answer in the evidence.
//!
//! Nothing of the model is believed: an answer counts only where its words stand in the unit that
//! the model names. Whatever fails, what was found until then is kept, and what the strategy finds
//! by itself fills the rest.

mod merge;
mod reply;
mod stand;

pub(crate) use reply::last_object;

use crate::{Context, EngineError, Hit, Prompts, Query, Strategy, context, embed_query};
use catena_document::{LocalContext, UnitId};
use catena_index::Snapshot;
use catena_models::{
    ChatError, ChatMessage, ChatRequest, ChatRole, ChatUsage, Embedder, Generator,
};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What the model is told for splitting a question, and for checking a hop.
/// Tokens of a reply at most; models that think aloud need most of them for that.
const REPLY_TOKENS: u32 = 1000;
/// Bytes of a reply that are kept.
const LONGEST_REPLY: usize = 32 << 10;
/// How long a reply may take.
const DEADLINE: Duration = Duration::from_mins(1);
/// Units that a hop is checked against, and their tokens at most.
const HOP_UNITS: usize = 5;
const HOP_TOKENS: usize = 1500;

/// Who makes a plan.
#[derive(Clone, Copy)]
pub struct Planner<'a> {
    /// The language model.
    pub generator: &'a dyn Generator,
    /// Calls of it at most. One splits the question, one more checks each hop.
    pub calls: usize,
    /// What it is told to do.
    pub prompts: &'a Prompts,
    /// Ends a call early.
    pub cancel: &'a AtomicBool,
}

/// What was found for a question.
#[derive(Clone, Debug)]
pub struct Found {
    /// The evidence, best first.
    pub hits: Vec<Hit>,
    /// The plan as it was carried out, where one was wanted.
    pub plan: Option<Plan>,
    /// Where the plan failed, in words.
    pub warnings: Vec<String>,
}

/// A plan as it was carried out.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Its sub-questions; empty where the question was searched as it is.
    pub parts: Vec<SubQuestion>,
    /// Calls of the language model.
    pub calls: usize,
    /// Tokens of these calls, as far as the model tells them.
    pub usage: ChatUsage,
}

/// A sub-question of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubQuestion {
    /// Its words, with the answers of earlier ones put in.
    pub text: String,
    /// What came of it.
    pub state: PartState,
    /// The answer that the model gave, where one was needed.
    pub answer: Option<String>,
    /// The unit that states the answer, where it is confirmed.
    pub unit: Option<UnitId>,
}

/// What came of a sub-question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartState {
    /// Its evidence was found; no other sub-question needs its answer.
    Found,
    /// Its answer was needed, and stands in the evidence.
    Confirmed,
    /// Its answer was needed, and could not be shown in the evidence.
    Unconfirmed,
    /// It needs an answer that was not confirmed, and was not searched.
    Left,
}

impl PartState {
    /// Its name in output: `found`, `confirmed`, `unconfirmed`, `left`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Confirmed => "confirmed",
            Self::Unconfirmed => "unconfirmed",
            Self::Left => "left",
        }
    }
}

/// Finds the evidence for a question: by the strategy alone, or with a plan.
///
/// # Errors
/// Where the store or the embedder fails. A language model that fails is a warning.
pub fn retrieve(
    snapshot: &Snapshot,
    query: &Query,
    strategy: &dyn Strategy,
    embedder: &dyn Embedder,
    planner: Option<Planner<'_>>,
) -> Result<Found, EngineError> {
    let _span = tracing::debug_span!("retrieve", strategy = strategy.name()).entered();
    let hits = strategy.retrieve(snapshot, query)?;
    let Some(planner) = planner else {
        return Ok(Found {
            hits,
            plan: None,
            warnings: Vec::new(),
        });
    };
    let mut planning = Planning {
        planner,
        is_over: false,
        plan: Plan::default(),
        warnings: Vec::new(),
    };
    let parts = planning.split(&query.text);
    let mut done: Vec<Part> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let needed = parts.iter().any(|later| needs(later).contains(&at));
        let mut part = Part::new(part, &done);
        if part.state != PartState::Left {
            let query = embed_query(&part.text, embedder, query.retrieval.clone())?;
            part.hits = strategy.retrieve(snapshot, &query)?;
            if let Some((answer, _)) = merge::led_by(&part, &done) {
                // What tells of the answer names it; what does not is about something alike.
                part.hits
                    .sort_by_key(|hit| !merge::names(&hit.unit, answer));
            }
        }
        if part.state != PartState::Left && needed {
            planning.check(&mut part, at + 1, embedder);
        }
        done.push(part);
    }
    planning.plan.parts = done.iter().map(Part::told).collect();
    let hits = if done.is_empty() {
        hits
    } else {
        merge::merge(query, strategy.view(), &done, hits)
    };
    Ok(Found {
        hits,
        plan: Some(planning.plan),
        warnings: planning.warnings,
    })
}

/// The places of the sub-questions whose answers a sub-question needs.
fn needs(part: &str) -> BTreeSet<usize> {
    let numbers = reply::references(part).into_iter().map(|(_, n)| n);
    numbers.filter_map(|n| n.checked_sub(1)).collect()
}

/// A sub-question being carried out.
struct Part {
    text: String,
    state: PartState,
    answer: Option<String>,
    /// What was found for it.
    hits: Vec<Hit>,
    /// The hit that states its answer.
    bridge: Option<usize>,
    /// The last of the sub-questions whose answers it uses.
    uses: Option<usize>,
}

impl Part {
    /// The sub-question of these words, with the answers of those before it put in.
    fn new(words: &str, before: &[Self]) -> Self {
        let mut text = words.to_owned();
        let mut state = PartState::Found;
        for (place, number) in reply::references(words).into_iter().rev() {
            let earlier = number.checked_sub(1).and_then(|at| before.get(at));
            match earlier.filter(|part| part.state == PartState::Confirmed) {
                Some(part) => text.replace_range(place, part.answer.as_deref().unwrap_or_default()),
                None => state = PartState::Left,
            }
        }
        Self {
            text,
            state,
            answer: None,
            hits: Vec::new(),
            bridge: None,
            uses: needs(words).last().copied(),
        }
    }

    fn told(&self) -> SubQuestion {
        SubQuestion {
            text: self.text.clone(),
            state: self.state,
            answer: self.answer.clone(),
            unit: self.bridge.map(|at| self.hits[at].unit.id),
        }
    }
}

/// A plan in the making.
struct Planning<'a> {
    planner: Planner<'a>,
    /// Whether the model has failed: it is not called again.
    is_over: bool,
    plan: Plan,
    warnings: Vec<String>,
}

impl Planning<'_> {
    /// The sub-questions of a question, at least two; none where it is searched as it is.
    fn split(&mut self, question: &str) -> Vec<String> {
        let parts = self
            .call(
                "split",
                &self.planner.prompts.split,
                format!("Question: {question}"),
            )
            .and_then(|reply| reply::parts(&reply));
        match parts {
            Ok(parts) if parts.len() > 1 => parts,
            Ok(_) => Vec::new(),
            Err(why) => {
                self.warnings.push(format!(
                    "no plan from the language model: {why}; searched without one"
                ));
                Vec::new()
            }
        }
    }

    /// Lets the model show the answer to a sub-question in what was found for it.
    fn check(&mut self, part: &mut Part, number: usize, embedder: &dyn Embedder) {
        part.state = PartState::Unconfirmed;
        match self.shown(part, embedder) {
            Ok(at) => {
                part.state = PartState::Confirmed;
                part.bridge = Some(at);
            }
            Err(why) => self.warnings.push(format!(
                "the answer to sub-question {number} is not confirmed: {why}; what needs it was \
                 not searched"
            )),
        }
    }

    /// The hit that states the answer to a sub-question.
    fn shown(&mut self, part: &mut Part, embedder: &dyn Embedder) -> Result<usize, String> {
        // What stands around a unit is not in it: an answer from there would not be confirmed.
        let mut hits: Vec<Hit> = part.hits.iter().take(HOP_UNITS).cloned().collect();
        for hit in &mut hits {
            hit.unit.context = LocalContext::default();
        }
        let evidence: Context = context(&hits, HOP_TOKENS, &|text| embedder.count_tokens(text));
        if evidence.blocks.is_empty() {
            return Err("nothing was found for it".to_owned());
        }
        let reply = self.call(
            "hop",
            &self.planner.prompts.hop,
            format!(
                "Evidence:\n\n{}\n\nQuestion: {}",
                evidence.prompt(),
                part.text
            ),
        )?;
        let Some((answer, label)) = reply::verdict(&reply)? else {
            return Err("the model finds none in the evidence".to_owned());
        };
        part.answer = Some(answer.clone());
        let block = evidence
            .block(&label)
            .ok_or_else(|| format!("the model names `[{label}]`, which is no evidence"))?;
        let at = part
            .hits
            .iter()
            .position(|hit| hit.unit.id == block.unit.id);
        at.filter(|&at| merge::names(&part.hits[at].unit, &answer))
            .ok_or_else(|| format!("`{answer}` does not stand in the unit that the model names"))
    }

    /// A reply of the model, within the budget.
    fn call(
        &mut self,
        task: &'static str,
        instructions: &str,
        content: String,
    ) -> Result<String, String> {
        if self.is_over {
            return Err("the language model failed before".to_owned());
        }
        if self.plan.calls >= self.planner.calls {
            let calls = self.planner.calls;
            return Err(format!("the budget of calls is spent ({calls})"));
        }
        self.plan.calls += 1;
        let request = ChatRequest {
            task,
            messages: vec![
                ChatMessage::text(ChatRole::System, instructions),
                ChatMessage::text(ChatRole::User, content),
            ],
            max_tokens: REPLY_TOKENS,
            deadline: DEADLINE,
        };
        let mut reply = String::new();
        let _span = tracing::debug_span!("plan", call = self.plan.calls).entered();
        let usage = self
            .planner
            .generator
            .generate(&request, self.planner.cancel, &mut |delta| {
                if reply.len() < LONGEST_REPLY {
                    reply.push_str(delta);
                }
            })
            .map_err(|error| {
                self.is_over = true;
                in_words(&error)
            })?;
        self.plan.usage.prompt_tokens += usage.prompt_tokens;
        self.plan.usage.completion_tokens += usage.completion_tokens;
        Ok(reply)
    }
}

/// Why a model failed, and what can be done about it.
pub(crate) fn in_words(error: &ChatError) -> String {
    match error.hint() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}
