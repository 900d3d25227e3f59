use super::check;
use crate::pdf::{file, page, stream};
use catena_parse::Pages;
use insta::assert_snapshot;

const HELLO: &str = "BT /F 12 Tf 72 700 Td (Hello there) Tj ET ";

fn read(bytes: &[u8]) -> String {
    check("a.pdf", bytes)
}

/// Reads a file of which the words may be found, or not.
fn survives(bytes: &[u8], what: &str) {
    let shown = read(bytes);
    let ends = shown.contains("Hello there") || shown.starts_with("error: ");
    assert!(ends, "{what}: {shown}");
}

/// A form that draws `content`, with these forms to draw.
fn form(content: &str, forms: &str) -> Vec<u8> {
    let entries =
        format!("/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<<{forms}>>>>");
    stream(&entries, content.as_bytes())
}

/// Objects in the usual order with another page tree.
fn with_tree(root: &str, more: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        root.as_bytes().to_vec(),
    ];
    objects.push(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>".to_vec());
    objects.push(stream("", HELLO.as_bytes()));
    objects.push(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec());
    objects.extend(more.iter().map(|object| object.as_bytes().to_vec()));
    file(&objects)
}

#[test]
fn a_hundred_thousand_objects() {
    let more: Vec<Vec<u8>> = (0..100_000)
        .map(|at| format!("<</Next {} 0 R>>", at + 7).into_bytes())
        .collect();
    assert_snapshot!(read(&page(HELLO, "", &more)), @"1 nodes, 1 pages: Hello there");
}

#[test]
fn arrays_and_dictionaries_without_end() {
    for (open, close) in [("[", "]"), ("<</A ", ">>"), ("[<</A[", "]>>]")] {
        for close in [close, ""] {
            let deep = open.repeat(100_000) + "1" + &close.repeat(100_000);
            // In the page's own dictionary, in one that nothing needs, and in the content.
            survives(&page(HELLO, &format!("/X {deep}"), &[]), open);
            survives(&page(HELLO, "", &[deep.clone().into_bytes()]), open);
            survives(&page(&format!("{HELLO}{deep} TJ {HELLO}"), "", &[]), open);
        }
    }
    let marked = format!("{HELLO}{}", "/P <</MCID 0>> BDC q ".repeat(100_000));
    assert_snapshot!(read(&page(&marked, "", &[])), @"1 nodes, 1 pages: Hello there");
}

#[test]
fn forms_that_draw_themselves() {
    let one = form("/X Do", "/X 6 0 R");
    assert_snapshot!(read(&page(&format!("{HELLO} /X Do"), "/XObject<</X 6 0 R>>", &[one])), @"1 nodes, 1 pages: Hello there");
    let two = [
        form("/X Do /X Do", "/X 7 0 R"),
        form("/X Do /X Do", "/X 6 0 R"),
    ];
    assert_snapshot!(read(&page(&format!("{HELLO} /X Do"), "/XObject<</X 6 0 R>>", &two)), @"1 nodes, 1 pages: Hello there");
}

#[test]
fn forms_that_draw_more_and_more() {
    let content = "/X Do ".repeat(10);
    let forms: Vec<Vec<u8>> = (0..12)
        .map(|at| form(&content, &format!("/X {} 0 R", at + 7)))
        .collect();
    let forms = [
        forms,
        vec![stream(
            "/Type/XObject/Subtype/Form/BBox[0 0 99 99]",
            b"0 0 9 9 re f",
        )],
    ]
    .concat();
    assert_snapshot!(read(&page(&format!("{HELLO} /X Do"), "/XObject<</X 6 0 R>>", &forms)), @"
    1 nodes, 1 pages: Hello there
    ! page 1: more is drawn than is read; the rest was left out
    ! page 1: hardly any text of its own, and its picture was not read: the models that read pictures are not there
    ");
}

#[test]
fn patterns_and_glyphs_that_draw_themselves() {
    let pattern = stream(
        "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 0.001/YStep 0.001/Resources<</Pattern<</P 6 0 R>>>>",
        b"/Pattern cs /P scn 0 0 9 9 re f",
    );
    let content = format!("{HELLO} /Pattern cs /P scn 0 0 500 500 re f");
    assert_snapshot!(read(&page(&content, "/Pattern<</P 6 0 R>>", &[pattern])), @"1 nodes, 1 pages: Hello there");
    let more = [
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs<</a 7 0 R>>/Encoding<</Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[9]/Resources<</Font<</T 6 0 R>>>>>>".to_vec(),
        stream("", b"9 0 d0 BT /T 1 Tf (aaaa) Tj ET"),
    ];
    assert_snapshot!(read(&page(&format!("{HELLO} BT /T 9 Tf (aaa) Tj ET"), "/Font<</F 5 0 R/T 6 0 R>>", &more)), @"2 nodes, 1 pages: Hello there aaa");
}

#[test]
fn pictures_cells_and_dashes_beyond_any_page() {
    let draws = |content: &str, resources: &str, object: Vec<u8>| {
        let file = page(&format!("{HELLO} {content}"), resources, &[object]);
        read(&file);
        let pages = Pages::open(&file, None).expect("a file");
        pages.draw(1, 0.5).is_some()
    };
    let picture = |content: &str, size: &str| {
        let entries =
            format!("/Type/XObject/Subtype/Image/ImageMask true/BitsPerComponent 1 {size}");
        draws(
            content,
            "/XObject<</X 6 0 R>>",
            stream(&entries, b"........"),
        )
    };
    let cells = |entries: &str| {
        let entries = format!("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1 {entries}");
        let content = "/Pattern cs /P scn 0 0 500 500 re f";
        draws(
            content,
            "/Pattern<</P 6 0 R>>",
            stream(&entries, b"0 0 9 9 re f"),
        )
    };
    assert!(picture("90 0 0 90 9 9 cm /X Do", "/Width 8/Height 8"));
    assert!(!picture(
        "90 0 0 90 9 9 cm /X Do",
        "/Width 16777216/Height 8"
    ));
    // Small, but drawn far larger than the page; and beside the page, where it is not made.
    assert!(!picture(
        "80000 0 0 80000 0 0 cm /X Do",
        "/Width 60000/Height 2"
    ));
    assert!(picture(
        "90 0 0 90 999 999 cm /X Do",
        "/Width 16777216/Height 8"
    ));
    let dashes = |pattern: &str| draws(&format!("{pattern} d 9 9 m 500 9 l S"), "", Vec::new());
    assert!(dashes("[3 2] 1"));
    assert!(!dashes("[-2147483 2] 0"));
    assert!(!dashes("[0.00001] 0"));
    assert!(!dashes("[1] 999999999"));
    assert!(cells("/BBox[0 0 9 9]/XStep 9/YStep 9"));
    // Cells that overlap a thousand thousand times, and one as large as a sheared page.
    assert!(!cells("/BBox[0 0 9 9]/XStep 0.005/YStep 0.005"));
    assert!(!cells(
        "/BBox[0 0 9 9]/XStep 30000/YStep 30000/Matrix[1 1 1 1.001 0 0]"
    ));
}

#[test]
fn trees_of_pages_that_lead_in_a_circle() {
    assert_snapshot!(read(&with_tree("<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>", &[])), @"1 nodes, 1 pages: Hello there");
    assert_snapshot!(read(&with_tree("<</Type/Pages/Kids[6 0 R 3 0 R]/Count 2>>", &["<</Type/Pages/Parent 2 0 R/Kids[2 0 R 6 0 R]/Count 99>>"])), @"1 nodes, 1 pages: Hello there");
    // The same page and the same branch again and again: 10 to the power of 8 pages.
    let branches: Vec<String> = (0..8)
        .map(|at| {
            format!(
                "<</Type/Pages/Kids[{}]/Count 9>>",
                format!("{} 0 R ", at + 7).repeat(10)
            )
        })
        .collect();
    let mut more: Vec<&str> = branches.iter().map(String::as_str).collect();
    more.push("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    assert_snapshot!(read(&with_tree("<</Type/Pages/Kids[6 0 R]/Count 1>>", &more)), @"1 nodes, 1 pages: Hello there");
    let lists: Vec<String> = (0..20_000)
        .map(|at| format!("<</Type/Pages/Kids[{} 0 R]/Count 1>>", at + 7))
        .collect();
    let mut more: Vec<&str> = lists.iter().map(String::as_str).collect();
    more.push("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    assert_snapshot!(read(&with_tree("<</Type/Pages/Kids[6 0 R]/Count 1>>", &more)), @"1 nodes, 1 pages: Hello there");
}

#[test]
fn broken_tables_of_references() {
    let good = page(HELLO, "", &[]);
    let text = String::from_utf8_lossy(&good).into_owned();
    let start = text.rfind("startxref").expect("its end");
    for broken in [
        text[..start].to_owned(),
        text.replace("startxref\n", "startxref\n9"),
        text.replace("00000 n", "99999 n"),
        text.replace("00000000", "99999999"),
        text.replace("xref\n0 6", "xref\n0 999999999"),
        text.replace("/Root", "/Prev 9/Root"),
        text.replace("/Size 6", "/Size -1"),
        text[..text.find("xref").expect("its table")].to_owned(),
    ] {
        survives(broken.as_bytes(), &broken);
    }
    // A table that leads to itself as the one before.
    let at = text.find("xref\n0").expect("its table");
    assert_snapshot!(read(text.replace("/Root", &format!("/Prev {at}/Root")).as_bytes()), @"1 nodes, 1 pages: Hello there");
    // Streams that are longer and shorter than they say.
    for length in ["0", "999999999", "-1", "4 0 R", "(x)"] {
        let object = format!("<</Length {length}>>");
        let own = format!("<</Length {}>>", HELLO.len());
        survives(text.replace(&own, &object).as_bytes(), length);
    }
}

#[test]
fn fonts_and_encodings_that_are_not_there() {
    let text = String::from_utf8_lossy(&page(HELLO, "", &[])).into_owned();
    for font in [
        "<</Type/Font/Subtype/Type1/BaseFont/NoSuchFont>>",
        "<</Type/Font/Subtype/TrueType/BaseFont/NoSuchFont/Encoding/NoSuchEncoding>>",
        "<</Type/Font/Subtype/Type0/BaseFont/NoSuchFont/Encoding/NoSuchCMap/DescendantFonts[]>>",
        "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[5 0 R]>>",
        "null",
        "5 0 R",
    ] {
        let broken = text.replace("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", font);
        let shown = read(broken.as_bytes());
        assert!(
            shown.contains("pages") || shown.starts_with("error"),
            "{font}: {shown}"
        );
    }
}

#[test]
fn streams_that_grow_when_unpacked() {
    // Run lengths in hexadecimal digits, four times over.
    let runs = "<</Filter[/RunLengthDecode]>>";
    let bomb = stream(
        "/Filter[/RunLengthDecode/RunLengthDecode/RunLengthDecode/RunLengthDecode]",
        &[129, 129].repeat(100_000),
    );
    let text = format!("{HELLO} {runs}");
    let objects = page(&text, "", std::slice::from_ref(&bomb));
    assert_snapshot!(read(&objects), @"1 nodes, 1 pages: Hello there");
    let big = "/Type/XObject/Subtype/Image/Width 60000/Height 60000/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter[/RunLengthDecode/RunLengthDecode/RunLengthDecode]";
    let image = stream(big, &[129, 129].repeat(100_000));
    assert_snapshot!(read(&page(&format!("{HELLO} /X Do"), "/XObject<</X 6 0 R>>", &[image])), @"1 nodes, 1 pages: Hello there");
}

#[test]
fn pages_of_any_size() {
    let text = String::from_utf8_lossy(&page(HELLO, "", &[])).into_owned();
    for media in [
        "0 0 0 0",
        "0 0 1000000 1000000",
        "0 0 1e30 1e30",
        "0 0 -5 1e-30",
        "99999999 9 0 0",
        "0 0 1e39 1",
    ] {
        let shown = read(text.replace("0 0 595 842", media).as_bytes());
        assert!(
            shown.contains("pages") || shown.starts_with("error"),
            "{media}: {shown}"
        );
    }
}

#[test]
fn pages_with_too_much_on_them() {
    let glyphs = format!("BT /F 12 Tf 72 700 Td ({}) Tj ET", "word ".repeat(200_000));
    assert_snapshot!(read(&page(&glyphs, "", &[])).chars().take(200).collect::<String>(), @"1 nodes, 1 pages: word word word word word word word word");
    let lines: String = (0..60_000)
        .map(|at| format!("{} {} m {} {} l S ", at % 500, at % 700, at % 499, at % 701))
        .collect();
    assert_snapshot!(read(&page(&format!("{HELLO}{lines}"), "", &[])), @"
    1 nodes, 1 pages: Hello there
    ! page 1: hardly any text of its own, and its picture was not read: the models that read pictures are not there
    ");
    let rules: String = (0..4_000)
        .map(|at| {
            format!(
                "50 {0} m 550 {0} l S {1} 50 m {1} 800 l S ",
                50.0 + f64::from(at) * 0.18,
                50.0 + f64::from(at) * 0.12
            )
        })
        .collect();
    assert_snapshot!(read(&page(&format!("{HELLO}{rules}"), "", &[])), @"1 nodes, 1 pages: Hello there");
    let scattered: String = (0..40_000)
        .map(|at| {
            format!(
                "BT /F 2 Tf {} {} Td (w{at}) Tj ET ",
                at * 37 % 590,
                at * 91 % 840
            )
        })
        .collect();
    let shown = read(&page(&scattered, "", &[]));
    assert!(shown.contains("1 pages"), "{shown}");
    let boxes: String = (0..20_000)
        .map(|at| format!("{} {} 3 3 re f ", at % 590, at * 7 % 840))
        .collect();
    assert_snapshot!(read(&page(&format!("{HELLO}{boxes}"), "", &[])), @"
    1 nodes, 1 pages: Hello there
    ! page 1: hardly any text of its own, and its picture was not read: the models that read pictures are not there
    ");
}

#[test]
fn outlines_and_structure_that_lead_in_a_circle() {
    let text = String::from_utf8_lossy(&page(
        HELLO,
        "",
        &[
            b"<</Type/Outlines/First 7 0 R/Last 7 0 R>>".to_vec(),
            b"<</Title(Hello)/Next 7 0 R/First 7 0 R/Parent 6 0 R/Dest[3 0 R/Fit]>>".to_vec(),
            b"<</Type/StructTreeRoot/K 9 0 R/RoleMap<</A/B/B/A>>>>".to_vec(),
            b"<</S/A/P 8 0 R/K[9 0 R 9 0 R]>>".to_vec(),
        ],
    ))
    .into_owned();
    let broken = text.replace(
        "/Type/Catalog",
        "/Type/Catalog/Outlines 6 0 R/StructTreeRoot 8 0 R/MarkInfo<</Marked true>>",
    );
    assert_snapshot!(read(broken.as_bytes()), @"1 nodes, 1 pages: Hello there");
}
