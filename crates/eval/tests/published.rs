//! The published sets, read and asked with a fake embedder, where they are on this machine:
//! `CATENA_EVAL_DATA` names the folder that holds `mmdocir-dev` and `multihop`.
#![allow(clippy::print_stderr)]

use catena_eval::{Dataset, EvalOptions, Metric, Report, Tools, mmdocir, multihop};
use catena_models::testing::HashEmbedder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn data() -> Option<PathBuf> {
    let data = std::env::var_os("CATENA_EVAL_DATA").map(PathBuf::from);
    if data.is_none() {
        eprintln!("skipped: CATENA_EVAL_DATA is not set");
    }
    data
}

fn evaluate(work: &Path, run: impl FnOnce(&EvalOptions, &mut Tools<'_>) -> Report) -> Report {
    let options = EvalOptions {
        strategies: vec!["hierarchy".to_owned()],
        work: work.to_owned(),
        run: None,
        compare: None,
    };
    let mut tools = Tools {
        vision: None,
        embedder: Arc::new(HashEmbedder::new(64)),
        progress: &mut |_| {},
        cancel: &AtomicBool::new(false),
    };
    run(&options, &mut tools)
}

#[test]
fn multihop_sets() {
    let Some(dir) = data().map(|data| data.join("multihop")) else {
        return;
    };
    let work = tempfile::tempdir().expect("a folder");
    for dataset in [Dataset::Musique, Dataset::Hotpotqa] {
        let report = evaluate(work.path(), |options, tools| {
            multihop(&dir, dataset, None, options, tools).expect("a report")
        });
        let recall = report.systems[0].metrics[&Metric::Recall(20)];
        assert_eq!(recall.n, 60);
        assert!(recall.mean > 0.3, "{}: {recall:?}", dataset.name());
    }
}

#[test]
fn pages_and_regions() {
    let Some(dir) = data().map(|data| data.join("mmdocir-dev")) else {
        return;
    };
    let work = tempfile::tempdir().expect("a folder");
    let report = evaluate(work.path(), |options, tools| {
        mmdocir(&dir, options, tools).expect("a report")
    });
    assert_eq!(report.failures, []);
    let system = &report.systems[0];
    let recall = Metric::PageRecall(10);
    assert_eq!(system.metrics[&recall].n, 275);
    assert_eq!(system.by["text_layer"]["image"][&recall].n, 64);
    assert!(system.by["text_layer"]["text"][&recall].mean > 0.4);
}
