//! The title of a page, and how deep each of its headings stands.

use crate::block::{Block, BlockKind, Heading};
use crate::nodes::Outline;

/// Drops the headings right after the title that only say it again.
fn drop_repeated_title(blocks: &mut [Block], title: Option<usize>) {
    let Some(at) = title else { return };
    let text = |block: &Block| match &block.kind {
        BlockKind::Heading(heading) => Some(heading.text.to_lowercase()),
        _ => None,
    };
    let wanted = text(&blocks[at]);
    let next = (at + 1..blocks.len()).find(|&next| text(&blocks[next]).is_some());
    if let Some(next) = next
        && text(&blocks[next]) == wanted
    {
        let repeated = std::mem::replace(&mut blocks[next], Block::new(BlockKind::Taken));
        let anchor = &mut blocks[at].anchor;
        *anchor = anchor.take().or(repeated.anchor);
    }
}

/// Reads the outline. Levels tell how headings nest, not what their tags are called: the first
/// heading is at level 1, one of lower rank is one level below the nearest one above it.
pub(super) fn outline(blocks: &mut [Block], page_title: Option<&str>) -> Outline {
    let title = title(blocks, page_title);
    drop_repeated_title(blocks, title);
    let mut open: Vec<u8> = Vec::new();
    let mut levels = Vec::new();
    for (at, heading) in headings(blocks) {
        if Some(at) == title {
            // What follows belongs to the document, not to a section before its title.
            open.clear();
            continue;
        }
        while open.last().is_some_and(|&rank| rank >= heading.rank) {
            open.pop();
        }
        open.push(heading.rank);
        levels.push(open.len() as u8);
    }
    Outline { title, levels }
}

fn headings(blocks: &[Block]) -> impl Iterator<Item = (usize, &Heading)> {
    blocks
        .iter()
        .enumerate()
        .filter_map(|(at, block)| match &block.kind {
            BlockKind::Heading(heading) => Some((at, heading)),
            _ => None,
        })
}

/// The heading that is the title: the only one of the first rank, else one of the highest rank
/// that is called as the page is, or that alone says that it is the title.
fn title(blocks: &[Block], page_title: Option<&str>) -> Option<usize> {
    let highest = headings(blocks).map(|(_, heading)| heading.rank).min()?;
    let top: Vec<(usize, &Heading)> = headings(blocks)
        .filter(|(_, heading)| heading.rank == highest)
        .collect();
    let alone = top.len() == 1;
    let page_title = page_title.unwrap_or_default().to_lowercase();
    let named = |heading: &Heading| {
        let text = heading.text.to_lowercase();
        page_title == text || (alone && page_title.starts_with(&text))
    };
    let only_titled = headings(blocks).filter(|(_, other)| other.titled).count() == 1;
    let found = if alone && highest == 1 {
        top.first()
    } else {
        let called = top.iter().find(|(_, heading)| named(heading));
        called.or_else(|| {
            top.iter()
                .find(|(_, heading)| heading.titled && only_titled)
        })
    };
    let &(at, _) = found?;
    let first = headings(blocks)
        .next()
        .is_some_and(|(first, _)| first == at);
    // Without a first rank, a title may only have text before it, no section.
    (stands_early(blocks, at) && (highest == 1 || first)).then_some(at)
}

/// Whether less than a third of the text stands before a block.
fn stands_early(blocks: &[Block], at: usize) -> bool {
    let size = |blocks: &[Block]| blocks.iter().map(text_size).sum::<usize>();
    size(&blocks[..at]) * 3 <= size(blocks)
}

fn text_size(block: &Block) -> usize {
    match &block.kind {
        BlockKind::Heading(heading) => heading.text.len(),
        BlockKind::Paragraph(paragraph) => paragraph.text.len(),
        BlockKind::List(items) => items.iter().map(|item| item.text.len() + 20).sum(),
        BlockKind::Table { text, .. }
        | BlockKind::Formula(text)
        | BlockKind::Code(text)
        | BlockKind::Footnote(text) => text.len(),
        BlockKind::Figure(_) | BlockKind::Taken => 0,
    }
}
