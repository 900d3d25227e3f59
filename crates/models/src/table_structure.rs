//! The cells of a table's picture.

use crate::error::Cause;
use crate::network::Network;
use crate::parallel::cores;
use crate::pixels::{Frame, IMAGENET, PixelBox, Point, batch, draw};
use crate::{ModelError, ModelFiles};
use image::RgbImage;
use rten::ThreadPool;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

/// The side of the square in which a table is looked at, in pixels.
const SIDE: usize = 488;
/// The most rows or columns that a cell goes over. The network knows no more.
const MAX_SPAN: usize = 20;

/// Finds the cells of a table's picture.
pub trait TableStructure: Send + Sync {
    /// The rows, columns and cells of the table that a picture shows. The picture should show the
    /// table and little else.
    ///
    /// # Errors
    /// [`ModelError::Run`].
    fn cells(&self, image: &RgbImage) -> Result<TableCells, ModelError>;
}

/// The cells of a table. Each place of the grid is covered by at most one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableCells {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The cells, row by row from left to right.
    pub cells: Vec<TableCell>,
    /// How sure the model is of the structure: the mean probability of its steps, 0 to 1.
    pub confidence: f32,
}

/// A cell of a table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableCell {
    /// The first row that it takes, from 0.
    pub row: usize,
    /// The first column that it takes, from 0.
    pub column: usize,
    /// The rows that it takes, at least 1.
    pub row_span: usize,
    /// The columns that it takes, at least 1.
    pub column_span: usize,
    /// Whether it is part of the table's head.
    pub header: bool,
    /// Where its content is, near rather than exact.
    pub bbox: PixelBox,
}

/// SLANet-plus in this process.
pub struct SlaNet {
    name: &'static str,
    network: Network,
    tags: Vec<Tag>,
    pool: Arc<ThreadPool>,
}

/// What a class of the network's output stands for, a piece of HTML.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tag {
    /// The beginning of the table, and what adds nothing.
    Nothing,
    /// The end of the table.
    End,
    /// `<thead>` or `</thead>`: whether what follows is in the head.
    Head(bool),
    /// `<tr>`
    Row,
    /// `<td></td>`, or `<td` whose spans follow.
    Cell,
    /// `colspan`
    ColumnSpan(usize),
    /// `rowspan`
    RowSpan(usize),
}

impl SlaNet {
    /// Loads `structure.onnx`.
    ///
    /// # Errors
    /// [`ModelError::Load`], or [`ModelError::Missing`] for the files of another model.
    pub fn load(files: &ModelFiles) -> Result<Self, ModelError> {
        let name = files.entry.name;
        let _span = tracing::debug_span!("load", model = name).entered();
        let network = Network::load(files, "structure.onnx", "x")?;
        let classes = network.classes().map_err(|source| ModelError::Load {
            model: name,
            source,
        })?;
        let named = classes.iter().map(|class| tag(class));
        let tags = std::iter::once(Tag::Nothing).chain(named);
        Ok(Self {
            name,
            network,
            tags: tags.chain([Tag::End]).collect(),
            pool: Arc::new(ThreadPool::with_num_threads(cores())),
        })
    }

    fn structure(&self, image: &RgbImage) -> Result<TableCells, Cause> {
        let scale = image.width().max(image.height()) as f32 / SIDE as f32;
        let scaled = |length: u32| ((length as f32 / scale) as usize).clamp(1, SIDE);
        let size = (scaled(image.width()), scaled(image.height()));
        let mut picture = batch(1, SIDE, SIDE);
        let whole = Frame::whole(image);
        draw(image, &whole, size, IMAGENET, (&mut picture, 0));
        let [boxes, classes] = self.network.run(picture, Some(Arc::clone(&self.pool)))?;
        let (boxes_shape, boxes) = boxes.into_shape_vec::<f32, 3>()?;
        let (classes_shape, classes) = classes.into_shape_vec::<f32, 3>()?;
        let [_, steps, corners] = boxes_shape;
        if classes_shape != [1, steps, self.tags.len()] || corners != 8 {
            let shapes = format!("its outputs have the shapes {boxes_shape:?}, {classes_shape:?}");
            return Err(shapes.into());
        }
        let mut cells = Builder::default();
        let (mut sum, mut count) = (0.0, 0.0_f32);
        let steps = classes
            .chunks_exact(self.tags.len())
            .zip(boxes.chunks_exact(8));
        for (values, corners) in steps {
            let best = values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            let Some((class, probability)) = best else {
                break;
            };
            if self.tags[class] == Tag::End {
                break;
            }
            let full = scale * SIDE as f32;
            let corner = |at: usize| -> Point { [corners[at] * full, corners[at + 1] * full] };
            let bbox = PixelBox::around(&[corner(0), corner(2), corner(4), corner(6)]);
            let bbox = bbox.unwrap_or_default().clip(image.dimensions());
            cells.add(self.tags[class], bbox);
            sum += probability;
            count += 1.0;
        }
        Ok(cells.finish((sum / count.max(1.0)).clamp(0.0, 1.0)))
    }
}

impl TableStructure for SlaNet {
    fn cells(&self, image: &RgbImage) -> Result<TableCells, ModelError> {
        let (width, height) = image.dimensions();
        let _span = tracing::debug_span!("table structure", width, height).entered();
        if width == 0 || height == 0 {
            return Ok(TableCells::default());
        }
        self.structure(image).map_err(|source| ModelError::Run {
            model: self.name,
            source,
        })
    }
}

fn tag(class: &str) -> Tag {
    let span = |name: &str| {
        let number = class.trim().strip_prefix(name)?.strip_prefix("=\"")?;
        number.strip_suffix('"')?.parse::<usize>().ok()
    };
    match class {
        "<thead>" => Tag::Head(true),
        "</thead>" => Tag::Head(false),
        "<tr>" => Tag::Row,
        "<td></td>" | "<td" => Tag::Cell,
        _ => match (span("colspan"), span("rowspan")) {
            (Some(columns), _) => Tag::ColumnSpan(columns.clamp(1, MAX_SPAN)),
            (_, Some(rows)) => Tag::RowSpan(rows.clamp(1, MAX_SPAN)),
            _ => Tag::Nothing,
        },
    }
}

/// A table while its tags come.
#[derive(Default)]
struct Builder {
    /// The rows that have begun.
    rows: usize,
    head: bool,
    cells: Vec<TableCell>,
}

impl Builder {
    fn add(&mut self, tag: Tag, bbox: PixelBox) {
        match tag {
            Tag::Nothing | Tag::End => {}
            Tag::Head(head) => self.head = head,
            Tag::Row => self.rows += 1,
            Tag::Cell => {
                self.rows = self.rows.max(1);
                self.cells.push(TableCell {
                    row: self.rows - 1,
                    column: 0,
                    row_span: 1,
                    column_span: 1,
                    header: self.head,
                    bbox,
                });
            }
            Tag::ColumnSpan(columns) => {
                if let Some(cell) = self.cells.last_mut() {
                    cell.column_span = columns;
                }
            }
            Tag::RowSpan(rows) => {
                if let Some(cell) = self.cells.last_mut() {
                    cell.row_span = rows;
                }
            }
        }
    }

    /// Gives each cell its column, as a browser does: the first that is free in its row.
    fn finish(mut self, confidence: f32) -> TableCells {
        let mut taken = HashSet::new();
        let (mut row, mut column, mut columns) = (0, 0, 0);
        for cell in &mut self.cells {
            if cell.row != row {
                (row, column) = (cell.row, 0);
            }
            while taken.contains(&(row, column)) {
                column += 1;
            }
            cell.column = column;
            cell.row_span = cell.row_span.min(self.rows - row);
            let free = |next: &usize| !taken.contains(&(row, column + next));
            let free = (1..cell.column_span).take_while(free).count();
            cell.column_span = 1 + free;
            for row in row..row + cell.row_span {
                taken.extend((0..cell.column_span).map(|next| (row, column + next)));
            }
            column += cell.column_span;
            columns = columns.max(column);
        }
        TableCells {
            rows: self.rows,
            columns,
            cells: self.cells,
            confidence,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn built(tags: &[&str]) -> TableCells {
        let mut builder = Builder::default();
        for class in tags {
            builder.add(tag(class), PixelBox::default());
        }
        builder.finish(1.0)
    }

    /// Each cell as row, column, its spans where they are not 1, and `h` in the head.
    fn check(tags: &[&str], expected: &str) {
        let table = built(tags);
        let cell = |cell: &TableCell| {
            let spans = match (cell.row_span, cell.column_span) {
                (1, 1) => String::new(),
                (rows, columns) => format!("+{rows}x{columns}"),
            };
            let head = if cell.header { "h" } else { "" };
            format!("{},{}{spans}{head}", cell.row, cell.column)
        };
        let cells: Vec<String> = table.cells.iter().map(cell).collect();
        let found = format!("{}x{}: {}", table.rows, table.columns, cells.join(" "));
        assert_eq!(found, expected);
    }

    #[test]
    fn tags_become_cells() {
        check(&[], "0x0: ");
        check(
            &[
                "<thead>",
                "<tr>",
                "<td></td>",
                "<td></td>",
                "</tr>",
                "</thead>",
                "<tbody>",
                "<tr>",
                "<td></td>",
                "<td></td>",
                "</tr>",
                "</tbody>",
            ],
            "2x2: 0,0h 0,1h 1,0 1,1",
        );
        check(
            &[
                "<tr>",
                "<td",
                " rowspan=\"2\"",
                ">",
                "</td>",
                "<td",
                " colspan=\"2\"",
                ">",
                "</td>",
                "</tr>",
                "<tr>",
                "<td></td>",
                "<td></td>",
                "</tr>",
            ],
            "2x3: 0,0+2x1 0,1+1x2 1,1 1,2",
        );
        // A span beyond the last row, a cell without a row, and a span without a cell.
        check(&["<tr>", "<td", " rowspan=\"9\""], "1x1: 0,0");
        check(&["<td></td>"], "1x1: 0,0");
        check(&[" colspan=\"3\"", "<tr>"], "1x0: ");
    }

    proptest! {
        #[test]
        fn no_place_is_taken_twice(tags in prop::collection::vec(0usize..6, 0..60)) {
            let names = ["<tr>", "<td></td>", "<td", " colspan=\"3\"", " rowspan=\"2\"", "<thead>"];
            let tags: Vec<&str> = tags.into_iter().map(|at| names[at]).collect();
            let table = built(&tags);
            let mut taken = HashSet::new();
            for cell in &table.cells {
                prop_assert!(cell.row + cell.row_span <= table.rows);
                prop_assert!(cell.column + cell.column_span <= table.columns);
                for row in cell.row..cell.row + cell.row_span {
                    for column in cell.column..cell.column + cell.column_span {
                        prop_assert!(taken.insert((row, column)));
                    }
                }
            }
        }
    }
}
