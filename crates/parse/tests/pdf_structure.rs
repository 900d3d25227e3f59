//! The hierarchy and the references of PDFs, on small files that are written here.

use catena_document::{Document, EdgeKind, Node, NodeKind, edges};
use catena_parse::{ParseOptions, Source, parse};
use std::fmt::Write as _;

/// The number of the first page's object; its content follows it.
const FIRST_PAGE: usize = 5;

/// A page being drawn; y runs up from the foot, as in the file.
#[derive(Default)]
struct Sheet {
    content: String,
    annotations: String,
    marks: usize,
}

impl Sheet {
    fn set(&mut self, font: &str, size: u32, (x, y): (u32, u32), text: &str) -> &mut Self {
        let text = text.replace('(', "\\(").replace(')', "\\)");
        let _ = writeln!(
            self.content,
            "BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET"
        );
        self
    }

    /// Text of the body.
    fn body(&mut self, y: u32, text: &str) -> &mut Self {
        self.set("F1", 10, (72, y), text)
    }

    /// What `draw` draws, as marked content with the next number.
    fn mark(&mut self, tag: &str, draw: impl FnOnce(&mut Self)) -> &mut Self {
        let number = self.marks;
        self.marks += 1;
        let _ = writeln!(self.content, "/{tag} <</MCID {number}>> BDC");
        draw(self);
        self.content.push_str("EMC\n");
        self
    }

    /// A paragraph of three lines below `y`.
    fn paragraph(&mut self, y: u32) -> &mut Self {
        let line = "the pump lifts water from the tank into the boiler and holds its pressure";
        self.body(y, line)
            .body(y - 12, line)
            .body(y - 24, "while it heats.")
    }

    fn link(&mut self, [left, bottom, right, top]: [u32; 4], destination: &str) -> &mut Self {
        let _ = write!(
            self.annotations,
            "<</Type /Annot /Subtype /Link /Rect [{left} {bottom} {right} {top}] /Dest {destination}>> "
        );
        self
    }
}

/// A PDF of these pages; `catalog` is what the catalogue has besides them, and `more` are the
/// objects after the pages.
fn pdf(sheets: &[Sheet], catalog: &str, more: &[String]) -> Vec<u8> {
    let font = |name: &str| {
        let widths = "500 ".repeat(95);
        format!(
            "<</Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding \
             /FirstChar 32 /LastChar 126 /Widths [{widths}]>>"
        )
    };
    let kids: Vec<String> = (0..sheets.len())
        .map(|at| format!("{} 0 R", FIRST_PAGE + 2 * at))
        .collect();
    let mut objects = vec![
        format!("<</Type /Catalog /Pages 2 0 R {catalog}>>"),
        format!(
            "<</Type /Pages /Count {} /Kids [{}]>>",
            kids.len(),
            kids.join(" ")
        ),
        font("Helvetica"),
        font("Helvetica-Bold"),
    ];
    for (at, sheet) in sheets.iter().enumerate() {
        objects.push(format!(
            "<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R \
             /Resources <</Font <</F1 3 0 R /F2 4 0 R>>>> /Annots [{}]>>",
            FIRST_PAGE + 2 * at + 1,
            sheet.annotations
        ));
        let content = &sheet.content;
        objects.push(format!(
            "<</Length {}>>\nstream\n{content}\nendstream",
            content.len() + 1
        ));
    }
    objects.extend(more.iter().cloned());
    let mut out = "%PDF-1.7\n".to_owned();
    let mut places = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        places.push(out.len());
        let _ = write!(out, "{number} 0 obj\n{object}\nendobj\n");
    }
    let start = out.len();
    let _ = write!(out, "xref\n0 {}\n0000000000 65535 f \n", places.len() + 1);
    for place in &places {
        let _ = writeln!(out, "{place:010} 00000 n ");
    }
    let size = places.len() + 1;
    let _ = write!(
        out,
        "trailer\n<</Size {size} /Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"
    );
    out.into_bytes()
}

/// The catalogue's entries and the object for a structure tree of these elements.
fn tree(sheets: &[Sheet], elements: &str) -> (String, Vec<String>) {
    let at = FIRST_PAGE + 2 * sheets.len();
    let catalog = format!("/MarkInfo <</Marked true>> /StructTreeRoot {at} 0 R");
    let root = format!(
        "<</Type /StructTreeRoot /RoleMap <</Heading1 /H1 /Heading2 /H2>> /K [{elements}]>>"
    );
    (catalog, vec![root])
}

fn read(bytes: &[u8]) -> Document {
    let source = Source {
        uri: "drawn.pdf",
        bytes,
        resolve: &|_| None,
    };
    parse(&source, &ParseOptions::default()).unwrap().document
}

fn tagged(sheets: &[Sheet], elements: &str) -> Document {
    let (catalog, more) = tree(sheets, elements);
    read(&pdf(sheets, &catalog, &more))
}

/// The headings, indented by level.
fn headings(document: &Document) -> String {
    let mut out = String::new();
    for node in &document.nodes {
        if let NodeKind::SectionHeader { level } = node.kind {
            let indent = "  ".repeat(usize::from(level) - 1);
            let _ = writeln!(out, "{indent}{}", node.text);
        }
    }
    out
}

/// The references as `from → to`, by the first words of their texts.
fn references(document: &Document) -> String {
    let words = |node: &Node| {
        let words: Vec<&str> = node.text.split_whitespace().take(4).collect();
        words.join(" ")
    };
    let mut out = String::new();
    for edge in edges(document) {
        if edge.kind == EdgeKind::RefersTo {
            let from = document.node(edge.from).unwrap();
            let to = document.node(edge.to).unwrap();
            let _ = writeln!(out, "{} → {}", words(from), words(to));
        }
    }
    out
}

/// A page of four headings that all look the same and a bold paragraph; the tree has the tags
/// `names` for the five.
fn one_look(names: [&str; 5]) -> Document {
    let texts = ["Water", "Tank", "Hose", "Power", "Mind that it is hot"];
    let mut sheet = Sheet::default();
    let mut elements = String::new();
    for ((name, text), at) in names.iter().zip(texts).zip(0_u32..) {
        let y = 720 - 120 * at;
        let number = sheet.marks;
        let _ = write!(elements, "<</S /{name} /Pg 5 0 R /K {number}>> ");
        sheet.mark(name, |sheet| {
            sheet.set("F2", 10, (72, y), text);
        });
        let number = sheet.marks;
        let _ = write!(elements, "<</S /P /Pg 5 0 R /K {number}>> ");
        sheet.mark("P", |sheet| {
            sheet.paragraph(y - 24);
        });
    }
    tagged(&[sheet], &elements)
}

#[test]
fn the_structure_tree_tells_levels_that_looks_do_not() {
    let document = one_look(["Heading1", "Heading2", "Heading2", "Heading1", "P"]);
    insta::assert_snapshot!(headings(&document), @"
    Water
      Tank
      Hose
    Power
    ");
}

#[test]
fn a_structure_tree_without_headings_is_not_believed() {
    // All is a paragraph, as careless tools tag it: looks decide.
    let document = one_look(["P", "P", "P", "P", "P"]);
    insta::assert_snapshot!(headings(&document), @"
    Water
    Tank
    Hose
    Power
    Mind that it is hot
    ");
}

#[test]
fn a_structure_tree_that_calls_all_a_heading_is_not_believed() {
    let mut sheet = Sheet::default();
    let mut elements = String::new();
    for at in 0..5 {
        let _ = write!(elements, "<</S /H1 /Pg 5 0 R /K {at}>> ");
        sheet.mark("H1", |sheet| {
            sheet.paragraph(720 - 80 * at);
        });
    }
    insta::assert_snapshot!(headings(&tagged(&[sheet], &elements)), @"");
}

#[test]
fn pictures_have_the_texts_that_the_tree_gives_them() {
    let mut sheet = Sheet::default();
    let image = "BI /W 2 /H 2 /CS /G /BPC 8 ID \u{1}\u{7f}\u{10}\u{60} EI";
    sheet.paragraph(720);
    for (y, name) in [(480, "Figure"), (280, "Figure")] {
        sheet.mark(name, |sheet| {
            let _ = writeln!(sheet.content, "q 200 0 0 150 72 {y} cm {image} Q");
        });
    }
    sheet.paragraph(200);
    let elements = "<</S /Figure /Pg 5 0 R /K 0 /Alt (The pump with its lid off)>> \
        <</S /Figure /Pg 5 0 R /K 1 /Alt (image002.png)>>";
    let document = tagged(&[sheet], elements);
    let alts: Vec<_> = document
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            NodeKind::Picture(picture) => Some(picture.alt.as_deref()),
            _ => None,
        })
        .collect();
    assert_eq!(alts, [Some("The pump with its lid off"), None]);
}

#[test]
fn header_cells_are_those_of_the_tree() {
    let mut sheet = Sheet::default();
    sheet.paragraph(740);
    for line in 0..=3 {
        let _ = writeln!(sheet.content, "72 {0} m 372 {0} l S", 600 + 20 * line);
        let _ = writeln!(sheet.content, "{0} 600 m {0} 660 l S", 72 + 100 * line);
    }
    let rows = [
        ["Model", "Watt", "Volt"],
        ["Small", "900", "230"],
        ["Large", "1800", "400"],
    ];
    let mut elements = "<</S /Table /Pg 5 0 R /K [".to_owned();
    for (cells, row) in rows.iter().zip(0_u32..) {
        elements.push_str("<</S /TR /K [");
        for (cell, column) in cells.iter().zip(0_u32..) {
            let name = if row_or_column(column, cells, &rows) {
                "TH"
            } else {
                "TD"
            };
            let _ = write!(elements, "<</S /{name} /Pg 5 0 R /K {}>> ", sheet.marks);
            sheet.mark(name, |sheet| {
                sheet.set("F1", 10, (78 + 100 * column, 646 - 20 * row), cell);
            });
        }
        elements.push_str("]>> ");
    }
    elements.push_str("]>>");
    sheet.paragraph(560);
    let document = tagged(&[sheet], &elements);
    let table = document.nodes.iter().find_map(|node| match &node.kind {
        NodeKind::Table(table) => Some(table),
        _ => None,
    });
    let headers: Vec<&str> = table
        .unwrap()
        .cells
        .iter()
        .filter(|cell| cell.header)
        .map(|cell| cell.text.as_str())
        .collect();
    assert_eq!(headers, ["Model", "Watt", "Volt", "Small", "Large"]);
}

/// Whether a cell is in the first row or column.
fn row_or_column(column: u32, cells: &[&str; 3], rows: &[[&str; 3]; 3]) -> bool {
    column == 0 || *cells == rows[0]
}

#[test]
fn links_and_printed_page_numbers_lead_to_nodes() {
    let mut first = Sheet::default();
    first
        .set("F2", 14, (72, 740), "1 Care")
        .paragraph(710)
        .body(640, "How to clean it is told elsewhere.")
        .body(600, "The filter is on page 7, below the tank.")
        .link([72, 638, 200, 650], "[7 0 R /XYZ 72 760 null]");
    let mut second = Sheet::default();
    second
        .set("F2", 14, (72, 740), "2 Cleaning")
        .paragraph(710)
        .body(640, "Use a soft cloth.");
    let labels = "/PageLabels <</Nums [0 <</S /D /St 6>>]>>";
    let document = read(&pdf(&[first, second], labels, &[]));
    let printed: Vec<_> = document
        .pages
        .iter()
        .map(|page| page.label.as_deref())
        .collect();
    assert_eq!(printed, [Some("6"), Some("7")]);
    insta::assert_snapshot!(references(&document), @"
    How to clean it → 2 Cleaning
    The filter is on → 2 Cleaning
    The filter is on → the pump lifts water
    The filter is on → Use a soft cloth.
    ");
}

#[test]
fn the_name_after_a_bare_chapter_number_is_its_heading() {
    let mut sheets = Vec::new();
    for (number, name) in [("1", "Water"), ("2", "Power"), ("3", "Sound")] {
        let mut sheet = Sheet::default();
        sheet
            .set("F2", 18, (72, 660), &format!("Chapter {number}"))
            .set("F2", 22, (72, 620), name)
            .paragraph(580)
            .set("F2", 12, (72, 520), "Daily care")
            .paragraph(490);
        sheets.push(sheet);
    }
    insta::assert_snapshot!(headings(&read(&pdf(&sheets, "", &[]))), @"
    Chapter 1 Water
      Daily care
    Chapter 2 Power
      Daily care
    Chapter 3 Sound
      Daily care
    ");
}

#[test]
fn steps_that_count_over_and_over_are_no_chapters() {
    let mut sheets = Vec::new();
    for name in ["Screen", "Sound", "Keys", "Battery"] {
        let mut sheet = Sheet::default();
        sheet.set("F2", 16, (72, 740), name).paragraph(710);
        for (at, text) in [(1, "Lock the screen"), (2, "Turn it on")] {
            let y = 640 - 160 * (at - 1);
            sheet.set("F2", 13, (72, y), text).paragraph(y - 24);
            for step in 1..=3 {
                let text = format!("{step} Touch the icon and hold it until the light goes off");
                sheet.set("F1", 12, (72, y - 70 - 18 * step), &text);
            }
        }
        sheets.push(sheet);
    }
    insta::assert_snapshot!(headings(&read(&pdf(&sheets, "", &[]))), @"
    Screen
      Lock the screen
      Turn it on
    Sound
      Lock the screen
      Turn it on
    Keys
      Lock the screen
      Turn it on
    Battery
      Lock the screen
      Turn it on
    ");
}

#[test]
fn names_keep_their_drawn_underscores() {
    let mut sheet = Sheet::default();
    sheet.paragraph(740).body(640, "set").body(620, "end");
    // 3 pt of rule between two parts of a name, each letter 5 pt wide.
    sheet
        .set("F1", 10, (72, 600), "snake")
        .set("F1", 10, (101, 600), "case");
    sheet.content.push_str("97.5 600 3 0.4 re f\n");
    let document = read(&pdf(&[sheet], "", &[]));
    let text = document.nodes.last().map(|node| node.text.as_str());
    assert!(text.unwrap().contains("snake_case"), "{text:?}");
}
