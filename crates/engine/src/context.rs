//! The structured prompt: P = Assemble(q, E*) of HAM-RAG.

use crate::{Hit, Role, Tie};
use catena_document::{EvidenceUnit, Modality, RelationKind};
use catena_index::UnitKey;
use std::collections::HashMap;
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
    /// What it is for in the answer.
    pub role: Role,
    /// What led to it, and the label of the block that did, where that is here as well.
    pub led_by: Option<(Tie, String)>,
    /// Whether what stands around it is told too; the first thing to go where room is short.
    pub with_neighbours: bool,
}

/// Puts hits into a document's own order and labels them. The documents come in the order of
/// their best hits.
///
/// Where all of it is more than `budget`, in units of the size that `size` gives, the least useful
/// goes first: what stands around the pieces, from the last hit on, then the last hits themselves.
/// A piece is never cut.
pub fn context(hits: &[Hit], budget: usize, size: &dyn Fn(&str) -> usize) -> Context {
    let mut kept = within(hits, budget, size);
    let mut documents = Vec::new();
    for (hit, _) in &kept {
        if !documents.contains(&hit.key.seq) {
            documents.push(hit.key.seq);
        }
    }
    let order = |hit: &Hit| {
        let place = documents.iter().position(|&seq| seq == hit.key.seq);
        (place, hit.key.view, hit.key.ordinal)
    };
    kept.sort_by_key(|(hit, _)| order(hit));
    let (mut texts, mut figures, mut tables) = (0, 0, 0);
    let labels: HashMap<UnitKey, String> = kept
        .iter()
        .map(|(hit, _)| {
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
            (hit.key, label)
        })
        .collect();
    let block = |(hit, with_neighbours): (&Hit, bool)| {
        let via = hit.via.as_ref();
        let led_by = via.and_then(|via| Some((via.tie.clone(), labels.get(&via.from)?.clone())));
        ContextBlock {
            label: labels.get(&hit.key).cloned().unwrap_or_default(),
            unit: hit.unit.clone(),
            score: hit.score,
            role: hit.role,
            led_by,
            with_neighbours,
        }
    };
    Context {
        blocks: kept.into_iter().map(block).collect(),
    }
}

/// The hits that there is room for, each with whether there is room for what stands around it.
fn within<'h>(
    hits: &'h [Hit],
    budget: usize,
    size: &dyn Fn(&str) -> usize,
) -> Vec<(&'h Hit, bool)> {
    let sizes = |hit: &Hit| {
        let whole = |with| size(&block_text("table10", &hit.unit, with));
        (whole(true), whole(false))
    };
    let sizes: Vec<(usize, usize)> = hits.iter().map(sizes).collect();
    let mut left = budget;
    let mut kept: Vec<usize> = Vec::new();
    for (at, (_, alone)) in sizes.iter().enumerate() {
        if *alone <= left {
            left -= alone;
            kept.push(at);
        }
    }
    let mut out = Vec::new();
    for at in kept {
        let (whole, alone) = sizes[at];
        let more = whole.saturating_sub(alone);
        let fits = more <= left;
        if fits {
            left -= more;
        }
        out.push((&hits[at], fits));
    }
    out
}

impl Context {
    /// The block of a label.
    pub fn block(&self, label: &str) -> Option<&ContextBlock> {
        self.blocks.iter().find(|block| block.label == label)
    }

    /// The evidence as the prompt's text: text blocks with their headings and neighbours, figure
    /// and table blocks with reference, caption, position and what is known of them, and how the
    /// blocks hang together where retrieval found that.
    pub fn prompt(&self) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(ContextBlock::text).collect();
        blocks.join("\n\n")
    }
}

impl ContextBlock {
    fn text(&self) -> String {
        let mut out = block_text(&self.label, &self.unit, self.with_neighbours);
        let part = match self.role {
            Role::Bridge => "names what the question only describes",
            Role::Target => "tells of what another block names",
            Role::Direct | Role::Support => "",
        };
        field(&mut out, "part in the question", part);
        if let Some((tie, from)) = &self.led_by {
            let how = match tie {
                Tie::Anchor(anchor) | Tie::Relation { anchor, .. } => {
                    format!("both tell of \"{}\"", anchor.replace('"', "'"))
                }
                Tie::Reference => "one refers to the other".to_owned(),
                Tie::Neighbour => "they stand side by side".to_owned(),
            };
            field(&mut out, "belongs to", &format!("[{from}]: {how}"));
        }
        out
    }
}

/// One block of the prompt. Document text is quoted line by line, so that nothing in it can pass
/// for a block of its own.
fn block_text(label: &str, unit: &EvidenceUnit, with_neighbours: bool) -> String {
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
    let content = &unit.content;
    if unit.modality.is_visual() {
        let caption = content.caption.as_deref().unwrap_or_default();
        field(&mut out, "caption", caption);
        if let Some(picture) = &content.picture {
            let alt = picture.alt.as_deref().unwrap_or_default();
            field(&mut out, "alternative text", alt);
            let description = picture.description.as_ref();
            let description = description.map_or("", |description| &description.text);
            field(&mut out, "description by a model", description);
        }
        let shows = if unit.modality == Modality::Table {
            "cells"
        } else {
            "words in it"
        };
        field(&mut out, shows, &content.text);
        if with_neighbours {
            for near in &unit.context.nearby {
                field(&mut out, "nearby text", &near.text);
            }
            if unit.context.nearby.is_empty() {
                field(&mut out, "nearby text", &unit.context.before);
            }
        }
        return out;
    }
    if with_neighbours {
        field(&mut out, "before", &unit.context.before);
    }
    field(&mut out, "text", &content.text);
    if with_neighbours {
        field(&mut out, "after", &unit.context.after);
    }
    for near in &unit.context.nearby {
        field(&mut out, "its figure or table", &near.text);
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
