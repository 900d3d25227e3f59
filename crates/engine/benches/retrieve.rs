//! What a question costs by strategy, in a store of 100,000 units or of as many as
//! `CATENA_BENCH_UNITS` says.
//!
//! The store is built once and kept in the target directory; what it costs to add a unit is printed. Before the benchmarks proper, 1,000
//! different questions are asked once each, and the percentiles of their times are printed with
//! the size of the store and the memory of the process.
#![allow(missing_docs, clippy::print_stdout)]

use catena_document::{ContentHash, View};
use catena_engine::{
    AddOptions, Adding, Retrieval, STRATEGIES, Strategy, add_document, embed_query,
};
use catena_index::{Snapshot, Store, Writer};
use catena_models::Embedder;
use catena_models::testing::HashEmbedder;
use catena_parse::{ParseOptions, Source, parse};
use criterion::{Criterion, criterion_group, criterion_main};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Sections of a document; each is five units: two paragraphs, steps, a table and a figure.
const SECTIONS: u64 = 50;
const QUESTIONS: u64 = 1000;
const UNITS: u64 = 100_000;
const UNITS_A_SECTION: u64 = 5;

/// Numbers without an order, the same in every run (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Words of a vocabulary of 60,000, as frequent as those of a language (Zipf's law).
    fn words(&mut self, count: u64) -> String {
        let word = |_| {
            let uniform = (self.roll() >> 11) as f64 / (1_u64 << 53) as f64;
            format!("w{}", 60_000_f64.powf(uniform) as u64)
        };
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    }
}

fn manual(number: u64) -> String {
    let mut dice = Dice(number);
    let mut text = format!("# Manual {number} {}\n\n", dice.words(4));
    for section in 0..SECTIONS {
        let _ = write!(
            text,
            "## {section} {}\n\n{}.\n\n{}.\n\n1. {}.\n2. {}.\n\n| {} | {} |\n|---|---|\n| {} | {} \
             |\n\n![{}](f{section}.png)\n\n*Figure {section}. {}*\n\n",
            dice.words(4),
            dice.words(60),
            dice.words(60),
            dice.words(12),
            dice.words(12),
            dice.words(1),
            dice.words(1),
            dice.words(3),
            dice.words(6),
            dice.words(4),
            dice.words(8),
        );
    }
    text
}

/// The store with both views, built if it is not there.
fn store(embedder: &Arc<dyn Embedder>, units: u64) -> PathBuf {
    let documents = units / (SECTIONS * UNITS_A_SECTION);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("retrieve-{units}"));
    let is_whole = |store: Store| Some(store.snapshot().ok()?.len() as u64 == documents);
    if Store::open(&path).ok().and_then(is_whole) == Some(true) {
        return path;
    }
    let _ = std::fs::remove_dir_all(&path);
    let mut writer = Writer::open(&path).expect("a store");
    let begun = Instant::now();
    for number in 0..documents {
        let text = manual(number);
        let source = Source {
            uri: &format!("{number}.md"),
            bytes: text.as_bytes(),
            resolve: &|_| None,
        };
        let mut parsed = parse(&source, &ParseOptions::default()).expect("Markdown");
        parsed.document.id = ContentHash::of(text.as_bytes());
        let mut adding = Adding {
            writer: &mut writer,
            embedder: &|| Ok(Arc::clone(embedder)),
            options: AddOptions {
                views: vec![View::Evidence, View::Chunks],
                ..AddOptions::default()
            },
            cancel: &AtomicBool::new(false),
        };
        add_document(&mut adding, parsed, text.as_bytes(), &mut |_| {}).expect("added");
    }
    writer.close().expect("closed");
    println!(
        "added {units} units, {:?} each",
        begun.elapsed() / units as u32
    );
    path
}

/// Asks one question.
fn ask(snapshot: &Snapshot, strategy: &dyn Strategy, embedder: &dyn Embedder, question: &str) {
    let query = embed_query(question, embedder, Retrieval::default()).expect("a query");
    let hits = strategy.retrieve(snapshot, &query).expect("hits");
    assert!(!hits.is_empty());
}

fn retrieve(criterion: &mut Criterion) {
    let embedder: Arc<dyn Embedder> = Arc::new(HashEmbedder::new(384));
    let asked = std::env::var("CATENA_BENCH_UNITS").ok();
    let units = asked.map_or(UNITS, |units| units.parse().expect("a number of units"));
    let path = store(&embedder, units);
    let snapshot = Store::open(&path)
        .expect("the store")
        .snapshot()
        .expect("a snapshot");
    println!("{:#?}", snapshot.statistics().expect("statistics"));
    for strategy in STRATEGIES {
        let mut times: Vec<Duration> = (0..QUESTIONS)
            .map(|number| {
                let mut dice = Dice(1_000_000 + number);
                let length = 4 + dice.roll() % 12;
                let question = dice.words(length);
                let begun = Instant::now();
                ask(&snapshot, *strategy, embedder.as_ref(), &question);
                begun.elapsed()
            })
            .collect();
        times.sort_unstable();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "{}: {QUESTIONS} questions of 4 to 15 words, p50 {:?}, p99 {:?}",
            strategy.name(),
            at(0.5),
            at(0.99)
        );
    }
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let lines = status
            .lines()
            .filter(|line| line.starts_with("VmHWM") || line.starts_with("Rss"));
        lines.for_each(|line| println!("{line}"));
    }
    let mut group = criterion.benchmark_group(format!("retrieve in {units} units"));
    for strategy in STRATEGIES {
        let question = Dice(7).words(8);
        group.bench_function(strategy.name(), |bencher| {
            bencher.iter(|| ask(&snapshot, *strategy, embedder.as_ref(), &question));
        });
    }
    group.finish();
}

criterion_group!(benches, retrieve);
criterion_main!(benches);
