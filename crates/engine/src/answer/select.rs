//! Passages of the evidence, and how well each answers the question.

use crate::{EngineError, Hit, Query};
use catena_document::{EvidenceUnit, Modality, Picture, sentences, words};
use catena_models::{Embedder, cosine};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Passages that are embedded for one question, at most; the rest has too few of its words.
const EMBEDDED: usize = 64;
/// What the meaning counts, against the shared words.
const DENSE: f32 = 0.6;
/// What a word of the question counts that stands over the passage, not in it.
const OVER: f32 = 0.5;
/// What a code counts against another word as rare.
const CODE: f32 = 2.0;

/// Words that ask and join, and say nothing of what is asked for.
const FUNCTION_WORDS: &[&str] = &[
    // English
    "a",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "doe",
    "for",
    "from",
    "had",
    "has",
    "ha",
    "have",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "me",
    "must",
    "my",
    "of",
    "on",
    "one",
    "or",
    "our",
    "shall",
    "should",
    "so",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thi",
    "this",
    "those",
    "to",
    "wa",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
    // German
    "aus",
    "bei",
    "das",
    "dem",
    "den",
    "der",
    "des",
    "die",
    "ein",
    "eine",
    "einen",
    "einer",
    "es",
    "für",
    "hat",
    "ich",
    "im",
    "ist",
    "kann",
    "man",
    "mit",
    "muss",
    "nach",
    "oder",
    "sich",
    "sind",
    "und",
    "von",
    "wa",
    "wann",
    "warum",
    "welche",
    "welchen",
    "welcher",
    "wer",
    "wie",
    "wird",
    "wo",
    "zu",
    "zum",
    "zur",
    // Russian
    "в",
    "и",
    "из",
    "как",
    "какая",
    "какие",
    "какой",
    "кто",
    "на",
    "о",
    "по",
    "с",
    "что",
    "это",
    // Chinese
    "什么",
    "如何",
    "怎么",
    "怎样",
    "哪",
    "哪个",
    "多少",
    "的",
    "是",
    "吗",
    "了",
    "在",
];

/// A piece of evidence small enough to be quoted: a sentence, a step, a table's row, a caption.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    /// The hit that it comes from.
    pub(super) hit: usize,
    pub(super) kind: PassageKind,
    /// Its bytes in the unit's content, for sentences and steps.
    pub(super) span: Range<usize>,
    /// The source's words, as they are quoted.
    pub(super) text: String,
    /// What is compared with the question: a row has its headers here.
    compared: String,
    /// What stands over it: headings, and for rows and figures their caption.
    over: String,
    /// How well it answers, 0 to 1.
    pub(super) score: f32,
    /// The cosine of its vector with the question's.
    pub(super) nearness: f32,
    /// Whether it has a code of the question (`E4`, `KT-3029`), in it or over it.
    pub(super) has_code: bool,
}

impl Passage {
    /// What is compared with a question or a statement: a row has its headers here.
    pub(super) fn compared(&self) -> &str {
        &self.compared
    }
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
    let own: Vec<HashSet<String>> = found
        .iter()
        .map(|passage| terms_of(&passage.compared))
        .collect();
    let terms = Terms::of(&query.text, &own);
    for (passage, own) in found.iter_mut().zip(&own) {
        let over = terms_of(&passage.over);
        passage.has_code = own.union(&over).any(|term| terms.has_code(term));
        passage.score = terms.shared(own, &over);
    }
    // The best by shared words, and of every hit the best, get their meaning compared.
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.hit.cmp(&b.hit)));
    let mut seen = HashSet::new();
    let (mut chosen, rest): (Vec<Passage>, Vec<Passage>) = found
        .into_iter()
        .partition(|passage| seen.insert(passage.hit));
    let room = EMBEDDED.saturating_sub(chosen.len());
    chosen.extend(rest.into_iter().take(room));
    let texts: Vec<&str> = chosen
        .iter()
        .map(|passage| passage.compared.as_str())
        .collect();
    let vectors = embedder.embed(&texts)?;
    for (passage, vector) in chosen.iter_mut().zip(vectors) {
        let dense = cosine(&query.vector, &vector);
        passage.score = DENSE * dense + (1.0 - DENSE) * passage.score;
        passage.nearness = dense;
    }
    chosen.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.hit.cmp(&b.hit)));
    Ok(chosen)
}

/// Cuts a unit into passages.
pub(super) fn cut(hit: usize, unit: &EvidenceUnit, out: &mut Vec<Passage>) {
    let headings = unit.heading_path().join(" ");
    let mut push = |kind, span: Range<usize>, text: &str, compared: String, over: String| {
        if compared.chars().any(char::is_alphanumeric) {
            out.push(Passage {
                hit,
                kind,
                span,
                text: text.to_owned(),
                compared,
                over,
                score: 0.0,
                nearness: 0.0,
                has_code: false,
            });
        }
    };
    let caption = unit.content.caption.as_deref().unwrap_or_default();
    if let Some(table) = &unit.content.table {
        push(
            PassageKind::Visual,
            0..0,
            caption,
            caption.to_owned(),
            headings.clone(),
        );
        let over = format!("{headings} {caption}");
        for row in table.header_rows()..table.rows {
            let compared = table.row_with_headers(row);
            push(
                PassageKind::Row(row),
                0..0,
                &table.row_text(row),
                compared,
                over.clone(),
            );
        }
        return;
    }
    if unit.modality == Modality::Figure {
        let picture = unit.content.picture.iter();
        let told = picture.flat_map(Picture::told);
        let named: Vec<&str> = std::iter::once(caption).chain(told).collect();
        let named = named.join(" ");
        let inside = unit.content.text.replace('\n', " ");
        // The words inside are many and short: their meaning counts only where nothing names it.
        let (compared, over) = if named.trim().is_empty() {
            (inside.chars().take(400).collect(), headings)
        } else {
            (named, format!("{headings} {inside}"))
        };
        push(PassageKind::Visual, 0..0, caption, compared, over);
        return;
    }
    for piece in &unit.content.pieces {
        let text = &unit.content.text[piece.span.clone()];
        if piece.step {
            push(
                PassageKind::Step,
                piece.span.clone(),
                text,
                text.to_owned(),
                headings.clone(),
            );
            continue;
        }
        for at in sentences(text)
            .into_iter()
            .filter(|at| words(&text[at.clone()]).len() >= 3)
        {
            let span = piece.span.start + at.start..piece.span.start + at.end;
            push(
                PassageKind::Sentence,
                span,
                &text[at.clone()],
                text[at].to_owned(),
                headings.clone(),
            );
        }
    }
}

/// The question's words with their weights: a word that few passages have counts more.
struct Terms(HashMap<String, f32>);

impl Terms {
    /// `passages` are the words of each passage.
    fn of(question: &str, passages: &[HashSet<String>]) -> Self {
        let mut counts: HashMap<String, usize> = terms_of(question)
            .into_iter()
            .map(|term| (term, 0))
            .collect();
        for passage in passages {
            for term in passage {
                if let Some(count) = counts.get_mut(term) {
                    *count += 1;
                }
            }
        }
        let all = passages.len() as f32;
        let weight = |term: &str, count: usize| {
            let rare = ((all + 1.0) / (count as f32 + 0.5)).ln().max(0.05);
            if FUNCTION_WORDS.contains(&term) {
                rare.min(0.05)
            } else if is_code(term) {
                // A code or a part number is what the question is about.
                rare * CODE
            } else {
                rare
            }
        };
        let weigh = |(term, count): (String, usize)| {
            let weight = weight(&term, count);
            (term, weight)
        };
        Self(counts.into_iter().map(weigh).collect())
    }

    /// The weight of the question's words that stand in a text, those only over it counting less,
    /// over the weight of all.
    fn shared(&self, text: &HashSet<String>, over: &HashSet<String>) -> f32 {
        let all: f32 = self.0.values().sum();
        let shared: f32 = self
            .0
            .iter()
            .map(|(term, weight)| {
                if text.contains(term) {
                    *weight
                } else if over.contains(term) {
                    *weight * OVER
                } else {
                    0.0
                }
            })
            .sum();
        if all > 0.0 { shared / all } else { 0.0 }
    }

    /// Whether a word is a code of the question.
    fn has_code(&self, term: &str) -> bool {
        is_code(term) && self.0.contains_key(term)
    }
}

/// Whether a word asks or joins, and says nothing of what is asked for.
pub(super) fn asks_or_joins(term: &str) -> bool {
    FUNCTION_WORDS.contains(&term)
}

/// Whether a word mixes letters and digits: `e4`, `kt`-`3029` is two words, `m8`.
pub(super) fn is_code(term: &str) -> bool {
    term.chars().any(char::is_numeric) && term.chars().any(char::is_alphabetic)
}

/// The words of a text, folded and cut to their stems as far as that is safe in any language: a
/// plural's ending.
pub(super) fn terms_of(text: &str) -> HashSet<String> {
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
    let at = |place: usize| all.get(place).copied().unwrap_or_default();
    // "How do I", "how to", "how is it replaced", "…, and how?"; not "how many", "how do they
    // differ".
    let english = (0..all.len())
        .filter(|&place| all[place] == "how")
        .any(|place| {
            let asker = matches!(at(place + 2), "i" | "we" | "you" | "one");
            let helper = matches!(
                at(place + 1),
                "do" | "can" | "should" | "must" | "could" | "would" | "shall" | "may"
            );
            let passive = matches!(at(place + 1), "is" | "are")
                && all[place + 2..]
                    .iter()
                    .any(|word| word.len() > 4 && word.ends_with("ed"));
            (helper && asker) || at(place + 1) == "to" || at(place + 1).is_empty() || passive
        });
    let quantities = [
        "viel", "viele", "lange", "oft", "hoch", "groß", "schwer", "weit", "heiß",
    ];
    let german = (0..all.len()).any(|place| {
        all[place] == "wie" && !quantities.contains(&at(place + 1)) && place + 1 < all.len()
    });
    let way = english || german || all.contains(&"как");
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
            ("How is the gasket replaced?", true),
            ("How many screws hold the cover?", false),
            ("How do the two models differ?", false),
            ("How is the weather?", false),
            ("Wie lange dauert es?", false),
            ("What is the mass?", false),
        ] {
            assert_eq!(asks_how(question), how, "{question}");
        }
    }
}
