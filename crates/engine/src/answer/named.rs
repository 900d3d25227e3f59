//! The section that a question names by its heading: it is told as a whole.

use super::procedure::{has_steps, section_under};
use super::select::{Passage, asks_or_joins};
use crate::{EngineError, Hit, Query};
use catena_document::{EvidenceUnit, Modality, NodeId, is_function_word, words};
use catena_index::{Snapshot, UnitKey};
use std::collections::BTreeSet;

/// The share of a heading's words that must stand in the question.
const HEADING: f32 = 0.75;
/// The share of the question's words, weighed by how rare they are, that must stand in the heading
/// or those above it.
const QUESTION: f32 = 0.65;
/// Hits whose headings are looked at.
const LOOKED_AT: usize = 10;
/// A section of at most so many words is told whole.
const WHOLE: usize = 220;

/// A word in its forms.
type Forms = BTreeSet<String>;

/// Words that frame a question and name nothing.
const FRAMING: &[&str] = &[
    "about",
    "describe",
    "explain",
    "give",
    "go",
    "going",
    "instruction",
    "instructions",
    "like",
    "look",
    "looks",
    "mean",
    "means",
    "need",
    "please",
    "procedure",
    "show",
    "step",
    "steps",
    "tell",
    "work",
    "works",
    "anleitung",
    "aussehen",
    "aussieht",
    "beschreibe",
    "erkläre",
    "gehe",
    "schritt",
    "schritte",
    "sieht",
    "vor",
    "zeige",
];

/// The units of the section whose heading the question names, in order, those of its subsections
/// left out; none where it names none: most words of the heading stand in the question, and little
/// else is asked than it and the headings above it say.
pub(super) fn named_section(
    snapshot: &Snapshot,
    query: &Query,
    hits: &[Hit],
) -> Result<Vec<EvidenceUnit>, EngineError> {
    let index = snapshot.anchor_index(&query.retrieval.filter)?;
    let names_something = |word: &&str| {
        let lower = word.to_lowercase();
        lower.chars().any(char::is_alphabetic)
            && !is_function_word(&lower)
            && !asks_or_joins(&lower)
    };
    let heading_words = |heading: &str| -> Vec<Forms> {
        let all = words(heading).into_iter().map(|at| &heading[at]);
        all.filter(names_something)
            .map(|word| index.forms_of(word))
            .collect()
    };
    let asked: Vec<(Forms, f32)> = index
        .question_terms(&query.text)?
        .into_iter()
        .filter(|term| names_something(&term.word.as_str()))
        .filter(|term| !FRAMING.contains(&term.word.to_lowercase().as_str()))
        .map(|term| (index.forms_of(&term.word), term.idf))
        .collect();
    // What the store does not have at all counts as the rarest.
    let mut all: f32 = asked.iter().map(|(_, idf)| idf).sum();
    for at in words(&query.text) {
        let word = &query.text[at];
        let frames = FRAMING.contains(&word.to_lowercase().as_str());
        if names_something(&word) && !frames && !index.is_known(word)? {
            all += index.rarest();
        }
    }
    let same = |a: &Forms, b: &Forms| !a.is_disjoint(b);
    let mut best: Option<(f32, UnitKey, NodeId)> = None;
    for hit in hits.iter().take(LOOKED_AT) {
        let unit = &hit.unit;
        for (depth, ancestor) in unit.ancestors.iter().enumerate() {
            let own = heading_words(&ancestor.heading);
            let is_asked = |word: &&Forms| asked.iter().any(|(other, _)| same(word, other));
            let shared = own.iter().filter(is_asked).count();
            if own.is_empty() || (shared as f32) < HEADING * own.len() as f32 {
                continue;
            }
            let above = unit.ancestors[..depth].iter();
            let above = above.map(|ancestor| ancestor.heading.as_str());
            let over: Vec<Forms> = above
                .chain([unit.document_title.as_str()])
                .flat_map(heading_words)
                .collect();
            let stands =
                |(word, _): &&(Forms, f32)| own.iter().chain(&over).any(|other| same(word, other));
            let covered: f32 = asked.iter().filter(stands).map(|(_, idf)| idf).sum();
            let covered = covered / all.max(f32::MIN_POSITIVE);
            // Of sections that cover as much, the one whose own heading says most.
            let fit = covered + 0.01 * shared as f32;
            if covered >= QUESTION && best.is_none_or(|(have, ..)| fit > have) {
                best = Some((fit, hit.key, ancestor.node));
            }
        }
    }
    match best {
        Some((_, key, header)) => section_under(snapshot, key.seq, header),
        None => Ok(Vec::new()),
    }
}

/// Which pieces of each unit of a named section are told: all of a procedure and of a short
/// one; of a longer one how it begins, what answers best, and what stands right before a figure or table.
pub(super) fn told_pieces(
    section: &[EvidenceUnit],
    hits: &[Hit],
    chosen: &[&Passage],
) -> Vec<Vec<usize>> {
    let words = section
        .iter()
        .map(|unit| unit.content.text.split_whitespace());
    let whole = has_steps(section) || words.map(Iterator::count).sum::<usize>() <= WHOLE;
    let mut begun = false;
    let mut out = Vec::new();
    for (at, unit) in section.iter().enumerate() {
        if unit.modality.is_visual() {
            out.push(Vec::new());
            continue;
        }
        let pieces = &unit.content.pieces;
        let next = section.get(at + 1);
        let before_visual = next.is_some_and(|next| next.modality == Modality::Figure);
        let own = chosen
            .iter()
            .filter(|passage| hits[passage.hit].unit.id == unit.id);
        let spans: Vec<usize> = own.map(|passage| passage.span.start).collect();
        let told = (0..pieces.len()).filter(|&piece| {
            let span = &pieces[piece].span;
            whole
                || (!begun && piece == 0)
                || (before_visual && piece + 1 == pieces.len())
                || spans.iter().any(|start| span.contains(start))
        });
        let told: Vec<usize> = told.collect();
        begun |= !told.is_empty();
        out.push(told);
    }
    out
}
