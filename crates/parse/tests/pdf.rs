//! Reading the example manual's PDF, and files that are no good PDF.

use catena_document::{Document, LabelKind, Node, NodeId, NodeKind, caption_label, units};
use catena_parse::{Pages, ParseError, ParseOptions, Parsed, Source, parse};
use std::fmt::Write as _;
use std::path::PathBuf;

fn example(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read(path).unwrap()
}

fn read(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let source = Source {
        uri: "manual.pdf",
        bytes,
        resolve: &|_| None,
    };
    parse(&source, &ParseOptions::default())
}

fn manual() -> Document {
    read(&example("manual.pdf")).unwrap().document
}

fn of_kind(document: &Document, wanted: impl Fn(&NodeKind) -> bool) -> Vec<&Node> {
    document.nodes.iter().filter(|node| wanted(&node.kind)).collect()
}

#[test]
fn headings_have_their_levels_and_pages() {
    let document = manual();
    assert_eq!(document.title, "Kestrane Tarn Service Manual");
    assert_eq!(document.language.as_deref(), Some("en"));
    assert_eq!(document.pages.len(), 23);
    let mut out = String::new();
    for node in &document.nodes {
        if let NodeKind::SectionHeader { level } = node.kind {
            let indent = "  ".repeat(usize::from(level) - 1);
            let _ = writeln!(out, "{indent}{} p{}", node.text, node.page().unwrap());
        }
    }
    insta::assert_snapshot!(out, @"");
}

#[test]
fn every_figure_and_table_has_its_own_caption() {
    let document = manual();
    let mut out = String::new();
    let mut seen = (Vec::new(), Vec::new());
    for node in of_kind(&document, |kind| matches!(kind, NodeKind::Picture(_) | NodeKind::Table(_))) {
        let caption = document.children(node.id).find(|child| child.kind == NodeKind::Caption);
        let caption = caption.map_or("", |caption| caption.text.as_str());
        if let Some(label) = caption_label(caption) {
            let is_table = matches!(node.kind, NodeKind::Table(_));
            assert_eq!(label.kind == LabelKind::Table, is_table, "{caption}");
            let list = if is_table { &mut seen.1 } else { &mut seen.0 };
            list.push(label.number.parse::<u32>().unwrap());
        }
        let kind = match &node.kind {
            NodeKind::Table(table) => format!("table {}×{}", table.rows, table.columns),
            _ => "figure".to_owned(),
        };
        let _ = writeln!(out, "p{} {kind}: {caption}", node.page().unwrap());
    }
    insta::assert_snapshot!(out, @"");
    let all: Vec<u32> = (1..=18).collect();
    assert_eq!(seen, (all.clone(), all));
}

/// A subtree as indented text.
fn show(document: &Document, id: NodeId, depth: usize, out: &mut String) {
    let node = document.node(id).unwrap();
    let kind = match &node.kind {
        NodeKind::SectionHeader { level } => format!("h{level}"),
        NodeKind::Step { marker } => format!("step {marker}"),
        NodeKind::ListItem { marker } => format!("item {marker}"),
        NodeKind::Table(_) => "table".to_owned(),
        NodeKind::Picture(_) => "picture".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    };
    let text: String = node.text.chars().take(60).collect();
    let _ = writeln!(out, "{}{kind} {}", "  ".repeat(depth), text.replace('\n', " / "));
    for &child in &node.children {
        show(document, child, depth + 1, out);
    }
}

#[test]
fn a_procedure_keeps_its_steps_figures_and_notes() {
    let document = manual();
    let section = of_kind(&document, |kind| matches!(kind, NodeKind::SectionHeader { .. }))
        .into_iter()
        .find(|node| node.text == "7.2 Replace the pump")
        .unwrap();
    let mut out = String::new();
    show(&document, section.id, 0, &mut out);
    insta::assert_snapshot!(out, @"");
}

#[test]
fn a_table_has_its_cells_and_headers() {
    let document = manual();
    let table = |caption: &str| {
        let found = document.nodes.iter().find(|node| {
            let mut children = document.children(node.id);
            children.any(|child| child.kind == NodeKind::Caption && child.text.starts_with(caption))
        });
        match &found.unwrap().kind {
            NodeKind::Table(table) => table.clone(),
            other => panic!("{other:?}"),
        }
    };
    let faults = table("Table 11.");
    let e4 = (0..faults.rows).map(|row| faults.row_text(row)).find(|row| row.contains("E4"));
    insta::assert_snapshot!(e4.unwrap(), @"");
    insta::assert_snapshot!(table("Table 4.").markdown(), @"");
}

#[test]
fn every_place_lies_on_its_page_and_in_its_text() {
    let document = manual();
    for node in &document.nodes {
        for place in &node.provenance {
            let page = &document.pages[place.page as usize - 1];
            let bbox = place.bbox;
            let inside = bbox.left >= -1.0
                && bbox.top >= -1.0
                && bbox.right <= page.width + 1.0
                && bbox.bottom <= page.height + 1.0;
            assert!(inside, "{bbox:?} {}", node.text);
            let span = place.char_span.start as usize..place.char_span.end as usize;
            assert!(node.text.get(span.clone()).is_some(), "{span:?} of {:?}", node.text);
        }
    }
    assert!(!units(&document).is_empty());
}

#[test]
fn pages_and_crops_are_drawn() {
    let pages = Pages::open(&example("manual.pdf"), None).unwrap();
    assert_eq!(pages.count(), 23);
    let page = pages.draw(14, 1.0).unwrap();
    assert_eq!(page.size(), (595, 842));
    let png = page.png();
    assert!(png.starts_with(b"\x89PNG"));
    let whole = catena_document::BBox::new(0.0, 0.0, 595.0, 842.0);
    let crop = page.crop_png(&catena_document::BBox::new(95.0, 132.0, 418.0, 320.0)).unwrap();
    assert!(crop.len() < page.crop_png(&whole).unwrap().len());
    assert!(page.crop_png(&catena_document::BBox::new(700.0, 0.0, 800.0, 10.0)).is_none());
    assert!(pages.draw(24, 1.0).is_none() && pages.draw(0, 1.0).is_none());
}

#[test]
fn bad_files_are_errors() {
    let check = |bytes: &[u8], expected: &str| {
        let error = read(bytes).unwrap_err().to_string();
        assert_eq!(error, expected);
    };
    let good = example("manual.pdf");
    check(b"", "not a PDF, HTML or Markdown file");
    check(b"%PDF-1.7\n", "the file is damaged: no pages can be found in it");
    check(&good[..200], "the file is damaged: no pages can be found in it");
    check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not a PDF, HTML or Markdown file");
}

#[test]
fn a_truncated_file_keeps_what_can_be_read() {
    let good = example("manual.pdf");
    let cut = &good[..good.len() * 2 / 3];
    match read(cut) {
        Ok(parsed) => assert!(!parsed.document.nodes.is_empty()),
        Err(error) => assert!(matches!(error, ParseError::Damaged(_) | ParseError::NoEvidence)),
    }
}

/// Bytes changed at random never make it panic.
#[test]
fn broken_bytes_never_panic() {
    let good = example("manual.pdf");
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for _ in 0..8 {
        let mut bytes = good.clone();
        for _ in 0..200 {
            let at = random() as usize % bytes.len();
            bytes[at] = random() as u8;
        }
        let _ = read(&bytes);
    }
}
