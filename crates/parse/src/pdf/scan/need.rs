//! Which pages must be read from their picture?

use crate::pdf::content::{Content, GlyphText};
use crate::source::OcrMode;
use catena_document::BBox;

/// Fewer characters than this are no text of a page.
const FEW: usize = 30;
/// A picture over this share of a page is the page.
const MOST: f32 = 0.7;
/// Text that covers less than this share of the page beside such a picture is a stamp.
const STAMP: f32 = 0.012;

/// What must be read from a page's picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pdf) enum Need {
    /// Nothing: the page has its text and its drawing.
    Nothing,
    /// Where its figures and tables are: it has its text, but its drawing is a picture.
    Regions,
    /// Everything.
    All,
}

/// Which pages are read from their picture.
pub(in crate::pdf) fn need(content: &Content, size: (f32, f32), mode: OcrMode) -> Need {
    let area = (size.0 * size.1).max(1.0);
    let pictures = content.images.iter().map(BBox::area);
    let largest = pictures.clone().fold(0.0, f32::max) / area;
    let some = pictures.sum::<f32>() / area > 0.15 || content.shapes.len() > 40;
    let chars = content.glyphs.iter().filter(|glyph| !glyph.text.is_space());
    let (mut known, mut covered) = (0, 0.0);
    for glyph in chars {
        known += 1;
        covered += glyph.advance.abs() * glyph.size;
    }
    let stamp = largest > MOST && covered / area < STAMP;
    let lacking = (known < FEW || stamp) && some;
    if mode == OcrMode::Always || is_broken(content) || lacking {
        Need::All
    } else if largest > MOST {
        Need::Regions
    } else {
        Need::Nothing
    }
}

/// Whether a page's text is not what it shows: its fonts do not tell their characters, or tell
/// characters that nobody writes.
pub(in crate::pdf) fn is_broken(content: &Content) -> bool {
    let known = content.glyphs.len();
    let nonsense = content
        .glyphs
        .iter()
        .filter(|glyph| matches!(&glyph.text, GlyphText::Char(c) if is_nonsense(*c)))
        .count();
    let lost = content.unknown + nonsense;
    lost > 20 && lost * 5 > known + content.unknown
}

/// A character that stands for none: private use, controls, the mark of a failed decoding.
fn is_nonsense(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fffd}' | '\u{f0000}'..)
        || (c.is_control() && !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::content::Glyph;

    fn content(text: &str, picture: Option<BBox>) -> Content {
        Content {
            glyphs: text.chars().map(|c| Glyph::of(c, 0.0, 0.0)).collect(),
            images: picture.into_iter().collect(),
            ..Content::default()
        }
    }

    #[track_caller]
    fn check(content: &Content, expected: Need) {
        assert_eq!(need(content, (600.0, 800.0), OcrMode::Auto), expected);
        assert_eq!(need(content, (600.0, 800.0), OcrMode::Always), Need::All);
    }

    #[test]
    fn pages_without_usable_text_are_read_from_their_picture() {
        let whole = Some(BBox::new(0.0, 0.0, 600.0, 800.0));
        let photo = Some(BBox::new(100.0, 100.0, 400.0, 300.0));
        let prose = "A page of text that says something. ".repeat(20);
        check(&content("", whole), Need::All);
        // The words of a picture on a page are read as those of a figure.
        check(&content("", photo), Need::Nothing);
        check(&content("Scanned by a machine, 12 March", whole), Need::All);
        check(&content(&prose, photo), Need::Nothing);
        // A scan with a text layer.
        check(&content(&prose, whole), Need::Regions);
        check(&content(&"\u{e001}\u{f123} ".repeat(40), None), Need::All);
        // An empty page.
        check(&content("7", None), Need::Nothing);
        let unknown = Content {
            unknown: 400,
            ..content(&prose, None)
        };
        check(&unknown, Need::All);
    }
}
