//! The cells of a sheet become tables and lines of text.

use super::sheet::{Area, Sheet, SheetCell, place_name};
use super::styles::Styles;
use crate::block::{Block, BlockKind, Paragraph, Role};
use crate::caption::label_of;
use crate::office::grid::{Grid, MAX_COLUMNS, Placed};
use std::collections::HashMap;

/// How often an area is cut into parts and those again.
const MAX_CUTS: usize = 40;
/// Rows that may be headers together.
const MAX_HEADERS: usize = 4;
/// Characters of the longest header.
const MAX_HEADER: usize = 80;

/// A cell with the area that it covers.
struct Piece {
    area: Area,
    cell: SheetCell,
}

/// The blocks of a sheet, from the top, and whether cells were left out. Empty rows and columns
/// part one table from the next.
pub(super) fn blocks(sheet: Sheet, name: &str, styles: &Styles) -> (Vec<Block>, bool) {
    let merges: HashMap<(u32, u32), Area> = sheet
        .merges
        .iter()
        .map(|area| ((area.top, area.left), *area))
        .collect();
    let pieces = sheet.cells.into_iter().map(|cell| {
        let single = Area {
            top: cell.row,
            left: cell.column,
            bottom: cell.row,
            right: cell.column,
        };
        let whole = merges.get(&(cell.row, cell.column)).copied();
        Piece {
            area: whole.unwrap_or(single),
            cell,
        }
    });
    let mut parts = Vec::new();
    cut(pieces.collect(), MAX_CUTS, &mut parts);
    let mut out = Vec::new();
    let mut is_cut = false;
    for part in parts {
        is_cut |= block(part, name, styles, &sheet.headers, &mut out);
    }
    (out, is_cut)
}

/// Parts what empty rows or columns part.
fn cut(pieces: Vec<Piece>, cuts: usize, out: &mut Vec<Vec<Piece>>) {
    if cuts == 0 {
        return out.push(pieces);
    }
    let rows = parted(pieces, |area| (area.top, area.bottom));
    if rows.len() > 1 {
        return rows.into_iter().for_each(|part| cut(part, cuts - 1, out));
    }
    let pieces = rows.into_iter().flatten().collect();
    let columns = parted(pieces, |area| (area.left, area.right));
    if columns.len() > 1 {
        return columns
            .into_iter()
            .for_each(|part| cut(part, cuts - 1, out));
    }
    out.extend(columns);
}

fn parted(mut pieces: Vec<Piece>, side: fn(&Area) -> (u32, u32)) -> Vec<Vec<Piece>> {
    pieces.sort_by_key(|piece| side(&piece.area).0);
    let mut out: Vec<Vec<Piece>> = Vec::new();
    let mut end = 0;
    for piece in pieces {
        let (start, last) = side(&piece.area);
        match out.last_mut() {
            Some(part) if start <= end + 1 => part.push(piece),
            _ => out.push(vec![piece]),
        }
        end = end.max(last);
    }
    out
}

/// Makes a table of an area, or lines of text where it has a single column; whether cells were
/// left out.
fn block(
    mut pieces: Vec<Piece>,
    name: &str,
    styles: &Styles,
    headers: &[Area],
    out: &mut Vec<Block>,
) -> bool {
    pieces.sort_by_key(|piece| (piece.cell.row, piece.cell.column));
    let Some(first) = pieces.first() else {
        return false;
    };
    if pieces
        .iter()
        .all(|piece| piece.cell.column == first.cell.column)
    {
        out.extend(pieces.into_iter().map(|piece| line(piece, name)));
        return false;
    }
    let caption = take_caption(&mut pieces);
    let rows = rows(pieces);
    let header_rows = header_rows(&rows, styles, headers);
    let ends = |side: fn(&Area) -> u32| rows.iter().flatten().map(move |piece| side(&piece.area));
    let left = ends(|area| area.left).min().unwrap_or(0);
    let top = ends(|area| area.top).min().unwrap_or(0);
    let corner = |row, column| place_name(row, column);
    let last = corner(
        ends(|area| area.bottom).max().unwrap_or(0),
        ends(|area| area.right).max().unwrap_or(0),
    );
    let anchor = format!("{name}!{}:{last}", corner(top, left));
    let mut grid = Grid::new();
    // For each column the row behind the merged area above.
    let mut taken: Vec<u32> = vec![0; MAX_COLUMNS];
    for (at, row) in rows.into_iter().enumerate() {
        for piece in row {
            let column = (piece.area.left - left) as usize;
            let width = (piece.area.right - piece.area.left) as usize + 1;
            if taken.get(column).is_some_and(|&end| end > piece.area.top) {
                continue;
            }
            let free = taken.iter().skip(column).take(width);
            let width = free
                .take_while(|&&end| end <= piece.area.top)
                .count()
                .max(1);
            if let Some(covered) = taken.get_mut(column..column + width) {
                covered.fill(piece.area.bottom + 1);
            }
            grid.place(Placed {
                row: (piece.area.top - top) as usize,
                column,
                row_span: (piece.area.bottom - piece.area.top) as usize + 1,
                column_span: width,
                header: at < header_rows,
                text: piece.cell.text,
            });
        }
    }
    let cut = grid.is_cut();
    if let Some(mut table) = grid.finish() {
        table.anchor = Some(anchor);
        if let Some(caption) = caption {
            table.set_caption(caption);
        }
        out.push(table);
    }
    cut
}

fn line(piece: Piece, name: &str) -> Block {
    let text = piece.cell.text;
    let role = label_of(&text).map_or(Role::Body, Role::Labelled);
    Block {
        kind: BlockKind::Paragraph(Paragraph { text, role }),
        links: Vec::new(),
        anchor: Some(format!(
            "{name}!{}",
            place_name(piece.cell.row, piece.cell.column)
        )),
    }
}

fn rows(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    let mut rows: Vec<Vec<Piece>> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some(row) if row[0].cell.row == piece.cell.row => row.push(piece),
            _ => rows.push(vec![piece]),
        }
    }
    rows
}

/// Takes the lines above a table, each a row with one text, as its caption.
fn take_caption(pieces: &mut Vec<Piece>) -> Option<String> {
    let mut lines = Vec::new();
    while lines.len() < 2 {
        let first = pieces.first()?.cell.row;
        let alone = pieces.get(1).is_some_and(|second| second.cell.row != first);
        let left = pieces.iter().map(|piece| piece.area.left).min()?;
        let fits = alone
            && !pieces[0].cell.number
            && pieces[0].area.left == left
            && pieces
                .iter()
                .skip(2)
                .any(|piece| piece.cell.row != pieces[1].cell.row || pieces[1].cell.row != first);
        // Something must remain that is a table.
        let rest = pieces.get(1..).unwrap_or_default();
        let wide = rest
            .windows(2)
            .any(|pair| pair[0].cell.row == pair[1].cell.row);
        if !fits
            || !wide
            || rest.first().map(|next| next.cell.row) == rest.last().map(|last| last.cell.row)
        {
            break;
        }
        lines.push(pieces.remove(0).cell.text);
    }
    (!lines.is_empty()).then(|| lines.join(" "))
}

/// How many rows at the top are headers: those that the file declares, else a row of words above
/// numbers, or one that stands out; with a row above it whose cells head several columns.
fn header_rows(rows: &[Vec<Piece>], styles: &Styles, declared: &[Area]) -> usize {
    let is_declared = |row: &Vec<Piece>| {
        row.iter().all(|piece| {
            let inside = |area: &Area| {
                (area.top..=area.bottom).contains(&piece.cell.row)
                    && (area.left..=area.right).contains(&piece.cell.column)
            };
            declared.iter().any(inside)
        })
    };
    let count = rows
        .iter()
        .take(MAX_HEADERS)
        .take_while(|row| is_declared(row))
        .count();
    if count > 0 && count < rows.len() {
        return count;
    }
    let wide = |row: &Vec<Piece>| row.iter().any(|piece| piece.area.right > piece.area.left);
    let above = rows
        .iter()
        .take(MAX_HEADERS - 1)
        .take_while(|row| wide(row) && is_worded(row))
        .count();
    let Some((head, below)) = rows.get(above..).and_then(<[_]>::split_first) else {
        return 0;
    };
    let stands_out = |row: &[Piece]| row.iter().all(|piece| styles.stands_out(piece.cell.look));
    let most = below.iter().map(Vec::len).max().unwrap_or(0);
    let full = head.len() * 3 >= most * 2;
    let numbers = below.iter().flatten().any(|piece| piece.cell.number);
    let differs = stands_out(head) && below.first().is_some_and(|next| !stands_out(next));
    if is_worded(head) && full && !below.is_empty() && (numbers || differs) {
        above + 1
    } else {
        0
    }
}

/// Whether a row has short words only.
fn is_worded(row: &[Piece]) -> bool {
    row.iter()
        .all(|piece| !piece.cell.number && piece.cell.text.chars().count() <= MAX_HEADER)
}
