//! What stands below each element: how much text, how much of it in links, and the like.

use super::dom::{Dom, DomId};

/// Elements that stand on lines of their own.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "listing", "main",
    "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "ul", "xmp",
];
/// Elements that never show text of the document.
#[rustfmt::skip]
const NEVER_SHOWN: &[&str] = &[
    "head", "template", "noscript", "iframe", "frameset", "noframes", "select", "datalist",
    "textarea", "input", "meter", "progress", "audio", "video", "canvas", "map", "dialog", "applet",
    "rp", "rt",
];

/// Sums over an element's subtree, what is never shown left out.
#[derive(Clone, Copy, Default)]
pub(super) struct Facts {
    /// Characters other than white space.
    pub(super) letters: u32,
    /// Those of them inside links.
    pub(super) linked: u32,
    /// Links.
    pub(super) links: u32,
    /// Links to another place on the same page.
    pub(super) inner_links: u32,
    /// Links to the next page, the previous one, the contents and so on, as their `rel` says.
    pub(super) turning_links: u32,
    /// Ends of sentences outside links.
    pub(super) sentences: u32,
    /// Headings.
    pub(super) headings: u32,
    /// Pictures and drawings.
    pub(super) pictures: u32,
    /// Whether a block-level element stands below.
    pub(super) has_block: bool,
}

impl Facts {
    /// Whether at least this share of the text stands in links.
    pub(super) fn linked_share(&self, share: f32) -> bool {
        self.links > 0 && self.linked as f32 >= self.letters as f32 * share
    }

    fn add(&mut self, child: &Self, child_is_block: bool) {
        self.letters = self.letters.saturating_add(child.letters);
        self.linked = self.linked.saturating_add(child.linked);
        self.links += child.links;
        self.inner_links += child.inner_links;
        self.turning_links += child.turning_links;
        self.sentences += child.sentences;
        self.headings += child.headings;
        self.pictures += child.pictures;
        self.has_block |= child.has_block || child_is_block;
    }
}

/// The facts of every node of a page, by its index.
pub(super) fn gather(dom: &Dom) -> Vec<Facts> {
    let mut facts = vec![Facts::default(); dom.len()];
    let mut order = Vec::new();
    let mut edges = dom.edges(DomId::ROOT);
    while let Some(edge) = edges.next() {
        if let super::dom::Edge::Open(id) = edge {
            order.push(id);
            if is_never_shown(dom, id) {
                edges.skip_below(id);
            }
        }
    }
    // Children come after their parents: backwards, each is complete when it is added.
    for &id in order.iter().rev() {
        complete(dom, id, &mut facts[id.index()]);
        if let Some(parent) = dom.parent(id) {
            let child = facts[id.index()];
            facts[parent.index()].add(&child, is_block(dom, id));
        }
    }
    facts
}

/// Adds what a node is itself to the sums of its children.
fn complete(dom: &Dom, id: DomId, facts: &mut Facts) {
    if let Some(text) = dom.text(id) {
        facts.letters = text.chars().filter(|c| !c.is_whitespace()).count() as u32;
        facts.sentences = sentence_ends(text);
        return;
    }
    match dom.name(id) {
        "a" if dom.attr(id, "href").is_some() => {
            facts.links += 1;
            facts.linked = facts.letters;
            facts.sentences = 0;
            let href = dom.attr(id, "href").unwrap_or_default();
            facts.inner_links += u32::from(href.trim_start().starts_with('#'));
            facts.turning_links += u32::from(turns_page(dom, id));
        }
        "img" | "svg" | "object" => facts.pictures += 1,
        "math" => facts.has_block = false,
        _ if heading_rank(dom, id).is_some() => facts.headings += 1,
        _ => {}
    }
}

fn turns_page(dom: &Dom, id: DomId) -> bool {
    let rel = dom.attr(id, "rel").unwrap_or_default();
    let turning = |word: &str| {
        matches!(
            word.to_ascii_lowercase().as_str(),
            "next" | "prev" | "previous" | "up" | "start" | "home" | "contents" | "toc" | "index"
        )
    };
    let key = dom.attr(id, "accesskey").unwrap_or_default();
    rel.split_whitespace().any(turning) || matches!(key, "n" | "p" | "u" | "h")
}

/// Ends of sentences in texts that are long enough to hold one.
fn sentence_ends(text: &str) -> u32 {
    if text.split_whitespace().nth(3).is_none() && !text.contains(['。', '！', '？']) {
        return 0;
    }
    let mut ends = 0;
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let closed = chars.peek().is_none_or(|next| !next.is_alphanumeric());
        let western = matches!(c, '.' | '!' | '?') && before.is_alphanumeric() && closed;
        ends += u32::from(western || matches!(c, '。' | '！' | '？'));
        before = c;
    }
    ends
}

/// The rank of a heading: 1 to 6, or more by `aria-level`; `None` for anything else.
pub(super) fn heading_rank(dom: &Dom, id: DomId) -> Option<u8> {
    if dom.has_role(id, &["heading"]) {
        let level = dom
            .attr(id, "aria-level")
            .and_then(|level| level.trim().parse().ok());
        return Some(level.unwrap_or(2).clamp(1, 9));
    }
    let rank = match dom.name(id) {
        "h1" => 1,
        "h2" => 2,
        "h3" => 3,
        "h4" => 4,
        "h5" => 5,
        "h6" => 6,
        _ => return None,
    };
    // `role="presentation"` makes a heading plain text.
    (!dom.has_role(id, &["presentation", "none"])).then_some(rank)
}

/// Whether an element never shows text of the document.
pub(super) fn is_never_shown(dom: &Dom, id: DomId) -> bool {
    match dom.name(id) {
        // MathJax keeps its formulas in scripts.
        "script" => !is_math_script(dom, id),
        "style" => dom.is_html(id),
        name => NEVER_SHOWN.contains(&name),
    }
}

pub(super) fn is_math_script(dom: &Dom, id: DomId) -> bool {
    dom.attr(id, "type")
        .is_some_and(|kind| kind.trim().to_ascii_lowercase().starts_with("math/"))
}

/// Whether an element stands on lines of its own.
pub(super) fn is_block(dom: &Dom, id: DomId) -> bool {
    is_block_name(dom.name(id)) || dom.has_role(id, &["heading"])
}

/// Whether elements of this name stand on lines of their own.
pub(super) fn is_block_name(name: &str) -> bool {
    BLOCKS.contains(&name)
}
