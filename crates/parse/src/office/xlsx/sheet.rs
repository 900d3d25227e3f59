//! The cells of a sheet.

use super::styles::Styles;
use crate::text::folded;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

/// Rows and columns that a sheet may have.
const MAX_ROW: u32 = 1_048_576;
const MAX_COLUMN: u32 = 16_384;
/// Merged areas that are read.
const MAX_MERGES: usize = 100_000;
/// Bytes of the longest text of a cell.
const MAX_TEXT: usize = 1 << 20;

/// A sheet read.
#[derive(Default)]
pub(super) struct Sheet {
    /// The cells with words, by row, then by column.
    pub(super) cells: Vec<SheetCell>,
    pub(super) merges: Vec<Area>,
    /// Rows that are known to be headers.
    pub(super) headers: Vec<Area>,
    /// Whether the end is missing.
    pub(super) cut: bool,
}

/// A cell with words.
#[derive(Clone, Debug)]
pub(super) struct SheetCell {
    /// From 0.
    pub(super) row: u32,
    /// From 0.
    pub(super) column: u32,
    pub(super) text: String,
    /// Whether it holds a number or date.
    pub(super) number: bool,
    pub(super) look: usize,
}

/// A block of cells, its sides counted from 0 and part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) top: u32,
    pub(super) left: u32,
    pub(super) bottom: u32,
    pub(super) right: u32,
}

impl Area {
    /// Reads `A1:C3` or `A1`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once(':').unwrap_or((text, text));
        let ((top, left), (bottom, right)) = (place(first)?, place(last)?);
        Some(Self {
            top: top.min(bottom),
            left: left.min(right),
            bottom: top.max(bottom),
            right: left.max(right),
        })
    }
}

/// Row and column of `C3`.
fn place(text: &str) -> Option<(u32, u32)> {
    let text = text.trim();
    let mut column: u32 = 0;
    let mut row: u32 = 0;
    for c in text.chars().filter(|&c| c != '$') {
        match c.to_ascii_uppercase() {
            letter @ 'A'..='Z' if row == 0 => {
                column = column
                    .checked_mul(26)?
                    .checked_add(letter as u32 - 'A' as u32 + 1)?;
            }
            digit @ '0'..='9' => {
                row = row
                    .checked_mul(10)?
                    .checked_add(digit as u32 - '0' as u32)?;
            }
            _ => return None,
        }
    }
    let valid = (1..=MAX_ROW).contains(&row) && (1..=MAX_COLUMN).contains(&column);
    valid.then(|| (row - 1, column - 1))
}

/// The name of a place: `C3`.
pub(super) fn place_name(row: u32, column: u32) -> String {
    let letters = crate::numbering::alphabetic(i64::from(column) + 1).unwrap_or_default();
    format!("{}{}", letters.to_uppercase(), row + 1)
}

/// A cell that is being read.
#[derive(Default)]
struct Open {
    row: u32,
    column: u32,
    kind: String,
    look: usize,
    value: String,
    inline: String,
}

/// The sheet's reader.
struct Sheets<'a> {
    sheet: Sheet,
    strings: &'a [String],
    styles: &'a Styles,
    /// The place of the next cell that does not say its own.
    row: u32,
    column: u32,
    open: Option<Open>,
    /// The element whose text is read: `v` or `t`.
    text_of: Option<char>,
    /// Elements of readings that are open.
    in_reading: bool,
}

/// Reads a sheet's part; `left` counts down the cells that may be read.
pub(super) fn read(text: &str, strings: &[String], styles: &Styles, left: &mut usize) -> Sheet {
    let mut sheets = Sheets {
        sheet: Sheet::default(),
        strings,
        styles,
        row: 0,
        column: 0,
        open: None,
        text_of: None,
        in_reading: false,
    };
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => sheets.start(&tag),
            Ok(Event::Empty(tag)) => {
                sheets.start(&tag);
                sheets.end(tag.local_name().as_ref(), left);
            }
            Ok(Event::End(tag)) => sheets.end(tag.local_name().as_ref(), left),
            Ok(Event::Text(text)) => sheets.text(&text.into_inner()),
            Ok(Event::CData(text)) => sheets.text(&text.into_inner()),
            Ok(Event::GeneralRef(name)) => {
                let name = name.into_inner();
                sheets.text(&unescape(&format!("&{name};")).unwrap_or_default());
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(_) => {
                sheets.sheet.cut = true;
                break;
            }
        }
    }
    let mut sheet = sheets.sheet;
    sheet.cells.sort_by_key(|cell| (cell.row, cell.column));
    sheet.cells.dedup_by_key(|cell| (cell.row, cell.column));
    sheet
}

/// An attribute by its name.
fn attr(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let found = attributes
        .with_checks(false)
        .flatten()
        .find(|attr| attr.key.as_ref() == name)?;
    Some(unescape(&found.value).ok()?.into_owned())
}

impl Sheets<'_> {
    fn start(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "row" => {
                let row: Option<u32> = attr(tag, "r").and_then(|row| row.parse().ok());
                if let Some(row) = row.filter(|row| (1..=MAX_ROW).contains(row)) {
                    self.row = row - 1;
                }
                self.column = 0;
            }
            "c" => {
                let named = attr(tag, "r").as_deref().and_then(place);
                let (row, column) = named.unwrap_or((self.row, self.column));
                (self.row, self.column) = (row, column);
                self.open = Some(Open {
                    row,
                    column,
                    kind: attr(tag, "t").unwrap_or_default(),
                    look: attr(tag, "s")
                        .and_then(|look| look.parse().ok())
                        .unwrap_or(0),
                    ..Open::default()
                });
            }
            "v" => self.text_of = Some('v'),
            "t" => self.text_of = Some('t'),
            "rPh" => self.in_reading = true,
            "mergeCell" if self.sheet.merges.len() < MAX_MERGES => {
                let area = attr(tag, "ref").as_deref().and_then(Area::parse);
                self.sheet.merges.extend(area);
            }
            "autoFilter" => {
                let area = attr(tag, "ref").as_deref().and_then(Area::parse);
                let head = |area: Area| Area {
                    bottom: area.top,
                    ..area
                };
                self.sheet.headers.extend(area.map(head));
            }
            "pane" => {
                let rows: Option<u32> = attr(tag, "ySplit").and_then(|rows| rows.parse().ok());
                let frozen = attr(tag, "state").is_some_and(|state| state.starts_with("frozen"));
                if let Some(rows @ 1..=5) = rows.filter(|_| frozen) {
                    self.sheet.headers.push(Area {
                        top: 0,
                        left: 0,
                        bottom: rows - 1,
                        right: MAX_COLUMN,
                    });
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let Some(open) = &mut self.open else { return };
        let to = match self.text_of {
            Some('v') => &mut open.value,
            Some(_) if !self.in_reading => &mut open.inline,
            _ => return,
        };
        if to.len() + text.len() <= MAX_TEXT {
            to.push_str(text);
        }
    }

    fn end(&mut self, name: &str, left: &mut usize) {
        match name {
            "v" | "t" => self.text_of = None,
            "rPh" => self.in_reading = false,
            "row" => self.row = (self.row + 1).min(MAX_ROW - 1),
            "c" => {
                self.column = (self.column + 1).min(MAX_COLUMN - 1);
                let Some(open) = self.open.take() else { return };
                let (text, number) = self.displayed(&open);
                if text.is_empty() {
                    return;
                }
                if *left == 0 {
                    self.sheet.cut = true;
                    return;
                }
                *left -= 1;
                self.sheet.cells.push(SheetCell {
                    row: open.row,
                    column: open.column,
                    text,
                    number,
                    look: open.look,
                });
            }
            _ => {}
        }
    }

    /// What a cell shows, and whether that is a number.
    fn displayed(&self, open: &Open) -> (String, bool) {
        let value = open.value.trim();
        match open.kind.as_str() {
            "s" => {
                let shared = value
                    .parse()
                    .ok()
                    .and_then(|at: usize| self.strings.get(at));
                (shared.cloned().unwrap_or_default(), false)
            }
            "str" | "e" => (folded(&open.value), false),
            "inlineStr" => (folded(&open.inline), false),
            "b" => (if value == "1" { "TRUE" } else { "FALSE" }.to_owned(), true),
            "d" => (value.to_owned(), true),
            _ => match value.parse::<f64>() {
                Ok(number) if number.is_finite() => (self.styles.display(number, open.look), true),
                _ => (folded(value), false),
            },
        }
    }
}
