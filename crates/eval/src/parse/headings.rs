//! Headings: are they told from text, with their levels and parents?

use super::twin::{self, Block, BlockKind, Twin, is_apart, pairs};
use super::{Asked, Case, Row};
use crate::text::{Common, align, folded, same_heading};
use crate::{EvalError, Metric};
use catena_document::{Document, NodeId, NodeKind};
use std::collections::HashMap;
use std::path::Path;

/// Headings of one document that are compared; what is beyond is left out.
const MAX: usize = 8_000;

/// A heading of the gold, or one that was found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Heading {
    /// As it stands.
    text: String,
    folded: String,
    /// Depth below the title, from 1.
    level: usize,
    /// The heading of the section that it stands in, by place.
    parent: Option<usize>,
    page: Option<u32>,
}

/// The documents with their gold headings.
pub(super) fn read(set: &Path) -> Result<Vec<Asked<Vec<Heading>>>, EvalError> {
    let pairs = pairs(set, &twin::EXTENSIONS)?.into_iter();
    pairs
        .map(|pair| pair.try_map(|path| Ok(gold(&twin::twin(path)?))))
        .collect()
}

/// The headings of a twin without its title. A level is a place in the nesting of ranks, so
/// that a rank that is left out makes no level.
fn gold(twin: &Twin) -> Vec<Heading> {
    let ranked: Vec<(&Block, u8)> = twin
        .blocks
        .iter()
        .filter_map(|block| match block.kind {
            BlockKind::Heading(rank) => Some((block, rank)),
            _ => None,
        })
        .collect();
    let firsts = ranked.iter().filter(|(_, rank)| *rank == 1).count();
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut out: Vec<Heading> = Vec::new();
    for (at, &(block, rank)) in ranked.iter().enumerate() {
        let text = folded(&block.text);
        let first_of_one = at == 0 && rank == 1 && firsts == 1;
        if (rank == 1 && twin.titles.contains(&text)) || first_of_one {
            continue;
        }
        while open.last().is_some_and(|&(above, _)| above >= rank) {
            open.pop();
        }
        let parent = open.last().map(|&(_, at)| at);
        open.push((rank, out.len()));
        out.push(Heading {
            text: block.text.clone(),
            folded: text,
            level: open.len(),
            parent,
            page: None,
        });
    }
    out.truncate(MAX);
    out
}

/// The headings that were found in the body.
fn found(document: &Document) -> Vec<Heading> {
    let mut places: HashMap<NodeId, usize> = HashMap::new();
    let mut out: Vec<Heading> = Vec::new();
    for node in &document.nodes {
        let NodeKind::SectionHeader { level } = node.kind else {
            continue;
        };
        let above = document.headings(node.id);
        let text = folded(&node.text);
        let apart = above.iter().any(|above| is_apart(&folded(&above.text)));
        if apart || is_apart(&text) || out.len() >= MAX {
            continue;
        }
        let parent = above.last().and_then(|above| places.get(&above.id));
        let parent = parent.copied();
        places.insert(node.id, out.len());
        out.push(Heading {
            text: node.text.clone(),
            folded: text,
            level: level.into(),
            parent,
            page: node.page(),
        });
    }
    out
}

/// Compares the headings of a document with its gold.
pub(super) fn score(name: &str, gold: &[Heading], document: &Document) -> Vec<Case> {
    let found = found(document);
    let pairs = align(gold, &found, |a, b| same_heading(&a.folded, &b.folded));
    let levels = pairs
        .iter()
        .filter(|&&(g, f)| gold[g].level == found[f].level);
    let (levels, matched) = (levels.count(), pairs.len());
    let parents = pairs
        .iter()
        .filter(|&&pair| same_parent(gold, &found, pair));
    let parents = parents.count();
    let common = Common {
        shared: matched,
        gold: gold.len(),
        found: found.len(),
    };
    let mut scores = Vec::new();
    scores.extend(common.f1().map(|f1| (Metric::HeadingF1, f1)));
    if !gold.is_empty() {
        let share = |good: usize| good as f64 / matched.max(1) as f64;
        scores.push((Metric::LevelAccuracy, share(levels)));
        scores.push((Metric::ParentAccuracy, share(parents)));
    }
    vec![Case::new(name, name, scores, rows(gold, &found, &pairs))]
}

/// Whether both stand in the same section, or both in none.
fn same_parent(gold: &[Heading], found: &[Heading], (g, f): (usize, usize)) -> bool {
    match (gold[g].parent, found[f].parent) {
        (None, None) => true,
        (Some(g), Some(f)) => same_heading(&gold[g].folded, &found[f].folded),
        _ => false,
    }
}

/// Gold and found in order, what is missed and what is too much between the pairs.
fn rows(gold: &[Heading], found: &[Heading], pairs: &[(usize, usize)]) -> Vec<Row> {
    let mut out = Vec::new();
    let (mut next_gold, mut next_found) = (0, 0);
    for &(g, f) in pairs.iter().chain(&[(gold.len(), found.len())]) {
        for missed in &gold[next_gold..g] {
            out.push(Row {
                expected: shown(missed),
                found: String::new(),
                fault: "missed".to_owned(),
            });
        }
        for wrong in &found[next_found..f] {
            out.push(Row {
                expected: String::new(),
                found: shown(wrong),
                fault: "no heading".to_owned(),
            });
        }
        if g < gold.len() {
            out.push(Row {
                expected: shown(&gold[g]),
                found: shown(&found[f]),
                fault: fault(gold, found, (g, f)),
            });
        }
        (next_gold, next_found) = (g + 1, f + 1);
    }
    out
}

fn fault(gold: &[Heading], found: &[Heading], pair: (usize, usize)) -> String {
    let mut faults = Vec::new();
    if gold[pair.0].level != found[pair.1].level {
        faults.push("level");
    }
    if !same_parent(gold, found, pair) {
        faults.push("parent");
    }
    faults.join(", ")
}

fn shown(heading: &Heading) -> String {
    let page = heading.page.map(|page| format!("  (page {page})"));
    let page = page.unwrap_or_default();
    format!("{} {}{page}", "#".repeat(heading.level), heading.text)
}
