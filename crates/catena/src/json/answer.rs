//! Answers and hits.

use super::{JsonPlace, path, places};
use crate::usage::Usage;
use catena_document::{Relation, UnitId};
use catena_engine::{
    Answer, AnswerOutcome, Block, Checks, Citation, Found, Hit, Plan, StageScore, Statement,
    SubQuestion, Tie, Topology, Via,
};
use serde::Serialize;
use std::path::PathBuf;

/// `catena ask --json`.
#[derive(Debug, Serialize)]
pub(crate) struct JsonAnswer {
    question: String,
    understood: String,
    outcome: &'static str,
    confidence: f32,
    blocks: Vec<JsonBlock>,
    citations: Vec<JsonCitation>,
    checks: Option<JsonChecks>,
    warnings: Vec<String>,
    topology: Option<&'static str>,
    hits: Vec<JsonHit>,
    plan: Option<JsonPlan>,
    usage: Vec<Usage>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum JsonBlock {
    Text {
        markdown: String,
        citations: Vec<u32>,
        statements: Vec<JsonStatement>,
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

/// A sentence with what it rests on.
#[derive(Debug, Serialize)]
struct JsonStatement {
    markdown: String,
    citations: Vec<u32>,
    support: &'static str,
}

/// What was found when a model's statements were checked.
#[derive(Debug, Serialize)]
struct JsonChecks {
    statements: usize,
    supported: usize,
    recited: usize,
    labels: usize,
    invalid_labels: usize,
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
        understood: &str,
        answer: &Answer,
        found: &Found,
        usage: Vec<Usage>,
        image: &dyn Fn(&UnitId) -> Option<PathBuf>,
    ) -> Self {
        let block = |block: &Block| match block.clone() {
            Block::Text {
                markdown,
                citations,
                statements,
            } => JsonBlock::Text {
                statements: JsonStatement::all(&markdown, &statements),
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
            understood: understood.to_owned(),
            outcome: match answer.outcome {
                AnswerOutcome::Answered => "answered",
                AnswerOutcome::InsufficientEvidence => "insufficient_evidence",
            },
            confidence: answer.confidence,
            blocks: answer.blocks.iter().map(block).collect(),
            checks: answer.checks.map(JsonChecks::from),
            citations: answer.citations.iter().map(JsonCitation::new).collect(),
            warnings: answer.warnings.clone(),
            topology: topology(&found.hits),
            hits: json_hits(&found.hits),
            plan: found.plan.as_ref().map(JsonPlan::new),
            usage,
        }
    }
}

impl JsonStatement {
    fn all(markdown: &str, statements: &[Statement]) -> Vec<Self> {
        let one = |statement: &Statement| Self {
            markdown: markdown[statement.span.clone()].to_owned(),
            citations: statement.citations.clone(),
            support: statement.support.name(),
        };
        statements.iter().map(one).collect()
    }
}

impl From<Checks> for JsonChecks {
    fn from(checks: Checks) -> Self {
        Self {
            statements: checks.statements,
            supported: checks.supported(),
            recited: checks.recited,
            labels: checks.labels,
            invalid_labels: checks.invalid_labels,
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
    topology: Option<&'static str>,
    hits: Vec<JsonHit>,
    plan: Option<JsonPlan>,
    warnings: Vec<String>,
}

/// A plan as it was carried out.
#[derive(Debug, Serialize)]
struct JsonPlan {
    sub_questions: Vec<JsonSubQuestion>,
    calls: usize,
    prompt_tokens: u64,
    completion_tokens: u64,
}

#[derive(Debug, Serialize)]
struct JsonSubQuestion {
    question: String,
    state: &'static str,
    answer: Option<String>,
    unit: Option<String>,
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
    role: &'static str,
    via: Option<JsonVia>,
    facets: Vec<String>,
    text: String,
    caption: Option<String>,
}

/// The edge by which a hit was reached.
#[derive(Debug, Serialize)]
struct JsonVia {
    /// The unit that leads to it, where that is a hit as well.
    from: Option<String>,
    tie: &'static str,
    anchor: Option<String>,
    stated: Vec<String>,
    weight: f32,
}

#[derive(Debug, Serialize)]
struct JsonScore {
    stage: &'static str,
    value: f32,
    rank: u32,
}

impl JsonHits {
    /// The hits of a query, the best first.
    pub(crate) fn new(query: &str, strategy: &'static str, found: &Found) -> Self {
        Self {
            query: query.to_owned(),
            strategy,
            topology: topology(&found.hits),
            hits: json_hits(&found.hits),
            plan: found.plan.as_ref().map(JsonPlan::new),
            warnings: found.warnings.clone(),
        }
    }
}

impl JsonPlan {
    fn new(plan: &Plan) -> Self {
        let part = |part: &SubQuestion| JsonSubQuestion {
            question: part.text.clone(),
            state: part.state.name(),
            answer: part.answer.clone(),
            unit: part.unit.map(|unit| unit.to_string()),
        };
        Self {
            sub_questions: plan.parts.iter().map(part).collect(),
            calls: plan.calls,
            prompt_tokens: plan.usage.prompt_tokens,
            completion_tokens: plan.usage.completion_tokens,
        }
    }
}

/// How hits hang together, where there are any.
fn topology(hits: &[Hit]) -> Option<&'static str> {
    (!hits.is_empty()).then(|| Topology::of(hits).name())
}

fn json_hits(hits: &[Hit]) -> Vec<JsonHit> {
    let hit = |hit: &Hit| JsonHit::new(hit, hits);
    hits.iter().map(hit).collect()
}

impl JsonVia {
    fn new(via: &Via, hits: &[Hit]) -> Self {
        let from = hits.iter().find(|hit| hit.key == via.from);
        Self {
            from: from.map(|hit| hit.unit.id.to_string()),
            tie: via.tie.name(),
            anchor: via.tie.anchor().map(str::to_owned),
            stated: match &via.tie {
                Tie::Relation { stated, .. } => stated.iter().map(Relation::words).collect(),
                _ => Vec::new(),
            },
            weight: via.weight,
        }
    }
}

impl JsonHit {
    /// A hit among the others.
    fn new(hit: &Hit, hits: &[Hit]) -> Self {
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
            role: hit.role.name(),
            via: hit.via.as_ref().map(|via| JsonVia::new(via, hits)),
            facets: hit.facets.clone(),
            text: unit.content.text.clone(),
            caption: unit.content.caption.clone(),
        }
    }
}
