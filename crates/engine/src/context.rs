//! The structured prompt: P = Assemble(q, E*) of HAM-RAG.

use crate::Hit;
use catena_document::{EvidenceUnit, Modality, RelationKind};
use std::fmt::Write as _;

/// The evidence that an answer is made from, each piece with its label.
#[derive(Clone, Debug)]
pub struct Context {
    /// The blocks, by document, in each document's own order.
    pub blocks: Vec<ContextBlock>,
}

/// One piece of evidence.
#[derive(Clone, Debug)]
pub struct ContextBlock {
    /// How an answer refers to it: `1` for text, `figure1`, `table1`.
    pub label: String,
    /// The unit.
    pub unit: EvidenceUnit,
    /// The score that retrieval gave it.
    pub score: f32,
}

/// Puts hits into a document's own order and labels them. The documents come in the order of
/// their best hits. At most `budget` units of the size that `size` gives are taken, the best
/// first; a unit is never cut.
pub fn context(hits: &[Hit], budget: usize, size: &dyn Fn(&str) -> usize) -> Context {
    let mut left = budget;
    let mut kept: Vec<&Hit> = Vec::new();
    for hit in hits {
        let needed = size(&block_text("", &hit.unit));
        if needed <= left {
            left -= needed;
            kept.push(hit);
        }
    }
    let mut documents = Vec::new();
    for hit in &kept {
        if !documents.contains(&hit.key.seq) {
            documents.push(hit.key.seq);
        }
    }
    let order = |hit: &Hit| {
        let place = documents.iter().position(|&seq| seq == hit.key.seq);
        (place, hit.key.view, hit.key.ordinal)
    };
    kept.sort_by_key(|hit| order(hit));
    let (mut texts, mut figures, mut tables) = (0, 0, 0);
    let blocks = kept
        .into_iter()
        .map(|hit| {
            let label = match hit.unit.modality {
                Modality::Figure => {
                    figures += 1;
                    format!("figure{figures}")
                }
                Modality::Table => {
                    tables += 1;
                    format!("table{tables}")
                }
                Modality::Text | Modality::Formula => {
                    texts += 1;
                    texts.to_string()
                }
            };
            ContextBlock {
                label,
                unit: hit.unit.clone(),
                score: hit.score,
            }
        })
        .collect();
    Context { blocks }
}

impl Context {
    /// The block of a label.
    pub fn block(&self, label: &str) -> Option<&ContextBlock> {
        self.blocks.iter().find(|block| block.label == label)
    }

    /// The evidence as the prompt's text: text blocks with their headings and neighbours, figure
    /// and table blocks with reference, caption, position and what is known of them.
    pub fn prompt(&self) -> String {
        let blocks: Vec<String> = self
            .blocks
            .iter()
            .map(|block| block_text(&block.label, &block.unit))
            .collect();
        blocks.join("\n\n")
    }
}

/// One block of the prompt. Document text is quoted line by line, so that nothing in it can pass
/// for a block of its own.
fn block_text(label: &str, unit: &EvidenceUnit) -> String {
    let kind = match unit.modality {
        Modality::Figure => "Figure",
        Modality::Table => "Table",
        Modality::Text | Modality::Formula => "Text",
    };
    let mut out = format!("[{label}] {kind}");
    field(&mut out, "document", &unit.document_title);
    field(&mut out, "section", &unit.heading_path().join(" > "));
    if let Some(page) = unit.page() {
        field(&mut out, "page", &page.to_string());
    }
    field(&mut out, "role", role(unit));
    if unit.modality.is_visual() {
        field(
            &mut out,
            "caption",
            unit.content.caption.as_deref().unwrap_or_default(),
        );
        if let Some(alt) = unit
            .content
            .picture
            .as_ref()
            .and_then(|picture| picture.alt.as_deref())
        {
            field(&mut out, "alternative text", alt);
        }
        let shows = if unit.modality == Modality::Table {
            "cells"
        } else {
            "words in it"
        };
        field(&mut out, shows, &unit.content.text);
        for near in &unit.context.nearby {
            field(&mut out, "nearby text", &near.text);
        }
    } else {
        field(&mut out, "before", &unit.context.before);
        field(&mut out, "text", &unit.content.text);
        field(&mut out, "after", &unit.context.after);
        for near in &unit.context.nearby {
            field(&mut out, "its figure or table", &near.text);
        }
    }
    out
}

fn field(out: &mut String, name: &str, text: &str) {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    match lines.as_slice() {
        [] => {}
        [one] => {
            let _ = write!(out, "\n{name}: {one}");
        }
        many => {
            let _ = write!(out, "\n{name}:");
            for line in many {
                let _ = write!(out, "\n  > {line}");
            }
        }
    }
}

/// A unit's local role in words.
fn role(unit: &EvidenceUnit) -> &'static str {
    match unit.relation.kind {
        RelationKind::Body => "",
        RelationKind::ItemsOf => "items of a list or steps of a procedure",
        RelationKind::IllustratesStep => "illustrates the step that it stands in",
        RelationKind::SupportsParagraph => "supports the paragraph beside it",
        RelationKind::Heading => "heading",
    }
}
