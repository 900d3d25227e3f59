//! Answers on questions made of HTML pages, from the pages to the report.

use catena_engine::{Mode, Prompts};
use catena_eval::{
    Answering, EvalError, EvalOptions, Metric, Places, Record, Report, Tools, placement,
};
use catena_models::testing::HashEmbedder;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A drawing of so many pixels; its colour makes it another file.
fn drawing(side: u32, colour: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{side}' height='{side}'>\
         <rect width='{side}' height='{side}' fill='{colour}'/></svg>"
    )
}

/// Two pages of a manual and a file that is no page.
fn pages(dir: &Path) {
    let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("a file");
    write("red.svg", &drawing(90, "red"));
    write("blue.svg", &drawing(90, "blue"));
    write(
        "pump.html",
        "<title>Pump</title><h1>Pump</h1><p>The pump moves water.</p>\
         <h2>1. Replacing the pump</h2><p>Let it cool.</p><ol><li><p>Close the mains tap.</p></li>\
         <li><p>Unscrew the union.</p><img src='red.svg' alt='union'></li>\
         <li><p>Lift the pump out.</p></li></ol>",
    );
    write(
        "valve.html",
        "<title>Valve</title><h1>Valve</h1><h2>Drain valve</h2><p>The drain valve empties the \
         boiler.</p><img src='blue.svg' alt='valve'><p>It is made of brass.</p>",
    );
    write("notes.txt", "Nothing.");
}

fn run(dir: &Path, paths: &[PathBuf]) -> Result<Report, EvalError> {
    let options = EvalOptions {
        strategies: vec!["hierarchy".to_owned()],
        work: dir.join("work"),
        run: Some(dir.join("run.jsonl")),
        compare: None,
    };
    let prompts = Prompts::default();
    let answering = Answering {
        modes: vec![Mode::Evidence, Mode::Rules],
        prompts: &prompts,
        questions: None,
    };
    let mut tools = Tools {
        embedder: Arc::new(HashEmbedder::new(64)),
        vision: None,
        progress: &mut |_| {},
        cancel: &AtomicBool::new(false),
    };
    placement(paths, &answering, &options, &mut tools)
}

#[test]
fn figures_and_steps_are_scored_in_their_places() {
    let dir = tempfile::tempdir().expect("a folder");
    let site = dir.path().join("site");
    fs::create_dir(&site).expect("a folder");
    pages(&site);
    let report = run(dir.path(), &[site]).expect("a report");
    let names: Vec<&str> = report.systems.iter().map(|s| s.system.as_str()).collect();
    assert_eq!(names, ["evidence", "rules"]);
    let of = |metric: Metric| {
        report.systems[0]
            .metrics
            .get(&metric)
            .map(|e| (e.mean, e.n))
    };
    assert_eq!(of(Metric::ImageF1), Some((1.0, 2)));
    assert_eq!(of(Metric::ImageOrder), Some((1.0, 2)));
    assert_eq!(of(Metric::StepRecall), Some((1.0, 1)));
    let (context, _) = of(Metric::ImageContext).expect("images are gold");
    assert!(context > 0.6, "{context}");
    assert!(report.systems[0].by["kind"]["procedure"].contains_key(&Metric::StepRecall));

    let lines = fs::read_to_string(dir.path().join("run.jsonl")).expect("a run file");
    let records: Vec<Record> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    assert_eq!(records.len(), 4);
    assert_eq!(records[0].question, "How do I go about replacing the pump?");
    assert!(matches!(&records[0].gold, Places::Images(images) if images.len() == 1));
    let answer = records[0].answer.as_deref().expect("an answer");
    assert!(answer.contains("2. Unscrew the union."), "{answer}");
}

#[test]
fn what_gives_no_question_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let site = dir.path().join("site");
    fs::create_dir(&site).expect("a folder");
    fs::write(site.join("a.html"), "<h1>Only words</h1><p>Here.</p>").expect("a file");
    let error = run(dir.path(), &[site]).expect_err("no question");
    let text = error.to_string();
    assert!(
        text.contains("no section of an HTML page with images or numbered steps"),
        "{text}"
    );
}
