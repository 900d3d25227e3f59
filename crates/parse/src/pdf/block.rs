//! From segments in reading order to lines, and from lines to paragraphs and list items.

use super::caption::begins_caption;
use super::font::{FontInfo, FontTable};
use super::hyphen::{HYPHENS, divides};
use super::words::Segment;
use catena_document::{BBox, Provenance};

/// A line of text in its column.
#[derive(Clone, Debug)]
pub(super) struct TextLine {
    pub(super) text: String,
    pub(super) bbox: BBox,
    pub(super) baseline: f32,
    /// The size of most characters, in points.
    pub(super) size: f32,
    pub(super) style: Style,
    /// The width of its first word, in points.
    first_word_width: f32,
    /// A list marker set apart from its text by a wide gap, however it looks.
    marker_apart: bool,
    /// The size of its largest word, in points: small capitals begin with one.
    pub(super) largest: f32,
    /// Whether it runs aside or slants.
    pub(super) turned: bool,
    /// The first words' left ends.
    lefts: [f32; 2],
    /// Whether its first word is bold.
    pub(super) begins_bold: bool,
    /// Whether the hyphen at its end divides a word; `None` where that is not known.
    pub(super) divided: Option<bool>,
    /// The number of the marked content that most of it stands in.
    pub(super) mark: Option<u32>,
}

/// How most of a line's characters are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) mono: bool,
    pub(super) color: u32,
}

/// A paragraph or list item.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) page: u32,
    pub(super) lines: Vec<TextLine>,
    pub(super) bbox: BBox,
    /// The bullet or number at its start; its text goes on after it.
    pub(super) marker: Option<Marker>,
    /// White space above it in its column, in points; infinite at the top.
    pub(super) space_above: f32,
    /// The column that it stands in.
    pub(super) column: Column,
}

/// A list marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    /// As printed.
    pub(super) text: String,
    /// Whether it counts (a number or letter) or is a bullet.
    pub(super) ordered: bool,
}

impl Block {
    pub(super) fn size(&self) -> f32 {
        self.lines.first().map_or(0.0, |line| line.size)
    }

    /// Whether it runs aside or slants.
    pub(super) fn turned(&self) -> bool {
        self.lines.iter().any(|line| line.turned)
    }

    pub(super) fn style(&self) -> Style {
        self.lines
            .first()
            .map_or_else(Style::default, |line| line.style)
    }

    /// Its text, lines joined and hyphens at line ends undone, with the place of every line.
    pub(super) fn text(&self) -> (String, Vec<Provenance>) {
        join_lines(self.page, &self.lines, self.marker.as_ref())
    }

    /// Its text alone.
    pub(super) fn plain(&self) -> String {
        self.text().0
    }
}

/// Joins lines to a text; code keeps its line breaks.
fn join_lines(page: u32, lines: &[TextLine], marker: Option<&Marker>) -> (String, Vec<Provenance>) {
    let code = lines.len() > 1 && lines.iter().all(|line| line.style.mono);
    let mut text = String::new();
    let mut places = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let mut own = line.text.as_str();
        if at == 0
            && let Some(marker) = marker
        {
            own = own.strip_prefix(&marker.text).unwrap_or(own).trim_start();
        }
        if !text.is_empty() && !own.is_empty() {
            if code {
                text.push('\n');
            } else if !undo_hyphen(&mut text, own, lines[at - 1].divided) {
                text.push(' ');
            }
        }
        let start = text.len();
        text.push_str(own);
        places.push(Provenance {
            page,
            bbox: line.bbox,
            char_span: start as u32..text.len() as u32,
        });
    }
    (text, places)
}

/// Appends a text that continues `text` (a paragraph over two columns or pages); its places are
/// moved along.
pub(super) fn append(
    (text, places): &mut (String, Vec<Provenance>),
    (more, more_places): (String, Vec<Provenance>),
) {
    if !undo_hyphen(text, &more, None) {
        text.push(' ');
    }
    let shift = text.len() as u32;
    text.push_str(&more);
    places.extend(more_places.into_iter().map(|place| Provenance {
        char_span: place.char_span.start + shift..place.char_span.end + shift,
        ..place
    }));
    for place in places {
        place.char_span.end = place.char_span.end.min(text.len() as u32);
    }
}

/// Whether `text` ends in a word that `next` goes on with and needs no space before it; takes a
/// hyphen of mere division away. `divided` tells whether it is one, where that is known.
fn undo_hyphen(text: &mut String, next: &str, divided: Option<bool>) -> bool {
    let ideograph = |c: char| matches!(c, '\u{3000}'..='\u{9fff}' | '\u{f900}'..='\u{ffef}');
    let (last, first) = (text.chars().next_back(), next.chars().next());
    if last.is_some_and(ideograph) && first.is_some_and(ideograph) {
        return true;
    }
    let Some(stem) = text.strip_suffix(HYPHENS) else {
        return false;
    };
    if !stem.chars().next_back().is_some_and(char::is_alphabetic) {
        return false;
    }
    if divided.unwrap_or_else(|| divides(stem, next, None)) {
        text.truncate(stem.len());
    }
    first.is_some_and(char::is_alphanumeric)
}

/// Lines of a column's segments, which come in reading order.
pub(super) fn lines(segments: &[&Segment], fonts: &FontTable<'_>) -> Vec<TextLine> {
    let mut out: Vec<Vec<&Segment>> = Vec::new();
    for segment in segments {
        match out.last_mut() {
            Some(line) if on_line(line, segment) => line.push(segment),
            _ => out.push(vec![segment]),
        }
    }
    out.iter().map(|line| new_line(line, fonts)).collect()
}

fn on_line(line: &[&Segment], segment: &Segment) -> bool {
    let last = line[line.len() - 1];
    let size = last.size.min(segment.size);
    let level = (last.baseline - segment.baseline).abs() < size * 0.35;
    let after = segment.bbox.left >= last.bbox.right - size * 0.5;
    level && after && last.direction == segment.direction
}

fn new_line(segments: &[&Segment], fonts: &FontTable<'_>) -> TextLine {
    let mut text = String::new();
    let mut counts = [0_usize; 4];
    let mut colors: Vec<(u32, usize)> = Vec::new();
    let mut largest = (0, 0.0);
    for segment in segments {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&segment.text());
        if segment.chars() > largest.0 {
            largest = (segment.chars(), segment.size);
        }
        for word in &segment.words {
            let info: &FontInfo = fonts.info(word.font);
            let chars = word.text.chars().count();
            counts[0] += chars;
            counts[1] += chars * usize::from(info.bold);
            counts[2] += chars * usize::from(info.italic);
            counts[3] += chars * usize::from(info.mono);
            match colors.iter_mut().find(|(color, _)| *color == word.color) {
                Some((_, count)) => *count += chars,
                None => colors.push((word.color, chars)),
            }
        }
    }
    let most = |count: usize| count * 10 >= counts[0] * 8;
    let color = colors
        .into_iter()
        .max_by_key(|&(_, count)| count)
        .map_or(0, |(color, _)| color);
    let boxes = segments.iter().map(|segment| segment.bbox);
    let bbox = BBox::union_all(boxes).unwrap_or_default();
    let words: Vec<_> = segments.iter().flat_map(|segment| &segment.words).collect();
    let second = words.iter().skip(1).find(|word| !word.joined);
    let second = second.map(|word| word.bbox.left);
    TextLine {
        text,
        bbox,
        baseline: segments[0].baseline,
        size: largest.1,
        style: Style {
            bold: most(counts[1]),
            italic: most(counts[2]),
            mono: most(counts[3]),
            color,
        },
        first_word_width: words.first().map_or(0.0, |word| word.bbox.width()),
        marker_apart: segments.len() > 1 && segments[0].words.len() == 1,
        largest: words.iter().map(|word| word.size).fold(0.0, f32::max),
        turned: segments[0].direction != Some(0),
        lefts: [bbox.left, second.unwrap_or(bbox.left)],
        begins_bold: words.first().is_some_and(|word| fonts.info(word.font).bold),
        divided: None,
        mark: words
            .iter()
            .max_by_key(|word| word.text.len())
            .and_then(|word| word.mark),
    }
}

/// The sides of a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) left: f32,
    /// The right end that most full lines share.
    pub(super) right: f32,
}

impl Column {
    /// The column of these pieces of text.
    pub(super) fn of(boxes: impl Iterator<Item = BBox>) -> Self {
        let (mut left, mut rights) = (f32::INFINITY, Vec::new());
        for bbox in boxes {
            left = left.min(bbox.left);
            rights.push(bbox.right);
        }
        rights.sort_by(f32::total_cmp);
        let at = rights.len().saturating_sub(1) * 9 / 10;
        Self {
            left,
            right: rights.get(at).copied().unwrap_or(left),
        }
    }
}

/// Groups lines of one column into paragraphs and list items.
pub(super) fn blocks(page: u32, lines: Vec<TextLine>, column: Column) -> Vec<Block> {
    let right = column.right;
    let leading = leading(&lines);
    let counted = counted_lines(&lines);
    let mut out: Vec<Block> = Vec::new();
    for (line, counted) in lines.into_iter().zip(counted) {
        let marker = marker_of(&line).or_else(|| counted.then(|| bare_number(&line)).flatten());
        let new = |line: TextLine, marker: Option<Marker>, above: f32| Block {
            page,
            bbox: line.bbox,
            lines: vec![line],
            marker,
            space_above: above,
            column,
        };
        let Some(block) = out.last_mut() else {
            out.push(new(line, marker, f32::INFINITY));
            continue;
        };
        let gap = line.bbox.top - block.bbox.bottom;
        let marker = marker.filter(|_| counted || may_begin_item(block, &line));
        if marker.is_some() || begins_block(block, &line, leading, right) {
            out.push(new(line, marker, gap));
        } else {
            block.bbox = block.bbox.union(&line.bbox);
            block.lines.push(line);
        }
    }
    out
}

/// Which lines begin with a bare number ("3 Open the valve") that counts on from, or up to, that
/// of another line set in the same way: steps numbered without a mark.
fn counted_lines(lines: &[TextLine]) -> Vec<bool> {
    let numbers: Vec<Option<u32>> = lines
        .iter()
        .map(|line| bare_number(line)?.text.parse().ok())
        .collect();
    let alike = |a: &TextLine, b: &TextLine| {
        let near = |at: usize| (a.lefts[at] - b.lefts[at]).abs() < 3.0;
        near(0) && near(1) && (a.size - b.size).abs() < 0.6
    };
    let counts = |at: usize| {
        let number = numbers[at]?;
        let from = at.saturating_sub(40);
        let found = (from..lines.len().min(at + 40)).any(|other| {
            numbers[other].is_some_and(|other_number| {
                (other > at && other_number == number + 1)
                    || (other < at && other_number + 1 == number)
            }) && alike(&lines[at], &lines[other])
        });
        found.then_some(())
    };
    (0..lines.len()).map(|at| counts(at).is_some()).collect()
}

/// A line's first word as a marker, where it is a number up to 99 that a word follows.
fn bare_number(line: &TextLine) -> Option<Marker> {
    let (token, rest) = line.text.split_once(' ')?;
    let digits = (1..=2).contains(&token.len()) && token.chars().all(|c| c.is_ascii_digit());
    let word = rest.chars().next().is_some_and(char::is_uppercase);
    (digits && word && rest.contains(' ')).then(|| Marker {
        text: token.to_owned(),
        ordered: true,
    })
}

/// The distance between the baselines of lines of one paragraph, in font sizes.
fn leading(lines: &[TextLine]) -> f32 {
    let mut steps: Vec<f32> = lines
        .windows(2)
        .filter(|pair| (pair[0].size - pair[1].size).abs() < 0.6)
        .map(|pair| (pair[1].baseline - pair[0].baseline) / pair[1].size.max(1.0))
        .filter(|step| (0.8..2.5).contains(step))
        .collect();
    if steps.is_empty() {
        return 1.25;
    }
    steps.sort_by(f32::total_cmp);
    steps[steps.len() * 3 / 10]
}

/// Whether a line that starts with a marker begins an item here: not in the middle of a sentence
/// that happens to wrap before a number.
fn may_begin_item(block: &Block, line: &TextLine) -> bool {
    let last = &block.lines[block.lines.len() - 1];
    let text = last.text.trim_end();
    let ended = text.ends_with(['.', ':', ';', '!', '?', ',', '。', '：', ')']);
    let apart = line.baseline - last.baseline > line.size * 1.5;
    let bullet = marker_of(line).is_some_and(|marker| !marker.ordered);
    let indented = (line.bbox.left - last.bbox.left).abs() > line.size * 0.5;
    let short = is_short(last, block.column.right);
    bullet || ended || apart || indented || short || block.marker.is_some() || line.marker_apart
}

/// Whether a line begins a new block after the lines of `block`.
fn begins_block(block: &Block, line: &TextLine, leading: f32, right: f32) -> bool {
    let last = &block.lines[block.lines.len() - 1];
    let first = &block.lines[0];
    let step = (line.baseline - last.baseline) / line.size.max(1.0);
    let other_size = (line.size - last.size).abs() > line.size.max(last.size) * 0.08;
    let other_style = line.style.bold != last.style.bold
        || line.style.mono != last.style.mono
        || (begins_caption(&line.text)
            && (is_short(last, right) || ends_sentence(&last.text) || begins_caption(&first.text)))
        || (line.style.italic != last.style.italic
            && block.lines.len() == 1
            && is_short(last, right))
        || (line.style.color != last.style.color && line.style.bold);
    // Above the line before it: another column or a misplaced piece.
    if step < 0.2 || other_size || other_style || step > leading * 1.3 + 0.05 {
        return true;
    }
    let em = line.size;
    let indent = line.bbox.left - last.bbox.left;
    // A heading that wraps goes on under its text, after its number.
    let under_number = (line.bbox.left - first.lefts[1]).abs() < em * 0.3;
    if last.style.bold && block.lines.len() <= 2 && under_number && indent >= 0.0 {
        return false;
    }
    if block.marker.is_some() {
        // An item goes on under its text; a line further left than that ends it.
        let text_left = first.lefts[1];
        let under_text =
            line.bbox.left > first.bbox.left + em * 0.4 || text_left - first.bbox.left < em * 0.4;
        return !under_text && block.lines.len() == 1
            || line.bbox.left < first.bbox.left - em * 0.5;
    }
    let hanging = block.lines.len() >= 2 && block.lines[1].bbox.left - first.bbox.left > em * 0.7;
    if hanging && line.bbox.left < block.lines[1].bbox.left - em * 0.5 {
        return true;
    }
    // A first line set in from a flush one.
    let centred = (line.bbox.center_x() - last.bbox.center_x()).abs() < em * 0.6;
    let set_in = indent > em * 0.7 && indent < em * 5.0 && !centred;
    if set_in && (block.lines.len() >= 2 || last.bbox.right > right - em * 3.0) {
        return true;
    }
    // The last line could have held the next word: the paragraph ended there.
    let room = right - last.bbox.right;
    let ended = ends_sentence(&last.text);
    let fits = room > line.first_word_width + em * 0.6;
    let capital = line
        .text
        .chars()
        .next()
        .is_some_and(|c| c.is_uppercase() || !c.is_alphanumeric());
    fits && ended && (capital || room > em * 8.0) && room > em * 2.0
}

pub(super) fn ends_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '!', '?', ':', '。'])
}

/// Whether a line ends well before the column's right edge.
fn is_short(line: &TextLine, right: f32) -> bool {
    line.bbox.right < right - line.size * 4.0
}

/// Bullets as fonts draw them.
const BULLETS: &str =
    "•◦‣⁃∙●○■□▪▫◆◇►▶▸➢➤➔✓✔❖★☐\u{f0b7}\u{f0a7}\u{f0d8}\u{f076}\u{f0fc}\u{f071}\u{f06e}\u{f0a8}";

/// The marker that a line begins with, if text follows it.
fn marker_of(line: &TextLine) -> Option<Marker> {
    let text = line.text.trim_start();
    let first = text.chars().next()?;
    let (token, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if BULLETS.contains(first) && !rest.is_empty() {
        return Some(Marker {
            text: first.to_string(),
            ordered: false,
        });
    }
    let dash = matches!(token, "-" | "–" | "—" | "*" | "o" | "·" | "+") && !rest.is_empty();
    if dash && (token != "o" || line.marker_apart) {
        return Some(Marker {
            text: token.to_owned(),
            ordered: false,
        });
    }
    (is_ordinal(token) && !rest.trim().is_empty()).then(|| Marker {
        text: token.to_owned(),
        ordered: true,
    })
}

/// Whether a token numbers an item: `3.`, `3)`, `(3)`, `a)`, `(iv)`, `B.`; not `3.2` or `2019.`.
pub(super) fn is_ordinal(token: &str) -> bool {
    let bare = token.strip_prefix('(').unwrap_or(token);
    let opened = bare.len() != token.len();
    let Some(inner) = bare
        .strip_suffix(')')
        .or_else(|| bare.strip_suffix('.').filter(|_| !opened))
    else {
        return false;
    };
    let digits = (1..=2).contains(&inner.len()) && inner.chars().all(|c| c.is_ascii_digit());
    let letter = inner.len() == 1 && inner.chars().all(|c| c.is_ascii_alphabetic());
    let roman = (1..=4).contains(&inner.len()) && inner.chars().all(|c| "ivx".contains(c));
    digits || letter || roman
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_of_division_are_undone() {
        let check = |before: &str, next: &str, expected: &str| {
            let mut text = before.to_owned();
            if !undo_hyphen(&mut text, next, None) {
                text.push(' ');
            }
            assert_eq!(format!("{text}{next}"), expected);
        };
        check("the exam-", "ple of", "the example of");
        check("a multi-step-", "wise plan", "a multi-step-wise plan");
        check("the X-", "Ray", "the X-Ray");
        check("pages 3-", "5", "pages 3- 5");
        check("a dash -", "then", "a dash - then");
        check("关闭", "电源", "关闭电源");
        check("one", "two", "one two");
    }

    #[test]
    fn ordinals() {
        for (token, is) in [
            ("1.", true),
            ("(12)", true),
            ("a)", true),
            ("(iv)", true),
            ("3.2", false),
            ("2019.", false),
            ("(3.", false),
            ("Word.", false),
        ] {
            assert_eq!(is_ordinal(token), is, "{token}");
        }
    }
}
