//! A text's lines, and the groups between blank ones.

/// Columns from one tab stop to the next.
const TAB: usize = 8;
/// Columns that an indent may have.
const MAX_INDENT: usize = 200;

/// A line with words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Columns before its first sign.
    pub(super) indent: usize,
    /// Without white space at its ends.
    pub(super) text: &'a str,
}

/// A text in which a line ends with a line feed alone, without what steers terminals.
pub(super) fn cleaned(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                chars.next_if_eq(&'\n');
                out.push('\n');
            }
            // A new page, and the ends of lines and paragraphs of Unicode.
            '\u{c}' | '\u{2029}' => out.push_str("\n\n"),
            '\u{85}' | '\u{2028}' => out.push('\n'),
            // Bold and underlined letters are struck twice.
            '\u{8}' => {
                out.pop();
            }
            // The colours of terminals.
            '\u{1b}' => {
                if chars.next_if_eq(&'[').is_some() {
                    while chars
                        .next_if(|c| !c.is_ascii_alphabetic() && *c != '\n')
                        .is_some()
                    {}
                    chars.next_if(char::is_ascii_alphabetic);
                }
            }
            '\n' | '\t' => out.push(c),
            c if c.is_control() || c == '\u{feff}' => {}
            c => out.push(c),
        }
    }
    out
}

/// The lines between blank ones, group by group.
pub(super) fn groups(text: &str) -> Vec<Vec<Line<'_>>> {
    let mut groups = Vec::new();
    let mut group = Vec::new();
    for raw in text.split('\n') {
        let text = raw.trim();
        if text.is_empty() {
            groups.extend((!group.is_empty()).then(|| std::mem::take(&mut group)));
            continue;
        }
        let lead = &raw[..raw.len() - raw.trim_start().len()];
        let indent = lead.chars().fold(0, |column, c| match c {
            '\t' => (column / TAB + 1) * TAB,
            _ => column + 1,
        });
        let indent = indent.min(MAX_INDENT);
        group.push(Line { indent, text });
    }
    groups.extend((!group.is_empty()).then_some(group));
    groups
}
