//! How documents are read: the example manual against its own HTML, and small made-up sets on it.

use catena_eval::{Check, CheckOptions, EvalError, Metric, Places, Record, Report, parse};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The folder of the example manual.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A folder with the example manual's PDF under a name.
fn with_manual(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::copy(examples().join("manual.pdf"), path).expect("the manual");
    folder
}

fn run(check: Check, set: &Path, options: &CheckOptions) -> Result<Report, EvalError> {
    parse(check, set, options, &mut |_| {}, &AtomicBool::new(false))
}

fn mean(report: &Report, metric: Metric) -> f64 {
    report.systems[0].metrics[&metric].mean
}

#[test]
fn the_manual_is_read_as_its_html_says() {
    let folder = with_manual("manual.pdf");
    fs::copy(
        examples().join("manual.html"),
        folder.path().join("manual.html"),
    )
    .expect("a file");
    let least = |check: Check, metric: Metric, least: f64| {
        let report = run(check, folder.path(), &CheckOptions::default()).expect("a report");
        let found = mean(&report, metric);
        assert!(found >= least, "{metric}: {found}\n{}", report.table());
    };
    least(Check::Headings, Metric::HeadingF1, 0.97);
    least(Check::Headings, Metric::LevelAccuracy, 0.97);
    least(Check::Headings, Metric::ParentAccuracy, 0.97);
    least(Check::Words, Metric::WordF1, 0.97);
    least(Check::Order, Metric::Order, 0.97);
    least(Check::Captions, Metric::CaptionPrecision, 0.9);
    least(Check::Captions, Metric::CaptionRecall, 0.9);
}

#[test]
fn other_gold_is_missed() {
    let folder = with_manual("a.pdf");
    let html = "<title>T</title><h1>T</h1><h2>1 Safety</h2><h4>1.1 Signal words</h4>\
                <h2>Never there</h2><p>Unheard of.</p>\
                <figure><img width=10 height=400><figcaption>Figure 3. Hydraulic circuit of the \
                Tarn 2</figcaption></figure>";
    fs::write(folder.path().join("a.html"), html).expect("a file");
    let html = folder.path().join("report.html");
    let options = CheckOptions {
        run: Some(folder.path().join("run.jsonl")),
        compare: None,
        html: Some(html.clone()),
        ..CheckOptions::default()
    };
    let report = run(Check::Headings, folder.path(), &options).expect("a report");
    assert!(mean(&report, Metric::HeadingF1) < 0.2);
    // The two that are found have their levels: 1.1 stands right below 1.
    assert!((mean(&report, Metric::LevelAccuracy) - 1.0).abs() < 1e-9);
    let page = fs::read_to_string(html).expect("a page");
    assert!(page.contains("<td># Never there</td><td></td><td>missed</td>"));
    assert!(!page.contains("http"), "the page needs nothing else");
    let run_file = fs::read_to_string(folder.path().join("run.jsonl")).expect("a run");
    let record: Record = serde_json::from_str(run_file.trim()).expect("a record");
    let gold = ["# 1 Safety", "## 1.1 Signal words", "# Never there"].map(str::to_owned);
    assert_eq!(record.gold, Places::Passages(gold.to_vec()));
    // The caption is there, but its picture is another: the gold one is a narrow strip.
    let report = run(Check::Captions, folder.path(), &CheckOptions::default()).expect("a report");
    assert!(mean(&report, Metric::CaptionRecall) < 1e-9);
    let report = run(Check::Words, folder.path(), &CheckOptions::default()).expect("a report");
    assert!(mean(&report, Metric::WordF1) < 0.1);
}

#[test]
fn tables_are_compared_by_neighbours() {
    let folder = with_manual("m.pdf");
    let cell = |row: usize, column: usize, text: &str| {
        format!("<cell start-row='{row}' start-col='{column}'><content>{text}</content></cell>")
    };
    let cells = [
        cell(0, 0, "Signal word"),
        cell(0, 1, "Meaning"),
        cell(1, 0, "WARNING"),
        cell(1, 1, "A hazard that can kill or injure a person."),
    ];
    let xml = format!(
        "<?xml version='1.0'?><document><table id='1'><region id='1' page='3' \
         row-increment='0' col-increment='0'>{}</region></table></document>",
        cells.concat()
    );
    fs::write(folder.path().join("m-str.xml"), xml).expect("a file");
    let options = CheckOptions {
        run: Some(folder.path().join("run.jsonl")),
        ..CheckOptions::default()
    };
    let report = run(Check::Tables, folder.path(), &options).expect("a report");
    let found = mean(&report, Metric::AdjacencyF1);
    // All four ties are found, among those of the manual's other tables.
    assert!(found > 0.0 && found < 0.1, "{found}");
    let run_file = fs::read_to_string(folder.path().join("run.jsonl")).expect("a run");
    let record: Record = serde_json::from_str(run_file.trim()).expect("a record");
    assert_eq!(record.gold, Places::Passages(vec![]), "nothing is missed");
}

#[test]
fn statements_hold_or_not() {
    let folder = with_manual("pdfs/manual.pdf");
    let fourth =
        json!({"pdf": "lincoln_letter.pdf", "page": 1, "id": "h", "type": "present", "text": "x"});
    fs::copy(
        folder.path().join("pdfs/manual.pdf"),
        folder.path().join("pdfs/lincoln_letter.pdf"),
    )
    .expect("a file");
    let on_page_3 = |id: &str, statement: serde_json::Value| {
        let mut line = json!({"pdf": "manual.pdf", "page": 3, "id": id});
        let fields = statement.as_object().expect("an object").clone();
        line.as_object_mut().expect("an object").extend(fields);
        line
    };
    let lines = [
        on_page_3(
            "p1",
            json!({"type": "present", "text": "Scalding. The coffee boiler"}),
        ),
        on_page_3("p2", json!({"type": "present", "text": "scalding"})),
        on_page_3(
            "p3",
            json!({"type": "present", "text": "scalding", "case_sensitive": false}),
        ),
        on_page_3(
            "p4",
            json!({"type": "present", "text": "Scolding.", "max_diffs": 1}),
        ),
        on_page_3(
            "p5",
            json!({"type": "present", "text": "Scalding.", "first_n": 40}),
        ),
        on_page_3(
            "a1",
            json!({"type": "absent", "text": "Kestrane Tarn Service Manual"}),
        ),
        on_page_3("a2", json!({"type": "absent", "text": "Frost"})),
        on_page_3(
            "o1",
            json!({"type": "order", "before": "Electric shock", "after": "Frost."}),
        ),
        on_page_3(
            "o2",
            json!({"type": "order", "before": "Frost.", "after": "Electric shock"}),
        ),
        on_page_3(
            "t1",
            json!({"type": "table", "cell": "CAUTION", "up": "WARNING", "down": "NOTE"}),
        ),
        on_page_3(
            "t2",
            json!({"type": "table", "cell": "CAUTION", "up": "NOTE"}),
        ),
        on_page_3(
            "t3",
            json!({"type": "table", "cell": "no", "top_heading": "Operator",
            "left_heading": "Supply cable and main switch"}),
        ),
        on_page_3("m1", json!({"type": "math", "math": "x^2"})),
        fourth,
    ];
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    fs::write(folder.path().join("dataset.jsonl"), lines.join("\n")).expect("a file");
    let report = run(Check::Checks, folder.path(), &CheckOptions::default()).expect("a report");
    let failed: Vec<&str> = report.systems[0]
        .missed
        .iter()
        .map(|(id, _)| id.as_str())
        .collect();
    assert_eq!(failed, ["p2", "p5", "a2", "o2", "t2", "h"]);
    // What is handwriting is apart.
    assert_eq!(report.systems[0].metrics[&Metric::Present].n, 5);
    let apart = &report.systems[0].by["apart"]["handwriting"];
    assert_eq!(apart[&Metric::Present].n, 1);
}

#[test]
fn regions_are_found_by_their_boxes() {
    let folder = with_manual("pdf/manual.pdf");
    let question = |id: &str, modality: &str, bbox: [f32; 4]| {
        let region = json!({"page": 4, "page_size": [595.0, 842.0], "bbox": bbox});
        json!({"id": id, "document": "manual.pdf", "domain": "x", "question": "?", "answer": "",
            "modalities": [modality], "pages": [4], "regions": [region]})
    };
    let lines = [
        question("all", "Figure", [0.0, 0.0, 595.0, 842.0]),
        question("corner", "Table", [0.0, 0.0, 20.0, 20.0]),
        question("words", "Pure-text (Plain-text)", [0.0, 0.0, 20.0, 20.0]),
    ];
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    fs::write(folder.path().join("questions.jsonl"), lines.join("\n")).expect("a file");
    let report = run(Check::Regions, folder.path(), &CheckOptions::default()).expect("a report");
    let system = &report.systems[0];
    assert_eq!(system.metrics[&Metric::RegionRecall].n, 2);
    assert!(mean(&report, Metric::RegionRecall) < 1e-9);
    assert_eq!(system.by["text_layer"]["text"][&Metric::RegionRecall].n, 2);
}

#[test]
fn a_document_that_cannot_be_read_counts_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("pdfs")).expect("a folder");
    fs::write(folder.path().join("pdfs/a.pdf"), "%PDF-1.4 nothing").expect("a file");
    let line = json!({"pdf": "a.pdf", "page": 1, "id": "a1", "type": "absent", "text": "x"});
    fs::write(folder.path().join("dataset.jsonl"), line.to_string()).expect("a file");
    let report = run(Check::Checks, folder.path(), &CheckOptions::default()).expect("a report");
    assert!(mean(&report, Metric::Absent) < 1e-9);
    assert_eq!(report.failures[0].document, "a.pdf");
}

#[test]
fn a_set_that_is_none_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().display().to_string();
    let messages = Check::ALL.map(|check| {
        let error = run(check, folder.path(), &CheckOptions::default()).expect_err("no set");
        assert!(error.hint().is_some());
        format!(
            "{}: {}",
            check.name(),
            error.to_string().replace(&root, "SET")
        )
    });
    insta::assert_snapshot!(messages.join("\n"), @"
    headings: `SET`: it holds no twins, `X.pdf` with one of `X.html`, `X.htm`, `X.xhtml`, `X.epub`
    order: `SET`: it holds no twins, `X.pdf` with one of `X.html`, `X.htm`, `X.xhtml`, `X.epub`
    tables: `SET`: it holds no documents with their tables, `X.pdf` with `X-str.xml`
    captions: `SET`: it holds no twins, `X.pdf` with one of `X.html`, `X.htm`, `X.xhtml`
    regions: `SET/questions.jsonl` is missing: it should hold the questions, a JSON object a line
    words: `SET`: it holds no twins, `X.pdf` with one of `X.html`, `X.htm`, `X.xhtml`, `X.epub`
    checks: `SET/dataset.jsonl` is missing: it should hold the statements, a JSON object a line
    ");
    let error = "heading".parse::<Check>().expect_err("no check");
    insta::assert_snapshot!(
        format!("{error}; {}", error.hint().unwrap_or_default()),
        @"no check `heading`; the checks are: headings, order, tables, captions, regions, words, checks"
    );
}
