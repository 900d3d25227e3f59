//! Reading workbooks.
//!
//! A sheet is a section. [`sheet`] reads its cells as they are displayed ([`styles`], [`format`]),
//! and [`areas`] makes tables of them.

mod areas;
mod format;
mod sheet;
mod styles;

use super::Content;
use super::drawing::{Facts, Media};
use super::package::{Package, Relations};
use crate::ParseError;
use crate::assets::Pictures;
use crate::block::{Block, BlockKind, Heading};
use crate::caption::pair_captions;
use crate::nodes::{self, Outline};
use crate::text::folded;
use crate::xml::{Element, Xml};
use sheet::Area;
use std::collections::HashSet;
use styles::Styles;

/// Sheets that are read.
const MAX_SHEETS: usize = 2_000;
/// Cells of a workbook that are read.
const MAX_CELLS: usize = 200_000;
/// Comments of a sheet that are read.
const MAX_COMMENTS: usize = 10_000;

/// What all sheets share.
struct Book<'a, 's> {
    media: Media<'a, 's>,
    strings: Vec<String>,
    styles: Styles,
    /// Cells that may still be read.
    left: usize,
}

pub(super) fn read(
    package: &Package<'_>,
    pictures: &mut Pictures<'_>,
) -> Result<Content, ParseError> {
    let (_, workbook, relations) = package.main("xl/workbook.xml")?;
    let root = workbook
        .root()
        .ok_or_else(|| ParseError::Damaged("the workbook holds nothing".into()))?;
    let from_1904 = root
        .child("workbookPr")
        .and_then(|own| own.attr("date1904"))
        .is_some_and(|value| value == "1" || value == "true");
    let part = |kind| package.related(&relations, kind).map(|(_, xml)| xml);
    let mut book = Book {
        strings: part("sharedStrings")
            .map(|xml| strings(&xml))
            .unwrap_or_default(),
        styles: Styles::read(part("styles").as_ref(), from_1904),
        media: Media { package, pictures },
        left: MAX_CELLS,
    };
    let mut blocks = Vec::new();
    let sheets: Vec<Element<'_>> = root
        .child("sheets")
        .into_iter()
        .flat_map(|sheets| sheets.named("sheet"))
        .collect();
    if sheets.len() > MAX_SHEETS {
        package.warn(format!("only the first {MAX_SHEETS} sheets are read"));
    }
    let mut sections = 0;
    // A sheet's part stands for one sheet, however often the workbook names it.
    let mut read = HashSet::new();
    for sheet in sheets.into_iter().take(MAX_SHEETS) {
        let name = folded(sheet.attr("name").unwrap_or_default());
        if sheet.attr("state").is_some_and(|state| state != "visible") {
            package.warn(format!("the hidden sheet `{name}` is not read"));
            continue;
        }
        let relation = sheet.prefixed_attr("id").and_then(|id| relations.get(id));
        let Some(relation) = relation.filter(|relation| !relation.external) else {
            package.warn(format!("the sheet `{name}` is missing"));
            continue;
        };
        if !read.insert(relation.target.as_str()) {
            package.warn(format!("the sheet `{name}` is another one again"));
            continue;
        }
        let found = book.sheet(&name, &relation.target);
        if !found.is_empty() {
            let kind = BlockKind::Heading(Heading {
                rank: 1,
                text: name.clone(),
                titled: false,
            });
            blocks.push(Block {
                anchor: Some(name),
                ..Block::new(kind)
            });
            sections += 1;
            blocks.extend(found);
        }
    }
    let outline = Outline {
        title: None,
        levels: vec![1; sections],
    };
    Ok(Content {
        title: None,
        pages: Vec::new(),
        nodes: nodes::build(blocks, &outline, None),
    })
}

impl Book<'_, '_> {
    /// What stands on a sheet.
    fn sheet(&mut self, name: &str, part: &str) -> Vec<Block> {
        let package = self.media.package;
        let relations = package.relations(part);
        let mut blocks = Vec::new();
        // A chart may fill a sheet of its own, which has no cells.
        match package.bytes(part) {
            None => package.warn(format!("`{part}` is missing")),
            Some(bytes) => {
                let text = crate::xml::decoded(&bytes);
                let mut sheet = sheet::read(&text, &self.strings, &self.styles, &mut self.left);
                if sheet.cut {
                    let cause = if self.left == 0 {
                        format!("only the first {MAX_CELLS} cells of the workbook are read")
                    } else {
                        "it is broken".to_owned()
                    };
                    package.warn(format!(
                        "the end of the sheet `{name}` was left out: {cause}"
                    ));
                }
                sheet.headers.extend(table_headers(package, &relations));
                let (found, cut) = areas::blocks(sheet, name, &self.styles);
                blocks = found;
                if cut {
                    package.warn(format!(
                        "a table of the sheet `{name}` is too large: its end was left out"
                    ));
                }
            }
        }
        pair_captions(&mut blocks);
        blocks.extend(self.figures(&relations));
        blocks.extend(comments(package, &relations, name));
        blocks
    }

    /// The pictures and charts of a sheet, in the order of the file.
    fn figures(&mut self, relations: &Relations) -> Vec<Block> {
        let Some((name, xml)) = self.media.package.related(relations, "drawing") else {
            return Vec::new();
        };
        let relations = self.media.package.relations(&name);
        let mut blocks = Vec::new();
        for shape in xml.root().into_iter().flat_map(Element::descendants) {
            if matches!(shape.name(), "pic" | "graphicFrame") {
                let names = shape.children().find_map(|own| own.child("cNvPr"));
                let facts = Facts::read(names, None);
                blocks.extend(self.media.figures(shape, &relations, facts));
            }
        }
        blocks
    }
}

/// What readers have remarked to cells, each after the cell's name.
fn comments(package: &Package<'_>, relations: &Relations, sheet: &str) -> Vec<Block> {
    let threaded = package.related(relations, "threadedComment");
    let plain = package.related(relations, "comments");
    let mut out: Vec<Block> = Vec::new();
    for (_, xml) in threaded.iter().chain(&plain) {
        let all = xml.root().into_iter().flat_map(Element::descendants);
        for comment in all.filter(|below| matches!(below.name(), "comment" | "threadedComment")) {
            let Some(area) = comment.attr("ref").and_then(Area::parse) else {
                continue;
            };
            let text = folded(&comment.child("text").map(Element::text).unwrap_or_default());
            // Programs before threads are told where to read them.
            let repeats = threaded.is_some() && text.starts_with("[Threaded comment]");
            if text.is_empty() || repeats || out.len() >= MAX_COMMENTS {
                continue;
            }
            let cell = sheet::place_name(area.top, area.left);
            out.push(Block {
                links: Vec::new(),
                kind: BlockKind::Footnote(format!("[{cell}] {text}")),
                anchor: Some(format!("{sheet}!{cell}")),
            });
        }
    }
    out
}

/// The header rows of the tables that a sheet declares.
fn table_headers(package: &Package<'_>, relations: &Relations) -> Vec<Area> {
    let tables = relations
        .values()
        .filter(|relation| relation.kind == "table" && !relation.external);
    let header = |relation: &super::package::Relation| {
        let xml = package.xml(&relation.target)?;
        let root = xml.root()?;
        let rows = root.number("headerRowCount").unwrap_or(1);
        let area = Area::parse(root.attr("ref")?)?;
        (rows > 0).then(|| Area {
            bottom: area.top + (rows as u32 - 1).min(area.bottom - area.top),
            ..area
        })
    };
    tables.filter_map(header).collect()
}

/// The texts that cells share, without the readings of Japanese ones.
fn strings(xml: &Xml) -> Vec<String> {
    let items = xml.root().into_iter().flat_map(|root| root.named("si"));
    items
        .map(|item| {
            let parts = item.children().map(|part| match part.name() {
                "t" => part.text(),
                "r" => part.child("t").map(Element::text).unwrap_or_default(),
                _ => String::new(),
            });
            folded(&parts.collect::<String>())
        })
        .collect()
}
