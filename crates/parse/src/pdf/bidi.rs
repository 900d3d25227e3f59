//! Text that runs from right to left.
//!
//! A page of such a script is mirrored, so that it is laid out as any other; a run against the
//! page's direction (Latin in Arabic, Hebrew in English) is put in the order that it is read in.

use super::content::{Content, Glyph, GlyphText};
use super::words::Word;
use catena_document::BBox;

/// Whether most letters of a page are of scripts that run from right to left.
pub(super) fn runs_left(content: &Content) -> bool {
    let (mut left, mut right) = (0_usize, 0_usize);
    for glyph in &content.glyphs {
        match class_of_glyph(glyph) {
            Class::Left => left += 1,
            Class::Right => right += 1,
            Class::Neutral => {}
        }
    }
    left > right
}

/// A box on a page of this width, seen in a mirror.
pub(super) fn mirrored(bbox: &BBox, width: f32) -> BBox {
    BBox::new(width - bbox.right, bbox.top, width - bbox.left, bbox.bottom)
}

/// Mirrors all that stands on a page of this width.
pub(super) fn mirror(content: &mut Content, width: f32) {
    for glyph in &mut content.glyphs {
        let before = match glyph.direction {
            Some(0) => glyph.advance,
            Some(2) => -glyph.advance,
            // The middle of a line of text is this far from its baseline.
            Some(1) => glyph.size * 0.56,
            Some(_) => -glyph.size * 0.56,
            None => 0.0,
        };
        glyph.x = width - glyph.x - before;
    }
    for rule in &mut content.rules {
        rule.bbox = mirrored(&rule.bbox, width);
    }
    for shape in &mut content.shapes {
        shape.bbox = mirrored(&shape.bbox, width);
        for bbox in &mut shape.boxes {
            *bbox = mirrored(bbox, width);
        }
    }
    for image in &mut content.images {
        *image = mirrored(image, width);
    }
}

/// The direction that characters are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Left,
    Right,
    /// Digits, marks and signs, which follow what is around them.
    Neutral,
}

fn class(c: char) -> Class {
    let left = matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}');
    if left && !c.is_numeric() {
        Class::Left
    } else if c.is_alphabetic() {
        Class::Right
    } else {
        Class::Neutral
    }
}

fn class_of(mut chars: impl Iterator<Item = char>) -> Class {
    chars
        .find_map(|c| Some(class(c)).filter(|&class| class != Class::Neutral))
        .unwrap_or(Class::Neutral)
}

fn class_of_glyph(glyph: &Glyph) -> Class {
    match &glyph.text {
        GlyphText::Char(c) => class(*c),
        GlyphText::Many(text) => class_of(text.chars()),
    }
}

/// Puts the characters of a row's words in the order that they are read in. `row` is from left to
/// right, or on a page that `runs_left` in the mirror; glyphs stay where they are and change their
/// texts. Glyphs further apart than `gap` font sizes are of different words.
pub(super) fn order_letters(row: &mut [Glyph], runs_left: bool, gap: f32) {
    let near = |a: &Glyph, b: &Glyph| b.x - a.x - a.advance < gap * a.size.min(b.size);
    let mut at = 0;
    while at < row.len() {
        if !is_against(&row[at], runs_left) {
            if runs_left {
                mirror_bracket(&mut row[at]);
            }
            at += 1;
            continue;
        }
        let start = at;
        let mut end = at + 1;
        let mut next = end;
        while next < row.len() && near(&row[next - 1], &row[next]) {
            if is_against(&row[next], runs_left) {
                end = next + 1;
            } else if !(runs_left && is_inner_sign(&row[next])) {
                break;
            }
            next += 1;
        }
        reverse_texts(&mut row[start..end]);
        at = end;
    }
}

/// Whether a glyph is of a run against the page's direction; numbers always run to the right.
fn is_against(glyph: &Glyph, runs_left: bool) -> bool {
    let digit = matches!(glyph.text, GlyphText::Char(c) if c.is_numeric());
    match class_of_glyph(glyph) {
        Class::Left => !runs_left,
        Class::Right => runs_left,
        Class::Neutral => runs_left && digit,
    }
}

/// A sign that may stand within a number, a name or an address.
fn is_inner_sign(glyph: &Glyph) -> bool {
    matches!(glyph.text, GlyphText::Char(c)
        if c.is_ascii_punctuation() && !matches!(c, '(' | ')' | '[' | ']'))
}

fn reverse_texts(run: &mut [Glyph]) {
    let mut texts: Vec<GlyphText> = run.iter().map(|glyph| glyph.text.clone()).collect();
    texts.reverse();
    for (glyph, text) in run.iter_mut().zip(texts) {
        glyph.text = text;
    }
}

/// Fonts tell a bracket by its look; read the other way, it is its counterpart.
fn mirror_bracket(glyph: &mut Glyph) {
    const PAIRS: [(char, char); 5] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('«', '»')];
    if let GlyphText::Char(c) = &mut glyph.text
        && let Some((open, close)) = PAIRS.iter().find(|(open, close)| c == open || c == close)
    {
        *c = if c == open { *close } else { *open };
    }
}

/// Puts a segment's words in the order that they are read in: runs against the page's direction
/// are turned round.
pub(super) fn order_words(words: &mut [Word], runs_left: bool) {
    let against = if runs_left { Class::Right } else { Class::Left };
    let classes: Vec<Class> = words
        .iter()
        .map(|word| class_of(word.text.chars()))
        .collect();
    let mut at = 0;
    while at < words.len() {
        if classes[at] != against {
            at += 1;
            continue;
        }
        let run = classes[at..]
            .iter()
            .take_while(|&&class| class == against || class == Class::Neutral);
        let reach = at + run.count();
        let end = classes[at..reach]
            .iter()
            .rposition(|&class| class == against);
        let end = at + end.unwrap_or(0) + 1;
        reverse_words(&mut words[at..end]);
        at = end;
    }
}

/// Turns words round; each keeps whether it is joined to its neighbour.
fn reverse_words(run: &mut [Word]) {
    let joined: Vec<bool> = run.iter().map(|word| word.joined).collect();
    run.reverse();
    let before = joined.iter().take(1).chain(joined.iter().skip(1).rev());
    for (word, &joined) in run.iter_mut().zip(before) {
        word.joined = joined;
    }
}
