//! Reading Word documents.
//!
//! [`styles`] and [`numbering`] say what a paragraph is, [`inline`] what it holds, with formulas
//! ([`math`]) and pictures. [`body`] makes blocks of paragraphs, [`table`] of tables.

mod body;
mod inline;
mod math;
pub(super) mod numbering;
mod styles;
mod table;

use super::Content;
use super::drawing::Media;
use super::package::{Package, Relations};
use crate::ParseError;
use crate::assets::Pictures;
use crate::block::{Block, BlockKind};
use crate::nodes::{self, Outline};
use crate::text::folded;
use crate::xml::{Element, Xml};
use numbering::Numbering;
use std::collections::HashMap;
use std::rc::Rc;
use styles::Styles;

/// The reader, and what it has found so far.
struct Docx<'a, 's> {
    media: Media<'a, 's>,
    /// Those of the part that is being read.
    relations: Relations,
    styles: Styles,
    numbering: Numbering,
    /// The fields that are open, and whether their result has begun.
    fields: Vec<bool>,
    footnotes: Notes,
    endnotes: Notes,
    comments: Notes,
    /// Notes whose section is not yet at its end.
    found_notes: Vec<Block>,
    /// Whether a note is being read; there are none in such.
    in_note: bool,
}

/// What stands beside the text.
#[derive(Clone, Copy)]
enum NoteKind {
    Footnote,
    Endnote,
    /// What a reader has remarked.
    Comment,
}

/// The notes of a document that are of one kind.
#[derive(Default)]
struct Notes {
    texts: Option<Rc<Xml>>,
    relations: Relations,
    /// The element of each note; none once it has been read.
    places: HashMap<String, Option<u32>>,
    /// The number of each note that has been referred to.
    counts: HashMap<String, i64>,
}

impl Notes {
    fn read(package: &Package<'_>, part: Option<(String, Xml)>) -> Self {
        let Some((part, xml)) = part else {
            return Self::default();
        };
        let mut notes = Self {
            relations: package.relations(&part),
            ..Self::default()
        };
        for note in xml.root().into_iter().flat_map(Element::children) {
            // The others are lines between notes and text.
            let usual = note.attr("type").is_none_or(|kind| kind == "normal");
            if let Some(id) = note.attr("id").filter(|_| usual) {
                notes.places.insert(id.to_owned(), Some(note.id()));
            }
        }
        notes.texts = Some(Rc::new(xml));
        notes
    }

    fn contains(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// Who has written a comment that has not yet been read.
    fn author(&self, id: &str) -> Option<String> {
        let place = (*self.places.get(id)?)?;
        let author = self.texts.as_ref()?.element(place)?.attr("author")?;
        Some(folded(author)).filter(|author| !author.is_empty())
    }

    fn count(&mut self, id: &str) -> i64 {
        let next = self.counts.len() as i64 + 1;
        *self.counts.entry(id.to_owned()).or_insert(next)
    }
}

pub(super) fn read(
    package: &Package<'_>,
    pictures: &mut Pictures<'_>,
) -> Result<Content, ParseError> {
    let (_, document, relations) = package.main("word/document.xml")?;
    let part = |kind| package.related(&relations, kind);
    let styles = part("styles")
        .map(|(_, xml)| Styles::read(&xml))
        .unwrap_or_default();
    let numbering = part("numbering")
        .map(|(_, xml)| Numbering::read(&xml, &styles))
        .unwrap_or_default();
    let mut docx = Docx {
        footnotes: Notes::read(package, part("footnotes")),
        endnotes: Notes::read(package, part("endnotes")),
        comments: Notes::read(package, part("comments")),
        media: Media { package, pictures },
        relations,
        styles,
        numbering,
        fields: Vec::new(),
        found_notes: Vec::new(),
        in_note: false,
    };
    let body = document.root().and_then(|root| root.child("body"));
    let body = body.ok_or_else(|| ParseError::Damaged("the document has no body".into()))?;
    let mut blocks = docx.body(body);
    let title = package.properties().title;
    let outline = outline(&mut blocks, title.as_deref());
    let on_page = outline.title.and_then(|at| match &blocks[at].kind {
        BlockKind::Heading(heading) => Some(heading.text.clone()),
        _ => None,
    });
    Ok(Content {
        title: on_page,
        pages: Vec::new(),
        nodes: nodes::build(blocks, &outline, None),
    })
}

impl Docx<'_, '_> {
    /// Reads a note to which the text refers, once.
    fn note(&mut self, id: &str, kind: NoteKind, sign: Option<String>) {
        let place = self.notes(kind).places.get_mut(id);
        let (Some(place), Some(xml)) =
            (place.and_then(Option::take), self.notes(kind).texts.clone())
        else {
            return;
        };
        let Some(note) = xml.element(place) else {
            return;
        };
        let own = std::mem::take(&mut self.notes(kind).relations);
        let around = std::mem::replace(&mut self.relations, own);
        let fields = std::mem::take(&mut self.fields);
        self.in_note = true;
        let blocks = self.nested_blocks(note);
        self.in_note = false;
        self.fields = fields;
        let own = std::mem::replace(&mut self.relations, around);
        self.notes(kind).relations = own;
        let mut pictures = Vec::new();
        let text = table::flat(blocks, &mut pictures);
        if !text.is_empty() {
            let text = match sign {
                Some(sign) => format!("[{sign}] {text}"),
                None => text,
            };
            self.found_notes.push(Block::new(BlockKind::Footnote(text)));
        }
        self.found_notes.append(&mut pictures);
    }

    fn notes(&mut self, kind: NoteKind) -> &mut Notes {
        match kind {
            NoteKind::Footnote => &mut self.footnotes,
            NoteKind::Endnote => &mut self.endnotes,
            NoteKind::Comment => &mut self.comments,
        }
    }
}

/// Title and levels. The title is a paragraph in the style of that name, else the heading that is
/// called as the file says. Levels tell how headings nest, not what their styles are called.
fn outline(blocks: &mut [Block], named: Option<&str>) -> Outline {
    let headings: Vec<(usize, u8, bool)> = blocks
        .iter()
        .enumerate()
        .filter_map(|(at, block)| match &block.kind {
            BlockKind::Heading(heading) => {
                let called = named.is_some_and(|name| heading.text.eq_ignore_ascii_case(name));
                Some((at, heading.rank, called))
            }
            _ => None,
        })
        .collect();
    let styled = headings.iter().find(|(_, rank, _)| *rank == 0);
    let called = || headings.first().filter(|(_, _, called)| *called);
    let title = styled.or_else(called).map(|&(at, ..)| at);
    let mut open: Vec<u8> = Vec::new();
    let mut levels = Vec::new();
    for &(at, rank, _) in &headings {
        if Some(at) == title {
            open.clear();
            continue;
        }
        while open.last().is_some_and(|&above| above >= rank.max(1)) {
            open.pop();
        }
        open.push(rank.max(1));
        levels.push(open.len() as u8);
    }
    Outline { title, levels }
}
