//! What searching and writing cost in a store of 1,000 and of 100,000 units.
//!
//! The stores are built once and kept in the target directory.
#![allow(missing_docs)]

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use catena_document::View;
use catena_index::{FieldWeights, Filter, Store, TextQuery, Writer};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::time::Duration;
use synthetic::{Made, embed};

const SPACE: &str = "bench";
const DIMENSION: u32 = 384;
/// Units in a document, about.
const PARAGRAPHS: u32 = 248;

fn made(name: u32) -> Made {
    let mut made = Made::new(name, 1, PARAGRAPHS);
    made.document.language = Some("en".into());
    made.views[0].vectors = vec![made.vectors_of(View::Evidence, SPACE, DIMENSION)];
    made
}

/// The store of so many documents of 250 units, built if it is not there.
fn store(documents: u32) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{documents}"));
    if Store::open(&path).is_ok_and(|store| {
        store
            .snapshot()
            .is_ok_and(|s| s.len() == documents as usize)
    }) {
        return path;
    }
    let _ = std::fs::remove_dir_all(&path);
    let mut writer = Writer::open(&path).unwrap();
    writer.add_space(SPACE, DIMENSION).unwrap();
    for name in 0..documents {
        writer.add(made(name).input()).unwrap();
    }
    writer.close().unwrap();
    path
}

fn query(text: &str) -> TextQuery {
    let weights = FieldWeights {
        content: 1.0,
        caption: 1.0,
        path: 0.5,
        context: 0.3,
    };
    TextQuery {
        text: text.into(),
        weights,
    }
}

fn search(criterion: &mut Criterion) {
    let snapshot = Store::open(store(400)).unwrap().snapshot().unwrap();
    let all = Filter::default();
    let mut group = criterion.benchmark_group("search 100k units");
    let vector = embed("a question", DIMENSION);
    group.bench_function("vectors", |b| {
        b.iter(|| {
            snapshot
                .search_vectors(SPACE, View::Evidence, &vector, &all, 10)
                .unwrap()
        });
    });
    let one = Filter {
        documents: Some(vec![snapshot.documents().unwrap()[7].id]),
        ..Filter::default()
    };
    group.bench_function("vectors of one document", |b| {
        b.iter(|| {
            snapshot
                .search_vectors(SPACE, View::Evidence, &vector, &one, 10)
                .unwrap()
        });
    });
    let questions = [
        ("two words", "brake noise"),
        (
            "a question",
            "how do I adjust the brake when the motor makes a noise",
        ),
        ("a stamp", "stamp7v1 pump"),
        (
            "a long question",
            "what should be checked first when the display shows an error after the battery was \
             replaced and the temperature sensor was connected to the charger, and which screw of \
             the housing must be tightened to stop the oil leak of the engine",
        ),
    ];
    for (name, text) in questions {
        group.bench_function(format!("words: {name}"), |b| {
            b.iter(|| {
                snapshot
                    .search_text(&query(text), View::Evidence, &all, 100)
                    .unwrap()
            });
        });
    }
    group.bench_function("words of one document", |b| {
        b.iter(|| {
            snapshot
                .search_text(&query(questions[1].1), View::Evidence, &one, 100)
                .unwrap()
        });
    });
    let section = Filter {
        section: Some("chapter valve".into()),
        ..Filter::default()
    };
    group.bench_function("words in a section", |b| {
        b.iter(|| {
            snapshot
                .search_text(&query(questions[1].1), View::Evidence, &section, 100)
                .unwrap()
        });
    });
    let hits = snapshot
        .search_text(&query("brake"), View::Evidence, &all, 10)
        .unwrap();
    group.bench_function("resolve ten units", |b| {
        b.iter(|| {
            hits.iter()
                .map(|(key, _)| snapshot.resolve(*key).unwrap())
                .collect::<Vec<_>>()
        });
    });
}

fn open(criterion: &mut Criterion) {
    let path = store(400);
    let mut group = criterion.benchmark_group("open 100k units");
    group.bench_function("store", |b| b.iter(|| Store::open(&path).unwrap()));
    let store = Store::open(&path).unwrap();
    group.bench_function("snapshot", |b| b.iter(|| store.snapshot().unwrap()));
    group.sample_size(20);
    group.bench_function("writer", |b| b.iter(|| Writer::open(&path).unwrap()));
}

/// Adds and removes one document of ten units, a commit each, in stores of two sizes.
fn commit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("commit");
    group
        .sample_size(50)
        .measurement_time(Duration::from_secs(10));
    for documents in [4, 400] {
        let path = store(documents);
        let mut writer = Writer::open(&path).unwrap();
        let mut name = 1_000_000;
        let mut make = || {
            name += 1;
            let mut made = Made::new(name, 1, 8);
            made.views[0].vectors = vec![made.vectors_of(View::Evidence, SPACE, DIMENSION)];
            made
        };
        group.bench_function(format!("one of {} units", documents * 250), |b| {
            b.iter_batched(
                &mut make,
                |made| {
                    writer.add(made.input()).unwrap();
                    writer.commit().unwrap();
                },
                BatchSize::PerIteration,
            );
        });
        for name in 1_000_000..=name {
            writer.remove_source(&format!("file:{name}")).unwrap();
        }
        writer.compact().unwrap();
    }
}

criterion_group!(benches, search, open, commit);
criterion_main!(benches);
