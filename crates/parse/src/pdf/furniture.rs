//! Running headers and footers: what repeats at the edge of page after page, and what stands there
//! alone.

use super::margin;
use super::page::{PageText, body_size};
use super::words::Segment;
use std::collections::HashMap;

/// The part of a page's height at its top and bottom where running headers and footers stand.
const EDGE: f32 = 0.15;
/// Pages on which a text must repeat to be a running one.
const REPEATS: usize = 3;

/// At which edge a segment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Edge {
    Top,
    Bottom,
}

/// For every page the indices of its segments that are running headers or footers.
///
/// A segment is one where its text, digits set aside, stands at about the same height of at least
/// three pages, or where it is a page number that runs with the pages, or where the author marked
/// it as no part of the text, or where its look alone tells ([`margin`]); and nothing but such
/// segments stands between it and the page's edge.
pub(super) fn find(pages: &[PageText]) -> Vec<Vec<(usize, Edge)>> {
    let counts = count_keys(pages);
    let numbers = page_numbers(pages);
    let body = body_size(pages);
    pages
        .iter()
        .zip(numbers)
        .map(|(page, number)| {
            let mut out: Vec<(usize, Edge)> = number.into_iter().collect();
            for edge in [Edge::Top, Edge::Bottom] {
                for at in outermost_first(page, edge) {
                    let segment = &page.segments[at];
                    if !is_at_edge(page, segment, edge) {
                        break;
                    }
                    let repeats = counts.get(&key(page, segment, edge)).copied().unwrap_or(0);
                    if out.contains(&(at, edge)) {
                        continue;
                    }
                    let enough = REPEATS.max(if page.is_slide() { pages.len() / 3 } else { 0 });
                    if repeats >= enough || segment.artifact {
                        out.push((at, edge));
                    } else {
                        break;
                    }
                }
                out.extend(set_aside(page, &out, edge));
                out.extend(companions(page, &out, edge));
                out.extend(chapter_number(page, &out, edge));
                let known: Vec<usize> = out.iter().map(|&(at, _)| at).collect();
                let more = margin::at_edge(page, &known, edge, body);
                out.extend(more.into_iter().map(|at| (at, edge)));
            }
            let stamps = margin::at_side(page).into_iter();
            out.extend(stamps.map(|at| (at, Edge::Top)));
            out
        })
        .collect()
}

/// The page number that each page shows, where it runs with the pages.
pub(super) fn printed_numbers(pages: &[PageText]) -> Vec<Option<i64>> {
    let found = page_numbers(pages);
    let numbers = pages.iter().zip(found);
    numbers
        .map(|(page, found)| found.and_then(|(at, _)| number_of(&page.segments[at])))
        .collect()
}

/// The number that a segment is, perhaps between dashes.
fn number_of(segment: &Segment) -> Option<i64> {
    let text = segment.text();
    text.trim_matches(['-', '–', ' ']).parse().ok()
}

/// What the author marked as no part of the text, wherever it stands: watermarks, thumb indexes.
/// A page where much is marked so is not believed.
fn set_aside(page: &PageText, found: &[(usize, Edge)], edge: Edge) -> Vec<(usize, Edge)> {
    let chars = |marked: bool| -> usize {
        let segments = page.segments.iter();
        let segments = segments.filter(|segment| !marked || segment.artifact);
        segments.map(Segment::chars).sum()
    };
    let marked = chars(true);
    if marked == 0 || marked * 5 > chars(false) {
        return Vec::new();
    }
    (0..page.segments.len())
        .filter(|&at| {
            let segment = &page.segments[at];
            let upper = segment.bbox.center_y() < page.height / 2.0;
            segment.artifact
                && upper == (edge == Edge::Top)
                && found.iter().all(|&(own, _)| own != at)
        })
        .map(|at| (at, edge))
        .collect()
}

/// What stands on one line with running text runs with it, though its words change: the section
/// beside the page number.
fn companions(page: &PageText, found: &[(usize, Edge)], edge: Edge) -> Vec<(usize, Edge)> {
    let of_edge = || found.iter().filter(move |&&(_, own)| own == edge);
    outermost_first(page, edge)
        .into_iter()
        .filter(|&at| of_edge().all(|&(own, _)| own != at))
        .filter(|&at| {
            let segment = &page.segments[at];
            of_edge().any(|&(own, _)| {
                let running = &page.segments[own];
                (running.baseline - segment.baseline).abs() < 2.5
                    && (running.size - segment.size).abs() < 1.0
            })
        })
        .map(|at| (at, edge))
        .collect()
}

/// The number below a running "CHAPTER" that stands alone.
fn chapter_number(page: &PageText, found: &[(usize, Edge)], edge: Edge) -> Option<(usize, Edge)> {
    if edge == Edge::Bottom {
        return None;
    }
    let &(label, _) = found.iter().find(|&&(at, own)| {
        let text = page.segments[at].text().to_lowercase();
        own == edge && CHAPTER_WORDS.contains(&text.trim())
    })?;
    let label = &page.segments[label];
    (0..page.segments.len())
        .find(|&at| {
            let segment = &page.segments[at];
            let below = segment.baseline - label.baseline;
            let aligned = [
                segment.bbox.left - label.bbox.left,
                segment.bbox.right - label.bbox.right,
                segment.bbox.center_x() - label.bbox.center_x(),
            ];
            let text = segment.text();
            let short = text.chars().count() <= 12 && text.split_whitespace().count() <= 2;
            (1.0..segment.size * 3.0 + label.size * 2.0).contains(&below)
                && aligned.iter().any(|apart| apart.abs() < 2.5)
                && short
                && !text.chars().any(char::is_lowercase)
                && found.iter().all(|&(own, _)| own != at)
        })
        .map(|at| (at, edge))
}

/// Words that stand alone above a chapter's number.
const CHAPTER_WORDS: &[&str] = &[
    "chapter",
    "part",
    "appendix",
    "kapitel",
    "teil",
    "anhang",
    "chapitre",
    "partie",
    "annexe",
    "capítulo",
    "capitolo",
    "hoofdstuk",
    "глава",
];

/// The page number of each page: a bare number above or below all other text that runs with the
/// pages, wherever it stands.
fn page_numbers(pages: &[PageText]) -> Vec<Option<(usize, Edge)>> {
    let candidates: Vec<Vec<(usize, Edge, i64)>> = pages
        .iter()
        .map(|page| {
            let upright =
                || (0..page.segments.len()).filter(|&at| page.segments[at].direction == Some(0));
            let top = upright().min_by(|&a, &b| {
                page.segments[a]
                    .baseline
                    .total_cmp(&page.segments[b].baseline)
            });
            let bottom = upright().max_by(|&a, &b| {
                page.segments[a]
                    .baseline
                    .total_cmp(&page.segments[b].baseline)
            });
            let number = |at: usize| number_of(&page.segments[at]);
            [(top, Edge::Top), (bottom, Edge::Bottom)]
                .into_iter()
                .filter_map(|(at, edge)| {
                    let at = at?;
                    let offset = number(at)? - i64::from(page.number);
                    (offset.abs() < 5000).then_some((at, edge, offset))
                })
                .collect()
        })
        .collect();
    let mut counts: HashMap<(Edge, i64), usize> = HashMap::new();
    for &(_, edge, offset) in candidates.iter().flatten() {
        *counts.entry((edge, offset)).or_default() += 1;
    }
    let runs = |edge: Edge, offset: i64| {
        let count = counts.get(&(edge, offset)).copied().unwrap_or(0);
        count >= REPEATS && count * 4 >= pages.len()
    };
    candidates
        .iter()
        .map(|of_page| {
            let found = of_page
                .iter()
                .find(|&&(_, edge, offset)| runs(edge, offset));
            found.map(|&(at, edge, _)| (at, edge))
        })
        .collect()
}

/// The indices of the upright segments near an edge, from the edge inwards; those of one height
/// together.
fn outermost_first(page: &PageText, edge: Edge) -> Vec<usize> {
    let mut near: Vec<usize> = (0..page.segments.len())
        .filter(|&at| page.segments[at].direction == Some(0))
        .filter(|&at| is_at_edge(page, &page.segments[at], edge))
        .collect();
    let depth = |at: usize| match edge {
        Edge::Top => page.segments[at].baseline,
        Edge::Bottom => -page.segments[at].baseline,
    };
    near.sort_by(|&a, &b| depth(a).total_cmp(&depth(b)));
    near
}

pub(super) fn is_at_edge(page: &PageText, segment: &Segment, edge: Edge) -> bool {
    match edge {
        Edge::Top => segment.bbox.bottom < page.height * EDGE,
        Edge::Bottom => segment.bbox.top > page.height * (1.0 - EDGE),
    }
}

/// What repeats: the text without its digits, and the height in steps of 8 points.
type Key = (Edge, String, i32);

fn key(page: &PageText, segment: &Segment, edge: Edge) -> Key {
    let mut text = String::new();
    for c in segment.text().chars().flat_map(char::to_lowercase) {
        if c.is_numeric() {
            if !text.ends_with('#') {
                text.push('#');
            }
        } else {
            text.push(c);
        }
    }
    if is_roman(&text) {
        "#".clone_into(&mut text);
    }
    let depth = match edge {
        Edge::Top => segment.baseline,
        Edge::Bottom => page.height - segment.baseline,
    };
    (edge, text, (depth / 8.0).round() as i32)
}

fn is_roman(text: &str) -> bool {
    (1..=6).contains(&text.len()) && text.chars().all(|c| "ivxlc".contains(c))
}

/// On how many pages each key stands; neighbouring heights count together.
fn count_keys(pages: &[PageText]) -> HashMap<Key, usize> {
    let mut counts: HashMap<Key, usize> = HashMap::new();
    for page in pages {
        let mut keys: Vec<Key> = Vec::new();
        for edge in [Edge::Top, Edge::Bottom] {
            for segment in &page.segments {
                if segment.direction == Some(0) && is_at_edge(page, segment, edge) {
                    let (edge, text, depth) = key(page, segment, edge);
                    for near in [depth - 1, depth, depth + 1] {
                        keys.push((edge, text.clone(), near));
                    }
                }
            }
        }
        keys.sort_by(|a, b| (&a.1, a.2, a.0 as u8).cmp(&(&b.1, b.2, b.0 as u8)));
        keys.dedup();
        for key in keys {
            *counts.entry(key).or_default() += 1;
        }
    }
    counts
}
