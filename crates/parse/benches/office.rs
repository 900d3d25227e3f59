//! How fast are office files and books read?
#![allow(missing_docs)]

#[allow(dead_code)]
#[path = "../tests/office/make.rs"]
mod make;

use catena_parse::{ParseOptions, Source, parse};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use make::{archive, docx_parts, drawing, epub_parts, listed, p, pptx_parts, styled, xlsx_parts};
use std::hint::black_box;

/// Sections of a document, slides, rows of a sheet and pages of a book.
const PARTS: usize = 500;

const TEXT: &str = "The filter keeps sand and grit out of the pump. It must be cleaned every 500 \
    hours, or when the lamp on the panel is red, and put back the other way round.";

fn document() -> Vec<u8> {
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", p("", text));
    let row = format!("<w:tr>{}{}</w:tr>", cell("E1"), cell("Open the valve"));
    let section = [
        styled("berschrift1", "Filters"),
        p("", TEXT),
        listed(1, 0, "Stop the pump."),
        listed(1, 1, "Mind the seal."),
        format!("<w:tbl>{}</w:tbl>", row.repeat(3)),
        drawing("pic", "The filter"),
        styled("Beschriftung", "Figure 1: The filter"),
    ];
    archive(&docx_parts(&section.concat().repeat(PARTS)))
}

fn presentation() -> Vec<u8> {
    let line = format!("<a:p><a:pPr lvl=\"0\"/><a:r><a:t>{TEXT}</a:t></a:r></a:p>");
    let slide = format!(
        "<p:sp><p:nvSpPr><p:nvPr><p:ph idx=\"1\"/></p:nvPr></p:nvSpPr><p:txBody>{}</p:txBody></p:sp>",
        line.repeat(5)
    );
    archive(&pptx_parts(&vec![slide.as_str(); PARTS]))
}

fn workbook() -> Vec<u8> {
    let cells = "<c t=\"inlineStr\"><is><t>Filter</t></is></c><c s=\"3\"><v>1234.5</v></c><c s=\"2\"><v>45352</v></c>";
    let rows = format!("<row>{}</row>", cells.repeat(4)).repeat(PARTS * 10);
    let sheet = format!("<sheetData>{rows}</sheetData>");
    archive(&xlsx_parts(&[("Parts", "visible", &sheet)], &[]))
}

fn book() -> Vec<u8> {
    let page = format!("<h1>Filters</h1>{}", format!("<p>{TEXT}</p>").repeat(10));
    archive(&epub_parts(&vec![page.as_str(); PARTS], ""))
}

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("office");
    group.throughput(Throughput::Elements(PARTS as u64));
    for (name, bytes) in [
        ("500 sections of docx", document()),
        ("500 slides of pptx", presentation()),
        ("5,000 rows of xlsx", workbook()),
        ("500 pages of epub", book()),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let source = Source {
                    uri: "file",
                    bytes: black_box(&bytes),
                    resolve: &|_| None,
                };
                parse(&source, &ParseOptions::default())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
