//! How well are documents read?
//!
//! A [`Check`] compares documents as they are read with gold that stands beside them: [`twin`]s
//! in HTML, cells and boxes drawn by people, or single statements about a page. Each check has its
//! own module that finds the documents with their gold and scores one document; [`parse`] does
//! the rest.

mod captions;
mod checks;
mod headings;
mod order;
mod page;
mod regions;
mod tables;
mod teds;
mod twin;
mod words;

use crate::options::Progress;
use crate::record::{Places, Record, RunFile, named, read_run};
use crate::report::Failure;
use crate::vision_cache::cached;
use crate::{EvalError, Metric, Report, Step};
use catena_document::{ContentHash, Document, MediaType};
use catena_models::VisionModels;
use catena_parse::{OcrMode, ParseOptions, Source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name under which reading is reported.
const SYSTEM: &str = "parse";

/// What is checked of documents as they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Headings with their levels and parents, against twins; the PDF's outline is hidden.
    Headings,
    /// The order of paragraphs, against twins.
    Order,
    /// Cells and their neighbours, against the tables of ICDAR-2013.
    Tables,
    /// Figures with their captions, against the HTML that a PDF was printed from.
    Captions,
    /// The boxes of figures, charts and tables, against those of `MMDocIR`.
    Regions,
    /// The words of the body, against twins.
    Words,
    /// Single statements about pages, as in `olmOCR-bench`.
    Checks,
}

impl Check {
    /// All checks.
    pub const ALL: [Self; 7] = [
        Self::Headings,
        Self::Order,
        Self::Tables,
        Self::Captions,
        Self::Regions,
        Self::Words,
        Self::Checks,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Headings => "headings",
            Self::Order => "order",
            Self::Tables => "tables",
            Self::Captions => "captions",
            Self::Regions => "regions",
            Self::Words => "words",
            Self::Checks => "checks",
        }
    }
}

impl FromStr for Check {
    type Err = EvalError;

    fn from_str(name: &str) -> Result<Self, EvalError> {
        let found = Self::ALL.into_iter().find(|check| check.name() == name);
        found.ok_or_else(|| EvalError::UnknownCheck(name.to_owned()))
    }
}

/// How documents are read for a check, and where its results go besides its report.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// What is read from pictures.
    pub ocr: OcrMode,
    /// The models that read pictures, where they are on this machine.
    pub vision: Option<Arc<VisionModels>>,
    /// The folder that keeps what these saw for later runs.
    pub work: PathBuf,
    /// Where to write what was found of every item, a [`Record`](crate::Record) a line.
    pub run: Option<PathBuf>,
    /// The run file of an earlier run to compare with.
    pub compare: Option<PathBuf>,
    /// Where to write a page that shows expected and found side by side, the worst first.
    pub html: Option<PathBuf>,
}

/// Reads the documents of a set and compares them with their gold.
///
/// A document that cannot be read counts 0 and is a failure of the report.
///
/// # Errors
/// Where the set is not as expected, an output cannot be written, or `cancel` was set.
pub fn parse(
    check: Check,
    set: &Path,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress<'_>),
    cancel: &AtomicBool,
) -> Result<Report, EvalError> {
    let vision = options.vision.clone();
    let vision = vision.map(|models| cached(&options.work, models));
    let mut run = Run {
        options: ParseOptions {
            outline: check != Check::Headings,
            ocr: options.ocr,
            vision: vision.transpose()?,
            on_picture: &|_| !cancel.load(Ordering::Relaxed),
            ..ParseOptions::default()
        },
        progress,
        cancel,
        cases: Vec::new(),
        failures: Vec::new(),
    };
    let earlier = options.compare.as_deref().map(read_run).transpose()?;
    match check {
        Check::Headings => run.all(&headings::read(set)?, headings::score)?,
        Check::Order => run.all(&order::read(set)?, order::score)?,
        Check::Tables => run.all(&tables::read(set)?, tables::score)?,
        Check::Captions => run.all(&captions::read(set)?, captions::score)?,
        Check::Regions => run.all(&regions::read(set)?, regions::score)?,
        Check::Words => run.all(&words::read(set)?, words::score)?,
        Check::Checks => run.all(&checks::read(set)?, checks::score)?,
    }
    let Run {
        cases, failures, ..
    } = run;
    let records: Vec<Record> = cases.iter().map(|case| case.record.clone()).collect();
    let mut report = Report::of(&[SYSTEM], &records, failures);
    if let (Some(path), Some(earlier)) = (&options.compare, earlier) {
        report.compare_with(&records, &earlier, path)?;
    }
    if let Some(path) = &options.run {
        let mut file = RunFile::create(path)?;
        for record in &records {
            file.write(record)?;
        }
        file.finish()?;
    }
    if let Some(path) = &options.html {
        let page = page::page(check, &report, &cases);
        std::fs::write(path, page).map_err(|cause| EvalError::file("write", path, cause))?;
    }
    Ok(report)
}

/// A document with what should be found in it.
struct Asked<G> {
    /// Its name in the set.
    name: String,
    pdf: PathBuf,
    gold: G,
}

impl<G> Asked<G> {
    /// A PDF with its gold, named by its file's name.
    fn new(pdf: &Path, gold: G) -> Self {
        let name = pdf.file_name().unwrap_or(pdf.as_os_str());
        Self {
            name: name.to_string_lossy().into_owned(),
            pdf: pdf.to_owned(),
            gold,
        }
    }

    /// The same document with the gold that `read` finds in what it had.
    fn try_map<H>(
        self,
        read: impl FnOnce(&G) -> Result<H, EvalError>,
    ) -> Result<Asked<H>, EvalError> {
        Ok(Asked {
            gold: read(&self.gold)?,
            name: self.name,
            pdf: self.pdf,
        })
    }
}

/// One item that was scored: a document, or one statement about it.
struct Case {
    record: Record,
    /// Expected and found, side by side.
    rows: Vec<Row>,
}

/// A line of what was expected and found.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    expected: String,
    found: String,
    /// What is wrong; nothing where all is right.
    fault: String,
}

impl Case {
    /// An item of a document; `id` is its name in the set.
    fn new(document: &str, id: &str, scores: Vec<(Metric, f64)>, rows: Vec<Row>) -> Self {
        let texts = |side: fn(&Row) -> &String| {
            let texts = rows.iter().map(side);
            texts.filter(|text| !text.is_empty()).cloned().collect()
        };
        Self {
            record: Record {
                id: id.to_owned(),
                system: SYSTEM.to_owned(),
                document: Some(document.to_owned()),
                question: String::new(),
                groups: BTreeMap::new(),
                gold: Places::Passages(texts(|row| &row.expected)),
                gold_regions: Vec::new(),
                ranked: Places::Passages(texts(|row| &row.found)),
                hits: Vec::new(),
                metrics: named(scores),
                answer: None,
                confidence: None,
                failed: None,
            },
            rows,
        }
    }
}

/// A check in progress.
struct Run<'a> {
    options: ParseOptions<'a>,
    progress: &'a mut dyn FnMut(Progress<'_>),
    cancel: &'a AtomicBool,
    cases: Vec<Case>,
    failures: Vec<Failure>,
}

impl Run<'_> {
    /// Reads and scores document after document.
    fn all<G, T: ?Sized>(
        &mut self,
        asked: &[Asked<G>],
        score: impl Fn(&str, &T, &Document) -> Vec<Case>,
    ) -> Result<(), EvalError>
    where
        G: std::borrow::Borrow<T>,
    {
        let documents = asked.len();
        for (asked, document) in asked.iter().zip(1..) {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(EvalError::Cancelled);
            }
            (self.progress)(Progress {
                document,
                documents,
                name: &asked.name,
                step: Step::Reading,
            });
            match read_document(&asked.pdf, &self.options) {
                Ok(read) => self
                    .cases
                    .extend(score(&asked.name, asked.gold.borrow(), &read)),
                Err(message) => {
                    let cases = score(&asked.name, asked.gold.borrow(), &nothing());
                    self.fail(&asked.name, message, cases);
                }
            }
        }
        Ok(())
    }

    /// Keeps what a document that cannot be read was asked; all of it counts 0.
    fn fail(&mut self, document: &str, message: String, mut cases: Vec<Case>) {
        tracing::warn!(document, message, "failed");
        for case in &mut cases {
            case.record.failed = Some(message.clone());
            case.record
                .metrics
                .values_mut()
                .for_each(|score| *score = 0.0);
        }
        self.failures.push(Failure {
            document: document.to_owned(),
            message,
            questions: cases.len(),
        });
        self.cases.extend(cases);
    }
}

/// Reads a PDF; what went wrong where nothing can be had from it.
pub(crate) fn read_document(path: &Path, options: &ParseOptions<'_>) -> Result<Document, String> {
    let bytes = std::fs::read(path).map_err(|cause| cause.to_string())?;
    let source = Source {
        uri: &path.to_string_lossy(),
        bytes: &bytes,
        resolve: &|_| None,
    };
    match catena_parse::parse(&source, options) {
        Ok(parsed) => Ok(parsed.document),
        Err(error) => Err(error.to_string()),
    }
}

/// A document with nothing in it.
fn nothing() -> Document {
    Document {
        id: ContentHash::of(&[]),
        sources: Vec::new(),
        media_type: MediaType::Pdf,
        title: String::new(),
        language: None,
        pages: Vec::new(),
        nodes: Vec::new(),
    }
}
