use crate::common;
use catena_document::NodeKind;
use catena_parse::{ParseError, Parsed};
use proptest::prelude::*;

fn read(html: &str) -> Parsed {
    common::read("page.html", html.as_bytes()).unwrap()
}

/// What `part` makes of the numbers below `count`.
fn joined(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().concat()
}

/// Runs on a stack of half a mebibyte: depth must not cost much.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10);
    thread.spawn(work).unwrap().join().unwrap();
}

#[test]
fn deep_nesting_keeps_the_text() {
    on_small_stack(|| {
        for tag in [
            "div",
            "span",
            "b",
            "ul><li",
            "ol><li><p",
            "blockquote",
            "table><tr><td",
            "figure",
            "dl><dd",
            "svg",
            "font size=1",
        ] {
            let close = tag.split('>').rev().map(|name| {
                let name = name.trim_start_matches('<').split(' ').next().unwrap();
                format!("</{name}>")
            });
            let close: String = close.collect();
            let open = format!("<{tag}>").replace("><", "><");
            for close in [close.as_str(), ""] {
                let html = format!(
                    "<p>before</p>{}deep words{}<p>after</p>",
                    open.repeat(5_000),
                    close.repeat(5_000)
                );
                let parsed = read(&html);
                let all: String = parsed
                    .document
                    .nodes
                    .iter()
                    .map(|node| node.text.as_str())
                    .collect();
                let expected = if tag == "svg" {
                    vec!["before"]
                } else {
                    vec!["before", "deep words", "after"]
                };
                for words in expected {
                    assert!(all.contains(words), "{tag}: {words} in {all}");
                }
            }
        }
    });
}

#[test]
fn deep_trees_stay_shallow() {
    let parsed = read(&format!("{}x", "<ul><li>a".repeat(1_000)));
    let nodes = &parsed.document.nodes;
    let depth = |node: &catena_document::Node| {
        let above = |parent: &catena_document::NodeId| nodes[parent.0 as usize].parent;
        std::iter::successors(node.parent, above).count()
    };
    assert!(nodes.iter().map(depth).max().unwrap() <= 60);
}

#[test]
fn formatting_without_end_is_bounded() {
    // Each paragraph opens every font again.
    let fonts = joined(2_000, |at| format!("<font size={at}>"));
    let html = format!("<p>start {fonts} {}", "<p>x".repeat(100_000));
    let parsed = read(&html);
    assert!(parsed.document.nodes[0].text.starts_with("start x x x"));
}

#[test]
fn a_picture_of_many_megabytes_costs_only_itself() {
    let html = format!(
        "<p>before</p><img alt=big src='data:image/png;base64,{}'><p>after</p>",
        "iVBORw0K".repeat(12 << 20)
    );
    let parsed = read(&html);
    let texts: Vec<_> = parsed
        .document
        .nodes
        .iter()
        .map(|node| node.text.as_str())
        .collect();
    assert_eq!(texts, ["before", "", "after"]);
    assert!(parsed.assets.is_empty());
    assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    assert!(parsed.warnings[0].message.contains("too large"));
}

#[test]
fn wide_and_long_tables_are_bounded() {
    let wide = format!("<table><tr>{}<tr><td>end</table>", "<td>x".repeat(50_000));
    let spans = format!(
        "<table>{}</table>",
        "<tr><td colspan=1000 rowspan=65534>a<td colspan=1000>b".repeat(2_000)
    );
    let long = format!("<table>{}</table>", "<tr><td>a<td>b".repeat(4_000));
    for html in [wide, spans, long] {
        let parsed = read(&html);
        let table = parsed
            .document
            .nodes
            .iter()
            .find_map(|node| match &node.kind {
                NodeKind::Table(table) => Some(table),
                _ => None,
            });
        let table = table.unwrap();
        assert!(
            table.rows as usize * table.columns as usize <= 1_000_000,
            "{} × {}",
            table.rows,
            table.columns
        );
        assert!(
            table
                .cells
                .iter()
                .map(|cell| cell.text.len())
                .sum::<usize>()
                >= 4_000
        );
    }
}

#[test]
fn many_attributes_end_the_reading() {
    let attrs = joined(400_000, |at| format!("a{at} "));
    let parsed = read(&format!("<p>before</p><p {attrs}>after</p>"));
    assert_eq!(parsed.document.nodes[0].text, "before");
    let bodies = joined(20_000, |at| format!("<body a{at}>"));
    let bodies = format!("<p>x{bodies}");
    assert_eq!(read(&bodies).document.nodes[0].text, "x");
}

#[test]
fn entities_of_a_drawing_do_not_grow() {
    let mut bomb = String::from("<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a 'aaaaaaaaaa'>");
    for (name, inner) in [
        ("b", "a"),
        ("c", "b"),
        ("d", "c"),
        ("e", "d"),
        ("f", "e"),
        ("g", "f"),
        ("h", "g"),
        ("i", "h"),
    ] {
        let ten = format!("&{inner};").repeat(10);
        bomb.extend(["<!ENTITY ", name, " '", &ten, "'>"]);
    }
    bomb += "<!ENTITY file SYSTEM 'file:///etc/passwd'>]><svg width='99' height='99'><text>&i;&file;</text></svg>";
    let resolve = |_: &str| Some(bomb.clone().into_bytes());
    let parsed =
        common::read_with("page.html", b"<p>x<p><img alt=bomb src=bomb.svg>", &resolve).unwrap();
    assert!(
        parsed
            .document
            .nodes
            .iter()
            .all(|node| node.text.len() < 100_000)
    );
    assert!(catena_parse::picture_png(bomb.as_bytes(), 100).is_err());
}

#[test]
fn nothing_to_read() {
    assert_eq!(
        common::read("a.html", b"").unwrap_err(),
        ParseError::UnknownKind
    );
    assert_eq!(
        common::read("a.html", b"<p> </p>").unwrap_err(),
        ParseError::NoEvidence
    );
}

/// Tags and texts in any order, most of them wrong.
fn soup() -> impl Strategy<Value = String> {
    let tags = [
        "p",
        "div",
        "h1",
        "h2",
        "h4",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "td",
        "th",
        "figure",
        "figcaption",
        "img src=a.png alt='Figure 1. A'",
        "img src=b.png",
        "br",
        "pre",
        "b",
        "em",
        "a href=#x",
        "a name=y",
        "section id=s",
        "nav",
        "main",
        "aside",
        "header",
        "footer",
        "svg viewBox='0 0 99 99'",
        "text",
        "rect",
        "math",
        "sup",
        "span",
        "script",
        "select",
        "template",
        "td colspan=3",
        "td rowspan=2",
        "td rowspan=0",
        "td colspan=0 rowspan=9",
        "div class=caption",
        "div class=footnotes",
        "div role=heading aria-level=3",
        "p hidden",
        "frameset",
        "object data=x.svg",
        "details",
        "table role=presentation",
        "button",
    ];
    let part = prop_oneof![
        4 => proptest::sample::select(tags.to_vec()).prop_map(|tag| format!("<{tag}>")),
        2 => proptest::sample::select(tags.to_vec()).prop_map(|tag| format!("</{}>", tag.split(' ').next().unwrap_or(tag))),
        2 => proptest::sample::select(vec!["Figure 2. Pump", "Table 1: Sizes", "words and more.", " ", "\n", "1", "¶", "&nbsp;", "&#x110000;"]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    proptest::collection::vec(part, 0..120).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_soup_makes_a_sound_tree(html in soup()) {
        let resolve = |path: &str| path.starts_with('a').then(|| b"<svg width='90' height='90'/>".to_vec());
        // `read_with` checks the tree.
        let _ = common::read_with("page.html", html.as_bytes(), &resolve);
        let _ = common::read("page.md", html.as_bytes());
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = common::read("page.html", &bytes);
        let _ = catena_parse::picture_png(&bytes, 64);
    }
}
