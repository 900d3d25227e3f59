//! Evidence as text.

use super::READABLE;
use super::wrap::{clean, cut};
use crate::output::{BOLD, DIM, paint};
use catena_engine::Hit;

/// Lines of a unit's words that are shown.
const LINES: usize = 3;

/// Hits, the best first.
pub(crate) fn hits(hits: &[Hit], width: usize) -> String {
    let hits = hits.iter().zip(1..);
    let hits: Vec<String> = hits.map(|(one, number)| hit(one, number, width)).collect();
    hits.join("\n")
}

/// A hit with its number: its name, where it stands, and its first words.
pub(super) fn hit(hit: &Hit, number: usize, width: usize) -> String {
    let width = width.min(READABLE).saturating_sub(4);
    let unit = &hit.unit;
    let page = unit.page().map(|page| format!(", page {page}"));
    let name = format!("{} {}", unit.modality.name(), unit.id);
    let mut out = format!(
        "{number:>2}. {}{}\n",
        paint(BOLD, name),
        page.unwrap_or_default()
    );
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
    out
}
