//! Anchors that are spelled nearly alike: "Hannover" and "Hanover", a letter that OCR misread.
//!
//! They are found when they are asked for, by an automaton over the dictionary of a segment,
//! within the anchors that begin alike: nothing is merged when documents are added, so the order
//! of adding decides nothing.

use crate::error::Result;
use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use tantivy::TantivyError;
use tantivy::index::InvertedIndexReader;
use tantivy_fst::Automaton;

/// Letters of a word that may be misspelled, at least: short words differ by one letter often
/// ("Martin", "Marlin"; "II", "III").
const LETTERS: usize = 7;
/// Letters at the start that must be the same.
const SAME: usize = 2;
/// Anchors found at most.
const MOST: usize = 4;

/// The anchors of a field that differ from one by a letter more, less, other or exchanged with the
/// next, in a long word without digits.
pub(crate) fn near<'i>(
    indexes: impl Iterator<Item = &'i InvertedIndexReader>,
    anchor: &str,
) -> Result<BTreeSet<String>> {
    let mut out = BTreeSet::new();
    if !anchor.split(' ').any(may_vary) {
        return Ok(out);
    }
    let start: String = anchor.chars().take(SAME).collect();
    // Valid UTF-8 has no byte 0xFF.
    let end = [start.as_bytes(), &[u8::MAX]].concat();
    let automaton = Near(builder().build_dfa(anchor));
    for index in indexes {
        let within = index.terms().search(&automaton).ge(&start).lt(&end);
        let mut terms = within.into_stream().map_err(TantivyError::from)?;
        while terms.advance() && out.len() < MOST {
            if let Ok(found) = std::str::from_utf8(terms.key())
                && is_variant(anchor, found)
            {
                out.insert(found.to_owned());
            }
        }
    }
    Ok(out)
}

/// Whether another anchor is this one but for one long word.
fn is_variant(anchor: &str, other: &str) -> bool {
    let (own, others) = (anchor.split(' '), other.split(' '));
    let mut differ = own.clone().zip(others.clone()).filter(|(a, b)| a != b);
    let one = differ
        .next()
        .is_some_and(|(a, b)| may_vary(a) && may_vary(b));
    one && differ.next().is_none() && own.count() == others.count()
}

fn may_vary(word: &str) -> bool {
    word.chars().count() >= LETTERS && word.chars().all(char::is_alphabetic)
}

fn builder() -> &'static LevenshteinAutomatonBuilder {
    static BUILDER: OnceLock<LevenshteinAutomatonBuilder> = OnceLock::new();
    BUILDER.get_or_init(|| LevenshteinAutomatonBuilder::new(1, true))
}

/// The words within a letter of one.
struct Near(DFA);

impl Automaton for &Near {
    type State = u32;

    fn start(&self) -> u32 {
        self.0.initial_state()
    }

    fn is_match(&self, state: &u32) -> bool {
        matches!(self.0.distance(*state), Distance::Exact(_))
    }

    fn can_match(&self, state: &u32) -> bool {
        *state != SINK_STATE
    }

    fn accept(&self, state: &u32, byte: u8) -> u32 {
        self.0.transition(*state, byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_word_may_vary() {
        let check = |anchor: &str, other: &str, expected: bool| {
            assert_eq!(is_variant(anchor, other), expected, "{anchor}, {other}");
        };
        check("hannover", "hanover", true);
        check("ada kestrell", "ada kestrels", true);
        check("грибоедов", "грибоедав", true);
        check("charl iii", "charl ii", false);
        check("martin", "marlin", false);
        check("pump p-1234567", "pump p-1234568", false);
        check("hannover", "hannover messe", false);
        check("hannover", "hannover", false);
    }
}
