//! The rule-based baseline of HAM-RAG: the text first, then each image where it is most alike.

use super::block::figure_block;
use super::citation::Citations;
use super::confidence::confidence;
use super::evidence::{EvidenceLimits, quoted};
use super::procedure::figures_between;
use super::select::passages;
use super::{Answer, AnswerOutcome, Block};
use crate::{EngineError, Hit, Query};
use catena_document::{EvidenceUnit, Modality, markdown_text};
use catena_index::Snapshot;
use catena_models::{Embedder, cosine};

/// The least cosine of an image's words with a block for which it is inserted.
const ALIKE: f32 = 0.3;

/// Answers with the best passages, one a block, and inserts the images that were found, or that
/// stand within the text that was found, each after the block that its caption is most alike.
///
/// # Errors
/// Where the store or the embedder fails.
pub fn answer_by_rules(
    snapshot: &Snapshot,
    query: &Query,
    hits: &[Hit],
    embedder: &dyn Embedder,
    limits: EvidenceLimits,
) -> Result<Answer, EngineError> {
    let found = passages(query, hits, embedder)?;
    let confidence = confidence(snapshot, query, hits, &found)?;
    let mut citations = Citations::default();
    let text = found
        .iter()
        .filter(|passage| hits[passage.hit].unit.modality != Modality::Figure)
        .take(limits.passages)
        .map(|passage| {
            let label = citations.cite_passage(&hits[passage.hit].unit, passage);
            let markdown = markdown_text(&passage.text);
            Block::Text {
                statements: vec![quoted(0..markdown.len(), label)],
                citations: vec![label],
                markdown,
            }
        })
        .collect();
    let images = images_of(snapshot, hits)?;
    let blocks = insert_images(text, &images, embedder, limits.visuals, &mut citations)?;
    Ok(Answer {
        outcome: if blocks.is_empty() {
            AnswerOutcome::InsufficientEvidence
        } else {
            AnswerOutcome::Answered
        },
        blocks,
        citations: citations.0,
        confidence,
        checks: None,
        warnings: Vec::new(),
    })
}

/// The figures that were found, then those that stand within the texts that were.
fn images_of(snapshot: &Snapshot, hits: &[Hit]) -> Result<Vec<EvidenceUnit>, EngineError> {
    let figures = hits
        .iter()
        .filter(|hit| hit.unit.modality == Modality::Figure);
    let mut out: Vec<EvidenceUnit> = figures.map(|hit| hit.unit.clone()).collect();
    for hit in hits {
        let nodes = || hit.unit.content.pieces.iter().map(|piece| piece.node);
        let (Some(first), Some(last)) = (nodes().min(), nodes().max()) else {
            continue;
        };
        for figure in figures_between(snapshot, hit.key.seq, first, last)? {
            if out.iter().all(|known| known.id != figure.id) {
                out.push(figure);
            }
        }
    }
    Ok(out)
}

/// Puts at most `limit` images behind the blocks that they are most alike, the most alike first.
fn insert_images(
    text: Vec<Block>,
    images: &[EvidenceUnit],
    embedder: &dyn Embedder,
    limit: usize,
    citations: &mut Citations,
) -> Result<Vec<Block>, EngineError> {
    let words = |block: &Block| match block {
        Block::Text { markdown, .. } | Block::Table { markdown, .. } => markdown.clone(),
        Block::Figure { caption, .. } => caption.clone(),
    };
    let told: Vec<String> = text.iter().map(words).collect();
    let named: Vec<String> = images.iter().map(words_of).collect();
    let all: Vec<&str> = told.iter().chain(&named).map(String::as_str).collect();
    let vectors = embedder.embed(&all)?;
    let (told, named) = vectors.split_at(told.len());
    let mut ranked: Vec<(f32, usize, usize)> = Vec::new();
    for (image, vector) in named.iter().enumerate() {
        let alike = told.iter().map(|other| cosine(vector, other)).enumerate();
        if let Some((block, cosine)) = alike.max_by(|a, b| a.1.total_cmp(&b.1)) {
            ranked.push((cosine, image, block));
        }
    }
    ranked.retain(|&(cosine, ..)| cosine >= ALIKE);
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.truncate(limit);
    let mut out = Vec::new();
    for (at, block) in text.into_iter().enumerate() {
        out.push(block);
        for &(_, image, _) in ranked.iter().filter(|(_, _, block)| *block == at) {
            out.push(figure_block(&images[image], citations));
        }
    }
    Ok(out)
}

/// What names an image: its caption, its alternative text, the words in it.
fn words_of(unit: &EvidenceUnit) -> String {
    let picture = unit.content.picture.as_ref();
    let alt = picture.and_then(|picture| picture.alt.as_deref());
    let caption = unit.content.caption.as_deref();
    let words: String = unit.content.text.chars().take(200).collect();
    [caption.unwrap_or_default(), alt.unwrap_or_default(), &words].join(" ")
}
