//! What the structure tree says, held against the page: many files have wrong trees, and a tree
//! that does not agree with what is seen is not followed.

use super::block::Block;
use super::flow::{Flow, Item};
use super::heading::{Candidate, MAX_LEVEL, full_text};
use super::page::PageText;
use super::table::FoundTable;
use super::tags::{Tag, Tags};
use catena_document::{BBox, Table};
use std::collections::HashMap;

/// A heading has at most this many characters.
const MAX_CHARS: usize = 300;

/// The headings that a tree names, by page and item.
pub(super) struct Headings {
    /// The depth of each, from 1.
    pub(super) depths: HashMap<(usize, usize), u8>,
    /// Whether the depths agree with how the headings look and are numbered.
    pub(super) levels: bool,
    /// Whether the tree names so many of the headings that are seen that what it does not name is
    /// none.
    pub(super) complete: bool,
}

/// The tag of a text item: that of most of its lines' content.
fn heading_of(tags: &Tags, block: &Block) -> Option<u8> {
    let mut first = None;
    for line in &block.lines {
        let depth = tags.around(block.page, line.mark, |tag| match tag {
            Tag::Heading(depth) => Some(Some(depth)),
            Tag::TableCell | Tag::TableHeader | Tag::Figure => Some(None),
            Tag::Title | Tag::Other => None,
        })??;
        if first.is_some_and(|first| first != depth) {
            return None;
        }
        first = Some(depth);
    }
    first
}

/// The items that the tree calls the document's title, on the page where it has the first.
pub(super) fn title(tags: &Tags, flows: &[Flow]) -> Vec<(usize, usize)> {
    let is_title = |block: &Block| {
        block.lines.iter().all(|line| {
            let title = |tag| (tag == Tag::Title).then_some(());
            tags.around(block.page, line.mark, title).is_some()
        })
    };
    let titles = |(page, flow): (usize, &Flow)| {
        let items = flow.items.iter().enumerate();
        let found = items.filter(|(_, item)| matches!(item, Item::Text(block) if is_title(block)));
        let found: Vec<(usize, usize)> = found.map(|(at, _)| (page, at)).collect();
        (!found.is_empty()).then_some(found)
    };
    if tags.is_empty() {
        return Vec::new();
    }
    let found = flows.iter().enumerate().take(3).find_map(titles);
    // A file that calls all its text a title has none.
    found.filter(|found| found.len() <= 4).unwrap_or_default()
}

/// The headings that the tree names, where it can be believed: they are short, few beside the
/// text, and most of them are set apart from the body.
pub(super) fn headings(
    tags: &Tags,
    flows: &[Flow],
    found: &[Candidate],
    body: f32,
) -> Option<Headings> {
    if tags.is_empty() {
        return None;
    }
    let mut depths: HashMap<(usize, usize), u8> = HashMap::new();
    let (mut chars, mut all_chars, mut apart, mut long) = (0, 0, 0, 0);
    for (page, flow) in flows.iter().enumerate() {
        for (at, item) in flow.items.iter().enumerate() {
            let Item::Text(block) = item else {
                continue;
            };
            let count = block.plain().chars().count();
            all_chars += count;
            let Some(depth) = heading_of(tags, block) else {
                continue;
            };
            if !full_text(block).chars().any(char::is_alphabetic) {
                continue;
            }
            chars += count;
            long += usize::from(count > MAX_CHARS);
            let style = block.style();
            apart += usize::from(style.bold || style.italic || block.size() > body * 1.05);
            depths.insert((page, at), depth);
        }
    }
    let seen = |candidate: &&Candidate| depths.contains_key(&candidate.place());
    let named = found.iter().filter(seen).count();
    let believed = !depths.is_empty()
        && chars * 4 <= all_chars
        && long * 10 <= depths.len()
        && (apart * 2 >= depths.len() || named * 2 >= depths.len());
    if !believed {
        return None;
    }
    let levels = levels_agree(&depths, flows, found);
    Some(Headings {
        levels,
        complete: named * 10 >= found.len() * 6 && depths.len() >= 3,
        depths: closed(depths),
    })
}

/// Depths from 1 without those that no heading has.
fn closed(mut depths: HashMap<(usize, usize), u8>) -> HashMap<(usize, usize), u8> {
    let mut used: Vec<u8> = depths.values().copied().collect();
    used.sort_unstable();
    used.dedup();
    for depth in depths.values_mut() {
        let place = used.partition_point(|used| used < depth);
        *depth = (place as u8 + 1).min(MAX_LEVEL);
    }
    depths
}

/// Whether depths agree with looks: what is deeper is not larger, what has several looks or depths
/// of numbers has several depths, and numbers of one depth have one.
fn levels_agree(depths: &HashMap<(usize, usize), u8>, flows: &[Flow], found: &[Candidate]) -> bool {
    let mut sizes: HashMap<u8, Vec<f32>> = HashMap::new();
    for (&(page, at), &depth) in depths {
        if let Item::Text(block) = &flows[page].items[at] {
            sizes.entry(depth).or_default().push(block.size());
        }
    }
    let mut middles: Vec<(u8, f32)> = sizes
        .into_iter()
        .map(|(depth, mut sizes)| {
            sizes.sort_by(f32::total_cmp);
            (depth, sizes[sizes.len() / 2])
        })
        .collect();
    middles.sort_by_key(|&(depth, _)| depth);
    let falls = middles.windows(2).all(|pair| pair[1].1 <= pair[0].1 + 1.0);
    // By how much the depth of the tree is more than that of the number.
    let mut shifts: HashMap<i16, usize> = HashMap::new();
    let mut numbers: Vec<u8> = Vec::new();
    for candidate in found {
        if let (Some(number), Some(&depth)) =
            (candidate.number_depth, depths.get(&candidate.place()))
        {
            *shifts
                .entry(i16::from(depth) - i16::from(number))
                .or_default() += 1;
            numbers.push(number);
        }
    }
    let most = shifts.values().max().copied().unwrap_or(0);
    let numbered = most * 10 >= numbers.len() * 7;
    numbers.sort_unstable();
    numbers.dedup();
    let flat =
        middles.len() == 1 && (numbers.len() > 1 || depths.len() > 8 && looks(depths, found) > 1);
    falls && numbered && !flat
}

/// How many looks the named headings have, those of one or two headings aside.
fn looks(depths: &HashMap<(usize, usize), u8>, found: &[Candidate]) -> usize {
    let mut counts = HashMap::new();
    for candidate in found.iter().filter(|own| depths.contains_key(&own.place())) {
        *counts.entry(candidate.look).or_insert(0_usize) += 1;
    }
    counts.values().filter(|&&count| count > 2).count()
}

/// The texts that the tree gives for the pictures of a page, with the boxes of what they stand
/// for.
pub(super) fn alternatives(tags: &Tags, page: &PageText) -> Vec<(BBox, String)> {
    let mut out: Vec<(u32, BBox, String)> = Vec::new();
    if tags.is_empty() {
        return Vec::new();
    }
    for (mark, bbox) in &page.marked {
        let Some((figure, alt)) = tags.figure(page.number, *mark) else {
            continue;
        };
        match out.iter_mut().find(|(own, ..)| *own == figure) {
            Some((_, own, _)) => *own = own.union(bbox),
            None => out.push((figure, *bbox, alt.to_owned())),
        }
    }
    out.into_iter().map(|(_, bbox, alt)| (bbox, alt)).collect()
}

/// The text given for what a box shows: that of the pictures which mostly lie in it, or which it
/// is a part of.
pub(super) fn alternative(given: &[(BBox, String)], bbox: &BBox) -> Option<String> {
    let mut texts: Vec<&str> = Vec::new();
    for (own, text) in given {
        let shared = own.overlap_area(bbox);
        let smaller = own.area().min(bbox.area()).max(1.0);
        let counts = shared > smaller * 0.6 && own.area() > bbox.area() * 0.05;
        if counts && !texts.contains(&text.as_str()) {
            texts.push(text);
        }
    }
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// Marks the header cells that the tree names, where it names some and not most of them, and
/// these stand in the first row or column.
pub(super) fn mark_headers(tags: &Tags, page: &PageText, found: &FoundTable, table: &mut Table) {
    if tags.is_empty() {
        return;
    }
    let mut heads = vec![(0_usize, 0_usize); table.cells.len()];
    for word in found
        .segments
        .iter()
        .flat_map(|&at| &page.segments[at].words)
    {
        let kind = tags.around(page.number, word.mark, |tag| match tag {
            Tag::TableHeader => Some(true),
            Tag::TableCell => Some(false),
            _ => None,
        });
        let (x, y) = (word.bbox.center_x(), word.bbox.center_y());
        let cell = table
            .cells
            .iter()
            .position(|cell| cell.bbox.is_some_and(|bbox| bbox.contains_point(x, y)));
        if let (Some(kind), Some(cell)) = (kind, cell) {
            heads[cell].0 += usize::from(kind);
            heads[cell].1 += 1;
        }
    }
    let told = heads.iter().filter(|(_, all)| *all > 0).count();
    let filled = table
        .cells
        .iter()
        .filter(|cell| !cell.text.is_empty())
        .count();
    let is_head: Vec<bool> = heads.iter().map(|(head, all)| head * 2 > *all).collect();
    let named = is_head.iter().filter(|head| **head).count();
    let at_edge = table
        .cells
        .iter()
        .zip(&is_head)
        .filter(|(cell, head)| **head && (cell.row == 0 || cell.column == 0))
        .count();
    if told * 10 < filled * 8 || named == 0 || named * 10 > told * 6 || at_edge * 2 < named {
        return;
    }
    for (cell, head) in table.cells.iter_mut().zip(is_head) {
        cell.header = head;
    }
}
