//! Reading order: a page's pieces as regions of one column each.

use catena_document::BBox;

/// Columns within columns are looked for this deep.
const MAX_DEPTH: u32 = 6;

/// A piece of a page to be put in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Its box.
    pub(super) bbox: BBox,
    /// Its number of characters; none for a figure or table, which is a column of its own right.
    pub(super) chars: Option<usize>,
}

/// Orders pieces: regions in reading order, each with the indices of its pieces from top to
/// bottom, those of one line from left to right.
///
/// The page is cut into slabs at the white bands that run across it; slabs that share a white
/// strip form one band of columns, so that a heading across all columns ends a band; each column
/// is then cut in the same way. What stands in one of the `frames` (side bars, call-outs) is read
/// together, where the frame stands; a figure with text beside it that lies over the white between
/// columns does not end them. `size` is the body's font size in points.
pub(super) fn regions(pieces: &[Piece], frames: &[BBox], size: f32) -> Vec<Vec<usize>> {
    let mut frames = frames.to_vec();
    frames.sort_by(|a, b| b.area().total_cmp(&a.area()));
    let mut out = Vec::new();
    framed(pieces, (0..pieces.len()).collect(), &frames, size, &mut out);
    out
}

/// Orders pieces with what is in the frames, the largest first, as a piece each.
fn framed(pieces: &[Piece], of: Vec<usize>, frames: &[BBox], size: f32, out: &mut Vec<Vec<usize>>) {
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut outside = of;
    for (at, frame) in frames.iter().enumerate() {
        let holds = |&at: &usize| {
            let own = &pieces[at].bbox;
            frame.contains_point(own.center_x(), own.center_y())
        };
        let inside = outside.iter().filter(|at| holds(at)).count();
        // With nothing beside it a frame stands in its column as its text would.
        let beside = outside.iter().any(|at| {
            let own = &pieces[*at].bbox;
            !holds(at) && own.overlap_y(frame) > own.height().min(frame.height()) * 0.5
        });
        if inside >= 2 && beside {
            groups.push((at, outside.extract_if(.., |at| holds(at)).collect()));
        }
    }
    let mut level: Vec<Piece> = outside.iter().map(|&at| pieces[at]).collect();
    level.extend(groups.iter().map(|(_, inside)| Piece {
        bbox: BBox::union_all(inside.iter().map(|&at| pieces[at].bbox)).unwrap_or_default(),
        chars: None,
    }));
    let mut ordered = Vec::new();
    let floats = floats(&level, size);
    let rest = (0..level.len()).filter(|at| !floats.contains(at));
    cut(&level, rest.collect(), size, 0, &mut ordered);
    for float in floats {
        put_float(&level, float, &mut ordered);
    }
    for region in ordered {
        let mut run = Vec::new();
        for at in region {
            let Some(group) = at.checked_sub(outside.len()) else {
                run.push(outside[at]);
                continue;
            };
            if !run.is_empty() {
                out.push(std::mem::take(&mut run));
            }
            let (frame, inside) = &groups[group];
            framed(pieces, inside.clone(), &frames[frame + 1..], size, out);
        }
        if !run.is_empty() {
            out.push(run);
        }
    }
}

/// The figures that lie over the white between two columns and have text beside them.
fn floats(pieces: &[Piece], size: f32) -> Vec<usize> {
    let visual = |at: &usize| pieces[*at].chars.is_none();
    let beside = |own: &BBox, side: fn(&BBox, &BBox) -> bool| {
        let lines = pieces.iter().filter(|piece| {
            piece.chars.is_some_and(|chars| chars >= 8)
                && own.overlap_y(&piece.bbox) > piece.bbox.height() * 0.6
                && side(&piece.bbox, own)
        });
        lines.count() >= 3
    };
    let mut out: Vec<usize> = (0..pieces.len())
        .filter(visual)
        .filter(|&at| {
            let own = &pieces[at].bbox;
            beside(own, |line, own| line.right < own.left + 1.0)
                || beside(own, |line, own| line.left > own.right - 1.0)
        })
        .collect();
    if out.is_empty() {
        return out;
    }
    let rest: Vec<usize> = (0..pieces.len()).filter(|at| !out.contains(at)).collect();
    let bands = bands(pieces, &rest, size);
    out.retain(|&at| {
        let own = &pieces[at].bbox;
        let inner = own.width() * 0.1;
        bands.iter().any(|band| {
            let boxes = band.pieces.iter().map(|&at| pieces[at].bbox);
            BBox::union_all(boxes).is_some_and(|bbox| bbox.overlap_y(own) > own.height() * 0.6)
                && band.separators.iter().any(|strip| {
                    let middle = strip.center();
                    own.left + inner < middle && middle < own.right - inner
                })
        })
    });
    out
}

/// Puts a figure that was left out after the first region beside or around it.
fn put_float(pieces: &[Piece], float: usize, ordered: &mut Vec<Vec<usize>>) {
    let own = pieces[float].bbox;
    let place = ordered.iter().position(|region| {
        let bbox = BBox::union_all(region.iter().map(|&at| pieces[at].bbox));
        bbox.is_some_and(|bbox| {
            bbox.overlap_y(&own) > 0.0 && bbox.overlap_x(&own.inflate(4.0)) > 0.0
        })
    });
    let place = place.map_or(ordered.len(), |at| at + 1);
    ordered.insert(place, vec![float]);
}

fn cut(pieces: &[Piece], of: Vec<usize>, size: f32, depth: u32, out: &mut Vec<Vec<usize>>) {
    if of.is_empty() {
        return;
    }
    let bands = bands(pieces, &of, size);
    if depth >= MAX_DEPTH || (bands.len() == 1 && bands[0].separators.is_empty()) {
        out.push(in_lines(pieces, of));
        return;
    }
    let mut single: Vec<usize> = Vec::new();
    for band in bands {
        if band.separators.is_empty() {
            // Bands of one column that follow each other are one region.
            single.extend(band.pieces);
            continue;
        }
        if !single.is_empty() {
            out.push(in_lines(pieces, std::mem::take(&mut single)));
        }
        let mut columns = vec![Vec::new(); band.separators.len() + 1];
        for at in band.pieces {
            let x = pieces[at].bbox.center_x();
            let column = band
                .separators
                .iter()
                .filter(|strip| strip.center() < x)
                .count();
            columns[column].push(at);
        }
        for column in columns {
            cut(pieces, column, size, depth + 1, out);
        }
    }
    if !single.is_empty() {
        out.push(in_lines(pieces, single));
    }
}

/// Pieces from top to bottom; those whose middles are on one line from left to right.
fn in_lines(pieces: &[Piece], mut of: Vec<usize>) -> Vec<usize> {
    of.sort_by(|&a, &b| pieces[a].bbox.top.total_cmp(&pieces[b].bbox.top));
    let mut lines: Vec<(BBox, Vec<usize>)> = Vec::new();
    for at in of {
        let bbox = pieces[at].bbox;
        match lines.last_mut() {
            Some((line, members)) if on_one_line(line, &bbox) => {
                members.push(at);
                // A tall piece must not swallow the lines beside it.
                line.bottom = line.bottom.min(bbox.bottom).max(line.top);
            }
            _ => lines.push((bbox, vec![at])),
        }
    }
    for (_, line) in &mut lines {
        line.sort_by(|&a, &b| pieces[a].bbox.left.total_cmp(&pieces[b].bbox.left));
    }
    lines.into_iter().flat_map(|(_, line)| line).collect()
}

fn on_one_line(line: &BBox, bbox: &BBox) -> bool {
    let shared = line.overlap_y(bbox);
    shared > 0.55 * line.height().min(bbox.height()) && line.height() < bbox.height() * 2.5
}

/// A white interval in the horizontal.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Strip {
    left: f32,
    right: f32,
}

impl Strip {
    fn width(self) -> f32 {
        self.right - self.left
    }

    fn center(self) -> f32 {
        f32::midpoint(self.left, self.right)
    }
}

/// Slabs that share their columns.
#[derive(Debug)]
struct Band {
    pieces: Vec<usize>,
    /// White all the way down.
    white: Vec<Strip>,
    /// The white strips that part columns, from the left.
    separators: Vec<Strip>,
}

impl Band {
    /// The white strips with pieces on both sides.
    fn inner(&self, pieces: &[Piece], size: f32) -> Vec<Strip> {
        inner_strips(pieces, &self.pieces, &self.white, size)
    }
}

/// Cuts pieces into bands from the top. Slabs are joined while they share a white strip with
/// pieces on both sides; whether its sides are columns is asked of the whole band.
fn bands(pieces: &[Piece], of: &[usize], size: f32) -> Vec<Band> {
    let Some(whole) = BBox::union_all(of.iter().map(|&at| pieces[at].bbox)) else {
        return Vec::new();
    };
    let mut out: Vec<Band> = Vec::new();
    let slabs = slabs(pieces, of);
    for (at, slab) in slabs.iter().enumerate() {
        let white = white_strips(pieces, slab, &whole);
        let alone = Band {
            pieces: slab.clone(),
            white,
            separators: Vec::new(),
        };
        let Some(last) = out.pop() else {
            out.push(alone);
            continue;
        };
        let next = slabs.get(at + 1).map(Vec::as_slice);
        let merged = if begins_below(pieces, &last, &alone, next, size) {
            None
        } else {
            joined(pieces, out.last(), &last, &alone, size)
        };
        match merged {
            Some(merged) => out.push(merged),
            None => out.extend([last, alone]),
        }
    }
    for band in &mut out {
        band.separators = separators(pieces, &band.pieces, band.inner(pieces, size), size);
    }
    out
}

/// A band and the slab below it as one, where they share their columns.
fn joined(
    pieces: &[Piece],
    above: Option<&Band>,
    last: &Band,
    slab: &Band,
    size: f32,
) -> Option<Band> {
    let last_single = last.inner(pieces, size).is_empty();
    let slab_single = slab.inner(pieces, size).is_empty();
    if last_single && slab_single {
        return None;
    }
    // A line close under the band above and far from the columns below it is no part of them.
    if last_single
        && let Some(above) = above
        && gap(pieces, &above.pieces, &last.pieces) * 1.5 < gap(pieces, &last.pieces, &slab.pieces)
    {
        return None;
    }
    let merged = Band {
        pieces: last.pieces.iter().chain(&slab.pieces).copied().collect(),
        white: intersect(&last.white, &slab.white, size * 0.6),
        separators: Vec::new(),
    };
    (!merged.inner(pieces, size).is_empty()).then_some(merged)
}

/// Whether a slab on one side of the columns above it begins what comes below them, as a heading
/// does: it is nearer to the slab `next` below it, which runs across the columns.
fn begins_below(
    pieces: &[Piece],
    columns: &Band,
    slab: &Band,
    next: Option<&[usize]>,
    size: f32,
) -> bool {
    let Some(next) = next else {
        return false;
    };
    let inner = columns.inner(pieces, size);
    let across = |strip: &Strip| {
        let mut over = next.iter().map(|&at| &pieces[at].bbox);
        over.any(|bbox| bbox.left < strip.left && strip.right < bbox.right)
    };
    let (above, below) = (
        gap(pieces, &columns.pieces, &slab.pieces),
        gap(pieces, &slab.pieces, next),
    );
    !inner.is_empty()
        && inner.iter().all(across)
        && slab.inner(pieces, size).is_empty()
        && above > size
        && above > below * 1.5
}

/// The white between two groups of pieces, one above the other.
fn gap(pieces: &[Piece], above: &[usize], below: &[usize]) -> f32 {
    let bottom = above
        .iter()
        .map(|&at| pieces[at].bbox.bottom)
        .fold(f32::NEG_INFINITY, f32::max);
    let top = below
        .iter()
        .map(|&at| pieces[at].bbox.top)
        .fold(f32::INFINITY, f32::min);
    (top - bottom).max(0.0)
}

/// Groups of pieces between the white bands that run across all of them, from the top.
fn slabs(pieces: &[Piece], of: &[usize]) -> Vec<Vec<usize>> {
    let mut sorted = of.to_vec();
    sorted.sort_by(|&a, &b| pieces[a].bbox.top.total_cmp(&pieces[b].bbox.top));
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut bottom = f32::NEG_INFINITY;
    for at in sorted {
        let bbox = &pieces[at].bbox;
        // Boxes of neighbouring lines may touch by a hair.
        if bbox.top >= bottom - bbox.height().min(12.0) * 0.2 {
            out.push(Vec::new());
            bottom = f32::NEG_INFINITY;
        }
        bottom = bottom.max(bbox.bottom);
        if let Some(slab) = out.last_mut() {
            slab.push(at);
        }
    }
    out
}

/// The white intervals of a slab across the width of `whole`, margins included.
fn white_strips(pieces: &[Piece], of: &[usize], whole: &BBox) -> Vec<Strip> {
    let mut spans: Vec<(f32, f32)> = of
        .iter()
        .map(|&at| (pieces[at].bbox.left, pieces[at].bbox.right))
        .collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out = Vec::new();
    let mut reached = whole.left - 1000.0;
    for (left, right) in spans {
        if left > reached {
            out.push(Strip {
                left: reached,
                right: left,
            });
        }
        reached = reached.max(right);
    }
    out.push(Strip {
        left: reached,
        right: whole.right + 1000.0,
    });
    out
}

/// What is white in both, at least `width` wide.
fn intersect(a: &[Strip], b: &[Strip], width: f32) -> Vec<Strip> {
    let mut out = Vec::new();
    for one in a {
        for other in b {
            let shared = Strip {
                left: one.left.max(other.left),
                right: one.right.min(other.right),
            };
            if shared.width() >= width {
                out.push(shared);
            }
        }
    }
    out
}

/// The white strips that have pieces on both sides.
fn inner_strips(pieces: &[Piece], of: &[usize], white: &[Strip], size: f32) -> Vec<Strip> {
    let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
    for &at in of {
        left = left.min(pieces[at].bbox.center_x());
        right = right.max(pieces[at].bbox.center_x());
    }
    white
        .iter()
        .copied()
        .filter(|strip| strip.width() >= size * 0.6)
        .filter(|strip| left < strip.center() && strip.center() < right)
        .collect()
}

/// Of the inner white strips those that part columns of text (or figures) from each other.
fn separators(pieces: &[Piece], of: &[usize], inner: Vec<Strip>, size: f32) -> Vec<Strip> {
    let columns = |strips: &[Strip]| -> Vec<Vec<usize>> {
        let mut columns = vec![Vec::new(); strips.len() + 1];
        for &at in of {
            let x = pieces[at].bbox.center_x();
            let column = strips.iter().filter(|strip| strip.center() < x).count();
            columns[column].push(at);
        }
        columns
    };
    // Drop the narrowest strips beside what is no column until all are columns.
    let mut strips = inner;
    while !strips.is_empty() {
        let bad = columns(&strips)
            .iter()
            .position(|column| !is_column(pieces, column, size));
        let Some(bad) = bad else {
            break;
        };
        let left = bad.checked_sub(1);
        let right = (bad < strips.len()).then_some(bad);
        let drop = match (left, right) {
            (Some(left), Some(right)) if strips[left].width() > strips[right].width() => right,
            (Some(left), _) => left,
            (None, Some(right)) => right,
            (None, None) => break,
        };
        strips.remove(drop);
    }
    strips
}

/// Whether pieces read as a column: a figure or table, or lines of running text.
fn is_column(pieces: &[Piece], column: &[usize], size: f32) -> bool {
    if column.iter().any(|&at| pieces[at].chars.is_none()) {
        return true;
    }
    let Some(bbox) = BBox::union_all(column.iter().map(|&at| pieces[at].bbox)) else {
        return false;
    };
    let chars: usize = column.iter().filter_map(|&at| pieces[at].chars).sum();
    let mean = chars as f32 / lines_of(pieces, column) as f32;
    let lines = bbox.height() / (size * 1.2);
    // Two lines are a column only where they are long.
    mean >= 12.0 && chars >= 40 && (lines >= 2.5 || mean >= 30.0)
}

/// On how many lines pieces stand.
fn lines_of(pieces: &[Piece], of: &[usize]) -> usize {
    let mut boxes: Vec<BBox> = of.iter().map(|&at| pieces[at].bbox).collect();
    boxes.sort_by(|a, b| a.top.total_cmp(&b.top));
    let new = boxes
        .windows(2)
        .filter(|pair| !on_one_line(&pair[0], &pair[1]));
    new.count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(left: f32, top: f32, right: f32) -> Piece {
        Piece {
            bbox: BBox::new(left, top, right, top + 10.0),
            chars: Some(((right - left) / 5.0) as usize),
        }
    }

    /// Two columns of `lines` lines from `top`.
    fn columns(top: f32, lines: usize) -> Vec<Piece> {
        let mut out = Vec::new();
        for at in 0..lines {
            let top = top + 12.0 * at as f32;
            out.push(line(50.0, top, 290.0));
            out.push(line(310.0, top, 550.0));
        }
        out
    }

    #[test]
    fn columns_are_read_one_after_the_other() {
        let found = regions(&columns(100.0, 5), &[], 10.0);
        assert_eq!(found, [vec![0, 2, 4, 6, 8], vec![1, 3, 5, 7, 9]]);
    }

    #[test]
    fn a_heading_across_both_columns_ends_a_band() {
        let mut pieces = vec![line(150.0, 60.0, 450.0)];
        pieces.extend(columns(100.0, 4));
        pieces.push(line(50.0, 170.0, 550.0));
        pieces.extend(columns(200.0, 4));
        let found = regions(&pieces, &[], 10.0);
        assert_eq!(
            found,
            [
                vec![0],
                vec![1, 3, 5, 7],
                vec![2, 4, 6, 8],
                vec![9],
                vec![10, 12, 14, 16],
                vec![11, 13, 15, 17]
            ]
        );
    }

    #[test]
    fn a_list_with_its_markers_is_one_column() {
        let mut pieces = Vec::new();
        for at in 0..4 {
            let top = 100.0 + 12.0 * at as f32;
            pieces.push(line(50.0, top, 58.0));
            pieces.push(line(75.0, top, 400.0));
        }
        assert_eq!(regions(&pieces, &[], 10.0), [(0..8).collect::<Vec<_>>()]);
    }

    #[test]
    fn a_figure_beside_text_is_a_column() {
        let mut pieces: Vec<Piece> = (0..6)
            .map(|at| line(50.0, 100.0 + 12.0 * at as f32, 290.0))
            .collect();
        pieces.push(Piece {
            bbox: BBox::new(320.0, 100.0, 540.0, 170.0),
            chars: None,
        });
        assert_eq!(
            regions(&pieces, &[], 10.0),
            [(0..6).collect::<Vec<_>>(), vec![6]]
        );
    }

    #[test]
    fn a_side_bar_is_read_whole() {
        // A column of text, and in a frame beside it lines of another pitch, then text below both.
        let mut pieces: Vec<Piece> = (0..8)
            .map(|at| line(50.0, 100.0 + 12.0 * at as f32, 390.0))
            .collect();
        pieces.extend((0..4).map(|at| line(410.0, 105.0 + 15.0 * at as f32, 550.0)));
        pieces.extend((0..3).map(|at| line(50.0, 210.0 + 12.0 * at as f32, 550.0)));
        let frame = BBox::new(400.0, 95.0, 560.0, 180.0);
        assert_eq!(
            regions(&pieces, &[frame], 10.0),
            [
                (0..8).collect(),
                (8..12).collect(),
                (12..15).collect::<Vec<_>>()
            ]
        );
    }

    #[test]
    fn a_call_out_does_not_part_the_column_that_it_stands_in() {
        // Two short columns in a frame amid lines across the page.
        let mut pieces: Vec<Piece> = (0..3)
            .map(|at| line(50.0, 100.0 + 12.0 * at as f32, 550.0))
            .collect();
        pieces.extend(columns(150.0, 4));
        pieces.extend((0..3).map(|at| line(50.0, 210.0 + 12.0 * at as f32, 550.0)));
        let frame = BBox::new(45.0, 145.0, 555.0, 203.0);
        assert_eq!(
            regions(&pieces, &[frame], 10.0),
            [
                vec![0, 1, 2],
                vec![3, 5, 7, 9],
                vec![4, 6, 8, 10],
                vec![11, 12, 13]
            ]
        );
    }

    #[test]
    fn text_runs_round_a_figure_between_two_columns() {
        let mut pieces = Vec::new();
        for at in 0..12 {
            let top = 100.0 + 12.0 * at as f32;
            let beside = (4..8).contains(&at);
            let (left, right) = if beside {
                (230.0, 370.0)
            } else {
                (290.0, 310.0)
            };
            pieces.push(line(50.0, top, left));
            pieces.push(line(right, top, 550.0));
        }
        pieces.push(Piece {
            bbox: BBox::new(240.0, 146.0, 360.0, 196.0),
            chars: None,
        });
        let even: Vec<usize> = (0..24).step_by(2).collect();
        let odd: Vec<usize> = (1..24).step_by(2).collect();
        assert_eq!(regions(&pieces, &[], 10.0), [even, vec![24], odd]);
    }
}
