//! Reading Markdown: comrak makes HTML of it, and the HTML reader reads that.
//! One reader means that tables, captions and pieces of HTML mean the same in both.

use crate::html;
use crate::{ParseError, Parsed, Source};
use catena_document::MediaType;
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options};

pub(crate) fn parse(source: &Source<'_>) -> Result<Parsed, ParseError> {
    html::check_size(source.bytes)?;
    let text = html::encoding::decode_text(source.bytes);
    let options = options(&text);
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, &text, &options);
    let title = front_matter_title(root);
    keep_placeholders(root);
    let mut page = String::new();
    comrak::format_html(root, &options, &mut page)
        .map_err(|error| ParseError::Damaged(error.to_string()))?;
    Ok(html::read(&page, source, MediaType::Markdown, title))
}

fn options(text: &str) -> Options<'static> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.table = true;
    extension.footnotes = true;
    extension.description_lists = true;
    extension.strikethrough = true;
    extension.autolink = true;
    extension.alerts = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.header_id_prefix = Some(String::new());
    let fence = text
        .trim_start_matches('\u{feff}')
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end();
    if matches!(fence, "---" | "+++") {
        extension.front_matter_delimiter = Some(fence.to_owned());
    }
    // Pieces of HTML go through: the HTML reader runs no script.
    options.render.r#unsafe = true;
    options
}

/// The `title` of the front matter, in YAML or TOML.
fn front_matter_title<'a>(root: &'a AstNode<'a>) -> Option<String> {
    let first = root.first_child()?;
    let data = first.data.borrow();
    let NodeValue::FrontMatter(matter) = &data.value else {
        return None;
    };
    let value = matter.lines().find_map(|line| {
        let rest = line.strip_prefix("title")?.trim_start();
        rest.strip_prefix([':', '='])
    })?;
    let value = value.trim().trim_matches(['"', '\'']).trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// Tags that HTML does not know are placeholders (`<file>`), and stay as they are written.
fn keep_placeholders<'a>(root: &'a AstNode<'a>) {
    for node in root.descendants() {
        let mut data = node.data.borrow_mut();
        if let NodeValue::HtmlInline(tag) = &data.value
            && is_placeholder(tag)
        {
            data.value = NodeValue::Text(tag.clone().into());
        }
    }
}

/// Whether an opening tag has no attributes and a name that is no element's.
fn is_placeholder(tag: &str) -> bool {
    let Some(name) = tag
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
    else {
        return false;
    };
    let word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    word && !ELEMENTS.contains(&name)
}

/// Elements of HTML, obsolete ones included, that may stand within a line.
#[rustfmt::skip]
const ELEMENTS: &[&str] = &[
    "a", "abbr", "acronym", "address", "article", "aside", "audio", "b", "bdi", "bdo", "big",
    "blockquote", "body", "br", "button", "canvas", "caption", "center", "cite", "code", "col",
    "colgroup", "data", "datalist", "dd", "del", "details", "dfn", "dialog", "dir", "div", "dl",
    "dt", "em", "embed", "fieldset", "figcaption", "figure", "font", "footer", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "i", "iframe", "img", "input",
    "ins", "kbd", "label", "legend", "li", "link", "main", "map", "mark", "math", "menu", "meta",
    "meter", "nav", "nobr", "noscript", "object", "ol", "optgroup", "option", "output", "p",
    "picture", "pre", "progress", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "script",
    "search", "section", "select", "slot", "small", "source", "span", "strike", "strong", "style",
    "sub", "summary", "sup", "svg", "table", "tbody", "td", "template", "textarea", "tfoot", "th",
    "thead", "time", "title", "tr", "track", "tt", "u", "ul", "var", "video", "wbr",
];
