//! Where the blocks of an answer come from.

use super::select::{Passage, PassageKind};
use catena_document::{EvidenceUnit, Provenance, UnitId};

/// Where a block comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Citation {
    /// Its label in the answer, from 1.
    pub label: u32,
    /// The unit.
    pub unit: UnitId,
    /// The document's title.
    pub document: String,
    /// The headings above, outermost first.
    pub path: Vec<String>,
    /// The places of the quote, a box a line; empty where the format has no pages.
    pub places: Vec<Provenance>,
    /// The source's own words.
    pub quote: String,
}

impl Citation {
    /// The page that the quote begins on.
    pub fn page(&self) -> Option<u32> {
        self.places.first().map(|place| place.page)
    }
}

/// Gathers citations while blocks are made; the same quote of a unit has one label.
#[derive(Debug, Default)]
pub(super) struct Citations(pub(super) Vec<Citation>);

impl Citations {
    /// The label of a quote of a unit.
    pub(super) fn cite(
        &mut self,
        unit: &EvidenceUnit,
        quote: String,
        places: Vec<Provenance>,
    ) -> u32 {
        let same = |citation: &&Citation| citation.unit == unit.id && citation.quote == quote;
        if let Some(known) = self.0.iter().find(same) {
            return known.label;
        }
        let label = self.0.len() as u32 + 1;
        self.0.push(Citation {
            label,
            unit: unit.id,
            document: unit.document_title.clone(),
            path: unit.heading_path().into_iter().map(str::to_owned).collect(),
            places,
            quote,
        });
        label
    }

    /// The label of a figure or table as a whole.
    pub(super) fn cite_whole(&mut self, unit: &EvidenceUnit) -> u32 {
        let quote = unit.content.caption.clone().unwrap_or_default();
        self.cite(unit, quote, unit.provenance.clone())
    }

    /// The label of a passage of a unit.
    pub(super) fn cite_passage(&mut self, unit: &EvidenceUnit, passage: &Passage) -> u32 {
        match passage.kind {
            PassageKind::Sentence | PassageKind::Step => {
                let places = unit.places(&passage.span);
                self.cite(unit, passage.text.clone(), places)
            }
            PassageKind::Row(row) => self.cite_rows(unit, &[(row, &passage.text)]),
            PassageKind::Visual => self.cite_whole(unit),
        }
    }

    /// The label of rows of a table, with their words.
    pub(super) fn cite_rows(&mut self, unit: &EvidenceUnit, rows: &[(u32, &str)]) -> u32 {
        let words: Vec<&str> = rows.iter().map(|&(_, words)| words).collect();
        let places = rows.iter().flat_map(|&(row, _)| row_places(unit, row));
        let places = places.collect();
        self.cite(unit, words.join("\n"), places)
    }
}

/// The places of a table's row: its cells' boxes on the table's page.
fn row_places(unit: &EvidenceUnit, row: u32) -> Vec<Provenance> {
    let (Some(table), Some(first)) = (&unit.content.table, unit.provenance.first()) else {
        return unit.provenance.clone();
    };
    let boxes: Vec<_> = table.row(row).filter_map(|cell| cell.bbox).collect();
    if boxes.is_empty() {
        return unit.provenance.clone();
    }
    boxes
        .into_iter()
        .map(|bbox| Provenance {
            bbox,
            ..first.clone()
        })
        .collect()
}
