//! How fast are HTML and Markdown read?

use catena_parse::{ParseOptions, Source, parse};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write as _;
use std::hint::black_box;

/// A manual of about one megabyte: sections with paragraphs, steps, a table and a figure each.
fn manual() -> String {
    let mut page = String::from("<!DOCTYPE html><title>Pump</title><h1>Pump</h1>");
    for section in 0..600 {
        let _ = write!(
            page,
            "<section id=s{section}><h2>{section} Filters</h2>\
             <p>The filter keeps <em>sand</em> and grit out of the pump; see Figure {section}. It \
             must be cleaned every <b>500 hours</b>, or when the lamp on the panel is red.</p>\
             <ol><li>Stop the pump.<li>Close <a href=#valve>the valve</a>.<li>Lift the lid, \
             which is heavy, with both hands.<ul><li>Mind the seal.<li>Mind the hose.</ul></ol>\
             <table><caption>Table {section}. Faults</caption><tr><th>Fault<th>Cause<th>Cure\
             <tr><td>E1<td>No water<td>Open the valve<tr><td>E2<td>Too hot<td>Let it cool</table>\
             <figure><img src=f{section}.png alt=Filter><figcaption>Figure {section}. The filter \
             </figcaption></figure><p>After cleaning, the filter is put back the other way round, \
             so that both of its sides wear alike. Note the date in the log. Old filters are \
             hazardous waste, and must be brought to a collection point of the council.</p>\
             <pre>pump --filter {section}\n  --clean</pre></section>"
        );
    }
    page
}

/// The same in Markdown.
fn notes() -> String {
    let mut text = String::from("# Pump\n\n");
    for section in 0..600 {
        let _ = write!(
            text,
            "## {section} Filters\n\nThe filter keeps *sand* and grit out of the pump; see Figure \
             {section}. It must be cleaned every **500 hours**, or when the lamp is red.\n\n\
             1. Stop the pump.\n2. Close [the valve](#valve).\n3. Lift the lid.\n   - Mind the \
             seal.\n   - Mind the hose.\n\n| Fault | Cause |\n|---|---|\n| E1 | No water |\n| E2 \
             | Too hot |\n\n![Filter](f{section}.png)\n\n*Figure {section}. The filter*\n\n\
             ```\npump --filter {section}\n```\n\n"
        );
    }
    text
}

fn reading(criterion: &mut Criterion) {
    for (uri, text) in [("manual.html", manual()), ("notes.md", notes())] {
        let mut group = criterion.benchmark_group("read");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(uri, |bencher| {
            bencher.iter(|| {
                let source = Source {
                    uri,
                    bytes: black_box(text.as_bytes()),
                    resolve: &|_| None,
                };
                parse(&source, &ParseOptions::default())
            });
        });
        group.finish();
    }
}

criterion_group!(benches, reading);
criterion_main!(benches);
