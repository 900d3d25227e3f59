use crate::check;
use crate::make::{archive, epub_parts, part};
use insta::assert_snapshot;

#[test]
fn pages_become_one_tree_by_the_table_of_contents() {
    let nav = "<li><a href=\"text/p0.xhtml\">Part I</a><ol><li><a href=\"text/p1.xhtml#c1\">Chapter 1</a></li>\
        <li><a href=\"text/p2.xhtml\">Chapter 2</a></li></ol></li>";
    let pages = [
        "<h1>Part I</h1>",
        "<h1 id=\"c1\">Chapter 1</h1><p>Text<a epub:type=\"noteref\" href=\"#n\">1</a>.</p><h2>Section</h2><p id=\"x\">More.</p>\
         <aside epub:type=\"footnote\" id=\"n\"><p>A note.</p></aside>\
         <figure><img src=\"../img/pump.png\" alt=\"A pump\"/><figcaption>Figure 1. The pump</figcaption></figure>",
        "<p>A page without a heading.</p><img src=\"../../../etc/passwd\" alt=\"out\"/>",
        "<h1>Not in the contents</h1><p>Words.</p>",
    ];
    assert_snapshot!(check("x.epub", &archive(&epub_parts(&pages, nav))), @r#"
    "The book"
    # Part I #OPS/text/p0.xhtml
      ## Chapter 1 #OPS/text/p1.xhtml#c1
        Text Text[1].
        ### Section
          Text More. #OPS/text/p1.xhtml#x
          Footnote A note. #OPS/text/p1.xhtml#n
          Picture image "A pump"
            Caption Figure 1. The pump
      ## Chapter 2 #OPS/text/p2.xhtml
        Text A page without a heading.
        Picture - "out"
    # Not in the contents #OPS/text/p3.xhtml
      Text Words.
    ! `OPS/text/p2.xhtml`: 1 picture not found, first `../../../etc/passwd`
    "#);
}

#[test]
fn the_table_of_contents_of_old_books() {
    let mut parts = epub_parts(&["<h2>One</h2><p>a</p>", "<h2>Two</h2><p>b</p>"], "");
    let opf = "<package><metadata/><manifest><item id=\"a\" href=\"text/p0.xhtml\"/><item id=\"b\" href=\"text/p1.xhtml\"/>\
        <item id=\"ncx\" href=\"toc.ncx\"/></manifest><spine toc=\"ncx\"><itemref idref=\"a\"/><itemref idref=\"b\"/><itemref idref=\"gone\"/></spine></package>";
    let ncx = "<ncx><navMap><navPoint><navLabel><text>One</text></navLabel><content src=\"text/p0.xhtml\"/>\
        <navPoint><navLabel><text>Two</text></navLabel><content src=\"text/p1.xhtml\"/></navPoint></navPoint></navMap></ncx>";
    parts.retain(|(name, _)| name != "OPS/book.opf");
    parts.push(part("OPS/book.opf", opf));
    parts.push(part("OPS/toc.ncx", ncx));
    assert_snapshot!(check("x.epub", &archive(&parts)), @r#"
    "x"
    # One #OPS/text/p0.xhtml
      Text a
      ## Two #OPS/text/p1.xhtml
        Text b
    ! a page of the book is missing
    "#);
}

#[test]
fn encrypted_books() {
    let mut parts = epub_parts(&["<p>noise</p>"], "");
    let encryption = "<encryption><EncryptedData><CipherData><CipherReference URI=\"OPS/text/p0.xhtml\"/></CipherData></EncryptedData></encryption>";
    parts.push(part("META-INF/encryption.xml", encryption));
    assert_snapshot!(check("x.epub", &archive(&parts)), @"error: password required");
}

#[test]
fn links_lead_to_other_pages_of_the_book() {
    let pages = [
        "<h1>One</h1><p>See <a href=\"p1.xhtml#b\">the part</a> and <a href=\"p1.xhtml\">all</a>.</p>",
        "<h1>Two</h1><p>Text.</p><p id=\"b\">The part. <a href=\"#b\">Here</a></p>",
    ];
    assert_eq!(
        crate::common::links("x.epub", &archive(&epub_parts(&pages, ""))),
        [
            "See the part and all. → The part. Here",
            "See the part and all. → Two"
        ]
    );
}
