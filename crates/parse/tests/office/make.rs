//! Making office files and books out of the parts that a test is about.

use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Parts of an archive: names and contents.
pub(crate) type Parts = Vec<(String, Vec<u8>)>;

/// An archive of these parts; of two with the same name the last counts.
pub(crate) fn archive(parts: &Parts) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (at, (name, content)) in parts.iter().enumerate() {
        if parts[at + 1..].iter().any(|(other, _)| other == name) {
            continue;
        }
        zip.start_file(name.as_str(), SimpleFileOptions::default())
            .unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub(crate) fn part(name: &str, content: &str) -> (String, Vec<u8>) {
    (name.to_owned(), content.as_bytes().to_vec())
}

/// A part that says what another refers to: names, kinds and targets.
pub(crate) fn relations(of: &str, list: &[(&str, &str, &str)]) -> (String, Vec<u8>) {
    let lines = list.iter().map(|(id, kind, target)| {
        let external = if target.starts_with("http") {
            " TargetMode=\"External\""
        } else {
            ""
        };
        format!(
            "<Relationship Id=\"{id}\" Type=\"http://x/{kind}\" Target=\"{target}\"{external}/>"
        )
    });
    let lines: Vec<String> = lines.collect();
    let (folder, name) = of.rsplit_once('/').unwrap_or(("", of));
    let slash = if folder.is_empty() { "" } else { "/" };
    part(
        &format!("{folder}{slash}_rels/{name}.rels"),
        &format!("<Relationships>{}</Relationships>", lines.concat()),
    )
}

fn office(main: &str, content_type: &str) -> Parts {
    vec![
        part(
            "[Content_Types].xml",
            &format!(
                "<Types><Override PartName=\"/{main}\" ContentType=\"{content_type}\"/></Types>"
            ),
        ),
        relations(
            "",
            &[
                ("r1", "officeDocument", main),
                ("r2", "core-properties", "docProps/core.xml"),
            ],
        ),
    ]
}

/// A Word document of this body.
pub(crate) fn docx_parts(body: &str) -> Parts {
    let mut parts = office(
        "word/document.xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    );
    parts.push(part(
        "word/document.xml",
        &format!("<w:document><w:body>{body}<w:sectPr/></w:body></w:document>"),
    ));
    parts.push(relations(
        "word/document.xml",
        &[
            ("s", "styles", "styles.xml"),
            ("n", "numbering", "numbering.xml"),
            ("f", "footnotes", "footnotes.xml"),
            ("e", "endnotes", "endnotes.xml"),
            ("pic", "image", "media/pump.png"),
            ("far", "image", "https://host/x.png"),
            ("gone", "image", "media/gone.png"),
            ("out", "image", "../../etc/passwd"),
            ("chart", "chart", "charts/chart1.xml"),
        ],
    ));
    parts.push(part("word/styles.xml", STYLES));
    parts.push(part("word/footnotes.xml", "<w:footnotes/>"));
    parts.push(part("word/endnotes.xml", "<w:endnotes/>"));
    parts.push(part("word/numbering.xml", NUMBERING));
    parts.push(("word/media/pump.png".to_owned(), png(200, 100)));
    parts
}

/// A presentation of these slides: what stands on each.
pub(crate) fn pptx_parts(slides: &[&str]) -> Parts {
    let mut parts = office(
        "ppt/presentation.xml",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    );
    let ids: Vec<String> = (0..slides.len())
        .map(|at| format!("<p:sldId id=\"{}\" r:id=\"r{at}\"/>", at + 256))
        .collect();
    let size = "<p:sldSz cx=\"9144000\" cy=\"6858000\"/>";
    let presentation = format!(
        "<p:presentation><p:sldIdLst>{}</p:sldIdLst>{size}</p:presentation>",
        ids.concat()
    );
    parts.push(part("ppt/presentation.xml", &presentation));
    let names: Vec<(String, String)> = (0..slides.len())
        .map(|at| (format!("r{at}"), format!("slides/slide{at}.xml")))
        .collect();
    let list: Vec<(&str, &str, &str)> = names
        .iter()
        .map(|(id, target)| (id.as_str(), "slide", target.as_str()))
        .collect();
    parts.push(relations("ppt/presentation.xml", &list));
    for (at, slide) in slides.iter().enumerate() {
        let name = format!("ppt/slides/slide{at}.xml");
        parts.push(part(
            &name,
            &format!("<p:sld><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>"),
        ));
        parts.push(relations(
            &name,
            &[
                ("l", "slideLayout", "../slideLayouts/l.xml"),
                ("pic", "image", "../media/pump.png"),
                ("n", "notesSlide", &format!("../notesSlides/n{at}.xml")),
            ],
        ));
        let notes = format!(
            "<p:notes><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type=\"body\"/></p:nvPr></p:nvSpPr>\
             <p:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>",
            if at == 0 { "Say hello." } else { "" }
        );
        parts.push(part(&format!("ppt/notesSlides/n{at}.xml"), &notes));
    }
    parts.push(part("ppt/slideLayouts/l.xml", LAYOUT));
    parts.push(relations(
        "ppt/slideLayouts/l.xml",
        &[("m", "slideMaster", "../slideMasters/m.xml")],
    ));
    parts.push(part("ppt/slideMasters/m.xml", MASTER));
    parts.push(("ppt/media/pump.png".to_owned(), png(200, 100)));
    parts
}

/// A workbook of these sheets: names, states and what stands in each.
pub(crate) fn xlsx_parts(sheets: &[(&str, &str, &str)], strings: &[&str]) -> Parts {
    let mut parts = office(
        "xl/workbook.xml",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    );
    let entries = sheets.iter().enumerate().map(|(at, (name, state, _))| {
        format!("<sheet name=\"{name}\" sheetId=\"{at}\" state=\"{state}\" r:id=\"r{at}\"/>")
    });
    let entries: Vec<String> = entries.collect();
    let workbook = format!("<workbook><sheets>{}</sheets></workbook>", entries.concat());
    parts.push(part("xl/workbook.xml", &workbook));
    let names: Vec<(String, String)> = (0..sheets.len())
        .map(|at| (format!("r{at}"), format!("worksheets/sheet{at}.xml")))
        .collect();
    let mut list: Vec<(&str, &str, &str)> = names
        .iter()
        .map(|(id, target)| (id.as_str(), "worksheet", target.as_str()))
        .collect();
    list.push(("st", "styles", "styles.xml"));
    list.push(("ss", "sharedStrings", "sharedStrings.xml"));
    parts.push(relations("xl/workbook.xml", &list));
    for (at, (_, _, sheet)) in sheets.iter().enumerate() {
        let name = format!("xl/worksheets/sheet{at}.xml");
        parts.push(part(&name, &format!("<worksheet>{sheet}</worksheet>")));
    }
    let items: Vec<String> = strings
        .iter()
        .map(|text| format!("<si><t>{text}</t></si>"))
        .collect();
    parts.push(part(
        "xl/sharedStrings.xml",
        &format!("<sst>{}</sst>", items.concat()),
    ));
    parts.push(part("xl/styles.xml", SHEET_STYLES));
    parts
}

/// A book of these pages, with a table of contents of EPUB 3.
pub(crate) fn epub_parts(pages: &[&str], nav: &str) -> Parts {
    let mut parts = vec![
        part("mimetype", "application/epub+zip"),
        part(
            "META-INF/container.xml",
            "<container><rootfiles><rootfile full-path=\"OPS/book.opf\"/></rootfiles></container>",
        ),
    ];
    let items: Vec<String> = (0..pages.len())
        .map(|at| format!("<item id=\"p{at}\" href=\"text/p{at}.xhtml\"/>"))
        .collect();
    let refs: Vec<String> = (0..pages.len())
        .map(|at| format!("<itemref idref=\"p{at}\"/>"))
        .collect();
    let opf = format!(
        "<package><metadata><dc:title>The book</dc:title><dc:language>en-GB</dc:language></metadata>\
         <manifest><item id=\"nav\" href=\"nav.xhtml\" properties=\"nav\"/>{}</manifest>\
         <spine><itemref idref=\"nav\"/>{}</spine></package>",
        items.concat(),
        refs.concat()
    );
    parts.push(part("OPS/book.opf", &opf));
    let nav = format!("<html><body><nav epub:type=\"toc\"><ol>{nav}</ol></nav></body></html>");
    parts.push(part("OPS/nav.xhtml", &nav));
    for (at, page) in pages.iter().enumerate() {
        let page = format!("<?xml version=\"1.0\"?><html><body>{page}</body></html>");
        parts.push(part(&format!("OPS/text/p{at}.xhtml"), &page));
    }
    parts.push(("OPS/img/pump.png".to_owned(), png(200, 100)));
    parts
}

/// A picture of one colour.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let picture = image::RgbImage::from_pixel(width, height, image::Rgb([200, 30, 40]));
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

/// A paragraph of Word: its properties and text.
pub(crate) fn p(properties: &str, text: &str) -> String {
    format!(
        "<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>"
    )
}

/// A paragraph in a style.
pub(crate) fn styled(style: &str, text: &str) -> String {
    p(&format!("<w:pStyle w:val=\"{style}\"/>"), text)
}

/// A paragraph in a list.
pub(crate) fn listed(list: u32, level: u32, text: &str) -> String {
    let properties =
        format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr>");
    p(&properties, text)
}

/// A picture of Word.
pub(crate) fn drawing(id: &str, alt: &str) -> String {
    format!(
        "<w:p><w:r><w:drawing><wp:inline><wp:extent cx=\"1905000\" cy=\"952500\"/>\
         <wp:docPr id=\"1\" name=\"Picture 1\" descr=\"{alt}\"/><a:graphic><a:graphicData><pic:pic>\
         <pic:blipFill><a:blip r:embed=\"{id}\"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>\
         </wp:inline></w:drawing></w:r></w:p>"
    )
}

const STYLES: &str = "<w:styles>\
    <w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Standard\"><w:name w:val=\"Normal\"/></w:style>\
    <w:style w:styleId=\"Titel\"><w:name w:val=\"Title\"/></w:style>\
    <w:style w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/><w:pPr><w:numPr><w:numId w:val=\"3\"/></w:numPr><w:outlineLvl w:val=\"0\"/></w:pPr></w:style>\
    <w:style w:styleId=\"berschrift2\"><w:name w:val=\"heading 2\"/><w:pPr><w:numPr><w:ilvl w:val=\"1\"/><w:numId w:val=\"3\"/></w:numPr><w:outlineLvl w:val=\"1\"/></w:pPr></w:style>\
    <w:style w:styleId=\"Kapitel\"><w:name w:val=\"Mein Kapitel\"/><w:basedOn w:val=\"berschrift2\"/></w:style>\
    <w:style w:styleId=\"Beschriftung\"><w:name w:val=\"caption\"/></w:style>\
    <w:style w:styleId=\"Code\"><w:name w:val=\"HTML Preformatted\"/></w:style>\
    <w:style w:styleId=\"Inhalt1\"><w:name w:val=\"toc 1\"/></w:style>\
    <w:style w:styleId=\"A\"><w:name w:val=\"A\"/><w:basedOn w:val=\"B\"/></w:style>\
    <w:style w:styleId=\"B\"><w:name w:val=\"B\"/><w:basedOn w:val=\"A\"/></w:style>\
    <w:style w:type=\"table\" w:styleId=\"Gitter\"><w:name w:val=\"Grid\"/><w:tblStylePr w:type=\"firstRow\"/></w:style>\
    </w:styles>";

const NUMBERING: &str = "<w:numbering>\
    <w:abstractNum w:abstractNumId=\"0\">\
    <w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/><w:pPr><w:ind w:left=\"720\"/></w:pPr></w:lvl>\
    <w:lvl w:ilvl=\"1\"><w:start w:val=\"1\"/><w:numFmt w:val=\"lowerLetter\"/><w:lvlText w:val=\"(%2)\"/><w:pPr><w:ind w:left=\"1440\"/></w:pPr></w:lvl>\
    </w:abstractNum>\
    <w:abstractNum w:abstractNumId=\"1\">\
    <w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"bullet\"/><w:lvlText w:val=\"\u{f0b7}\"/></w:lvl>\
    <w:lvl w:ilvl=\"1\"><w:numFmt w:val=\"bullet\"/><w:lvlText w:val=\"–\"/></w:lvl>\
    </w:abstractNum>\
    <w:abstractNum w:abstractNumId=\"2\">\
    <w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"upperRoman\"/><w:lvlText w:val=\"%1\"/></w:lvl>\
    <w:lvl w:ilvl=\"1\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.%2\"/><w:isLgl/></w:lvl>\
    </w:abstractNum>\
    <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>\
    <w:num w:numId=\"2\"><w:abstractNumId w:val=\"1\"/></w:num>\
    <w:num w:numId=\"3\"><w:abstractNumId w:val=\"2\"/></w:num>\
    <w:num w:numId=\"4\"><w:abstractNumId w:val=\"0\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"5\"/></w:lvlOverride></w:num>\
    </w:numbering>";

const LAYOUT: &str = "<p:sldLayout><p:cSld><p:spTree>\
    <p:sp><p:nvSpPr><p:nvPr><p:ph type=\"subTitle\" idx=\"4\"/></p:nvPr></p:nvSpPr>\
    <p:spPr/><p:txBody><a:lstStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr></a:lstStyle></p:txBody></p:sp>\
    </p:spTree></p:cSld></p:sldLayout>";

const MASTER: &str = "<p:sldMaster><p:cSld><p:spTree>\
    <p:sp><p:nvSpPr><p:nvPr><p:ph type=\"title\"/></p:nvPr></p:nvSpPr>\
    <p:spPr><a:xfrm><a:off x=\"127000\" y=\"127000\"/><a:ext cx=\"1270000\" cy=\"254000\"/></a:xfrm></p:spPr></p:sp>\
    <p:sp><p:nvSpPr><p:nvPr><p:ph type=\"body\" idx=\"1\"/></p:nvPr></p:nvSpPr>\
    <p:spPr><a:xfrm><a:off x=\"127000\" y=\"635000\"/><a:ext cx=\"1270000\" cy=\"254000\"/></a:xfrm></p:spPr></p:sp>\
    </p:spTree></p:cSld><p:txStyles><p:bodyStyle>\
    <a:lvl1pPr><a:buChar char=\"•\"/></a:lvl1pPr><a:lvl2pPr><a:buChar char=\"–\"/></a:lvl2pPr>\
    </p:bodyStyle></p:txStyles></p:sldMaster>";

const SHEET_STYLES: &str = "<styleSheet>\
    <numFmts><numFmt numFmtId=\"164\" formatCode=\"#,##0.00\\ &quot;€&quot;\"/></numFmts>\
    <fonts><font/><font><b/></font></fonts><fills><fill/></fills>\
    <cellXfs><xf numFmtId=\"0\" fontId=\"0\"/><xf numFmtId=\"0\" fontId=\"1\"/>\
    <xf numFmtId=\"14\" fontId=\"0\"/><xf numFmtId=\"164\" fontId=\"0\"/><xf numFmtId=\"9\"/></cellXfs>\
    </styleSheet>";
