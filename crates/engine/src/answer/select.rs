//! Passages of the evidence, and how well each answers the question.

use crate::{EngineError, Hit, Query};
use catena_document::{EvidenceUnit, Modality, sentences, words};
use catena_models::Embedder;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Passages that are embedded for one question, at most; the rest has too few of its words.
const EMBEDDED: usize = 64;
/// What the meaning counts, against the shared words.
const DENSE: f32 = 0.6;
/// What a word of the question counts that stands in a heading above, not in the passage.
const IN_PATH: f32 = 0.5;

/// A piece of evidence small enough to be quoted: a sentence, a step, a table's row, a caption.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    /// The hit that it comes from.
    pub(super) hit: usize,
    pub(super) kind: PassageKind,
    /// Its bytes in the unit's content, for sentences and steps.
    pub(super) span: Range<usize>,
    /// What is compared with the question.
    pub(super) text: String,
    /// How well it answers, 0 to 1.
    pub(super) score: f32,
    /// The cosine of its meaning and the question's.
    pub(super) dense: f32,
    /// The share of the question's words that it has, rare ones counting more.
    pub(super) shared: f32,
}

/// What a passage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassageKind {
    /// A sentence of a paragraph or item.
    Sentence,
    /// A step of a procedure, whole.
    Step,
    /// A row of a table.
    Row(u32),
    /// A figure by its caption and words, or a table by its caption.
    Visual,
}

/// The passages of all hits, best first.
pub(super) fn passages(
    query: &Query,
    hits: &[Hit],
    embedder: &dyn Embedder,
) -> Result<Vec<Passage>, EngineError> {
    let _span = tracing::debug_span!("select").entered();
    let mut found: Vec<Passage> = Vec::new();
    for (at, hit) in hits.iter().enumerate() {
        cut(at, &hit.unit, &mut found);
    }
    let terms = Terms::of(&query.text, &found);
    for passage in &mut found {
        let path = hits[passage.hit].unit.heading_path().join(" ");
        passage.shared = terms.shared(&passage.text, &path);
        passage.score = passage.shared;
    }
    // The best by shared words, and of every hit the best, get their meaning compared.
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.hit.cmp(&b.hit)));
    let mut seen = HashSet::new();
    let (mut chosen, rest): (Vec<Passage>, Vec<Passage>) = found
        .into_iter()
        .partition(|passage| seen.insert(passage.hit));
    let room = EMBEDDED.saturating_sub(chosen.len());
    chosen.extend(rest.into_iter().take(room));
    let texts: Vec<&str> = chosen.iter().map(|passage| passage.text.as_str()).collect();
    let vectors = embedder.embed(&texts)?;
    for (passage, vector) in chosen.iter_mut().zip(vectors) {
        passage.dense = query.vector.iter().zip(&vector).map(|(a, b)| a * b).sum();
        passage.score = DENSE * passage.dense + (1.0 - DENSE) * passage.shared;
    }
    chosen.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.hit.cmp(&b.hit)));
    Ok(chosen)
}

/// Cuts a unit into passages.
fn cut(hit: usize, unit: &EvidenceUnit, out: &mut Vec<Passage>) {
    let mut push = |kind, span: Range<usize>, text: String| {
        if text.chars().any(char::is_alphanumeric) {
            out.push(Passage {
                hit,
                kind,
                span,
                text,
                score: 0.0,
                dense: 0.0,
                shared: 0.0,
            });
        }
    };
    let caption = unit.content.caption.as_deref().unwrap_or_default();
    if let Some(table) = &unit.content.table {
        let headers = table.header_rows();
        push(PassageKind::Visual, 0..0, caption.to_owned());
        for row in headers..table.rows {
            push(PassageKind::Row(row), 0..0, table.row_text(row));
        }
        return;
    }
    if unit.modality == Modality::Figure {
        let alt = unit
            .content
            .picture
            .as_ref()
            .and_then(|picture| picture.alt.clone());
        let text = [
            caption,
            alt.as_deref().unwrap_or_default(),
            &unit.content.text,
        ]
        .join("\n");
        push(PassageKind::Visual, 0..0, text.chars().take(600).collect());
        return;
    }
    for piece in &unit.content.pieces {
        let text = &unit.content.text[piece.span.clone()];
        if piece.step {
            push(PassageKind::Step, piece.span.clone(), text.to_owned());
            continue;
        }
        for sentence in sentences(text) {
            let span = piece.span.start + sentence.start..piece.span.start + sentence.end;
            push(PassageKind::Sentence, span, text[sentence].to_owned());
        }
    }
}

/// The question's words with their weights: a word that few passages have counts more.
struct Terms(HashMap<String, f32>);

impl Terms {
    fn of(question: &str, passages: &[Passage]) -> Self {
        let mut counts: HashMap<String, usize> =
            terms(question).into_iter().map(|term| (term, 0)).collect();
        for passage in passages {
            for term in terms(&passage.text) {
                if let Some(count) = counts.get_mut(&term) {
                    *count += 1;
                }
            }
        }
        let all = passages.len() as f32;
        let weight = |count: usize| ((all + 1.0) / (count as f32 + 0.5)).ln().max(0.05);
        Self(
            counts
                .into_iter()
                .map(|(term, count)| (term, weight(count)))
                .collect(),
        )
    }

    /// The weight of the question's words that stand in a text, those only in its headings
    /// counting less, over the weight of all.
    fn shared(&self, text: &str, path: &str) -> f32 {
        let (text, path) = (terms(text), terms(path));
        let all: f32 = self.0.values().sum();
        let shared: f32 = self
            .0
            .iter()
            .map(|(term, weight)| {
                if text.contains(term) {
                    *weight
                } else if path.contains(term) {
                    *weight * IN_PATH
                } else {
                    0.0
                }
            })
            .sum();
        if all > 0.0 { shared / all } else { 0.0 }
    }
}

/// The words of a text, folded and cut to their stems as far as that is safe in any language: a
/// plural's ending.
fn terms(text: &str) -> HashSet<String> {
    words(text)
        .into_iter()
        .map(|at| {
            let word = text[at].to_lowercase();
            let plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
            let stem = if plural {
                &word[..word.len() - 1]
            } else {
                &word
            };
            stem.to_owned()
        })
        .collect()
}

/// Whether a question asks how something is done, and wants the whole procedure.
pub(super) fn asks_how(question: &str) -> bool {
    let lower = question.to_lowercase();
    let all: Vec<&str> = words(&lower).into_iter().map(|at| &lower[at]).collect();
    // "How many", "wie lange": a quantity, not a way.
    let quantities = [
        "many", "much", "long", "far", "old", "often", "high", "large", "big", "hot", "heavy",
        "deep", "wide", "fast", "tall", "viel", "viele", "lange", "oft", "hoch", "groß", "schwer",
        "weit", "heiß", "well", "likely", "strong",
    ];
    let way = all.iter().enumerate().any(|(at, word)| {
        let how = matches!(*word, "how" | "wie" | "как" | "comment");
        how && !all
            .get(at + 1)
            .is_some_and(|next| quantities.contains(next))
    });
    let named = [
        "steps",
        "procedure",
        "instructions",
        "schritte",
        "anleitung",
        "步骤",
        "如何",
        "怎么",
    ];
    way || named.iter().any(|name| lower.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_told_from_quantities() {
        for (question, how) in [
            ("How do I replace the pump?", true),
            ("What do I replace, and how?", true),
            ("Wie tausche ich die Pumpe?", true),
            ("如何更换泵？", true),
            ("How many screws hold the cover?", false),
            ("Wie lange dauert es?", false),
            ("What is the mass?", false),
        ] {
            assert_eq!(asks_how(question), how, "{question}");
        }
    }
}
