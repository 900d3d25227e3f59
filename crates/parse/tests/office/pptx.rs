use crate::make::{archive, pptx_parts};
use crate::{check, common};
use insta::assert_snapshot;

fn read(slides: &[&str]) -> String {
    check("talk.pptx", &archive(&pptx_parts(slides)))
}

/// A shape: its placeholder, frame (in points) and paragraphs.
fn shape(holder: &str, frame: Option<[i64; 4]>, paragraphs: &str) -> String {
    let frame = frame.map_or(String::new(), |frame| {
        let [x, y, width, height] = frame.map(|points| points * 12_700);
        format!(
            "<a:xfrm><a:off x=\"{x}\" y=\"{y}\"/><a:ext cx=\"{width}\" cy=\"{height}\"/></a:xfrm>"
        )
    });
    format!(
        "<p:sp><p:nvSpPr><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr>{frame}</p:spPr>\
         <p:txBody>{paragraphs}</p:txBody></p:sp>"
    )
}

fn line(properties: &str, text: &str) -> String {
    format!("<a:p><a:pPr {properties}/><a:r><a:t>{text}</a:t></a:r></a:p>")
}

fn title(text: &str) -> String {
    shape("<p:ph type=\"title\"/>", None, &line("", text))
}

#[test]
fn slides_titles_bullets_and_notes() {
    let body = [
        line("", "One"),
        line("lvl=\"1\"", "deep"),
        line("", "Two"),
        "<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>No bullet.</a:t></a:r></a:p>".to_owned(),
        "<a:p><a:pPr><a:buAutoNum type=\"alphaLcParenR\"/></a:pPr><a:r><a:t>First</a:t></a:r></a:p>".to_owned(),
        "<a:p><a:pPr><a:buAutoNum type=\"alphaLcParenR\"/></a:pPr><a:r><a:t>Second</a:t></a:r></a:p>".to_owned(),
    ];
    let first = shape("<p:ph idx=\"1\"/>", None, &body.concat()) + &title("The pump");
    let second = shape(
        "<p:ph type=\"subTitle\" idx=\"4\"/>",
        None,
        &line("", "A subtitle"),
    );
    assert_snapshot!(read(&[&first, &second]), @r#"
    "talk"
    # The pump #slide-1
      List
        (•) One
          List
            (–) deep
        (•) Two
      Text No bullet.
      List
        step a) First
        step b) Second
      Footnote Say hello.
    # Slide 2 #slide-2
      Text A subtitle
    "#);
}

#[test]
fn shapes_in_reading_order_and_in_groups() {
    let at = |x, y, text: &str| shape("", Some([x, y, 100, 50]), &line("", text));
    let group = format!(
        "<p:grpSp><p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"2540000\"/><a:ext cx=\"2540000\" cy=\"1270000\"/>\
         <a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"1270000\" cy=\"635000\"/></a:xfrm></p:grpSpPr>{}{}</p:grpSp>",
        at(50, 0, "in a group, right"),
        at(0, 2, "in a group, left")
    );
    let slide = [
        at(300, 102, "right"),
        group,
        at(0, 300, "last"),
        at(10, 100, "left"),
        title("Order"),
    ];
    let bytes = archive(&pptx_parts(&[&slide.concat()]));
    let parsed = common::read("talk.pptx", &bytes).unwrap();
    assert_snapshot!(common::shown(&parsed), @r#"
    "talk"
    # Order #slide-1
      Text left
      Text right
      Text in a group, left
      Text in a group, right
      Text last
      Footnote Say hello.
    "#);
    let places: Vec<String> = parsed
        .document
        .nodes
        .iter()
        .flat_map(|node| &node.provenance)
        .map(|place| {
            let bbox = place.bbox;
            format!(
                "{} {} {} {} {}",
                place.page, bbox.left, bbox.top, bbox.right, bbox.bottom
            )
        })
        .collect();
    assert_snapshot!(places.join("\n"), @"
    1 10 10 110 30
    1 10 100 110 150
    1 300 102 400 152
    1 0 204 200 304
    1 100 200 300 300
    1 0 300 100 350
    1 0 0 720 540
    ");
    let page = &parsed.document.pages[0];
    assert_snapshot!(format!("{} × {}", page.width, page.height), @"720 × 540");
}

#[test]
fn tables_and_pictures() {
    let cell = |attributes: &str, text: &str| {
        format!(
            "<a:tc {attributes}><a:txBody>{}</a:txBody></a:tc>",
            line("", text)
        )
    };
    let table = format!(
        "<p:graphicFrame><p:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"2540000\" cy=\"508000\"/></p:xfrm><a:graphic><a:graphicData>\
         <a:tbl><a:tblPr firstRow=\"1\"/><a:tblGrid><a:gridCol w=\"1270000\"/><a:gridCol w=\"1270000\"/></a:tblGrid>\
         <a:tr h=\"254000\">{}{}</a:tr><a:tr h=\"254000\">{}{}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>",
        cell("gridSpan=\"2\"", "Head"),
        cell("hMerge=\"1\"", ""),
        cell("", "a"),
        cell("rowSpan=\"9\"", "b")
    );
    let picture = "<p:pic><p:nvPicPr><p:cNvPr name=\"Picture 3\" descr=\"A pump\"/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed=\"pic\"/></p:blipFill>\
        <p:spPr><a:xfrm><a:off x=\"0\" y=\"1270000\"/><a:ext cx=\"1905000\" cy=\"952500\"/></a:xfrm></p:spPr></p:pic>";
    let footer = shape(
        "<p:ph type=\"ftr\"/>",
        Some([0, 500, 100, 10]),
        &line("", "Secret"),
    );
    assert_snapshot!(read(&[&(table + picture + &footer)]), @r#"
    "talk"
    # Slide 1 #slide-1
      Table 2x2
        | 0:[Head](1x2)
        | 0:a | 1:b
      Picture image "A pump"
      PageFooter Secret
      Footnote Say hello.
    "#);
}
