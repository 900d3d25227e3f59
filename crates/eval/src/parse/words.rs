//! Words: is all of the body's text there, whole and once?

use super::twin::{self, is_apart, pairs};
use super::{Asked, Case, Row};
use crate::text::{common, count, folded, word_counts};
use crate::{EvalError, Metric};
use catena_document::{Document, Node, NodeId, NodeKind};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Words listed of each side, those with the largest differences.
const LISTED: usize = 200;

/// The documents with the words of their twins.
pub(super) fn read(set: &Path) -> Result<Vec<Asked<HashMap<String, usize>>>, EvalError> {
    let pairs = pairs(set, &twin::EXTENSIONS)?.into_iter();
    let words = |path: &PathBuf| {
        let texts = twin::twin(path)?.blocks.into_iter().map(|block| block.text);
        Ok(word_counts(&texts.collect::<Vec<_>>().join("\n")))
    };
    pairs.map(|pair| pair.try_map(words)).collect()
}

/// Compares the words of a document with its gold.
pub(super) fn score(name: &str, gold: &HashMap<String, usize>, document: &Document) -> Vec<Case> {
    // The words inside a picture are not text of the twin.
    let texts = flow(document).filter(|node| !matches!(node.kind, NodeKind::Picture(_)));
    let texts: Vec<&str> = texts.map(|node| node.text.as_str()).collect();
    let found = word_counts(&texts.join("\n"));
    let scores = common(gold, &found).f1().map(|f1| (Metric::WordF1, f1));
    let rows = rows(gold, &found);
    vec![Case::new(name, name, scores.into_iter().collect(), rows)]
}

/// The nodes of a document's flow: without running heads, contents and index.
pub(super) fn flow(document: &Document) -> impl Iterator<Item = &Node> {
    let mut apart: HashSet<NodeId> = HashSet::new();
    for node in &document.nodes {
        let header = matches!(node.kind, NodeKind::SectionHeader { .. });
        if node.parent.is_some_and(|parent| apart.contains(&parent))
            || (header && is_apart(&folded(&node.text)))
        {
            apart.insert(node.id);
        }
    }
    document.nodes.iter().filter(move |node| {
        let furniture = matches!(
            node.kind,
            NodeKind::PageHeader | NodeKind::PageFooter | NodeKind::Contents
        );
        !furniture && !apart.contains(&node.id)
    })
}

/// The words that are missed most often beside those that are too many.
fn rows(gold: &HashMap<String, usize>, found: &HashMap<String, usize>) -> Vec<Row> {
    let beyond = |one: &HashMap<String, usize>, other: &HashMap<String, usize>| {
        let words = one
            .iter()
            .map(|(word, &n)| (n.saturating_sub(count(other, word)), word));
        let mut words: Vec<_> = words.filter(|(n, _)| *n > 0).collect();
        words.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let words = words.into_iter().take(LISTED);
        words
            .map(|(n, word)| format!("{word} × {n}"))
            .collect::<Vec<_>>()
    };
    let (missed, wrong) = (beyond(gold, found), beyond(found, gold));
    let lines = missed.len().max(wrong.len());
    let at = |words: &[String], line: usize| words.get(line).cloned().unwrap_or_default();
    (0..lines)
        .map(|line| Row {
            expected: at(&missed, line),
            found: at(&wrong, line),
            fault: "missed, too many".to_owned(),
        })
        .collect()
}
