//! Reading order of PDFs: columns, frames, running heads, footnotes, scripts of other directions.

// Files are put together piece by piece; how fast does not matter here.
#![allow(clippy::format_collect)]

#[path = "../common/mod.rs"]
mod common;
mod draw;
#[allow(dead_code, reason = "other tests draw with more of it")]
#[path = "../common/pdf.rs"]
mod pdf;

mod columns;
mod running;
mod scripts;
mod tables;

use catena_parse::Parsed;
use draw::Sheet;

fn read(sheets: &[Sheet]) -> Parsed {
    common::read("sheet.pdf", &draw::file(sheets)).unwrap()
}

/// The tree of a file of these pages as indented text, without the title that the file's name is.
fn shown(sheets: &[Sheet]) -> String {
    let shown = common::shown(&read(sheets));
    shown
        .split_once('\n')
        .map(|(_, tree)| tree.to_owned())
        .unwrap()
}
