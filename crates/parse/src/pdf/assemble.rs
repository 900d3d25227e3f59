//! From ordered pages to the document's tree.

use super::block::{Block, append};
use super::caption::Captions;
use super::figure::{FoundFigure, Label};
use super::flow::{Flow, Item};
use super::heading::{Role, full_text, is_contents_line};
use super::page::PageText;
use super::subfigure::parts;
use super::tagged;
use super::tags::Tags;
use catena_document::{
    BBox, Node, NodeId, NodeKind, Picture, PictureLabel, Provenance, Table, TreeBuilder,
};

/// Everything known of a page when its nodes are made.
pub(super) struct Page<'a> {
    pub(super) text: &'a PageText,
    pub(super) flow: &'a Flow,
    pub(super) captions: &'a Captions,
    pub(super) roles: &'a [Role],
    /// Whether the page is (part of) a table of contents.
    pub(super) contents: bool,
}

/// Builds the tree of a document's pages; returns the title's words as well.
pub(super) fn assemble<'a>(
    pages: &'a [Page<'a>],
    body: f32,
    tags: &'a Tags,
) -> (TreeBuilder, Option<String>) {
    let mut out = Assembly {
        tree: TreeBuilder::new(),
        open: None,
        held: Vec::new(),
        item: None,
        lists: Vec::new(),
        aside: Vec::new(),
        title: None,
        heading: None,
        body,
        tags,
    };
    for (at, page) in pages.iter().enumerate() {
        out.page(page, pages.get(at + 1));
    }
    out.flush();
    out.close_lists();
    out.settle();
    (out.tree, out.title.map(|(_, title)| title))
}

/// A paragraph that may go on in the next column or page.
struct OpenText {
    text: (String, Vec<Provenance>),
    size: f32,
    indent: bool,
}

/// An open list: the left edge of its items.
struct OpenList {
    left: f32,
    ordered: bool,
    /// Whether an item is open in it.
    item: bool,
}

struct Assembly<'a> {
    tree: TreeBuilder,
    open: Option<OpenText>,
    /// Figures and tables met while a paragraph is open; they come after it.
    held: Vec<(&'a Page<'a>, usize)>,
    /// The item added last, with its font size, which may go on as an open paragraph may.
    item: Option<(NodeId, f32)>,
    lists: Vec<OpenList>,
    /// Running headers and footers met while a paragraph or a list is open.
    aside: Vec<(NodeKind, String, Vec<Provenance>)>,
    title: Option<(NodeId, String)>,
    /// The heading added last.
    heading: Option<NodeId>,
    body: f32,
    /// The structure tree.
    tags: &'a Tags,
}

impl<'a> Assembly<'a> {
    fn page(&mut self, page: &'a Page<'a>, next: Option<&'a Page<'a>>) {
        for block in &page.flow.headers {
            self.furniture(page, block, NodeKind::PageHeader);
        }
        let used: Vec<usize> = page
            .captions
            .iter()
            .filter_map(|caption| *caption)
            .collect();
        for (at, item) in page.flow.items.iter().enumerate() {
            match item {
                Item::Nothing => {}
                Item::Text(_) if used.contains(&at) => {}
                Item::Text(block) => self.text(page, at, block),
                Item::Table(found) if is_contents_table(&found.table) => {
                    self.flush();
                    let place = whole_place(page, &found.bbox);
                    self.tree
                        .add(NodeKind::Contents, found.table.text(), vec![place]);
                }
                Item::Figure(_) | Item::Table(_) | Item::Formula(_) => {
                    self.visual(page, at, next);
                }
            }
        }
        for block in &page.flow.footers {
            self.furniture(page, block, NodeKind::PageFooter);
        }
    }

    fn furniture(&mut self, page: &Page<'_>, block: &Block, kind: NodeKind) {
        let (text, places) = placed(page, block.text());
        self.aside.push((kind, text, places));
        self.settle();
    }

    /// Adds what is aside where nothing is open that it would part.
    fn settle(&mut self) {
        if self.open.is_none() && self.lists.is_empty() {
            for (kind, text, places) in std::mem::take(&mut self.aside) {
                self.tree.add(kind, text, places);
            }
        }
    }

    fn text(&mut self, page: &'a Page<'a>, at: usize, block: &'a Block) {
        match page.roles[at] {
            Role::Title => {
                self.flush();
                let more = placed(page, block.text());
                if let Some((id, title)) = &mut self.title {
                    extend_node(self.tree.node_mut(*id), more);
                    title.clone_from(&self.tree.node_mut(*id).text);
                } else {
                    let title = more.0.clone();
                    let id = self.tree.add(NodeKind::Title, more.0, more.1);
                    self.title = Some((id, title));
                }
            }
            Role::Heading(level) => {
                self.flush();
                self.close_lists();
                self.settle();
                let (_, places) = placed(page, block.text());
                let text = full_text(block);
                let end = text.len() as u32;
                let places = places.into_iter().map(|place| Provenance {
                    char_span: 0..end,
                    ..place
                });
                self.heading = Some(self.tree.section(level, text, places.collect()));
            }
            Role::HeadingRest => {
                if let Some(id) = self.heading {
                    extend_node(self.tree.node_mut(id), placed(page, block.text()));
                }
            }
            Role::Body if page.contents && is_contents(block) => {
                self.flush();
                let (text, places) = placed(page, block.text());
                self.tree.add(NodeKind::Contents, text, places);
            }
            Role::Body => self.body_text(page, at, block),
        }
    }

    fn body_text(&mut self, page: &'a Page<'a>, at: usize, block: &'a Block) {
        if self.is_footnote(page, block) {
            // It must not part a paragraph that goes on in the next column.
            self.held.push((page, at));
            return;
        }
        if let Some(marker) = &block.marker {
            self.flush();
            self.item(page, block, &marker.text, marker.ordered);
            return;
        }
        let mut text = placed(page, block.text());
        if block.lines.len() > 1 && block.lines.iter().all(|line| line.style.mono) {
            self.flush();
            self.close_lists();
            self.tree.add(NodeKind::Code, text.0, text.1);
            return;
        }
        let under_item = self.lists.last().is_some_and(|list| {
            list.item
                && block.bbox.left > list.left + block.size() * 0.6
                && block.space_above < block.size() * 3.0
        });
        if let Some(open) = &mut self.open
            && continues(&open.text.0, &text.0, open.size, block.size())
        {
            append(&mut open.text, std::mem::take(&mut text));
            return;
        }
        if self.open.is_none()
            && let Some((id, size)) = self.item
            && continues(&self.tree.node_mut(id).text, &text.0, size, block.size())
        {
            extend_node(self.tree.node_mut(id), text);
            return;
        }
        self.flush();
        if !under_item {
            self.close_lists();
        }
        self.open = Some(OpenText {
            text,
            size: block.size(),
            indent: under_item,
        });
    }

    /// Small text at the foot of a page with no larger text below it in its column.
    fn is_footnote(&self, page: &Page<'_>, block: &Block) -> bool {
        let small = block.size() < self.body * 0.92;
        let low = block.bbox.top > page.text.height * 0.6;
        let letters = block
            .lines
            .iter()
            .any(|line| line.text.chars().any(char::is_alphabetic));
        let in_column = || {
            let items = page.flow.items.iter().map(|item| {
                let small = matches!(item, Item::Text(other) if other.size() < self.body * 0.92);
                (item.bbox(), small)
            });
            items.filter(|(other, small)| other.overlap_x(&block.bbox) > 1.0 && !small)
        };
        // Running text above and none below: a list of references in small type has neither.
        let above = || in_column().any(|(other, _)| other.bottom <= block.bbox.top + 1.0);
        let below = || in_column().any(|(other, _)| other.top > block.bbox.bottom - 1.0);
        small && low && letters && above() && !below()
    }

    fn item(&mut self, page: &Page<'_>, block: &Block, marker: &str, ordered: bool) {
        let left = block.bbox.left;
        let slack = block.size() * 0.6;
        // Deeper lists end where an item stands further left.
        while self
            .lists
            .last()
            .is_some_and(|list| left < list.left - slack)
        {
            self.close_list();
        }
        let nested = self
            .lists
            .last()
            .is_none_or(|list| left > list.left + slack);
        let other_kind = self
            .lists
            .last()
            .is_some_and(|list| (left - list.left).abs() <= slack && list.ordered != ordered);
        if other_kind {
            self.close_list();
        }
        if nested || other_kind {
            self.tree.open(NodeKind::List, String::new(), vec![]);
            self.lists.push(OpenList {
                left,
                ordered,
                item: false,
            });
        }
        if let Some(list) = self.lists.last_mut() {
            if list.item {
                self.tree.close();
            }
            list.item = true;
        }
        let marker = marker.to_owned();
        let kind = if ordered {
            NodeKind::Step { marker }
        } else {
            NodeKind::ListItem { marker }
        };
        let (text, places) = placed(page, block.text());
        let id = self.tree.open(kind, text, places);
        self.item = Some((id, block.size()));
    }

    fn close_list(&mut self) {
        if let Some(list) = self.lists.pop() {
            if list.item {
                self.tree.close();
            }
            self.tree.close();
        }
        self.item = None;
    }

    fn close_lists(&mut self) {
        while !self.lists.is_empty() {
            self.close_list();
        }
    }

    /// Whether the paragraph or item read last may go on.
    fn is_unfinished(&mut self) -> bool {
        match (&self.open, self.item) {
            (Some(open), _) => !is_finished(&open.text.0),
            (None, Some((id, _))) => {
                let text = &self.tree.node_mut(id).text;
                !is_finished(text) && text.chars().count() > 60
            }
            (None, None) => false,
        }
    }

    /// A figure or table: inside the open step where the list goes on after it, else after the
    /// paragraph that is open.
    fn visual(&mut self, page: &'a Page<'a>, at: usize, next: Option<&'a Page<'a>>) {
        if self.is_unfinished() || !self.held.is_empty() {
            self.held.push((page, at));
            return;
        }
        self.flush_text();
        if !self.lists.is_empty() && !list_goes_on(page, at, next) {
            self.close_lists();
        }
        self.add_visual(page, at);
    }

    /// Adds a figure or table with its caption, a formula, or a footnote.
    fn add_visual(&mut self, page: &Page<'_>, at: usize) {
        match &page.flow.items[at] {
            Item::Figure(figure) => {
                let (text, labels) = label_text(page.text, &figure.segments, &figure.read);
                let given = tagged::alternatives(self.tags, page.text);
                let picture = Picture {
                    image: None,
                    alt: tagged::alternative(&given, &figure.bbox),
                    labels,
                    ..Picture::default()
                };
                let place = whole_place(page, &figure.bbox);
                self.tree
                    .open(NodeKind::Picture(picture), text, vec![place]);
            }
            Item::Table(found) => {
                let mut table = found.table.clone();
                tagged::mark_headers(self.tags, page.text, found, &mut table);
                for cell in &mut table.cells {
                    cell.bbox = cell.bbox.map(|bbox| page.text.to_page(&bbox));
                }
                let place = whole_place(page, &found.bbox);
                let text = table.text();
                self.tree.open(NodeKind::Table(table), text, vec![place]);
            }
            Item::Text(block) => {
                let (text, places) = placed(page, (full_text(block), block.text().1));
                self.close_lists();
                self.tree.add(NodeKind::Footnote, text, places);
                return;
            }
            Item::Formula(found) => {
                let (text, _) = label_text(page.text, &found.segments, &[]);
                let place = whole_place(page, &found.bbox);
                let text = text.replace('\n', " ");
                self.tree.add(NodeKind::Formula, text, vec![place]);
                return;
            }
            Item::Nothing => return,
        }
        if let Some(caption) = page.captions[at]
            && let Item::Text(block) = &page.flow.items[caption]
        {
            let (text, places) = placed(page, block.text());
            self.tree.add(NodeKind::Caption, text, places);
            if let Item::Figure(figure) = &page.flow.items[at] {
                self.add_parts(page, figure);
            }
        }
        self.tree.close();
    }

    /// Adds the parts (a), (b) … of a figure, each with its own caption.
    fn add_parts(&mut self, page: &Page<'_>, figure: &FoundFigure) {
        for part in parts(page.text, figure) {
            let own = page.text.to_page(&part.bbox);
            let read = figure
                .read
                .iter()
                .filter(|label| own.contains_point(label.bbox.center_x(), label.bbox.center_y()));
            let read: Vec<Label> = read.cloned().collect();
            let (text, labels) = label_text(page.text, &part.segments, &read);
            let picture = Picture {
                image: None,
                alt: None,
                labels,
                ..Picture::default()
            };
            let place = whole_place(page, &part.bbox);
            self.tree
                .open(NodeKind::Picture(picture), text, vec![place]);
            let (text, labels) = label_text(page.text, &part.caption, &[]);
            let places = labels.into_iter().map(|label| Provenance {
                page: page.text.number,
                bbox: label.bbox,
                char_span: label.span,
            });
            let text = text.replace('\n', " ");
            self.tree.add(NodeKind::Caption, text, places.collect());
            self.tree.close();
        }
    }

    fn flush_text(&mut self) {
        if let Some(open) = self.open.take() {
            if !open.indent {
                self.close_lists();
            }
            let (text, places) = open.text;
            self.tree.add(NodeKind::Text, text, places);
        }
    }

    fn flush(&mut self) {
        self.flush_text();
        for (page, at) in std::mem::take(&mut self.held) {
            self.add_visual(page, at);
        }
    }
}

/// Appends a text that goes on to a node that was added before.
fn extend_node(node: &mut Node, more: (String, Vec<Provenance>)) {
    let mut text = (
        std::mem::take(&mut node.text),
        std::mem::take(&mut node.provenance),
    );
    append(&mut text, more);
    (node.text, node.provenance) = text;
}

/// Whether a table lists headings with their pages: its last column counts up.
fn is_contents_table(table: &Table) -> bool {
    let last = table.columns.saturating_sub(1);
    let cells = table
        .cells
        .iter()
        .filter(|cell| cell.column == last && !cell.text.is_empty());
    let mut numbers = Vec::new();
    let mut all = 0;
    for cell in cells {
        all += 1;
        numbers.extend(cell.text.trim().parse::<u32>().ok());
    }
    let counts_up = numbers.windows(2).all(|pair| pair[0] <= pair[1]);
    let spread = numbers.last() > numbers.first();
    table.columns <= 3 && numbers.len() >= 6 && numbers.len() * 10 >= all * 9 && counts_up && spread
}

fn is_contents(block: &Block) -> bool {
    block.lines.iter().any(|line| is_contents_line(&line.text))
}

/// A text with its places on the page as the reader sees it.
fn placed(page: &Page<'_>, (text, places): (String, Vec<Provenance>)) -> (String, Vec<Provenance>) {
    let places = places
        .into_iter()
        .map(|place| Provenance {
            bbox: page.text.to_page(&place.bbox),
            ..place
        })
        .collect();
    (text, places)
}

fn whole_place(page: &Page<'_>, bbox: &BBox) -> Provenance {
    Provenance {
        page: page.text.number,
        bbox: page.text.to_page(bbox),
        char_span: 0..0,
    }
}

/// All words of a page as those inside a figure.
pub(super) fn all_labels(page: &PageText) -> (String, Vec<PictureLabel>) {
    let all: Vec<usize> = (0..page.segments.len()).collect();
    label_text(page, &all, &[])
}

/// The words inside a figure, those of the page and those read from its picture, roughly from the
/// top, with their boxes.
fn label_text(page: &PageText, segments: &[usize], read: &[Label]) -> (String, Vec<PictureLabel>) {
    let drawn = segments.iter().map(|&at| {
        let segment = &page.segments[at];
        let bbox = page.to_page(&segment.bbox);
        (segment.bbox, segment.text(), bbox)
    });
    let read = read
        .iter()
        .map(|label| (label.bbox, label.text.clone(), label.bbox));
    let mut all: Vec<(BBox, String, BBox)> = drawn.chain(read).collect();
    let row = |bbox: &BBox| (bbox.top / 6.0).round();
    all.sort_by(|(a, ..), (b, ..)| row(a).total_cmp(&row(b)).then(a.left.total_cmp(&b.left)));
    let mut text = String::new();
    let mut labels = Vec::new();
    for (_, words, bbox) in all {
        if !text.is_empty() {
            text.push('\n');
        }
        let start = text.len() as u32;
        text.push_str(&words);
        labels.push(PictureLabel {
            span: start..text.len() as u32,
            bbox,
        });
    }
    (text, labels)
}

fn is_finished(text: &str) -> bool {
    let end = text.trim_end().trim_end_matches(['"', '”', '’', ')', ']']);
    end.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：'])
}

/// Whether a paragraph goes on with `next` in the next column or page.
fn continues(text: &str, next: &str, size: f32, next_size: f32) -> bool {
    let same_size = (size - next_size).abs() < size * 0.06;
    let lower = next
        .chars()
        .next()
        .is_some_and(|c| (c.is_alphabetic() && !c.is_uppercase()) || matches!(c, '(' | ','));
    let broken = text.ends_with('-') && next.chars().next().is_some_and(char::is_alphabetic);
    same_size && !is_finished(text) && (lower || broken) && text.chars().count() > 25
}

/// Whether the next text after an item of a page, perhaps on the next page, is an item of a list.
fn list_goes_on(page: &Page<'_>, at: usize, next: Option<&Page<'_>>) -> bool {
    let used: Vec<usize> = page
        .captions
        .iter()
        .filter_map(|caption| *caption)
        .collect();
    let later = page.flow.items.iter().enumerate().skip(at + 1);
    let on_page = later
        .filter(|(at, _)| !used.contains(at))
        .find_map(|(_, item)| match item {
            Item::Text(block) => Some(block),
            _ => None,
        });
    let block = on_page.or_else(|| {
        next?.flow.items.iter().find_map(|item| match item {
            Item::Text(block) => Some(block),
            _ => None,
        })
    });
    block.is_some_and(|block| block.marker.is_some())
}
