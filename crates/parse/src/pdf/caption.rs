//! Captions, each tied to the figure or table that it names.

use super::figure::FoundFigure;
use super::flow::{Flow, Item};
use super::page::PageText;
use catena_document::{BBox, LabelKind, caption_label};

/// A caption farther than this from its figure or table, in points, belongs to another.
const REACH: f32 = 60.0;

/// The caption of an item, by its index in the flow: `captions[figure] = Some(text)`.
pub(super) type Captions = Vec<Option<usize>>;

/// Ties captions to figures and tables of one page, one to one, nearest first. A figure's caption
/// without a figure gets the space above it as its figure, where that is free of running text.
pub(super) fn tie(flow: &mut Flow, page: &PageText) -> Captions {
    let found = candidates(flow);
    let mut pairs: Vec<(f32, usize, usize)> = Vec::new();
    for &(text, kind) in &found {
        for (visual, item) in flow.items.iter().enumerate() {
            let fits = match item {
                Item::Figure(_) => kind == LabelKind::Figure,
                Item::Table(_) => true,
                Item::Text(_) | Item::Nothing => false,
            };
            if !fits {
                continue;
            }
            let other_kind = kind == LabelKind::Figure && matches!(item, Item::Table(_));
            let penalty = if other_kind { 25.0 } else { 0.0 };
            let distance = distance(&flow.items[text].bbox(), &item.bbox(), kind);
            if distance < REACH {
                pairs.push((distance + penalty, text, visual));
            }
        }
    }
    // A table's caption over a picture of a table.
    for &(text, kind) in found.iter().filter(|(_, kind)| *kind == LabelKind::Table) {
        for (visual, item) in flow.items.iter().enumerate() {
            if matches!(item, Item::Figure(_)) {
                let distance = distance(&flow.items[text].bbox(), &item.bbox(), kind);
                if distance < REACH / 2.0 {
                    pairs.push((distance + 25.0, text, visual));
                }
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut captions: Captions = vec![None; flow.items.len()];
    let mut used = vec![false; flow.items.len()];
    for (_, text, visual) in pairs {
        if !used[text] && captions[visual].is_none() {
            captions[visual] = Some(text);
            used[text] = true;
        }
    }
    join_parts(flow, &mut captions, found.len());
    take_labels(flow, page, &captions);
    let alone: Vec<usize> = found
        .iter()
        .filter(|&&(text, kind)| kind == LabelKind::Figure && !used[text])
        .map(|&(text, _)| text)
        .collect();
    add_missing_figures(flow, page, &mut captions, &alone);
    captions
}

/// Joins figures without a caption to the captioned one beside them: views of one figure.
fn join_parts(flow: &mut Flow, captions: &mut Captions, found: usize) {
    if found == 0 {
        return;
    }
    for at in 0..flow.items.len() {
        let Item::Figure(part) = &flow.items[at] else {
            continue;
        };
        if captions[at].is_some() {
            continue;
        }
        let part = part.clone();
        let whole = (0..flow.items.len()).find(|&other| {
            let Item::Figure(figure) = &flow.items[other] else {
                return false;
            };
            let own = &figure.bbox;
            let level = own.overlap_y(&part.bbox) > 0.6 * own.height().min(part.bbox.height());
            let gap = (own.left - part.bbox.right).max(part.bbox.left - own.right);
            other != at && captions[other].is_some() && level && gap < 45.0
        });
        if let Some(whole) = whole
            && let Item::Figure(figure) = &mut flow.items[whole]
        {
            figure.bbox = figure.bbox.union(&part.bbox);
            figure.segments.extend(part.segments);
            flow.items[at] = Item::Nothing;
        }
    }
}

/// Takes the short texts between a captioned figure and its caption, or beside the figure, into
/// it: labels that stand apart from what is drawn.
fn take_labels(flow: &mut Flow, page: &PageText, captions: &Captions) {
    for at in 0..flow.items.len() {
        let (Item::Figure(figure), Some(caption)) = (&flow.items[at], captions[at]) else {
            continue;
        };
        let (bbox, caption) = (figure.bbox, flow.items[caption].bbox());
        if caption.top < bbox.top {
            continue;
        }
        let reach = BBox::new(
            bbox.left - 60.0,
            bbox.top - 14.0,
            bbox.right + 60.0,
            caption.top,
        );
        for other in 0..flow.items.len() {
            let Item::Text(block) = &flow.items[other] else {
                continue;
            };
            let own = block.bbox;
            let text = block.plain();
            let label =
                text.chars().count() <= 40 && block.lines.len() <= 3 && !text.ends_with(['.', ':']);
            if captions.contains(&Some(other))
                || !label
                || !reach.contains(&own, 1.0)
                || block.marker.is_some()
            {
                continue;
            }
            let segments = (0..page.segments.len()).filter(|&segment| {
                let middle = &page.segments[segment].bbox;
                own.contains_point(middle.center_x(), middle.center_y())
            });
            let segments: Vec<usize> = segments.collect();
            flow.items[other] = Item::Nothing;
            if let Item::Figure(figure) = &mut flow.items[at] {
                figure.bbox = figure.bbox.union(&own);
                figure.segments.extend(segments);
            }
        }
    }
}

/// The text items that are captions.
fn candidates(flow: &Flow) -> Vec<(usize, LabelKind)> {
    let mut out = Vec::new();
    for (at, item) in flow.items.iter().enumerate() {
        let Item::Text(block) = item else {
            continue;
        };
        let text = block.plain();
        if let Some(label) = caption_label(&text)
            && is_caption(&text, &label.number)
        {
            out.push((at, label.kind));
        }
    }
    out
}

/// Whether a text begins as a caption does.
pub(super) fn begins_caption(text: &str) -> bool {
    caption_label(text).is_some_and(|label| is_caption(text, &label.number))
}

/// Whether a text that begins with a label is a caption and not a sentence about the figure:
/// "Figure 3: The pump", "Figure 3 The pump", not "Figure 3 shows the pump".
fn is_caption(text: &str, number: &str) -> bool {
    let lower = text.to_lowercase();
    let Some(at) = lower.find(number) else {
        return false;
    };
    let rest = text.get(at + number.len()..).unwrap_or_default();
    let mark = rest.trim_start().chars().next();
    match mark {
        None | Some(':' | '.' | '|' | '–' | '—' | '-' | ')' | '：' | '．' | '(' | '“') => {
            true
        }
        // A capital without punctuation: a caption, unless the text is long running prose.
        Some(c) => !c.is_lowercase() && rest.chars().count() < 250,
    }
}

/// How far a caption stands from an item: the vertical gap where they overlap in the horizontal,
/// the horizontal gap where they stand side by side; captions on their usual side are nearer.
fn distance(caption: &BBox, item: &BBox, kind: LabelKind) -> f32 {
    let narrow = caption.width().min(item.width()).max(1.0);
    let stacked = caption.overlap_x(item) > 0.3 * narrow;
    let beside = caption.overlap_y(item) > 0.5 * caption.height().min(item.height());
    let below = (caption.top - item.bottom).max(0.0);
    let above = (item.top - caption.bottom).max(0.0);
    if stacked {
        let is_below = caption.center_y() > item.center_y();
        let usual = match kind {
            LabelKind::Figure => is_below,
            _ => !is_below,
        };
        return below.max(above) + if usual { 0.0 } else { 12.0 };
    }
    if beside {
        let gap = (caption.left - item.right)
            .max(item.left - caption.right)
            .max(0.0);
        return gap + 10.0;
    }
    f32::INFINITY
}

/// Makes figures of the white or scattered space above captions that have none.
fn add_missing_figures(flow: &mut Flow, page: &PageText, captions: &mut Captions, alone: &[usize]) {
    for &text in alone {
        let Item::Text(caption) = &flow.items[text] else {
            continue;
        };
        let column = BBox::new(
            caption.column.left,
            0.0,
            caption.column.right,
            caption.bbox.top,
        );
        // The nearest running text, figure or table above ends the figure.
        let mut top = page.height * 0.06;
        let mut scattered = Vec::new();
        for (at, item) in flow.items.iter().enumerate() {
            let own = item.bbox();
            if at == text
                || matches!(item, Item::Nothing)
                || own.bottom > caption.bbox.top + 2.0
                || own.overlap_x(&column) < 1.0
            {
                continue;
            }
            let label = matches!(item, Item::Text(block) if block.plain().chars().count() < 40 && block.lines.len() < 3);
            if label {
                scattered.push(at);
            } else {
                top = top.max(own.bottom);
            }
        }
        let bbox = BBox::new(column.left, top + 2.0, column.right, caption.bbox.top - 2.0);
        scattered.retain(|&at| flow.items[at].bbox().top >= bbox.top - 1.0);
        let tall = bbox.bottom - bbox.top > 40.0 && caption.bbox.top > top + 42.0;
        if !tall || scattered.len() < 2 {
            continue;
        }
        let segments: Vec<usize> = (0..page.segments.len())
            .filter(|&at| {
                let own = &page.segments[at].bbox;
                bbox.contains_point(own.center_x(), own.center_y())
            })
            .collect();
        // The labels are in the figure now.
        flow.items[scattered[0]] = Item::Figure(FoundFigure {
            bbox,
            segments,
            read: Vec::new(),
        });
        captions[scattered[0]] = Some(text);
        for &at in &scattered[1..] {
            flow.items[at] = Item::Nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_are_told_from_sentences() {
        for (text, number, is) in [
            ("Figure 3: The pump", "3", true),
            ("Figure 3. The pump", "3", true),
            ("Figure 3 The pump", "3", true),
            ("Figure 3", "3", true),
            ("Figure 3 shows the pump.", "3", false),
            ("Table 2-1 lists the parts.", "2-1", false),
        ] {
            assert_eq!(is_caption(text, number), is, "{text}");
        }
    }
}
