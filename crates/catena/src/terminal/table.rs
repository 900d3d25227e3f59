//! Tables with rules.

use super::wrap::{visible, wrap};
use crate::output::{BOLD, paint};
use anstyle::Style;
use console::measure_text_width;

/// The narrowest column.
const NARROW: usize = 3;

/// A table whose first row is its header, at most `width` columns wide where that can be: cells
/// are broken into lines.
pub(crate) fn table(rows: &[Vec<String>], width: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return String::new();
    }
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| visible(cell)).collect())
        .collect();
    // Each column has a rule and two spaces.
    let widths = widths(&rows, columns, width.saturating_sub(3 * columns + 1));
    let cells: Vec<Vec<Vec<String>>> = rows
        .iter()
        .map(|row| {
            let cell = |column: usize| row.get(column).map_or("", String::as_str);
            (0..columns)
                .map(|column| lines(cell(column), widths[column]))
                .collect()
        })
        .collect();
    // Rows of several lines are told apart by rules.
    let ruled = cells.iter().skip(1).flatten().any(|cell| cell.len() > 1);
    let mut out = rule(&widths, ["┌", "┬", "┐"]);
    for (at, row) in cells.iter().enumerate() {
        if at == 1 || (at > 1 && ruled) {
            out.push_str(&rule(&widths, ["├", "┼", "┤"]));
        }
        let style = if at == 0 { BOLD } else { Style::new() };
        out.push_str(&draw(row, &widths, style));
    }
    out.push_str(&rule(&widths, ["└", "┴", "┘"]));
    out
}

/// The columns' widths: as wide as their cells, the widest made narrower until all fit.
fn widths(rows: &[Vec<String>], columns: usize, room: usize) -> Vec<usize> {
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let lines = cells.flat_map(|cell| cell.lines());
        lines.map(measure_text_width).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns)
        .map(|column| widest(column).clamp(1, room.max(1)))
        .collect();
    while widths.iter().sum::<usize>() > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > NARROW => *widest -= 1,
            _ => break,
        }
    }
    widths
}

fn lines(cell: &str, width: usize) -> Vec<String> {
    // `wrap` has a least width; a narrower cell is cut here.
    let text = wrap(&[(Style::new(), cell)], width, "", "");
    let mut out = Vec::new();
    for line in text.lines() {
        let mut part = String::new();
        let mut used = 0;
        for c in line.chars() {
            let wide = measure_text_width(c.encode_utf8(&mut [0; 4]));
            if used + wide > width && !part.is_empty() {
                out.push(std::mem::take(&mut part));
                used = 0;
            }
            part.push(c);
            used += wide;
        }
        out.push(part);
    }
    if out.is_empty() {
        out.push(String::new());
    }
    out
}

fn rule(widths: &[usize], [left, middle, right]: [&str; 3]) -> String {
    let parts: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
    format!("{left}{}{right}\n", parts.join(middle))
}

fn draw(row: &[Vec<String>], widths: &[usize], style: Style) -> String {
    let height = row.iter().map(Vec::len).max().unwrap_or(1);
    let mut out = String::new();
    for line in 0..height {
        for (cell, &width) in row.iter().zip(widths) {
            let text = cell.get(line).map_or("", String::as_str);
            let space = " ".repeat(width.saturating_sub(measure_text_width(text)));
            let text = if style == Style::new() {
                text.to_owned()
            } else {
                paint(style, text)
            };
            out.push_str(&format!("│ {text}{space} "));
        }
        out.push_str("│\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(rows: &[&[&str]], width: usize) -> String {
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|&cell| cell.to_owned()).collect())
            .collect();
        anstream::adapter::strip_str(&table(&rows, width)).to_string()
    }

    #[test]
    fn narrow_tables_are_as_wide_as_their_cells() {
        insta::assert_snapshot!(show(&[&["Code", "°dH"], &["E1", "10"], &["关闭"]], 80), @"
        ┌──────┬─────┐
        │ Code │ °dH │
        ├──────┼─────┤
        │ E1   │ 10  │
        │ 关闭 │     │
        └──────┴─────┘
        ");
    }

    #[test]
    fn wide_cells_are_broken() {
        insta::assert_snapshot!(show(&[
            &["Code", "Cause", "Remedy"],
            &["E4", "Pump hums but builds up no pressure", "Replace the pump, see Section 7.2"],
            &["E5", "Bypass piston sticks", ""],
        ], 44), @"
        ┌──────┬─────────────────┬─────────────────┐
        │ Code │ Cause           │ Remedy          │
        ├──────┼─────────────────┼─────────────────┤
        │ E4   │ Pump hums but   │ Replace the     │
        │      │ builds up no    │ pump, see       │
        │      │ pressure        │ Section 7.2     │
        ├──────┼─────────────────┼─────────────────┤
        │ E5   │ Bypass piston   │                 │
        │      │ sticks          │                 │
        └──────┴─────────────────┴─────────────────┘
        ");
    }

    #[test]
    fn nothing_is_too_narrow() {
        insta::assert_snapshot!(show(&[&["abcdef", "ghijkl"], &["1", "2"]], 5), @"
        ┌───┬───┐
        │ a │ g │
        │ b │ h │
        │ c │ i │
        │ d │ j │
        │ e │ k │
        │ f │ l │
        ├───┼───┤
        │ 1 │ 2 │
        └───┴───┘
        ");
        assert_eq!(table(&[], 80), "");
    }
}
