//! An answer as text.

use super::wrap::{clean, cut, wrap};
use super::{READABLE, table};
use crate::output::{BOLD, DIM, ITALIC, NAME, paint, place};
use crate::rich::{self, Part, Span, table_rows, with_remarks};
use anstyle::Style;
use catena_document::UnitId;
use catena_engine::{Answer, AnswerOutcome, Block, Citation};
use std::path::PathBuf;

/// A figure as the terminal shows it.
pub(crate) enum Figure {
    /// The codes that draw it.
    Inline(String),
    /// The file to open.
    File(PathBuf),
}

/// An answer with its sources, `width` columns wide; `figure` gives the figures that it shows.
pub(crate) fn answer(
    answer: &Answer,
    width: usize,
    figure: &dyn Fn(&UnitId) -> Option<Figure>,
) -> String {
    if answer.outcome == AnswerOutcome::InsufficientEvidence {
        return insufficient(answer, width);
    }
    let readable = width.min(READABLE);
    let mut out = String::new();
    let mut in_list = false;
    for block in &answer.blocks {
        let (text, begins_in_list, ends_in_list) = match block {
            Block::Text {
                markdown,
                citations,
                statements,
            } => text(&with_remarks(markdown, statements), citations, readable),
            Block::Figure {
                unit,
                caption,
                citation,
            } => (
                show_figure(caption, *citation, figure(unit), readable),
                false,
                false,
            ),
            Block::Table {
                caption,
                markdown,
                citation,
                ..
            } => {
                let caption = label(caption, *citation, readable);
                let table = table(&table_rows(markdown), width);
                (format!("{caption}{table}"), false, false)
            }
        };
        // The steps of a procedure stay together, though each may be a block.
        let goes_on = out.is_empty() || (in_list && begins_in_list);
        if !goes_on {
            out.push('\n');
        }
        out.push_str(&text);
        in_list = ends_in_list;
    }
    out.push_str(&format!("\n{}\n", paint(BOLD, "Sources")));
    out.push_str(&sources(&answer.citations, readable));
    out
}

/// What is said where the evidence does not answer.
fn insufficient(answer: &Answer, width: usize) -> String {
    let mut out = format!("{}\n", paint(BOLD, "Not in these documents"));
    if answer.citations.is_empty() {
        return out;
    }
    out.push_str("\nNearest to the question:\n");
    for citation in &answer.citations {
        out.push_str(&source(&[citation.label], citation, width.min(READABLE)));
        let quote = cut(&citation.quote, width.min(READABLE).saturating_sub(4));
        if !quote.is_empty() {
            out.push_str(&format!("    {}\n", paint(DIM, quote)));
        }
    }
    out
}

/// A block of text, and whether it begins and ends with an item of a list.
fn text(markdown: &str, citations: &[u32], width: usize) -> (String, bool, bool) {
    let parts = rich::parse(markdown);
    let marks = marks(citations);
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        let is_last = at + 1 == parts.len();
        let marks = if is_last { marks.as_str() } else { "" };
        let item = |at: usize| matches!(parts.get(at), Some(Part::Item { .. }));
        if at > 0 && !(item(at) && item(at - 1)) {
            out.push('\n');
        }
        out.push_str(&match part {
            Part::Paragraph(spans) => words(spans, Style::new(), marks, width, "", ""),
            Part::Heading(spans) => words(spans, BOLD, marks, width, "", ""),
            Part::Item {
                depth,
                marker,
                spans,
            } => {
                let indent = "   ".repeat(*depth);
                let first = format!("{indent}{marker:>3} ");
                let rest = format!("{indent}    ");
                words(spans, Style::new(), marks, width, &first, &rest)
            }
            Part::Code(code) => {
                let lines = code.lines().map(|line| format!("    {}", clean_line(line)));
                lines.collect::<Vec<_>>().join("\n") + marks
            }
            Part::Table(rows) => table(rows, width).trim_end().to_owned() + marks,
        });
        out.push('\n');
    }
    let item = |part: Option<&Part>| matches!(part, Some(Part::Item { .. }));
    (out, item(parts.first()), item(parts.last()))
}

fn words(
    spans: &[Span],
    style: Style,
    marks: &str,
    width: usize,
    first: &str,
    rest: &str,
) -> String {
    let mut styled: Vec<(Style, &str)> = spans
        .iter()
        .map(|span| {
            let style = match (span.bold, span.italic, span.code) {
                (true, ..) => BOLD,
                (_, true, _) => ITALIC,
                (.., true) => NAME,
                _ => style,
            };
            (style, span.text.as_str())
        })
        .collect();
    styled.push((DIM, marks));
    wrap(&styled, width, first, rest)
}

/// A line of code without characters that steer a terminal.
fn clean_line(line: &str) -> String {
    line.chars().filter(|c| !c.is_control()).collect()
}

/// ` [1][3]`
fn marks(citations: &[u32]) -> String {
    if citations.is_empty() {
        return String::new();
    }
    let labels: Vec<String> = citations.iter().map(|label| format!("[{label}]")).collect();
    format!(" {}", labels.concat())
}

/// A figure's or table's caption with its mark.
fn label(caption: &str, citation: u32, width: usize) -> String {
    let marks = marks(&[citation]);
    let caption = clean(caption);
    format!(
        "{}\n",
        wrap(&[(BOLD, &caption), (DIM, &marks)], width, "", "")
    )
}

fn show_figure(caption: &str, citation: u32, figure: Option<Figure>, width: usize) -> String {
    let caption = if caption.trim().is_empty() {
        "Figure"
    } else {
        caption
    };
    let line = label(caption, citation, width);
    match figure {
        Some(Figure::Inline(codes)) => format!("{codes}\n{line}"),
        // The path is not broken, so that it can be clicked.
        Some(Figure::File(path)) => {
            let path = paint(NAME, path.display());
            format!("{}  → {path}\n", line.trim_end())
        }
        None => line,
    }
}

/// The list of sources; those that say the same share a line.
fn sources(citations: &[Citation], width: usize) -> String {
    let mut groups: Vec<(Vec<u32>, &Citation)> = Vec::new();
    for citation in citations {
        let same = |(_, other): &&mut (Vec<u32>, &Citation)| where_of(other) == where_of(citation);
        match groups.iter_mut().find(same) {
            Some((labels, _)) => labels.push(citation.label),
            None => groups.push((vec![citation.label], citation)),
        }
    }
    let lines = groups
        .iter()
        .map(|(labels, citation)| source(labels, citation, width));
    lines.collect()
}

fn source(labels: &[u32], citation: &Citation, width: usize) -> String {
    let marks = marks(labels);
    let text = format!(" {}", clean(&where_of(citation)));
    let line = wrap(
        &[(DIM, marks.trim_start()), (Style::new(), &text)],
        width,
        "",
        "    ",
    );
    format!("{line}\n")
}

/// Where a quote stands.
fn where_of(citation: &Citation) -> String {
    let pages: Vec<u32> = citation.places.iter().map(|place| place.page).collect();
    place(&citation.document, &citation.path, &pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use catena_document::{BBox, ContentHash, Provenance, View};

    fn unit(ordinal: u32) -> UnitId {
        UnitId {
            document: ContentHash::of(b"manual"),
            view: View::Evidence,
            ordinal,
        }
    }

    fn citation(label: u32, heading: &str, page: u32) -> Citation {
        Citation {
            label,
            unit: unit(label),
            document: "Tarn Manual".to_owned(),
            path: vec!["7 Repair".to_owned(), heading.to_owned()],
            places: vec![Provenance {
                page,
                bbox: BBox::default(),
                char_span: 0..4,
            }],
            quote: "Pull the pump.\nStraight.".to_owned(),
        }
    }

    fn made(outcome: AnswerOutcome) -> Answer {
        let text = |markdown: &str, citations: &[u32]| Block::Text {
            markdown: markdown.to_owned(),
            citations: citations.to_owned(),
            statements: Vec::new(),
        };
        Answer {
            blocks: vec![
                Block::Table {
                    unit: unit(1),
                    caption: "Table 11. Fault codes".to_owned(),
                    markdown: "| Code | Cause |\n| --- | --- |\n| E4 | Pump worn |\n".to_owned(),
                    citation: 1,
                },
                text("**7.2 Replace the pump**", &[2]),
                text("Tools: a *hex* key.\n1. Loosen the screw.", &[2, 3]),
                text(
                    "2. Pull the pump straight off the motor.\nNOTE: It is heavy.",
                    &[3],
                ),
                Block::Figure {
                    unit: unit(4),
                    caption: "Figure 12. Removing the pump".to_owned(),
                    citation: 4,
                },
            ],
            citations: vec![
                citation(1, "8.1 Fault codes", 14),
                citation(2, "7.2 Replace the pump", 13),
                citation(3, "7.2 Replace the pump", 13),
                citation(4, "7.2 Replace the pump", 12),
            ],
            outcome,
            confidence: 0.5,
            checks: None,
            warnings: Vec::new(),
        }
    }

    fn show(outcome: AnswerOutcome) -> String {
        let file = |_: &UnitId| Some(Figure::File(PathBuf::from("/tmp/a b/12.png")));
        anstream::adapter::strip_str(&answer(&made(outcome), 44, &file)).to_string()
    }

    #[test]
    fn blocks_and_sources() {
        insta::assert_snapshot!(show(AnswerOutcome::Answered), @"
        Table 11. Fault codes [1]
        ┌──────┬───────────┐
        │ Code │ Cause     │
        ├──────┼───────────┤
        │ E4   │ Pump worn │
        └──────┴───────────┘

        7.2 Replace the pump [2]

        Tools: a hex key.

         1. Loosen the screw. [2][3]
         2. Pull the pump straight off the motor.
            NOTE: It is heavy. [3]

        Figure 12. Removing the pump [4]  → /tmp/a b/12.png

        Sources
        [1] Tarn Manual, 8.1 Fault codes, page
            14
        [2][3] Tarn Manual, 7.2 Replace the
            pump, page 13
        [4] Tarn Manual, 7.2 Replace the pump,
            page 12
        ");
    }

    #[test]
    fn no_evidence_names_the_nearest() {
        insta::assert_snapshot!(show(AnswerOutcome::InsufficientEvidence), @"
        Not in these documents

        Nearest to the question:
        [1] Tarn Manual, 8.1 Fault codes, page
            14
            Pull the pump. Straight.
        [2] Tarn Manual, 7.2 Replace the pump,
            page 13
            Pull the pump. Straight.
        [3] Tarn Manual, 7.2 Replace the pump,
            page 13
            Pull the pump. Straight.
        [4] Tarn Manual, 7.2 Replace the pump,
            page 12
            Pull the pump. Straight.
        ");
    }
}
