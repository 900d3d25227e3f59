//! The whole way over a small collection, with a fake embedder.

use catena_eval::{Dataset, EvalOptions, Metric, Places, Record, Tools, multihop};
use catena_models::testing::HashEmbedder;
use serde_json::json;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[test]
fn passages_with_one_title_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = [
        ("Pump", "The pump of the Tarn was designed by Ada Berg."),
        ("Pump", "A pump moves water uphill."),
        ("Ada Berg", "Ada Berg was born in Oslo in 1931."),
        ("Oslo", "The weather is mild; *snow* falls in winter."),
        ("Valve", "1. A valve opens and closes."),
    ];
    let passages: Vec<_> = corpus
        .iter()
        .map(|(title, text)| json!({"title": title, "text": text}))
        .collect();
    let paragraphs: Vec<_> = corpus
        .iter()
        .zip(0..)
        .map(|((title, text), at)| {
            let is_supporting = at == 0 || at == 2;
            json!({"idx": at, "title": title, "paragraph_text": text, "is_supporting": is_supporting})
        })
        .collect();
    let question = "Where was the designer of the pump of the Tarn, Ada Berg, born?";
    let questions = json!([{"id": "2hop__1", "question": question, "paragraphs": paragraphs}]);
    let write = |name: &str, text: String| {
        fs::write(folder.path().join(name), text).expect("a file");
    };
    write("musique.json", questions.to_string());
    write("musique_corpus.json", json!(passages).to_string());

    let triples = [
        json!([["pump of the Tarn", "designed by", "Ada Berg"]]),
        json!([]),
        json!([["Ada Berg", "born in", "Oslo"]]),
    ];
    let passages = corpus.iter().zip(triples);
    let docs: Vec<_> = passages
        .map(|((title, text), triples)| {
            json!({"title": title, "text": text, "extracted_triples": triples})
        })
        .collect();
    write("openie.json", json!({"docs": docs}).to_string());
    let relations = folder.path().join("openie.json");

    let run = folder.path().join("run.jsonl");
    let options = EvalOptions {
        strategies: ["topology", "hierarchy", "flat"]
            .map(str::to_owned)
            .to_vec(),
        work: folder.path().join("work"),
        run: Some(run.clone()),
        compare: None,
    };
    let mut steps = 0;
    let mut tools = Tools {
        vision: None,
        embedder: Arc::new(HashEmbedder::new(256)),
        progress: &mut |progress| {
            assert_eq!((progress.documents, progress.name), (5, "musique"));
            steps += 1;
        },
        cancel: &AtomicBool::new(false),
    };
    let relations = Some(relations.as_path());
    let report = multihop(
        folder.path(),
        Dataset::Musique,
        relations,
        &options,
        &mut tools,
    );
    let report = report.expect("a report");
    assert_eq!(steps, 6, "five passages and a question");
    for system in &report.systems {
        let mean = |metric| system.metrics[&metric].mean;
        let found = [Metric::Recall(1), Metric::Recall(2), Metric::AllGold(5)].map(mean);
        let near = found
            .iter()
            .zip([0.5, 1.0, 1.0])
            .all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near, "{}: {found:?}", system.system);
        assert!(system.by.is_empty() && system.missed.is_empty());
    }
    let text = fs::read_to_string(run).expect("a run file");
    assert_eq!(text.lines().count(), 3, "a line a strategy");
    for line in text.lines() {
        let record: Record = serde_json::from_str(line).expect("a record a line");
        let Places::Passages(ranked) = &record.ranked else {
            panic!("passages were expected")
        };
        let gold = ["Pump".to_owned(), "Ada Berg".to_owned()];
        assert_eq!(record.gold, Places::Passages(gold.to_vec()));
        let mut top = ranked[..2].to_vec();
        top.sort_unstable();
        assert_eq!(top, ["Ada Berg", "Pump"]);
    }
}
