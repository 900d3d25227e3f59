//! Answers without a language model: the evidence's own words, put together.

use super::procedure::{has_steps, referred_sections, section_below, section_of};
use super::select::{Passage, PassageKind, asks_how, passages};
use super::{Answer, AnswerOutcome, Block, Citations, figure_block};
use crate::{EngineError, Hit, Query};
use catena_document::{EvidenceUnit, Modality, NodeId, Table, UnitId, View, mentions};
use catena_index::Snapshot;
use catena_models::Embedder;
use std::collections::BTreeMap;

/// When evidence counts, and how much of it is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvidenceLimits {
    /// The least score of the best passage, 0 to 1, from which there is an answer.
    pub least_score: f32,
    /// Passages told at most.
    pub passages: usize,
    /// Figures and tables shown at most.
    pub visuals: usize,
}

impl Default for EvidenceLimits {
    fn default() -> Self {
        Self {
            least_score: 0.36,
            passages: 5,
            visuals: 4,
        }
    }
}

/// A passage this much worse than the best is left out.
const NEAR_BEST: f32 = 0.82;
/// Passages whose references are followed.
const FOLLOWED: usize = 3;
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
    let mut out = Composing {
        snapshot,
        hits,
        limits,
        citations: Citations::default(),
        blocks: Vec::new(),
        shown: Vec::new(),
    };
    let best = found.first().map_or(0.0, |passage| passage.score);
    if best < limits.least_score {
        out.cite_nearest(&found);
        return Ok(out.finish(AnswerOutcome::InsufficientEvidence));
    }
    let chosen: Vec<&Passage> = found
        .iter()
        .take(limits.passages)
        .take_while(|passage| passage.score >= best * NEAR_BEST)
        .collect();
    let procedure = if asks_how(&query.text) {
        out.find_procedure(&found)?
    } else {
        Vec::new()
    };
    out.tell(&chosen, &procedure)?;
    out.tell_procedure(&procedure);
    Ok(out.finish(AnswerOutcome::Answered))
}

/// An answer being put together.
struct Composing<'a> {
    snapshot: &'a Snapshot,
    hits: &'a [Hit],
    limits: EvidenceLimits,
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
            warnings: Vec::new(),
        }
    }

    /// Names the sources that come nearest.
    fn cite_nearest(&mut self, found: &[Passage]) {
        for passage in found.iter().take(NEAREST) {
            let unit = &self.hits[passage.hit].unit;
            self.cite_passage(unit, passage);
        }
    }

    fn cite_passage(&mut self, unit: &EvidenceUnit, passage: &Passage) -> u32 {
        match passage.kind {
            PassageKind::Sentence | PassageKind::Step => {
                let places = unit.places(&passage.span);
                self.citations.cite(unit, passage.text.clone(), places)
            }
            PassageKind::Row(row) => {
                let places = row_places(unit, row);
                self.citations.cite(unit, passage.text.clone(), places)
            }
            PassageKind::Visual => self.citations.cite_whole(unit),
        }
    }

    /// The units of the procedure that is asked for: the section of the best passage that has
    /// steps, or the one that the best passages refer to.
    fn find_procedure(&self, found: &[Passage]) -> Result<Vec<EvidenceUnit>, EngineError> {
        let best = found.first().map_or(0.0, |passage| passage.score);
        let near = found
            .iter()
            .take_while(|passage| passage.score >= best * NEAR_BEST);
        for passage in near.take(FOLLOWED) {
            let hit = &self.hits[passage.hit];
            let section = section_of(self.snapshot, hit.key)?;
            if hit.key.view == View::Evidence && has_steps(&section) {
                return Ok(section);
            }
            let nodes = nodes_of(&hit.unit);
            for header in referred_sections(self.snapshot, hit.key.seq, &nodes, &passage.text)? {
                let section = section_below(self.snapshot, hit.key.seq, header)?;
                if has_steps(&section) {
                    return Ok(section);
                }
            }
        }
        Ok(Vec::new())
    }

    /// Tells passages, by document and place; those of the procedure come with it.
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
        for passages in by_unit.into_values() {
            let hit = &self.hits[passages[0].hit];
            match hit.unit.modality {
                Modality::Table => self.tell_table(&hit.unit, &passages),
                Modality::Figure => self.show(&hit.unit),
                Modality::Text | Modality::Formula => self.tell_text(hit, &passages)?,
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
        let mut end: Option<usize> = None;
        for passage in &passages {
            let gap = end.map(|end| unit.content.text[end..passage.span.start].trim().is_empty());
            markdown.push_str(match gap {
                None => "",
                Some(true) => " ",
                Some(false) => " … ",
            });
            markdown.push_str(&escape(&passage.text));
            end = Some(passage.span.end);
            let label = self.cite_passage(unit, passage);
            if !citations.contains(&label) {
                citations.push(label);
            }
        }
        self.blocks.push(Block::Text {
            markdown,
            citations,
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
        let named = mentions(told);
        for near in &hit.unit.context.nearby {
            let Some(unit) = self.unit_of_node(hit, near.node)? else {
                continue;
            };
            let caption = unit.content.caption.as_deref().unwrap_or_default();
            let label = catena_document::caption_label(caption);
            let is_named =
                label.is_some_and(|label| named.iter().any(|(_, other)| *other == label));
            let is_found = self.hits.iter().any(|other| other.unit.id == unit.id);
            if unit.modality.is_visual() && (is_named || is_found) {
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
        super::procedure::unit_at_node(self.snapshot, hit.key.seq, node)
    }

    /// A table's header and the chosen rows; the whole table where only its caption was chosen.
    fn tell_table(&mut self, unit: &EvidenceUnit, passages: &[&Passage]) {
        let Some(table) = &unit.content.table else {
            return;
        };
        let mut rows: Vec<u32> = passages
            .iter()
            .filter_map(|passage| match passage.kind {
                PassageKind::Row(row) => Some(row),
                _ => None,
            })
            .collect();
        rows.sort_unstable();
        let citation = match passages
            .iter()
            .find(|p| matches!(p.kind, PassageKind::Row(_)))
        {
            Some(passage) => self.cite_passage(unit, passage),
            None => self.citations.cite_whole(unit),
        };
        self.shown.push(unit.id);
        self.blocks.push(Block::Table {
            unit: unit.id,
            caption: unit.content.caption.clone().unwrap_or_default(),
            markdown: rows_markdown(table, &rows),
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

    /// A procedure whole and in its order: what stands before the steps (parts, warnings), the
    /// steps, and each figure where it stands.
    fn tell_procedure(&mut self, units: &[EvidenceUnit]) {
        if let Some(unit) = units.first()
            && let Some(heading) = unit.heading_path().last()
        {
            let label = self.citations.cite(unit, (*heading).to_owned(), Vec::new());
            let markdown = format!("**{}**", escape(heading));
            self.blocks.push(Block::Text {
                markdown,
                citations: vec![label],
            });
        }
        // A procedure is not cut for its number of figures.
        let limit = std::mem::replace(&mut self.limits.visuals, usize::MAX);
        for unit in units {
            match unit.modality {
                Modality::Figure | Modality::Table => self.show(unit),
                Modality::Text | Modality::Formula => {
                    let places = unit.provenance.clone();
                    let label = self.citations.cite(unit, unit.content.text.clone(), places);
                    self.blocks.push(Block::Text {
                        markdown: unit_markdown(unit),
                        citations: vec![label],
                    });
                }
            }
        }
        self.limits.visuals = limit;
    }
}

/// The nodes that a unit's words come from.
fn nodes_of(unit: &EvidenceUnit) -> Vec<NodeId> {
    let pieces = unit.content.pieces.iter().map(|piece| piece.node);
    pieces.chain(unit.path.last().copied()).collect()
}

/// The places of a table's row: its cells' boxes on the table's page.
fn row_places(unit: &EvidenceUnit, row: u32) -> Vec<catena_document::Provenance> {
    let (Some(table), Some(first)) = (&unit.content.table, unit.provenance.first()) else {
        return unit.provenance.clone();
    };
    let boxes: Vec<_> = table.row(row).filter_map(|cell| cell.bbox).collect();
    if boxes.is_empty() {
        return unit.provenance.clone();
    }
    boxes
        .into_iter()
        .map(|bbox| catena_document::Provenance {
            bbox,
            ..first.clone()
        })
        .collect()
}

/// A unit of text as Markdown: paragraphs, and items after their markers.
fn unit_markdown(unit: &EvidenceUnit) -> String {
    let lines: Vec<String> = unit
        .content
        .pieces
        .iter()
        .map(|piece| {
            let text = escape(&unit.content.text[piece.span.clone()]);
            match piece.marker.as_str() {
                "" => text,
                marker if piece.step => format!("{marker} {text}"),
                _ => format!("- {text}"),
            }
        })
        .collect();
    lines.join("\n")
}

/// Rows of a table under its header as Markdown; all rows where none are given.
fn rows_markdown(table: &Table, rows: &[u32]) -> String {
    if rows.is_empty() {
        return table.markdown();
    }
    let headers = table.header_rows();
    let kept: Vec<u32> = (0..headers).chain(rows.iter().copied()).collect();
    let mut part = Table {
        rows: kept.len() as u32,
        columns: table.columns,
        cells: Vec::new(),
    };
    for cell in &table.cells {
        // A cell that spans down into a kept row is shown in the first of them.
        let covered = kept
            .iter()
            .position(|&row| (cell.row..cell.row + cell.row_span.max(1)).contains(&row));
        if let Some(row) = covered {
            let mut cell = cell.clone();
            cell.row = row as u32;
            cell.row_span = 1;
            part.cells.push(cell);
        }
    }
    part.markdown()
}

/// Keeps a source's characters from being read as Markdown.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '_' | '`' | '[' | ']' | '<' | '>' | '\\' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
