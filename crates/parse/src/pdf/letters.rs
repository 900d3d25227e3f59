//! Letters that are no plain glyphs on a line: underscores drawn as rules, and letters of a word
//! that are set above or below its baseline, as in the logo of TeX.

use super::content::{Content, Glyph, GlyphText};
use catena_document::BBox;

/// Rules in a row that are underscores; more are a line to be filled in.
const MAX_ROW: usize = 3;
/// Glyphs whose baselines differ by less, in points, stand on one line.
const ONE_LINE: f32 = 0.3;

/// Puts drawn underscores among the glyphs, and letters that a word holds onto its baseline.
pub(super) fn restore(content: &mut Content) {
    let lines = lines(&content.glyphs);
    underscores(content, &lines);
    shifted(content, &lines);
}

/// Upright glyphs on one baseline.
struct Line {
    y: f32,
    /// Their indices, from left to right; no spaces.
    glyphs: Vec<usize>,
}

/// The lines of upright glyphs from the top.
fn lines(glyphs: &[Glyph]) -> Vec<Line> {
    let mut order: Vec<usize> = (0..glyphs.len())
        .filter(|&at| glyphs[at].direction == Some(0) && !glyphs[at].text.is_space())
        .collect();
    order.sort_by(|&a, &b| glyphs[a].y.total_cmp(&glyphs[b].y));
    let mut out: Vec<Line> = Vec::new();
    for at in order {
        let y = glyphs[at].y;
        match out.last_mut() {
            Some(line) if y - line.y < ONE_LINE => line.glyphs.push(at),
            _ => out.push(Line {
                y,
                glyphs: vec![at],
            }),
        }
    }
    for line in &mut out {
        line.glyphs
            .sort_by(|&a, &b| glyphs[a].x.total_cmp(&glyphs[b].x));
    }
    out
}

/// The lines whose baselines lie between two heights.
fn between(lines: &[Line], top: f32, bottom: f32) -> &[Line] {
    let first = lines.partition_point(|line| line.y < top);
    let last = lines.partition_point(|line| line.y <= bottom);
    lines.get(first..last).unwrap_or_default()
}

fn end(glyph: &Glyph) -> f32 {
    glyph.x + glyph.advance
}

/// Turns short thin rules that stand on a baseline in the gap between two letters, or right at
/// one, into underscores.
fn underscores(content: &mut Content, lines: &[Line]) {
    let thin = |bbox: &BBox| {
        (1.0..20.0).contains(&bbox.width())
            && bbox.height() < 1.5
            && bbox.height() * 2.0 < bbox.width()
    };
    // Shapes come after the rules.
    let rules = content.rules.iter().map(|rule| rule.bbox);
    let count = content.rules.len();
    let shapes = content.shapes.iter().map(|shape| shape.bbox);
    let mut strokes: Vec<(usize, BBox)> = rules
        .chain(shapes)
        .enumerate()
        .filter(|(_, bbox)| thin(bbox))
        .collect();
    strokes.sort_by(|(_, a), (_, b)| {
        a.bottom
            .total_cmp(&b.bottom)
            .then(a.left.total_cmp(&b.left))
    });
    let mut used = Vec::new();
    let mut at = 0;
    while at < strokes.len() {
        let row = &strokes[at..at + row_len(&strokes[at..])];
        at += row.len();
        if row.len() > MAX_ROW {
            continue;
        }
        let boxes: Vec<BBox> = row.iter().map(|(_, bbox)| *bbox).collect();
        if let Some(like) = writes(&content.glyphs, lines, &boxes) {
            let glyphs = boxes.iter().map(|bbox| Glyph {
                text: GlyphText::Char('_'),
                x: bbox.left,
                advance: bbox.width(),
                ..content.glyphs[like].clone()
            });
            let glyphs: Vec<Glyph> = glyphs.collect();
            content.glyphs.extend(glyphs);
            used.extend(row.iter().map(|(own, _)| *own));
        }
    }
    used.sort_unstable();
    let mut at = 0;
    content.rules.retain(|_| {
        at += 1;
        used.binary_search(&(at - 1)).is_err()
    });
    let mut at = count;
    content.shapes.retain(|_| {
        at += 1;
        used.binary_search(&(at - 1)).is_err()
    });
}

/// How many strokes at the start stand side by side at one height.
fn row_len(strokes: &[(usize, BBox)]) -> usize {
    let follows = |pair: &&[(usize, BBox)]| {
        let (a, b) = (&pair[0].1, &pair[1].1);
        (a.bottom - b.bottom).abs() < 0.1 && (-0.5..a.width()).contains(&(b.left - a.right))
    };
    1 + strokes.windows(2).take_while(follows).count()
}

/// The glyph beside which strokes stand as underscores.
fn writes(glyphs: &[Glyph], lines: &[Line], row: &[BBox]) -> Option<usize> {
    let (first, last) = (row.first()?, row.last()?);
    let middle = first.center_y();
    between(lines, middle - 6.0, middle + 3.0)
        .iter()
        .find_map(|line| {
            let next = line
                .glyphs
                .partition_point(|&at| glyphs[at].x < first.left + 0.1);
            let before = next.checked_sub(1).map(|at| line.glyphs[at]);
            let after = line.glyphs.get(next).copied();
            let like = before.or(after)?;
            let size = glyphs[like].size;
            let on_baseline = (-0.12..0.3).contains(&((middle - line.y) / size));
            let wide = row
                .iter()
                .all(|bbox| (0.2..0.75).contains(&(bbox.width() / size)));
            let near = |gap: f32| gap < size * 0.15;
            let left = before.map(|at| first.left - end(&glyphs[at]));
            let right = after.map(|at| glyphs[at].x - last.right);
            // Under a letter it is no letter of its own.
            let clear = [left, right]
                .into_iter()
                .flatten()
                .all(|gap| gap > size * -0.1);
            let letter = |at: Option<usize>, gap: Option<f32>| {
                let letter = at.is_some_and(|at| is_alphanumeric(&glyphs[at].text));
                letter && gap.is_some_and(near)
            };
            let at_name = letter(before, left) || letter(after, right);
            (on_baseline && wide && clear && at_name).then_some(like)
        })
}

fn is_alphanumeric(text: &GlyphText) -> bool {
    match text {
        GlyphText::Char(c) => c.is_alphanumeric(),
        GlyphText::Many(text) => text.chars().all(char::is_alphanumeric),
    }
}

fn is_capital(glyph: &Glyph) -> bool {
    matches!(glyph.text, GlyphText::Char(c) if c.is_uppercase())
}

/// Puts a capital that stands alone above or below a baseline, kerned in between two capitals
/// of that line, onto the line.
fn shifted(content: &mut Content, lines: &[Line]) {
    let glyphs = &content.glyphs;
    let mut moves = Vec::new();
    for line in lines {
        for (place, &at) in line.glyphs.iter().enumerate() {
            let glyph = &glyphs[at];
            if !is_capital(glyph) || !is_alone(glyphs, line, place) {
                continue;
            }
            let reach = glyph.size * 0.5;
            let hosts = between(lines, glyph.y - reach, glyph.y + reach);
            let host = hosts
                .iter()
                .filter(|host| (host.y - line.y).abs() >= ONE_LINE)
                .find(|host| is_kerned_into(glyphs, host, glyph));
            moves.extend(host.map(|host| (at, host.y)));
        }
    }
    for (at, y) in moves {
        content.glyphs[at].y = y;
    }
}

/// Whether no glyph stands right beside another on its own line.
fn is_alone(glyphs: &[Glyph], line: &Line, place: usize) -> bool {
    let own = &glyphs[line.glyphs[place]];
    let before = place.checked_sub(1).map(|at| &glyphs[line.glyphs[at]]);
    let after = line.glyphs.get(place + 1).map(|&at| &glyphs[at]);
    let gap = own.size * 0.25;
    before.is_none_or(|before| own.x - end(before) > gap)
        && after.is_none_or(|after| after.x - end(own) > gap)
}

/// Whether a glyph touches two capitals of a line that stand to its left and right, as nothing but
/// kerning sets it.
fn is_kerned_into(glyphs: &[Glyph], host: &Line, glyph: &Glyph) -> bool {
    let next = host.glyphs.partition_point(|&at| glyphs[at].x < glyph.x);
    let before = next.checked_sub(1).map(|at| &glyphs[host.glyphs[at]]);
    let after = host.glyphs.get(next).map(|&at| &glyphs[at]);
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let size = before.size;
    let left = (glyph.x - end(before)) / size;
    let right = (after.x - end(glyph)) / size;
    is_capital(before)
        && is_capital(after)
        && (before.size - after.size).abs() < size * 0.1
        && (host.y - glyph.y).abs() < size * 0.35
        && (-0.55..0.05).contains(&left)
        && (-0.45..0.05).contains(&right)
        && left.min(right) < -0.02
}

#[cfg(test)]
mod tests {
    use super::super::content::{Rule, Shape};
    use super::super::words::{Segment, segments};
    use super::*;

    /// Glyphs half an em wide at 10 pt, from `x` on a baseline.
    fn set(text: &str, x: f32, y: f32) -> Vec<Glyph> {
        let glyphs = text.chars().zip(0_u8..);
        glyphs
            .map(|(c, at)| Glyph::of(c, x + 5.0 * f32::from(at), y))
            .collect()
    }

    fn stroke(left: f32, y: f32) -> Shape {
        Shape {
            bbox: BBox::new(left, y - 0.4, left + 3.0, y),
            rectangle: false,
            segments: 1,
            boxes: Vec::new(),
        }
    }

    #[track_caller]
    fn check(mut content: Content, expected: &str, strokes: usize) {
        restore(&mut content);
        let found: Vec<_> = segments(&content.glyphs, false)
            .iter()
            .map(Segment::text)
            .collect();
        assert_eq!(found.join(" / "), expected);
        assert_eq!(content.shapes.len() + content.rules.len(), strokes);
    }

    fn content(glyphs: Vec<Glyph>, shapes: Vec<Shape>) -> Content {
        Content {
            glyphs,
            shapes,
            ..Content::default()
        }
    }

    #[test]
    fn rules_between_letters_are_underscores() {
        let mut glyphs = set("snake", 0.0, 50.0);
        glyphs.extend(set("case", 29.2, 50.0));
        check(content(glyphs, vec![stroke(25.6, 50.0)]), "snake_case", 0);
    }

    #[test]
    fn underscores_at_the_ends_of_a_name() {
        let strokes = [0.6, 4.2, 28.6, 32.2].map(|x| stroke(x, 50.0));
        let glyphs = set("init", 8.0, 50.0);
        check(content(glyphs, strokes.into()), "__init__", 0);
    }

    #[test]
    fn what_is_under_a_letter_or_to_be_filled_in_stays() {
        // Under the n, and a fraction's bar at the middle of the letters.
        let strokes = vec![stroke(6.0, 52.0), stroke(10.5, 47.5)];
        check(content(set("an", 0.0, 50.0), strokes), "an", 2);
        let dash = |at: u8| stroke(20.6 + 3.6 * f32::from(at), 50.0);
        let strokes = (0..8).map(dash).collect();
        check(content(set("name", 0.0, 50.0), strokes), "name", 8);
        let mut ruled = content(set("long", 0.0, 50.0), Vec::new());
        ruled.rules.push(Rule {
            bbox: BBox::new(20.5, 49.6, 90.0, 50.0),
            horizontal: true,
        });
        check(ruled, "long", 1);
    }

    #[test]
    fn the_letters_of_a_logo_are_one_word() {
        let mut raised = set("A", 3.0, 48.0);
        raised[0].size = 7.0;
        raised[0].advance = 3.5;
        let mut glyphs = set("L", 0.0, 50.0);
        glyphs.extend(raised);
        glyphs.extend(set("T", 5.2, 50.0));
        glyphs.extend(set("E", 8.5, 52.2));
        glyphs.extend(set("X", 12.2, 50.0));
        glyphs.extend(set("is", 21.0, 50.0));
        check(content(glyphs, Vec::new()), "LATEX is", 0);
    }

    #[test]
    fn a_subscript_stays_where_it_is() {
        let mut glyphs = set("A", 0.0, 50.0);
        glyphs.extend(set("K", 5.0, 52.0));
        glyphs.extend(set("B", 10.2, 50.0));
        let mut content = content(glyphs, Vec::new());
        let y = content.glyphs[1].y;
        restore(&mut content);
        assert!((content.glyphs[1].y - y).abs() < 0.01);
    }
}
