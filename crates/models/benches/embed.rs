//! How fast texts are embedded and their tokens counted. The model is pulled where it is missing.

use catena_models::{Embedder, MINILM, MiniLm, ModelCache, pull};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;

const SENTENCE: &str = "Before you open the drain, close the main valve and wait for ten minutes. ";

fn cache() -> ModelCache {
    let cache = ModelCache::of_user().expect("a cache folder");
    pull(&cache, &MINILM, None, &AtomicBool::new(false), &mut |_| ()).expect("a pull");
    cache
}

fn load(cache: &ModelCache) -> MiniLm {
    MiniLm::load(&cache.locate(&MINILM).expect("its files")).expect("a model")
}

/// A text of `tokens` tokens with the special ones.
fn text(model: &MiniLm, tokens: usize, number: usize) -> String {
    let mut text = format!("{number}. ");
    for word in SENTENCE.split_whitespace().cycle() {
        if model.count_tokens(&text) + model.count_tokens(word) + 2 > tokens {
            return text;
        }
        text.push_str(word);
        text.push(' ');
    }
    text
}

fn embed(c: &mut Criterion) {
    let cache = cache();
    let model = load(&cache);
    let mut group = c.benchmark_group("embed");
    group.sample_size(10);
    for tokens in [35, 128] {
        let texts: Vec<String> = (0..64).map(|number| text(&model, tokens, number)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        group.throughput(Throughput::Elements(texts.len() as u64));
        group.bench_function(format!("64 texts of {tokens} tokens"), |b| {
            b.iter(|| black_box(model.embed(&texts)));
        });
    }
    group.throughput(Throughput::Elements(1));
    group.bench_function("a query", |b| {
        b.iter(|| black_box(model.embed(&["How do I switch off the pump?"])));
    });
    group.bench_function("a query from a cold start", |b| {
        b.iter(|| black_box(load(&cache).embed(&["How do I switch off the pump?"])));
    });
    group.finish();

    let page = SENTENCE.repeat(100);
    let mut group = c.benchmark_group("count tokens");
    group.throughput(Throughput::Bytes(page.len() as u64));
    group.bench_function("a page", |b| {
        b.iter(|| black_box(model.count_tokens(&page)));
    });
    group.finish();
}

criterion_group!(benches, embed);
criterion_main!(benches);
