//! Headings and their levels, by outline, numbering and typography.

use super::block::{Block, Style};
use super::flow::{Flow, Item};
use super::outline::Entry;
use std::collections::HashMap;

/// A heading has at most this many characters.
const MAX_CHARS: usize = 180;
/// A page of the title alone has fewer characters.
const TITLE_PAGE: usize = 600;
/// Deepest level given.
const MAX_LEVEL: u8 = 6;

/// The role of a text item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Body,
    Title,
    /// A heading of a level from 1.
    Heading(u8),
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
}

/// The roles of the text items of all pages.
pub(super) fn roles(evidence: &Evidence<'_>, outline: &[Entry]) -> Vec<Vec<Role>> {
    let &Evidence {
        flows,
        is_caption,
        slides,
        body,
        ..
    } = evidence;
    let mut found = candidates(evidence);
    drop_common_styles(&mut found, flows);
    drop_inverted(&mut found);
    let title = title(flows, &found, body);
    drop_title_page(&mut found, flows, &title);
    let mut roles: Vec<Vec<Role>> = flows
        .iter()
        .map(|flow| vec![Role::Body; flow.items.len()])
        .collect();
    for &(page, item) in &title {
        roles[page][item] = Role::Title;
    }
    found.retain(|candidate| !title.contains(&(candidate.page, candidate.item)));
    let outlined = match_outline(&mut found, flows, is_caption, outline, &title);
    let levels = style_levels(&found, slides);
    found.sort_by_key(|candidate| (candidate.page, candidate.item));
    let mut before: Option<&Candidate> = None;
    let mut below = false;
    for candidate in &found {
        below = candidate.number_depth.is_none()
            && before.is_some_and(|before| goes_below(before, candidate, below));
        before = Some(candidate);
        let level = match (candidate.outline_depth, candidate.number_depth) {
            (Some(depth), _) if outlined => depth,
            (_, Some(depth)) => depth,
            _ => {
                let level = levels.get(&candidate.look).copied().unwrap_or(MAX_LEVEL);
                level + u8::from(below)
            }
        };
        roles[candidate.page][candidate.item] = Role::Heading(level.clamp(1, MAX_LEVEL));
    }
    close_up(&mut roles);
    roles
}

/// Whether a heading without a number that looks like the one before it is a level below: where
/// numbers end at some depth, what is deeper looks the same, and follows its numbered parent at
/// once. `below` is that of the one before.
fn goes_below(before: &Candidate, candidate: &Candidate, below: bool) -> bool {
    let at_once = candidate.page == before.page && candidate.item == before.item + 1;
    before.look == candidate.look
        && match before.number_depth {
            Some(depth) => depth >= 3 && at_once,
            None => below,
        }
}

/// How a heading looks; headings of one look have one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Look {
    /// Font size in half points.
    size: u32,
    bold: bool,
    caps: bool,
    italic: bool,
}

/// A text item that may be a heading.
#[derive(Clone, Debug)]
struct Candidate {
    page: usize,
    item: usize,
    look: Look,
    /// Its depth by its number: `3.1` has 2.
    number_depth: Option<u8>,
    /// Its depth in the outline.
    outline_depth: Option<u8>,
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
                out.push(Candidate {
                    page,
                    item,
                    look: look(block, &text),
                    number_depth: number_of(&text).and_then(Number::depth),
                    outline_depth: None,
                });
            }
        }
    }
    out
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
    if bullet || block.turned() || style.mono || chars > MAX_CHARS || block.lines.len() > 3 {
        return false;
    }
    let numbered = number_of(text).is_some();
    if letters < 2 && !numbered || letters * 3 < chars {
        return false;
    }
    let end = text.trim_end().chars().next_back().unwrap_or(' ');
    if matches!(end, ',' | ';') || is_contents_line(text) {
        return false;
    }
    let sentence = end == '.' && !numbered && text.split_whitespace().count() > 4;
    if sentence {
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

/// The number that a heading begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// One that shows its depth: `3` 1, `3.1` 2, `A.2.1` 3, `Chapter 3` 1, `IV.` 1.
    Depth(u8),
    /// A lone letter, which may count appendices at the top or sections below a roman number.
    Letter,
}

impl Number {
    fn depth(self) -> Option<u8> {
        match self {
            Self::Depth(depth) => Some(depth),
            Self::Letter => None,
        }
    }
}

fn number_of(text: &str) -> Option<Number> {
    let mut tokens = text.split_whitespace();
    let first = tokens.next()?;
    let rest = tokens.next()?;
    let lower = first.to_lowercase();
    let named = ["chapter", "part", "appendix", "kapitel", "section", "глава"];
    if named.contains(&lower.as_str()) {
        let number = rest.trim_end_matches([':', '.', ',']);
        let parts = number.split('.').count() as u8;
        let counted = number
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '.');
        return (counted && number.len() <= 6).then_some(Number::Depth(parts));
    }
    let number = first.trim_end_matches(['.', ')', ':']);
    let mut parts = number.split('.');
    let lead = parts.next()?;
    let digits =
        |part: &str| (1..=2).contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit());
    let letter = lead.len() == 1 && lead.chars().all(|c| c.is_ascii_uppercase());
    let roman = first.len() > 1
        && first.ends_with('.')
        && (1..=5).contains(&lead.len())
        && lead.chars().all(|c| "IVX".contains(c));
    let more: Vec<&str> = parts.collect();
    let all = more.iter().all(|part| digits(part));
    let counts =
        digits(lead) || roman || (letter && (!more.is_empty() || first.ends_with(['.', ':'])));
    let text_follows = rest
        .chars()
        .next()
        .is_some_and(|c| c.is_alphabetic() || matches!(c, '"' | '“' | '('));
    let lone_letter = letter && more.is_empty() && !matches!(lead, "I" | "V" | "X");
    (counts && all && text_follows).then(|| {
        if lone_letter {
            Number::Letter
        } else {
            Number::Depth(1 + more.len() as u8)
        }
    })
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

/// Drops what is set large on a page of the title alone: authors, publisher, release.
fn drop_title_page(found: &mut Vec<Candidate>, flows: &[Flow], title: &[(usize, usize)]) {
    let page = title.first().map_or(0, |&(page, _)| page);
    if page >= flows.len() {
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
                let text = full_text(block);
                found.push(Candidate {
                    page,
                    item,
                    look: look(block, &text),
                    number_depth: number_of(&text).and_then(Number::depth),
                    outline_depth: None,
                });
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

/// The level of each look: that of its numbered or outlined members, else one below the next
/// larger look.
fn style_levels(found: &[Candidate], slides: bool) -> HashMap<Look, u8> {
    let mut known: HashMap<Look, HashMap<u8, usize>> = HashMap::new();
    let mut count: HashMap<Look, usize> = HashMap::new();
    for candidate in found {
        *count.entry(candidate.look).or_default() += 1;
        if let Some(depth) = candidate.outline_depth.or(candidate.number_depth) {
            *known
                .entry(candidate.look)
                .or_default()
                .entry(depth)
                .or_default() += 1;
        }
    }
    let mut looks: Vec<Look> = count.keys().copied().collect();
    // Larger first; of one size bold, then capitals.
    looks.sort_by(|a, b| {
        (b.size, b.bold, b.caps, !b.italic).cmp(&(a.size, a.bold, a.caps, !a.italic))
    });
    let by_members: Vec<Option<u8>> = looks
        .iter()
        .map(|look| {
            let depths = known.get(look)?;
            let members: usize = depths.values().sum();
            let (&depth, _) = depths
                .iter()
                .max_by_key(|&(&depth, &n)| (n, MAX_LEVEL - depth.min(MAX_LEVEL)))?;
            (members * 4 >= count[look]).then_some(depth)
        })
        .collect();
    let mut out: HashMap<Look, u8> = HashMap::new();
    let mut above: Option<(Look, u8)> = None;
    for (at, &look) in looks.iter().enumerate() {
        // Only a look that many headings have: a numbered list is none.
        let below = (at + 1..looks.len())
            .filter(|&at| count[&looks[at]] * 5 >= found.len())
            .find_map(|at| by_members[at]);
        let level = by_members[at].unwrap_or_else(|| {
            let level = match above {
                None => 1,
                Some((_, level)) if slides => (level + 1).min(2),
                Some((larger, level))
                    if larger.size <= look.size + 1
                        && larger.bold == look.bold
                        && larger.caps == look.caps =>
                {
                    level
                }
                Some((_, level)) => (level + 1).min(MAX_LEVEL),
            };
            // A look above a numbered one is a level above it.
            below.map_or(level, |below| level.min((below - 1).max(1)))
        });
        out.insert(look, level);
        above = Some((look, level));
    }
    out
}

/// Closes gaps: levels that no heading has are taken out, so that depth is real.
fn close_up(roles: &mut [Vec<Role>]) {
    let mut used = [false; MAX_LEVEL as usize + 1];
    for role in roles.iter().flatten() {
        if let Role::Heading(level) = role {
            used[usize::from(*level)] = true;
        }
    }
    for role in roles.iter_mut().flatten() {
        if let Role::Heading(level) = role {
            *level = (1..=*level)
                .filter(|&level| used[usize::from(level)])
                .count() as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_their_depth() {
        for (text, depth) in [
            ("3 Filters", Some(Number::Depth(1))),
            ("3.1 Filters", Some(Number::Depth(2))),
            ("3.1. Filters", Some(Number::Depth(2))),
            ("A.2.1 Sizes", Some(Number::Depth(3))),
            ("Appendix B Parts", Some(Number::Depth(1))),
            ("Chapter 4: Pumps", Some(Number::Depth(1))),
            ("IV. RESULTS", Some(Number::Depth(1))),
            ("B. Details", Some(Number::Letter)),
            ("A pump", None),
            ("2019 was good", None),
            ("3.5 2.7", None),
            ("Filters", None),
        ] {
            assert_eq!(number_of(text), depth, "{text}");
        }
    }

    #[test]
    fn contents_lines() {
        assert!(is_contents_line("1.2 Filters . . . . . . 12"));
        assert!(is_contents_line("Filters.......iv"));
        assert!(!is_contents_line("See page 12"));
        assert!(!is_contents_line("and so on..."));
    }
}
