//! Relations of a document's evidence, stated by a language model: a call for each unit.

use super::{Enriched, Enriching, EnrichmentPlan, Spent, Task};
use crate::EngineError;
use crate::plan::last_object;
use crate::view::{add_relations, resolve};
use catena_document::{ContentHash, DocumentId, EvidenceUnit, NodeId, Relation, View, fields};
use catena_index::Snapshot;
use catena_models::{ChatMessage, ChatRole};
use serde::Deserialize;

/// What is said to a model whose answer could not be read.
const REPAIR: &str = "That is not the JSON that was asked for. Answer with \
                      {\"relations\": [[\"subject\", \"label\", \"object\"], ...]} only.";
/// Tokens of an answer at most.
const MAX_TOKENS: u32 = 1000;
/// Characters of a passage that are shown; a longer unit is a table or a listing.
const LONGEST: usize = 8000;
/// Characters of a unit below which it states nothing.
const SHORTEST: usize = 20;
/// Relations of one passage at most.
const MOST: usize = 40;

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
    enriching: &mut Enriching<'_>,
) -> Result<EnrichmentPlan, EngineError> {
    let mut plan = EnrichmentPlan::default();
    if has_relations(snapshot, id)? {
        return Ok(plan);
    }
    let calls = calls_for(snapshot, id, enriching)?;
    plan.units = calls.len();
    let overhead = enriching.embedder.count_tokens(&enriching.prompts.extract);
    for call in calls {
        if enriching.known(id, &call.asked)?.is_none() {
            plan.calls += 1;
            plan.prompt_tokens += overhead + enriching.embedder.count_tokens(&call.prompt);
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
    enriching: &mut Enriching<'_>,
    report: &mut dyn FnMut(usize, usize),
) -> Result<Enriched, EngineError> {
    let _span = tracing::info_span!("extract", document = %id.short()).entered();
    let mut out = Enriched::default();
    if has_relations(snapshot, id)? {
        out.complete = true;
        return Ok(out);
    }
    let calls = calls_for(snapshot, id, enriching)?;
    let mut stated: Vec<(NodeId, Relation)> = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        report(at, calls.len());
        let answer = match enriching.known(id, &call.asked)? {
            Some(known) => Some(known),
            None => ask(enriching, id, call, &mut out.spent)?,
        };
        let Some(answer) = answer else {
            enriching.writer.commit()?;
            return Ok(out);
        };
        match relations_in(&answer) {
            Some(relations) => stated.extend(relations.into_iter().map(|r| (call.node, r))),
            None => out.unread += 1,
        }
    }
    report(calls.len(), calls.len());
    let document = snapshot.document(id)?;
    let (embedder, cancel) = (enriching.embedder, enriching.cancel);
    let count = add_relations(&document, stated, enriching.writer, embedder, cancel)?;
    enriching.writer.commit()?;
    out.given = count;
    out.complete = true;
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
    enriching: &Enriching<'_>,
) -> Result<Vec<Call>, EngineError> {
    let document = snapshot.document(id)?;
    let mut out = Vec::new();
    for unit in snapshot.units(id, View::Evidence)? {
        let Some(prompt) = prompt(&resolve(&document, &unit)) else {
            continue;
        };
        out.push(Call {
            node: unit.nodes[0],
            asked: enriching.hash(&enriching.prompts.extract, &prompt),
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

fn ask(
    enriching: &mut Enriching<'_>,
    id: &DocumentId,
    call: &Call,
    spent: &mut Spent,
) -> Result<Option<String>, EngineError> {
    let messages = vec![
        ChatMessage::text(ChatRole::System, enriching.prompts.extract.as_str()),
        ChatMessage::text(ChatRole::User, call.prompt.as_str()),
    ];
    let task = Task {
        name: "extract",
        max_tokens: MAX_TOKENS,
        is_read: &|answer| relations_in(answer).is_some(),
        repair: REPAIR,
    };
    enriching.ask(id, &call.asked, messages, &task, spent)
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
