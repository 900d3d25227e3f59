//! Answers and hits.

use super::{JsonPlace, path, places};
use catena_document::UnitId;
use catena_engine::{Answer, AnswerOutcome, Block, Citation, Hit, StageScore};
use serde::Serialize;
use std::path::PathBuf;

/// `catena ask --json`.
#[derive(Debug, Serialize)]
pub(crate) struct JsonAnswer {
    question: String,
    outcome: &'static str,
    blocks: Vec<JsonBlock>,
    citations: Vec<JsonCitation>,
    warnings: Vec<String>,
    /// With `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    hits: Option<Vec<JsonHit>>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum JsonBlock {
    Text {
        markdown: String,
        citations: Vec<u32>,
    },
    Figure {
        unit: String,
        caption: String,
        citation: u32,
        image: Option<String>,
    },
    Table {
        unit: String,
        caption: String,
        markdown: String,
        citation: u32,
    },
}

#[derive(Debug, Serialize)]
struct JsonCitation {
    label: u32,
    unit: String,
    document: String,
    document_id: String,
    path: Vec<String>,
    places: Vec<JsonPlace>,
    quote: String,
}

impl JsonAnswer {
    /// An answer; `image` gives the file of a figure.
    pub(crate) fn new(
        question: &str,
        answer: &Answer,
        hits: Option<&[Hit]>,
        image: &dyn Fn(&UnitId) -> Option<PathBuf>,
    ) -> Self {
        let block = |block: &Block| match block.clone() {
            Block::Text {
                markdown,
                citations,
            } => JsonBlock::Text {
                markdown,
                citations,
            },
            Block::Figure {
                unit,
                caption,
                citation,
            } => JsonBlock::Figure {
                unit: unit.to_string(),
                caption,
                citation,
                image: image(&unit).map(|path| path.to_string_lossy().into_owned()),
            },
            Block::Table {
                unit,
                caption,
                markdown,
                citation,
            } => JsonBlock::Table {
                unit: unit.to_string(),
                caption,
                markdown,
                citation,
            },
        };
        Self {
            question: question.to_owned(),
            outcome: match answer.outcome {
                AnswerOutcome::Answered => "answered",
                AnswerOutcome::InsufficientEvidence => "insufficient_evidence",
            },
            blocks: answer.blocks.iter().map(block).collect(),
            citations: answer.citations.iter().map(JsonCitation::new).collect(),
            warnings: answer.warnings.clone(),
            hits: hits.map(|hits| hits.iter().map(JsonHit::new).collect()),
        }
    }
}

impl JsonCitation {
    fn new(citation: &Citation) -> Self {
        Self {
            label: citation.label,
            unit: citation.unit.to_string(),
            document: citation.document.clone(),
            document_id: citation.unit.document.to_string(),
            path: citation.path.clone(),
            places: places(&citation.places),
            quote: citation.quote.clone(),
        }
    }
}

/// `catena search --json`.
#[derive(Debug, Serialize)]
pub(crate) struct JsonHits {
    query: String,
    strategy: &'static str,
    hits: Vec<JsonHit>,
}

#[derive(Debug, Serialize)]
struct JsonHit {
    unit: String,
    document: String,
    document_id: String,
    kind: &'static str,
    score: f32,
    scores: Vec<JsonScore>,
    path: Vec<String>,
    page: Option<u32>,
    places: Vec<JsonPlace>,
    relation: &'static str,
    text: String,
    caption: Option<String>,
}

#[derive(Debug, Serialize)]
struct JsonScore {
    stage: &'static str,
    value: f32,
    rank: u32,
}

impl JsonHits {
    /// The hits of a query, the best first.
    pub(crate) fn new(query: &str, strategy: &'static str, hits: &[Hit]) -> Self {
        Self {
            query: query.to_owned(),
            strategy,
            hits: hits.iter().map(JsonHit::new).collect(),
        }
    }
}

impl JsonHit {
    fn new(hit: &Hit) -> Self {
        let unit = &hit.unit;
        let score = |score: &StageScore| JsonScore {
            stage: score.stage,
            value: score.value,
            rank: score.rank,
        };
        Self {
            unit: unit.id.to_string(),
            document: unit.document_title.clone(),
            document_id: unit.id.document.to_string(),
            kind: unit.modality.name(),
            score: hit.score,
            scores: hit.scores.iter().map(score).collect(),
            path: path(unit),
            page: unit.page(),
            places: places(&unit.provenance),
            relation: unit.relation.kind.name(),
            text: unit.content.text.clone(),
            caption: unit.content.caption.clone(),
        }
    }
}
