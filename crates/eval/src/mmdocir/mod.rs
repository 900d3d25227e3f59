//! Pages and regions of long documents: the set `MMDocIR`.

mod answers;
mod layout;
mod questions;

pub use answers::mmdocir_answers;

use crate::evaluation::{Budgets, Evaluation};
use crate::parse::read_document;
use crate::ranking::{distinct, recall};
use crate::record::{Places, Record, Region, named, recorded};
use crate::report::Failure;
use crate::{EvalError, EvalOptions, Metric, Progress, Report, Step, Tools};
use catena_document::{Page, Provenance};
use catena_engine::{EngineError, Hit};
use catena_index::{Snapshot, Store};
use catena_parse::{OcrMode, ParseOptions};
use layout::coverage;
use questions::Asked;
pub(crate) use questions::{Question, read as read_questions};
use std::collections::BTreeMap;
use std::path::Path;

/// Units of text, and as many figures and tables, that each question may find: enough for ten
/// different pages even where pages have many units.
const BUDGETS: Budgets = Budgets {
    text: 60,
    visual: 60,
};
/// A document with fewer characters a page than this has no text layer to speak of.
const TEXT_LAYER: usize = 50;
/// Where page recall is measured.
const DEPTHS: [u8; 4] = [1, 3, 5, 10];

/// Evaluates strategies on the set at `dir`: `questions.jsonl` and the folder `pdf`.
///
/// Each question is asked within its document. A page ranks as its first unit, a unit on several
/// pages counts for the page of its first box. The questions of a document that cannot be read
/// count 0, and the report names it.
///
/// # Errors
/// Where the set is not whole, the work folder cannot be used, a model fails, or the work is
/// cancelled.
pub fn mmdocir(
    dir: &Path,
    options: &EvalOptions,
    tools: &mut Tools<'_>,
) -> Result<Report, EvalError> {
    let _span = tracing::info_span!("mmdocir").entered();
    let set = read_questions(dir)?;
    let mut evaluation = Evaluation::begin(options, tools)?;
    let all = set.iter().flat_map(|asked| &asked.questions);
    evaluation.embed_questions(all.map(|question| question.text.as_str()), tools)?;
    for (asked, number) in set.iter().zip(1..) {
        tools.check_cancelled()?;
        let mut report = |step| {
            (tools.progress)(Progress {
                document: number,
                documents: set.len(),
                name: &asked.document,
                step,
            });
        };
        match evaluation.stores.of_file(&asked.path, &mut report) {
            Ok(store) => ask_document(&mut evaluation, asked, &store, &mut report)?,
            Err(EvalError::Engine(
                error @ (EngineError::Parse { .. } | EngineError::File { .. }),
            )) => {
                let systems = evaluation.strategy_names();
                let message = error.to_string();
                keep_failure(&mut evaluation, asked, &message, &systems, &scored_by)?;
            }
            Err(error) => return Err(error),
        }
    }
    let systems = evaluation.strategy_names();
    evaluation.finish(&systems)
}

/// Asks all questions on a document.
fn ask_document(
    evaluation: &mut Evaluation<'_>,
    asked: &Asked,
    store: &Store,
    report: &mut dyn FnMut(Step),
) -> Result<(), EvalError> {
    let subject = Subject::new(asked, store)?;
    let total = asked.questions.len();
    for (question, done) in asked.questions.iter().zip(0..) {
        report(Step::Asking(done, total));
        for (system, hits) in evaluation.ask(&subject.snapshot, &question.text, BUDGETS)? {
            evaluation.keep(subject.judged(question, system, &hits))?;
        }
    }
    report(Step::Asking(total, total));
    Ok(())
}

/// The metrics that a question is scored by.
fn scored_by(question: &Question) -> Vec<Metric> {
    let layout = [Metric::LayoutRecall, Metric::LayoutPrecision];
    let layout = layout.into_iter().filter(|_| !question.regions.is_empty());
    DEPTHS
        .map(Metric::PageRecall)
        .into_iter()
        .chain(layout)
        .collect()
}

/// Keeps the records of a document that cannot be read: no text was found in it, and all scores
/// are 0.
fn keep_failure(
    evaluation: &mut Evaluation<'_>,
    asked: &Asked,
    message: &str,
    systems: &[&str],
    scored_by: &dyn Fn(&Question) -> Vec<Metric>,
) -> Result<(), EvalError> {
    evaluation.fail(Failure {
        document: asked.document.clone(),
        message: message.to_owned(),
        questions: asked.questions.len(),
    });
    for question in &asked.questions {
        let metrics = scored_by(question).into_iter();
        let metrics = named(metrics.map(|metric| (metric, 0.0)));
        for system in systems {
            evaluation.keep(Record {
                metrics: metrics.clone(),
                failed: Some(message.to_owned()),
                ..blank(asked, question, system, "image")
            })?;
        }
    }
    Ok(())
}

/// A document that is asked.
struct Subject<'a> {
    asked: &'a Asked,
    snapshot: Snapshot,
    pages: Vec<Page>,
    text_layer: &'static str,
}

impl<'a> Subject<'a> {
    fn new(asked: &'a Asked, store: &Store) -> Result<Self, EvalError> {
        let snapshot = store.snapshot()?;
        let mut pages = Vec::new();
        if let Some(summary) = snapshot.documents()?.first() {
            let document = snapshot.document(&summary.id)?;
            pages = document.pages;
        }
        Ok(Self {
            asked,
            snapshot,
            pages,
            text_layer: text_layer_of(&asked.path),
        })
    }

    fn judged(&self, question: &Question, system: &str, hits: &[Hit]) -> Record {
        let units: Vec<&[Provenance]> = hits
            .iter()
            .map(|hit| hit.unit.provenance.as_slice())
            .collect();
        let ranked = ranked_pages(&units);
        let gold = gold_regions(question, &self.pages);
        let coverage = coverage(&units, &gold, &self.pages);
        let recalls = DEPTHS.map(|depth| {
            let found = recall(&ranked, &question.pages, depth.into());
            (Metric::PageRecall(depth), found)
        });
        let layout = (!gold.is_empty()).then_some([
            (Metric::LayoutRecall, coverage.recall),
            (Metric::LayoutPrecision, coverage.precision),
        ]);
        Record {
            gold_regions: gold,
            ranked: Places::Pages(ranked),
            hits: recorded(hits),
            metrics: named(recalls.into_iter().chain(layout.into_iter().flatten())),
            ..blank(self.asked, question, system, self.text_layer)
        }
    }
}

/// A record without anything found.
fn blank(asked: &Asked, question: &Question, system: &str, text_layer: &str) -> Record {
    Record {
        id: question.id.clone(),
        system: system.to_owned(),
        document: Some(asked.document.clone()),
        question: question.text.clone(),
        groups: BTreeMap::from([
            ("modality".to_owned(), question.modalities.clone()),
            ("text_layer".to_owned(), vec![text_layer.to_owned()]),
        ]),
        gold: Places::Pages(question.pages.clone()),
        gold_regions: Vec::new(),
        ranked: Places::Pages(Vec::new()),
        hits: Vec::new(),
        metrics: BTreeMap::new(),
        answer: None,
        confidence: None,
        failed: None,
    }
}

/// Pages by the rank of their first unit; a unit counts for the page of its first box.
fn ranked_pages(units: &[&[Provenance]]) -> Vec<u32> {
    distinct(
        units
            .iter()
            .filter_map(|places| places.first())
            .map(|place| place.page),
    )
}

/// The gold boxes on the pages as they were read.
pub(crate) fn gold_regions(question: &Question, pages: &[Page]) -> Vec<Region> {
    let scale = |region: &questions::GoldRegion| {
        let page = pages.iter().find(|page| page.number == region.page);
        let [width, height] = region.page_size;
        let (width, height) = page.map_or((width, height), |page| (page.width, page.height));
        region.scaled(width, height)
    };
    question.regions.iter().map(scale).collect()
}

/// `text` or `image`: whether a file's pages have text without OCR, by the characters a page.
pub(crate) fn text_layer_of(path: &Path) -> &'static str {
    let options = ParseOptions {
        ocr: OcrMode::Never,
        ..ParseOptions::default()
    };
    let Ok(document) = read_document(path, &options) else {
        return "image";
    };
    let chars: usize = document
        .nodes
        .iter()
        .map(|node| node.text.chars().count())
        .sum();
    if chars < TEXT_LAYER * document.pages.len().max(1) {
        "image"
    } else {
        "text"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catena_document::BBox;

    #[test]
    fn a_page_ranks_as_its_first_unit_and_a_unit_counts_for_its_first_page() {
        let place = |page| Provenance {
            page,
            bbox: BBox::new(0.0, 0.0, 10.0, 10.0),
            char_span: 0..0,
        };
        let units = [
            vec![place(3), place(4)],
            vec![],
            vec![place(1)],
            vec![place(3)],
            vec![place(4)],
        ];
        let units: Vec<&[Provenance]> = units.iter().map(Vec::as_slice).collect();
        assert_eq!(ranked_pages(&units), [3, 1, 4]);
    }
}
