//! Tables whose columns are told by white space: between horizontal rules, or without any.

use super::columns_of_text::{cuts_text, spans_gutter};
use super::grid::{Line as RuleLine, merge_collinear};
use super::heads::{add_turned_labels, header_above, place};
use super::{FoundTable, Line, cell_text, is_numeric, lines, mark_headers, new_cell};
use crate::pdf::block::is_ordinal;
use crate::pdf::hyphen::HYPHENS;
use crate::pdf::layout::{Piece, regions};
use crate::pdf::page::PageText;
use crate::pdf::words::Segment;
use catena_document::{BBox, Table};
use std::ops::Range;

/// Rows looked at for one table.
const MAX_ROWS: usize = 600;

/// Tables between horizontal rules of one width, as papers set them.
pub(super) fn half_ruled(page: &PageText, free: &[bool], taken: &[BBox]) -> Vec<FoundTable> {
    let rules = merge_collinear(&page.rules, true);
    let mut used = vec![false; rules.len()];
    let mut out = Vec::new();
    for first in 0..rules.len() {
        if used[first] || rules[first].end - rules[first].start < 40.0 {
            continue;
        }
        let group = group_below(&rules, first, page.height);
        if group.len() < 2 {
            continue;
        }
        if let Some(found) = table_between(page, free, &rules, &group)
            && !overlaps(taken, &found.bbox)
        {
            for at in group {
                used[at] = true;
            }
            out.push(found);
        }
    }
    out
}

/// Whether a box lies over something found before.
fn overlaps(taken: &[BBox], bbox: &BBox) -> bool {
    taken
        .iter()
        .any(|taken| taken.overlap_area(bbox) > 0.2 * bbox.area())
}

/// The rules below `first` with about the same ends, nearer to each other than half a page.
fn group_below(rules: &[RuleLine], first: usize, height: f32) -> Vec<usize> {
    let mut group = vec![first];
    let head = rules[first];
    for (at, rule) in rules.iter().enumerate().skip(first + 1) {
        let same = (rule.start - head.start).abs() < 6.0 && (rule.end - head.end).abs() < 6.0;
        let last = rules[group[group.len() - 1]].at;
        if same && rule.at - last < height * 0.45 {
            group.push(at);
        }
    }
    group
}

fn table_between(
    page: &PageText,
    free: &[bool],
    rules: &[RuleLine],
    group: &[usize],
) -> Option<FoundTable> {
    let (top, bottom) = (rules[group[0]], rules[group[group.len() - 1]]);
    let bbox = BBox::new(top.start, top.at, top.end, bottom.at);
    let inside: Vec<usize> = (0..page.segments.len())
        .filter(|&at| free[at] && page.segments[at].direction == Some(0))
        .filter(|&at| {
            let own = page.segments[at].bbox;
            bbox.inflate(2.0)
                .contains_point(own.center_x(), own.center_y())
        })
        .collect();
    let rows = lines(&page.segments, inside.clone());
    // Text between the rules that reaches out of them: the rules belong to columns of several
    // tables, or to none.
    let reaches_out = inside.iter().any(|&at| {
        let own = page.segments[at].bbox;
        own.left < bbox.left - 12.0 || own.right > bbox.right + 12.0
    });
    let beside = page.segments.iter().enumerate().any(|(at, segment)| {
        free[at]
            && segment.bbox.overlap_y(&bbox) > segment.bbox.height() * 0.6
            && segment.bbox.overlap_x(&bbox) < 1.0
            && rows
                .iter()
                .any(|row| (row.bbox.bottom - segment.bbox.bottom).abs() < 2.0)
            && bbox.left - segment.bbox.right < page.width * 0.5
            && segment.bbox.right < bbox.left
            && segment.chars() < 60
    });
    if rows.len() < 2 || rows.len() > MAX_ROWS || reaches_out || beside {
        return None;
    }
    let columns = columns(page, &rows)?;
    if !looks_tabular(page, &rows, &columns, 0.5) {
        return None;
    }
    let (mut rows, mut inside, mut bbox) = (rows, inside, bbox);
    let above = header_above(page, free, &rows, &columns);
    if let Some(line) = above {
        bbox = bbox.union(&line.bbox);
        inside.extend(&line.segments);
        rows.insert(0, line);
    }
    inside.extend(add_turned_labels(page, free, &bbox, &mut rows));
    // The first rule inside parts the header from the rest.
    let inner = group
        .get(1)
        .filter(|_| group.len() > 2)
        .map(|&at| rules[at].at);
    let headers = inner.map_or(0, |y| {
        rows.iter().filter(|row| row.bbox.center_y() < y).count()
    });
    let starts: Vec<f32> = rules
        .iter()
        .filter(|rule| rule.at > top.at && rule.at < bottom.at)
        .filter(|rule| rule.end - rule.start > bbox.width() * 0.5)
        .map(|rule| rule.at)
        .collect();
    let table = build(page, &rows, &columns, &starts, headers);
    Some(FoundTable {
        bbox,
        table,
        segments: inside,
    })
}

/// Tables without rules: lines in a row that are set in the same columns, across the page or within
/// one of its columns.
pub(super) fn unruled(
    page: &PageText,
    free: &[bool],
    taken: &[BBox],
    captions: &[BBox],
) -> Vec<FoundTable> {
    let mut of: Vec<usize> = (0..page.segments.len())
        .filter(|&at| free[at] && page.segments[at].direction == Some(0))
        .collect();
    let mut taken = taken.to_vec();
    let mut out = unruled_of(page, &of, &taken, captions);
    of.retain(|at| out.iter().all(|found| !found.segments.contains(at)));
    taken.extend(out.iter().map(|found| found.bbox));
    let regions = columns_of_page(page, &of, &taken);
    if regions.len() > 1 {
        for region in regions {
            out.extend(unruled_of(page, &region, &taken, captions));
        }
    }
    out
}

/// The segments of each of a page's columns of text.
fn columns_of_page(page: &PageText, of: &[usize], taken: &[BBox]) -> Vec<Vec<usize>> {
    let text = of.iter().map(|&at| Piece {
        bbox: page.segments[at].bbox,
        chars: Some(page.segments[at].chars()),
    });
    let taken = taken.iter().map(|&bbox| Piece { bbox, chars: None });
    let pieces: Vec<Piece> = text.chain(taken).collect();
    let mut sizes: Vec<f32> = of.iter().map(|&at| page.segments[at].size).collect();
    sizes.sort_by(f32::total_cmp);
    let size = sizes.get(sizes.len() / 2).copied().unwrap_or(10.0);
    let regions = regions(&pieces, &[], size).into_iter();
    regions
        .map(|region| {
            region
                .iter()
                .filter_map(|&at| of.get(at).copied())
                .collect()
        })
        .filter(|region: &Vec<usize>| region.len() > 3)
        .collect()
}

fn unruled_of(page: &PageText, of: &[usize], taken: &[BBox], captions: &[BBox]) -> Vec<FoundTable> {
    let mut free = vec![false; page.segments.len()];
    for at in of {
        free[*at] = true;
    }
    let free = &free;
    let rows = lines(&page.segments, of.to_vec());
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    while start < rows.len() {
        let end = run_of_rows(page, &rows, start);
        match runs.last_mut() {
            Some(last) if end > start && goes_on(page, &rows, last, &(start..end), captions) => {
                last.end = end;
            }
            _ if end > start => runs.push(start..end),
            _ => {}
        }
        start = end.max(start + 1);
    }
    runs.into_iter()
        .filter(|run| run.len() >= 2 && !cuts_text(page, &rows, run))
        .filter(|run| !spans_gutter(page, &rows[run.clone()]))
        .filter_map(|run| table_of_run(page, free, &rows[run], captions))
        .filter(|found| !overlaps(taken, &found.bbox))
        .collect()
}

/// Lines at most between two parts of one table.
const BETWEEN: usize = 3;

/// Whether a run of lines goes on with the table of the run before, past the titles of groups
/// ("Current liabilities:"): its figures end at the same places.
fn goes_on(
    page: &PageText,
    rows: &[Line],
    before: &Range<usize>,
    run: &Range<usize>,
    captions: &[BBox],
) -> bool {
    let between = &rows[before.end..run.start];
    let height = rows[run.start].bbox.height();
    let near = rows[before.end - 1..=run.start]
        .windows(2)
        .all(|pair| pair[1].bbox.top - pair[0].bbox.bottom < height * 2.5);
    let figures = |run: &Range<usize>| -> Vec<BBox> {
        let pieces = rows[run.clone()].iter().flat_map(|row| &row.segments);
        pieces
            .map(|&at| &page.segments[at])
            .filter(|segment| is_numeric(&segment.text()))
            .map(|segment| segment.bbox)
            .collect()
    };
    let (above, below) = (figures(before), figures(run));
    if between.len() > BETWEEN || !near || above.len() < 2 || below.len() < 2 {
        return false;
    }
    let aligned = below.iter().filter(|own| {
        above
            .iter()
            .any(|other| (own.right - other.right).abs() < 4.0)
    });
    let left = above
        .iter()
        .chain(&below)
        .map(|own| own.left)
        .fold(f32::INFINITY, f32::min);
    let titles = between.iter().all(|line| {
        let is_caption = captions
            .iter()
            .any(|caption| caption.overlap_area(&line.bbox) > 0.0);
        line.bbox.right < left + 2.0 && !is_caption
    });
    titles && aligned.count() * 10 >= below.len() * 6
}

/// The end of the run of lines from `start` that have several pieces each, single ones between
/// them, and no wide gap.
fn run_of_rows(page: &PageText, rows: &[Line], start: usize) -> usize {
    let prose = |row: &Line| {
        let long = |&at: &usize| page.segments[at].chars() > 55;
        // A long name with its figures is a row.
        let figures = row.segments.iter().filter(|&&at| {
            let text = page.segments[at].text();
            text.contains(|c: char| c.is_ascii_digit()) && is_numeric(&text)
        });
        row.segments.iter().any(long) && figures.count() < 2
    };
    if rows[start].segments.len() < 2 || prose(&rows[start]) {
        return start;
    }
    let mut end = start + 1;
    let mut last_full = end;
    while end < rows.len() && end - start < MAX_ROWS {
        let gap = rows[end].bbox.top - rows[end - 1].bbox.bottom;
        if gap > rows[end].bbox.height() * 1.6 || prose(&rows[end]) {
            break;
        }
        if rows[end].segments.len() >= 2 {
            last_full = end + 1;
        } else if end - last_full >= 2 {
            break;
        }
        end += 1;
    }
    last_full
}

fn table_of_run(
    page: &PageText,
    free: &[bool],
    rows: &[Line],
    captions: &[BBox],
) -> Option<FoundTable> {
    let bbox = BBox::union_all(rows.iter().map(|row| row.bbox))?;
    let drawn = page.rules.iter().any(|rule| {
        rule.horizontal && bbox.inflate(4.0).contains(&rule.bbox, 2.0) && rule.bbox.width() > 20.0
    }) || page.shapes.iter().any(|shape| {
        let wide = shape.bbox.width() > bbox.width() * 0.5 && shape.bbox.height() < 60.0;
        shape.rectangle
            && wide
            && bbox.inflate(6.0).contains(&shape.bbox, 60.0)
            && bbox.overlap_y(&shape.bbox) > 4.0
    });
    let marked = drawn
        || captions.iter().any(|caption| {
            let gap = (caption.top - bbox.bottom).max(bbox.top - caption.bottom);
            gap < 30.0 && caption.overlap_x(&bbox) > 0.0
        });
    let columns = columns(page, rows)?;
    let least_rows = if marked { 2 } else { 3 };
    let least_columns = if marked { 2 } else { 3 };
    let numeric = share_numeric(page, rows);
    let enough_columns = columns.len() >= least_columns || (columns.len() == 2 && numeric > 0.4);
    if rows.len() < least_rows || !enough_columns {
        return None;
    }
    if !marked && numeric < 0.2 && rows.len() < 4 {
        return None;
    }
    let list = columns.len() == 2 && !drawn && has_markers(page, rows);
    if list || is_running_text(page, rows, &columns) {
        return None;
    }
    if !looks_tabular(page, rows, &columns, if marked { 0.4 } else { 0.6 }) {
        return None;
    }
    let mut rows = rows.to_vec();
    rows.splice(0..0, header_above(page, free, &rows, &columns));
    let bbox = BBox::union_all(rows.iter().map(|row| row.bbox))?;
    add_turned_labels(page, free, &bbox, &mut rows);
    Some(FoundTable {
        bbox,
        table: build(page, &rows, &columns, &[], 0),
        segments: rows.into_iter().flat_map(|row| row.segments).collect(),
    })
}

/// Whether nearly all lines of several pieces begin with the mark of a list's item (`1.`, `a)`).
fn has_markers(page: &PageText, rows: &[Line]) -> bool {
    let rows = rows.iter().filter(|row| row.segments.len() > 1);
    let (mut marked, mut all) = (0, 0);
    for row in rows {
        all += 1;
        marked += usize::from(is_ordinal(&page.segments[row.segments[0]].text()));
    }
    marked * 10 >= all * 8
}

/// Whether lines are columns of running text side by side: most of it stands in two or more columns
/// whose lines are full and go on in the next, without the white that rows leave between them.
fn is_running_text(page: &PageText, rows: &[Line], columns: &[(f32, f32)]) -> bool {
    let mut of_column: Vec<Vec<&Segment>> = vec![Vec::new(); columns.len()];
    for &at in rows.iter().flat_map(|row| &row.segments) {
        let segment = &page.segments[at];
        of_column[columns_of(columns, &segment.bbox).0].push(segment);
    }
    let chars = |column: &[&Segment]| column.iter().map(|segment| segment.chars()).sum::<usize>();
    let all: usize = of_column.iter().map(|column| chars(column)).sum();
    let running: Vec<usize> = of_column
        .iter()
        .filter(|column| is_text_column(column))
        .map(|column| chars(column))
        .collect();
    running.len() >= 2 && running.iter().sum::<usize>() * 10 >= all * 6
}

/// Whether a column's pieces, from the top, are lines of running text.
fn is_text_column(column: &[&Segment]) -> bool {
    if column.len() < 4 {
        return false;
    }
    let left = column
        .iter()
        .map(|line| line.bbox.left)
        .fold(f32::INFINITY, f32::min);
    let right = column
        .iter()
        .map(|line| line.bbox.right)
        .fold(0.0, f32::max);
    // Of scripts without spaces two letters count as a word.
    let words: usize = column
        .iter()
        .map(|line| line.words.len().max(line.chars() / 12))
        .sum();
    let full = column
        .iter()
        .filter(|line| line.bbox.right > right - (right - left) * 0.2);
    let goes_on = column.windows(2).filter(|pair| {
        let first = pair[1]
            .words
            .first()
            .and_then(|word| word.text.chars().next());
        let hyphen = pair[0]
            .words
            .last()
            .is_some_and(|word| word.text.ends_with(HYPHENS));
        hyphen || first.is_some_and(|c| c.is_alphabetic() && !c.is_uppercase())
    });
    let steps = column
        .windows(2)
        .map(|pair| pair[1].baseline - pair[0].baseline);
    let mut steps: Vec<f32> = steps.collect();
    steps.sort_by(f32::total_cmp);
    let usual = steps[steps.len() / 3];
    let wide = steps.iter().filter(|&&step| step > usual * 1.3).count();
    words >= column.len() * 3
        && wide * 5 <= steps.len()
        && full.count() * 10 >= column.len() * 6
        && goes_on.count() * 10 >= (column.len() - 1) * 4
}

fn share_numeric(page: &PageText, rows: &[Line]) -> f32 {
    let all: Vec<usize> = rows
        .iter()
        .flat_map(|row| row.segments.iter().copied())
        .collect();
    let numeric = all
        .iter()
        .filter(|&&at| is_numeric(&page.segments[at].text()))
        .count();
    numeric as f32 / all.len().max(1) as f32
}

/// The columns of lines as intervals, from the left: what lies between the gaps that nearly all
/// lines leave white. `None` where there are fewer than two or more than sixty.
pub(super) fn columns(page: &PageText, rows: &[Line]) -> Option<Vec<(f32, f32)>> {
    let segments = || {
        rows.iter()
            .flat_map(|row| row.segments.iter().map(|&at| page.segments[at].bbox))
    };
    let whole = BBox::union_all(segments())?;
    // Lines that run across several columns (a group's title) must not close their gaps.
    let allowed = rows.len() / 8;
    let mut events: Vec<(f32, i32)> = Vec::new();
    for bbox in segments() {
        events.push((bbox.left, 1));
        events.push((bbox.right, -1));
    }
    events.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let mut out: Vec<(f32, f32)> = Vec::new();
    let (mut depth, mut start) = (0, whole.left);
    let mut open = false;
    for (x, step) in events {
        depth += step;
        let covered = depth as usize > allowed;
        if covered && !open {
            (start, open) = (x, true);
        } else if !covered && open {
            open = false;
            match out.last_mut() {
                // Gaps narrower than a space are none.
                Some(last) if start - last.1 < 4.0 => last.1 = x,
                _ => out.push((start, x)),
            }
        }
    }
    let out = split_columns(page, rows, out);
    (2..=60).contains(&out.len()).then_some(out)
}

/// Splits the columns in two where many lines have two pieces each that part at the same place, and
/// fewer than half as many (titles of groups) run over it.
fn split_columns(page: &PageText, rows: &[Line], columns: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    let mut out = Vec::new();
    let mut open = columns;
    open.reverse();
    while let Some(column) = open.pop() {
        match split_of(page, rows, column) {
            Some((left, right)) if out.len() + open.len() < 60 => open.extend([right, left]),
            _ => out.push(column),
        }
    }
    out
}

fn split_of(
    page: &PageText,
    rows: &[Line],
    (left, right): (f32, f32),
) -> Option<((f32, f32), (f32, f32))> {
    let inside = |row: &Line| -> Vec<BBox> {
        let boxes = row.segments.iter().map(|&at| page.segments[at].bbox);
        boxes
            .filter(|bbox| bbox.left > left - 1.0 && bbox.left < right)
            .collect()
    };
    let rows: Vec<Vec<BBox>> = rows.iter().map(inside).collect();
    let mut lefts: Vec<f32> = rows
        .iter()
        .flat_map(|row| row.windows(2).map(|pair| pair[1].left))
        .collect();
    lefts.sort_by(f32::total_cmp);
    // Where most second pieces begin.
    let near = |x: f32| lefts.iter().filter(|&&left| (left - x).abs() < 2.0).count();
    let start = lefts.iter().copied().max_by_key(|&x| near(x))?;
    let parted = rows.iter().filter_map(|row| {
        let pair = row
            .windows(2)
            .find(|pair| (pair[1].left - start).abs() < 2.0)?;
        Some(pair[0].right)
    });
    let ends: Vec<f32> = parted.filter(|&end| end < start - 3.0).collect();
    let end = ends.iter().copied().fold(left, f32::max);
    let over = rows
        .iter()
        .flatten()
        .filter(|bbox| bbox.left < end && bbox.right > start);
    (ends.len() >= 4 && over.count() * 2 <= ends.len()).then_some(((left, end), (start, right)))
}

/// The columns that a box lies in, first and last.
fn columns_of(columns: &[(f32, f32)], bbox: &BBox) -> (usize, usize) {
    let overlap = |&(left, right): &(f32, f32)| bbox.right.min(right) - bbox.left.max(left);
    let first = columns.iter().position(|column| overlap(column) > 1.0);
    let last = columns.iter().rposition(|column| overlap(column) > 1.0);
    if let (Some(first), Some(last)) = (first, last) {
        return (first, last);
    }
    let x = bbox.center_x();
    let far = |at: usize| (f32::midpoint(columns[at].0, columns[at].1) - x).abs();
    let near = (0..columns.len()).min_by(|&a, &b| far(a).total_cmp(&far(b)));
    let near = near.unwrap_or(0);
    (near, near)
}

/// Whether lines read as a table's rows: most have pieces in several columns, and the pieces are
/// short.
pub(super) fn looks_tabular(
    page: &PageText,
    rows: &[Line],
    columns: &[(f32, f32)],
    share: f32,
) -> bool {
    let several = rows
        .iter()
        .filter(|row| {
            let mut filled: Vec<usize> = row
                .segments
                .iter()
                .map(|&at| columns_of(columns, &place(&page.segments[at])).0)
                .collect();
            filled.dedup();
            filled.len() >= 2
        })
        .count();
    let pieces: Vec<usize> = rows
        .iter()
        .flat_map(|row| row.segments.iter().copied())
        .collect();
    let chars: usize = pieces.iter().map(|&at| page.segments[at].chars()).sum();
    let mean = chars as f32 / pieces.len().max(1) as f32;
    let prose = columns.len() == 2 && mean > 28.0;
    several as f32 >= rows.len() as f32 * share && mean < 45.0 && !prose
}

/// Builds the table; a line that only continues the cells above is joined to them. `starts` are
/// heights of rules that begin a row.
fn build(
    page: &PageText,
    rows: &[Line],
    columns: &[(f32, f32)],
    starts: &[f32],
    header_lines: usize,
) -> Table {
    let groups = row_groups(page, rows, columns, starts, header_lines);
    let mut table = Table {
        rows: groups.len() as u32,
        columns: columns.len() as u32,
        cells: Vec::new(),
    };
    for (row, group) in groups.iter().enumerate() {
        let mut cells: Vec<(usize, usize, Vec<usize>)> = Vec::new();
        for &at in group.iter().flat_map(|&line| &rows[line].segments) {
            let (first, last) = columns_of(columns, &place(&page.segments[at]));
            match cells
                .iter_mut()
                .find(|cell| cell.0 <= last && first <= cell.1)
            {
                Some(cell) => {
                    (cell.0, cell.1) = (cell.0.min(first), cell.1.max(last));
                    cell.2.push(at);
                }
                None => cells.push((first, last, vec![at])),
            }
        }
        cells.sort_by_key(|cell| cell.0);
        for (first, last, segments) in cells {
            let (text, bbox) = cell_text(&page.segments, &segments);
            let mut cell = new_cell(row as u32, first as u32, text, bbox);
            cell.column_span = (last - first + 1) as u32;
            table.cells.push(cell);
        }
    }
    let header_rows = groups
        .iter()
        .take_while(|group| group.iter().all(|&line| line < header_lines))
        .count();
    mark_headers(&mut table, header_rows as u32);
    table
}

/// Lines grouped into rows.
fn row_groups(
    page: &PageText,
    rows: &[Line],
    columns: &[(f32, f32)],
    starts: &[f32],
    header_lines: usize,
) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let filled: Vec<usize> = row
            .segments
            .iter()
            .map(|&segment| columns_of(columns, &place(&page.segments[segment])).0)
            .collect();
        let before = at.checked_sub(1).map(|before| &rows[before]);
        let ruled = before.is_some_and(|before| {
            let between = before.bbox.center_y()..row.bbox.center_y();
            starts.iter().any(|start| between.contains(start))
        });
        let tight = before
            .is_some_and(|before| row.bbox.top - before.bbox.bottom < row.bbox.height() * 0.35);
        // Wrapped words: nothing in the first column, and not a line of its own with many cells.
        let words_only = row
            .segments
            .iter()
            .all(|&segment| !is_numeric(&page.segments[segment].text()));
        let continues = !filled.contains(&0)
            && filled.len() * 2 <= columns.len()
            && words_only
            && tight
            && !ruled
            && at != header_lines;
        match groups.last_mut() {
            Some(group) if continues => group.push(at),
            _ => groups.push(vec![at]),
        }
    }
    groups
}
