//! Run files: what every system did with every question, a JSON object a line.

use crate::{EvalError, Metric};
use catena_document::{EvidenceUnit, Provenance};
use catena_engine::Hit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The best units that are recorded of each ranking.
const HITS: usize = 20;
/// Characters of a unit's text that are recorded.
const TEXT: usize = 200;

/// What a system did with a question: a line of a run file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The question's name in its set.
    pub id: String,
    /// The system's name.
    pub system: String,
    /// The document that is asked, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The question.
    pub question: String,
    /// The groups that it is reported under, e.g. `text_layer`: `image`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, Vec<String>>,
    /// What should be found.
    pub gold: Places,
    /// Where on the pages it stands, scaled to the pages as they were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gold_regions: Vec<Region>,
    /// What was found, best first, each once.
    pub ranked: Places,
    /// The best units.
    pub hits: Vec<RecordedHit>,
    /// The question's scores by the metric's name.
    pub metrics: BTreeMap<String, f64>,
    /// The answer, where the question was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// How likely the evidence answers it, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
    /// Why its document could not be read: all scores are 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// Pages of a document, passages of a collection, or images of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Places {
    /// Page numbers, from 1.
    Pages(Vec<u32>),
    /// Titles of passages.
    Passages(Vec<String>),
    /// The beginnings of the hashes of images' files.
    Images(Vec<String>),
}

/// A box on a page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Page number, from 1.
    pub page: u32,
    /// Left, top, right and bottom in points, origin at the page's top left.
    pub bbox: [f32; 4],
}

/// A unit that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedHit {
    /// Its name.
    pub unit: String,
    /// `text`, `table`, `figure`, `formula`.
    pub modality: String,
    /// The page of its first box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The title of its document and the headings above it.
    pub path: Vec<String>,
    /// How its text begins; a figure's or table's caption comes first.
    pub text: String,
    /// The score that hits are ordered by.
    pub score: f32,
    /// What each stage gave it.
    pub scores: Vec<RecordedScore>,
    /// Its boxes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boxes: Vec<Region>,
}

/// What a stage of retrieval gave a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedScore {
    /// The stage: `bm25`, `dense`.
    pub stage: String,
    /// Its own score.
    pub value: f32,
    /// The place in the stage's ranking, from 1.
    pub rank: u32,
}

impl Record {
    /// The score of a metric, where the question was scored by it.
    pub fn score(&self, metric: Metric) -> Option<f64> {
        self.metrics.get(&metric.to_string()).copied()
    }
}

impl From<&Provenance> for Region {
    fn from(place: &Provenance) -> Self {
        let b = place.bbox;
        Self {
            page: place.page,
            bbox: [b.left, b.top, b.right, b.bottom],
        }
    }
}

/// Scores by the names of their metrics.
pub(crate) fn named(scores: impl IntoIterator<Item = (Metric, f64)>) -> BTreeMap<String, f64> {
    let scores = scores.into_iter();
    scores
        .map(|(metric, score)| (metric.to_string(), score))
        .collect()
}

/// The best hits as they are recorded.
pub(crate) fn recorded(hits: &[Hit]) -> Vec<RecordedHit> {
    let record = |hit: &Hit| RecordedHit {
        unit: hit.unit.id.to_string(),
        modality: hit.unit.modality.name().to_owned(),
        page: hit.unit.page(),
        path: std::iter::once(hit.unit.document_title.as_str())
            .chain(hit.unit.heading_path())
            .map(str::to_owned)
            .collect(),
        text: beginning(&hit.unit),
        score: hit.score,
        scores: hit
            .scores
            .iter()
            .map(|score| RecordedScore {
                stage: score.stage.to_owned(),
                value: score.value,
                rank: score.rank,
            })
            .collect(),
        boxes: hit.unit.provenance.iter().map(Region::from).collect(),
    };
    hits.iter().take(HITS).map(record).collect()
}

fn beginning(unit: &EvidenceUnit) -> String {
    let caption = unit.content.caption.as_deref().unwrap_or_default();
    let text = format!("{caption} {}", unit.content.text);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(TEXT).collect()
}

/// A run file that is being written. It takes its place when it is whole.
pub(crate) struct RunFile {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
}

impl RunFile {
    /// Begins the file beside its place.
    pub(crate) fn create(path: &Path) -> Result<Self, EvalError> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = path.with_file_name(name);
        let file = File::create(&part).map_err(|cause| EvalError::file("write", &part, cause))?;
        Ok(Self {
            path: path.to_owned(),
            part,
            out: BufWriter::new(file),
        })
    }

    pub(crate) fn write(&mut self, record: &Record) -> Result<(), EvalError> {
        serde_json::to_writer(&mut self.out, record)
            .map_err(std::io::Error::from)
            .and_then(|()| self.out.write_all(b"\n"))
            .map_err(|cause| EvalError::file("write", &self.part, cause))
    }

    pub(crate) fn finish(mut self) -> Result<(), EvalError> {
        self.out
            .flush()
            .and_then(|()| std::fs::rename(&self.part, &self.path))
            .map_err(|cause| EvalError::file("write", &self.path, cause))
    }
}

/// The records of a run file.
pub(crate) fn read_run(path: &Path) -> Result<Vec<Record>, EvalError> {
    let failed = |cause| EvalError::file("read", path, cause);
    let file = File::open(path).map_err(failed)?;
    let mut out = Vec::new();
    for (line, number) in BufReader::new(file).lines().zip(1..) {
        let line = line.map_err(failed)?;
        let record = serde_json::from_str(&line).map_err(|error| {
            let what = format!("a record of a run was expected: {error}");
            EvalError::data(path, Some(number), what)
        })?;
        out.push(record);
    }
    Ok(out)
}
