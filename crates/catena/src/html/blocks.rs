//! The blocks of an answer.

use super::{Page, marks, picture};
use crate::rich::{self, Part, Span, table_rows, with_remarks};
use catena_document::{UnitId, html_text};
use catena_engine::Block;

pub(super) fn render(page: &Page<'_>) -> String {
    let mut out = String::new();
    for block in &page.answer.blocks {
        out.push_str(&match block {
            Block::Text {
                markdown,
                citations,
                statements,
            } => text(&with_remarks(markdown, statements), &marks(citations)),
            Block::Figure {
                unit,
                caption,
                citation,
            } => figure(page, unit, caption, *citation),
            Block::Table {
                caption,
                markdown,
                citation,
                ..
            } => table(&table_rows(markdown), caption, &marks(&[*citation])),
        });
    }
    out
}

fn figure(page: &Page<'_>, unit: &UnitId, caption: &str, citation: u32) -> String {
    let shown = page.pictures.png(unit).and_then(|png| picture(&png));
    let image = shown.map_or_else(String::new, |(uri, width)| {
        // Drawn at 144 dpi, shown as large as on paper.
        let width = width / 2;
        let alt = html_text(caption);
        format!("<img src=\"{uri}\" alt=\"{alt}\" width=\"{width}\">")
    });
    format!(
        "<figure>{image}<figcaption>{}{}</figcaption></figure>\n",
        html_text(caption),
        marks(&[citation])
    )
}

/// A table, to be moved sideways where it is too wide.
fn table(rows: &[Vec<String>], caption: &str, marks: &str) -> String {
    let label = html_text(if caption.is_empty() { "Table" } else { caption });
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>"
    );
    out.push_str(&format!("<caption>{}{marks}</caption>", html_text(caption)));
    for (at, row) in rows.iter().enumerate() {
        let (open, close) = if at == 0 {
            ("<th scope=\"col\">", "</th>")
        } else {
            ("<td>", "</td>")
        };
        let cell = |cell: &String| format!("{open}{}{close}", html_text(cell));
        let cells: String = row.iter().map(cell).collect();
        out.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    out.push_str("</table></div>\n");
    out
}

/// A list that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Numbered,
    Bulleted,
}

impl List {
    fn of(marker: &str) -> Self {
        let number = marker.trim_end_matches('.');
        if number.parse::<u32>().is_ok() {
            Self::Numbered
        } else {
            Self::Bulleted
        }
    }

    fn open(self) -> &'static str {
        match self {
            Self::Numbered => "<ol>\n",
            Self::Bulleted => "<ul>\n",
        }
    }

    fn close(self) -> &'static str {
        match self {
            Self::Numbered => "</li></ol>\n",
            Self::Bulleted => "</li></ul>\n",
        }
    }
}

/// A block of text; its marks stand at its end.
fn text(markdown: &str, marks: &str) -> String {
    let parts = rich::parse(markdown);
    let mut out = String::new();
    let mut list: Option<List> = None;
    for (at, part) in parts.iter().enumerate() {
        let marks = if at + 1 == parts.len() { marks } else { "" };
        if let (Some(open), false) = (list, matches!(part, Part::Item { .. })) {
            out.push_str(open.close());
            list = None;
        }
        match part {
            Part::Paragraph(spans) => out.push_str(&format!("<p>{}{marks}</p>\n", words(spans))),
            Part::Heading(spans) => {
                out.push_str(&format!(
                    "<p><strong>{}</strong>{marks}</p>\n",
                    words(spans)
                ));
            }
            Part::Item {
                depth,
                marker,
                spans,
            } => {
                list = Some(item(&mut out, list, (*depth, marker)));
                out.push_str(&format!("<p>{}{marks}</p>", words(spans)));
            }
            Part::Code(code) => {
                out.push_str(&format!("<pre>{}</pre>{marks}\n", html_text(code)));
            }
            Part::Table(rows) => out.push_str(&table(rows, "", marks)),
        }
    }
    out.push_str(list.map_or("", List::close));
    out
}

/// Begins an item, or goes on in the open one where it has no marker.
fn item(out: &mut String, list: Option<List>, (depth, marker): (usize, &str)) -> List {
    if let (Some(open), "") = (list, marker) {
        return open;
    }
    let kind = List::of(marker);
    match list {
        Some(open) if open == kind => out.push_str("</li>\n"),
        Some(open) => {
            out.push_str(open.close());
            out.push_str(kind.open());
        }
        None => out.push_str(kind.open()),
    }
    let class = if depth > 0 { " class=\"deep\"" } else { "" };
    let value = match kind {
        List::Numbered => format!(" value=\"{}\"", html_text(marker.trim_end_matches('.'))),
        List::Bulleted => String::new(),
    };
    out.push_str(&format!("<li{class}{value}>"));
    kind
}

fn words(spans: &[Span]) -> String {
    let word = |span: &Span| {
        let text = html_text(&span.text).replace('\n', "<br>");
        match (span.bold, span.italic, span.code) {
            (true, ..) => format!("<strong>{text}</strong>"),
            (_, true, _) => format!("<em>{text}</em>"),
            (.., true) => format!("<code>{text}</code>"),
            _ => text,
        }
    };
    spans.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_a_list_with_their_numbers() {
        insta::assert_snapshot!(text("Part: **kit**.\n\n7. Pull.\n8. Move.\nNOTE: <b>\n   - a\n\nEnd.", " [1]"), @r#"
        <p>Part: <strong>kit</strong>.</p>
        <ol>
        <li value="7"><p>Pull.</p></li>
        <li value="8"><p>Move.<br>NOTE: &lt;b&gt;</p></li></ol>
        <ul>
        <li class="deep"><p>a</p></li></ul>
        <p>End. [1]</p>
        "#);
    }

    #[test]
    fn tables_are_escaped() {
        let rows = [vec!["<i>".to_owned()], vec!["\"1\"".to_owned()]];
        insta::assert_snapshot!(table(&rows, "T <1>", " [2]"), @r#"
        <div class="scroll" tabindex="0" role="region" aria-label="T &lt;1&gt;"><table><caption>T &lt;1&gt; [2]</caption><tr><th scope="col">&lt;i&gt;</th></tr>
        <tr><td>&quot;1&quot;</td></tr>
        </table></div>
        "#);
    }
}
