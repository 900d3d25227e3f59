//! What was expected and found as a web page, the worst documents first.

use super::{Case, Check, Row};
use crate::Report;
use catena_document::html_text;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Lines shown of one document; a run file has all.
const LINES: usize = 2_000;

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:80rem;\
padding:0 1rem;color:#222;background:#fff}h2{margin:2rem 0 .3rem;font-size:1.15rem}\
table{border-collapse:collapse;width:100%}td,th{padding:.15rem .5rem;text-align:left;\
vertical-align:top;border-bottom:1px solid #ddd;white-space:pre-wrap;overflow-wrap:anywhere}\
td{width:43%}td:last-child{width:14%}.fault{background:#fdecea}pre{overflow-x:auto}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.fault{background:#4a2522}\
td,th{border-color:#444}}";

/// The page: needs nothing but itself, and every text of a document is escaped.
pub(super) fn page(check: Check, report: &Report, cases: &[Case]) -> String {
    let name = check.name();
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{name}</title>\
         <style>{STYLE}</style></head><body>\n<h1>Reading: {name}</h1>\n<pre>{}</pre>\n",
        html_text(&report.table())
    );
    for (document, cases) in worst_first(cases) {
        let _ = writeln!(
            out,
            "<h2>{}</h2>\n<p>{}</p>",
            html_text(document),
            html_text(&scores(&cases))
        );
        rows(&cases, &mut out);
    }
    out.push_str("</body></html>\n");
    out
}

/// The cases by document, the documents with the lowest scores first.
fn worst_first(cases: &[Case]) -> Vec<(&str, Vec<&Case>)> {
    let mut documents: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        let document = case.record.document.as_deref().unwrap_or_default();
        documents.entry(document).or_default().push(case);
    }
    let mut out: Vec<_> = documents.into_iter().collect();
    out.sort_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1)));
    out
}

fn mean(cases: &[&Case]) -> f64 {
    let scores: Vec<f64> = cases
        .iter()
        .flat_map(|case| case.record.metrics.values().copied())
        .collect();
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

/// The means of a document by metric.
fn scores(cases: &[&Case]) -> String {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, &score) in cases.iter().flat_map(|case| &case.record.metrics) {
        all.entry(name).or_default().push(score);
    }
    let means = all.iter().map(|(name, scores)| {
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        format!("{name} {:.1}", mean * 100.0)
    });
    let mut parts: Vec<String> = means.collect();
    if let Some(failed) = cases.iter().find_map(|case| case.record.failed.as_deref()) {
        parts.push(format!("could not be read: {failed}"));
    }
    parts.join(" · ")
}

fn rows(cases: &[&Case], out: &mut String) {
    let rows: Vec<&Row> = cases.iter().flat_map(|case| &case.rows).collect();
    if rows.is_empty() {
        return;
    }
    out.push_str("<table><tr><th>expected</th><th>found</th><th>fault</th></tr>\n");
    for row in rows.iter().take(LINES) {
        let class = if row.fault.is_empty() {
            ""
        } else {
            " class=\"fault\""
        };
        let _ = writeln!(
            out,
            "<tr{class}><td>{}</td><td>{}</td><td>{}</td></tr>",
            html_text(&row.expected),
            html_text(&row.found),
            html_text(&row.fault)
        );
    }
    out.push_str("</table>\n");
    if rows.len() > LINES {
        let _ = writeln!(out, "<p>and {} lines more</p>", rows.len() - LINES);
    }
}
