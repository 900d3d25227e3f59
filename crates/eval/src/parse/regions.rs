//! Regions in the format of `MMDocIR`: does a unit of ours stand where a figure, chart or table is?

use super::{Asked, Case, Row};
use crate::mmdocir::{Question, gold_regions, read_questions, text_layer_of};
use crate::record::Region;
use crate::{EvalError, Metric};
use catena_document::{BBox, Document, EvidenceUnit, units};
use std::collections::BTreeMap;
use std::path::Path;

/// The least shared area over the area of both, that a box counts as found.
const LEAST_OVERLAP: f32 = 0.5;
/// A unit that covers more of its page stands for the page, not for a region.
const WHOLE_PAGE: f32 = 0.95;

/// What is asked of a document.
pub(super) struct Visual {
    questions: Vec<Question>,
    /// `text` or `image`.
    text_layer: &'static str,
}

/// The documents with their questions whose evidence is figures, charts and tables only.
pub(super) fn read(set: &Path) -> Result<Vec<Asked<Visual>>, EvalError> {
    let visual = |question: &Question| {
        let kinds = ["Figure", "Chart", "Table"];
        let mut modalities = question.modalities.iter();
        modalities.all(|modality| kinds.contains(&modality.as_str()))
    };
    let asked = read_questions(set)?.into_iter().map(|asked| Asked {
        name: asked.document,
        gold: Visual {
            questions: asked.questions.into_iter().filter(visual).collect(),
            text_layer: text_layer_of(&asked.path),
        },
        pdf: asked.path,
    });
    Ok(asked
        .filter(|asked| !asked.gold.questions.is_empty())
        .collect())
}

/// Looks for the gold boxes of a document, a case each.
pub(super) fn score(name: &str, asked: &Visual, document: &Document) -> Vec<Case> {
    let boxes = unit_boxes(document);
    let mut out = Vec::new();
    for question in &asked.questions {
        for (gold, number) in gold_regions(question, &document.pages).iter().zip(1..) {
            let best = best(gold, boxes.get(&gold.page).map_or(&[], Vec::as_slice));
            let overlap = best.map_or(0.0, |(overlap, _)| overlap);
            let found = overlap >= LEAST_OVERLAP;
            let row = Row {
                expected: format!("{}  {}", place(gold), question.modalities.join(", ")),
                found: best.map_or_else(String::new, |(overlap, unit)| {
                    format!("{overlap:.2}  {}", unit.shown)
                }),
                fault: if found { "" } else { "missed" }.to_owned(),
            };
            let id = format!("{}/{number}", question.id);
            let scores = vec![(Metric::RegionRecall, f64::from(found))];
            let mut case = Case::new(name, &id, scores, vec![row]);
            case.record.question.clone_from(&question.text);
            case.record.gold_regions = vec![*gold];
            case.record.groups = BTreeMap::from([
                ("modality".to_owned(), question.modalities.clone()),
                ("text_layer".to_owned(), vec![asked.text_layer.to_owned()]),
            ]);
            out.push(case);
        }
    }
    out
}

/// A unit's box on a page.
struct UnitBox {
    bbox: BBox,
    shown: String,
}

/// The boxes of all units by page, each the union of its boxes there, without whole pages.
fn unit_boxes(document: &Document) -> BTreeMap<u32, Vec<UnitBox>> {
    let mut out: BTreeMap<u32, Vec<UnitBox>> = BTreeMap::new();
    for unit in units(document) {
        let unit = unit.resolve(document.id, "", |id| document.node(id).cloned());
        for page in &document.pages {
            let own = unit.provenance.iter().filter(|own| own.page == page.number);
            let Some(bbox) = BBox::union_all(own.map(|own| own.bbox)) else {
                continue;
            };
            if bbox.area() < WHOLE_PAGE * page.width * page.height {
                let shown = shown(&unit, page.number, bbox);
                let boxes = out.entry(page.number).or_default();
                boxes.push(UnitBox { bbox, shown });
            }
        }
    }
    out
}

fn shown(unit: &EvidenceUnit, page: u32, bbox: BBox) -> String {
    let sides = [bbox.left, bbox.top, bbox.right, bbox.bottom];
    let region = Region { page, bbox: sides };
    let text = unit
        .content
        .caption
        .as_deref()
        .unwrap_or(&unit.content.text);
    let text = crate::text::beginning(text, 80);
    format!("{} {}  {text}", unit.modality.name(), place(&region))
}

/// The unit's box that shares most with the gold box.
fn best<'a>(gold: &Region, boxes: &'a [UnitBox]) -> Option<(f32, &'a UnitBox)> {
    let [left, top, right, bottom] = gold.bbox;
    let gold = BBox::new(left, top, right, bottom);
    let overlaps = boxes.iter().map(|unit| {
        let shared = gold.overlap_area(&unit.bbox);
        let both = gold.area() + unit.bbox.area() - shared;
        (shared / both.max(f32::EPSILON), unit)
    });
    overlaps.max_by(|a, b| a.0.total_cmp(&b.0))
}

fn place(region: &Region) -> String {
    let [left, top, right, bottom] = region.bbox.map(f32::round);
    format!("page {} [{left} {top} {right} {bottom}]", region.page)
}
