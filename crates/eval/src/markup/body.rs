//! What of a page is its body.

use super::Element;

/// The longest text of a bar of links to other pages.
const LINK_BAR: usize = 500;

/// The rank of a heading, 1 to 6; one more for the deeper of two depths that share an element.
pub(crate) fn heading_rank(element: &Element) -> Option<u8> {
    let rank: u8 = element.name.strip_prefix('h')?.parse().ok()?;
    // Texinfo has one element for sections of two depths; the class tells them apart.
    let deeper = element.classes().any(|class| class.contains("subsubsec"));
    (1..=6)
        .contains(&rank)
        .then(|| rank + u8::from(deeper && rank == 4))
}

/// Whether an element stands within a line.
pub(crate) fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "acronym"
            | "b"
            | "bdi"
            | "bdo"
            | "big"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "img"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "q"
            | "r"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "var"
            | "wbr"
    )
}

/// Whether an element is not part of the body: navigation, contents, or never shown.
pub(crate) fn is_left_out(element: &Element) -> bool {
    let never = [
        "script", "style", "head", "nav", "template", "noscript", "title", "svg",
    ];
    let classes = [
        "contents",
        "shortcontents",
        "toc",
        "toctree-wrapper",
        "table-of-contents",
        "list-of-figures",
        "list-of-tables",
        "navheader",
        "navfooter",
        "navigation",
        "headerlink",
        "copiable-anchor",
        "copiable-link",
        // The address behind a link, printed after it in an EPUB only.
        "link-target",
    ];
    let roles = ["navigation", "doc-toc", "doc-index"];
    never.contains(&element.name.as_str())
        || element.attribute("hidden").is_some()
        || element
            .attribute("role")
            .is_some_and(|role| roles.contains(&role))
        || classes.iter().any(|class| element.has_class(class))
        || is_link_bar(element)
}

/// Whether an element is a bar of links to the pages before and after.
fn is_link_bar(element: &Element) -> bool {
    let leads = |element: &Element| {
        let to = element.attribute("rel").unwrap_or_default();
        element.name == "a" && ["next", "prev", "previous", "up"].contains(&to)
    };
    matches!(element.name.as_str(), "div" | "p" | "table")
        && element.text().len() < LINK_BAR
        && !element.all(&leads).is_empty()
        // A short section holds its bar.
        && element
            .all(&|below| heading_rank(below).is_some())
            .is_empty()
}
