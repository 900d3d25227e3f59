//! The sources of an answer: the pages that it quotes, with the quotes marked.

use super::{Page, picture};
use crate::failure::Failure;
use crate::output::page_words;
use catena_document::{BBox, DocumentId, EvidenceUnit, html_text};
use catena_engine::Citation;
use std::collections::BTreeSet;

/// Pixels a point of page images: 110 dpi.
const SCALE: f32 = 110.0 / 72.0;
/// White kept around a mark, in points.
const MARGIN: f32 = 1.5;

/// The citations that begin on one page of a document, or in a document without pages.
struct Group<'a> {
    document: DocumentId,
    first_page: Option<u32>,
    citations: Vec<&'a Citation>,
}

pub(super) fn render(page: &Page<'_>) -> Result<String, Failure> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for citation in &page.answer.citations {
        let (document, first_page) = (citation.unit.document, citation.page());
        let same =
            |group: &&mut Group<'_>| (group.document, group.first_page) == (document, first_page);
        match groups.iter_mut().find(same) {
            Some(group) => group.citations.push(citation),
            None => groups.push(Group {
                document,
                first_page,
                citations: vec![citation],
            }),
        }
    }
    groups.iter().map(|group| section(page, group)).collect()
}

/// A page with its quotes.
fn section(page: &Page<'_>, group: &Group<'_>) -> Result<String, Failure> {
    let pages: BTreeSet<u32> = group
        .citations
        .iter()
        .flat_map(|citation| citation.places.iter().map(|place| place.page))
        .collect();
    let title = group
        .citations
        .first()
        .map_or("", |citation| citation.document.as_str());
    let pages: Vec<u32> = pages.into_iter().collect();
    let mut heading = html_text(title);
    if !pages.is_empty() {
        heading.push_str(&format!(", {}", page_words(&pages)));
    }
    let mut sheets = String::new();
    if !pages.is_empty() {
        let sizes = page.snapshot.document(&group.document)?.pages;
        let sizes = sizes.iter().filter(|size| pages.contains(&size.number));
        sheets.extend(sizes.map(|size| sheet(page, group, size, title)));
    }
    let mut out = format!("<h3>{heading}</h3>\n<ol class=\"quotes\">\n");
    for citation in &group.citations {
        out.push_str(&quote(page, citation, !sheets.is_empty())?);
    }
    out.push_str("</ol>\n");
    out.push_str(&sheets);
    Ok(out)
}

/// A quote with the headings above it; in its surroundings where no page can be shown, as of
/// slides and of documents without pages.
fn quote(page: &Page<'_>, citation: &Citation, shown: bool) -> Result<String, Failure> {
    let label = citation.label;
    let path = html_text(&citation.path.join(" › "));
    let words = if shown {
        html_text(&citation.quote)
    } else {
        let unit = page.snapshot.unit_key(&citation.unit)?;
        in_context(&page.snapshot.resolve(unit)?, &citation.quote)
    };
    Ok(format!(
        "<li id=\"source-{label}\"><span class=\"label\">[{label}]</span>\
         <span class=\"path\">{path}</span><blockquote>{words}</blockquote></li>\n"
    ))
}

/// A quote marked in the text around it.
fn in_context(unit: &EvidenceUnit, quote: &str) -> String {
    let near = |text: &str| match text.trim() {
        "" => String::new(),
        text => format!("<span class=\"near\">{}</span>\n", html_text(text)),
    };
    let text = &unit.content.text;
    let own = match text.find(quote).filter(|_| !quote.is_empty()) {
        Some(at) => format!(
            "{}<mark>{}</mark>{}\n",
            html_text(&text[..at]),
            html_text(quote),
            html_text(&text[at + quote.len()..])
        ),
        None => format!("<mark>{}</mark>\n", html_text(quote)),
    };
    let context = &unit.context;
    format!("{}{own}{}", near(&context.before), near(&context.after))
        .trim()
        .to_owned()
}

/// A page's image with the quotes of a group marked.
fn sheet(page: &Page<'_>, group: &Group<'_>, size: &catena_document::Page, title: &str) -> String {
    let number = size.number;
    let drawn = page.pictures.page(&group.document, number, SCALE);
    let Some((uri, _)) = drawn.and_then(|png| picture(&png)) else {
        return String::new();
    };
    let mut marks = String::new();
    for citation in &group.citations {
        let places = citation.places.iter().filter(|place| place.page == number);
        for (at, place) in places.enumerate() {
            let label = (at == 0).then_some(citation.label);
            marks.push_str(&mark(&place.bbox, size, label));
        }
    }
    let alt = html_text(&format!("Page {number} of {title}"));
    format!(
        "<div class=\"sheet\"><img src=\"{uri}\" alt=\"{alt}\">\
         <svg aria-hidden=\"true\">{marks}</svg></div>\n"
    )
}

/// A box over a page, in percent of it, with the label of its citation at its left.
fn mark(bbox: &BBox, page: &catena_document::Page, label: Option<u32>) -> String {
    let bbox = bbox.inflate(MARGIN);
    let percent = |part: f32, whole: f32| (part / whole.max(1.0) * 100.0).clamp(0.0, 100.0);
    let (x, y) = (
        percent(bbox.left, page.width),
        percent(bbox.top, page.height),
    );
    let width = percent(bbox.width(), page.width);
    let height = percent(bbox.height(), page.height);
    let mut out = format!(
        "<rect x=\"{x:.2}%\" y=\"{y:.2}%\" width=\"{width:.2}%\" height=\"{height:.2}%\"/>"
    );
    if let Some(label) = label {
        let below = y + height;
        out.push_str(&format!(
            "<text x=\"{x:.2}%\" y=\"{below:.2}%\">{label}</text>"
        ));
    }
    out
}
