use crate::make::{
    Parts, archive, docx_parts, drawing, epub_parts, listed, p, pptx_parts, xlsx_parts,
};
use crate::{check, common};
use insta::assert_snapshot;
use proptest::prelude::*;

/// A document of each kind.
fn samples() -> Vec<Parts> {
    let body = p("", "Words.") + &listed(1, 0, "Step") + &drawing("pic", "A pump");
    let slide = "<p:sp><p:txBody><a:p><a:r><a:t>Words</a:t></a:r></a:p></p:txBody></p:sp>";
    let sheet = "<sheetData><row><c><v>1</v></c><c><v>2</v></c></row></sheetData>";
    vec![
        docx_parts(&body),
        pptx_parts(&[slide]),
        xlsx_parts(&[("Sheet", "visible", sheet)], &[]),
        epub_parts(
            &["<h1>Title</h1><p>Words.</p>"],
            "<li><a href=\"text/p0.xhtml\">Title</a></li>",
        ),
    ]
}

fn with(mut parts: Parts, name: &str, content: Option<Vec<u8>>) -> Vec<u8> {
    parts.retain(|(known, _)| known != name);
    parts.extend(content.map(|content| (name.to_owned(), content)));
    archive(&parts)
}

#[test]
fn bombs_are_not_unpacked() {
    let bomb = vec![b' '; 300 << 20];
    let body = p("", "Words.") + &drawing("pic", "A pump");
    let picture = with(docx_parts(&body), "word/media/pump.png", Some(bomb.clone()));
    assert_snapshot!(check("a.docx", &picture), @r#"
    "a"
    Text Words.
    Picture - "A pump"
    ! `word/media/pump.png` is too large when unpacked
    ! 1 picture not found, first `word/media/pump.png`
    "#);
    let main = with(docx_parts(&body), "word/document.xml", Some(bomb));
    assert_snapshot!(check("a.docx", &main), @"error: the file is too large: `word/document.xml` is too large when unpacked");
}

#[test]
fn deep_nesting_is_bounded() {
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let work = || {
        let table = "<w:tbl><w:tr><w:tc>".repeat(20_000);
        let boxes = "<w:p><w:r><w:pict><w:txbxContent>".repeat(20_000);
        let groups = "<p:grpSp>".repeat(20_000);
        let math = "<w:p><m:oMath>".to_owned() + &"<m:f><m:num>".repeat(20_000);
        for deep in [table, boxes, math] {
            let shown = check("a.docx", &archive(&docx_parts(&(p("", "before") + &deep))));
            assert!(shown.contains("Text before"), "{shown}");
        }
        check("a.pptx", &archive(&pptx_parts(&[&groups])));
        let nav = "<li><ol>".repeat(20_000);
        let shown = check("a.epub", &archive(&epub_parts(&["<p>before</p>"], &nav)));
        assert!(shown.contains("Text before"), "{shown}");
    };
    thread.spawn(work).unwrap().join().unwrap();
}

#[test]
fn entities_are_not_expanded() {
    let bomb = "<!DOCTYPE d [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
        <w:document><w:body><w:p><w:r><w:t>x&b;&f;y</w:t></w:r></w:p></w:body></w:document>";
    let bytes = with(docx_parts(""), "word/document.xml", Some(bomb.into()));
    assert_snapshot!(check("a.docx", &bytes), @r#"
    "a"
    Text xy
    "#);
}

#[test]
fn missing_and_broken_parts_leave_the_rest() {
    let body = p("", "Words.") + &listed(1, 0, "Step");
    for name in [
        "word/styles.xml",
        "word/numbering.xml",
        "docProps/core.xml",
        "_rels/.rels",
        "word/_rels/document.xml.rels",
    ] {
        for content in [None, Some(b"<broken".to_vec()), Some(vec![0xff; 99])] {
            let shown = check("a.docx", &with(docx_parts(&body), name, content));
            assert!(
                shown.contains("Words.") && shown.contains("Step"),
                "{name}: {shown}"
            );
        }
    }
    let cut = "<w:document><w:body><w:p><w:r><w:t>Words.</w:t></w:r></w:p><w:p><w:r><w:t";
    assert_snapshot!(check("a.docx", &with(docx_parts(""), "word/document.xml", Some(cut.into()))), @r#"
    "a"
    Text Words.
    ! `word/document.xml` is broken or too large: its end was left out
    "#);
    assert_snapshot!(check("a.docx", &with(docx_parts(""), "word/document.xml", None)), @"error: the file is damaged: `word/document.xml` is missing");
    let slides = pptx_parts(&[
        "",
        "<p:sp><p:txBody><a:p><a:r><a:t>Words</a:t></a:r></a:p></p:txBody></p:sp>",
    ]);
    assert_snapshot!(check("a.pptx", &with(slides, "ppt/slides/slide0.xml", None)), @r#"
    "a"
    # Slide 2 #slide-2
      Text Words
    ! `ppt/slides/slide0.xml` is missing
    "#);
    let sheets = xlsx_parts(
        &[
            ("One", "visible", ""),
            (
                "Two",
                "visible",
                "<sheetData><row><c><v>1</v></c><c><v>2</v></c></row></sheetData>",
            ),
        ],
        &[],
    );
    assert_snapshot!(check("a.xlsx", &with(sheets, "xl/worksheets/sheet0.xml", None)), @r#"
    "a"
    # Two #Two
      Table 1x2
        | 0:1 | 1:2 #Two!A1:B1
    ! `xl/worksheets/sheet0.xml` is missing
    "#);
    let book = epub_parts(&["<p>a</p>", "<p>b</p>"], "");
    assert_snapshot!(check("a.epub", &with(book, "OPS/text/p0.xhtml", None)), @r#"
    "The book"
    Text b #OPS/text/p1.xhtml
    ! `OPS/text/p0.xhtml` is missing
    "#);
}

#[test]
fn large_sheets_are_cut() {
    let row = "<row>".to_owned() + &"<c><v>1</v></c>".repeat(1_000) + "</row>";
    let sheet = format!("<sheetData>{}</sheetData>", row.repeat(250));
    let shown = check(
        "a.xlsx",
        &archive(&xlsx_parts(&[("Long", "visible", &sheet)], &[])),
    );
    assert!(shown.contains("Table 200x1000"));
    assert!(shown.contains("! the end of the sheet `Long` was left out: only the first 200000 cells of the workbook are read"));
    let diagonal = (1..60_000).map(|at| {
        format!(
            "<row r=\"{at}\"><c r=\"{}{at}\"><v>1</v></c></row>",
            column(at % 16_000)
        )
    });
    let sheet = format!("<sheetData>{}</sheetData>", diagonal.collect::<String>());
    let shown = check(
        "a.xlsx",
        &archive(&xlsx_parts(&[("Far", "visible", &sheet)], &[])),
    );
    assert!(shown.contains("too large"));
}

fn column(at: usize) -> String {
    let letter = |at: usize| char::from(b'A' + (at % 26) as u8);
    [letter(at / 676), letter(at / 26), letter(at)]
        .iter()
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_after_the_magic_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for magic in [&b"PK\x03\x04"[..], b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"II*\0", b"MM\0*", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8\xff"] {
            let _ = common::read("a", &[magic, &bytes].concat());
        }
    }

    /// What is changed within a part, the archive being sound.
    #[test]
    fn any_change_of_a_part_is_read(
        kind in 0..4_usize, which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(), length in 0..40_usize, with in "[ -~]{0,12}",
    ) {
        let mut parts = samples().swap_remove(kind);
        let which = which.index(parts.len());
        let content = &mut parts[which].1;
        let at = at.index(content.len() + 1);
        content.splice(at..(at + length).min(content.len()), with.bytes());
        let _ = common::read("a", &archive(&parts));
    }

    #[test]
    fn any_change_of_a_file_is_read(
        kind in 0..4_usize, at in any::<prop::sample::Index>(), bytes in proptest::collection::vec(any::<u8>(), 0..9), cut in any::<bool>(),
    ) {
        let mut file = archive(&samples().swap_remove(kind));
        let at = at.index(file.len());
        if cut {
            file.truncate(at);
        } else {
            let end = (at + bytes.len()).min(file.len());
            file.splice(at..end, bytes);
        }
        let _ = common::read("a", &file);
    }
}
