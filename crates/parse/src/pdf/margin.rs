//! Running headers and footers told by their look, where no other page repeats them.

use super::block::{ends_sentence, is_ordinal};
use super::furniture::{Edge, is_at_edge};
use super::page::PageText;
use catena_document::{BBox, caption_label};

/// The weight of signs from which a line is a running one.
const ENOUGH: i32 = 5;
/// The same where only place and size tell.
const ENOUGH_BY_PLACE: i32 = 6;
/// Lines at most at one edge.
const MAX_LINES: usize = 5;
/// Characters at most of what runs at an edge in one piece.
const MAX_CHARS: usize = 260;
/// White, in font sizes of the body, from which a line stands apart from what is next to it.
const APART: f32 = 1.2;

/// The segments of a page that run at one edge by their look, beside those `found` before.
///
/// Lines are looked at from the edge inwards, each alone and then with the lines close to it; the
/// first that is no running one ends it. No sign is enough alone: a line at the very edge, apart
/// from the text, in small type, beyond a rule, with a page number, with pieces at both sides, or
/// with what running lines tell (an address, a date, rights) has weight, a title's or a
/// footnote's look counts against it.
pub(super) fn at_edge(page: &PageText, found: &[usize], edge: Edge, body: f32) -> Vec<usize> {
    let lines = lines(page, found, edge);
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len().min(MAX_LINES) {
        let close = lines[at..]
            .windows(2)
            .take_while(|pair| gap(&pair[0].bbox, &pair[1].bbox) < body * 0.8)
            .count();
        let all_run = |count: usize| {
            let group = &lines[at..at + count];
            runs(page, group, lines.get(at + count), edge, body)
        };
        let count = if all_run(1) {
            1
        } else if (1..=2).contains(&close) && all_run(close + 1) {
            close + 1
        } else {
            break;
        };
        let group = &lines[at..at + count];
        out.extend(group.iter().flat_map(|line| line.segments.iter().copied()));
        at += count;
    }
    // A page of nothing else keeps what it has.
    if at == lines.len() { Vec::new() } else { out }
}

/// Turned text beside all upright text, at a page's side: a stamp.
pub(super) fn at_side(page: &PageText) -> Vec<usize> {
    let upright = page
        .segments
        .iter()
        .filter(|segment| segment.direction == Some(0));
    let Some(block) = BBox::union_all(upright.map(|segment| segment.bbox)) else {
        return Vec::new();
    };
    let of = |reach: f32| {
        let outside = (0..page.segments.len()).filter(move |&at| {
            let segment = &page.segments[at];
            let (own, width) = (&segment.bbox, page.width);
            matches!(segment.direction, Some(1 | 3))
                && (own.right < width * reach || own.left > width * (1.0 - reach))
        });
        outside.collect::<Vec<_>>()
    };
    let mut out = of(0.08);
    for at in of(0.15) {
        let segment = &page.segments[at];
        let own = &segment.bbox;
        let apart = own.right + segment.size < block.left || own.left - segment.size > block.right;
        if apart && !out.contains(&at) && tells_its_source(&segment.text().to_lowercase()) {
            out.push(at);
        }
    }
    out
}

/// A line of segments near an edge.
#[derive(Debug)]
struct Line {
    bbox: BBox,
    /// From left to right.
    segments: Vec<usize>,
    text: String,
    size: f32,
}

/// The upright lines of a page that are not yet known to run, from an edge inwards; specks are
/// left out.
fn lines(page: &PageText, found: &[usize], edge: Edge) -> Vec<Line> {
    let inwards = |at: usize| match edge {
        Edge::Top => page.segments[at].baseline,
        Edge::Bottom => -page.segments[at].baseline,
    };
    let mut of: Vec<usize> = (0..page.segments.len())
        .filter(|&at| page.segments[at].direction == Some(0) && !found.contains(&at))
        .filter(|&at| {
            let mut words = page.segments[at].words.iter();
            words.any(|word| word.text.contains(char::is_alphanumeric))
        })
        .collect();
    of.sort_by(|&a, &b| inwards(a).total_cmp(&inwards(b)));
    let mut out: Vec<Line> = Vec::new();
    for at in of {
        let segment = &page.segments[at];
        let full = out.len() > MAX_LINES * 2;
        match out.last_mut() {
            Some(line)
                if (page.segments[line.segments[0]].baseline - segment.baseline).abs() < 2.5 =>
            {
                line.bbox = line.bbox.union(&segment.bbox);
                line.segments.push(at);
            }
            _ if full => break,
            _ => out.push(Line {
                bbox: segment.bbox,
                segments: vec![at],
                text: String::new(),
                size: segment.size,
            }),
        }
    }
    for line in &mut out {
        line.segments.sort_by(|&a, &b| {
            page.segments[a]
                .bbox
                .left
                .total_cmp(&page.segments[b].bbox.left)
        });
        let texts = line.segments.iter().map(|&at| page.segments[at].text());
        line.text = texts.collect::<Vec<_>>().join("  ");
        let sizes = line.segments.iter().map(|&at| page.segments[at].size);
        line.size = sizes.fold(0.0, f32::max);
    }
    out
}

/// The white between two boxes, one above the other.
fn gap(a: &BBox, b: &BBox) -> f32 {
    (a.top - b.bottom).max(b.top - a.bottom)
}

/// Whether lines run: see [`at_edge`]. `inner` is the line next to them.
fn runs(page: &PageText, group: &[Line], inner: Option<&Line>, edge: Edge, body: f32) -> bool {
    let Some(bbox) = BBox::union_all(group.iter().map(|line| line.bbox)) else {
        return false;
    };
    let white = inner.map_or(f32::INFINITY, |inner| gap(&bbox, &inner.bbox));
    let apart = white > body * APART;
    let text = group
        .iter()
        .map(|line| line.text.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    let size = group.iter().map(|line| line.size).fold(0.0, f32::max);
    let lone = group.len() == 1 && is_page_number(&text);
    let at_edge = group.iter().all(|line| {
        line.segments
            .iter()
            .all(|&at| is_at_edge(page, &page.segments[at], edge))
    });
    let wordy = text.chars().count() > MAX_CHARS;
    if wordy || !(at_edge || apart) || caption_label(&text).is_some() {
        return false;
    }
    let ruled = ruled_off(page, &bbox, inner, edge);
    let source = tells_its_source(&text.to_lowercase());
    let spread = group.len() == 1 && is_spread(page, &group[0]) && !is_row(page, inner, apart);
    let by_place = !(lone || ruled || source || spread);
    let mut weight = 0;
    let mut add = |is: bool, by: i32| weight += if is { by } else { 0 };
    let depth = match edge {
        Edge::Top => bbox.top / page.height,
        Edge::Bottom => 1.0 - bbox.bottom / page.height,
    };
    add(depth < 0.1, 1);
    add(depth < 0.06, 1);
    add(apart, 1);
    add(white > body * 2.5, 1);
    add(size < body * 0.92, 1);
    add(size < body * 0.8, 1);
    add(ruled, 1);
    add(lone && (apart || size < body * 0.92), 4);
    add(source, 2);
    add(spread, 2);
    let mut pieces = group[0].segments.iter().map(|&at| page.segments[at].text());
    add(spread && pieces.any(|piece| is_page_number(&piece)), 2);
    // A title, a heading, running text, a footnote.
    add(size > body * 1.15 && !spread, -3);
    add(
        ends_sentence(&text) && text.split_whitespace().count() > 8,
        -2,
    );
    add(
        edge == Edge::Bottom && begins_as_note(page, &group[group.len() - 1]),
        -3,
    );
    if by_place {
        // Below a slide stands what its figures are from.
        !page.is_slide() && weight >= ENOUGH_BY_PLACE
    } else {
        weight >= ENOUGH
    }
}

/// Whether a rule stands between lines and what is next to them; below text a short rule begins
/// its footnotes.
fn ruled_off(page: &PageText, bbox: &BBox, inner: Option<&Line>, edge: Edge) -> bool {
    let Some(inner) = inner else {
        return false;
    };
    let (above, below) = match edge {
        Edge::Top => (bbox, &inner.bbox),
        Edge::Bottom => (&inner.bbox, bbox),
    };
    page.rules.iter().any(|rule| {
        let between = rule.bbox.top > above.top && rule.bbox.bottom < below.bottom;
        let outside =
            rule.bbox.center_y() > above.bottom - 2.0 && rule.bbox.center_y() < below.top + 2.0;
        rule.horizontal && between && outside && rule.bbox.width() > page.width * 0.5
    })
}

/// Whether a line has pieces at both sides of the page with wide white between them.
fn is_spread(page: &PageText, line: &Line) -> bool {
    let widest = line
        .segments
        .windows(2)
        .map(|pair| page.segments[pair[1]].bbox.left - page.segments[pair[0]].bbox.right)
        .fold(0.0, f32::max);
    let text = BBox::union_all(
        page.segments
            .iter()
            .filter(|segment| segment.direction == Some(0))
            .map(|segment| segment.bbox),
    );
    let width = text.map_or(page.width, |text| text.width());
    // Heads of a table's columns are more pieces, none of which is a page's number.
    let mut texts = line.segments.iter().map(|&at| page.segments[at].text());
    let few = match line.segments.len() {
        0..=4 => true,
        5..=6 => texts.any(|text| is_page_number(&text)),
        _ => false,
    };
    few && widest > line.size * 3.0 && line.bbox.width() > width * 0.6
}

/// Whether the line next to a spread one, with no more white than rows have, is set in short pieces
/// or figures too: both are rows of a table.
fn is_row(page: &PageText, inner: Option<&Line>, apart: bool) -> bool {
    let Some(inner) = inner else {
        return false;
    };
    let chars: usize = inner
        .segments
        .iter()
        .map(|&at| page.segments[at].chars())
        .sum();
    let figures = inner.segments.iter().any(|&at| {
        let text = page.segments[at].text();
        let digits = text.chars().filter(char::is_ascii_digit).count();
        digits * 2 > text.chars().count()
    });
    !apart && inner.segments.len() >= 2 && (figures || chars < 40)
}

/// Whether a line begins with a raised or small mark, as footnotes do.
fn begins_as_note(page: &PageText, line: &Line) -> bool {
    let words = &page.segments[line.segments[0]].words;
    words.first().is_some_and(|first| {
        let raised = words.get(1).is_some_and(|next| {
            first.size < next.size * 0.85 || first.baseline < next.baseline - 1.0
        });
        let mark = first.text.chars().count() <= 3
            && first
                .text
                .chars()
                .all(|c| c.is_ascii_digit() || "*†‡§¶".contains(c));
        mark && words.len() > 1 && (raised || first.text.contains(['*', '†', '‡', '§', '¶']))
            || words.len() > 1 && is_ordinal(&first.text)
    })
}

/// Whether a text is a page's number: `12`, `– 12 –`, `xii`, `Page 3 of 10`, `3/10`.
fn is_page_number(text: &str) -> bool {
    let lower = text.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let number = |token: &str| {
        let digits = (1..=4).contains(&token.len()) && token.chars().all(|c| c.is_ascii_digit());
        let roman = (1..=6).contains(&token.len()) && token.chars().all(|c| "ivxl".contains(c));
        digits || roman
    };
    if number(bare) {
        return !lower.contains(['%', '$', '€', '£']);
    }
    let tokens: Vec<&str> = bare
        .split(|c: char| c.is_whitespace() || matches!(c, '/' | '|' | '.' | ':'))
        .filter(|token| !token.is_empty())
        .collect();
    let words = [
        "page", "p", "pg", "seite", "página", "pagina", "стр", "strana", "sida", "side",
    ];
    let of = ["of", "von", "de", "sur", "di", "из", "av", "/"];
    match tokens.as_slice() {
        [word, n] if words.contains(word) => number(n),
        [n, m] if bare.contains(['/', '|']) => number(n) && number(m),
        [n, between, m] if of.contains(between) => number(n) && number(m),
        [word, n, between, m] if words.contains(word) && of.contains(between) => {
            number(n) && number(m)
        }
        _ => false,
    }
}

/// Whether a text, in lower case, tells where a page is from, or whose it is: an address, a serial
/// number, rights, a date of issue.
fn tells_its_source(lower: &str) -> bool {
    const SIGNS: [&str; 24] = [
        "http://",
        "https://",
        "www.",
        "doi:",
        "doi.org",
        "issn",
        "isbn",
        "arxiv:",
        "©",
        "(c) ",
        "copyright",
        "all rights reserved",
        "downloaded from",
        "downloaded by",
        "download date",
        "published by",
        "published online",
        "printed on",
        "confidential",
        "preprint",
        "vol.",
        "volume ",
        "revision",
        " et al.:",
    ];
    SIGNS.iter().any(|sign| lower.contains(sign))
}
