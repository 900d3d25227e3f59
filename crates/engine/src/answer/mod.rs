//! Answers: text, figures and tables in turn, each with its source.

mod block;
mod citation;
mod confidence;
mod contrary;
mod evidence;
mod language;
mod measure;
mod model;
mod named;
mod paragraph;
mod place;
mod procedure;
mod rules;
mod select;
mod statement;
mod support;
mod verify;

pub use citation::Citation;
pub(crate) use confidence::WORTH_ASKING;
pub use evidence::{EvidenceLimits, answer_with_evidence};
pub(crate) use evidence::{evidence_confidence, nearest_evidence};
pub use model::{Generation, Writing, answer_with_model};
pub use rules::answer_by_rules;
pub use statement::{Checks, Statement, Support};

use catena_document::UnitId;

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its blocks in order; empty where there is no evidence.
    pub blocks: Vec<Block>,
    /// The sources that the blocks cite, by label.
    pub citations: Vec<Citation>,
    /// Whether there is an answer.
    pub outcome: AnswerOutcome,
    /// How likely the evidence answers the question, 0 to 1.
    pub confidence: f32,
    /// What was found when a model's statements were checked, also where none held and the evidence
    /// answers in their place; none where no model wrote.
    pub checks: Option<Checks>,
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
        /// Its sentences with what each rests on.
        statements: Vec<Statement>,
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

impl Block {
    /// The label of its source, the first of several.
    fn first_label(&self) -> Option<u32> {
        match self {
            Self::Text { citations, .. } => citations.first().copied(),
            Self::Figure { citation, .. } | Self::Table { citation, .. } => Some(*citation),
        }
    }
}
