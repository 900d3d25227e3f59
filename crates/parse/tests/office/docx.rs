use crate::check;
use crate::make::{Parts, archive, docx_parts, drawing, listed, p, part, relations, styled};
use insta::assert_snapshot;

fn read(body: &str) -> String {
    check("docs/manual.docx", &archive(&docx_parts(body)))
}

fn read_with(body: &str, more: Parts) -> String {
    let mut parts = docx_parts(body);
    parts.extend(more);
    check("docs/manual.docx", &archive(&parts))
}

#[test]
fn headings_by_style_in_any_language_with_their_numbers() {
    let body = [
        styled("Titel", "The pump"),
        p("", "Before."),
        styled("berschrift1", "Use"),
        styled("Kapitel", "Start"),
        p("<w:outlineLvl w:val=\"2\"/>", "By its own level"),
        p("", "Text."),
        styled("berschrift1", "Care"),
        styled("berschrift2", "Daily"),
        styled("A", "In a circle of styles."),
    ];
    assert_snapshot!(read(&body.concat()), @r#"
    "The pump"
    Title The pump
    Text Before.
    # I Use
      ## 1.1 Start
        ### By its own level
          Text Text.
    # II Care
      ## 2.1 Daily
        Text In a circle of styles.
    "#);
    assert_snapshot!(read(&(p("<w:pStyle w:val=\"Heading1\"/>", "No such style") + &p("", "x"))), @r#"
    "manual"
    # No such style
      Text x
    "#);
}

#[test]
fn lists_steps_and_what_belongs_to_them() {
    let body = [
        p("", "Do this:"),
        listed(1, 0, "Stop"),
        listed(1, 1, "left"),
        listed(1, 1, "right"),
        listed(1, 0, "Open"),
        p("<w:ind w:left=\"720\"/>", "More about it."),
        listed(1, 0, "Close"),
        p("", "Or:"),
        listed(2, 0, "one"),
        listed(2, 1, "deep"),
        listed(2, 0, "two"),
        p("", "Then:"),
        listed(1, 0, "Go on"),
        p("", "Again:"),
        listed(4, 0, "From five"),
        listed(9, 0, "No such list"),
        listed(0, 0, "Out of the list"),
    ];
    assert_snapshot!(read(&body.concat()), @r#"
    "manual"
    Text Do this:
    List
      step 1. Stop
        List
          step (a) left
          step (b) right
      step 2. Open
        Text More about it.
      step 3. Close
    Text Or:
    List
      (•) one
        List
          (–) deep
      (•) two
    Text Then:
    List
      step 4. Go on
    Text Again:
    List
      step 5. From five
    Text No such list
    Text Out of the list
    "#);
}

#[test]
fn tables_with_spans_headers_and_captions() {
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", p("", text))
    };
    let rows = [
        format!(
            "<w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}</w:tr>",
            cell("", "Kind"),
            cell("<w:gridSpan w:val=\"2\"/>", "Size")
        ),
        format!(
            "<w:tr>{}{}{}</w:tr>",
            cell("<w:vMerge w:val=\"restart\"/>", "S"),
            cell("", "3"),
            cell("", "4")
        ),
        format!(
            "<w:tr>{}{}{}</w:tr>",
            cell("<w:vMerge/>", ""),
            cell("", "5"),
            cell("", "6")
        ),
        format!("<w:tr><w:trPr><w:del/></w:trPr>{}</w:tr>", cell("", "gone")),
    ];
    let field = "<w:p><w:pPr><w:pStyle w:val=\"Beschriftung\"/></w:pPr><w:r><w:t>Tabelle </w:t></w:r>\
        <w:fldSimple w:instr=\" SEQ Tabelle \"><w:r><w:t>1</w:t></w:r></w:fldSimple><w:r><w:t> Größen</w:t></w:r></w:p>";
    let table = format!("{field}<w:tbl>{}</w:tbl>", rows.concat());
    let styled_table = format!(
        "<w:tbl><w:tblPr><w:tblStyle w:val=\"Gitter\"/><w:tblLook w:val=\"04A0\"/></w:tblPr>\
         <w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
        cell("", "a"),
        cell("", "b"),
        cell("", "1"),
        cell("", "2")
    );
    let boxed = format!(
        "<w:tbl><w:tr>{}</w:tr></w:tbl>",
        cell("", "A note in a box.")
    );
    assert_snapshot!(read(&[table, p("", "After."), styled_table, boxed].concat()), @r#"
    "manual"
    Table 3x3
      | 0:[Kind] | 1:[Size](1x2)
      | 0:S(2x1) | 1:3 | 2:4
      | 1:5 | 2:6
      Caption Tabelle 1 Größen
    Text After.
    Table 2x2
      | 0:[a] | 1:[b]
      | 0:1 | 1:2
    Text A note in a box.
    "#);
}

#[test]
fn pictures_captions_and_alternative_text() {
    let body = [
        drawing("pic", "A pump"),
        styled("Beschriftung", "Abbildung 1: Die Pumpe"),
        p("", "Text."),
        drawing("gone", "Not there"),
        drawing("far", "On a network"),
        drawing("out", "Outside"),
        "<w:p><w:r><w:pict><v:shape alt=\"Old picture\"><v:imagedata r:id=\"pic\"/></v:shape></w:pict></w:r></w:p>".to_owned(),
    ];
    assert_snapshot!(read(&body.concat()), @r#"
    "manual"
    Picture image "A pump"
      Caption Abbildung 1: Die Pumpe
    Text Text.
    Picture - "Not there"
    Picture - "On a network"
    Picture image "Old picture"
    ! 1 picture on the network, not fetched
    ! 1 picture not found, first `word/media/gone.png`
    "#);
}

#[test]
fn notes_stand_at_the_end_of_their_section() {
    let notes = "<w:footnotes><w:footnote w:id=\"0\" w:type=\"separator\"/><w:footnote w:id=\"1\"><w:p><w:r><w:t>Or oil.</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let ends = "<w:endnotes><w:endnote w:id=\"7\"><w:p><w:r><w:t>At the end.</w:t></w:r></w:p></w:endnote></w:endnotes>";
    let body = format!(
        "{}<w:p><w:r><w:t>Water</w:t></w:r><w:r><w:footnoteReference w:id=\"1\"/></w:r><w:r><w:t> and air</w:t><w:endnoteReference w:id=\"7\"/></w:r></w:p>{}{}",
        styled("berschrift1", "Use"),
        p("", "More."),
        styled("berschrift1", "Next")
    );
    assert_snapshot!(read_with(&body, vec![part("word/footnotes.xml", notes), part("word/endnotes.xml", ends)]), @r#"
    "manual"
    # I Use
      Text Water[1] and air[i]
      Text More.
      Footnote [1] Or oil.
      Footnote [i] At the end.
    # II Next
    "#);
}

#[test]
fn comments_stand_beside_the_notes() {
    let comments = "<w:comments><w:comment w:id=\"4\" w:author=\"Ada\"><w:p><w:r><w:t>Check this.</w:t></w:r></w:p></w:comment></w:comments>";
    let body = "<w:p><w:commentRangeStart w:id=\"4\"/><w:r><w:t>Water</w:t></w:r><w:commentRangeEnd w:id=\"4\"/><w:r><w:commentReference w:id=\"4\"/></w:r><w:r><w:t> runs.</w:t><w:commentReference w:id=\"9\"/></w:r></w:p>";
    let main = relations("word/document.xml", &[("c", "comments", "comments.xml")]);
    assert_snapshot!(read_with(body, vec![main, part("word/comments.xml", comments)]), @r#"
    "manual"
    Text Water runs.
    Footnote [Ada] Check this.
    "#);
}

#[test]
fn pictures_of_kinds_that_are_not_read() {
    let body = drawing("pic", "A pump") + &drawing("far", "") + &p("", "Text.");
    let metafile = (
        "word/media/pump.png".to_owned(),
        b"\x01\0\0\0\x6c\0\0\0 EMF".to_vec(),
    );
    assert_snapshot!(read_with(&body, vec![metafile]), @r#"
    "manual"
    Picture - "A pump"
    Text Text.
    ! 1 picture on the network, not fetched
    ! 1 picture of no known kind or damaged, first `word/media/pump.png`
    "#);
}

#[test]
fn changes_fields_boxes_and_hidden_text() {
    let body = "<w:p><w:bookmarkStart w:name=\"_Ref1\"/><w:bookmarkStart w:name=\"valve\"/>\
        <w:r><w:t>The </w:t></w:r><w:del><w:r><w:delText>old</w:delText></w:r></w:del>\
        <w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>\
        <w:r><w:t xml:space=\"preserve\"> valve on page </w:t></w:r><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>\
        <w:r><w:instrText>PAGEREF x</w:instrText><w:t>wrong</w:t></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>\
        <w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>\
        <w:hyperlink><w:r><w:tab/><w:t>link</w:t></w:r></w:hyperlink></w:p>\
        <w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wps:txbx><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></wps:txbx></w:drawing></mc:Choice>\
        <mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>\
        <w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val=\"Table of Contents\"/></w:docPartObj></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Contents</w:t></w:r></w:p></w:sdtContent></w:sdt>";
    let body = body.to_owned()
        + &styled("Inhalt1", "Use 3")
        + &styled("Code", "fn main() {")
        + &styled("Code", "}");
    assert_snapshot!(read(&body), @r#"
    "manual"
    Text The new valve on page 7 link #valve
    Text In a box.
    Code "fn main() {\n}"
    "#);
}

#[test]
fn formulas_and_charts() {
    let body = "<w:p><m:oMathPara><m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>\
        <m:sSup><m:e><m:r><m:t>y</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></m:oMathPara></w:p>\
        <w:p><w:r><w:drawing><wp:inline><wp:docPr descr=\"Sales\"/><a:graphic><a:graphicData><c:chart r:id=\"chart\"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>";
    let chart = "<c:chartSpace><c:title><a:p><a:r><a:t>Pumps sold</a:t></a:r></a:p></c:title><c:ser><c:tx><c:pt><c:v>Big</c:v></c:pt></c:tx>\
        <c:cat><c:pt><c:v>2023</c:v></c:pt><c:pt><c:v>2024</c:v></c:pt></c:cat><c:val><c:pt><c:v>4</c:v></c:pt><c:pt><c:v>7</c:v></c:pt></c:val></c:ser></c:chartSpace>";
    assert_snapshot!(read_with(body, vec![part("word/charts/chart1.xml", chart)]), @r#"
    "manual"
    Formula x=(a+b)/2 y^2
    Picture - "Sales" words: Pumps sold; Big: 2023 4, 2024 7
    "#);
}

#[test]
fn the_title_of_the_file() {
    let core = |title: &str| {
        let text = format!("<cp:coreProperties><dc:title>{title}</dc:title></cp:coreProperties>");
        vec![part("docProps/core.xml", &text)]
    };
    let body = styled("berschrift1", "Use") + &p("", "Text.");
    assert_snapshot!(read_with(&body, core("Pump manual")), @r#"
    "Pump manual"
    # I Use
      Text Text.
    "#);
    assert_snapshot!(read_with(&body, core("Microsoft Word - draft7.doc")), @r#"
    "manual"
    # I Use
      Text Text.
    "#);
}

#[test]
fn bookmarks_are_what_references_lead_to() {
    let field = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> REF care \\h </w:instrText></w:r>\
        <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>Care</w:t></w:r>\
        <w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    let body = format!(
        "<w:p><w:r><w:t>See </w:t></w:r>{field}</w:p>\
         <w:p><w:hyperlink w:anchor=\"x\"><w:r><w:t>Below</w:t></w:r></w:hyperlink></w:p>\
         <w:p><w:bookmarkStart w:name=\"care\"/><w:r><w:t>Clean it.</w:t></w:r></w:p>\
         <w:p><w:bookmarkStart w:name=\"x\"/><w:r><w:t>Dry it.</w:t></w:r></w:p>"
    );
    assert_eq!(
        crate::common::links("manual.docx", &archive(&docx_parts(&body))),
        ["See Care → Clean it.", "Below → Dry it."]
    );
}
