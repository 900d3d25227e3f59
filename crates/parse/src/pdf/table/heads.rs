//! The heads of a table's columns: a line above several of them, and labels that run aside or
//! slant.

use super::{Line, lines};
use crate::pdf::page::PageText;
use crate::pdf::words::Segment;
use catena_document::{BBox, caption_label};

/// The line directly above a table that heads several of its columns ("Year ended" over the years).
pub(super) fn header_above(
    page: &PageText,
    free: &[bool],
    rows: &[Line],
    columns: &[(f32, f32)],
) -> Option<Line> {
    let first = rows.first()?;
    let whole = BBox::union_all(rows.iter().map(|row| row.bbox))?;
    let size = page.segments[*first.segments.first()?].size;
    let reach = BBox::new(
        0.0,
        first.bbox.top - size * 2.2,
        page.width,
        first.bbox.top - 1.0,
    );
    let above: Vec<usize> = (0..page.segments.len())
        .filter(|&at| {
            let own = &page.segments[at].bbox;
            page.segments[at].direction == Some(0)
                && reach.contains_point(own.center_x(), own.center_y())
        })
        .collect();
    let line = lines(&page.segments, above).pop()?;
    let heads = line.segments.iter().all(|&at| {
        let segment = &page.segments[at];
        let own = &segment.bbox;
        let covered = columns.iter().filter(|column| {
            let middle = f32::midpoint(column.0, column.1);
            own.inflate(size * 3.0)
                .contains_point(middle, own.center_y())
        });
        free[at]
            && own.left > columns[0].1 - 1.0
            && own.right < whole.right + size
            && segment.chars() <= 40
            && (segment.size - size).abs() < size * 0.15
            && caption_label(&segment.text()).is_none()
            && (covered.count() >= 2 || line.segments.len() > 1)
    });
    heads.then_some(line)
}

/// Adds the labels within a table's box that run aside or slant to the lines that they begin at,
/// and returns them.
pub(super) fn add_turned_labels(
    page: &PageText,
    free: &[bool],
    bbox: &BBox,
    rows: &mut Vec<Line>,
) -> Vec<usize> {
    let labels: Vec<usize> = (0..page.segments.len())
        .filter(|&at| {
            let segment = &page.segments[at];
            let own = place(segment);
            free[at]
                && segment.direction != Some(0)
                && segment.chars() <= 60
                && bbox
                    .inflate(2.0)
                    .contains_point(own.center_x(), own.center_y())
        })
        .collect();
    for &at in &labels {
        let segment = &page.segments[at];
        let bottom = segment.bbox.bottom;
        let near = |row: &Line| (row.bbox.bottom - bottom).abs();
        let row = (0..rows.len()).min_by(|&a, &b| near(&rows[a]).total_cmp(&near(&rows[b])));
        if let Some(row) = row.filter(|&row| near(&rows[row]) < segment.size * 1.2) {
            rows[row].segments.push(at);
        } else {
            let place = rows.partition_point(|row| row.bbox.bottom < bottom);
            let line = Line {
                bbox: segment.bbox,
                segments: vec![at],
            };
            rows.insert(place, line);
        }
    }
    labels
}

/// Where a segment begins, as far as columns go: slanting labels reach over those beside.
pub(super) fn place(segment: &Segment) -> BBox {
    let BBox { left, bottom, .. } = segment.bbox;
    match segment.direction {
        None => BBox::new(left, bottom - segment.size, left + segment.size, bottom),
        Some(_) => segment.bbox,
    }
}
