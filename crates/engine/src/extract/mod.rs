//! Relations of a document's evidence, stated by a language model: a call for each unit.
//!
//! What the model answered is kept in the store with the document, so that a call is never paid
//! twice: extraction that was stopped goes on where it was, also when the document was read again
//! in between.

use crate::plan::last_object;
use crate::view::{add_relations, resolve};
use crate::{EngineError, Prompts};
use catena_document::{ContentHash, DocumentId, EvidenceUnit, NodeId, Relation, View, fields};
use catena_index::{Snapshot, Writer};
use catena_models::{
    ChatError, ChatMessage, ChatRequest, ChatRole, ChatUsage, Embedder, Generator,
};
use serde::Deserialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The instructions; where they change, so do the hashes of what was asked.
/// What is said to a model whose answer could not be read.
const REPAIR: &str = "That is not the JSON that was asked for. Answer with \
                      {\"relations\": [[\"subject\", \"label\", \"object\"], ...]} only.";
/// Tokens of an answer at most.
const MAX_TOKENS: u32 = 1000;
/// How long an answer may take.
const DEADLINE: Duration = Duration::from_mins(2);
/// Characters of a passage that are shown; a longer unit is a table or a listing.
const LONGEST: usize = 8000;
/// Characters of a unit below which it states nothing.
const SHORTEST: usize = 20;
/// Relations of one passage at most.
const MOST: usize = 40;
/// Calls between two commits of what they gave.
const COMMIT: usize = 20;

/// What relations are extracted with.
pub struct Extracting<'a> {
    /// The language model.
    pub generator: &'a dyn Generator,
    /// What it is told to do.
    pub prompts: &'a Prompts,
    /// The store's writer.
    pub writer: &'a mut Writer,
    /// Embeds the relations.
    pub embedder: &'a dyn Embedder,
    /// Calls of the model that are left; counted down.
    pub calls: usize,
    /// Set to true, it stops the work at the next call.
    pub cancel: &'a AtomicBool,
}

/// What it would take to extract the relations of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractionPlan {
    /// Units that state something.
    pub units: usize,
    /// Calls that are still to be made: the others have their answers.
    pub calls: usize,
    /// Tokens of the prompts of those calls, by the embedder's count.
    pub prompt_tokens: usize,
}

/// What came of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Relations that its evidence has now; `None` where the calls did not suffice for all of its
    /// units: what was answered is kept.
    pub relations: Option<usize>,
    /// Calls made.
    pub calls: usize,
    /// Units whose answer could not be read, also not when asked again.
    pub unread: usize,
    /// Tokens used, where the model tells them.
    pub usage: ChatUsage,
}

/// A call for a unit.
struct Call {
    node: NodeId,
    prompt: String,
    asked: ContentHash,
}

/// What it would take to extract the relations of a document; nothing where it has them.
///
/// # Errors
/// Where the store fails.
pub fn plan_extraction(
    snapshot: &Snapshot,
    id: &DocumentId,
    extracting: &mut Extracting<'_>,
) -> Result<ExtractionPlan, EngineError> {
    let mut plan = ExtractionPlan::default();
    if has_relations(snapshot, id)? {
        return Ok(plan);
    }
    let calls = calls_for(snapshot, id, extracting)?;
    plan.units = calls.len();
    let overhead = extracting
        .embedder
        .count_tokens(&extracting.prompts.extract);
    for call in calls {
        if extracting.writer.answer(id, &call.asked)?.is_none() {
            plan.calls += 1;
            plan.prompt_tokens += overhead + extracting.embedder.count_tokens(&call.prompt);
        }
    }
    Ok(plan)
}

/// Extracts the relations of a document, within the calls that are left; visible once the writer
/// has committed. Costs nothing where the document has them.
///
/// # Errors
/// Where the store, the embedder or the language model fails, or the work is cancelled; what was
/// answered until then is kept.
pub fn extract(
    snapshot: &Snapshot,
    id: &DocumentId,
    extracting: &mut Extracting<'_>,
    report: &mut dyn FnMut(usize, usize),
) -> Result<Extracted, EngineError> {
    let _span = tracing::info_span!("extract", document = %id.short()).entered();
    let mut out = Extracted::default();
    if has_relations(snapshot, id)? {
        out.relations = Some(0);
        return Ok(out);
    }
    let calls = calls_for(snapshot, id, extracting)?;
    let mut stated: Vec<(NodeId, Relation)> = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        report(at, calls.len());
        let known = extracting.writer.answer(id, &call.asked)?;
        let answer = if let Some(known) = known {
            Some(String::from_utf8_lossy(&known).into_owned())
        } else {
            ask(extracting, id, call, &mut out)?
        };
        let Some(answer) = answer else {
            extracting.writer.commit()?;
            return Ok(out);
        };
        match relations_in(&answer) {
            Some(relations) => stated.extend(relations.into_iter().map(|r| (call.node, r))),
            None => out.unread += 1,
        }
    }
    report(calls.len(), calls.len());
    let document = snapshot.document(id)?;
    let (embedder, cancel) = (extracting.embedder, extracting.cancel);
    let count = add_relations(&document, stated, extracting.writer, embedder, cancel)?;
    extracting.writer.commit()?;
    out.relations = Some(count);
    Ok(out)
}

fn has_relations(snapshot: &Snapshot, id: &DocumentId) -> Result<bool, EngineError> {
    let summary = snapshot.summary(id)?;
    Ok(summary
        .units
        .iter()
        .any(|&(view, _)| view == View::Relations))
}

/// The calls for all units of a document that state something, in order.
fn calls_for(
    snapshot: &Snapshot,
    id: &DocumentId,
    extracting: &Extracting<'_>,
) -> Result<Vec<Call>, EngineError> {
    let document = snapshot.document(id)?;
    let mut out = Vec::new();
    for unit in snapshot.units(id, View::Evidence)? {
        let Some(prompt) = prompt(&resolve(&document, &unit)) else {
            continue;
        };
        let (name, told) = (extracting.generator.name(), &extracting.prompts.extract);
        let told = format!("{name}\0{told}\0{prompt}");
        out.push(Call {
            node: unit.nodes[0],
            asked: ContentHash::of(told.as_bytes()),
            prompt,
        });
    }
    Ok(out)
}

/// What a model is told of a unit; `None` where that states nothing.
fn prompt(unit: &EvidenceUnit) -> Option<String> {
    let fields = fields(unit);
    let own = [fields.caption.as_str(), fields.content.as_str()];
    let own: Vec<&str> = own.into_iter().filter(|part| !part.is_empty()).collect();
    let passage: String = own.join("\n").chars().take(LONGEST).collect();
    if passage.chars().count() < SHORTEST {
        return None;
    }
    Some(format!(
        "Headings: {}\n\nPassage:\n<<<\n{passage}\n>>>",
        fields.path
    ))
}

/// Asks the model, once more where its answer cannot be read, and keeps what it answered; `None`
/// where no call is left.
fn ask(
    extracting: &mut Extracting<'_>,
    id: &DocumentId,
    call: &Call,
    out: &mut Extracted,
) -> Result<Option<String>, EngineError> {
    let mut messages = vec![
        ChatMessage::text(ChatRole::System, extracting.prompts.extract.as_str()),
        ChatMessage::text(ChatRole::User, call.prompt.as_str()),
    ];
    let mut answer = None;
    for _ in 0..2 {
        if extracting.calls == 0 {
            // An answer that could not be read is as good as none.
            return Ok(None);
        }
        if extracting.cancel.load(Ordering::Relaxed) {
            return Err(EngineError::Cancelled);
        }
        extracting.calls -= 1;
        out.calls += 1;
        let request = ChatRequest {
            task: "extract",
            messages: messages.clone(),
            max_tokens: MAX_TOKENS,
            deadline: DEADLINE,
        };
        let mut text = String::new();
        let given = extracting
            .generator
            .generate(&request, extracting.cancel, &mut |delta| {
                text.push_str(delta);
            });
        let usage = match given {
            Ok(usage) => usage,
            Err(ChatError::Cancelled) => return Err(EngineError::Cancelled),
            Err(error) => {
                extracting.writer.commit()?;
                return Err(error.into());
            }
        };
        out.usage.prompt_tokens += usage.prompt_tokens;
        out.usage.completion_tokens += usage.completion_tokens;
        let is_read = relations_in(&text).is_some();
        messages.push(ChatMessage::text(ChatRole::Assistant, &text));
        messages.push(ChatMessage::text(ChatRole::User, REPAIR));
        answer = Some(text);
        if is_read {
            break;
        }
    }
    if let Some(answer) = &answer {
        let bytes = answer.as_bytes();
        extracting.writer.keep_answer(id, &call.asked, bytes)?;
        if out.calls.is_multiple_of(COMMIT) {
            extracting.writer.commit()?;
        }
    }
    Ok(answer)
}

/// The JSON of an answer.
#[derive(Deserialize)]
struct Answer {
    relations: Vec<Vec<String>>,
}

/// The relations of an answer, text and code fences around the JSON left out; `None` where there
/// is no such JSON. What is not three names is left out.
fn relations_in(answer: &str) -> Option<Vec<Relation>> {
    let answer: Answer = last_object(answer)?;
    let triples = answer.relations.iter();
    let relations = triples.filter_map(|triple| match triple.as_slice() {
        [subject, label, object] => Relation::new(subject, label, object),
        _ => None,
    });
    Some(relations.take(MOST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_leniently() {
        let check = |answer: &str, expected: Option<&str>| {
            let words = |all: Vec<Relation>| {
                let all = all.iter().map(Relation::words);
                all.collect::<Vec<_>>().join("; ")
            };
            assert_eq!(
                relations_in(answer).map(words).as_deref(),
                expected,
                "{answer}"
            );
        };
        let plain = r#"{"relations": [["Pump", "made by", "ACME"], ["Pump", "in", "Hall 3"]]}"#;
        check(plain, Some("Pump made by ACME; Pump in Hall 3"));
        check(
            &format!("Here:\n```json\n{plain}\n```"),
            Some("Pump made by ACME; Pump in Hall 3"),
        );
        check(r#"{"relations": []}"#, Some(""));
        check(
            r#"{"relations": [["Pump", "made by"], ["a", "", "b"]]}"#,
            Some(""),
        );
        check(r#"{"relations": "none"}"#, None);
        check("There are none.", None);
        check("} {", None);
        check("", None);
    }
}
