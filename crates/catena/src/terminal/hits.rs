//! Evidence as text.

use super::READABLE;
use super::wrap::{clean, cut};
use crate::output::{BOLD, DIM, paint};
use catena_engine::Hit;

/// Lines of a unit's words that are shown.
const LINES: usize = 3;

/// Hits, the best first; `explain` adds the score of every stage and the local relation.
pub(crate) fn hits(hits: &[Hit], explain: bool, width: usize) -> String {
    let width = width.min(READABLE).saturating_sub(4);
    let mut out = String::new();
    for (hit, number) in hits.iter().zip(1..) {
        if number > 1 {
            out.push('\n');
        }
        let unit = &hit.unit;
        let page = unit.page().map(|page| format!(", page {page}"));
        let name = format!("{} {}", unit.modality.name(), unit.id);
        out.push_str(&format!(
            "{number:>2}. {}{}\n",
            paint(BOLD, name),
            page.unwrap_or_default()
        ));
        let mut path = vec![unit.document_title.as_str()];
        path.extend(unit.heading_path());
        out.push_str(&format!(
            "    {}\n",
            paint(DIM, cut(&path.join(" > "), width))
        ));
        let caption = unit.content.caption.iter().map(String::as_str);
        let lines = caption.chain(unit.content.text.lines());
        for line in lines.filter(|line| !clean(line).is_empty()).take(LINES) {
            out.push_str(&format!("    {}\n", cut(line, width)));
        }
        if explain {
            out.push_str(&format!("    {}\n", paint(DIM, explanation(hit))));
        }
    }
    out
}

/// `score 0.0325: bm25 12.31 (rank 1), dense 0.712 (rank 3); supports_paragraph`
fn explanation(hit: &Hit) -> String {
    let stages: Vec<String> = hit
        .scores
        .iter()
        .map(|score| format!("{} {:.3} (rank {})", score.stage, score.value, score.rank))
        .collect();
    format!(
        "score {:.4}: {}; {}",
        hit.score,
        stages.join(", "),
        hit.unit.relation.kind.name()
    )
}
