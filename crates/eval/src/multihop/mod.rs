//! Passages that a question needs together: the sets `MuSiQue` and `HotpotQA`.

mod relations;
mod sets;

pub use sets::Dataset;

use crate::evaluation::{Budgets, Evaluation};
use crate::ranking::{distinct, recall};
use crate::record::{Places, Record, named, recorded};
use crate::{EvalError, EvalOptions, Metric, Progress, Report, Step, Tools};
use catena_document::{ContentHash, Document, DocumentId, MediaType, NodeKind, TreeBuilder};
use catena_engine::Hit;
use catena_parse::Parsed;
use relations::Relations;
use sets::{Passage, Question, Set};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::Ordering;

/// Units that each question may find: enough for twenty different passages.
const BUDGETS: Budgets = Budgets {
    text: 60,
    visual: 0,
};
/// Where recall is measured.
const DEPTHS: [u8; 5] = [1, 2, 5, 10, 20];
/// Where it is asked whether all gold passages are there.
const ALL_DEPTHS: [u8; 2] = [5, 10];

/// Evaluates strategies on the questions of a set, asked of all its passages; `dir` holds the
/// two files of the set.
///
/// A passage is a document of its title and its text; it ranks as its first unit. `relations` is
/// a file of what a model has stated of the passages, as `HippoRAG` writes it.
///
/// # Errors
/// Where the set is not whole, the work folder cannot be used, a model fails, or the work is
/// cancelled.
pub fn multihop(
    dir: &Path,
    dataset: Dataset,
    relations: Option<&Path>,
    options: &EvalOptions,
    tools: &mut Tools<'_>,
) -> Result<Report, EvalError> {
    let _span = tracing::info_span!("multihop", dataset = dataset.name()).entered();
    let set = sets::read(dir, dataset)?;
    let relations = match relations {
        Some(path) => relations::read(path, &set.passages)?,
        None => Relations::default(),
    };
    let mut evaluation = Evaluation::begin(options, tools)?;
    let all = set.questions.iter().map(|question| question.text.as_str());
    evaluation.embed_questions(all, tools)?;
    let total = set.passages.len();
    let mut report = |document, step| {
        (tools.progress)(Progress {
            document,
            documents: total,
            name: dataset.name(),
            step,
        });
    };
    let titles = titles(&set);
    let store = evaluation.stores.of_collection(
        name_of(&set, &relations),
        set.passages
            .iter()
            .map(|passage| (parsed(passage), relations.of(&passage.id()))),
        &mut |number| report(number, Step::Reading),
    )?;
    let snapshot = store.snapshot()?;
    for (question, done) in set.questions.iter().zip(0..) {
        if tools.cancel.load(Ordering::Relaxed) {
            return Err(EvalError::Cancelled);
        }
        report(total, Step::Asking(done, set.questions.len()));
        for (system, hits) in evaluation.ask(&snapshot, &question.text, BUDGETS)? {
            evaluation.keep(judged(question, system, &hits, &titles))?;
        }
    }
    let systems = evaluation.strategy_names();
    evaluation.finish(&systems)
}

/// The titles of passages by the names of their documents.
fn titles(set: &Set) -> HashMap<DocumentId, &str> {
    let passages = set.passages.iter();
    passages
        .map(|passage| (passage.id(), passage.title.as_str()))
        .collect()
}

/// The name of a collection: the hash of its documents' names, and of its relations.
fn name_of(set: &Set, relations: &Relations) -> ContentHash {
    let documents = set.passages.iter().map(Passage::id);
    let all: Vec<u8> = documents
        .chain(relations.name)
        .flat_map(|name| name.0)
        .collect();
    ContentHash::of(&all)
}

/// The document of a passage, with its file.
fn parsed(passage: &Passage) -> (Parsed, Vec<u8>) {
    let mut tree = TreeBuilder::new();
    tree.add(NodeKind::Title, passage.title.clone(), Vec::new());
    tree.add(NodeKind::Text, passage.text.clone(), Vec::new());
    let id = passage.id();
    let document = Document {
        id,
        sources: vec![format!("passage:{id}")],
        media_type: MediaType::Markdown,
        title: passage.title.clone(),
        language: Some("en".to_owned()),
        pages: Vec::new(),
        nodes: tree.finish(),
    };
    let parsed = Parsed {
        document,
        assets: Vec::new(),
        warnings: Vec::new(),
        unread_pictures: false,
    };
    (parsed, passage.file().into_bytes())
}

fn judged(
    question: &Question,
    system: &str,
    hits: &[Hit],
    titles: &HashMap<DocumentId, &str>,
) -> Record {
    let ranked = distinct(hits.iter().map(|hit| hit.unit.id.document));
    let gold: Vec<DocumentId> = question.gold.iter().map(Passage::id).collect();
    let title = |id: &DocumentId| titles.get(id).copied().unwrap_or_default().to_owned();
    Record {
        id: question.id.clone(),
        system: system.to_owned(),
        document: None,
        question: question.text.clone(),
        groups: BTreeMap::new(),
        gold: Places::Passages(gold.iter().map(title).collect()),
        gold_regions: Vec::new(),
        ranked: Places::Passages(ranked.iter().map(title).collect()),
        hits: recorded(hits),
        metrics: named(scores(&ranked, &gold)),
        answer: None,
        confidence: None,
        failed: None,
    }
}

fn scores<T: PartialEq>(ranked: &[T], gold: &[T]) -> Vec<(Metric, f64)> {
    let recalls = DEPTHS.map(|depth| (Metric::Recall(depth), recall(ranked, gold, depth.into())));
    let all = ALL_DEPTHS.map(|depth| {
        let whole = recall(ranked, gold, depth.into()) >= 1.0;
        (Metric::AllGold(depth), f64::from(u8::from(whole)))
    });
    recalls.into_iter().chain(all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_gold_needs_every_passage() {
        let ranked: Vec<u32> = (1..=20).collect();
        let check = |gold: &[u32], expected: [f64; 7]| {
            let found: Vec<f64> = scores(&ranked, gold).iter().map(|&(_, s)| s).collect();
            assert_eq!(found, expected, "{gold:?}");
        };
        // recall@1, 2, 5, 10, 20; all_gold@5, 10.
        check(&[1, 5], [0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0]);
        check(&[2, 6], [0.0, 0.5, 0.5, 1.0, 1.0, 0.0, 1.0]);
        check(&[6, 99], [0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn a_passage_is_a_document_of_its_title_and_text() {
        let passage = Passage {
            title: "A * B".to_owned(),
            text: "1. Not a list.".to_owned(),
        };
        let (parsed, file) = parsed(&passage);
        assert_eq!(parsed.document.id, ContentHash::of(&file));
        let texts: Vec<_> = parsed
            .document
            .nodes
            .iter()
            .map(|n| n.text.as_str())
            .collect();
        assert_eq!(texts, ["A * B", "1. Not a list."]);
    }
}
