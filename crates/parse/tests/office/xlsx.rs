use crate::check;
use crate::make::{archive, part, relations, xlsx_parts};
use insta::assert_snapshot;

fn read(sheets: &[(&str, &str, &str)], strings: &[&str]) -> String {
    check("book.xlsx", &archive(&xlsx_parts(sheets, strings)))
}

/// Rows of cells: `=` begins a number, and ends with `@` and its look.
fn rows(list: &[(u32, &[(&str, &str)])]) -> String {
    let rows = list.iter().map(|(row, cells)| {
        let cells = cells.iter().map(|(column, text)| {
            let (text, look) = text.split_once('@').unwrap_or((text, "0"));
            match text.strip_prefix('=') {
                Some(number) => {
                    format!("<c r=\"{column}{row}\" s=\"{look}\"><f>A1*2</f><v>{number}</v></c>")
                }
                None => format!(
                    "<c r=\"{column}{row}\" s=\"{look}\" t=\"inlineStr\"><is><t>{text}</t></is></c>"
                ),
            }
        });
        let cells: Vec<String> = cells.collect();
        format!("<row r=\"{row}\">{}</row>", cells.concat())
    });
    let rows: Vec<String> = rows.collect();
    format!("<sheetData>{}</sheetData>", rows.concat())
}

#[test]
fn sheets_areas_and_displayed_values() {
    let sales = rows(&[
        (1, &[("A", "Sales 2024")]),
        (
            2,
            &[
                ("A", "Region"),
                ("B", "When"),
                ("C", "Amount"),
                ("D", "Share"),
            ],
        ),
        (
            3,
            &[
                ("A", "East"),
                ("B", "=45352@2"),
                ("C", "=1234.5@3"),
                ("D", "=0.25@4"),
            ],
        ),
        (4, &[("A", "West"), ("C", "=7")]),
        (6, &[("A", "A note below.")]),
        (8, &[("A", "k@1"), ("B", "v@1"), ("D", "x"), ("E", "y")]),
        (9, &[("A", "a"), ("B", "b"), ("D", "z"), ("E", "w")]),
    ]) + "<mergeCells><mergeCell ref=\"A1:D1\"/></mergeCells>";
    let secret = rows(&[(1, &[("A", "secret")])]);
    let shared = "<sheetData><row><c t=\"s\"><v>1</v></c><c t=\"s\"><v>9</v></c><c t=\"b\"><v>1</v></c><c t=\"e\"><v>#N/A</v></c></row>\
        <row><c t=\"str\"><f>A1</f><v>made</v></c><c><v>3</v></c></row></sheetData>";
    assert_snapshot!(read(&[("Sales", "visible", &sales), ("Hidden", "hidden", &secret), ("Second", "visible", shared)], &["no", "shared &amp; safe"]), @r#"
    "book"
    # Sales #Sales
      Table 3x4
        | 0:[Region] | 1:[When] | 2:[Amount] | 3:[Share]
        | 0:East | 1:2024-03-01 | 2:1,234.50 € | 3:25%
        | 0:West | 2:7 #Sales!A2:D4
        Caption Sales 2024
      Text A note below. #Sales!A6
      Table 2x2
        | 0:[k] | 1:[v]
        | 0:a | 1:b #Sales!A8:B9
      Table 2x2
        | 0:x | 1:y
        | 0:z | 1:w #Sales!D8:E9
    # Second #Second
      Table 2x4
        | 0:shared & safe | 2:TRUE | 3:#N/A
        | 0:made | 1:3 #Second!A1:D2
    ! the hidden sheet `Hidden` is not read
    "#);
}

#[test]
fn merged_cells_and_headers() {
    let merged = rows(&[
        (2, &[("B", "Size"), ("D", "Price")]),
        (
            3,
            &[("B", "low"), ("C", "high"), ("D", "net"), ("E", "gross")],
        ),
        (4, &[("B", "=1"), ("C", "=2"), ("D", "=3"), ("E", "=4")]),
        (5, &[("B", "=5"), ("C", "=6"), ("D", "=7")]),
    ]) + "<mergeCells><mergeCell ref=\"B2:C2\"/><mergeCell ref=\"D2:E2\"/><mergeCell ref=\"D5:E5\"/><mergeCell ref=\"C4:XFD9999\"/></mergeCells>";
    let words = rows(&[
        (1, &[("A", "E1"), ("B", "Heat")]),
        (2, &[("A", "E2"), ("B", "Pump")]),
    ]);
    let frozen =
        "<sheetViews><sheetView><pane ySplit=\"1\" state=\"frozen\"/></sheetView></sheetViews>"
            .to_owned()
            + &words;
    let mut parts = xlsx_parts(
        &[
            ("Merged", "visible", &merged),
            ("Words", "visible", &words),
            ("Frozen", "visible", &frozen),
            ("Table", "visible", &words),
        ],
        &[],
    );
    parts.push(relations(
        "xl/worksheets/sheet3.xml",
        &[("t", "table", "../tables/t.xml")],
    ));
    parts.push(part("xl/tables/t.xml", "<table ref=\"A1:B2\"/>"));
    assert_snapshot!(check("book.xlsx", &archive(&parts)), @r#"
    "book"
    # Merged #Merged
      Table 4x4
        | 0:[Size](1x2) | 2:[Price](1x2)
        | 0:[low] | 1:[high] | 2:[net] | 3:[gross]
        | 0:1 | 1:2(2x3)
        | 0:5 #Merged!B2:XFD9999
    # Words #Words
      Table 2x2
        | 0:E1 | 1:Heat
        | 0:E2 | 1:Pump #Words!A1:B2
    # Frozen #Frozen
      Table 2x2
        | 0:[E1] | 1:[Heat]
        | 0:E2 | 1:Pump #Frozen!A1:B2
    # Table #Table
      Table 2x2
        | 0:[E1] | 1:[Heat]
        | 0:E2 | 1:Pump #Table!A1:B2
    "#);
}

#[test]
fn comments_name_their_cell() {
    let cells = rows(&[
        (1, &[("A", "Net"), ("B", "=7")]),
        (2, &[("A", "Tax"), ("B", "=1")]),
    ]);
    let mut parts = xlsx_parts(&[("Sales", "visible", &cells)], &[]);
    let targets = [
        ("c", "comments", "../comments1.xml"),
        ("t", "threadedComment", "../t.xml"),
    ];
    parts.push(relations("xl/worksheets/sheet0.xml", &targets));
    parts.push(part("xl/comments1.xml", "<comments><commentList><comment ref=\"B1\"><text><r><t>Net of</t></r><r><t xml:space=\"preserve\"> tax.</t></r></text></comment>\
        <comment ref=\"B2\"><text><t>[Threaded comment] Your version of Excel</t></text></comment><comment ref=\"no\"><text><t>x</t></text></comment></commentList></comments>"));
    parts.push(part("xl/t.xml", "<ThreadedComments><threadedComment ref=\"B2\"><text>Is it right?</text></threadedComment></ThreadedComments>"));
    assert_snapshot!(check("book.xlsx", &archive(&parts)), @r#"
    "book"
    # Sales #Sales
      Table 2x2
        | 0:Net | 1:7
        | 0:Tax | 1:1 #Sales!A1:B2
      Footnote [B2] Is it right? #Sales!B2
      Footnote [B1] Net of tax. #Sales!B1
    "#);
}
