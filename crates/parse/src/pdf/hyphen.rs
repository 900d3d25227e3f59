//! Hyphens at line ends: which divide a word, and which are the word's own.

use super::block::TextLine;
use super::flow::{Flow, Item};
use std::collections::HashSet;

/// Sets on each line that ends in a hyphen whether that divides a word. The document itself tells:
/// `stable-` and `backports` are one word with its hyphen where `stable-backports` stands
/// elsewhere and `stablebackports` does not.
pub(super) fn mark(flows: &mut [Flow]) {
    let known = vocabulary(flows);
    for item in flows.iter_mut().flat_map(|flow| &mut flow.items) {
        let Item::Text(block) = item else {
            continue;
        };
        for at in 1..block.lines.len() {
            let (lines, rest) = block.lines.split_at_mut(at);
            if let (Some(line), Some(next)) = (lines.last_mut(), rest.first()) {
                let stem = line.text.strip_suffix(HYPHENS);
                line.divided = stem.map(|stem| divides(stem, &next.text, Some(&known)));
            }
        }
    }
}

/// Hyphens as fonts draw them at a line's end.
pub(super) const HYPHENS: [char; 3] = ['-', '\u{2010}', '\u{ad}'];

/// Whether the hyphen between a line's text, without the hyphen, and the next line's divides a
/// word.
pub(super) fn divides(stem: &str, next: &str, known: Option<&HashSet<String>>) -> bool {
    let first = stem.split_whitespace().next_back().unwrap_or_default();
    let second = next.split_whitespace().next().unwrap_or_default();
    if let Some(known) = known {
        let whole = bare(&format!("{first}{second}"));
        let own = bare(&format!("{first}-{second}"));
        match (known.contains(&whole), known.contains(&own)) {
            (true, false) => return true,
            (false, true) => return false,
            _ => {}
        }
    }
    // "multi-mod-al" keeps its own hyphen, "Fig- ure" loses it; before a capital or in a word that
    // has a hyphen already, the hyphen is the word's own.
    second.chars().next().is_some_and(char::is_lowercase) && !first.contains('-')
}

/// The words of all lines but those that a line's end may have cut.
fn vocabulary(flows: &[Flow]) -> HashSet<String> {
    let mut known = HashSet::new();
    for item in flows.iter().flat_map(|flow| &flow.items) {
        let Item::Text(block) = item else {
            continue;
        };
        let mut cut = false;
        for line in &block.lines {
            cut = add_words(line, cut, &mut known);
        }
    }
    known
}

/// Adds a line's words, without the first where the line before was cut; returns whether this one
/// is.
fn add_words(line: &TextLine, cut: bool, known: &mut HashSet<String>) -> bool {
    let ends_cut = line.text.ends_with(HYPHENS);
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let whole = usize::from(cut)..words.len().saturating_sub(usize::from(ends_cut));
    let whole = words.get(whole).unwrap_or_default();
    known.extend(whole.iter().map(|word| bare(word)));
    ends_cut
}

/// A word in lower case without the marks around it.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_tells_whose_a_hyphen_is() {
        let known: HashSet<String> = ["stable-backports", "example", "e-mail", "email"]
            .map(str::to_owned)
            .into();
        let check = |stem: &str, next: &str, divided: bool| {
            assert_eq!(divides(stem, next, Some(&known)), divided, "{stem}-{next}");
        };
        check("uploaded to stable", "backports?", false);
        check("an exam", "ple of", true);
        check("by e", "mail", true);
        check("a multi-step", "wise plan", false);
        check("the X", "Ray", false);
        check("the reintro", "ducing", true);
    }
}
