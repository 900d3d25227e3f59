//! Headings and their levels, by outline, numbering and typography.

use super::block::{Block, Style};
use super::flow::{Flow, Item};
use super::heading_level::levels;
use super::heading_number::{Number, names_part, number_of, ordinal_of};
use super::outline::Entry;
use super::tagged;
use super::tags::Tags;
use std::collections::{HashMap, HashSet};

/// A heading has at most this many characters.
const MAX_CHARS: usize = 180;
/// A page of the title alone has fewer characters.
const TITLE_PAGE: usize = 600;
/// Deepest level given.
pub(super) const MAX_LEVEL: u8 = 6;

/// The role of a text item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Body,
    Title,
    /// A heading of a level from 1.
    Heading(u8),
    /// What goes on with the heading before it: the name after "Chapter 3", a second line.
    HeadingRest,
}

/// What headings are told from.
pub(super) struct Evidence<'a> {
    pub(super) flows: &'a [Flow],
    /// Which items of each page are captions.
    pub(super) is_caption: &'a [Vec<bool>],
    /// Which pages are part of a table of contents.
    pub(super) is_contents: &'a [bool],
    /// The body's font size in points.
    pub(super) body: f32,
    /// Whether the pages are slides.
    pub(super) slides: bool,
    /// The structure tree.
    pub(super) tags: &'a Tags,
}

/// The roles of the text items of all pages.
pub(super) fn roles(evidence: &Evidence<'_>, outline: &[Entry]) -> Vec<Vec<Role>> {
    let &Evidence {
        flows,
        is_caption,
        slides,
        body,
        tags,
        ..
    } = evidence;
    let mut found = candidates(evidence);
    drop_common_styles(&mut found, flows);
    drop_inverted(&mut found);
    distrust_lists(&mut found);
    let told = tagged::headings(tags, flows, &found, body);
    let title = match tagged::title(tags, flows) {
        told if told.is_empty() => title(flows, &found, body),
        told => told,
    };
    drop_title_page(&mut found, flows, &title);
    drop_front_looks(&mut found, &title);
    let mut roles: Vec<Vec<Role>> = flows
        .iter()
        .map(|flow| vec![Role::Body; flow.items.len()])
        .collect();
    for &(page, item) in &title {
        roles[page][item] = Role::Title;
    }
    found.retain(|candidate| !title.contains(&(candidate.page, candidate.item)));
    if let Some(told) = &told {
        follow_tags(&mut found, flows, is_caption, told, &title);
    }
    let outlined = match_outline(&mut found, flows, is_caption, outline, &title);
    found.sort_by_key(Candidate::place);
    let more = continued(&found, flows);
    // "Part I" may look as a section does; the name after it is set as what it is.
    for at in 1..found.len() {
        if more.contains(&found[at].place()) && found[at].look.size > found[at - 1].look.size {
            found[at - 1].look = found[at].look;
        }
    }
    found.retain(|candidate| !more.contains(&candidate.place()));
    for (candidate, level) in found.iter().zip(levels(&found, slides, outlined)) {
        roles[candidate.page][candidate.item] = Role::Heading(level);
    }
    for (page, item) in more {
        roles[page][item] = Role::HeadingRest;
    }
    roles
}

/// How a heading looks; headings of one look have one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Look {
    /// Font size in half points.
    pub(super) size: u32,
    pub(super) bold: bool,
    pub(super) caps: bool,
    pub(super) italic: bool,
}

/// A text item that may be a heading.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) page: usize,
    pub(super) item: usize,
    pub(super) look: Look,
    /// Its depth by its number: `3.1` has 2.
    pub(super) number_depth: Option<u8>,
    /// Its depth in the outline.
    pub(super) outline_depth: Option<u8>,
    /// Its depth in the structure tree.
    pub(super) tag_depth: Option<u8>,
    /// Its number, where that is a plain one: `3` of "3 Filters".
    ordinal: Option<u32>,
    words: usize,
}

impl Candidate {
    fn new((page, item): (usize, usize), block: &Block) -> Self {
        let text = full_text(block);
        Self {
            page,
            item,
            look: look(block, &text),
            number_depth: number_of(&text).and_then(Number::depth),
            outline_depth: None,
            tag_depth: None,
            ordinal: ordinal_of(&text),
            words: text.split_whitespace().count(),
        }
    }

    /// Its depth where anything but its look tells it.
    pub(super) fn depth(&self) -> Option<u8> {
        let told = self.outline_depth.or(self.tag_depth);
        told.or(self.number_depth)
    }

    /// Its page and its item there.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.page, self.item)
    }
}

fn candidates(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut out = Vec::new();
    for (page, flow) in evidence.flows.iter().enumerate() {
        for (item, found) in flow.items.iter().enumerate() {
            let Item::Text(block) = found else {
                continue;
            };
            if evidence.is_caption[page][item] {
                continue;
            }
            let text = full_text(block);
            let entry = evidence.is_contents[page] && ends_in_page_number(&text);
            if !entry && looks_like_heading(block, &text, evidence.body, evidence.slides) {
                out.push(Candidate::new((page, item), block));
            }
        }
    }
    drop_entries(&mut out, evidence);
    out
}

/// Drops what looks as entries of the table of contents do on the same page: the first line of an
/// entry of two has no page number.
fn drop_entries(found: &mut Vec<Candidate>, evidence: &Evidence<'_>) {
    let mut entries: HashSet<(usize, Look)> = HashSet::new();
    let pages = evidence.flows.iter().enumerate();
    for (page, flow) in pages.filter(|&(page, _)| evidence.is_contents[page]) {
        for item in &flow.items {
            if let Item::Text(block) = item {
                let text = full_text(block);
                let entry = is_contents_line(&text) || ends_in_page_number(&text);
                entries.extend(entry.then(|| (page, look(block, &text))));
            }
        }
    }
    found.retain(|candidate| !entries.contains(&(candidate.page, candidate.look)));
}

/// Adds the headings that the structure tree names; what it does not name goes where it names
/// nearly all.
fn follow_tags(
    found: &mut Vec<Candidate>,
    flows: &[Flow],
    is_caption: &[Vec<bool>],
    told: &tagged::Headings,
    title: &[(usize, usize)],
) {
    if told.complete {
        found.retain(|candidate| told.depths.contains_key(&candidate.place()));
    }
    let known: HashSet<(usize, usize)> = found.iter().map(Candidate::place).collect();
    for &(page, item) in told.depths.keys() {
        let free = !known.contains(&(page, item)) && !title.contains(&(page, item));
        if let Item::Text(block) = &flows[page].items[item]
            && free
            && !is_caption[page][item]
        {
            found.push(Candidate::new((page, item), block));
        }
    }
    if told.levels {
        for candidate in found {
            candidate.tag_depth = told.depths.get(&candidate.place()).copied();
        }
    }
}

/// The text with the marker that it begins with ("1." of "1. Introduction").
pub(super) fn full_text(block: &Block) -> String {
    let text = block.plain();
    match &block.marker {
        Some(marker) => format!("{} {text}", marker.text),
        None => text,
    }
}

fn look(block: &Block, text: &str) -> Look {
    let Style { bold, italic, .. } = block.style();
    Look {
        size: (heading_size(block, text) * 2.0).round() as u32,
        bold,
        caps: is_caps(text),
        italic,
    }
}

/// The font size of a heading; small capitals count by their large ones.
fn heading_size(block: &Block, text: &str) -> f32 {
    let first = block.lines.first();
    first.map_or(0.0, |line| {
        if is_caps(text) {
            line.largest
        } else {
            line.size
        }
    })
}

/// Whether all letters are capitals, at least three.
fn is_caps(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let lower = text.chars().any(char::is_lowercase);
    !lower && letters.count() >= 3
}

fn looks_like_heading(block: &Block, text: &str, body: f32, slides: bool) -> bool {
    let chars = text.chars().count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let style = block.style();
    let bullet = block.marker.as_ref().is_some_and(|marker| !marker.ordered);
    let numbered = number_of(text).is_some();
    // The name of a command or function after a number is a heading; alone it is code.
    let code = style.mono && !(numbered && block.lines.len() == 1);
    if bullet || block.turned() || code || chars > MAX_CHARS || block.lines.len() > 3 {
        return false;
    }
    let named = if numbered {
        text.split_once(' ')
            .map_or(chars, |(_, name)| name.chars().count())
    } else {
        chars
    };
    if letters < 2 && !numbered || letters * 3 < named {
        return false;
    }
    let end = text.trim_end().chars().next_back().unwrap_or(' ');
    if matches!(end, ',' | ';') || is_contents_line(text) {
        return false;
    }
    let words = text.split_whitespace().count();
    let sentence = end == '.' && words > if numbered { 8 } else { 4 };
    if sentence || is_formula(text) {
        return false;
    }
    let ratio = heading_size(block, text) / body;
    // A name in a code's font after a bold number: `6.2 Vcs-*`.
    let begins_bold = block.lines.iter().all(|line| line.begins_bold);
    let apart = block.space_above > block.size() * 0.45;
    let short = chars <= 100 && block.lines.len() <= 2;
    let larger = ratio >= if slides { 1.25 } else { 1.12 };
    let bold = (style.bold || (numbered && begins_bold && apart))
        && ratio >= 0.92
        && short
        && (apart || numbered);
    let caps = is_caps(text) && letters >= 4 && short && apart && ratio >= 0.92 && end != '.';
    let numbered_alone =
        numbered && short && apart && ratio >= 0.98 && (style.italic || ratio > 1.04);
    larger || (!slides && (bold || caps || numbered_alone))
}

/// Whether a text is a formula: it has a sign of one, and no word.
fn is_formula(text: &str) -> bool {
    let sign = |c| {
        matches!(
            c,
            '=' | '→' | '≤' | '≥' | '≠' | '≈' | '∑' | '∫' | '√' | '∈' | '∂'
        )
    };
    let word = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count() >= 4;
    text.contains(sign) && !text.split_whitespace().any(word)
}

/// Whether a line is an entry of a table of contents: dots or a wide gap, then a page number.
pub(super) fn is_contents_line(text: &str) -> bool {
    let text = text.trim_end();
    let rest = text.trim_end_matches(|c: char| c.is_ascii_digit() || "ivxlc".contains(c));
    if rest.len() == text.len() {
        return false;
    }
    let leader = rest.trim_end();
    let dots = leader
        .chars()
        .rev()
        .take_while(|c| matches!(c, '.' | '·' | '…' | ' ' | '_'))
        .filter(|c| !c.is_whitespace())
        .count();
    dots >= 3 || leader.ends_with('…')
}

/// Whether a text ends as an entry of a table of contents does.
fn ends_in_page_number(text: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default();
    let roman = last.chars().all(|c| "ivxlc".contains(c));
    text.contains(' ') && (roman || last.chars().all(|c| c.is_ascii_digit()))
}

/// Drops candidates of looks that much of the document has: bold or large running text.
fn drop_common_styles(found: &mut Vec<Candidate>, flows: &[Flow]) {
    let mut chars: HashMap<Look, usize> = HashMap::new();
    let mut total = 0;
    for item in flows.iter().flat_map(|flow| &flow.items) {
        if let Item::Text(block) = item {
            let text = full_text(block);
            let count = text.chars().count();
            total += count;
            *chars.entry(look(block, "")).or_default() += count;
        }
    }
    found.retain(|candidate| {
        let plain = Look {
            caps: false,
            ..candidate.look
        };
        let share = chars.get(&plain).copied().unwrap_or(0) as f32 / total.max(1) as f32;
        share < 0.3 || candidate.number_depth.is_some() || candidate.look.caps
    });
}

/// Drops what is numbered as a chapter but set smaller than the numbered sections are: items of a
/// list.
fn drop_inverted(found: &mut Vec<Candidate>) {
    let mut sizes: [Vec<u32>; MAX_LEVEL as usize + 2] = Default::default();
    for candidate in found.iter() {
        if let Some(depth) = candidate.number_depth {
            sizes[usize::from(depth.min(MAX_LEVEL + 1))].push(candidate.look.size);
        }
    }
    let middle = sizes.map(|mut sizes| {
        sizes.sort_unstable();
        // Two may be chance.
        (sizes.len() > 2).then(|| sizes[sizes.len() / 2])
    });
    found.retain(|candidate| {
        candidate.number_depth.is_none_or(|depth| {
            let deeper = middle.iter().skip(usize::from(depth) + 1).flatten();
            deeper
                .max()
                .is_none_or(|&size| candidate.look.size + 1 >= size)
        })
    });
}

/// The title: the largest text of the first page with text, where no later heading looks the
/// same.
fn title(flows: &[Flow], found: &[Candidate], body: f32) -> Vec<(usize, usize)> {
    let first_page = flows
        .iter()
        .take(3)
        .position(|flow| flow.items.iter().any(|item| matches!(item, Item::Text(_))));
    let Some(page) = first_page else {
        return Vec::new();
    };
    let texts = || {
        flows[page]
            .items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| match item {
                Item::Text(block) if !block.turned() => Some((at, block)),
                _ => None,
            })
    };
    let largest = texts()
        .filter(|(_, block)| block.plain().chars().filter(|c| c.is_alphabetic()).count() >= 3)
        .map(|(_, block)| block.size())
        .fold(0.0_f32, f32::max);
    if largest < body * 1.15 {
        return Vec::new();
    }
    let same = |size: f32| (size - largest).abs() <= largest * 0.04;
    let on_later_pages: std::collections::BTreeSet<usize> = found
        .iter()
        .filter(|candidate| candidate.page > page && same(candidate.look.size as f32 / 2.0))
        .map(|candidate| candidate.page)
        .collect();
    let first = texts().find(|(_, block)| same(block.size()));
    let numbered = first.is_some_and(|(_, block)| number_of(&full_text(block)).is_some());
    if on_later_pages.len() > flows.len() / 10 + 1 || numbered {
        return Vec::new();
    }
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (at, block) in texts().filter(|(_, block)| same(block.size())) {
        let follows = out.last().is_none_or(|&(_, last)| at == last + 1);
        if follows && block.plain().chars().count() <= 300 && out.len() < 4 {
            out.push((page, at));
        }
    }
    out
}

/// Takes the depth from numbers that count over and over again, as those of lists and of questions
/// in a form do, and drops those that read as sentences.
fn distrust_lists(found: &mut Vec<Candidate>) {
    let mut by_look: HashMap<Look, Vec<usize>> = HashMap::new();
    for (at, candidate) in found.iter().enumerate() {
        if candidate.ordinal.is_some() {
            by_look.entry(candidate.look).or_default().push(at);
        }
    }
    let mut drop = HashSet::new();
    for (look, members) in by_look {
        let ordinals: Vec<u32> = members.iter().filter_map(|&at| found[at].ordinal).collect();
        let restarts = ordinals
            .windows(2)
            .filter(|pair| pair[1] <= pair[0])
            .count();
        // Smaller than unnumbered headings that stand all over the document.
        let larger = found
            .iter()
            .filter(|own| own.look.size > look.size && own.number_depth.is_none())
            .count();
        let list = restarts >= 2 && restarts * 5 >= ordinals.len();
        let below_others = restarts >= 1 && larger >= 3;
        if !(list || below_others) {
            continue;
        }
        let long = members.iter().filter(|&&at| found[at].words > 7).count();
        for at in members {
            found[at].number_depth = None;
            if long * 3 > ordinals.len() || found[at].words > 12 {
                drop.insert(found[at].place());
            }
        }
    }
    found.retain(|candidate| !drop.contains(&candidate.place()));
}

/// The headings that go on with the one before: a name right after a bare "Chapter 3", and a
/// line of the same look that begins in the middle of a sentence.
fn continued(found: &[Candidate], flows: &[Flow]) -> HashSet<(usize, usize)> {
    let block = |candidate: &Candidate| match &flows[candidate.page].items[candidate.item] {
        Item::Text(block) => Some(block),
        _ => None,
    };
    let mut out = HashSet::new();
    for pair in found.windows(2) {
        let (Some(first), Some(second)) = (block(&pair[0]), block(&pair[1])) else {
            continue;
        };
        let at_once = pair[0].page == pair[1].page && pair[0].item + 1 == pair[1].item;
        let (text, next) = (full_text(first), full_text(second));
        let named = names_part(&text) && number_of(&next).is_none() && !names_part(&next);
        let goes_on = pair[0].look == pair[1].look
            && next.starts_with(char::is_lowercase)
            && second.space_above < second.size() * 0.6;
        if at_once && (named || goes_on) && !out.contains(&pair[0].place()) {
            out.insert(pair[1].place());
        }
    }
    out
}

/// Drops what on the title's page looks as no heading of a later page does: subtitles, authors,
/// release.
fn drop_front_looks(found: &mut Vec<Candidate>, title: &[(usize, usize)]) {
    let Some(&(page, _)) = title.first() else {
        return;
    };
    let later: HashSet<Look> = found
        .iter()
        .filter(|candidate| candidate.page > page)
        .map(|candidate| candidate.look)
        .collect();
    let pages: HashSet<usize> = found.iter().map(|candidate| candidate.page).collect();
    // A short paper may have just one section of a look.
    if pages.len() < 6 {
        return;
    }
    found.retain(|candidate| {
        candidate.page > page
            || candidate.number_depth.is_some()
            || later.contains(&candidate.look)
            || title.contains(&candidate.place())
    });
}

/// Drops what is set large on a page of the title alone: authors, publisher, release.
fn drop_title_page(found: &mut Vec<Candidate>, flows: &[Flow], title: &[(usize, usize)]) {
    let page = title.first().map_or(0, |&(page, _)| page);
    // Without a title the first page of a short document may well begin with a heading.
    if page >= flows.len() || (title.is_empty() && flows.len() < 5) {
        return;
    }
    let texts = flows[page].items.iter().filter_map(|item| match item {
        Item::Text(block) => Some(block.plain().chars().count()),
        _ => None,
    });
    if texts.sum::<usize>() < TITLE_PAGE && flows.len() > page + 1 {
        found.retain(|candidate| candidate.page != page);
    }
}

/// Sets the outline's depths on the candidates that it names, and adds text items that it names
/// and typography did not show. Returns whether the outline is to be trusted.
fn match_outline(
    found: &mut Vec<Candidate>,
    flows: &[Flow],
    is_caption: &[Vec<bool>],
    outline: &[Entry],
    title: &[(usize, usize)],
) -> bool {
    if outline.is_empty() {
        return false;
    }
    let mut places: HashMap<(usize, usize), usize> = found
        .iter()
        .enumerate()
        .map(|(at, candidate)| ((candidate.page, candidate.item), at))
        .collect();
    let mut matched = 0;
    for entry in outline {
        let Some(page) = entry
            .page
            .map(|page| page as usize - 1)
            .filter(|&page| page < flows.len())
        else {
            continue;
        };
        let wanted = folded(&entry.title);
        // A destination may stand at the foot of the page before.
        let near = [page, page + 1]
            .into_iter()
            .filter(|&page| page < flows.len());
        let hit = near
            .flat_map(|page| (0..flows[page].items.len()).map(move |item| (page, item)))
            .find(|&(page, item)| match &flows[page].items[item] {
                Item::Text(block) if !is_caption[page][item] && !title.contains(&(page, item)) => {
                    same_heading(&folded(&full_text(block)), &wanted)
                }
                _ => false,
            });
        let Some((page, item)) = hit else {
            continue;
        };
        matched += 1;
        let at = *places.entry((page, item)).or_insert_with(|| {
            if let Item::Text(block) = &flows[page].items[item] {
                found.push(Candidate::new((page, item), block));
            }
            found.len() - 1
        });
        if let Some(candidate) = found.get_mut(at) {
            candidate.outline_depth.get_or_insert(entry.depth);
        }
    }
    matched >= 2 && matched * 10 >= outline.len() * 6
}

/// Letters and digits in lower case: what is left of a heading when spacing and marks differ.
fn folded(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a text item is the heading that an outline entry names: equal, or equal but for a
/// number at its start.
fn same_heading(text: &str, entry: &str) -> bool {
    let bare = |text: &str| {
        text.trim_start_matches(|c: char| c.is_ascii_digit())
            .to_owned()
    };
    !entry.is_empty() && (text == entry || (entry.len() > 3 && bare(text) == bare(entry)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_lines() {
        assert!(is_contents_line("1.2 Filters . . . . . . 12"));
        assert!(is_contents_line("Filters.......iv"));
        assert!(!is_contents_line("See page 12"));
        assert!(!is_contents_line("and so on..."));
    }
}
