//! Answers: text, figures and tables in turn, each with its source.

mod evidence;
mod model;
mod procedure;
mod select;

pub use evidence::{EvidenceLimits, answer_with_evidence};
pub use model::{Generation, answer_with_model};

use catena_document::{EvidenceUnit, Provenance, UnitId};

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its blocks in order; empty where there is no evidence.
    pub blocks: Vec<Block>,
    /// The sources that the blocks cite, by label.
    pub citations: Vec<Citation>,
    /// Whether there is an answer.
    pub outcome: AnswerOutcome,
    /// What went wrong on the way: labels that the model made up, a model that failed.
    pub warnings: Vec<String>,
}

/// Whether the evidence answers the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerOutcome {
    /// It does.
    Answered,
    /// It does not, or not surely; the nearest evidence is cited all the same.
    InsufficientEvidence,
}

/// A block of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph, or steps with a line each.
    Text {
        /// Markdown.
        markdown: String,
        /// The labels of its sources.
        citations: Vec<u32>,
    },
    /// A figure.
    Figure {
        /// The unit.
        unit: UnitId,
        /// Its caption, or what is known of it.
        caption: String,
        /// The label of its source.
        citation: u32,
    },
    /// A table.
    Table {
        /// The unit.
        unit: UnitId,
        /// Its caption.
        caption: String,
        /// The rows that matter, headers first, as Markdown.
        markdown: String,
        /// The label of its source.
        citation: u32,
    },
}

/// Where a block comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Citation {
    /// Its label in the answer, from 1.
    pub label: u32,
    /// The unit.
    pub unit: UnitId,
    /// The document's title.
    pub document: String,
    /// The headings above, outermost first.
    pub path: Vec<String>,
    /// The places of the quote, a box a line; empty where the format has no pages.
    pub places: Vec<Provenance>,
    /// The source's own words.
    pub quote: String,
}

impl Citation {
    /// The page that the quote begins on.
    pub fn page(&self) -> Option<u32> {
        self.places.first().map(|place| place.page)
    }
}

/// Gathers citations while blocks are made; the same quote of a unit has one label.
#[derive(Debug, Default)]
struct Citations(Vec<Citation>);

impl Citations {
    /// The label of a quote of a unit.
    fn cite(&mut self, unit: &EvidenceUnit, quote: String, places: Vec<Provenance>) -> u32 {
        let same = |citation: &&Citation| citation.unit == unit.id && citation.quote == quote;
        if let Some(known) = self.0.iter().find(same) {
            return known.label;
        }
        let label = self.0.len() as u32 + 1;
        self.0.push(Citation {
            label,
            unit: unit.id,
            document: unit.document_title.clone(),
            path: unit.heading_path().into_iter().map(str::to_owned).collect(),
            places,
            quote,
        });
        label
    }

    /// The label of a figure or table as a whole.
    fn cite_whole(&mut self, unit: &EvidenceUnit) -> u32 {
        let quote = unit.content.caption.clone().unwrap_or_default();
        self.cite(unit, quote, unit.provenance.clone())
    }
}

/// A figure as a block.
fn figure_block(unit: &EvidenceUnit, citations: &mut Citations) -> Block {
    let picture = unit.content.picture.as_ref();
    let alt = picture.and_then(|picture| picture.alt.clone());
    Block::Figure {
        unit: unit.id,
        caption: unit.content.caption.clone().or(alt).unwrap_or_default(),
        citation: citations.cite_whole(unit),
    }
}
