//! An answer as one page of HTML that asks nothing of any network: pictures are inside it, no
//! script runs, and the words of documents are always escaped.

mod blocks;
mod graph;
mod layout;
mod sources;

use crate::failure::Failure;
use crate::picture::Pictures;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use catena_document::{ContentHash, html_text};
use catena_engine::{Answer, AnswerOutcome, Hit};
use catena_index::Snapshot;
use image::ImageReader;
use image::codecs::jpeg::JpegEncoder;
use std::io::Cursor;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// Quality of JPEG pictures, to 100.
const QUALITY: u8 = 82;

/// What a page is made of.
pub(crate) struct Page<'a> {
    /// The question.
    pub(crate) question: &'a str,
    /// The answer.
    pub(crate) answer: &'a Answer,
    /// What was found for it, where that is to be drawn.
    pub(crate) hits: Option<&'a [Hit]>,
    /// The state of the store that it comes from.
    pub(crate) snapshot: &'a Snapshot,
    /// Its pictures.
    pub(crate) pictures: &'a Pictures<'a>,
}

/// The page.
pub(crate) fn render(page: &Page<'_>) -> Result<String, Failure> {
    let answered = page.answer.outcome == AnswerOutcome::Answered;
    let answer = if answered {
        blocks::render(page)
    } else {
        "<p><strong>Not in these documents</strong></p>\n".to_owned()
    };
    let sources_heading = if answered {
        "Sources"
    } else {
        "Nearest to the question"
    };
    let hash = BASE64.encode(ContentHash::of(STYLE.as_bytes()).0);
    Ok(fill(
        TEMPLATE,
        &[
            ("question", html_text(page.question)),
            ("style_hash", format!("sha256-{hash}")),
            ("style", STYLE.to_owned()),
            ("answer", answer),
            ("graph", page.hits.map_or_else(String::new, graph::section)),
            ("sources_heading", sources_heading.to_owned()),
            ("sources", sources::render(page)?),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ],
    ))
}

/// A template with its `{{names}}` replaced; what is put in is not looked at again.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut parts = template.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or((part, ""));
        let value = values.iter().find(|(other, _)| *other == name);
        out.push_str(value.map_or("", |(_, value)| value));
        out.push_str(rest);
    }
    out
}

/// The marks of sources, each a link to the source, after a space.
fn marks(citations: &[u32]) -> String {
    let link = |label: &u32| {
        format!(
            "<a class=\"cite\" href=\"#source-{label}\" aria-label=\"Source {label}\">[{label}]</a>"
        )
    };
    let links: String = citations.iter().map(link).collect();
    if links.is_empty() {
        links
    } else {
        format!(" {links}")
    }
}

/// A picture inside the page, as PNG or JPEG, whichever is smaller; with its width in pixels.
fn picture(png: &[u8]) -> Option<(String, u32)> {
    let reader = ImageReader::new(Cursor::new(png)).with_guessed_format();
    let picture = reader.ok()?.decode().ok()?.to_rgb8();
    let mut jpeg = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut jpeg, QUALITY);
    let smaller = picture.write_with_encoder(encoder).is_ok() && jpeg.len() < png.len();
    let (kind, bytes) = if smaller {
        ("jpeg", jpeg.as_slice())
    } else {
        ("png", png)
    };
    let uri = format!("data:image/{kind};base64,{}", BASE64.encode(bytes));
    Some((uri, picture.width()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_looked_at_again() {
        let values = [("a", "{{b}}".to_owned()), ("b", "2".to_owned())];
        assert_eq!(fill("<{{a}}> {{b}} {{none}}.", &values), "<{{b}}> 2 .");
    }

    #[test]
    fn nothing_of_a_document_is_markup() {
        assert_eq!(
            html_text("<script>'a' & \"b\"\u{1b}"),
            "&lt;script&gt;&#39;a&#39; &amp; &quot;b&quot;"
        );
    }

    #[test]
    fn the_template_has_no_place_for_what_does_not_exist() {
        let names: Vec<&str> = TEMPLATE
            .split("{{")
            .skip(1)
            .filter_map(|part| part.split_once("}}"))
            .map(|(name, _)| name)
            .collect();
        let known = [
            "style_hash",
            "question",
            "style",
            "answer",
            "graph",
            "sources_heading",
            "sources",
            "version",
        ];
        assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
    }
}
