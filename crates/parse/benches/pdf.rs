//! How fast are PDF pages read, and how fast drawn?
#![allow(missing_docs)]

use catena_parse::{Pages, ParseOptions, Source, parse};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

/// The example manual: 23 pages with 18 figures and 18 tables.
const MANUAL: &[u8] = include_bytes!("../../../examples/manual.pdf");
const PAGES: u64 = 23;

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pdf");
    group.throughput(Throughput::Elements(PAGES));
    group.bench_function("read 23 pages", |bencher| {
        bencher.iter(|| {
            let source = Source {
                uri: "manual.pdf",
                bytes: black_box(MANUAL),
                resolve: &|_| None,
            };
            parse(&source, &ParseOptions::default())
        });
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("draw a page at 144 dpi", |bencher| {
        bencher.iter(|| {
            let pages = Pages::open(black_box(MANUAL), None).expect("the manual");
            pages.draw(14, 2.0).expect("page 14").png()
        });
    });
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
