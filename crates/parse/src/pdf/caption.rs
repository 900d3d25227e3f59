//! Captions, each tied to the figure or table that it names.

use super::figure::FoundFigure;
use super::flow::{Flow, Item};
use super::page::PageText;
use super::subfigure::mark;
use catena_document::{BBox, LabelKind, caption_label};

/// A caption farther than this from its figure or table, in points, belongs to another.
const REACH: f32 = 60.0;
/// How much farther a caption on the unusual side counts to be, in points.
const UNUSUAL: f32 = 12.0;
/// How much farther a caption of another kind of thing counts to be, in points.
const OTHER_KIND: f32 = 25.0;
/// What a caption without a figure or table costs: more than any pair.
const ALONE: f32 = 10_000.0;
/// Characters of the longest caption of a figure's part.
const MAX_PART_CAPTION: usize = 200;
/// Captions, and figures and tables, of one page that are tied; more than a page can hold.
const MAX_TIED: usize = 100;

/// The caption of an item, by its index in the flow: `captions[figure] = Some(text)`.
pub(super) type Captions = Vec<Option<usize>>;

/// Ties captions to figures and tables, one to one, so that on each page as many as possible
/// have theirs and those stand as near as possible. Where the document's captions stand on one
/// side, a caption at a page's end may belong to the figure at the next page's start, or the
/// other way round. A figure's caption without a figure gets the space above it as its figure,
/// where that is free of running text.
pub(super) fn tie(flows: &mut [Flow], pages: &[PageText], body: f32) -> Vec<Captions> {
    let found: Vec<Vec<Candidate>> = flows.iter().map(candidates).collect();
    let habits = Habits::of(flows, &found, body);
    let mut all: Vec<Captions> = flows
        .iter()
        .map(|flow| vec![None; flow.items.len()])
        .collect();
    for (flow, (found, captions)) in flows.iter().zip(found.iter().zip(&mut all)) {
        pair(flow, found, captions, habits, body);
    }
    tie_across_pages(flows, &found, &mut all, habits);
    for (at, (found, captions)) in found.iter().zip(&mut all).enumerate() {
        let (flow, page) = (&mut flows[at], &pages[at]);
        // What is left may stand on the other side.
        pair(flow, found, captions, habits.relaxed(), body);
        join_parts(flow, captions, found.len());
        take_labels(flow, page, captions);
        let alone: Vec<usize> = found
            .iter()
            .filter(|own| own.kind == LabelKind::Figure && !captions.contains(&Some(own.item)))
            .filter(|own| matches!(flow.items[own.item], Item::Text(_)))
            .map(|own| own.item)
            .collect();
        if habits.figures == Some(Side::Above) {
            continue;
        }
        for text in alone {
            if !add_boxed_figure(flow, page, captions, text) {
                add_scattered_figure(flow, page, captions, text);
            }
        }
    }
    all
}

/// A text that reads as a caption.
struct Candidate {
    /// Its index in the flow.
    item: usize,
    kind: LabelKind,
}

/// Where a caption stands, as seen from what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Above,
    Below,
}

/// The side on which all but few of a document's captions stand, where there is one.
#[derive(Clone, Copy, Debug)]
struct Habits {
    figures: Option<Side>,
    tables: Option<Side>,
    /// A caption farther than this from its figure or table, in points, belongs to another.
    reach: f32,
}

impl Habits {
    /// Learns from the captions that have something to name on one side only.
    fn of(flows: &[Flow], found: &[Vec<Candidate>], body: f32) -> Self {
        // Above and below, of figures and of tables.
        let mut counts = [[0_usize; 2]; 2];
        for (flow, found) in flows.iter().zip(found) {
            for caption in found.iter().take(MAX_TIED) {
                let mut seen = [false; 2];
                for item in &flow.items {
                    let fits = match item {
                        Item::Figure(_) => caption.kind == LabelKind::Figure,
                        Item::Table(_) => caption.kind == LabelKind::Table,
                        Item::Text(_) | Item::Formula(_) | Item::Nothing => false,
                    };
                    if fits
                        && let Some(near) = distance(flow, caption, item, body)
                        && let Some(side) = near.side
                        && near.gap < REACH
                    {
                        seen[usize::from(side == Side::Below)] = true;
                    }
                }
                let kind = usize::from(caption.kind == LabelKind::Table);
                if seen[0] != seen[1] {
                    counts[kind][usize::from(seen[1])] += 1;
                }
            }
        }
        let side = |[above, below]: [usize; 2]| {
            if above >= 2 && above >= below * 4 {
                Some(Side::Above)
            } else if below >= 2 && below >= above * 4 {
                Some(Side::Below)
            } else {
                None
            }
        };
        Self {
            figures: side(counts[0]),
            tables: side(counts[1]),
            reach: REACH,
        }
    }

    /// Those by which captions on the other side are found, where they are quite near.
    fn relaxed(self) -> Self {
        let reach = if self.figures.is_some() || self.tables.is_some() {
            REACH / 2.0
        } else {
            REACH
        };
        Self {
            figures: None,
            tables: None,
            reach,
        }
    }

    fn side(self, kind: LabelKind) -> Option<Side> {
        match kind {
            LabelKind::Table => self.tables,
            _ => self.figures,
        }
    }
}

/// Ties what has no partner yet on a page.
fn pair(flow: &Flow, found: &[Candidate], captions: &mut Captions, habits: Habits, body: f32) {
    let texts: Vec<&Candidate> = found
        .iter()
        .filter(|caption| !captions.contains(&Some(caption.item)))
        .filter(|caption| matches!(flow.items[caption.item], Item::Text(_)))
        .take(MAX_TIED)
        .collect();
    let visuals: Vec<usize> = (0..flow.items.len())
        .filter(|&at| captions[at].is_none())
        .filter(|&at| matches!(flow.items[at], Item::Figure(_) | Item::Table(_)))
        .take(MAX_TIED)
        .collect();
    let costs: Vec<Vec<f32>> = texts
        .iter()
        .map(|caption| {
            visuals
                .iter()
                .map(|&at| cost(flow, caption, &flow.items[at], habits, body))
                .collect()
        })
        .collect();
    for (text, visual) in assign(&costs, visuals.len()) {
        captions[visuals[visual]] = Some(texts[text].item);
    }
}

/// What tying a caption to an item costs; infinite where it cannot be its caption.
fn cost(flow: &Flow, caption: &Candidate, item: &Item, habits: Habits, body: f32) -> f32 {
    let Some(near) = distance(flow, caption, item, body) else {
        return f32::INFINITY;
    };
    let (reach, penalty) = match (item, caption.kind) {
        (Item::Figure(_), LabelKind::Figure) | (Item::Table(_), LabelKind::Table) => {
            (habits.reach, 0.0)
        }
        (Item::Table(_), _) => (habits.reach, OTHER_KIND),
        // A table's caption over a picture of a table.
        (_, _) => (habits.reach / 2.0, OTHER_KIND),
    };
    let habit = habits.side(caption.kind);
    if near.gap >= reach || (near.side.is_some() && habit.is_some() && near.side != habit) {
        return f32::INFINITY;
    }
    near.gap + penalty
}

/// Pairs rows with columns so that as many as possible are paired and the sum of costs is least
/// (the Hungarian method); infinite costs are never paired.
fn assign(costs: &[Vec<f32>], columns: usize) -> Vec<(usize, usize)> {
    let rows = costs.len();
    // A column of its own for every row, which leaves it alone.
    let all = columns + rows;
    let cost = |row: usize, column: usize| match costs[row].get(column) {
        Some(cost) if cost.is_finite() => *cost,
        Some(_) => ALONE * 10.0,
        None => ALONE,
    };
    let (mut by_row, mut by_column) = (vec![0.0_f32; rows + 1], vec![0.0_f32; all + 1]);
    let mut row_of = vec![0_usize; all + 1];
    for row in 1..=rows {
        row_of[0] = row;
        let mut least = vec![f32::INFINITY; all + 1];
        let mut from = vec![0_usize; all + 1];
        let mut used = vec![false; all + 1];
        let mut at = 0;
        while row_of[at] != 0 {
            used[at] = true;
            let own = row_of[at];
            let (mut step, mut next) = (f32::INFINITY, 0);
            for column in (1..=all).filter(|&column| !used[column]) {
                let reduced = cost(own - 1, column - 1) - by_row[own] - by_column[column];
                if reduced < least[column] {
                    (least[column], from[column]) = (reduced, at);
                }
                if least[column] < step {
                    (step, next) = (least[column], column);
                }
            }
            for column in 0..=all {
                if used[column] {
                    by_row[row_of[column]] += step;
                    by_column[column] -= step;
                } else {
                    least[column] -= step;
                }
            }
            at = next;
        }
        while at != 0 {
            row_of[at] = row_of[from[at]];
            at = from[at];
        }
    }
    (1..=columns)
        .filter(|&column| row_of[column] != 0)
        .map(|column| (row_of[column] - 1, column - 1))
        .filter(|&(row, column)| costs[row][column].is_finite())
        .collect()
}

/// Ties a caption at the end of a page to the figure or table that begins the next, and one that
/// begins a page to what ends the page before, unless captions stand on the other side. The
/// caption moves to the page of what it names.
fn tie_across_pages(
    flows: &mut [Flow],
    found: &[Vec<Candidate>],
    all: &mut [Captions],
    habits: Habits,
) {
    for page in 1..flows.len() {
        let first = flows[page].items.iter().position(is_something);
        let last = flows[page - 1].items.iter().rposition(is_something);
        let (Some(first), Some(last)) = (first, last) else {
            continue;
        };
        for (side, (text_page, text), (page, visual)) in [
            (Side::Above, (page - 1, last), (page, first)),
            (Side::Below, (page, first), (page - 1, last)),
        ] {
            let caption = found[text_page].iter().find(|own| own.item == text);
            let alone = all[page][visual].is_none() && !all[text_page].contains(&Some(text));
            let fits = caption.is_some_and(|caption| {
                let same = match flows[page].items[visual] {
                    Item::Figure(_) => caption.kind == LabelKind::Figure,
                    Item::Table(_) => caption.kind == LabelKind::Table,
                    Item::Text(_) | Item::Formula(_) | Item::Nothing => false,
                };
                same && habits.side(caption.kind).is_none_or(|usual| usual == side)
            });
            if alone && fits {
                let moved = std::mem::replace(&mut flows[text_page].items[text], Item::Nothing);
                let at = flows[page].items.len();
                flows[page].items.push(moved);
                all[page].push(None);
                all[page][visual] = Some(at);
            }
        }
    }
}

fn is_something(item: &Item) -> bool {
    !matches!(item, Item::Nothing)
}

/// Joins figures without a caption to the captioned one beside, above or below them: views of one
/// figure.
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
            let beside = level && gap < 45.0;
            other != at
                && captions[other].is_some()
                && (beside || is_stacked_part(flow, &part.bbox, own))
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

/// Whether two figures stand one above the other with nothing but the marks of parts between, and
/// these at least where they are not close.
fn is_stacked_part(flow: &Flow, one: &BBox, other: &BBox) -> bool {
    let gap = (one.top - other.bottom).max(other.top - one.bottom);
    if one.overlap_x(other) < 0.6 * one.width().min(other.width()) || gap > 45.0 {
        return false;
    }
    let whole = one.union(other);
    let mut marks = 0;
    for item in &flow.items {
        let own = item.bbox();
        let between = whole.contains_point(own.center_x(), own.center_y())
            && !one.contains_point(own.center_x(), own.center_y())
            && !other.contains_point(own.center_x(), own.center_y());
        match item {
            Item::Text(block) if between => {
                let marked = block
                    .lines
                    .first()
                    .is_some_and(|line| mark(&line.text).is_some());
                if !marked {
                    return false;
                }
                marks += 1;
            }
            Item::Figure(_) | Item::Table(_) | Item::Formula(_) if between => return false,
            _ => {}
        }
    }
    gap < 14.0 || marks > 0
}

/// Takes the short texts between a captioned figure and its caption, or beside the figure, into
/// it: labels that stand apart from what is drawn.
fn take_labels(flow: &mut Flow, page: &PageText, captions: &Captions) {
    for at in 0..flow.items.len() {
        let (Item::Figure(figure), Some(caption)) = (&flow.items[at], captions[at]) else {
            continue;
        };
        let Item::Text(caption) = &flow.items[caption] else {
            continue;
        };
        let (bbox, on_page) = (figure.bbox, caption.page == page.number);
        let caption = caption.bbox;
        if caption.top < bbox.top || !on_page {
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
            let short =
                text.chars().count() <= 40 && block.lines.len() <= 3 && !text.ends_with(['.', ':']);
            let names_part = block
                .lines
                .first()
                .is_some_and(|line| mark(&line.text).is_some())
                && text.chars().count() <= MAX_PART_CAPTION;
            let label = names_part || (short && block.marker.is_none());
            if captions.contains(&Some(other)) || !label || !reach.contains(&own, 1.0) {
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
fn candidates(flow: &Flow) -> Vec<Candidate> {
    let mut out = Vec::new();
    for (at, item) in flow.items.iter().enumerate() {
        let Item::Text(block) = item else {
            continue;
        };
        let text = block.plain();
        if let Some(label) = caption_label(&text)
            && is_caption(&text, &label.number)
        {
            out.push(Candidate {
                item: at,
                kind: label.kind,
            });
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

/// How a caption stands to an item.
struct Near {
    /// The white between them, in points, and more where they stand in an unusual way.
    gap: f32,
    /// The caption's side, where they stand one above the other.
    side: Option<Side>,
}

/// How a caption stands to an item: above, below or beside it with no running text between;
/// `None` where it is none of that.
fn distance(flow: &Flow, caption: &Candidate, item: &Item, body: f32) -> Option<Near> {
    let (own, item) = (flow.items[caption.item].bbox(), item.bbox());
    let narrow = own.width().min(item.width()).max(1.0);
    if own.overlap_x(&item) > 0.3 * narrow {
        let side = if own.center_y() > item.center_y() {
            Side::Below
        } else {
            Side::Above
        };
        let (upper, lower) = match side {
            Side::Below => (&item, &own),
            Side::Above => (&own, &item),
        };
        let usual = (caption.kind == LabelKind::Figure) == (side == Side::Below);
        let parted = flow
            .items
            .iter()
            .enumerate()
            .any(|(at, other)| at != caption.item && parts(other, upper, lower, body));
        let gap = (lower.top - upper.bottom).max(0.0) + if usual { 0.0 } else { UNUSUAL };
        return (!parted).then_some(Near {
            gap,
            side: Some(side),
        });
    }
    let beside = own.overlap_y(&item) > 0.5 * own.height().min(item.height());
    let gap = (own.left - item.right).max(item.left - own.right).max(0.0) + 10.0;
    beside.then_some(Near { gap, side: None })
}

/// Whether an item is running text, or another caption, between an upper and a lower box.
fn parts(item: &Item, upper: &BBox, lower: &BBox, body: f32) -> bool {
    let Item::Text(block) = item else {
        return false;
    };
    let own = &block.bbox;
    let middle = own.center_y();
    let between = middle > upper.bottom && middle < lower.top && own.overlap_x(lower) > 1.0;
    if !between || own.overlap_x(upper) <= 1.0 {
        return false;
    }
    let text = block.plain();
    let running = block.size() > body * 0.95 && text.chars().count() > 60;
    running || begins_caption(&text)
}

/// Makes a figure of the boxes with text that stand right above a caption without a figure:
/// a listing, an example. Tells whether there are any.
fn add_boxed_figure(
    flow: &mut Flow,
    page: &PageText,
    captions: &mut Captions,
    text: usize,
) -> bool {
    let caption = flow.items[text].bbox();
    let mut shapes: Vec<&BBox> = page
        .shapes
        .iter()
        .map(|shape| &shape.bbox)
        .filter(|bbox| bbox.bottom < caption.top + 2.0 && bbox.width() > caption.width() * 0.4)
        .filter(|bbox| bbox.overlap_x(&caption) > 0.0 && bbox.area() < page.bbox().area() * 0.7)
        .collect();
    shapes.sort_by(|a, b| b.bottom.total_cmp(&a.bottom));
    let mut bbox = BBox {
        top: caption.top,
        bottom: caption.top,
        ..caption
    };
    for own in shapes {
        if bbox.top - own.bottom < 14.0 {
            bbox = bbox.union(own);
        }
    }
    bbox.bottom = caption.top.min(bbox.bottom) - 1.0;
    if bbox.height() < 40.0 {
        return false;
    }
    let inside = |own: &BBox| bbox.contains_point(own.center_x(), own.center_y());
    let members: Vec<usize> = (0..flow.items.len())
        .filter(|&at| at != text && is_something(&flow.items[at]))
        .filter(|&at| inside(&flow.items[at].bbox()))
        .collect();
    put_figure(flow, page, captions, (&members, bbox, text))
}

/// Makes a figure of the white or scattered space above a caption that has none.
fn add_scattered_figure(flow: &mut Flow, page: &PageText, captions: &mut Captions, text: usize) {
    let Item::Text(caption) = &flow.items[text] else {
        return;
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
    if tall && scattered.len() >= 2 {
        put_figure(flow, page, captions, (&scattered, bbox, text));
    }
}

/// Puts a figure in the place of the first of its members; the others are in it. `false` where it
/// has none.
fn put_figure(
    flow: &mut Flow,
    page: &PageText,
    captions: &mut Captions,
    (members, bbox, text): (&[usize], BBox, usize),
) -> bool {
    let Some((&first, rest)) = members.split_first() else {
        return false;
    };
    let segments: Vec<usize> = (0..page.segments.len())
        .filter(|&at| {
            let own = &page.segments[at].bbox;
            bbox.contains_point(own.center_x(), own.center_y())
        })
        .collect();
    flow.items[first] = Item::Figure(FoundFigure {
        bbox,
        segments,
        read: Vec::new(),
    });
    captions[first] = Some(text);
    for &at in rest {
        flow.items[at] = Item::Nothing;
    }
    true
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
