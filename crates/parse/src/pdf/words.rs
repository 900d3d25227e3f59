//! From glyphs to words and segments: runs of words on one baseline with no wide gap.

use super::bidi;
use super::content::{Glyph, GlyphText};
use super::font::FontId;
use catena_document::BBox;
use std::cmp::Ordering;
use unicode_normalization::char::{compose, decompose_compatible};

/// Gap between glyphs, in font sizes, from which a new word begins.
const WORD_GAP: f32 = 0.13;
/// Gap between words, in font sizes, from which a new segment begins. Wider than the space of
/// most justified lines, narrower than the gutter between columns.
const SEGMENT_GAP: f32 = 0.85;
/// How far above its baseline a line of text reaches, in font sizes.
const ASCENT: f32 = 0.78;
/// How far below its baseline a line of text reaches, in font sizes.
const DESCENT: f32 = 0.22;

/// A word on its baseline.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) bbox: BBox,
    pub(super) baseline: f32,
    /// Font size in points.
    pub(super) size: f32,
    pub(super) font: FontId,
    pub(super) color: u32,
    /// Whether it stands without a space after the word before (a superscript, a part of a word
    /// in another font).
    pub(super) joined: bool,
    /// The number of the marked content that it begins in.
    pub(super) mark: Option<u32>,
}

/// Words on one baseline without a wide gap between them.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) words: Vec<Word>,
    pub(super) bbox: BBox,
    pub(super) baseline: f32,
    /// The size of most of its characters, in points.
    pub(super) size: f32,
    /// Direction of its baseline in quarter turns; none for slanted text.
    pub(super) direction: Option<u8>,
    /// Marked by the author as no part of the text.
    pub(super) artifact: bool,
}

impl Segment {
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for word in &self.words {
            if !out.is_empty() && !word.joined {
                out.push(' ');
            }
            out.push_str(&word.text);
        }
        out
    }

    pub(super) fn chars(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.text.chars().count())
            .sum()
    }
}

/// The segments of a page's glyphs, in no order. A page that `runs_left` is seen in the mirror.
pub(super) fn segments(glyphs: &[Glyph], runs_left: bool) -> Vec<Segment> {
    let mut out = Vec::new();
    let glyphs = accented(glyphs);
    for direction in 0..4 {
        let turned: Vec<Glyph> = glyphs
            .iter()
            .filter(|glyph| glyph.direction == Some(direction))
            .map(|glyph| turn_glyph(glyph, direction))
            .collect();
        if turned.is_empty() {
            continue;
        }
        // A mirror leaves what runs up or down as it is.
        let level = direction % 2 == 0;
        let mut found = Vec::new();
        for mut row in rows(turned) {
            bidi::order_letters(&mut row, runs_left && level, WORD_GAP);
            row_segments(&row, direction, &mut found);
        }
        attach_scripts(&mut found);
        for segment in &mut found {
            bidi::order_words(&mut segment.words, runs_left && level);
            turn_back(segment, direction);
        }
        out.append(&mut found);
    }
    slanted(&glyphs, &mut out);
    out
}

/// The glyphs with accents that are drawn on their own, over the letter that comes next or came
/// before, put together with it.
fn accented(glyphs: &[Glyph]) -> Vec<Glyph> {
    let mut out: Vec<Glyph> = Vec::with_capacity(glyphs.len());
    let mut waiting: Option<char> = None;
    for (at, glyph) in glyphs.iter().enumerate() {
        let accent = accent(glyph);
        let over = |other: &&Glyph| accent.is_some() && stands_over(glyph, other);
        if glyphs.get(at + 1).is_some_and(|next| over(&next)) {
            waiting = accent;
            continue;
        }
        if at
            .checked_sub(1)
            .is_some_and(|before| over(&&glyphs[before]))
            && let (Some(mark), Some(letter)) = (accent, out.last_mut())
        {
            put_on(letter, mark);
            continue;
        }
        let mut glyph = glyph.clone();
        if let Some(mark) = waiting.take() {
            put_on(&mut glyph, mark);
        }
        out.push(glyph);
    }
    out
}

/// The combining mark of a glyph that is an accent without a letter.
fn accent(glyph: &Glyph) -> Option<char> {
    let GlyphText::Char(c) = glyph.text else {
        return None;
    };
    Some(match c {
        '`' => '\u{300}',
        '´' => '\u{301}',
        '^' | 'ˆ' => '\u{302}',
        '~' | '˜' => '\u{303}',
        '¯' | 'ˉ' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' => '\u{30a}',
        '˝' => '\u{30b}',
        'ˇ' => '\u{30c}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        _ => return None,
    })
}

/// Whether an accent is drawn over (or under) a letter and not beside it.
fn stands_over(accent: &Glyph, letter: &Glyph) -> bool {
    let is_letter = matches!(letter.text, GlyphText::Char(c) if c.is_alphabetic());
    let (along, across) = match letter.direction {
        Some(0) => (accent.x - letter.x, accent.y - letter.y),
        Some(2) => (letter.x - accent.x, accent.y - letter.y),
        Some(1) => (accent.y - letter.y, accent.x - letter.x),
        _ => (letter.y - accent.y, accent.x - letter.x),
    };
    let middle = along + accent.advance / 2.0;
    is_letter
        && accent.direction == letter.direction
        && across.abs() < letter.size * 0.4
        && (letter.advance * 0.15..letter.advance * 0.95).contains(&middle)
}

/// Puts an accent on a letter.
fn put_on(letter: &mut Glyph, mark: char) {
    let GlyphText::Char(c) = letter.text else {
        return;
    };
    let c = match c {
        'ı' => 'i',
        'ȷ' => 'j',
        c => c,
    };
    letter.text = compose(c, mark).map_or_else(
        || GlyphText::Many(format!("{c}{mark}").into()),
        GlyphText::Char,
    );
}

/// The glyph seen with its baseline running to the right.
fn turn_glyph(glyph: &Glyph, direction: u8) -> Glyph {
    let (x, y) = match direction {
        0 => (glyph.x, glyph.y),
        1 => (glyph.y, -glyph.x),
        2 => (-glyph.x, -glyph.y),
        _ => (-glyph.y, glyph.x),
    };
    Glyph {
        x,
        y,
        ..glyph.clone()
    }
}

/// A box seen with text of `direction` running to the right, turned back to the page.
fn turn_box(bbox: &BBox, direction: u8) -> BBox {
    match direction {
        0 => *bbox,
        1 => BBox::new(-bbox.bottom, bbox.left, -bbox.top, bbox.right),
        2 => BBox::new(-bbox.right, -bbox.bottom, -bbox.left, -bbox.top),
        _ => BBox::new(bbox.top, -bbox.right, bbox.bottom, -bbox.left),
    }
}

fn turn_back(segment: &mut Segment, direction: u8) {
    segment.bbox = turn_box(&segment.bbox, direction);
    for word in &mut segment.words {
        word.bbox = turn_box(&word.bbox, direction);
    }
    if direction != 0 {
        // Only upright text is laid out by its baseline.
        segment.baseline = segment.bbox.bottom;
    }
}

/// Glyphs grouped by baseline, each group from left to right.
fn rows(mut glyphs: Vec<Glyph>) -> Vec<Vec<Glyph>> {
    // Overlapping copies (bold by drawing twice) are neighbours in drawing order.
    glyphs.dedup_by(|b, a| {
        let near = (a.x - b.x).abs() < a.size * 0.12 && (a.y - b.y).abs() < a.size * 0.12;
        near && a.text == b.text && a.advance > a.size * 0.2
    });
    glyphs.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut rows: Vec<Vec<Glyph>> = Vec::new();
    for glyph in glyphs {
        match rows.last_mut() {
            Some(row) if same_baseline(row, &glyph) => row.push(glyph),
            _ => rows.push(vec![glyph]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.x.total_cmp(&b.x));
        row.dedup_by(|b, a| {
            let near = (a.x - b.x).abs() < a.size * 0.12;
            near && a.text == b.text && a.advance > a.size * 0.2
        });
    }
    rows
}

fn same_baseline(row: &[Glyph], glyph: &Glyph) -> bool {
    let Some(last) = row.last() else {
        return true;
    };
    let first = &row[0];
    let size = last.size.min(glyph.size);
    (glyph.y - last.y).abs() <= size * 0.1 && (glyph.y - first.y).abs() <= size * 0.25
}

/// Cuts a row into words and segments.
fn row_segments(row: &[Glyph], direction: u8, out: &mut Vec<Segment>) {
    let tracking = tracking(row);
    let mut words: Vec<Word> = Vec::new();
    let mut segment_artifact = false;
    let mut end = f32::NEG_INFINITY;
    let mut space = false;
    for glyph in row {
        if glyph.text.is_space() {
            space = true;
            continue;
        }
        let gap = glyph.x - end;
        let last = words.last();
        let wide = last.is_none_or(|word| {
            let size = word.size.max(glyph.size);
            gap > size * (SEGMENT_GAP + tracking) || gap < -size * 1.5
        }) || is_large_initial(&words, glyph);
        let artifact_changes = !words.is_empty() && glyph.artifact != segment_artifact;
        if wide || artifact_changes {
            finish(&mut words, direction, segment_artifact, out);
            segment_artifact = glyph.artifact;
        }
        let style_changes = words
            .last()
            .is_some_and(|word| word.font != glyph.font || (word.size - glyph.size).abs() > 0.3);
        let apart = words.last().is_some_and(|word| {
            let size = word.size.min(glyph.size);
            space && gap > size * 0.02 || gap > size * (WORD_GAP + tracking)
        });
        if words.is_empty() || apart || style_changes {
            let joined = !words.is_empty() && !apart;
            words.push(new_word(glyph, joined));
        } else if let Some(word) = words.last_mut() {
            extend(word, glyph);
        }
        space = false;
        end = (glyph.x + glyph.advance).max(end.min(glyph.x + glyph.size));
    }
    finish(&mut words, direction, segment_artifact, out);
}

/// Whether the words so far are a large first letter, which reaches down beside lines of which
/// `next` begins one.
fn is_large_initial(words: &[Word], next: &Glyph) -> bool {
    let [word] = words else {
        return false;
    };
    let mut chars = word.text.chars();
    let letter = chars.next().is_some_and(char::is_uppercase) && chars.next().is_none();
    letter && word.size > next.size * 1.9
}

/// The space between letters that a row is set with, in font sizes: 0 for all but spaced-out
/// headings.
fn tracking(row: &[Glyph]) -> f32 {
    let mut gaps: Vec<f32> = row
        .windows(2)
        .filter(|pair| !pair[0].text.is_space() && !pair[1].text.is_space())
        .map(|pair| (pair[1].x - pair[0].x - pair[0].advance) / pair[0].size.max(0.1))
        .filter(|gap| *gap > -0.5 && *gap < SEGMENT_GAP)
        .collect();
    if gaps.len() < 5 {
        return 0.0;
    }
    gaps.sort_by(f32::total_cmp);
    let low = gaps[gaps.len() * 3 / 10];
    if low > 0.06 { low } else { 0.0 }
}

fn new_word(glyph: &Glyph, joined: bool) -> Word {
    let mut text = String::new();
    push_text(&mut text, &glyph.text);
    Word {
        text,
        bbox: glyph_box(glyph),
        baseline: glyph.y,
        size: glyph.size,
        font: glyph.font,
        color: glyph.color,
        joined,
        mark: glyph.mark,
    }
}

fn extend(word: &mut Word, glyph: &Glyph) {
    push_text(&mut word.text, &glyph.text);
    word.bbox = word.bbox.union(&glyph_box(glyph));
}

/// Adds a glyph's characters; ligatures are undone, soft hyphens and controls left out.
fn push_text(out: &mut String, text: &GlyphText) {
    let mut raw = String::new();
    text.push_to(&mut raw);
    for c in raw.chars() {
        match c {
            '\u{fb00}' => out.push_str("ff"),
            '\u{fb01}' => out.push_str("fi"),
            '\u{fb02}' => out.push_str("fl"),
            '\u{fb03}' => out.push_str("ffi"),
            '\u{fb04}' => out.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => out.push_str("st"),
            '\u{ad}' => out.push('-'),
            // Arabic letters by their form in the word, signs as they stand in vertical lines.
            '\u{fb50}'..='\u{fdff}'
            | '\u{fe10}'..='\u{fe19}'
            | '\u{fe30}'..='\u{fe4f}'
            | '\u{fe70}'..='\u{fefc}' => decompose_compatible(c, |part| {
                if part != ' ' {
                    out.push(part);
                }
            }),
            '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{fffe}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
}

fn glyph_box(glyph: &Glyph) -> BBox {
    BBox::new(
        glyph.x,
        glyph.y - glyph.size * ASCENT,
        glyph.x + glyph.advance,
        glyph.y + glyph.size * DESCENT,
    )
}

fn finish(words: &mut Vec<Word>, direction: u8, artifact: bool, out: &mut Vec<Segment>) {
    let mut words = std::mem::take(words);
    words.retain(|word| !word.text.is_empty());
    for word in &mut words {
        pair_quotes(&mut word.text);
    }
    let Some(bbox) = BBox::union_all(words.iter().map(|word| word.bbox)) else {
        return;
    };
    out.push(Segment {
        baseline: words[0].baseline,
        size: main_size(&words),
        bbox,
        direction: Some(direction),
        artifact,
        words,
    });
}

/// Two single quotes are a double one.
fn pair_quotes(text: &mut String) {
    for (two, one) in [("‘‘", "“"), ("’’", "”")] {
        if text.contains(two) {
            *text = text.replace(two, one);
        }
    }
}

/// The size of most characters.
fn main_size(words: &[Word]) -> f32 {
    let mut sizes: Vec<(f32, usize)> = Vec::new();
    for word in words {
        let chars = word.text.chars().count();
        match sizes
            .iter_mut()
            .find(|(size, _)| (size - word.size).abs() < 0.2)
        {
            Some((_, count)) => *count += chars,
            None => sizes.push((word.size, chars)),
        }
    }
    let most = sizes.into_iter().max_by(|a, b| {
        a.1.cmp(&b.1)
            .then(a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal))
    });
    most.map_or(0.0, |(size, _)| size)
}

/// Puts superscripts, subscripts and drop-in symbols of another baseline into the segment that
/// they belong to.
fn attach_scripts(segments: &mut Vec<Segment>) {
    segments.sort_by(|a, b| a.bbox.top.total_cmp(&b.bbox.top));
    let mut hosts: Vec<Option<usize>> = vec![None; segments.len()];
    for at in 0..segments.len() {
        let script = &segments[at];
        if script.chars() > 12 {
            continue;
        }
        let near = segments
            .iter()
            .enumerate()
            .skip(at.saturating_sub(60))
            .take(120)
            .filter(|&(other, host)| other != at && holds_script(host, script));
        hosts[at] = near
            .min_by(|(_, a), (_, b)| gap_x(a, script).total_cmp(&gap_x(b, script)))
            .map(|(other, _)| other);
    }
    // A host that is itself a script of another is left alone.
    for at in 0..segments.len() {
        let Some(host) = hosts[at].filter(|&host| hosts[host].is_none()) else {
            continue;
        };
        let words = std::mem::take(&mut segments[at].words);
        for word in words {
            insert_script(&mut segments[host], word);
        }
    }
    segments.retain(|segment| !segment.words.is_empty());
}

fn gap_x(host: &Segment, script: &Segment) -> f32 {
    (script.bbox.left - host.bbox.right)
        .max(host.bbox.left - script.bbox.right)
        .max(0.0)
}

fn holds_script(host: &Segment, script: &Segment) -> bool {
    let smaller = script.size < host.size * 0.87;
    let shift = (script.baseline - host.baseline).abs();
    smaller
        && shift > 0.01
        && shift < host.size * 0.65
        && gap_x(host, script) < host.size * 0.35
        && script.bbox.overlap_y(&host.bbox) > script.bbox.height() * 0.3
}

fn insert_script(host: &mut Segment, mut word: Word) {
    let place = host
        .words
        .iter()
        .position(|other| other.bbox.left > word.bbox.left)
        .unwrap_or(host.words.len());
    let before = place.checked_sub(1).map(|at| host.words[at].bbox.right);
    word.joined = before.is_some_and(|right| word.bbox.left - right < host.size * WORD_GAP);
    if let Some(next) = host.words.get_mut(place) {
        next.joined = next.bbox.left - word.bbox.right < host.size * WORD_GAP && word.joined;
    }
    host.bbox = host.bbox.union(&word.bbox);
    host.words.insert(place, word);
}

/// Slanted text, in drawing order, a segment for each run.
fn slanted(glyphs: &[Glyph], out: &mut Vec<Segment>) {
    let mut words: Vec<Word> = Vec::new();
    let mut flush = |words: &mut Vec<Word>| {
        let mut found = Vec::new();
        finish(words, 0, false, &mut found);
        for mut segment in found {
            segment.direction = None;
            out.push(segment);
        }
    };
    let mut space = true;
    let mut last: Option<&Glyph> = None;
    for glyph in glyphs {
        if glyph.direction.is_some() {
            flush(&mut words);
            space = true;
            continue;
        }
        if glyph.text.is_space() {
            space = true;
            continue;
        }
        let half = glyph.size / 2.0;
        let near = last.is_some_and(|last| {
            let reach = last.advance + glyph.size * 1.2;
            (glyph.x - last.x).hypot(glyph.y - last.y) < reach
        });
        if !near {
            flush(&mut words);
        }
        last = Some(glyph);
        let mut word = new_word(glyph, false);
        word.bbox = BBox::new(
            glyph.x - half,
            glyph.y - half,
            glyph.x + half,
            glyph.y + half,
        );
        match words.last_mut() {
            Some(last) if !space => {
                last.text.push_str(&word.text);
                last.bbox = last.bbox.union(&word.bbox);
            }
            _ => words.push(word),
        }
        space = false;
    }
    flush(&mut words);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Glyphs of `text` at 10 pt, half an em wide, spaces as gaps of `space` em.
    fn set(text: &str, x: f32, y: f32, space: f32) -> Vec<Glyph> {
        let mut at = x;
        let mut out = Vec::new();
        for c in text.chars() {
            if c == ' ' {
                at += space * 10.0;
                continue;
            }
            out.push(Glyph::of(c, at, y));
            at += 5.0;
        }
        out
    }

    #[track_caller]
    fn check(glyphs: &[Glyph], expected: &[&str]) {
        let mut found: Vec<_> = segments(glyphs, false).iter().map(Segment::text).collect();
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn gaps_make_words_and_segments() {
        check(&set("the ﬁrst line", 0.0, 50.0, 0.3), &["the first line"]);
        check(&set("left right", 0.0, 50.0, 1.2), &["left", "right"]);
        let mut two = set("below", 0.0, 62.0, 0.3);
        two.extend(set("above", 0.0, 50.0, 0.3));
        check(&two, &["above", "below"]);
    }

    #[test]
    fn letters_spaced_out_stay_words() {
        let mut glyphs = set("WARNING SIGNS", 0.0, 50.0, 0.5);
        for (at, glyph) in glyphs.iter_mut().enumerate() {
            glyph.x += at as f32 * 2.0;
        }
        check(&glyphs, &["WARNING SIGNS"]);
    }

    #[test]
    fn text_drawn_twice_is_read_once() {
        let mut glyphs = set("bold", 0.0, 50.0, 0.3);
        glyphs.extend(set("bold", 0.3, 50.0, 0.3));
        check(&glyphs, &["bold"]);
    }

    #[test]
    fn superscripts_stay_with_their_word() {
        let mut glyphs = set("area of 5 m", 0.0, 50.0, 0.3);
        let end = glyphs.last().map_or(0.0, |glyph| glyph.x + glyph.advance);
        let mut two = set("2", end, 46.0, 0.3);
        two[0].size = 6.0;
        two[0].advance = 2.5;
        glyphs.extend(two);
        glyphs.extend(set("is", end + 2.5 + 3.0, 50.0, 0.3));
        check(&glyphs, &["area of 5 m2 is"]);
    }

    #[test]
    fn upright_and_turned_text_are_apart() {
        let mut glyphs = set("axis", 0.0, 0.0, 0.3);
        for glyph in &mut glyphs {
            // Reads upwards along x = 20.
            (glyph.x, glyph.y) = (20.0, 200.0 - glyph.x);
            glyph.direction = Some(3);
        }
        let found = segments(&glyphs, false);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text(), "axis");
        assert!(found[0].bbox.height() > 15.0 && found[0].bbox.width() < 12.0);
    }
}
