//! Which pieces of the evidence bear a model's statement out.

use super::citation::Citations;
use super::language::differ;
use super::select::{Passage, PassageKind, cut, terms_of};
use super::statement::Support;
use super::verify::{Source, claims, content_terms, covered, fixed_words_stand, has_fixed_words};
use crate::{Context, ContextBlock};
use catena_document::Modality;
use catena_models::{Embedder, cosine};
use std::cell::OnceCell;

/// Sentences of a source whose meaning is compared.
const COMPARED: usize = 48;
/// The share of a statement's words from which a passage is what it quotes; below it the whole
/// unit is.
const QUOTED: f32 = 0.25;

/// Looks statements up in the evidence.
pub(super) struct Checker<'a> {
    context: &'a Context,
    sources: Vec<Source>,
    /// The vectors of each source's sentences, once they are needed.
    vectors: Vec<OnceCell<Vec<Vec<f32>>>>,
    passages: Vec<OnceCell<Vec<Passage>>>,
    embedder: &'a dyn Embedder,
}

/// What was found of a statement.
pub(super) struct Checked {
    pub(super) support: Support,
    /// The places of its sources among the blocks of the context.
    pub(super) sources: Vec<usize>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(context: &'a Context, embedder: &'a dyn Embedder) -> Self {
        let blocks = &context.blocks;
        Self {
            context,
            sources: blocks.iter().map(|block| Source::of(&block.unit)).collect(),
            vectors: blocks.iter().map(|_| OnceCell::new()).collect(),
            passages: blocks.iter().map(|_| OnceCell::new()).collect(),
            embedder,
        }
    }

    /// Whether a block has this label.
    pub(super) fn knows(&self, label: &str) -> bool {
        self.place(label).is_some()
    }

    /// The place of the block with this label.
    pub(super) fn place(&self, label: &str) -> Option<usize> {
        let mut blocks = self.context.blocks.iter();
        blocks.position(|block| block.label == label)
    }

    /// Looks a statement up: first in the blocks that it cites, each alone, then together, then in
    /// any other, then in what it cites with one more.
    pub(super) fn check(&self, statement: &str, cited: &[usize]) -> Checked {
        let supported = |sources: Vec<usize>| Checked {
            support: Support::Supported,
            sources,
        };
        let as_cited = |support| Checked {
            support,
            sources: cited.to_vec(),
        };
        if !claims(statement) {
            return as_cited(Support::Unchecked);
        }
        let alone: Vec<usize> = cited
            .iter()
            .copied()
            .filter(|&at| self.holds(statement, &[at]))
            .collect();
        if !alone.is_empty() {
            return supported(alone);
        }
        if cited.len() > 1 && self.holds(statement, cited) {
            return supported(cited.to_vec());
        }
        if let Some(other) = self.best(statement) {
            return supported(vec![other]);
        }
        if !cited.is_empty() {
            for other in 0..self.sources.len() {
                let mut both = cited.to_vec();
                both.push(other);
                if !cited.contains(&other) && self.holds(statement, &both) {
                    return supported(both);
                }
            }
        }
        let foreign = |&at: &usize| self.is_foreign(statement, at);
        if !cited.is_empty() && cited.iter().all(foreign) {
            if !has_fixed_words(statement) {
                return as_cited(Support::Unchecked);
            }
            let stands = |&at: &usize| fixed_words_stand(&self.sources[at], statement);
            if cited.iter().any(stands) {
                return as_cited(Support::Supported);
            }
        }
        Checked {
            support: Support::Unsupported,
            sources: Vec::new(),
        }
    }

    /// The label of what a block says to a statement: its best passage.
    pub(super) fn cite(&self, at: usize, statement: &str, citations: &mut Citations) -> u32 {
        let ContextBlock { unit, .. } = &self.context.blocks[at];
        if unit.modality == Modality::Figure {
            return citations.cite_whole(unit);
        }
        let passages = self.passages[at].get_or_init(|| {
            let mut out = Vec::new();
            cut(at, unit, &mut out);
            out
        });
        let terms = content_terms(statement);
        let fit = |passage: &Passage| covered(&terms, &terms_of(passage.compared()));
        let mut best: Option<(f32, &Passage)> = None;
        for passage in passages.iter().filter(|p| p.kind != PassageKind::Visual) {
            let fit = fit(passage);
            if best.is_none_or(|(other, _)| fit > other) {
                best = Some((fit, passage));
            }
        }
        match best {
            Some((fit, passage)) if fit >= QUOTED => citations.cite_passage(unit, passage),
            _ if unit.modality == Modality::Table => citations.cite_whole(unit),
            _ => citations.cite(unit, unit.content.text.clone(), unit.provenance.clone()),
        }
    }

    /// The source that bears a statement out by itself and has most of its words.
    fn best(&self, statement: &str) -> Option<usize> {
        let terms = content_terms(statement);
        let holding = (0..self.sources.len()).filter(|&at| self.holds(statement, &[at]));
        let share = |at: usize| self.sources[at].share(&terms);
        holding.max_by(|&a, &b| share(a).total_cmp(&share(b)).then(b.cmp(&a)))
    }

    /// Whether blocks together bear a statement out.
    fn holds(&self, statement: &str, blocks: &[usize]) -> bool {
        let near = || {
            let cosines = blocks.iter().map(|&at| self.nearness(statement, at));
            cosines.fold(0.0, f32::max)
        };
        if let [one] = blocks {
            return self.sources[*one].verdict(statement).holds(near);
        }
        let all: Vec<&Source> = blocks.iter().map(|&at| &self.sources[at]).collect();
        Source::joined(&all).verdict(statement).holds(near)
    }

    /// The cosine of a statement with the nearest sentence of a source; 0 where the embedder fails.
    fn nearness(&self, statement: &str, at: usize) -> f32 {
        let vectors = self.vectors[at].get_or_init(|| {
            let sentences = self.sources[at].sentences.iter().take(COMPARED);
            let sentences: Vec<&str> = sentences.map(String::as_str).collect();
            self.embedder.embed(&sentences).unwrap_or_default()
        });
        let Some(own) = self
            .embedder
            .embed(&[statement])
            .ok()
            .and_then(|mut v| v.pop())
        else {
            return 0.0;
        };
        let likeness = vectors.iter().map(|other| cosine(&own, other));
        likeness.fold(0.0, f32::max)
    }

    /// Whether a statement is surely in another language than a block.
    fn is_foreign(&self, statement: &str, at: usize) -> bool {
        let source = &self.context.blocks[at].unit.content.text;
        differ(statement, source)
    }
}
