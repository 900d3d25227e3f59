//! Images and steps in answers: a set made of HTML pages themselves, without a language model.
//!
//! A section that has images or steps is the gold; its heading becomes the question, asked of all
//! pages together. The gold is read from the markup, apart from the reader that is measured.

mod question;
mod score;
mod source;

use crate::answering::{System, answer_text, check_scores, spread, systems};
use crate::evaluation::Evaluation;
use crate::record::{Places, Record, named, recorded};
use crate::report::Failure;
use crate::{Answering, EvalError, EvalOptions, Metric, Progress, Report, Step, Tools};
use catena_document::ContentHash;
use catena_engine::{Answer, Block, FileToAdd, Found};
use catena_index::{RenderCache, Snapshot};
use catena_models::{Embedder, cosine};
use question::{Question, questions};
use score::{image_scores, step_recall};
use source::{pages, sections};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Evaluates answers on questions that are made of the headings of HTML pages at `paths`, files or
/// folders: are the section's images there, in order and at their places, and are all its steps?
///
/// Each strategy answers in each of the modes, with the retrieval budgets that `ask` has by
/// default. The words in pictures are not read.
///
/// # Errors
/// Where a page cannot be read, there is no question to be made, the work folder cannot be used, a
/// model fails, or the work is cancelled.
pub fn placement(
    paths: &[PathBuf],
    answering: &Answering<'_>,
    options: &EvalOptions,
    tools: &mut Tools<'_>,
) -> Result<Report, EvalError> {
    let _span = tracing::info_span!("placement").entered();
    let mut files = Vec::new();
    let mut gold = Vec::new();
    for path in paths {
        let pages = pages(path)?;
        let root = if path.is_dir() {
            path
        } else {
            path.parent().unwrap_or(path)
        };
        gold.extend(sections(root, &pages)?);
        files.extend(pages.into_iter().map(|page| FileToAdd {
            path: page,
            root: root.to_owned(),
        }));
    }
    let questions = spread(questions(&gold), answering.questions);
    if questions.is_empty() {
        let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
        let what = "no section of an HTML page with images or numbered steps".to_owned();
        return Err(EvalError::data(path, None, what));
    }
    let mut evaluation = Evaluation::begin(options, tools)?;
    let texts = questions.iter().map(|question| question.text.as_str());
    evaluation.embed_questions(texts, tools)?;
    let systems = systems(&evaluation, answering);
    let total = files.len();
    let mut report = |document, step| {
        (tools.progress)(Progress {
            document,
            documents: total,
            name: "pages",
            step,
        });
    };
    let (store, failed) = evaluation
        .stores
        .of_files(&files, &mut |number| report(number, Step::Reading))?;
    for (path, message) in failed {
        let on_page = questions
            .iter()
            .filter(|question| question.section.page == path);
        evaluation.fail(Failure {
            document: path.display().to_string(),
            message,
            questions: on_page.count(),
        });
    }
    let snapshot = store.snapshot()?;
    let cache = store.render_cache();
    for (question, done) in questions.iter().zip(0..) {
        report(total, Step::Asking(done, questions.len()));
        for system in &systems {
            if tools.cancel.load(std::sync::atomic::Ordering::Relaxed) {
                return Err(EvalError::Cancelled);
            }
            let record = answered(
                question,
                system,
                &snapshot,
                &evaluation,
                &cache,
                tools.cancel,
            )?;
            evaluation.keep(record)?;
        }
    }
    let names: Vec<&str> = systems.iter().map(|system| system.name.as_str()).collect();
    evaluation.finish(&names)
}

/// Asks a question of a system, and scores the answer.
fn answered(
    question: &Question<'_>,
    system: &System<'_>,
    snapshot: &Snapshot,
    evaluation: &Evaluation<'_>,
    cache: &RenderCache,
    cancel: &std::sync::atomic::AtomicBool,
) -> Result<Record, EvalError> {
    let embedder = evaluation.embedder();
    let (found, answer) = system.answer(&question.text, snapshot, cache, evaluation, cancel)?;
    let shown = shown(&answer, snapshot)?;
    let section = question.section;
    let gold: Vec<ContentHash> = section.images.iter().map(|image| image.id).collect();
    let mut images: Vec<ContentHash> = Vec::new();
    for image in &shown {
        if !images.contains(&image.id) {
            images.push(image.id);
        }
    }
    let mut scores = image_scores(&images, &gold);
    if !gold.is_empty() {
        scores.push((Metric::ImageContext, context(question, &shown, embedder)?));
    }
    if question.procedure {
        let steps = section.blocks.iter().filter(|block| block.step);
        let steps: Vec<&str> = steps.map(|block| block.text.as_str()).collect();
        scores.push((
            Metric::StepRecall,
            step_recall(&steps, &answer_text(&answer)),
        ));
    }
    scores.extend(check_scores(&answer));
    let names = |images: &[ContentHash]| images.iter().map(ContentHash::short).collect();
    Ok(Record {
        gold: Places::Images(names(&gold)),
        ranked: Places::Images(names(&images)),
        metrics: named(scores),
        ..blank(question, system, &found, &answer)
    })
}

/// The record of a question before it is scored.
fn blank(question: &Question<'_>, system: &System<'_>, found: &Found, answer: &Answer) -> Record {
    let section = question.section;
    let kind = if question.procedure {
        "procedure"
    } else {
        "section"
    };
    let images = match section.images.len() {
        0 => "none",
        1 => "one",
        _ => "several",
    };
    let page = section
        .page
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    Record {
        id: format!(
            "{page}#{}",
            section.headings.last().map_or("", String::as_str)
        ),
        system: system.name.clone(),
        document: None,
        question: question.text.clone(),
        groups: BTreeMap::from([
            ("kind".to_owned(), vec![kind.to_owned()]),
            ("images".to_owned(), vec![images.to_owned()]),
        ]),
        gold: Places::Images(Vec::new()),
        gold_regions: Vec::new(),
        ranked: Places::Images(Vec::new()),
        hits: recorded(&found.hits),
        metrics: BTreeMap::new(),
        answer: Some(answer_text(answer)),
        confidence: Some(answer.confidence),
        failed: None,
    }
}

/// An image that an answer shows.
struct Shown {
    /// Its file's hash.
    id: ContentHash,
    /// The text beside it: the block before it, at the answer's beginning the one after.
    beside: Option<String>,
}

fn shown(answer: &Answer, snapshot: &Snapshot) -> Result<Vec<Shown>, EvalError> {
    let text = |block: &Block| match block {
        // A heading stands beside nothing.
        Block::Text { markdown, .. } if is_heading(markdown) => None,
        Block::Text { markdown, .. } | Block::Table { markdown, .. } => Some(markdown.clone()),
        Block::Figure { .. } => None,
    };
    let mut out = Vec::new();
    for (at, block) in answer.blocks.iter().enumerate() {
        let Block::Figure { unit, .. } = block else {
            continue;
        };
        let unit = snapshot.resolve(snapshot.unit_key(unit)?)?;
        if let Some(id) = unit.image() {
            let before = answer.blocks[..at].iter().rev().find_map(text);
            out.push(Shown {
                id,
                beside: before.or_else(|| answer.blocks[at..].iter().find_map(text)),
            });
        }
    }
    Ok(out)
}

/// Whether a block is a heading: all of it is bold.
fn is_heading(markdown: &str) -> bool {
    let inner = markdown
        .strip_prefix("**")
        .and_then(|rest| rest.strip_suffix("**"));
    inner.is_some_and(|inner| !inner.contains("**"))
}

/// The image–context score: how alike the text beside each gold image is in the answer and in the
/// source, as the cosine of their vectors; a missed image is 0, a cosine below 0 too.
fn context(
    question: &Question<'_>,
    shown: &[Shown],
    embedder: &dyn Embedder,
) -> Result<f64, EvalError> {
    let section = question.section;
    let mut sum = 0.0;
    for image in &section.images {
        let beside = shown.iter().find(|shown| shown.id == image.id);
        let gold = image.block.and_then(|at| section.blocks.get(at));
        // An image of a section without text belongs to its heading.
        let gold = gold.map_or_else(
            || section.headings.last().map_or("", String::as_str),
            |block| block.text.as_str(),
        );
        if let Some(beside) = beside.and_then(|shown| shown.beside.as_deref()) {
            let vectors = embedder.embed(&[gold, beside])?;
            sum += f64::from(cosine(&vectors[0], &vectors[1]).max(0.0));
        }
    }
    Ok(sum / section.images.len().max(1) as f64)
}
