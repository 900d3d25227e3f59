//! Reading order: do paragraphs follow each other as in the twin?

use super::twin::{self, BlockKind, pairs};
use super::words::flow;
use super::{Asked, Case, Row};
use crate::text::{beginning, folded};
use crate::{EvalError, Metric};
use catena_document::Document;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Letters and digits that a paragraph is known by.
const KEY: usize = 48;
/// How many paragraphs on the second of a pair may stand.
const AHEAD: usize = 8;
/// Pairs of one document.
const PAIRS: usize = 2_000;

/// How a paragraph begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Start {
    /// As it stands.
    text: String,
    /// Its first letters and digits, folded.
    key: String,
}

/// The documents with the paragraphs of their twins, those that begin alike left out.
pub(super) fn read(set: &Path) -> Result<Vec<Asked<Vec<Start>>>, EvalError> {
    let pairs = pairs(set, &twin::EXTENSIONS)?.into_iter();
    let starts = |path: &PathBuf| {
        let blocks = twin::twin(path)?.blocks.into_iter();
        let paragraphs = blocks.filter(|block| block.kind == BlockKind::Paragraph);
        let mut starts: Vec<Start> = paragraphs
            .map(|block| Start {
                key: letters(&block.text).take(KEY).collect(),
                text: block.text,
            })
            .filter(|start| start.key.chars().count() == KEY)
            .collect();
        let mut times: HashMap<String, usize> = HashMap::new();
        for start in &starts {
            *times.entry(start.key.clone()).or_insert(0) += 1;
        }
        starts.retain(|start| times.get(&start.key) == Some(&1));
        Ok(starts)
    };
    pairs.map(|pair| pair.try_map(starts)).collect()
}

/// The letters and digits of a text, folded.
fn letters(text: &str) -> impl Iterator<Item = char> {
    let text: Vec<char> = folded(text).chars().collect();
    text.into_iter().filter(|c| c.is_alphanumeric())
}

/// Checks pairs of paragraphs that stand in both, each with the next and with one farther on. A
/// paragraph that is missing is no matter of order: the words tell of it.
pub(super) fn score(name: &str, gold: &[Start], document: &Document) -> Vec<Case> {
    let text: Vec<&str> = flow(document).map(|node| node.text.as_str()).collect();
    let text: String = letters(&text.join(" ")).collect();
    let places = gold.iter().map(|start| text.find(&start.key));
    let found: Vec<(&Start, usize)> = gold
        .iter()
        .zip(places)
        .filter_map(|(start, place)| Some((start, place?)))
        .collect();
    let pairs = (0..found.len()).flat_map(|at| [(at, at + 1), (at, at + 2 + at % (AHEAD - 1))]);
    let pairs = pairs.filter(|&(_, after)| after < found.len()).take(PAIRS);
    let (mut all, mut held) = (0_usize, 0_usize);
    let mut rows = Vec::new();
    for (before, after) in pairs {
        all += 1;
        let ((first, at), (second, then)) = (found[before], found[after]);
        if at < then {
            held += 1;
        } else {
            let shown = |start: &Start| beginning(&start.text, 100);
            rows.push(Row {
                expected: format!("{}\n{}", shown(first), shown(second)),
                found: format!("{}\n{}", shown(second), shown(first)),
                fault: "the other way round".to_owned(),
            });
        }
    }
    let share = (all > 0).then(|| (Metric::Order, held as f64 / all as f64));
    vec![Case::new(name, name, share.into_iter().collect(), rows)]
}
