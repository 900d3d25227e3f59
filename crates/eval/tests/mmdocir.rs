//! The whole way from a set to its report, over the example manual and with a fake embedder.

use catena_engine::{Mode, Prompts};
use catena_eval::{
    Answering, EvalError, EvalOptions, Metric, Places, Record, Report, Step, Tools, mmdocir,
    mmdocir_answers,
};
use catena_models::testing::HashEmbedder;
use catena_models::{Embedder, ModelError, Space};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Counts the texts that it is asked to embed.
struct Counting(HashEmbedder, AtomicUsize);

impl Embedder for Counting {
    fn space(&self) -> &Space {
        self.0.space()
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.0.count_tokens(text)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.1.fetch_add(texts.len(), Ordering::Relaxed);
        self.0.embed(texts)
    }
}

fn manual() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/manual.pdf")
}

/// A set of three questions on the manual and one on a file that is no PDF.
fn write_set(dir: &Path) {
    let question = |id: &str, document: &str, text: &str, modality: &str, page: u32| {
        json!({
            "id": id, "document": document, "domain": "manuals", "question": text,
            "answer": "", "modalities": [modality], "pages": [page],
            "regions": [{"page": page, "page_size": [1190.0, 1684.0], "bbox": [0, 0, 1190, 1684]}],
        })
    };
    let lines = [
        question(
            "m#0",
            "manual.pdf",
            "How long does capacitor C1 keep its charge?",
            "Pure-text (Plain-text)",
            CAPACITOR,
        ),
        question(
            "m#1",
            "manual.pdf",
            "At what pressure does the expansion valve open?",
            "Table",
            VALVE,
        ),
        question("m#2", "manual.pdf", "Xyzzy plugh?", "Figure", 999),
        question("b#0", "broken.pdf", "Who wrote it?", "Chart", 1),
    ];
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    fs::create_dir_all(dir.join("pdf")).expect("a folder");
    fs::copy(manual(), dir.join("pdf/manual.pdf")).expect("the manual");
    fs::write(dir.join("pdf/broken.pdf"), b"%PDF-1.7 and nothing else").expect("a file");
    fs::write(dir.join("questions.jsonl"), lines.join("\n")).expect("a file");
}

/// The pages of the manual that answer the questions.
const CAPACITOR: u32 = 3;
const VALVE: u32 = 5;

fn options(work: &Path) -> EvalOptions {
    EvalOptions {
        strategies: vec!["hierarchy".to_owned(), "flat".to_owned()],
        work: work.join("work"),
        run: Some(work.join("run.jsonl")),
        compare: None,
    }
}

fn evaluate(set: &Path, options: &EvalOptions) -> (Result<Report, EvalError>, usize, Vec<Step>) {
    let embedder = Arc::new(Counting(HashEmbedder::new(256), AtomicUsize::new(0)));
    let mut steps = Vec::new();
    let mut tools = Tools {
        vision: None,
        embedder: Arc::clone(&embedder) as Arc<dyn Embedder>,
        progress: &mut |progress| steps.push(progress.step),
        cancel: &AtomicBool::new(false),
    };
    let report = mmdocir(set, options, &mut tools);
    (report, embedder.1.load(Ordering::Relaxed), steps)
}

fn records(options: &EvalOptions) -> Vec<Record> {
    let run = options.run.as_ref().expect("a run file was asked for");
    let text = fs::read_to_string(run).expect("a run file");
    let record = |line| serde_json::from_str(line).expect("a record a line");
    text.lines().map(record).collect()
}

#[test]
fn answers_are_scored_and_what_is_foreign_is_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    write_set(folder.path());
    let mut options = options(folder.path());
    options.strategies = vec!["hierarchy".to_owned()];
    let prompts = Prompts::default();
    let answering = Answering {
        modes: vec![Mode::Evidence],
        prompts: &prompts,
        questions: None,
    };
    let mut tools = Tools {
        vision: None,
        embedder: Arc::new(HashEmbedder::new(256)),
        progress: &mut |_| {},
        cancel: &AtomicBool::new(false),
    };
    let report = mmdocir_answers(folder.path(), &answering, &options, &mut tools);
    let report = report.expect("a report");
    assert_eq!(report.failures.len(), 1);
    let evidence = &report.systems[0];
    assert_eq!(evidence.system, "evidence");
    // The question of the file that cannot be read counts 0.
    let answered = evidence.metrics[&Metric::Answered];
    assert!(answered.n == 4 && answered.mean < 1.0, "{answered:?}");
    let failed = records(&options).into_iter().filter(|r| r.failed.is_some());
    assert_eq!(failed.map(|r| r.id).collect::<Vec<_>>(), ["b#0"]);
    // It is the one question that the manual is asked and another document answers.
    let foreign = &evidence.by["apart"]["foreign"];
    assert_eq!(foreign[&Metric::Answered].n, 1);
    assert_eq!(foreign[&Metric::RefusalAuroc].n, 4);
}

#[test]
fn from_a_set_to_its_report() {
    let folder = tempfile::tempdir().expect("a folder");
    write_set(folder.path());
    let mut options = options(folder.path());
    let (report, embedded, steps) = evaluate(folder.path(), &options);
    let report = report.expect("a report");
    assert!(embedded > 100, "{embedded}");
    assert!(steps.contains(&Step::Reading) && steps.contains(&Step::Asking(3, 3)));

    let systems: Vec<&str> = report.systems.iter().map(|s| s.system.as_str()).collect();
    assert_eq!(systems, ["hierarchy", "flat"]);
    for system in &report.systems {
        let recall = system.metrics[&Metric::PageRecall(10)];
        assert_eq!(recall.n, 4, "{}", system.system);
        let by_layer = &system.by["text_layer"];
        assert_eq!(by_layer["text"][&Metric::PageRecall(10)].n, 3);
        assert!(by_layer["image"][&Metric::PageRecall(10)].mean < 1e-9);
        let groups: Vec<&str> = system.by["modality"].keys().map(String::as_str).collect();
        assert_eq!(groups, ["Chart", "Figure", "Pure-text", "Table"]);
        let missed: Vec<&str> = system.missed.iter().map(|(id, _)| id.as_str()).collect();
        assert!(missed.contains(&"b#0"), "{missed:?}");
        // Hashed words find what says the same; whole chunks share too many of them.
        if system.system == "hierarchy" {
            assert!((recall.mean - 0.5).abs() < 1e-9);
            assert_eq!(missed, ["m#2", "b#0"]);
        }
    }
    assert_eq!(report.failures.len(), 1);
    assert_eq!(
        (
            report.failures[0].document.as_str(),
            report.failures[0].questions
        ),
        ("broken.pdf", 1)
    );
    assert_eq!(report.comparisons.len(), 1);
    assert!(report.table().contains("failed"));

    // The gold box is the whole page, at twice its size: all that is found on that page is gold.
    let records = records(&options);
    assert_eq!(records.len(), 8);
    let of_hierarchy = |record: &&Record| record.id == "m#0" && record.system == "hierarchy";
    for record in records.iter().filter(of_hierarchy) {
        assert_eq!(record.gold, Places::Pages(vec![CAPACITOR]));
        let Places::Pages(ranked) = &record.ranked else {
            panic!("pages were expected")
        };
        assert!(ranked[..10].contains(&CAPACITOR));
        let on_gold = |hit: &&catena_eval::RecordedHit| hit.page == Some(CAPACITOR);
        assert!(
            record
                .hits
                .iter()
                .filter(on_gold)
                .all(|hit| !hit.boxes.is_empty())
        );
        let recall = record.score(Metric::LayoutRecall).expect("a score");
        assert!(recall > 0.0 && recall < 1.0, "{recall}");
    }
    let failed = records.iter().filter(|record| record.failed.is_some());
    assert_eq!(failed.count(), 2);

    // Again: nothing is embedded, and the same is found.
    options.compare = options.run.replace(folder.path().join("again.jsonl"));
    let (again, embedded, _) = evaluate(folder.path(), &options);
    let again = again.expect("a report");
    assert_eq!(embedded, 0);
    assert_eq!(again.systems, report.systems);
    assert_eq!(
        again.comparisons.len(),
        3,
        "flat, and both systems of the earlier run"
    );
    let difference = again.comparisons[1].differences[&Metric::PageRecall(1)];
    assert_eq!((difference.mean, difference.ties), (0.0, 4));
}

#[test]
fn one_strategy_needs_no_other_view_and_gives_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    write_set(folder.path());
    let mut options = options(folder.path());
    options.strategies.truncate(1);
    let (alone, few, _) = evaluate(folder.path(), &options);
    options.strategies.push("flat".to_owned());
    let (both, more, _) = evaluate(folder.path(), &options);
    assert!(
        more > 0 && more < few,
        "chunks only are embedded: {more}, before {few}"
    );
    let (alone, both) = (alone.expect("a report"), both.expect("a report"));
    assert_eq!(alone.systems[0], both.systems[0]);
}

#[test]
fn work_that_is_cancelled_leaves_no_run_file() {
    let folder = tempfile::tempdir().expect("a folder");
    write_set(folder.path());
    let options = options(folder.path());
    let mut tools = Tools {
        vision: None,
        embedder: Arc::new(HashEmbedder::new(16)),
        progress: &mut |_| {},
        cancel: &AtomicBool::new(true),
    };
    let error = mmdocir(folder.path(), &options, &mut tools).expect_err("it is cancelled");
    assert!(matches!(error, EvalError::Cancelled), "{error}");
    assert!(!options.run.expect("a run file was asked for").exists());
}

#[test]
fn an_unknown_strategy_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    write_set(folder.path());
    let mut options = options(folder.path());
    options.strategies = vec!["magic".to_owned()];
    let (report, _, _) = evaluate(folder.path(), &options);
    let error = report.expect_err("no such strategy");
    assert_eq!(error.to_string(), "no strategy `magic`");
    assert!(error.hint().is_some_and(|hint| hint.contains("hierarchy")));
}
