//! What a document's figures show, described by a model that sees: a call for each figure.
//!
//! The model is shown the figure with what stands around it (HAM-RAG's context-aware visual
//! descriptions). A description becomes searchable text of its figure; it is never quoted as the
//! source's words.

use super::{Enriched, Enriching, EnrichmentPlan, Spent, Task};
use crate::EngineError;
use crate::picture::unit_png;
use crate::view::{resolve, unit_vectors};
use catena_document::{
    ContentHash, Description, Document, DocumentId, EvidenceUnit, Modality, NodeId, NodeKind, View,
    sentences,
};
use catena_index::{NewView, RenderCache, Snapshot};
use catena_models::{ChatMessage, ChatPart, ChatRole};
use std::fmt::Write as _;

/// What is said to a model whose answer has no words.
const REPAIR: &str = "That is no description. Answer with the description only.";
/// Tokens of an answer at most.
const MAX_TOKENS: u32 = 400;
/// Characters of a description that are kept, whole sentences.
const LONGEST: usize = 1200;
/// Characters of what stands around a figure that are told, of each kind.
const AROUND: usize = 1200;
/// Tokens that a picture is counted as before it is sent; models differ.
const PICTURE_TOKENS: usize = 800;
/// Pixels a point of the pictures that are shown.
const SCALE: f32 = 1.5;

/// A figure that is to be described.
struct Figure {
    node: NodeId,
    unit: EvidenceUnit,
    prompt: String,
    asked: ContentHash,
}

/// What it would take to describe the figures of a document.
///
/// # Errors
/// Where the store fails.
pub fn plan_descriptions(
    snapshot: &Snapshot,
    id: &DocumentId,
    enriching: &mut Enriching<'_>,
) -> Result<EnrichmentPlan, EngineError> {
    let figures = figures(&snapshot.document(id)?, snapshot, enriching)?;
    let mut plan = EnrichmentPlan {
        units: figures.len(),
        ..EnrichmentPlan::default()
    };
    let overhead = enriching.embedder.count_tokens(&enriching.prompts.describe);
    for figure in figures {
        if enriching.known(id, &figure.asked)?.is_none() {
            plan.calls += 1;
            let told = enriching.embedder.count_tokens(&figure.prompt);
            plan.prompt_tokens += overhead + told + PICTURE_TOKENS;
        }
    }
    Ok(plan)
}

/// Describes the figures of a document, within the calls that are left; what is described can be
/// searched once the writer has committed. Costs nothing where all of them are.
///
/// # Errors
/// Where the store, the embedder or the language model fails, or the work is cancelled; what was
/// answered until then is kept.
pub fn describe(
    snapshot: &Snapshot,
    id: &DocumentId,
    cache: &RenderCache,
    enriching: &mut Enriching<'_>,
    report: &mut dyn FnMut(usize, usize),
) -> Result<Enriched, EngineError> {
    let _span = tracing::info_span!("describe", document = %id.short()).entered();
    let mut document = snapshot.document(id)?;
    let figures = figures(&document, snapshot, enriching)?;
    let mut out = Enriched {
        complete: true,
        ..Enriched::default()
    };
    let mut changed = false;
    for (at, figure) in figures.iter().enumerate() {
        report(at, figures.len());
        let answer = match enriching.known(id, &figure.asked)? {
            Some(known) => known,
            None => match unit_png(snapshot, cache, &figure.unit, SCALE) {
                Ok(Some(png)) => {
                    let Some(answer) = ask(enriching, id, figure, png, &mut out.spent)? else {
                        out.complete = false;
                        break;
                    };
                    answer
                }
                Ok(None) | Err(EngineError::Parse { .. }) => String::new(),
                Err(error) => return Err(error),
            },
        };
        let text = description(&answer);
        if text.is_empty() {
            out.unread += 1;
            continue;
        }
        out.given += 1;
        let model = enriching.generator.name().to_owned();
        changed |= set(&mut document, figure.node, Description { text, model });
    }
    report(figures.len(), figures.len());
    if changed {
        replace(document, snapshot, enriching)?;
    }
    enriching.writer.commit()?;
    Ok(out)
}

/// The figures of a document, in order.
fn figures(
    document: &Document,
    snapshot: &Snapshot,
    enriching: &Enriching<'_>,
) -> Result<Vec<Figure>, EngineError> {
    let units = snapshot.units(&document.id, View::Evidence)?;
    let figures = units
        .iter()
        .filter(|unit| unit.modality == Modality::Figure);
    let figure = |unit| {
        let unit = resolve(document, unit);
        let node = *unit.path.last()?;
        let prompt = prompt(&unit, document.language.as_deref());
        // The picture is known by its file, or by its place in this very file.
        let picture = match unit.image() {
            Some(image) => image.to_string(),
            None => format!("{:?}", unit.provenance),
        };
        let asked = enriching.hash(&enriching.prompts.describe, &format!("{prompt}\0{picture}"));
        Some(Figure {
            node,
            unit,
            prompt,
            asked,
        })
    };
    Ok(figures.filter_map(figure).collect())
}

/// What a model is told of a figure: where it stands, what it is called, and what is said of it.
fn prompt(unit: &EvidenceUnit, language: Option<&str>) -> String {
    let content = &unit.content;
    let picture = content.picture.as_ref();
    let alt = picture.and_then(|picture| picture.alt.as_deref());
    let near = unit.context.nearby.iter().map(|near| near.text.as_str());
    let near: Vec<&str> = near.collect();
    let told = [
        ("Document", unit.document_title.as_str()),
        ("Language", language.unwrap_or_default()),
        ("Section", &unit.heading_path().join(" > ")),
        ("Caption", content.caption.as_deref().unwrap_or_default()),
        ("Alternative text", alt.unwrap_or_default()),
        ("Words read in it", &content.text),
        ("Text that refers to it", &near.join("\n")),
        ("Before it", &unit.context.before),
        ("After it", &unit.context.after),
    ];
    let mut out = String::new();
    for (name, text) in told {
        let text: String = text.chars().take(AROUND).collect();
        let text = text.trim();
        if !text.is_empty() {
            let _ = writeln!(out, "{name}:\n<<<\n{text}\n>>>");
        }
    }
    out
}

fn ask(
    enriching: &mut Enriching<'_>,
    id: &DocumentId,
    figure: &Figure,
    png: Vec<u8>,
    spent: &mut Spent,
) -> Result<Option<String>, EngineError> {
    let messages = vec![
        ChatMessage::text(ChatRole::System, enriching.prompts.describe.as_str()),
        ChatMessage {
            role: ChatRole::User,
            content: vec![
                ChatPart::Text(figure.prompt.clone()),
                ChatPart::Png(png),
                ChatPart::Text("Describe this figure.".to_owned()),
            ],
        },
    ];
    let task = Task {
        name: "describe",
        max_tokens: MAX_TOKENS,
        is_read: &|answer| !description(answer).is_empty(),
        repair: REPAIR,
    };
    enriching.ask(id, &figure.asked, messages, &task, spent)
}

/// A model's answer as one paragraph of whole sentences; empty where it has no words.
fn description(answer: &str) -> String {
    let words: Vec<&str> = answer
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect();
    let text = words.join(" ");
    let whole = sentences(&text)
        .into_iter()
        .take_while(|sentence| sentence.end <= LONGEST)
        .last();
    match whole {
        Some(last) => text[..last.end].trim_end().to_owned(),
        // One endless sentence.
        None => text.chars().take(LONGEST).collect(),
    }
}

/// Gives a figure its description; false where it has this one.
fn set(document: &mut Document, node: NodeId, description: Description) -> bool {
    let node = document.nodes.get_mut(node.0 as usize);
    let Some(NodeKind::Picture(picture)) = node.map(|node| &mut node.kind) else {
        return false;
    };
    let changed = picture.description.as_ref() != Some(&description);
    picture.description = Some(description);
    changed
}

/// Puts a document with new descriptions in the place of the old one; only what has changed is
/// embedded.
fn replace(
    document: Document,
    snapshot: &Snapshot,
    enriching: &mut Enriching<'_>,
) -> Result<(), EngineError> {
    let mut views = Vec::new();
    for (view, _) in snapshot.summary(&document.id)?.units {
        let units = snapshot.units(&document.id, view)?;
        let vectors = unit_vectors(
            &document,
            &units,
            enriching.writer,
            enriching.embedder,
            enriching.cancel,
            &mut |_, _| {},
        )?;
        views.push(NewView {
            view,
            units,
            vectors: vec![vectors],
        });
    }
    enriching.writer.replace(document, views)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_one_paragraph_of_whole_sentences() {
        let check = |answer: &str, expected: &str| {
            assert_eq!(description(answer), expected, "{answer:.80}");
        };
        check(
            "A pump,\n\n seen from  the left. ",
            "A pump, seen from the left.",
        );
        check("```\nA pump.\n```", "A pump.");
        check(" \n - \n", "");
        let sentence = "The axis goes to 40 degrees. ".repeat(60);
        let kept = description(&sentence);
        assert!(
            kept.len() <= LONGEST && kept.ends_with("degrees."),
            "{kept}"
        );
        let endless = "word ".repeat(1000);
        assert_eq!(description(&endless).chars().count(), LONGEST);
    }
}
