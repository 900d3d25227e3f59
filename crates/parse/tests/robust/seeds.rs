//! The sound files that fuzzing begins with: together they show all that a reader knows.

use crate::make::{
    Parts, docx_parts, drawing, epub_parts, listed, p, part, png, pptx_parts, relations, styled,
    xlsx_parts,
};
use crate::mutate::{Seed, Syntax};
use crate::pdf;
use image::{DynamicImage, ImageFormat};
use std::io::Cursor;

/// The name that a target's files go by.
pub(crate) fn name(target: &str) -> &'static str {
    match target {
        "html" => "a.html",
        "markdown" => "a.md",
        "text" => "a.txt",
        _ => "a",
    }
}

/// The seeds of a target.
pub(crate) fn of(target: &str) -> Vec<Seed> {
    let files = |syntax, files: Vec<Vec<u8>>| {
        files
            .into_iter()
            .map(|file| Seed::File(syntax, file))
            .collect()
    };
    match target {
        "pdf" => files(Syntax::Words, pdfs()),
        "html" => files(
            Syntax::Markup,
            PAGES.iter().map(|page| page.as_bytes().to_vec()).collect(),
        ),
        "markdown" | "text" => files(
            Syntax::Lines,
            TEXTS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        ),
        "docx" => vec![Seed::Archive(word())],
        "pptx" => vec![Seed::Archive(slides())],
        "xlsx" => vec![Seed::Archive(workbook())],
        "epub" => vec![Seed::Archive(book())],
        "picture" => pictures(),
        other => panic!("there is no target `{other}`"),
    }
}

/// A drawing.
pub(crate) const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \
    width='200' height='100' viewBox='0 0 200 100'><defs><linearGradient id='g'><stop offset='0' stop-color='red'/>\
    <stop offset='1'/></linearGradient><pattern id='p' width='9' height='9' patternUnits='userSpaceOnUse'><rect width='4' height='4'/></pattern>\
    <clipPath id='c'><circle cx='50' cy='50' r='40'/></clipPath><mask id='m'><rect width='99' height='99' fill='white'/></mask>\
    <filter id='f'><feGaussianBlur stdDeviation='2'/><feOffset dx='3'/><feTurbulence baseFrequency='0.05' numOctaves='2'/></filter>\
    <marker id='k' markerWidth='4' markerHeight='4'><path d='M0 0L4 2L0 4z'/></marker><symbol id='s'><path d='M0 0h9v9z'/></symbol></defs>\
    <style>.a{fill:url(#g);stroke:#00f}text{font:12px serif}</style><g clip-path='url(#c)' mask='url(#m)' filter='url(#f)' transform='rotate(10) scale(1.5)'>\
    <rect class='a' x='10' y='10' width='80' height='40' rx='5'/><use xlink:href='#s' x='20'/><use href='#s' y='20'/></g>\
    <path d='M10 80C40 10 65 10 95 80S150 150 180 80A25 25 0 0 1 99 9Q5 5 9 9Z' fill='url(#p)' stroke='black' stroke-dasharray='4 2' marker-end='url(#k)'/>\
    <text x='10' y='90' textLength='90'>Valve <tspan dy='3'>V1</tspan></text><switch><foreignObject><p>words</p></foreignObject></switch>\
    <image href='data:image/png;base64,iVBORw0KGgo=' width='9' height='9'/></svg>";

const PAGES: &[&str] = &[
    "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Pump - Site</title><base href='img/'></head><body>\
     <nav><ul><li><a href='#a'>A</a></ul></nav><header><h1>Pump</h1></header><main id=m><h2 id=a>Use <a href='#a'>¶</a></h2>\
     <p>Text <em>set <b>apart</b></em> <code>x</code><sup><a href='#fn1'>1</a></sup> see <a href='#f1'>Figure 1</a>.<br><br>More &amp; more &nbsp;&#x110000;</p>\
     <ol start=3 type=a reversed><li>Stop<ul><li>left<li>right</ul><li value=9>Open<p>wide</p><img src='pump.svg' alt='Lid'></ol>\
     <dl><dt>E1<dt>E2<dd>Fault<dd>Other<div><dt>x<dd>y</div></dl><figure id=f1><img src=a.svg width=90 height='50%'><img src=b.svg><figcaption>Figure 1. The pump</figcaption></figure>\
     <table><caption>Table 1. Sizes</caption><colgroup><col span=2></colgroup><thead><tr><th colspan=2 scope=col>Size<th rowspan=2>Price<tr><th>low<th>high</thead>\
     <tbody><tr><td rowspan=3>1<td>2<td>3<tr><td colspan=0>4<tfoot><tr><td><table><tr><td>in<td>ner</table></table>\
     <pre class='language-rust'>fn main() {\n}</pre><div class='math'>\\(x^2\\)</div><math display=block alttext='a/b'><mfrac><mi>a</mi><mi>b</mi></mfrac><annotation encoding='application/x-tex'>\\frac ab</annotation></math>\
     <details open><summary>More</summary><p>hidden words</p></details><blockquote><p>Said</blockquote><select><option>a<option>b</select>\
     <svg viewBox='0 0 90 90'><title>T</title><text>in the drawing</text><use href='#q'/></svg><object data=x.svg>instead</object><template><p>no</template>\
     <aside role=note><p>Note</aside><section class=footnotes><hr><ol><li id=fn1><p>Or oil.<a href='#r'>↩</a></ol></section></main>\
     <footer>© 2024 <a href=x>Terms</a></footer><script type='math/tex; mode=display'>x</script></body></html>",
    "<p>a<table><tr><td><p>x<table>y</table>z<b><i>m</b>n</i><form><input><button>go</button></form><frameset><frame></frameset>\
     <noscript><img src=a.svg></noscript><ruby>漢<rt>kan</ruby><p align=center><font size=7>BIG</font><center>mid</center><a name=x></a><h3>Next</h3>\
     <div role=heading aria-level=9>deep</div><div hidden>no</div><p style='display:none'>no</p><map name=q><area></map><q>said</q><wbr>",
];

const TEXTS: &[&str] = &[
    "---\ntitle: Pump\n---\n\n# Pump\n\nText *set **apart*** `x` [^1] <file> <b>x</b> http://x.y $a^2$ ~~gone~~ \\* &amp;\n\nUse\n---\n\n\
     1. Stop\n2. Open\n   - left\n   - [x] right\n\n     deep\n\n     ```sh\n     open --all\n     ```\n\n> [!NOTE]\n> Said\n> > twice\n\n\
     | a | b |\n|---|:-:|\n| 1 | 2 \\| 3 |\n| ![x](y.png \"t\") |\n\n![Lid](lid.png)\n\n*Figure 1. The lid*\n\nTerm\n\n: meaning\n\n[^1]: A note.\n\n[ref]: http://x 'y'\n\n\
     <div>\n\n**in**\n\n</div>\n\n$$\nx\n$$\n\n***\n\n    code\n\n[a][ref] [b](<c d> (e)) ![][ref]\n",
    "THE PUMP\n========\n\n1 Use\n\nText that goes on\nover two lines.\n\n1.1 Start\n---------\n\n  * one\n  * two\n      - deep\n        more of it\n\n\
     a) first\nb) second\n\nFrom: a@b.c\nTo: d@e.f\nSubject: Pump\n\n> quoted\n\n2024-01-01 12:00:00 INFO started\n2024-01-01 12:00:01 WARN x=1\n\n\
     +---+---+\n| a | b |\n+---+---+\n\n    int main() {}\n\n\x0cCHAPTER 2\n\nWHAT TO DO\n\nDo it.\n",
];

/// A document of Word.
fn word() -> Parts {
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", p("", text))
    };
    let table = format!(
        "<w:tbl><w:tblPr><w:tblStyle w:val=\"Gitter\"/><w:tblLook w:val=\"04A0\"/></w:tblPr><w:tr><w:trPr><w:tblHeader/><w:gridBefore w:val=\"1\"/></w:trPr>{}{}</w:tr><w:tr>{}{}{}</w:tr><w:tr>{}</w:tr></w:tbl>",
        cell("", "Kind"),
        cell("<w:gridSpan w:val=\"2\"/>", "Size"),
        cell("<w:vMerge w:val=\"restart\"/>", "S"),
        cell("", "3"),
        cell("", "4"),
        cell("<w:vMerge/>", "")
    );
    let runs = "<w:p><w:bookmarkStart w:name=\"valve\"/><w:commentRangeStart w:id=\"4\"/><w:r><w:rPr><w:b/></w:rPr><w:t>Water</w:t><w:tab/><w:sym w:char=\"F0B7\"/></w:r><w:r><w:footnoteReference w:id=\"1\"/></w:r>\
        <w:r><w:endnoteReference w:id=\"7\"/></w:r><w:commentRangeEnd w:id=\"4\"/><w:r><w:commentReference w:id=\"4\"/></w:r><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> SEQ Figure </w:instrText></w:r>\
        <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>\
        <w:hyperlink w:anchor=\"valve\"><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>\
        <w:p><m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:rad><m:deg/><m:e><m:r><m:t>b</m:t></m:r></m:e></m:rad></m:den></m:f><m:nary><m:naryPr><m:chr m:val=\"∑\"/></m:naryPr><m:sub/><m:sup/><m:e/></m:nary>\
        <m:m><m:mr><m:e/><m:e/></m:mr></m:m><m:d><m:dPr><m:begChr m:val=\"[\"/></m:dPr><m:e/></m:d></m:oMath></m:oMathPara></w:p>\
        <w:p><w:r><w:drawing><wp:inline><wp:extent cx=\"9\" cy=\"9\"/><wp:docPr descr=\"Sales\"/><a:graphic><a:graphicData><c:chart r:id=\"chart\"/><dgm:relIds r:dm=\"dgm\"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>\
        <w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wps:txbx><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></wps:txbx></w:drawing></mc:Choice>\
        <mc:Fallback><w:pict><v:shape alt=\"Old\"><v:imagedata r:id=\"pic\"/></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>\
        <w:sdt><w:sdtPr/><w:sdtContent><w:p><w:r><w:t>Content</w:t></w:r></w:p></w:sdtContent></w:sdt>";
    let body = [
        styled("Titel", "The pump"),
        styled("berschrift1", "Use"),
        styled("Kapitel", "Start"),
        p("<w:outlineLvl w:val=\"2\"/>", "By level"),
        listed(1, 0, "Stop"),
        listed(1, 1, "left"),
        listed(2, 0, "one"),
        p("<w:ind w:left=\"720\"/>", "More."),
        drawing("pic", "A pump"),
        styled("Beschriftung", "Figure 1: The pump"),
        table,
        runs.to_owned(),
        styled("Code", "fn main() {}"),
    ];
    let mut parts = docx_parts(&body.concat());
    let main = "word/document.xml";
    let known = parts
        .iter()
        .find(|(name, _)| name == "word/_rels/document.xml.rels");
    let known = String::from_utf8_lossy(&known.expect("relations").1).into_owned();
    let more = "<Relationship Id=\"dgm\" Type=\"http://x/diagramData\" Target=\"diagrams/data1.xml\"/>\
        <Relationship Id=\"com\" Type=\"http://x/comments\" Target=\"comments.xml\"/></Relationships>";
    let (name, _) = relations(main, &[]);
    parts.push(part(&name, &known.replace("</Relationships>", more)));
    parts.push(part("word/footnotes.xml", "<w:footnotes><w:footnote w:id=\"0\" w:type=\"separator\"/><w:footnote w:id=\"1\"><w:p><w:r><w:t>Or oil.</w:t></w:r></w:p></w:footnote></w:footnotes>"));
    parts.push(part("word/endnotes.xml", "<w:endnotes><w:endnote w:id=\"7\"><w:p><w:r><w:t>At the end.</w:t></w:r></w:p></w:endnote></w:endnotes>"));
    parts.push(part("word/comments.xml", "<w:comments><w:comment w:id=\"4\" w:author=\"Ada\"><w:p><w:r><w:t>Check this.</w:t></w:r></w:p></w:comment></w:comments>"));
    parts.push(part("word/charts/chart1.xml", CHART));
    parts.push(part("word/diagrams/data1.xml", DIAGRAM));
    parts.push(part("docProps/core.xml", "<cp:coreProperties><dc:title>Pump</dc:title><dc:language>en-GB</dc:language></cp:coreProperties>"));
    parts
}

const CHART: &str = "<c:chartSpace><c:title><a:p><a:r><a:t>Pumps sold</a:t></a:r></a:p></c:title><c:ser><c:tx><c:pt><c:v>Big</c:v></c:pt></c:tx>\
    <c:cat><c:pt><c:v>2023</c:v></c:pt><c:pt><c:v>2024</c:v></c:pt></c:cat><c:val><c:pt><c:v>4</c:v></c:pt><c:pt><c:v>7</c:v></c:pt></c:val></c:ser></c:chartSpace>";

const DIAGRAM: &str = "<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Step</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>";

/// A presentation.
fn slides() -> Parts {
    let shape = |holder: &str, text: &str| {
        format!(
            "<p:sp><p:nvSpPr><p:cNvPr id=\"1\" name=\"x\"/><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x=\"127000\" y=\"127000\"/><a:ext cx=\"1270000\" cy=\"254000\"/></a:xfrm></p:spPr>\
            <p:txBody><a:lstStyle><a:lvl1pPr><a:buChar char=\"•\"/></a:lvl1pPr></a:lstStyle>{text}</p:txBody></p:sp>"
        )
    };
    let line = |properties: &str, text: &str| {
        format!(
            "<a:p><a:pPr {properties}><a:buAutoNum type=\"alphaLcParenR\" startAt=\"3\"/></a:pPr><a:r><a:t>{text}</a:t></a:r><a:br/></a:p>"
        )
    };
    let table = "<p:graphicFrame><p:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"2540000\" cy=\"508000\"/></p:xfrm><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow=\"1\" firstCol=\"1\"/>\
        <a:tblGrid><a:gridCol w=\"1270000\"/><a:gridCol w=\"1270000\"/></a:tblGrid><a:tr h=\"254000\"><a:tc gridSpan=\"2\"><a:txBody><a:p><a:r><a:t>Head</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge=\"1\"/></a:tr>\
        <a:tr h=\"254000\"><a:tc rowSpan=\"2\"><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc><a:tc/></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>";
    let picture = "<p:pic><p:nvPicPr><p:cNvPr name=\"Picture 3\" descr=\"A pump\"/></p:nvPicPr><p:blipFill><a:blip r:embed=\"pic\"/></p:blipFill><p:spPr><a:xfrm><a:off x=\"0\" y=\"1270000\"/><a:ext cx=\"1905000\" cy=\"952500\"/></a:xfrm></p:spPr></p:pic>";
    let group = format!(
        "<p:grpSp><p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"2540000\"/><a:ext cx=\"2540000\" cy=\"1270000\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"1270000\" cy=\"635000\"/></a:xfrm></p:grpSpPr>{}<p:grpSp>{picture}</p:grpSp></p:grpSp>",
        shape("", &line("", "in a group"))
    );
    let first = [
        shape(
            "<p:ph type=\"title\"/>",
            "<a:p><a:r><a:t>The pump</a:t></a:r></a:p>",
        ),
        shape(
            "<p:ph idx=\"1\"/>",
            &(line("lvl=\"0\"", "One")
                + &line("lvl=\"1\"", "deep")
                + "<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>No bullet.</a:t></a:r></a:p>"),
        ),
        group,
        table.to_owned(),
        picture.to_owned(),
        shape(
            "<p:ph type=\"ftr\"/>",
            "<a:p><a:r><a:t>Secret</a:t></a:r></a:p>",
        ),
    ];
    pptx_parts(&[
        &first.concat(),
        "<p:cxnSp/><p:sp><p:txBody><a:p><a:r><a:t>Words</a:t></a:r></a:p></p:txBody></p:sp>",
    ])
}

/// A workbook.
fn workbook() -> Parts {
    let cells = "<sheetViews><sheetView><pane ySplit=\"1\" state=\"frozen\"/></sheetView></sheetViews><sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>1</v></c></row>\
        <row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>Region</t></is></c><c r=\"B2\" t=\"inlineStr\" s=\"1\"><is><r><t>Amount</t></r><rPh><t>x</t></rPh></is></c></row>\
        <row r=\"3\"><c r=\"A3\" s=\"2\"><f>A1*2</f><v>45352</v></c><c r=\"B3\" s=\"3\"><v>1234.5</v></c></row><row r=\"4\"><c t=\"b\"><v>1</v></c><c t=\"e\"><v>#N/A</v></c><c t=\"d\"><v>2024-01-01</v></c></row>\
        <row r=\"9\"><c r=\"D9\" s=\"4\"><v>0.25</v></c><c r=\"E9\" t=\"str\"><v>made</v></c></row></sheetData><autoFilter ref=\"A2:B4\"/><mergeCells><mergeCell ref=\"A1:B1\"/><mergeCell ref=\"D9:E12\"/></mergeCells><drawing r:id=\"d\"/>";
    let formats = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"[Red][&gt;=100]#,##0.00\\ &quot;€&quot;;-0.0%;[$-409]yyyy\\-mm\\-dd\\ hh:mm:ss.000;@\"/><numFmt numFmtId=\"165\" formatCode=\"# ??/??;0.00E+00;[h]:mm AM/PM\"/></numFmts>\
        <fonts><font/><font><b/></font></fonts><fills><fill><patternFill patternType=\"solid\"/></fill></fills><cellXfs><xf numFmtId=\"0\"/><xf fontId=\"1\" fillId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"164\"/><xf numFmtId=\"165\"/></cellXfs></styleSheet>";
    let mut parts = xlsx_parts(
        &[
            ("Sales", "visible", cells),
            ("Two", "visible", cells),
            ("Hidden", "hidden", cells),
        ],
        &["no", "shared &amp; safe"],
    );
    parts.push(part("xl/styles.xml", formats));
    parts.push(relations(
        "xl/worksheets/sheet0.xml",
        &[
            ("t", "table", "../tables/t.xml"),
            ("d", "drawing", "../drawings/d.xml"),
            ("c", "comments", "../comments1.xml"),
            ("tc", "threadedComment", "../threaded.xml"),
        ],
    ));
    parts.push(part(
        "xl/tables/t.xml",
        "<table ref=\"A2:B4\" headerRowCount=\"1\"/>",
    ));
    parts.push(part("xl/drawings/d.xml", "<xdr:wsDr><xdr:twoCellAnchor><xdr:pic><xdr:nvPicPr><xdr:cNvPr descr=\"A pump\"/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed=\"pic\"/></xdr:blipFill></xdr:pic></xdr:twoCellAnchor>\
        <xdr:graphicFrame><xdr:nvGraphicFramePr><xdr:cNvPr/></xdr:nvGraphicFramePr><c:chart r:id=\"chart\"/></xdr:graphicFrame></xdr:wsDr>"));
    parts.push(relations(
        "xl/drawings/d.xml",
        &[
            ("pic", "image", "../media/pump.png"),
            ("chart", "chart", "../charts/c.xml"),
        ],
    ));
    parts.push(part("xl/charts/c.xml", CHART));
    parts.push(("xl/media/pump.png".to_owned(), png(9, 9)));
    parts.push(part("xl/comments1.xml", "<comments><authors><author>Ada</author></authors><commentList><comment ref=\"B3\" authorId=\"0\"><text><r><t>Net of tax.</t></r></text></comment></commentList></comments>"));
    parts
}

/// A book.
fn book() -> Parts {
    let nav = "<li><a href=\"text/p0.xhtml\">Part I</a><ol><li><a href=\"text/p1.xhtml#c1\">Chapter 1</a></li><li><span><a href=\"text/p1.xhtml\">Two</a></span></li></ol></li>";
    let pages = [
        "<h1>Part I</h1><p>Words<a epub:type=\"noteref\" href=\"#n\">1</a>.</p><aside epub:type=\"footnote\" id=\"n\"><p>A note.</p></aside><img src=\"../img/pump.png\" alt=\"A pump\"/>",
        "<h1 id=\"c1\">Chapter 1</h1><p>Text.</p><h2>Section</h2><table><tr><td>a</td><td>b</td></tr></table><svg:svg><image xlink:href=\"../img/pump.png\"/></svg:svg>",
        "<p>No heading.</p>",
    ];
    let mut parts = epub_parts(&pages, nav);
    parts.push(part("OPS/toc.ncx", "<ncx><navMap><navPoint><navLabel><text>One</text></navLabel><content src=\"text/p0.xhtml\"/><navPoint><navLabel><text>Two</text></navLabel><content src=\"text/p1.xhtml\"/></navPoint></navPoint></navMap></ncx>"));
    parts.push(part("META-INF/encryption.xml", "<encryption><EncryptedData><CipherData><CipherReference URI=\"OPS/font.otf\"/></CipherData></EncryptedData></encryption>"));
    parts
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let noise = |x: u32, y: u32| image::Rgb([(x * 7) as u8, (y * 5) as u8, (x * y) as u8]);
    let picture = DynamicImage::ImageRgb8(image::RgbImage::from_fn(40, 30, noise));
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, format).expect("a picture");
    out.into_inner()
}

fn pictures() -> Vec<Seed> {
    let mut out = vec![
        Seed::File(Syntax::Png, encoded(ImageFormat::Png)),
        Seed::File(Syntax::Markup, SVG.as_bytes().to_vec()),
        Seed::File(Syntax::Markup, SVG.as_bytes().to_vec()),
    ];
    let kinds = [
        ImageFormat::Jpeg,
        ImageFormat::Gif,
        ImageFormat::WebP,
        ImageFormat::Bmp,
        ImageFormat::Tiff,
    ];
    out.extend(kinds.map(|format| Seed::File(Syntax::Bytes, encoded(format))));
    out
}

fn pdfs() -> Vec<Vec<u8>> {
    let manual = include_bytes!("../../../../examples/manual.pdf").to_vec();
    let mut out = vec![
        tagged(),
        drawn(),
        fonts(),
        tagged(),
        drawn(),
        fonts(),
        pictured(),
    ];
    out.push(manual);
    out
}

/// A document with an outline, a structure tree, links, running heads, lists, tables and captions.
fn tagged() -> Vec<u8> {
    let text = |x: u32, y: u32, size: u32, words: &str| {
        format!("BT /F {size} Tf {x} {y} Td ({words}) Tj ET\n")
    };
    let content = [
        text(72, 810, 8, "Pump manual"),
        "/H1 <</MCID 0>> BDC\n".to_owned() + &text(72, 760, 20, "1 Safety") + "EMC\n",
        "/P <</MCID 1>> BDC\n".to_owned() + &text(72, 730, 10, "Read this first, see Figure 1 and Section 1.1.") + "EMC\n",
        text(72, 700, 14, "1.1 Signal words"),
        text(72, 680, 10, "1. Stop the pump, which is heavy and hot, and wait for an"),
        text(86, 668, 10, "hour or two."),
        text(72, 650, 10, "2. Open the lid."),
        "0.5 w 72 600 m 300 600 l S 72 580 m 300 580 l S 72 560 m 300 560 l S 72 600 m 72 560 l S 180 600 m 180 560 l S 300 600 m 300 560 l S\n".to_owned(),
        text(76, 586, 10, "Fault"),
        text(184, 586, 10, "Cure"),
        text(76, 566, 10, "E1"),
        text(184, 566, 10, "Open the valve"),
        text(72, 610, 9, "Table 1. Faults"),
        "q 1 0 0 rg 100 400 100 80 re f 0 0 1 RG 220 400 m 260 480 300 480 340 400 c S Q\n".to_owned(),
        text(72, 380, 9, "Figure 1. The pump"),
        "BT /F 10 Tf 14 TL 320 700 Td [(Two) -300 (col) 20 (umns)] TJ T* (of text) ' 0 1 1 rg 3 Tr 2 Ts 90 Tz 1 Tc 2 Tw (more) Tj 0 1 -1 0 50 50 Tm (side) Tj ET\n".to_owned(),
        text(290, 20, 8, "1"),
    ];
    let page = |contents: u32| {
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/CropBox[0 0 595 842]/Rotate 0/UserUnit 1/StructParents 0/Contents {contents} 0 R/Annots[12 0 R]/Resources<</Font<</F 6 0 R>>>>>>"
        )
    };
    let objects = [
        "<</Type/Catalog/Pages 2 0 R/Outlines 7 0 R/StructTreeRoot 9 0 R/MarkInfo<</Marked true>>/Lang(en-GB)/Names<</Dests<</Names[(a)[3 0 R/XYZ 0 760 0]]>>>>/PageLabels<</Nums[0<</S/r/St 3>>]>>>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>".to_owned(),
        page(5),
        page(5),
    ];
    let mut objects: Vec<Vec<u8>> = objects.into_iter().map(String::into_bytes).collect();
    objects.push(pdf::stream("", content.concat().as_bytes()));
    for object in [
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[65/Aacute/uni0416]>>/FirstChar 65/LastChar 67/Widths[600 500 400]>>",
        "<</Type/Outlines/First 8 0 R/Last 8 0 R/Count 2>>",
        "<</Title(1 Safety)/Parent 7 0 R/Dest[3 0 R/XYZ 0 780 0]/First 13 0 R/Last 13 0 R/Count 1/Next 8 0 R>>",
        "<</Type/StructTreeRoot/K 10 0 R/ParentTree 11 0 R/RoleMap<</Überschrift/H1>>>>",
        "<</Type/StructElem/S/Document/P 9 0 R/K[<</Type/StructElem/S/H1/P 10 0 R/Pg 3 0 R/K 0>><</Type/StructElem/S/P/P 10 0 R/Pg 3 0 R/K[1<</Type/MCR/Pg 3 0 R/MCID 1>>]>>]>>",
        "<</Nums[0[10 0 R 10 0 R]]>>",
        "<</Type/Annot/Subtype/Link/Rect[72 725 200 740]/A<</S/GoTo/D(a)>>/Border[0 0 1]>>",
        "<</Title<FEFF00410042>/Parent 8 0 R/A<</S/GoTo/D[4 0 R/FitH 700]>>>>",
    ] {
        objects.push(object.as_bytes().to_vec());
    }
    pdf::file(&objects)
}

/// Forms, patterns, shadings, clips and transparency.
fn drawn() -> Vec<u8> {
    let content = "q 0.5 0 0 0.5 100 100 cm /X Do Q q 1 0 0 1 200 200 cm /X Do /X Do Q /G gs /Pattern cs /P scn 10 10 200 200 re f /Q scn 300 10 200 200 re B* \
        q 50 400 200 200 re W n /S sh Q q 300 400 200 200 re W* n /T sh Q [4 2] 1 d 3 w 1 J 1 j 4 M 50 700 m 300 800 l 400 700 l h s 0.2 0.3 0.4 0.5 k 1 0 0 RG /CS cs 0.5 sc 5 5 9 9 re f \
        BI /W 4 /H 4 /BPC 8 /CS /G ID 0123456789abcdef EI BT /F 12 Tf 100 650 Td (on a drawing) Tj 7 Tr ET";
    let resources = "/XObject<</X 6 0 R>>/Pattern<</P 7 0 R/Q 8 0 R>>/Shading<</S 9 0 R/T 10 0 R>>/ExtGState<</G 11 0 R>>/ColorSpace<</CS[/Separation/Spot/DeviceRGB 12 0 R]>>";
    let more = [
        pdf::stream("/Type/XObject/Subtype/Form/BBox[0 0 100 100]/Matrix[1 0 0 1 5 5]/Group<</S/Transparency/I true/K false/CS/DeviceRGB>>/Resources<</XObject<</X 13 0 R>>/Font<</F 5 0 R>>>>", b"0 0 50 50 re f /X Do BT /F 9 Tf 5 5 Td (in a form) Tj ET"),
        pdf::stream("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 10 10]/XStep 10/YStep 10/Resources<<>>/Matrix[1 0 0 1 0 0]", b"1 0 0 rg 0 0 5 5 re f"),
        b"<</Type/Pattern/PatternType 2/Shading 9 0 R/Matrix[1 0 0 1 0 0]>>".to_vec(),
        b"<</ShadingType 2/ColorSpace/DeviceRGB/Coords[50 400 250 600]/Domain[0 1]/Extend[true true]/Function 12 0 R>>".to_vec(),
        b"<</ShadingType 3/ColorSpace/DeviceRGB/Coords[400 500 10 400 500 90]/Extend[false true]/Function<</FunctionType 3/Domain[0 1]/Functions[12 0 R 12 0 R]/Bounds[0.5]/Encode[0 1 1 0]>>>>".to_vec(),
        b"<</Type/ExtGState/ca 0.5/CA 0.7/BM/Multiply/SMask<</S/Luminosity/G 13 0 R/BC[0]>>/LW 2/D[[1 2]0]>>".to_vec(),
        b"<</FunctionType 2/Domain[0 1]/C0[1 0 0]/C1[0 0 1]/N 1.5>>".to_vec(),
        pdf::stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceGray>>/Resources<</ProcSet[/PDF]/Shading<</M 14 0 R>>>>", b"0.5 g 0 0 9 9 re f /M sh"),
        pdf::stream("/ShadingType 4/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 9 0 9 0 1]", &[0, 0, 0, 9, 0, 99, 9, 99, 0, 50, 90, 200, 1, 90, 90, 90]),
        pdf::stream("/FunctionType 4/Domain[0 1]/Range[0 1 0 1 0 1]", b"{dup 0.5 gt {1 exch sub} {2 mul} ifelse dup dup 3 1 roll}"),
        pdf::stream("/FunctionType 0/Domain[0 1]/Range[0 1]/Size[4]/BitsPerSample 8", &[0, 80, 160, 255]),
    ];
    pdf::page(content, resources, &more)
}

/// Fonts of several kinds.
fn fonts() -> Vec<u8> {
    let content = "BT /T 20 Tf 50 700 Td (ab ba) Tj /C 14 Tf 0 -40 Td <00240025> Tj [<0026> -500 <0027>] TJ /D 12 Tf 0 -40 Td (True type) Tj /V 12 Tf 0 -60 Td <0041> Tj ET";
    let resources_page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</T 5 0 R/C 8 0 R/D 12 0 R/V 14 0 R>>>>>>";
    let mut objects: Vec<Vec<u8>> = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        resources_page.as_bytes().to_vec(),
        pdf::stream("", content.as_bytes()),
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[0.001 0 0 0.001 0 0]/CharProcs<</a 6 0 R/b 7 0 R>>/Encoding<</Differences[97/a/b]>>/FirstChar 97/LastChar 98/Widths[1000 800]/Resources<</Font<</T 5 0 R>>>>>>".to_vec(),
        pdf::stream("", b"1000 0 0 0 750 750 d1 0 0 750 750 re f"),
        pdf::stream("", b"800 0 d0 0 0 m 375 750 l 750 0 l f BT /T 1 Tf (a) Tj ET"),
        b"<</Type/Font/Subtype/Type0/BaseFont/ABCDEF+Sans/Encoding/Identity-H/DescendantFonts[9 0 R]/ToUnicode 11 0 R>>".to_vec(),
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/ABCDEF+Sans/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor 10 0 R/DW 1000/W[36[600 500]38 40 700]/DW2[880 -1000]/W2[1 2 -500 250 772]/CIDToGIDMap/Identity>>".to_vec(),
        b"<</Type/FontDescriptor/FontName/ABCDEF+Sans/Flags 4/FontBBox[-100 -200 1000 900]/ItalicAngle 0/Ascent 900/Descent -200/StemV 80/FontFile2 13 0 R>>".to_vec(),
        pdf::stream("", b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfrange <0024> <0026> <0041> <0027> <0028> [<0044> <D835DC00>] endbfrange 1 beginbfchar <0030> <00660069> endbfchar endcmap"),
        b"<</Type/Font/Subtype/TrueType/BaseFont/Sans/FirstChar 32/LastChar 34/Widths[300 400 500]/FontDescriptor 10 0 R/Encoding/MacRomanEncoding>>".to_vec(),
    ];
    objects.push(pdf::stream("", dejavu::sans_mono::bold_oblique()));
    objects.push(
        b"<</Type/Font/Subtype/Type0/BaseFont/Sans-V/Encoding 15 0 R/DescendantFonts[9 0 R]>>"
            .to_vec(),
    );
    objects.push(pdf::stream("/Type/CMap/CMapName/X/WMode 1/UseCMap/Identity-V", b"begincmap 1 begincodespacerange <00> <FFFF> endcodespacerange 1 begincidrange <0000> <00FF> 5 endcidrange endcmap"));
    pdf::file(&objects)
}

/// Pictures with filters.
fn pictured() -> Vec<u8> {
    let head =
        "/Type/XObject/Subtype/Image/Width 40/Height 30/ColorSpace/DeviceRGB/BitsPerComponent 8";
    let grey = "/Type/XObject/Subtype/Image/Width 16/Height 8/BitsPerComponent 1";
    let noise: Vec<u8> = (0..200_u8).map(|at| at.wrapping_mul(37)).collect();
    let more = [
        pdf::stream(&format!("{head}/Filter/DCTDecode/SMask 7 0 R"), &encoded(ImageFormat::Jpeg)),
        pdf::stream(&format!("{grey}/ColorSpace/DeviceGray/Decode[1 0]/Filter[/ASCIIHexDecode/RunLengthDecode]"), b"FE0102010203FE55FF80>"),
        pdf::stream(&format!("{grey}/ImageMask true/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 16/Rows 8/BlackIs1 true/EndOfBlock false>>"), &noise),
        pdf::stream(&format!("{grey}/ColorSpace[/Indexed/DeviceRGB 1 <FF000000FF00>]/Filter/LZWDecode/DecodeParms<</Predictor 12/Colors 1/Columns 16/EarlyChange 0>>/Mask[0 0]"), &noise),
        pdf::stream(&format!("{grey}/ColorSpace/DeviceGray/Filter/JBIG2Decode"), &noise),
        pdf::stream(&format!("{head}/Filter/JPXDecode"), b"\xff\x4f\xff\x51\x00\x2f\x00\x00\x00\x00\x00\x28\x00\x00\x00\x1e\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x28\x00\x00\x00\x1e\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x07\x01\x01\x07\x01\x01\x07\x01\x01"),
        pdf::stream(&format!("{head}/Filter/ASCII85Decode"), b"9jqo^BlbD-BleB1DJ+*+F(f,q/0JhKF<GL>Cj@.4Gp$d7F!,L7@<6@)~>"),
    ];
    let names: Vec<String> = (0..more.len())
        .map(|at| format!("/I{at} {} 0 R", at + 6))
        .collect();
    let draws: Vec<String> = (0..more.len())
        .map(|at| format!("q 100 0 0 80 {} 600 cm /I{at} Do Q ", at * 80))
        .collect();
    pdf::page(
        &draws.concat(),
        &format!("/XObject<<{}>>", names.concat()),
        &more,
    )
}
