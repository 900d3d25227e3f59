//! Ruled tables: cells between crossing lines.

use super::{FoundTable, aligned, cell_text, lines, mark_headers};
use crate::pdf::content::Rule;
use crate::pdf::page::PageText;
use crate::pdf::words::Segment;
use catena_document::{BBox, Cell, Table};

/// How far apart lines may end and still meet, in points.
const TOUCH: f32 = 3.0;
/// Lines of one grid this near are one line, in points.
const SAME: f32 = 2.5;
/// Lines looked at on one page.
const MAX_RULES: usize = 6000;
/// Places of one grid.
const MAX_PLACES: usize = 20_000;

/// The ruled tables of a page.
pub(super) fn find(page: &PageText, free: &[bool]) -> Vec<FoundTable> {
    let horizontal = merge_collinear(&page.rules, true);
    let vertical = merge_collinear(&page.rules, false);
    let mut out = Vec::new();
    for (across, down) in components(&horizontal, &vertical) {
        if let Some(found) = read_grid(page, free, &across, &down) {
            out.push(found);
        }
    }
    out
}

/// A line: its place across its direction, and its ends along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) at: f32,
    pub(super) start: f32,
    pub(super) end: f32,
}

/// The rules of one direction, those on one line with no wide gap joined.
pub(super) fn merge_collinear(rules: &[Rule], horizontal: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = rules
        .iter()
        .filter(|rule| rule.horizontal == horizontal)
        .take(MAX_RULES)
        .map(|rule| {
            let bbox = rule.bbox;
            if horizontal {
                Line {
                    at: bbox.center_y(),
                    start: bbox.left,
                    end: bbox.right,
                }
            } else {
                Line {
                    at: bbox.center_x(),
                    start: bbox.top,
                    end: bbox.bottom,
                }
            }
        })
        .collect();
    lines.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.start.total_cmp(&b.start)));
    let mut out: Vec<Line> = Vec::new();
    let mut group_start = 0;
    for line in lines {
        while group_start < out.len() && line.at - out[group_start].at > 1.5 {
            group_start += 1;
        }
        let joined = out[group_start..]
            .iter_mut()
            .find(|other| line.start <= other.end + TOUCH && line.end >= other.start - TOUCH);
        match joined {
            Some(other) => {
                other.start = other.start.min(line.start);
                other.end = other.end.max(line.end);
            }
            None => out.push(line),
        }
    }
    out
}

/// The representative of a member's group.
fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

/// Groups of lines that cross or meet each other.
fn components(horizontal: &[Line], vertical: &[Line]) -> Vec<(Vec<Line>, Vec<Line>)> {
    let count = horizontal.len() + vertical.len();
    let mut parent: Vec<usize> = (0..count).collect();
    for (h, across) in horizontal.iter().enumerate() {
        let from = vertical.partition_point(|down| down.at < across.start - TOUCH);
        for (v, down) in vertical.iter().enumerate().skip(from) {
            if down.at > across.end + TOUCH {
                break;
            }
            if down.start - TOUCH <= across.at && across.at <= down.end + TOUCH {
                let (a, b) = (
                    root(&mut parent, h),
                    root(&mut parent, horizontal.len() + v),
                );
                parent[a] = b;
            }
        }
    }
    let mut groups: std::collections::BTreeMap<usize, (Vec<Line>, Vec<Line>)> =
        std::collections::BTreeMap::new();
    for at in 0..count {
        let group = groups.entry(root(&mut parent, at)).or_default();
        match at.checked_sub(horizontal.len()) {
            None => group.0.push(horizontal[at]),
            Some(v) => group.1.push(vertical[v]),
        }
    }
    groups.into_values().collect()
}

/// Sorted places, near ones joined.
fn places(lines: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut all: Vec<f32> = lines.collect();
    all.sort_by(f32::total_cmp);
    let mut out: Vec<f32> = Vec::new();
    for at in all {
        if out.last().is_none_or(|last| at - last > SAME) {
            out.push(at);
        }
    }
    out
}

fn read_grid(page: &PageText, free: &[bool], across: &[Line], down: &[Line]) -> Option<FoundTable> {
    let (ys, xs) = grid_lines(across, down)?;
    let (rows, columns) = (ys.len() - 1, xs.len() - 1);
    if rows * columns < 2 || rows * columns > MAX_PLACES {
        return None;
    }
    let bbox = BBox::new(xs[0], ys[0], xs[columns], ys[rows]);
    if !is_framed(across, &ys, &bbox) || is_crossed(page, &bbox, &ys, &xs) {
        return None;
    }
    let inside: Vec<usize> = (0..page.segments.len())
        .filter(|&at| free[at] && page.segments[at].direction.is_some())
        .filter(|&at| {
            let own = page.segments[at].bbox;
            bbox.contains_point(own.center_x(), own.center_y())
        })
        .collect();
    let xs = with_white_columns(page, &inside, &xs);
    let columns = xs.len() - 1;
    if rows * columns > MAX_PLACES {
        return None;
    }
    let cells = merged_cells(across, down, &ys, &xs);
    let mut cells = split_open_cells(cells, page, &inside, &xs);
    if columns < 2 || cells.len() < 2 {
        return None;
    }
    let cut = cut_at_lines(page, &inside, &xs);
    let members = fill(&cut, &mut cells);
    if !is_table(&cells, page, &bbox) {
        return None;
    }
    let mut table = Table {
        rows: rows as u32,
        columns: columns as u32,
        cells,
    };
    split_rows(&mut table, &cut, &members);
    drop_empty(&mut table);
    mark_headers(&mut table, 0);
    (table.rows >= 2 || table.columns >= 3).then_some(FoundTable {
        bbox,
        table,
        segments: inside,
    })
}

/// The heights and places of a grid's lines; open sides are closed where lines reach past them.
fn grid_lines(across: &[Line], down: &[Line]) -> Option<(Vec<f32>, Vec<f32>)> {
    if across.len() < 2 || down.is_empty() {
        return None;
    }
    let left = across
        .iter()
        .map(|line| line.start)
        .fold(f32::INFINITY, f32::min);
    let right = across
        .iter()
        .map(|line| line.end)
        .fold(f32::NEG_INFINITY, f32::max);
    let mut xs = places(down.iter().map(|line| line.at));
    if xs[0] - left > 8.0 {
        xs.insert(0, left);
    }
    if right - xs[xs.len() - 1] > 8.0 {
        xs.push(right);
    }
    let ys = places(across.iter().map(|line| line.at));
    (xs.len() >= 2 && ys.len() >= 2).then_some((ys, xs))
}

/// The cells of a grid: places with no line between them are one.
fn merged_cells(across: &[Line], down: &[Line], ys: &[f32], xs: &[f32]) -> Vec<Cell> {
    let (rows, columns) = (ys.len() - 1, xs.len() - 1);
    let drawn = |lines: &[Line], at: f32, from: f32, to: f32| {
        let middle = f32::midpoint(from, to);
        lines
            .iter()
            .any(|line| (line.at - at).abs() <= SAME && line.start <= middle && line.end >= middle)
    };
    let right_open = |row: usize, column: usize| {
        column + 1 < columns && !drawn(down, xs[column + 1], ys[row], ys[row + 1])
    };
    let below_open = |row: usize, column: usize| {
        row + 1 < rows && !drawn(across, ys[row + 1], xs[column], xs[column + 1])
    };
    let mut taken = vec![false; rows * columns];
    let mut out = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            if taken[row * columns + column] {
                continue;
            }
            let mut last_column = column;
            while right_open(row, last_column) && !taken[row * columns + last_column + 1] {
                last_column += 1;
            }
            let mut last_row = row;
            while (column..=last_column).all(|column| below_open(last_row, column))
                && (column..last_column).all(|column| right_open(last_row + 1, column))
            {
                last_row += 1;
            }
            for row in row..=last_row {
                for column in column..=last_column {
                    taken[row * columns + column] = true;
                }
            }
            out.push(Cell {
                row: row as u32,
                column: column as u32,
                row_span: (last_row - row + 1) as u32,
                column_span: (last_column - column + 1) as u32,
                header: false,
                text: String::new(),
                bbox: Some(BBox::new(
                    xs[column],
                    ys[row],
                    xs[last_column + 1],
                    ys[last_row + 1],
                )),
            });
        }
    }
    out
}

/// The lines of a grid with those that white space draws: where one ruled column holds several
/// that are aligned in it.
fn with_white_columns(page: &PageText, inside: &[usize], xs: &[f32]) -> Vec<f32> {
    let mut out = xs.to_vec();
    for side in xs.windows(2) {
        let own = inside.iter().copied().filter(|&at| {
            let x = page.segments[at].bbox.center_x();
            page.segments[at].direction == Some(0) && x > side[0] && x < side[1]
        });
        let rows = lines(&page.segments, own.collect());
        if rows.len() < 3 {
            continue;
        }
        let Some(columns) = aligned::columns(page, &rows) else {
            continue;
        };
        if aligned::looks_tabular(page, &rows, &columns, 0.6) {
            out.extend(
                columns
                    .windows(2)
                    .map(|pair| f32::midpoint(pair[0].1, pair[1].0)),
            );
        }
    }
    out.sort_by(f32::total_cmp);
    out
}

/// Splits cells that no line parts though the columns go on in them: where lines are drawn
/// between the headers only, and what stands in a wide cell keeps to the columns.
fn split_open_cells(cells: Vec<Cell>, page: &PageText, inside: &[usize], xs: &[f32]) -> Vec<Cell> {
    let keeps_to_columns = |cell: &Cell| {
        let Some(bbox) = cell.bbox else {
            return false;
        };
        let own = inside
            .iter()
            .map(|&at| page.segments[at].bbox)
            .filter(|own| bbox.contains_point(own.center_x(), own.center_y()));
        let mut filled = std::collections::BTreeSet::new();
        for own in own {
            let column = xs.partition_point(|&x| x <= own.center_x()).max(1) - 1;
            let right = xs.get(column + 1).copied().unwrap_or(f32::INFINITY);
            if own.left < xs[column] - 2.0 || own.right > right + 2.0 {
                return false;
            }
            filled.insert(column);
        }
        filled.len() >= 2
    };
    let mut out = Vec::new();
    for cell in cells {
        let (Some(bbox), true) = (cell.bbox, cell.column_span > 1) else {
            out.push(cell);
            continue;
        };
        if !keeps_to_columns(&cell) {
            out.push(cell);
            continue;
        }
        for column in cell.column..cell.column + cell.column_span {
            let at = column as usize;
            out.push(Cell {
                column,
                column_span: 1,
                bbox: Some(BBox::new(xs[at], bbox.top, xs[at + 1], bbox.bottom)),
                ..cell.clone()
            });
        }
    }
    out
}

/// Segments cut where a vertical line of the grid runs between two of their words.
fn cut_at_lines(page: &PageText, inside: &[usize], xs: &[f32]) -> Vec<Segment> {
    let mut out = Vec::new();
    for &at in inside {
        let segment = &page.segments[at];
        if segment.direction != Some(0) {
            out.push(segment.clone());
            continue;
        }
        let mut rest = segment.clone();
        for &x in xs {
            let place = rest.words.iter().position(|word| word.bbox.center_x() > x);
            let Some(place) = place.filter(|&place| place > 0) else {
                continue;
            };
            let tail = rest.words.split_off(place);
            let head = std::mem::replace(&mut rest.words, tail);
            out.push(with_words(segment, head));
        }
        let words = std::mem::take(&mut rest.words);
        out.push(with_words(segment, words));
    }
    out
}

fn with_words(segment: &Segment, words: Vec<crate::pdf::words::Word>) -> Segment {
    Segment {
        bbox: BBox::union_all(words.iter().map(|word| word.bbox)).unwrap_or(segment.bbox),
        words,
        ..segment.clone()
    }
}

/// Puts segments into the cells that hold their middles; gives each cell's segments.
fn fill(segments: &[Segment], cells: &mut [Cell]) -> Vec<Vec<usize>> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
    for (at, segment) in segments.iter().enumerate() {
        let (x, y) = (segment.bbox.center_x(), segment.bbox.center_y());
        let cell = cells
            .iter()
            .position(|cell| cell.bbox.is_some_and(|bbox| bbox.contains_point(x, y)));
        if let Some(cell) = cell {
            members[cell].push(at);
        }
    }
    for (cell, members) in cells.iter_mut().zip(&members) {
        cell.text = cell_text(segments, members).0;
    }
    members
}

/// Whether the lines at the top and bottom of a grid run along most of it, and those between along
/// much of it: the pipes of a diagram do not.
fn is_framed(across: &[Line], ys: &[f32], bbox: &BBox) -> bool {
    let share = |y: f32| {
        let length: f32 = across
            .iter()
            .filter(|line| (line.at - y).abs() <= SAME)
            .map(|line| line.end - line.start)
            .sum();
        length / bbox.width().max(1.0)
    };
    let ends = share(ys[0]).min(share(ys[ys.len() - 1]));
    let mean = ys.iter().map(|&y| share(y)).sum::<f32>() / ys.len() as f32;
    ends > 0.6 && mean > 0.5
}

/// Whether a curve, a slanting line or a bar crosses the lines of a grid: a chart's, not a
/// table's. What fills whole cells does not cross.
fn is_crossed(page: &PageText, bbox: &BBox, ys: &[f32], xs: &[f32]) -> bool {
    let inner = |places: &[f32], low: f32, high: f32| {
        places.iter().any(|&at| at > low + 3.0 && at < high - 3.0)
    };
    let on_line = |places: &[f32], at: f32| places.iter().any(|&place| (place - at).abs() < 3.0);
    let fills_cells = |own: &BBox| {
        on_line(xs, own.left)
            && on_line(xs, own.right)
            && on_line(ys, own.top)
            && on_line(ys, own.bottom)
    };
    page.shapes
        .iter()
        .filter(|shape| !shape.rectangle && shape.bbox.height().min(shape.bbox.width()) > 2.0)
        .flat_map(|shape| {
            let whole = shape.boxes.is_empty().then_some(&shape.bbox);
            shape.boxes.iter().chain(whole)
        })
        .filter_map(|own| own.intersection(bbox))
        .any(|own| {
            let crosses = inner(xs, own.left, own.right) || inner(ys, own.top, own.bottom);
            crosses && !fills_cells(&own)
        })
}

/// Whether filled cells look like a table and not like a chart's grid, a form's frame or a page's
/// layout.
fn is_table(cells: &[Cell], page: &PageText, bbox: &BBox) -> bool {
    let filled: Vec<_> = cells.iter().filter(|cell| !cell.text.is_empty()).collect();
    let columns: std::collections::BTreeSet<_> = filled.iter().map(|cell| cell.column).collect();
    let words: usize = filled
        .iter()
        .map(|cell| cell.text.split_whitespace().count())
        .sum();
    let dense = filled.len() * 4 >= cells.len();
    let long = words > filled.len() * 70;
    let whole_page = bbox.area() > page.bbox().area() * 0.85 && cells.len() < 6;
    filled.len() >= 2 && columns.len() >= 2 && dense && !long && !whole_page
}

/// Splits the rows of a grid whose rows are not all parted by rules: where several cells of a row
/// hold lines at the same heights, each height is a row.
fn split_rows(table: &mut Table, segments: &[Segment], members: &[Vec<usize>]) {
    let mut cells: Vec<Cell> = Vec::new();
    let mut shift = 0;
    for row in 0..table.rows {
        let at: Vec<usize> = (0..table.cells.len())
            .filter(|&cell| table.cells[cell].row == row)
            .collect();
        let tops = row_tops(table, segments, members, &at);
        let extra = tops.len().saturating_sub(1) as u32;
        for &cell in &at {
            let old = &table.cells[cell];
            if extra == 0 || old.row_span > 1 {
                let mut kept = old.clone();
                kept.row += shift;
                kept.row_span += if old.row_span > 1 { extra } else { 0 };
                cells.push(kept);
                continue;
            }
            let mut parts: Vec<Vec<usize>> = vec![Vec::new(); tops.len()];
            for &segment in &members[cell] {
                let y = segments[segment].bbox.center_y();
                let part = tops.iter().filter(|&&top| top <= y).count().max(1) - 1;
                parts[part].push(segment);
            }
            for (part, own) in parts.iter().enumerate() {
                let (text, bbox) = cell_text(segments, own);
                cells.push(Cell {
                    row: old.row + shift + part as u32,
                    row_span: 1,
                    text,
                    bbox: bbox.or(old.bbox),
                    ..old.clone()
                });
            }
        }
        shift += extra;
    }
    table.rows += shift;
    cells.sort_by_key(|cell| (cell.row, cell.column));
    table.cells = cells;
}

/// The tops of the rows that one ruled row holds; one where it is a single row.
fn row_tops(table: &Table, segments: &[Segment], members: &[Vec<usize>], at: &[usize]) -> Vec<f32> {
    let all: Vec<usize> = at
        .iter()
        .filter(|&&cell| table.cells[cell].row_span == 1)
        .flat_map(|&cell| members[cell].iter().copied())
        .collect();
    let found = lines(segments, all);
    let columns = at.len();
    let cell_of = |segment: usize| at.iter().position(|&cell| members[cell].contains(&segment));
    // A row begins where the first column has a line, if nearly every such line stands beside
    // lines of other columns; wrapped words do not line up so.
    let first_lines = found
        .iter()
        .filter(|line| {
            line.segments
                .iter()
                .any(|&segment| cell_of(segment) == Some(0))
        })
        .count();
    let full_lines: Vec<&super::Line> = found
        .iter()
        .filter(|line| {
            let mut filled: Vec<_> = line.segments.iter().filter_map(|&s| cell_of(s)).collect();
            filled.dedup();
            filled.len() * 3 >= columns * 2 && filled.contains(&0)
        })
        .collect();
    let aligned = full_lines.len() >= 3
        && full_lines.len() * 10 >= found.len() * 7
        && full_lines.len() * 10 >= first_lines * 8;
    if columns < 2 || !aligned {
        return vec![f32::NEG_INFINITY];
    }
    full_lines.iter().map(|line| line.bbox.top - 1.0).collect()
}

/// Takes out rows and columns without a word.
pub(super) fn drop_empty(table: &mut Table) {
    let used = |count: u32, of: &dyn Fn(&Cell) -> (u32, u32)| -> Vec<bool> {
        let mut used = vec![false; count as usize];
        for cell in table.cells.iter().filter(|cell| !cell.text.is_empty()) {
            let (start, _) = of(cell);
            if let Some(place) = used.get_mut(start as usize) {
                *place = true;
            }
        }
        used
    };
    let rows = used(table.rows, &|cell| (cell.row, cell.row_span));
    let columns = used(table.columns, &|cell| (cell.column, cell.column_span));
    let before = |used: &[bool], at: u32| {
        used[..(at as usize).min(used.len())]
            .iter()
            .filter(|&&is| is)
            .count() as u32
    };
    table.cells.retain_mut(|cell| {
        let keep = rows[cell.row as usize] && columns[cell.column as usize];
        let (row_end, column_end) = (cell.row + cell.row_span, cell.column + cell.column_span);
        let (row, column) = (before(&rows, cell.row), before(&columns, cell.column));
        cell.row_span = (before(&rows, row_end) - row).max(1);
        cell.column_span = (before(&columns, column_end) - column).max(1);
        (cell.row, cell.column) = (row, column);
        keep
    });
    table.rows = before(&rows, table.rows);
    table.columns = before(&columns, table.columns);
}
