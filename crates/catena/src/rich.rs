//! Markdown taken apart, for those who show it: the terminal and the page.

use catena_engine::{Statement, Support};
use comrak::nodes::{AstNode, ListType, NodeValue};
use comrak::{Arena, Options};

/// Lists in lists that are followed, at most.
const DEPTH: usize = 8;

/// A block of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A paragraph.
    Paragraph(Vec<Span>),
    /// A heading.
    Heading(Vec<Span>),
    /// An item of a list. Further paragraphs of it have no marker.
    Item {
        /// How deep the list is in lists, from 0.
        depth: usize,
        /// Its number or bullet.
        marker: String,
        /// Its words.
        spans: Vec<Span>,
    },
    /// Text whose line breaks matter.
    Code(String),
    /// The rows of a table, the header first.
    Table(Vec<Vec<String>>),
}

/// Words in one style. A line break in them is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    /// The words.
    pub(crate) text: String,
    /// Strong.
    pub(crate) bold: bool,
    /// Emphasised.
    pub(crate) italic: bool,
    /// Code.
    pub(crate) code: bool,
}

/// The blocks of a Markdown text. Links and images are only their words, HTML is text.
pub(crate) fn parse(markdown: &str) -> Vec<Part> {
    let mut options = Options::default();
    options.extension.table = true;
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, markdown, &options);
    let mut parts = Vec::new();
    blocks(root, 0, &mut parts);
    parts
}

fn blocks<'a>(parent: &'a AstNode<'a>, depth: usize, parts: &mut Vec<Part>) {
    for node in parent.children() {
        let data = node.data.borrow();
        match &data.value {
            NodeValue::Paragraph => parts.push(Part::Paragraph(spans(node))),
            NodeValue::Heading(_) => parts.push(Part::Heading(spans(node))),
            NodeValue::CodeBlock(code) => parts.push(Part::Code(code.literal.clone())),
            NodeValue::HtmlBlock(html) => {
                let text = html.literal.trim_end().to_owned();
                parts.push(Part::Paragraph(vec![Span {
                    text,
                    ..Span::default()
                }]));
            }
            NodeValue::List(list) => {
                let numbered = list.list_type == ListType::Ordered;
                for (item, number) in node.children().zip(list.start..) {
                    let marker = if numbered {
                        format!("{number}.")
                    } else {
                        "•".to_owned()
                    };
                    list_item(item, depth, marker, parts);
                }
            }
            NodeValue::Table(_) => parts.push(Part::Table(table(node))),
            _ if depth < DEPTH => blocks(node, depth + 1, parts),
            _ => {}
        }
    }
}

/// An item: its first paragraph follows the marker, what else it holds is indented below.
fn list_item<'a>(item: &'a AstNode<'a>, depth: usize, marker: String, parts: &mut Vec<Part>) {
    let mut marker = marker;
    let mut rest = Vec::new();
    if depth < DEPTH {
        blocks(item, depth + 1, &mut rest);
    }
    for part in rest {
        match part {
            Part::Paragraph(spans) | Part::Heading(spans) => parts.push(Part::Item {
                depth,
                marker: std::mem::take(&mut marker),
                spans,
            }),
            other => parts.push(other),
        }
    }
}

fn table<'a>(table: &'a AstNode<'a>) -> Vec<Vec<String>> {
    let cell = |cell: &'a AstNode<'a>| spans(cell).into_iter().map(|span| span.text).collect();
    let row = |row: &'a AstNode<'a>| row.children().map(cell).collect();
    table.children().map(row).collect()
}

/// The words of a block, in the order of the text.
fn spans<'a>(block: &'a AstNode<'a>) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    // What is left to be read, the next last, with the style of what holds it.
    let mut left: Vec<_> = block
        .children()
        .map(|node| (node, Span::default()))
        .collect();
    left.reverse();
    while let Some((node, mut style)) = left.pop() {
        let data = node.data.borrow();
        style.text = match &data.value {
            NodeValue::Text(text) => text.to_string(),
            NodeValue::HtmlInline(text) => text.clone(),
            NodeValue::Code(code) => {
                style.code = true;
                code.literal.clone()
            }
            NodeValue::SoftBreak | NodeValue::LineBreak => "\n".to_owned(),
            NodeValue::Strong => {
                style.bold = true;
                String::new()
            }
            NodeValue::Emph => {
                style.italic = true;
                String::new()
            }
            _ => String::new(),
        };
        let below = left.len();
        left.extend(node.children().map(|child| (child, style.clone())));
        left[below..].reverse();
        match out.last_mut() {
            _ if style.text.is_empty() => {}
            Some(last) if last.has_style_of(&style) => last.text.push_str(&style.text),
            _ => out.push(style),
        }
    }
    out
}

impl Span {
    fn has_style_of(&self, other: &Self) -> bool {
        (self.bold, self.italic, self.code) == (other.bold, other.italic, other.code)
    }
}

/// The rows of a table that was written by `Table::markdown` of the document crate: its cells are
/// plain words in which marks are escaped.
pub(crate) fn table_rows(markdown: &str) -> Vec<Vec<String>> {
    let lines = markdown.lines().enumerate();
    // The second line only rules off the first.
    let rows = lines.filter(|&(at, line)| at != 1 && !line.trim().is_empty());
    rows.map(|(_, line)| table_cells(line)).collect()
}

fn table_cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '|' => cells.push(String::new()),
            c => {
                let escaped = chars.next_if(|next| c == '\\' && next.is_ascii_punctuation());
                cells
                    .last_mut()
                    .into_iter()
                    .for_each(|cell| cell.push(escaped.unwrap_or(c)));
            }
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// What stands behind a statement that no source bears out.
const UNSUPPORTED: &str = " *\\[not in the sources\\]*";

/// Markdown with a remark behind every statement that no source bears out.
pub(crate) fn with_remarks(markdown: &str, statements: &[Statement]) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut done = 0;
    for statement in statements {
        if statement.support == Support::Unsupported {
            out.push_str(&markdown[done..statement.span.end]);
            out.push_str(UNSUPPORTED);
            done = statement.span.end;
        }
    }
    out.push_str(&markdown[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line a block: its kind, then its words in the marks of their styles.
    fn show(markdown: &str) -> String {
        let words = |spans: &[Span]| -> String {
            let word = |span: &Span| {
                let mark = match (span.bold, span.italic, span.code) {
                    (true, ..) => "**",
                    (_, true, _) => "_",
                    (.., true) => "`",
                    _ => "",
                };
                format!("{mark}{}{mark}", span.text.replace('\n', "⏎"))
            };
            spans.iter().map(word).collect()
        };
        let line = |part: &Part| match part {
            Part::Paragraph(spans) => format!("paragraph {}", words(spans)),
            Part::Heading(spans) => format!("heading {}", words(spans)),
            Part::Item {
                depth,
                marker,
                spans,
            } => format!("item {depth} {marker:?} {}", words(spans)),
            Part::Code(code) => format!("code {code:?}"),
            Part::Table(rows) => format!("table {rows:?}"),
        };
        parse(markdown)
            .iter()
            .map(line)
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn steps_keep_their_numbers_and_lines() {
        insta::assert_snapshot!(show("Part: **pump** kit.\n\n7. Pull.\n8. Move _it_.\nNOTE: Turn.\n   - a\n   - b"), @r#"
        paragraph Part: **pump** kit.
        item 0 "7." Pull.
        item 0 "8." Move _it_.⏎NOTE: Turn.
        item 1 "•" a
        item 1 "•" b
        "#);
    }

    #[test]
    fn links_images_and_html_are_words_only() {
        insta::assert_snapshot!(show("[a](http://x) ![b](http://y) <img src=z> \\<i> `c`\n\n<script>x</script>"), @"
        paragraph a b <img src=z> <i> `c`
        paragraph <script>x</script>
        ");
    }

    #[test]
    fn tables_and_code() {
        insta::assert_snapshot!(show("# T\n\n| a | b |\n|---|---|\n| 1 | \\| |\n\n```\nx  y\n```"), @r#"
        heading T
        table [["a", "b"], ["1", "|"]]
        code "x  y\n"
        "#);
    }

    #[test]
    fn cells_of_a_table_are_taken_as_they_are() {
        let rows =
            table_rows("| Code | M4 \\* 10 |\n| --- | --- |\n| E1 \\| E2 | a\\\\b c:\\d |\n");
        assert_eq!(rows, [["Code", "M4 * 10"], ["E1 | E2", "a\\b c:\\d"]]);
    }

    #[test]
    fn deep_nesting_ends() {
        let deep = "> ".repeat(5000) + "x";
        assert!(parse(&deep).len() <= 1);
    }
}
