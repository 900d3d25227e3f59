//! Breaking text into lines.

use anstyle::Style;
use console::measure_text_width;

/// Words in a style, broken into lines of at most `width` columns; a word that is longer is cut.
/// `first` stands before the first line, `rest` before the others. Characters that steer a terminal
/// are left out.
pub(crate) fn wrap(spans: &[(Style, &str)], width: usize, first: &str, rest: &str) -> String {
    let room = width.saturating_sub(measure_text_width(rest)).max(8);
    let mut lines = Lines {
        out: first.to_owned(),
        rest,
        room,
        used: measure_text_width(first).saturating_sub(measure_text_width(rest)),
        style: Style::new(),
        begun: false,
    };
    for &(style, text) in spans {
        lines.set(style);
        let text = visible(text);
        for (at, paragraph) in text.split('\n').enumerate() {
            if at > 0 {
                lines.new_line();
            }
            for word in words(paragraph) {
                lines.push(word);
            }
        }
    }
    lines.set(Style::new());
    lines.out.truncate(lines.out.trim_end_matches(' ').len());
    lines.out
}

struct Lines<'a> {
    out: String,
    rest: &'a str,
    /// Columns of a line.
    room: usize,
    /// Columns that are taken.
    used: usize,
    style: Style,
    /// Whether the line has a word.
    begun: bool,
}

impl Lines<'_> {
    fn set(&mut self, style: Style) {
        if style != self.style {
            self.out.push_str(&format!("{:#}{style}", self.style));
            self.style = style;
        }
    }

    fn new_line(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        // A style does not reach over the indentation.
        let style = self.style;
        self.set(Style::new());
        self.out.push('\n');
        self.out.push_str(self.rest);
        self.set(style);
        self.used = 0;
        self.begun = false;
    }

    /// Adds a word with the space after it.
    fn push(&mut self, word: &str) {
        let width = measure_text_width(word.trim_end());
        if self.begun && self.used + width > self.room {
            self.new_line();
        }
        if word.trim().is_empty() && !self.begun {
            return;
        }
        if width > self.room {
            self.push_cut(word);
        } else {
            self.out.push_str(word);
            self.used += measure_text_width(word);
            self.begun = true;
        }
    }

    /// A word that is longer than a line.
    fn push_cut(&mut self, word: &str) {
        for c in word.chars() {
            let width = measure_text_width(c.encode_utf8(&mut [0; 4]));
            if self.used + width > self.room {
                self.new_line();
            }
            self.out.push(c);
            self.used += width;
            self.begun = true;
        }
    }
}

/// The pieces between which a line may break: words with the spaces after them, and each wide
/// character, as Chinese and Japanese have no spaces.
fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let after_space = before.is_whitespace() && !c.is_whitespace();
        let wide = is_wide(before) && !closes(c);
        if at > start && (after_space || wide) {
            out.push(&text[start..at]);
            start = at;
        }
        before = c;
    }
    if start < text.len() {
        out.push(&text[start..]);
    }
    out
}

fn is_wide(c: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{f900}'..='\u{ffef}').contains(&c)
}

/// Whether a mark may not begin a line.
fn closes(c: char) -> bool {
    c.is_whitespace() || "、。，．：；！？）」』】》.,:;!?)]}".contains(c)
}

/// A text in one line of at most `width` columns, what is cut marked. Characters that steer a
/// terminal are left out.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let line = clean(text);
    console::truncate_str(&line, width.max(1), "…").into_owned()
}

/// Foreign text in one line without characters that steer a terminal.
pub(super) fn clean(text: &str) -> String {
    let words = text.split_whitespace().map(visible);
    words.collect::<Vec<_>>().join(" ")
}

/// Foreign text without characters that steer a terminal; line breaks are kept.
pub(super) fn visible(text: &str) -> String {
    let keep = |c: &char| !c.is_control() || *c == '\n';
    text.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, width: usize, expected: &[&str]) {
        let lines = wrap(&[(Style::new(), text)], width, "", "");
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_are_cut() {
        check("one two three four", 9, &["one two", "three", "four"]);
        check("abcdefghijklmno p", 8, &["abcdefgh", "ijklmno", "p"]);
        check("a\nb", 20, &["a", "b"]);
        check(
            "关闭电源。等待十分钟。",
            10,
            &["关闭电源。", "等待十分", "钟。"],
        );
        check("", 9, &[]);
    }

    #[test]
    fn the_first_line_may_have_a_marker() {
        let lines = wrap(&[(Style::new(), "turn the key now")], 14, "10. ", "    ");
        assert_eq!(lines, "10. turn the\n    key now");
    }

    #[test]
    fn a_style_ends_before_the_line_does() {
        let bold = Style::new().bold();
        let spans = [(bold, "removing pumps "), (Style::new(), "now")];
        let lines = wrap(&spans, 10, "", "> ");
        let (on, off) = (bold.render(), bold.render_reset());
        assert_eq!(
            lines,
            format!("{on}removing{off}\n> {on}pumps {off}\n> now")
        );
    }

    #[test]
    fn escape_codes_of_documents_do_not_reach_the_terminal() {
        assert_eq!(cut("a\u{1b}[31mb \n c", 20), "a[31mb c");
        assert_eq!(cut("one two three", 8), "one two…");
    }
}
