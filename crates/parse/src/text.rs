//! Text with its white space folded.

/// Text being put together: runs of white space become one space, ends are trimmed, characters
/// that only steer line breaks are dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    text: String,
    space: bool,
}

impl Folded {
    pub(crate) fn push(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_whitespace() {
                self.space = true;
            } else if !is_break_hint(c) {
                if self.space && !self.text.is_empty() {
                    self.text.push(' ');
                }
                self.space = false;
                self.text.push(c);
            }
        }
    }

    /// A space before whatever comes next.
    pub(crate) fn space(&mut self) {
        self.space = true;
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn into_string(self) -> String {
        self.text
    }
}

/// Soft hyphen, zero-width space, word joiner, byte order mark.
fn is_break_hint(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// A text with its white space folded.
pub(crate) fn folded(text: &str) -> String {
    let mut out = Folded::default();
    out.push(text);
    out.into_string()
}
