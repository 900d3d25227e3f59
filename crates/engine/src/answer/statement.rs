//! What the sentences of an answer rest on.

use std::ops::{AddAssign, Range};

/// A sentence or step of a block of text, with what bears it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its bytes in the block's Markdown.
    pub span: Range<usize>,
    /// The labels of its sources.
    pub citations: Vec<u32>,
    /// Whether they bear it out.
    pub support: Support,
}

/// Whether sources bear a statement out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It is a source's own words.
    Quoted,
    /// Its numbers with their units, its names and negations and enough of its words stand in its
    /// sources.
    Supported,
    /// No piece of the evidence bears it out.
    Unsupported,
    /// It claims nothing that could be compared, or its source is in another language and it has
    /// no number, code or acronym.
    Unchecked,
}

impl Support {
    /// Its name in output: `quoted`, `supported`, `unsupported`, `unchecked`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quoted => "quoted",
            Self::Supported => "supported",
            Self::Unsupported => "unsupported",
            Self::Unchecked => "unchecked",
        }
    }
}

/// What the checks of a model's answer found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Statements that could be checked.
    pub statements: usize,
    /// Those that the sources bear out which the model named.
    pub supported_as_cited: usize,
    /// Those that another source bears out, which is cited instead.
    pub recited: usize,
    /// Labels that the model wrote.
    pub labels: usize,
    /// Those of them that no evidence has; no reader sees them.
    pub invalid_labels: usize,
}

impl Checks {
    /// The statements that sources bear out, once others are cited where needed.
    pub fn supported(&self) -> usize {
        self.supported_as_cited + self.recited
    }
}

impl AddAssign for Checks {
    fn add_assign(&mut self, other: Self) {
        self.statements += other.statements;
        self.supported_as_cited += other.supported_as_cited;
        self.recited += other.recited;
        self.labels += other.labels;
        self.invalid_labels += other.invalid_labels;
    }
}
