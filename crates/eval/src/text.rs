//! Texts compared as people compare them: case, kinds of quotes and white space are no difference.

use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// Characters of the longest text in which another is sought; the rest is left out.
pub(crate) const LONGEST: usize = 4_000_000;

/// A text in NFKC and lower case, with plain quotes and hyphens, white space folded to single
/// spaces.
pub(crate) fn folded(text: &str) -> String {
    plain(text).to_lowercase()
}

/// A text in NFKC with plain quotes and hyphens, white space folded to single spaces.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfkc() {
        let c = match c {
            // The soft hyphen and what has no width.
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => continue,
            '‘' | '’' | '‚' | '‛' | '`' | '´' | '′' => '\'',
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' => '"',
            '‐'..='―' | '−' | '﹣' => '-',
            c => c,
        };
        match c.is_whitespace() {
            true if out.is_empty() || out.ends_with(' ') => {}
            true => out.push(' '),
            false => out.push(c),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// The number that a folded heading begins with, and the rest; no number where it has none.
///
/// Numbers are `1.2`, `3)`, `a.1`, and what stands after `chapter`, `section`, `appendix`, `part`;
/// the point behind is not part of them.
pub(crate) fn number_and_rest(heading: &str) -> (&str, &str) {
    let kinds = ["chapter ", "section ", "appendix ", "part "];
    let after = kinds.iter().find_map(|kind| heading.strip_prefix(kind));
    let named = after.is_some();
    let Some((word, rest)) = after.unwrap_or(heading).split_once(' ') else {
        return ("", heading);
    };
    let number = word.trim_end_matches(['.', ':', ')', '-']);
    let mut parts = number.split(['.', '-']);
    let first = parts.next().unwrap_or_default();
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let letter = first.chars().count() == 1 && first.chars().all(char::is_alphabetic);
    let roman = named && !first.is_empty() && first.chars().all(|c| "ivxlc".contains(c));
    let marked = named || number.contains('.') || number.len() < word.len();
    if (digits(first) || (marked && (letter || roman))) && parts.all(digits) {
        (number, rest.trim_start_matches(['-', ':', ' ']))
    } else {
        ("", heading)
    }
}

/// Whether two folded headings are the same but for their numbers: twins number differently (an
/// appendix `A.1` of one is `9.1` of the other). Their order tells headings of the same words apart.
pub(crate) fn same_heading(a: &str, b: &str) -> bool {
    a == b || number_and_rest(a).1 == number_and_rest(b).1
}

/// How often each word stands in a text: runs of letters and digits in lower case.
pub(crate) fn word_counts(text: &str) -> HashMap<String, usize> {
    let mut out = HashMap::new();
    let text = folded(text);
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            *out.entry(word.to_owned()).or_insert(0) += 1;
        }
    }
    out
}

/// What two bags have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Common {
    pub(crate) shared: usize,
    pub(crate) gold: usize,
    pub(crate) found: usize,
}

impl Common {
    /// F1 of what is found; `None` where there is neither gold nor anything found.
    pub(crate) fn f1(&self) -> Option<f64> {
        let all = self.gold + self.found;
        (all > 0).then(|| 2.0 * self.shared as f64 / all as f64)
    }
}

/// Compares two bags.
pub(crate) fn common<T: Eq + std::hash::Hash>(
    gold: &HashMap<T, usize>,
    found: &HashMap<T, usize>,
) -> Common {
    let shared = gold.iter().map(|(item, &n)| n.min(count(found, item)));
    Common {
        shared: shared.sum(),
        gold: gold.values().sum(),
        found: found.values().sum(),
    }
}

/// How often an item is in a bag.
pub(crate) fn count<T: Eq + std::hash::Hash>(bag: &HashMap<T, usize>, item: &T) -> usize {
    bag.get(item).copied().unwrap_or(0)
}

/// Pairs two lists in order: the longest common subsequence by `same`; of as long ones, that
/// which pairs the earliest.
pub(crate) fn align<A, B>(
    gold: &[A],
    found: &[B],
    same: impl Fn(&A, &B) -> bool,
) -> Vec<(usize, usize)> {
    let width = found.len() + 1;
    // The longest from each place on.
    let mut longest = vec![0_u32; (gold.len() + 1) * width];
    for i in (0..gold.len()).rev() {
        for j in (0..found.len()).rev() {
            let skip = longest[(i + 1) * width + j].max(longest[i * width + j + 1]);
            longest[i * width + j] = if same(&gold[i], &found[j]) {
                skip.max(longest[(i + 1) * width + j + 1] + 1)
            } else {
                skip
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i < gold.len() && j < found.len() {
        let here = longest[i * width + j];
        if same(&gold[i], &found[j]) && here == longest[(i + 1) * width + j + 1] + 1 {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] == here {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

/// The places, counted in characters, where `needle` ends in `text` with at most `most`
/// characters inserted, left out or changed.
pub(crate) fn fuzzy_ends(needle: &[char], text: &[char], most: usize) -> Vec<usize> {
    let mut out = Vec::new();
    // The fewest edits of the needle's first characters that end here.
    let mut edits: Vec<usize> = (0..=needle.len()).collect();
    for (at, &c) in text.iter().take(LONGEST).enumerate() {
        let mut diagonal = edits[0];
        for (i, &wanted) in needle.iter().enumerate() {
            let changed = diagonal + usize::from(wanted != c);
            diagonal = edits[i + 1];
            edits[i + 1] = changed.min(diagonal + 1).min(edits[i] + 1);
        }
        if edits[needle.len()] <= most {
            out.push(at + 1);
        }
    }
    out
}

/// How alike two texts are, 0 to 1: twice their longest common subsequence over both lengths.
pub(crate) fn likeness(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let mut row = vec![0_usize; b.len() + 1];
    for &one in &a {
        let mut diagonal = 0;
        for (j, &other) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if one == other {
                diagonal + 1
            } else {
                above.max(row[j])
            };
            diagonal = above;
        }
    }
    2.0 * row[b.len()] as f64 / (a.len() + b.len()) as f64
}

/// The beginning of a text, for people.
pub(crate) fn beginning(text: &str, characters: usize) -> String {
    let mut out: String = text.chars().take(characters).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_folded() {
        assert_eq!(
            folded(" The\u{a0}‘ﬁrst’\n\tco\u{ad}py — 1 "),
            "the 'first' copy - 1"
        );
        assert_eq!(folded(""), "");
    }

    #[test]
    fn numbers_of_headings_are_told() {
        let check = |heading: &str, number: &str, rest: &str| {
            assert_eq!(number_and_rest(heading), (number, rest));
        };
        check("1.2 the pump", "1.2", "the pump");
        check("1. the pump", "1", "the pump");
        check("12 monkeys", "12", "monkeys");
        check("appendix a a session", "a", "a session");
        check("chapter iv: the pump", "iv", "the pump");
        check("b.1 invoking", "b.1", "invoking");
        check("a pump", "", "a pump");
        check("pump 2", "", "pump 2");
        check("pump", "", "pump");
        assert!(same_heading("1.2 pump", "1.2. pump"));
        assert!(same_heading("1.2 pump", "pump"));
        assert!(same_heading("a.2 pump", "9.2 pump"));
        assert!(!same_heading("pump", "hose"));
    }

    #[test]
    fn lists_are_aligned_in_order() {
        let check = |gold: &str, found: &str, expected: &[(usize, usize)]| {
            let (gold, found): (Vec<_>, Vec<_>) = (gold.chars().collect(), found.chars().collect());
            assert_eq!(align(&gold, &found, |a, b| a == b), expected);
        };
        check("abc", "abc", &[(0, 0), (1, 1), (2, 2)]);
        check("abcd", "xbd", &[(1, 1), (3, 2)]);
        check("", "abc", &[]);
        check("aa", "a", &[(0, 0)]);
    }

    #[test]
    fn fuzzy_search_counts_edits() {
        let check = |needle: &str, text: &str, most: usize, expected: &[usize]| {
            let (needle, text): (Vec<_>, Vec<_>) =
                (needle.chars().collect(), text.chars().collect());
            assert_eq!(fuzzy_ends(&needle, &text, most), expected, "{needle:?}");
        };
        check("pump", "the pump", 0, &[8]);
        check("pump", "the pimp", 0, &[]);
        check("pump", "the pimp", 1, &[8]);
        check("pump", "the ppump is", 0, &[9]);
        check("pump", "pmp", 1, &[3]);
        check("a", "banana", 0, &[2, 4, 6]);
    }

    #[test]
    fn likeness_of_texts() {
        assert!((likeness("abcd", "abcd") - 1.0).abs() < 1e-9);
        assert!((likeness("abcd", "abxd") - 0.75).abs() < 1e-9);
        assert!(likeness("", "a").abs() < 1e-9);
    }
}
