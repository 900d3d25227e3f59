//! The paragraphs of a shape, and the lists that they make.

use super::Deck;
use super::layout::{Layout, Placeholder};
use crate::numbering::{alphabetic, roman};
use crate::office::docx::numbering::bullet;
use crate::text::Folded;
use crate::xml::Element;
use catena_document::{BBox, NodeKind};

/// Levels that lists have.
const LEVELS: usize = 9;

/// What stands before a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bullet {
    None,
    Sign(String),
    /// A number: how it is printed, and where the list starts.
    Number(String, i64),
}

/// The places from which bullets are inherited, the nearest first.
struct Styles<'a> {
    lists: Vec<Element<'a>>,
}

impl Deck<'_, '_> {
    /// The text of a shape: paragraphs, and lists of those that have bullets.
    pub(super) fn text(
        &mut self,
        body: Element<'_>,
        bbox: Option<BBox>,
        placeholder: &Placeholder,
        layout: &Layout,
    ) {
        let styles = Styles::of(body, placeholder, layout);
        let mut counts: [Option<i64>; LEVELS] = [None; LEVELS];
        // The levels of the lists that are open; a list and its last item are open together.
        let mut open: Vec<usize> = Vec::new();
        for paragraph in body.named("p") {
            let text = line(paragraph);
            if text.is_empty() {
                continue;
            }
            let own = paragraph.child("pPr");
            let level = own.and_then(|own| own.number("lvl")).unwrap_or(0);
            let level = level.clamp(0, LEVELS as i64 - 1) as usize;
            let bullet = styles.bullet(own, level);
            counts[level + 1..].fill(None);
            let Some(kind) = item(bullet, &mut counts[level]) else {
                self.close_lists(&mut open, 0);
                self.leaf(NodeKind::Text, text, bbox);
                continue;
            };
            self.close_lists(&mut open, level + 1);
            if open.last() == Some(&level) {
                self.tree.close();
            } else {
                let places = self.places(bbox, "");
                self.tree.open(NodeKind::List, String::new(), places);
                open.push(level);
            }
            let places = self.places(bbox, &text);
            self.tree.open(kind, text, places);
        }
        self.close_lists(&mut open, 0);
    }

    /// Closes the lists of this level and deeper.
    fn close_lists(&mut self, open: &mut Vec<usize>, level: usize) {
        while open.last().is_some_and(|&last| last >= level) {
            open.pop();
            self.tree.close();
            self.tree.close();
        }
    }
}

/// The item that a bullet makes of a paragraph.
fn item(bullet: Bullet, count: &mut Option<i64>) -> Option<NodeKind> {
    match bullet {
        Bullet::None => {
            *count = None;
            None
        }
        Bullet::Sign(marker) => {
            *count = None;
            Some(NodeKind::ListItem { marker })
        }
        Bullet::Number(format, start) => {
            let number = count.map_or(start, |last| last + 1);
            *count = Some(number);
            let marker = printed(number, &format);
            Some(NodeKind::Step { marker })
        }
    }
}

impl<'a> Styles<'a> {
    fn of(body: Element<'a>, placeholder: &'a Placeholder, layout: &'a Layout) -> Self {
        let mut lists: Vec<Element<'a>> = body.child("lstStyle").into_iter().collect();
        let above = layout.above(placeholder);
        lists.extend(above.filter_map(|shape| shape.path(&["txBody", "lstStyle"])));
        if placeholder.is_body() {
            lists.extend(layout.body_style());
        }
        Self { lists }
    }

    fn bullet(&self, own: Option<Element<'_>>, level: usize) -> Bullet {
        let name = format!("lvl{}pPr", level + 1);
        let styled = |list: &Element<'a>| list.child(&name).and_then(bullet_of);
        own.and_then(bullet_of)
            .or_else(|| self.lists.iter().find_map(styled))
            .unwrap_or(Bullet::None)
    }
}

fn bullet_of(properties: Element<'_>) -> Option<Bullet> {
    properties.children().find_map(|child| match child.name() {
        "buNone" => Some(Bullet::None),
        "buChar" => Some(Bullet::Sign(bullet(child.attr("char").unwrap_or_default()))),
        "buBlip" => Some(Bullet::Sign("•".to_owned())),
        "buAutoNum" => {
            let format = child.attr("type").unwrap_or("arabicPeriod").to_owned();
            let start = child.number("startAt").unwrap_or(1).clamp(0, 100_000);
            Some(Bullet::Number(format, start))
        }
        _ => None,
    })
}

/// A number as `PowerPoint` prints it: `alphaLcParenR` gives `a)`.
fn printed(number: i64, format: &str) -> String {
    let bare = if format.starts_with("alphaLc") {
        alphabetic(number)
    } else if format.starts_with("alphaUc") {
        alphabetic(number).map(|text| text.to_uppercase())
    } else if format.starts_with("romanLc") {
        roman(number)
    } else if format.starts_with("romanUc") {
        roman(number).map(|text| text.to_uppercase())
    } else {
        None
    };
    let bare = bare.unwrap_or_else(|| number.to_string());
    if format.ends_with("ParenBoth") {
        format!("({bare})")
    } else if format.ends_with("ParenR") {
        format!("{bare})")
    } else if format.ends_with("Plain") {
        bare
    } else {
        format!("{bare}.")
    }
}

/// The words of a paragraph.
pub(super) fn line(paragraph: Element<'_>) -> String {
    let mut out = Folded::default();
    for below in paragraph.descendants() {
        match below.name() {
            "t" => out.push(&below.text()),
            "br" | "tab" => out.space(),
            _ => {}
        }
    }
    out.into_string()
}
