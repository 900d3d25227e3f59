//! Answers without a language model: the evidence's own words, put together.

use super::Citation;
use super::block::{ROWS, SMALL_TABLE, figure_block, names, pieces_markdown, rows_markdown};
use super::citation::Citations;
use super::confidence::{ENOUGH, confidence};
use super::named::{named_section, told_pieces};
use super::procedure::{has_steps, referred_sections, section_below, section_of, unit_at_node};
use super::select::{Passage, PassageKind, asks_how, passages};
use super::statement::{Statement, Support};
use super::{Answer, AnswerOutcome, Block};
use crate::{EngineError, Hit, Query, Role};
use catena_document::{EvidenceUnit, Modality, NodeId, UnitId, View, markdown_text};
use catena_index::Snapshot;
use catena_models::{Embedder, cosine};
use std::collections::BTreeMap;
use std::ops::Range;

/// How much evidence is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvidenceLimits {
    /// Passages told at most.
    pub passages: usize,
    /// Figures and tables shown at most.
    pub visuals: usize,
}

impl Default for EvidenceLimits {
    fn default() -> Self {
        Self {
            passages: 5,
            visuals: 4,
        }
    }
}

/// A passage this much worse than the best is left out.
const NEAR_BEST: f32 = 0.82;
/// Passages whose references are followed.
const FOLLOWED: usize = 3;
/// Names that are followed one after the other, and hits that they may lead to.
const HOPS: usize = 2;
/// A tie that is sure.
const SURE: f32 = 0.7;
const NAMED: usize = 5;
/// Sections that are looked at for a procedure.
const SECTIONS: usize = 6;
/// Sources named where there is no answer.
const NEAREST: usize = 3;

/// Answers from the evidence alone: the sentences, steps and table rows that answer best, in the
/// documents' order, figures and tables beside the text that they belong to. A question for a way
/// to do something gets the whole procedure, also one that the evidence only refers to.
///
/// # Errors
/// Where the store or the embedder fails.
pub fn answer_with_evidence(
    snapshot: &Snapshot,
    query: &Query,
    hits: &[Hit],
    embedder: &dyn Embedder,
    limits: EvidenceLimits,
) -> Result<Answer, EngineError> {
    let _span = tracing::debug_span!("answer").entered();
    let found = passages(query, hits, embedder)?;
    let confidence = confidence(snapshot, query, hits, &found)?;
    let mut out = Composing {
        snapshot,
        hits,
        found: &found,
        limits,
        confidence,
        citations: Citations::default(),
        blocks: Vec::new(),
        shown: Vec::new(),
    };
    let Some(best) = found.first().map(|passage| passage.score) else {
        return Ok(out.finish(AnswerOutcome::InsufficientEvidence));
    };
    if confidence < ENOUGH {
        cite_nearest(hits, &found, &mut out.citations);
        return Ok(out.finish(AnswerOutcome::InsufficientEvidence));
    }
    let mut chosen: Vec<&Passage> = found
        .iter()
        .take(limits.passages)
        .take_while(|passage| passage.score >= best * NEAR_BEST)
        // What answers for a code does not answer for another or for none.
        .filter(|passage| passage.has_code || !found[0].has_code)
        .collect();
    follow_names(hits, &found, &mut chosen);
    let named = named_section(snapshot, query, hits)?;
    let procedure = if asks_how(&query.text) && !has_steps(&named) {
        out.find_procedure(query, embedder)?
    } else {
        Vec::new()
    };
    if procedure.is_empty() && !named.is_empty() {
        let told = told_pieces(&named, hits, &chosen);
        out.tell_section(&named, &told)?;
        return Ok(out.finish(AnswerOutcome::Answered));
    }
    out.tell(&chosen, &procedure)?;
    out.tell_section(&procedure, &all_pieces(&procedure))?;
    Ok(out.finish(AnswerOutcome::Answered))
}

/// The sources that come nearest to a question.
///
/// # Errors
/// Where the embedder fails.
pub(crate) fn nearest_evidence(
    query: &Query,
    hits: &[Hit],
    embedder: &dyn Embedder,
) -> Result<Vec<Citation>, EngineError> {
    let mut citations = Citations::default();
    cite_nearest(hits, &passages(query, hits, embedder)?, &mut citations);
    Ok(citations.0)
}

fn cite_nearest(hits: &[Hit], found: &[Passage], citations: &mut Citations) {
    for passage in found.iter().take(NEAREST) {
        citations.cite_passage(&hits[passage.hit].unit, passage);
    }
}

/// How likely evidence answers a question, 0 to 1.
///
/// # Errors
/// Where the store or the embedder fails.
pub(crate) fn evidence_confidence(
    snapshot: &Snapshot,
    query: &Query,
    hits: &[Hit],
    embedder: &dyn Embedder,
) -> Result<f32, EngineError> {
    let found = passages(query, hits, embedder)?;
    confidence(snapshot, query, hits, &found)
}

/// Adds what is told of a name that a chosen passage tells: where the pump was made by a firm, and
/// the question is where it sits, the answer is what stands about the firm.
fn follow_names<'p>(hits: &[Hit], found: &'p [Passage], chosen: &mut Vec<&'p Passage>) {
    for hop in 0..HOPS {
        let told = chosen.clone();
        for (at, hit) in hits.iter().enumerate().take(NAMED) {
            let Some(via) = &hit.via else { continue };
            let Some(name) = via.tie.anchor() else {
                continue;
            };
            let of_bridge = |passage: &Passage| hits[passage.hit].key == via.from;
            let names = |passage: &Passage| of_bridge(passage) && passage.text.contains(name);
            let is_told = told.iter().any(|passage| passage.hit == at);
            if hit.role != Role::Target || is_told || !told.iter().any(|passage| of_bridge(passage))
            {
                continue;
            }
            let Some(naming) = found.iter().find(|passage| names(passage)) else {
                continue;
            };
            let is_named = told.iter().any(|passage| names(passage));
            // What brings nothing of the question that is new must be tied surely to what is told.
            if hit.facets.is_empty() && (hop > 0 || !is_named || via.weight < SURE) {
                continue;
            }
            if !is_named {
                chosen.push(naming);
            }
            chosen.extend(found.iter().find(|passage| passage.hit == at));
        }
    }
}

/// An answer being put together.
struct Composing<'a> {
    snapshot: &'a Snapshot,
    hits: &'a [Hit],
    /// The passages of the hits, best first.
    found: &'a [Passage],
    limits: EvidenceLimits,
    confidence: f32,
    citations: Citations,
    blocks: Vec<Block>,
    /// The figures and tables shown so far.
    shown: Vec<UnitId>,
}

impl Composing<'_> {
    fn finish(self, outcome: AnswerOutcome) -> Answer {
        Answer {
            blocks: self.blocks,
            citations: self.citations.0,
            outcome,
            confidence: self.confidence,
            checks: None,
            warnings: Vec::new(),
        }
    }

    /// The units of the procedure that is asked for. Where a passage that answers as well as the
    /// best refers to a section with steps, it is that one; else it is the section with steps that
    /// a hit stands in whose heading and passages fit the question best.
    fn find_procedure(
        &self,
        query: &Query,
        embedder: &dyn Embedder,
    ) -> Result<Vec<EvidenceUnit>, EngineError> {
        let best = self.found.first().map_or(0.0, |passage| passage.score);
        let near = self
            .found
            .iter()
            .take_while(|passage| passage.score >= best * NEAR_BEST);
        for passage in near.take(FOLLOWED) {
            let hit = &self.hits[passage.hit];
            let nodes = nodes_of(&hit.unit);
            for header in referred_sections(self.snapshot, hit.key.seq, &nodes, &passage.text)? {
                let section = section_below(self.snapshot, hit.key.seq, header)?;
                if has_steps(&section) && !matches!(passage.kind, PassageKind::Step) {
                    return Ok(section);
                }
            }
        }
        let mut sections: Vec<(f32, Vec<EvidenceUnit>)> = Vec::new();
        for (at, hit) in self.hits.iter().enumerate() {
            let known =
                |section: &Vec<EvidenceUnit>| section.iter().any(|unit| unit.id == hit.unit.id);
            let own = self.found.iter().filter(|passage| passage.hit == at);
            let score = own.map(|passage| passage.score).fold(0.0, f32::max);
            if let Some((have, _)) = sections.iter_mut().find(|(_, section)| known(section)) {
                *have = have.max(score);
            } else if hit.key.view == View::Evidence && sections.len() < SECTIONS {
                let section = section_of(self.snapshot, hit.key)?;
                if has_steps(&section) {
                    sections.push((score, section));
                }
            }
        }
        let headings: Vec<String> = sections
            .iter()
            .map(|(_, section)| {
                section[0]
                    .heading_path()
                    .last()
                    .map_or_else(String::new, |h| (*h).to_owned())
            })
            .collect();
        let texts: Vec<&str> = headings.iter().map(String::as_str).collect();
        for ((score, _), vector) in sections.iter_mut().zip(embedder.embed(&texts)?) {
            *score += cosine(&query.vector, &vector);
        }
        let chosen = sections.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        Ok(chosen.map_or_else(Vec::new, |(_, section)| section))
    }

    /// Tells passages, by document and place, each document by its title where there are several;
    /// those of the procedure come with it.
    fn tell(&mut self, chosen: &[&Passage], procedure: &[EvidenceUnit]) -> Result<(), EngineError> {
        let mut by_unit: BTreeMap<(usize, u32), Vec<&Passage>> = BTreeMap::new();
        let mut documents = Vec::new();
        for passage in chosen {
            let hit = &self.hits[passage.hit];
            if procedure.iter().any(|unit| unit.id == hit.unit.id) {
                continue;
            }
            if !documents.contains(&hit.key.seq) {
                documents.push(hit.key.seq);
            }
            let place = documents
                .iter()
                .position(|&seq| seq == hit.key.seq)
                .unwrap_or(0);
            by_unit
                .entry((place, hit.key.ordinal))
                .or_default()
                .push(passage);
        }
        // Where several documents are told, each is named before its words.
        let several = documents.len() > 1;
        let mut named = None;
        for ((place, _), passages) in by_unit {
            let hit = &self.hits[passages[0].hit];
            let start = self.blocks.len();
            match hit.unit.modality {
                Modality::Table => self.tell_table(&hit.unit, &passages),
                Modality::Figure => self.show(&hit.unit),
                Modality::Text | Modality::Formula => self.tell_text(hit, &passages)?,
            }
            let label = self.blocks.get(start).and_then(Block::first_label);
            if let Some(label) = label.filter(|_| several && named != Some(place)) {
                let title = markdown_text(&hit.unit.document_title);
                self.blocks
                    .insert(start, quoted_block(format!("**{title}**"), label));
                named = Some(place);
            }
        }
        Ok(())
    }

    /// The chosen sentences of one unit, what is left out between them marked, then the figures
    /// and tables that they name or that belong to them.
    fn tell_text(&mut self, hit: &Hit, passages: &[&Passage]) -> Result<(), EngineError> {
        let unit = &hit.unit;
        let mut passages = passages.to_vec();
        passages.sort_by_key(|passage| passage.span.start);
        let mut markdown = String::new();
        let mut citations = Vec::new();
        let mut statements = Vec::new();
        let mut end: Option<usize> = None;
        for passage in &passages {
            let gap = end.map(|end| unit.content.text[end..passage.span.start].trim().is_empty());
            markdown.push_str(match gap {
                None => "",
                Some(true) => " ",
                Some(false) => " … ",
            });
            let start = markdown.len();
            markdown.push_str(&markdown_text(&passage.text));
            end = Some(passage.span.end);
            let label = self.citations.cite_passage(unit, passage);
            statements.push(quoted(start..markdown.len(), label));
            if !citations.contains(&label) {
                citations.push(label);
            }
        }
        self.blocks.push(Block::Text {
            markdown,
            citations,
            statements,
        });
        let told: String = passages
            .iter()
            .map(|passage| passage.text.as_str())
            .collect();
        for visual in self.visuals_of(hit, &told)? {
            self.show(&visual);
        }
        Ok(())
    }

    /// The figures and tables near a unit of text that its told words name, or that retrieval
    /// found as well.
    fn visuals_of(&self, hit: &Hit, told: &str) -> Result<Vec<EvidenceUnit>, EngineError> {
        let mut out = Vec::new();
        for near in &hit.unit.context.nearby {
            let Some(unit) = self.unit_of_node(hit, near.node)? else {
                continue;
            };
            let is_found = self.hits.iter().any(|other| other.unit.id == unit.id);
            if unit.modality.is_visual() && (names(told, &unit) || is_found) {
                out.push(unit);
            }
        }
        Ok(out)
    }

    /// The unit that begins with a node, near the unit of a hit.
    fn unit_of_node(&self, hit: &Hit, node: NodeId) -> Result<Option<EvidenceUnit>, EngineError> {
        if let Some(known) = self
            .hits
            .iter()
            .find(|other| other.key.seq == hit.key.seq && other.unit.path.last() == Some(&node))
        {
            return Ok(Some(known.unit.clone()));
        }
        unit_at_node(self.snapshot, hit.key.seq, node)
    }

    /// A table's header and its rows that answer; a small table whole where none stands out. A
    /// large one of which no row answers is left out.
    fn tell_table(&mut self, unit: &EvidenceUnit, passages: &[&Passage]) {
        let Some(table) = &unit.content.table else {
            return;
        };
        if self.shown.contains(&unit.id) {
            return;
        }
        let best = self.found.first().map_or(0.0, |passage| passage.score);
        let whole = passages
            .iter()
            .any(|passage| passage.kind == PassageKind::Visual);
        let of_table = self
            .found
            .iter()
            .filter(|passage| self.hits[passage.hit].unit.id == unit.id);
        let mut rows: Vec<(u32, &str)> = of_table
            .filter(|passage| passage.score >= best * NEAR_BEST)
            .filter_map(|passage| match passage.kind {
                PassageKind::Row(row) => Some((row, passage.text.as_str())),
                _ => None,
            })
            .take(ROWS)
            .collect();
        rows.sort_unstable();
        if (whole || rows.is_empty()) && table.rows <= SMALL_TABLE {
            rows.clear();
        } else if rows.is_empty() {
            return;
        }
        let citation = if rows.is_empty() {
            self.citations.cite_whole(unit)
        } else {
            self.citations.cite_rows(unit, &rows)
        };
        let kept: Vec<u32> = rows.iter().map(|&(row, _)| row).collect();
        self.shown.push(unit.id);
        self.blocks.push(Block::Table {
            unit: unit.id,
            caption: unit.content.caption.clone().unwrap_or_default(),
            markdown: rows_markdown(table, &kept),
            citation,
        });
    }

    /// Shows a figure or table, once.
    fn show(&mut self, unit: &EvidenceUnit) {
        if self.shown.contains(&unit.id) || self.shown.len() >= self.limits.visuals {
            return;
        }
        if unit.modality == Modality::Table {
            self.tell_table(unit, &[]);
            return;
        }
        self.shown.push(unit.id);
        let block = figure_block(unit, &mut self.citations);
        self.blocks.push(block);
    }

    /// A section in its order, of each unit of text the pieces that are told: what stands before
    /// the steps (parts, warnings), the steps, and each figure where it stands; after it the
    /// figures of other sections that it names.
    fn tell_section(
        &mut self,
        units: &[EvidenceUnit],
        told: &[Vec<usize>],
    ) -> Result<(), EngineError> {
        if let Some(unit) = units.first()
            && let Some(ancestor) = unit.ancestors.last()
        {
            let seq = self.snapshot.unit_key(&unit.id)?.seq;
            let header = self.snapshot.node(seq, ancestor.node)?;
            let places = header.map(|header| header.provenance).unwrap_or_default();
            let label = self.citations.cite(unit, ancestor.heading.clone(), places);
            let markdown = format!("**{}**", markdown_text(&ancestor.heading));
            self.blocks.push(quoted_block(markdown, label));
        }
        // A section is not cut for its number of figures.
        let limit = std::mem::replace(&mut self.limits.visuals, usize::MAX);
        let mut named = Vec::new();
        let mut left_out = false;
        for (unit, pieces) in units.iter().zip(told) {
            match unit.modality {
                Modality::Figure | Modality::Table => self.show(unit),
                Modality::Text | Modality::Formula => {
                    let all = unit.content.pieces.len();
                    left_out |= pieces.first().is_none_or(|&first| first > 0);
                    if !pieces.is_empty() {
                        let label = self.cite_pieces(unit, pieces);
                        let words = pieces_markdown(unit, pieces);
                        let mark = if left_out { "… " } else { "" };
                        self.blocks
                            .push(quoted_block(format!("{mark}{words}"), label));
                        named.extend(self.named_figures(unit)?);
                        left_out = pieces.last().is_some_and(|&last| last + 1 < all);
                    }
                }
            }
        }
        self.limits.visuals = limit;
        for figure in named {
            self.show(&figure);
        }
        Ok(())
    }

    /// The label of pieces of a unit of text.
    fn cite_pieces(&mut self, unit: &EvidenceUnit, pieces: &[usize]) -> u32 {
        let all = &unit.content.pieces;
        if pieces.len() == all.len() {
            let places = unit.provenance.clone();
            return self.citations.cite(unit, unit.content.text.clone(), places);
        }
        let told = pieces.iter().filter_map(|&at| all.get(at));
        let words: Vec<&str> = told
            .clone()
            .map(|piece| &unit.content.text[piece.span.clone()])
            .collect();
        let places = told.flat_map(|piece| unit.places(&piece.span)).collect();
        self.citations.cite(unit, words.join("\n"), places)
    }

    /// The figures that a unit of text names.
    fn named_figures(&self, unit: &EvidenceUnit) -> Result<Vec<EvidenceUnit>, EngineError> {
        let key = self.snapshot.unit_key(&unit.id)?;
        let mut out = Vec::new();
        for near in &unit.context.nearby {
            let found = unit_at_node(self.snapshot, key.seq, near.node)?;
            out.extend(found.filter(|found| {
                found.modality == Modality::Figure && names(&unit.content.text, found)
            }));
        }
        Ok(out)
    }
}

/// All pieces of each unit.
fn all_pieces(units: &[EvidenceUnit]) -> Vec<Vec<usize>> {
    let all = units
        .iter()
        .map(|unit| (0..unit.content.pieces.len()).collect());
    all.collect()
}

/// The nodes that a unit's words come from.
fn nodes_of(unit: &EvidenceUnit) -> Vec<NodeId> {
    let pieces = unit.content.pieces.iter().map(|piece| piece.node);
    pieces.chain(unit.path.last().copied()).collect()
}

/// A source's own words in a block.
pub(super) fn quoted(span: Range<usize>, label: u32) -> Statement {
    Statement {
        span,
        citations: vec![label],
        support: Support::Quoted,
    }
}

/// A block of one source's own words.
fn quoted_block(markdown: String, label: u32) -> Block {
    Block::Text {
        statements: vec![quoted(0..markdown.len(), label)],
        citations: vec![label],
        markdown,
    }
}
