//! Sentences and words, in any script (UAX #29); words as Markdown and as HTML.

use icu_segmenter::options::{SentenceBreakInvariantOptions, WordBreakInvariantOptions};
use icu_segmenter::{SentenceSegmenter, WordSegmenter};
use std::ops::Range;

/// Abbreviations after which a sentence goes on, lower case, without the last period.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "ca", "cf", "ch", "dr", "e.g", "eq", "eqs", "etc", "fig", "figs", "i.e", "inc",
    "jr", "max", "min", "mr", "mrs", "ms", "no", "nos", "nr", "p", "pp", "prof", "ref", "refs",
    "sec", "sect", "st", "tab", "u.s", "vol", "vs", "z.b", "bzw", "d.h", "abb",
];

/// A text as Markdown that shows just its words: what would be read as a mark is escaped.
pub fn markdown_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_mark = match c {
            '*' | '_' | '`' | '[' | ']' | '<' | '>' | '\\' | '#' | '|' | '~' => true,
            '&' => begins_entity(&text[at + 1..]),
            _ => false,
        };
        if is_mark {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Whether what follows an ampersand makes it a character reference (`&lt;`, `&#60;`).
fn begins_entity(rest: &str) -> bool {
    let name = rest.split(';').next().unwrap_or_default();
    name.len() < rest.len()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'#')
}

/// A text as HTML that shows just its words, in elements and in attributes.
pub fn html_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => {}
            c => out.push(c),
        }
    }
    out
}

/// The byte ranges of the sentences of `text`, white space at their ends left out.
///
/// Splits by UAX #29, then joins what an abbreviation ("Fig.", "e.g.", "No.") or a bare number
/// ("3.") cut apart.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in segmenter.segment_str(text).skip(1) {
        let range = trim(text, start..end);
        start = end;
        if range.is_empty() {
            continue;
        }
        match out.last_mut() {
            Some(last) if goes_on(&text[last.clone()], &text[range.clone()]) => {
                last.end = range.end;
            }
            _ => out.push(range),
        }
    }
    out
}

/// Whether `next` continues the sentence that seems to end with `before`.
fn goes_on(before: &str, next: &str) -> bool {
    let Some(stem) = before.strip_suffix('.') else {
        return false;
    };
    let last = stem.split(char::is_whitespace).next_back().unwrap_or(stem);
    let last = last.trim_start_matches(['(', '[', '"', '\'', '“']);
    let abbreviation = ABBREVIATIONS.contains(&last.to_lowercase().as_str());
    // An initial ("J. Smith"), or a number that is all there is so far ("3. Turn the key").
    let initial = last.chars().count() == 1 && last.chars().all(char::is_uppercase);
    let number = stem == last && last.chars().all(|c| c.is_ascii_digit());
    abbreviation || number || (initial && next.starts_with(char::is_uppercase) && stem != last)
}

/// The byte ranges of the words of `text`: runs with a letter or digit. Chinese, Japanese, Thai
/// and other scripts without spaces are split by dictionary.
pub fn words(text: &str) -> Vec<Range<usize>> {
    let segmenter = WordSegmenter::new_auto(WordBreakInvariantOptions::default());
    let mut out = Vec::new();
    let mut start = 0;
    let mut breaks = segmenter.segment_str(text);
    let Some(_) = breaks.next() else {
        return out;
    };
    while let Some(end) = breaks.next() {
        if breaks.is_word_like() {
            out.push(start..end);
        }
        start = end;
    }
    out
}

/// `range` without white space at its ends.
fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_sentences(text: &str, expected: &[&str]) {
        let found: Vec<_> = sentences(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sentences_survive_abbreviations_numbers_and_scripts() {
        check_sentences(
            "Turn it off. See Fig. 3 (cf. No. 7), e.g. the valve. Wait 2.5 s!",
            &[
                "Turn it off.",
                "See Fig. 3 (cf. No. 7), e.g. the valve.",
                "Wait 2.5 s!",
            ],
        );
        check_sentences("3. Turn the key.", &["3. Turn the key."]);
        check_sentences("关闭电源。等待十分钟。", &["关闭电源。", "等待十分钟。"]);
        check_sentences("Was ist das? Das Ventil.", &["Was ist das?", "Das Ventil."]);
        check_sentences("  ", &[]);
    }

    #[test]
    fn words_of_scripts_with_and_without_spaces() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<_> = words(text).into_iter().map(|at| &text[at]).collect();
            assert_eq!(found, expected);
        };
        check(
            "Set P-12 to 2.5 bar.",
            &["Set", "P", "12", "to", "2.5", "bar"],
        );
        check("关闭电源", &["关闭", "电源"]);
        check("", &[]);
    }
}
