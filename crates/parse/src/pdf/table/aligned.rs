//! Tables whose columns are told by white space: between horizontal rules, or without any.

use super::grid::{Line as RuleLine, merge_collinear};
use super::{FoundTable, Line, cell_text, is_numeric, lines, mark_headers, new_cell};
use crate::pdf::page::PageText;
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

/// Tables without rules: lines in a row that are set in the same columns.
pub(super) fn unruled(
    page: &PageText,
    free: &[bool],
    taken: &[BBox],
    captions: &[BBox],
) -> Vec<FoundTable> {
    let of: Vec<usize> = (0..page.segments.len())
        .filter(|&at| free[at] && page.segments[at].direction == Some(0))
        .collect();
    let rows = lines(&page.segments, of);
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
        .filter(|run| run.len() >= 2)
        .filter_map(|run| table_of_run(page, &rows[run], captions))
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

fn table_of_run(page: &PageText, rows: &[Line], captions: &[BBox]) -> Option<FoundTable> {
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
    looks_tabular(page, rows, &columns, if marked { 0.4 } else { 0.6 }).then(|| FoundTable {
        bbox,
        table: build(page, rows, &columns, &[], 0),
        segments: rows
            .iter()
            .flat_map(|row| row.segments.iter().copied())
            .collect(),
    })
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
    (2..=60).contains(&out.len()).then_some(out)
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
                .map(|&at| columns_of(columns, &page.segments[at].bbox).0)
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
            let (first, last) = columns_of(columns, &page.segments[at].bbox);
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
            .map(|&segment| columns_of(columns, &page.segments[segment].bbox).0)
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
