use super::check;
use crate::make::{archive, docx_parts, epub_parts, p, part, pptx_parts, relations, xlsx_parts};
use insta::assert_snapshot;

#[test]
fn archives_within_archives() {
    let mut bytes = archive(&docx_parts(&p("", "Words.")));
    for _ in 0..50 {
        bytes = archive(&vec![("word/document.xml".to_owned(), bytes)]);
    }
    assert_snapshot!(check("a.docx", &bytes), @"error: not a kind of file that is read");
    let mut parts = docx_parts(&p("", "Words."));
    parts.push(("word/embeddings/a.docx".to_owned(), bytes));
    assert_snapshot!(check("a.docx", &archive(&parts)), @"1 nodes, 0 pages: Words.");
}

#[test]
fn entries_that_share_their_bytes() {
    // Every name of the directory leads to the same entry.
    let content = vec![b' '; 64 << 20];
    let pages = ["<p>Words.</p>"];
    let mut parts = epub_parts(&pages, "");
    let items: String = (0..200)
        .map(|at| format!("<item id=\"q{at}\" href=\"q{at}.xhtml\"/>"))
        .collect();
    let refs: String = (0..200)
        .map(|at| format!("<itemref idref=\"q{at}\"/>"))
        .collect();
    let opf = format!("<package><manifest>{items}</manifest><spine>{refs}</spine></package>");
    parts.push(part("OPS/book.opf", &opf));
    parts.push(("OPS/q0.xhtml".to_owned(), content));
    let mut bytes = archive(&parts);
    // The entries of the directory after the first of 200 are copies of it with other names.
    let name = b"OPS/q0.xhtml";
    let at = bytes
        .windows(name.len())
        .rposition(|window| window == name)
        .expect("its entry");
    let entry = bytes[at - 46..at + name.len()].to_vec();
    let end = bytes.len() - 22;
    let copies: Vec<u8> = (1..200)
        .flat_map(|number| {
            let mut copy = entry.clone();
            let own = format!("OPS/q{number}.xhtml");
            copy[28..30].copy_from_slice(&(own.len() as u16).to_le_bytes());
            copy.truncate(46);
            copy.extend(own.bytes());
            copy
        })
        .collect();
    let size = u32::from_le_bytes(bytes[end + 12..end + 16].try_into().expect("four bytes"))
        + copies.len() as u32;
    let count = u16::from_le_bytes(bytes[end + 10..end + 12].try_into().expect("two bytes")) + 199;
    bytes[end + 8..end + 10].copy_from_slice(&count.to_le_bytes());
    bytes[end + 10..end + 12].copy_from_slice(&count.to_le_bytes());
    bytes[end + 12..end + 16].copy_from_slice(&size.to_le_bytes());
    bytes.splice(end..end, copies);
    assert_snapshot!(check("a.epub", &bytes), @"error: no text, table or picture found");
}

#[test]
fn a_hundred_thousand_entries() {
    let mut parts = docx_parts(&p("", "Words."));
    parts.extend((0..60_000).map(|at| (format!("x/{at}"), Vec::new())));
    let parts: Vec<_> = parts;
    let mut unique = std::collections::BTreeMap::new();
    unique.extend(parts);
    let bytes = quick_archive(&unique);
    assert_snapshot!(check("a.docx", &bytes), @"error: the file is too large: 60009 files in an archive");
}

/// An archive of parts with names of their own.
fn quick_archive(parts: &std::collections::BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(name.as_str(), zip::write::SimpleFileOptions::default())
            .expect("a place");
        zip.write_all(content).expect("room");
    }
    zip.finish().expect("an archive").into_inner()
}

#[test]
fn large_parts() {
    // Of the largest size that an entry may have, in small pieces: it is not packed too tightly.
    let row = "<w:p><w:r><w:t>ab</w:t></w:r></w:p>".repeat(3_000_000);
    assert_snapshot!(check("a.docx", &archive(&docx_parts(&row))), @"
    749999 nodes, 0 pages: ab ab ab ab ab ab ab ab
    ! `word/document.xml` is broken or too large: its end was left out
    ");
    let cells: String = (0..200_000)
        .map(|at| format!("<row><c><v>{at}</v></c><c><v>7</v></c></row>"))
        .collect();
    assert_snapshot!(check("a.xlsx", &archive(&xlsx_parts(&[("S", "visible", &format!("<sheetData>{cells}</sheetData>"))], &[]))), @"
    2 nodes, 0 pages: S 0 | 7 1 | 7 2
    ! the end of the sheet `S` was left out: only the first 200000 cells of the workbook are read
    ");
    let page = "<p>a<b>b</b><i>c</i>".repeat(1_000_000);
    assert_snapshot!(check("a.epub", &archive(&epub_parts(&[&page], ""))), @"
    666666 nodes, 0 pages: abc abc abc abc abc abc abc abc
    ! `OPS/text/p0.xhtml`: `OPS/text/p0.xhtml` is too complex: its end was left out
    ");
}

#[test]
fn a_page_that_the_spine_names_again_and_again() {
    let mut parts = epub_parts(
        &[&format!("<p>Words.</p>{}", "<p>a</p>".repeat(20_000))],
        "",
    );
    let refs = "<itemref idref=\"a\"/>".repeat(10_000);
    let opf = format!(
        "<package><manifest><item id=\"a\" href=\"text/p0.xhtml\"/></manifest><spine>{refs}</spine></package>"
    );
    parts.push(part("OPS/book.opf", &opf));
    assert_snapshot!(check("a.epub", &archive(&parts)), @"20001 nodes, 0 pages: Words. a a a a a a a");
}

#[test]
fn slides_and_sheets_that_are_named_again_and_again() {
    let slide =
        "<p:sp><p:txBody><a:p><a:r><a:t>Words</a:t></a:r></a:p></p:txBody></p:sp>".repeat(5_000);
    let mut parts = pptx_parts(&[&slide]);
    let ids = "<p:sldId r:id=\"r0\"/>".repeat(5_000);
    parts.push(part(
        "ppt/presentation.xml",
        &format!("<p:presentation><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"),
    ));
    let shown = check("a.pptx", &archive(&parts));
    assert!(
        shown.starts_with("5002 nodes, 5000 pages")
            && shown.contains("! slide 2 is another one again"),
        "{shown}"
    );
    let cells = format!(
        "<sheetData>{}</sheetData>",
        "<row><c/><c/></row>".repeat(100_000)
    );
    let mut parts = xlsx_parts(
        &[(
            "S",
            "visible",
            &(cells + "<sheetData><row><c><v>1</v></c><c><v>2</v></c></row></sheetData>"),
        )],
        &[],
    );
    let sheets = "<sheet name=\"S\" r:id=\"r0\"/>".repeat(2_000);
    parts.push(part(
        "xl/workbook.xml",
        &format!("<workbook><sheets>{sheets}</sheets></workbook>"),
    ));
    assert_snapshot!(check("a.xlsx", &archive(&parts)), @"
    2 nodes, 0 pages: S 1 | 2
    ! the sheet `S` is another one again
    ");
}

#[test]
fn parts_that_refer_to_themselves() {
    let mut parts = docx_parts(&p("", "Words."));
    let targets = [
        ("s", "styles", "document.xml"),
        ("n", "numbering", "document.xml"),
        ("f", "footnotes", "document.xml"),
        ("e", "endnotes", "document.xml"),
        ("c", "comments", "document.xml"),
    ];
    parts.push(relations("word/document.xml", &targets));
    assert_snapshot!(check("a.docx", &archive(&parts)), @"1 nodes, 0 pages: Words.");
    let mut parts =
        pptx_parts(&["<p:sp><p:txBody><a:p><a:r><a:t>Words</a:t></a:r></a:p></p:txBody></p:sp>"]);
    let own = "slide0.xml";
    parts.push(relations(
        "ppt/slides/slide0.xml",
        &[
            ("l", "slideLayout", own),
            ("n", "notesSlide", own),
            ("m", "slideMaster", own),
            ("d", "diagramData", own),
        ],
    ));
    assert_snapshot!(check("a.pptx", &archive(&parts)), @"2 nodes, 1 pages: Slide 1 Words");
}

#[test]
fn a_cell_in_the_last_row() {
    let sheet = "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row></sheetData>\
        <mergeCells><mergeCell ref=\"A1:XFD1048576\"/></mergeCells>";
    assert_snapshot!(check("a.xlsx", &archive(&xlsx_parts(&[("S", "visible", sheet)], &[]))), @"
    2 nodes, 0 pages: S 1
    ! a table of the sheet `S` is too large: its end was left out
    ");
}
