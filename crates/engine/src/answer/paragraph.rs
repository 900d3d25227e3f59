//! A model's paragraph taken apart: statements with the labels behind them, and nothing that a
//! page or a terminal could act on.

use catena_document::sentences;
use std::ops::Range;

/// A paragraph without its labels.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Paragraph {
    /// Markdown; its lines may be items.
    pub(super) markdown: String,
    pub(super) statements: Vec<Said>,
    /// All labels in order, those that stand beside no statement too.
    pub(super) labels: Vec<String>,
    /// Whether addresses or markup were left out.
    pub(super) stripped: bool,
}

/// A sentence of a model.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    /// Its bytes in the paragraph's Markdown.
    pub(super) span: Range<usize>,
    /// The labels that the model put behind it; where it put none, those of the next sentence of
    /// the line that has some.
    pub(super) labels: Vec<String>,
}

/// Takes a paragraph apart.
pub(super) fn paragraph(text: &str) -> Paragraph {
    let plain = without_markup(text);
    let mut out = Paragraph {
        stripped: plain != text,
        ..Paragraph::default()
    };
    for line in plain.lines() {
        let (words, labels) = without_labels(line);
        let says_nothing = !words.chars().any(char::is_alphanumeric);
        if words.trim().is_empty() || (says_nothing && !labels.is_empty()) {
            let names = labels.into_iter().map(|(_, label)| label);
            // A line of labels belongs to what stands before it.
            let names: Vec<String> = names.collect();
            if let Some(last) = out.statements.last_mut() {
                last.labels.extend(names.iter().cloned());
            }
            out.labels.extend(names);
            continue;
        }
        if !out.markdown.is_empty() {
            out.markdown.push('\n');
        }
        let start = out.markdown.len();
        out.markdown.push_str(&words);
        let marker = marker_length(&words);
        let mut said: Vec<Said> = sentences(&words[marker..])
            .into_iter()
            .map(|at| Said {
                span: start + marker + at.start..start + marker + at.end,
                labels: Vec::new(),
            })
            .collect();
        for (at, label) in labels {
            let before = said.iter().rposition(|said| said.span.start < start + at);
            if let Some(said) = before.or(Some(0)).and_then(|place| said.get_mut(place)) {
                said.labels.push(label.clone());
            }
            out.labels.push(label);
        }
        let mut next: Vec<String> = Vec::new();
        for said in said.iter_mut().rev() {
            if said.labels.is_empty() {
                said.labels.clone_from(&next);
            } else {
                next.clone_from(&said.labels);
            }
        }
        out.statements.extend(said);
    }
    out
}

/// The bytes of a list item's or heading's marker with the white space around it.
fn marker_length(line: &str) -> usize {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let after = if digits > 0 && digits <= 3 && trimmed[digits..].starts_with(['.', ')']) {
        digits + 1
    } else if trimmed.starts_with(['-', '*', '+', '•']) {
        trimmed.chars().next().map_or(0, char::len_utf8)
    } else {
        trimmed.len() - trimmed.trim_start_matches('#').len()
    };
    let rest = &trimmed[after..];
    if after == 0 || !rest.starts_with(' ') {
        return indent;
    }
    indent + after + (rest.len() - rest.trim_start().len())
}

/// A line without its labels, and where each stood in what is left.
fn without_labels(line: &str) -> (String, Vec<(usize, String)>) {
    let mut out = String::new();
    let mut labels = Vec::new();
    let mut rest = line;
    while let Some((found, start, end)) = next_labels(rest) {
        out.push_str(rest[..start].trim_end_matches(' '));
        labels.extend(found.into_iter().map(|label| (out.len(), label)));
        rest = &rest[end..];
        // What follows a label goes on without a gap before a mark.
        if rest.starts_with(' ') && out.is_empty() {
            rest = rest.trim_start_matches(' ');
        } else if rest.starts_with(|c: char| c.is_alphanumeric()) {
            out.push(' ');
        }
    }
    out.push_str(rest);
    (out.trim_end().to_owned(), labels)
}

/// The first brackets of a text that hold nothing but labels (`[1]`, `[figure2]`, `[1, 3]`): the
/// labels, where the brackets begin and where they end.
fn next_labels(text: &str) -> Option<(Vec<String>, usize, usize)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('[') {
        let start = from + open;
        let close = text[start..].find(']')?;
        let inside = &text[start + 1..start + close];
        let labels: Option<Vec<String>> = inside
            .split([',', ';'])
            .map(|part| label(part.trim()))
            .collect();
        if let Some(labels) = labels {
            return Some((labels, start, start + close + 1));
        }
        from = start + 1;
    }
    None
}

/// What a label is in the prompt's form: a number, `figure` or `table` with a number.
fn label(text: &str) -> Option<String> {
    let text = text.to_lowercase().replace(' ', "");
    let number = text
        .strip_prefix("figure")
        .or_else(|| text.strip_prefix("table"))
        .or_else(|| text.strip_prefix("text"))
        .unwrap_or(&text);
    let is_number =
        !number.is_empty() && number.len() <= 4 && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.strip_prefix("text").unwrap_or(&text).to_owned())
}

/// A text without images, links, addresses and HTML: their words stay.
fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([
        '[', '!', '<', 'h', 'w', 'H', 'W', 'd', 'D', 'f', 'F', 'm', 'M', 'j', 'J', 'v', 'V',
    ]) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let begins_word = !out.ends_with(|c: char| c.is_alphanumeric());
        if let Some((words, length)) = link(rest) {
            // The words of a link may hold another.
            out.push_str(&without_markup(words));
            rest = &rest[length..];
        } else if let Some(length) = tag(rest) {
            rest = &rest[length..];
        } else if let Some(length) = address(rest).filter(|_| begins_word) {
            out.push('…');
            rest = &rest[length..];
        } else {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..first]);
            rest = &rest[first..];
        }
    }
    out.push_str(rest);
    out
}

/// A link or image at the beginning of a text: its words and its length. `[1](x)` is one too.
fn link(text: &str) -> Option<(&str, usize)> {
    let bracket = text.strip_prefix('!').unwrap_or(text);
    let skipped = text.len() - bracket.len();
    let inside = bracket.strip_prefix('[')?;
    let mut depth = 1;
    let close = inside.char_indices().find_map(|(at, c)| {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    })?;
    let after = &inside[close + 1..];
    let target = match after.chars().next()? {
        '(' => after.find(')')? + 1,
        '[' if skipped > 0 => after.find(']')? + 1,
        ':' if is_definition(after) => after.find('\n').unwrap_or(after.len()),
        _ => return None,
    };
    Some((&inside[..close], skipped + 1 + close + 1 + target))
}

/// Whether what follows brackets makes them a link's definition: `[x]: http://…`.
fn is_definition(after: &str) -> bool {
    address(after[1..].trim_start_matches([' ', '<'])).is_some()
}

/// The length of an HTML tag or an address in angle brackets at the beginning of a text.
fn tag(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('<')?;
    let first = inside.chars().next()?;
    if !(first.is_ascii_alphabetic() || matches!(first, '/' | '!' | '?')) {
        return None;
    }
    Some(inside.find('>').map_or(text.len(), |end| end + 2))
}

/// The length of an address at the beginning of a text.
fn address(text: &str) -> Option<usize> {
    const BEGINNINGS: [&str; 9] = [
        "http:",
        "https:",
        "www.",
        "mailto:",
        "data:",
        "javascript:",
        "ftp:",
        "file:",
        "vbscript:",
    ];
    let begins = |beginning: &&str| {
        text.get(..beginning.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(beginning))
    };
    let beginning = BEGINNINGS.iter().find(|beginning| begins(beginning))?;
    let end = text
        .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | ')' | ']' | '|'))
        .unwrap_or(text.len());
    // "data: three values" is no address.
    (end > beginning.len()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_belong_to_the_statement_before_them() {
        let check = |text: &str, expected: &str| {
            let found = paragraph(text);
            let lines: Vec<String> = found
                .statements
                .iter()
                .map(|said| {
                    format!(
                        "{} {}",
                        &found.markdown[said.span.clone()],
                        said.labels.join(",")
                    )
                })
                .collect();
            assert_eq!(lines.join(" / "), expected, "{text}");
        };
        check("Turn it off [1]. Wait [2].", "Turn it off. 1 / Wait. 2");
        check("Turn it off. [1] Wait. [2]", "Turn it off. 1 / Wait. 2");
        check("Turn it off. Wait [2].", "Turn it off. 2 / Wait. 2");
        check(
            "1. Turn it off [1]\n2. Wait [figure2]",
            "Turn it off 1 / Wait figure2",
        );
        check(
            "It holds 3 l [1, 2] and [Figure 1] leaks.",
            "It holds 3 l and leaks. 1,2,figure1",
        );
        check("Look:\n[figure1]", "Look: figure1");
        check("a[i] = [x] stays.", "a[i] = [x] stays. ");
        check("[1] Turn it.", "Turn it. 1");
    }

    #[test]
    fn nothing_is_left_that_acts() {
        let check = |text: &str, expected: &str| {
            assert_eq!(paragraph(text).markdown, expected, "{text}");
        };
        check("See [the page](http://x.y/z) now.", "See the page now.");
        check("![logo](http://x/t.png?q=1)Done.", "logoDone.");
        check("[![a](x)](y) b", "a b");
        check("Go to https://x.y/z?a=1 today.", "Go to … today.");
        check("<img src=x onerror=a>Turn <b>it</b>.", "Turn it.");
        check("Go <https://x.y> and www.x.y.", "Go  and …");
        check("javascript:alert(1) ok", "…) ok");
        check("[a]: http://x.y\nText.", "a\nText.");
        check("hot data: three; 3 < 4 > 2", "hot data: three; 3 < 4 > 2");
    }
}
