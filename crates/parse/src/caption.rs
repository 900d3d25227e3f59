//! Which text is the caption of which figure or table.

use crate::block::{Block, BlockKind, Role};
use catena_document::{LabelKind, caption_label, mentions};

/// Letters of the longest text that is taken as a caption by its place alone.
const MAX_UNLABELLED: usize = 200;
/// Letters of the longest labelled caption.
pub(crate) const MAX_LABELLED: usize = 1200;
/// Bytes in which the label of a caption ends.
const LABEL_BYTES: usize = 64;

/// The kind of label that a text begins with, where the text reads as a caption: `Figure 3. Pump`
/// does, `Figure 3 shows a pump` does not.
pub(crate) fn label_of(text: &str) -> Option<LabelKind> {
    let label = caption_label(text)?;
    if text.chars().count() > MAX_LABELLED {
        return None;
    }
    let head = &text[..text.floor_char_boundary(LABEL_BYTES)];
    let (place, _) = mentions(head).into_iter().next()?;
    let rest = &text[place.end..];
    let after = rest.trim_start();
    let parted = after.starts_with(['.', ':', '–', '—', '-', ')', '|', '：', '．', '、'])
        && after
            .chars()
            .nth(1)
            .is_none_or(|c| !c.is_alphanumeric() || !c.is_ascii());
    let spaced = after.len() < rest.len();
    let next = after.chars().next();
    let titled = next.is_none_or(|c| {
        spaced && (matches!(c, '"' | '“' | '‘' | '«') || (c.is_alphanumeric() && !c.is_lowercase()))
    });
    (parted || titled).then_some(label.kind)
}

/// Gives a figure the caption of a whole and the other parts of that whole. A caption of its own
/// becomes text of its first part.
pub(crate) fn adopt(lead: &mut Block, text: String, parts: Vec<Block>) {
    if let BlockKind::Figure(figure) = &mut lead.kind {
        let own = figure.caption.replace(text).map(Block::paragraph);
        figure.parts.splice(0..0, own.into_iter().chain(parts));
    }
}

/// What a block is to the pairing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Figure,
    /// A figure with a caption, perhaps a labelled one.
    Captioned(bool),
    Table,
    /// A caption, with the kind of its label.
    Caption(Option<LabelKind>),
    /// A text set apart, which is a caption right after a figure.
    Emphasised,
    Other,
}

/// Ties captions to the figures and tables next to them, one to one.
///
/// A caption with a label that shares its container only with figures is that of them all. In a
/// row of figures and captions, captions stand above if the row begins with one and ends with
/// a figure, below if it is the other way round; else those of tables above and others below.
pub(crate) fn pair_captions(blocks: &mut [Block]) {
    if !blocks
        .iter()
        .any(|block| matches!(block.kind, BlockKind::Figure(_) | BlockKind::Table { .. }))
    {
        return;
    }
    let live: Vec<usize> = (0..blocks.len())
        .filter(|&at| !matches!(blocks[at].kind, BlockKind::Taken))
        .collect();
    let mut parts: Vec<Part> = live.iter().map(|&at| part(&blocks[at])).collect();
    if let Some(caption) = caption_of_all(&parts) {
        let text = take_text(&mut blocks[live[caption]]);
        let mut figures = live
            .into_iter()
            .enumerate()
            .filter(|&(at, _)| at != caption);
        if let Some((_, lead)) = figures.next() {
            let rest: Vec<usize> = figures.map(|(_, at)| at).collect();
            let rest = rest
                .into_iter()
                .map(|at| std::mem::replace(&mut blocks[at], taken()))
                .collect();
            adopt(&mut blocks[lead], text, rest);
        }
        return;
    }
    for at in 0..parts.len() {
        if parts[at] == Part::Emphasised {
            let figure_before = at > 0 && parts[at - 1] == Part::Figure;
            let caption_after = matches!(parts.get(at + 1), Some(Part::Caption(_)));
            let taken = figure_before && !caption_after;
            parts[at] = if taken {
                Part::Caption(None)
            } else {
                Part::Other
            };
        }
    }
    let mut start = 0;
    while start < parts.len() {
        let len = parts[start..]
            .iter()
            .take_while(|part| !matches!(part, Part::Other | Part::Captioned(_)))
            .count();
        if len > 1 {
            for (caption, target) in pairs(&parts[start..start + len]) {
                let text = take_text(&mut blocks[live[start + caption]]);
                blocks[live[start + target]].set_caption(text);
            }
        }
        start += len + 1;
    }
}

fn part(block: &Block) -> Part {
    match &block.kind {
        BlockKind::Figure(figure) => match &figure.caption {
            None => Part::Figure,
            Some(caption) => Part::Captioned(caption_label(caption).is_some()),
        },
        BlockKind::Table { .. } if block.lacks_caption() => Part::Table,
        BlockKind::Paragraph(paragraph) => match paragraph.role {
            Role::Labelled(kind) => Part::Caption(Some(kind)),
            Role::Caption => Part::Caption(None),
            Role::Emphasised if paragraph.text.chars().count() <= MAX_UNLABELLED => {
                Part::Emphasised
            }
            _ => Part::Other,
        },
        _ => Part::Other,
    }
}

/// The labelled caption that a container's figures share: it stands before or after all of them,
/// and there is nothing else.
fn caption_of_all(parts: &[Part]) -> Option<usize> {
    let labelled = |part: &Part| matches!(part, Part::Caption(Some(_)));
    let figure = |part: &Part| matches!(part, Part::Figure | Part::Captioned(_));
    let (first, last) = (parts.first()?, parts.last()?);
    let (caption, figures) = if labelled(first) {
        (0, &parts[1..])
    } else if labelled(last) {
        (parts.len() - 1, &parts[..parts.len() - 1])
    } else {
        return None;
    };
    let several = figures.len() > 1 || figures.first() == Some(&Part::Captioned(false));
    (several && figures.iter().all(figure)).then_some(caption)
}

/// The pairs of caption and figure or table in a row of them.
fn pairs(row: &[Part]) -> Vec<(usize, usize)> {
    let is_caption = |at: usize| matches!(row[at], Part::Caption(_));
    let last = row.len() - 1;
    let above = is_caption(0) && !is_caption(last);
    let below = !is_caption(0) && is_caption(last);
    let mut free: Vec<bool> = (0..row.len()).map(|at| !is_caption(at)).collect();
    let mut out = Vec::new();
    for at in 0..row.len() {
        let Part::Caption(label) = row[at] else {
            continue;
        };
        let before = at.checked_sub(1).filter(|&other| free[other]);
        let after = Some(at + 1).filter(|&other| free.get(other) == Some(&true));
        let of_kind = |other: &usize| match label {
            Some(LabelKind::Table) => row[*other] == Part::Table,
            Some(_) => row[*other] == Part::Figure,
            None => false,
        };
        let upwards = if above || below {
            below
        } else {
            label != Some(LabelKind::Table)
        };
        let (first, second) = if upwards {
            (before, after)
        } else {
            (after, before)
        };
        // In a plain row the other side belongs to the neighbour; else the kind decides.
        let target = if above || below {
            first
        } else {
            let same = [first, second].into_iter().flatten().find(of_kind);
            same.or(first).or(second)
        };
        if let Some(target) = target {
            free[target] = false;
            out.push((at, target));
        }
    }
    out
}

fn taken() -> Block {
    Block::new(BlockKind::Taken)
}

fn take_text(block: &mut Block) -> String {
    match std::mem::replace(&mut block.kind, BlockKind::Taken) {
        BlockKind::Paragraph(paragraph) => paragraph.text,
        other => {
            block.kind = other;
            String::new()
        }
    }
}
