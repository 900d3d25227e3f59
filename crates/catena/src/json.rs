//! What `--json` writes, as `docs/json.md` tells it. These types are the program's word to other
//! programs: a key keeps its name and its meaning.

mod answer;
mod document;

pub(crate) use answer::{JsonAnswer, JsonHits};
pub(crate) use document::{JsonDocument, JsonList, JsonUnit, evidence_units, node_kind};

use catena_document::{EvidenceUnit, Provenance};
use serde::Serialize;

/// A place on a page.
#[derive(Debug, Serialize)]
struct JsonPlace {
    page: u32,
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

fn places(provenance: &[Provenance]) -> Vec<JsonPlace> {
    let place = |place: &Provenance| JsonPlace {
        page: place.page,
        left: place.bbox.left,
        top: place.bbox.top,
        right: place.bbox.right,
        bottom: place.bbox.bottom,
    };
    provenance.iter().map(place).collect()
}

/// The headings above a unit.
fn path(unit: &EvidenceUnit) -> Vec<String> {
    unit.heading_path().into_iter().map(str::to_owned).collect()
}
