//! Which parts of a page are no part of its document.

use super::dom::{Dom, DomId, Edge};
use super::facts::{Facts, heading_rank, is_block, is_never_shown};

/// Words of `class` and `id` that navigation goes by.
#[rustfmt::skip]
const NAVIGATION: &[&str] = &[
    "nav", "navbar", "navbars", "navigation", "navheader", "navfooter", "navpanel", "navigate",
    "navlinks", "breadcrumb", "breadcrumbs", "pagination", "pager", "paging", "prevnext", "menu",
    "menubar", "submenu", "sidebar", "sidenav", "topnav", "topbar", "toolbar", "toc",
    "tableofcontents", "contents", "shortcontents", "minitoc", "sitemap", "related", "relations",
    "share", "social", "languages", "skip", "skiplink", "skiplinks", "quicklinks", "sphinxsidebar",
    "header", "footer", "summary", "localtoc", "listoffigures", "listoftables", "lot", "lof",
];
/// Words of `class` that mark what only a screen reader or an editor is for.
#[rustfmt::skip]
const HELPERS: &[&str] = &[
    "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "skip-link", "skiplink",
    "skip-to-content", "mw-editsection", "mw-jump-link", "noprint", "linenos", "lineno",
    "linenumber", "boring", "line-numbers-rows", "copybtn", "copy-button",
];
/// Headings of a table of contents, lower case.
#[rustfmt::skip]
const CONTENTS: &[&str] = &[
    "contents", "table of contents", "short table of contents", "on this page", "in this article",
    "in this page", "page contents", "inhalt", "inhaltsverzeichnis", "sommaire",
    "table des matières", "índice", "contenido", "indice", "содержание", "目录", "目次",
];

/// What of a page is left out, by the index of its node; what is below such a node goes with it.
pub(super) struct Boilerplate {
    skipped: Vec<bool>,
}

impl Boilerplate {
    /// Only what is never shown.
    pub(super) fn hidden_only(dom: &Dom, facts: &[Facts]) -> Self {
        Self::new(dom, facts, false)
    }

    /// What is never shown, and navigation, banners and the like.
    pub(super) fn all(dom: &Dom, facts: &[Facts]) -> Self {
        Self::new(dom, facts, true)
    }

    pub(super) fn skips(&self, id: DomId) -> bool {
        self.skipped[id.index()]
    }

    fn new(dom: &Dom, facts: &[Facts], navigation: bool) -> Self {
        let mut skipped = vec![false; dom.len()];
        let total = facts[DomId::ROOT.index()].letters;
        let mut edges = dom.edges(DomId::ROOT);
        while let Some(edge) = edges.next() {
            let Edge::Open(id) = edge else { continue };
            if !dom.is_element(id) {
                continue;
            }
            let seen = Seen {
                dom,
                id,
                facts: &facts[id.index()],
                total,
            };
            if seen.is_hidden() || (navigation && seen.is_navigation()) {
                skipped[id.index()] = true;
                edges.skip_below(id);
                if let Some(heading) = seen.contents_heading() {
                    skipped[heading.index()] = true;
                }
            }
        }
        Self { skipped }
    }
}

/// An element to be judged.
struct Seen<'a> {
    dom: &'a Dom,
    id: DomId,
    facts: &'a Facts,
    /// Letters of the whole page.
    total: u32,
}

impl Seen<'_> {
    fn share(&self) -> f32 {
        self.facts.letters as f32 / self.total.max(1) as f32
    }

    /// What is hidden from every reader; a page that shows most of its text only by script is
    /// taken as shown.
    fn is_hidden(&self) -> bool {
        if is_never_shown(self.dom, self.id) {
            return true;
        }
        let attr = |name| self.dom.attr(self.id, name);
        let style = attr("style").is_some_and(|style| {
            let style: String = style.split_whitespace().collect();
            let style = style.to_ascii_lowercase();
            style.contains("display:none") || style.contains("visibility:hidden")
        });
        let hidden = attr("hidden").is_some_and(|value| value != "until-found");
        let aria = attr("aria-hidden").is_some_and(|value| value.trim() == "true");
        let helper = self.facts.letters < 200
            && self
                .dom
                .classes(self.id)
                .any(|class| HELPERS.contains(&class));
        // The mathematics of a formula is hidden where a picture stands for it.
        let formula = || {
            self.dom
                .subtree(self.id)
                .take(4)
                .any(|id| self.dom.name(id) == "math")
        };
        (style || hidden || aria || helper) && self.share() <= 0.5 && !formula()
    }

    fn is_navigation(&self) -> bool {
        let name = self.dom.name(self.id);
        if matches!(name, "html" | "body" | "main") || heading_rank(self.dom, self.id).is_some() {
            return false;
        }
        self.is_landmark(name)
            || self.is_skip_link(name)
            || self.is_consent()
            || (is_block(self.dom, self.id) && (self.is_bar() || self.is_contents(name)))
    }

    /// Navigation, banner and footer landmarks.
    fn is_landmark(&self, name: &str) -> bool {
        let wordless = self.facts.sentences == 0 || self.facts.linked_share(0.5);
        let role = |roles| self.dom.has_role(self.id, roles);
        if name == "nav" || role(&["navigation", "menu", "menubar", "directory", "doc-toc"]) {
            return wordless || self.share() < 0.3;
        }
        if role(&["search", "dialog", "alertdialog", "toolbar", "tablist"]) || name == "search" {
            return self.share() < 0.3;
        }
        if name == "header" || name == "footer" || role(&["banner", "contentinfo"]) {
            return self.is_of_page() && self.facts.headings == 0 && self.share() < 0.25;
        }
        if name == "form" {
            return self.facts.sentences == 0
                && self.facts.headings == 0
                && self.facts.letters < 200;
        }
        if name == "aside" || role(&["complementary"]) {
            return self.facts.sentences == 0 && self.facts.linked_share(0.5);
        }
        false
    }

    /// Whether a header or footer is that of the page, not of an article or section.
    fn is_of_page(&self) -> bool {
        self.dom.ancestors(self.id).all(|above| {
            !matches!(
                self.dom.name(above),
                "article" | "main" | "section" | "figure" | "blockquote"
            ) && !self.dom.has_role(above, &["main", "article"])
        })
    }

    fn is_skip_link(&self, name: &str) -> bool {
        name == "a" && self.facts.inner_links == 1 && self.facts.letters < 40 && {
            let text = self.dom.raw_text(self.id).to_lowercase();
            let text = text.trim();
            [
                "skip to ",
                "skip navigation",
                "jump to content",
                "jump to main",
                "zum inhalt",
            ]
            .iter()
            .any(|start| text.starts_with(start))
        }
    }

    fn is_consent(&self) -> bool {
        let short = self.facts.letters < 2000 && self.share() < 0.25;
        short
            && self.names().any(|word| {
                matches!(
                    word,
                    "cookie" | "cookies" | "cookieconsent" | "consent" | "gdpr"
                )
            })
            && self.dom.raw_text(self.id).to_lowercase().contains("cookie")
    }

    /// A bar of links: one that names itself so, or one that turns pages.
    fn is_bar(&self) -> bool {
        let facts = self.facts;
        let wordless = facts.sentences == 0 && facts.linked_share(0.5);
        let turning = facts.turning_links > 0 && facts.letters < 600 && facts.headings == 0;
        if turning && facts.sentences == 0 && facts.linked_share(0.4) {
            return true;
        }
        let label = self.dom.attr(self.id, "aria-label").unwrap_or_default();
        let named = self.names().any(|word| NAVIGATION.contains(&word))
            || label.to_ascii_lowercase().contains("breadcrumb");
        // A bar between pages tells their titles, and may use pictures for its links.
        let pictured = facts.links > 0 && facts.letters < 300 && facts.turning_links > 0;
        named && ((wordless && self.share() < 0.5) || pictured)
    }

    /// A table of contents: a list of links to places on the same page.
    fn is_contents(&self, name: &str) -> bool {
        let facts = self.facts;
        let listing = matches!(
            name,
            "ul" | "ol" | "dl" | "table" | "div" | "section" | "menu"
        );
        listing
            && self.share() < 0.5
            && facts.links >= 3
            && facts.inner_links * 5 >= facts.links * 4
            && facts.linked_share(0.8)
            && facts.sentences == 0
    }

    /// The heading before a table of contents that is left out.
    fn contents_heading(&self) -> Option<DomId> {
        if self.facts.links < 3 {
            return None;
        }
        let before = self.dom.element_before(self.id)?;
        let text = self.dom.raw_text(before);
        let text = text.trim().trim_end_matches(':').to_lowercase();
        CONTENTS.contains(&text.as_str()).then_some(before)
    }

    /// The words of `class` and `id`: `nav-panel` gives `nav` and `panel`, and `navpanel`.
    fn names(&self) -> impl Iterator<Item = &str> {
        let attrs = ["class", "id"].map(|name| self.dom.attr(self.id, name).unwrap_or_default());
        attrs.into_iter().flat_map(|value| {
            value
                .split_whitespace()
                .chain(value.split(|c: char| !c.is_ascii_alphanumeric()))
        })
    }
}

/// The element that holds the document: `<main>` or the sole `<article>` where most of the text
/// stands in it, else the whole page.
pub(super) fn content_root(dom: &Dom, facts: &[Facts], boilerplate: &Boilerplate) -> DomId {
    let mut kept = vec![0_u32; dom.len()];
    let mut candidates = Vec::new();
    let mut edges = dom.edges(DomId::ROOT);
    while let Some(edge) = edges.next() {
        match edge {
            Edge::Open(id) if boilerplate.skips(id) => edges.skip_below(id),
            Edge::Open(id) => {
                let content = matches!(dom.name(id), "main" | "article")
                    || dom.has_role(id, &["main", "article"]);
                if content {
                    candidates.push(id);
                }
                if dom.text(id).is_some() {
                    kept[id.index()] = facts[id.index()].letters;
                }
            }
            Edge::Close(id) => {
                if let Some(parent) = dom.parent(id) {
                    kept[parent.index()] += kept[id.index()];
                }
            }
        }
    }
    let total = kept[DomId::ROOT.index()];
    candidates
        .into_iter()
        .find(|id| kept[id.index()] as f32 > total as f32 * 0.6)
        .unwrap_or(DomId::ROOT)
}
