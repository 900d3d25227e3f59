//! Where a model's figures and tables stand: beside a text that the evidence ties them to.

use super::Block;
use super::block::{figure_block, names, table_block};
use super::citation::Citations;
use super::select::terms_of;
use super::verify::{content_terms, covered};
use crate::Context;
use catena_document::EvidenceUnit;

/// The share of a caption's words from which a text speaks of its figure.
const SPOKEN_OF: f32 = 0.5;

/// Places figures and tables as paragraphs come.
pub(super) struct Placing<'a> {
    context: &'a Context,
    /// The blocks that are shown.
    shown: Vec<usize>,
    /// Asked for beside a text that they are not tied to; they wait for one.
    waiting: Vec<usize>,
    /// All texts so far: their sources and words.
    told: (Vec<usize>, String),
    warnings: Vec<String>,
}

impl<'a> Placing<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self {
            context,
            shown: Vec::new(),
            waiting: Vec::new(),
            told: (Vec::new(), String::new()),
            warnings: Vec::new(),
        }
    }

    /// The blocks to show beside a text: those that it asks for, and those that wait, as far as
    /// the text, or what it rests on, is tied to them. `sources` are the blocks that bear it out.
    pub(super) fn beside(
        &mut self,
        labels: &[String],
        sources: &[usize],
        text: &str,
    ) -> Vec<usize> {
        let mut wanted = std::mem::take(&mut self.waiting);
        for label in labels {
            let mut blocks = self.context.blocks.iter();
            let at =
                blocks.position(|block| block.label == *label && block.unit.modality.is_visual());
            wanted.extend(at.filter(|at| !self.shown.contains(at)));
        }
        let mut out = Vec::new();
        for at in wanted {
            if out.contains(&at) || self.waiting.contains(&at) {
                continue;
            }
            if self.is_tied(at, sources, text) {
                out.push(at);
            } else {
                self.waiting.push(at);
            }
        }
        self.shown.extend(&out);
        self.told.0.extend(sources);
        self.told.1.push_str(text);
        self.told.1.push('\n');
        out
    }

    /// The blocks to show at the end: what waits and is tied to anything that was told. What is
    /// not is dropped.
    pub(super) fn rest(&mut self) -> Vec<usize> {
        let (tied, dropped): (Vec<usize>, Vec<usize>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|&at| self.is_tied(at, &self.told.0, &self.told.1));
        for at in dropped {
            let label = &self.context.blocks[at].label;
            self.warnings.push(format!(
                "the model placed `[{label}]`, which is tied to nothing that it says; dropped"
            ));
        }
        tied
    }

    pub(super) fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// A figure or table as a block of the answer.
    pub(super) fn block(&self, at: usize, citations: &mut Citations) -> Block {
        let unit = &self.context.blocks[at].unit;
        match &unit.content.table {
            Some(table) => table_block(unit, table, &self.told.1, citations),
            None => figure_block(unit, citations),
        }
    }

    fn is_tied(&self, at: usize, sources: &[usize], text: &str) -> bool {
        let visual = &self.context.blocks[at].unit;
        let caption = visual.content.caption.as_deref().unwrap_or_default();
        let terms = content_terms(caption);
        sources.contains(&at)
            || (!terms.is_empty() && covered(&terms, &terms_of(text)) >= SPOKEN_OF)
            || names(text, visual)
            || sources
                .iter()
                .any(|&source| are_tied(&self.context.blocks[source].unit, visual))
    }
}

/// Whether the evidence ties a text to a figure or table: by reference, by place or by section.
fn are_tied(text: &EvidenceUnit, visual: &EvidenceUnit) -> bool {
    let of = |unit: &EvidenceUnit| unit.path.last().copied();
    let pieces = |node| {
        text.content
            .pieces
            .iter()
            .any(|piece| Some(piece.node) == node)
    };
    let same_section = text.ancestors.last().map(|last| last.node)
        == visual.ancestors.last().map(|last| last.node);
    text.id.document == visual.id.document
        && (same_section
            || text
                .context
                .nearby
                .iter()
                .any(|near| Some(near.node) == of(visual))
            || visual
                .context
                .nearby
                .iter()
                .any(|near| pieces(Some(near.node)))
            || names(&text.content.text, visual))
}
