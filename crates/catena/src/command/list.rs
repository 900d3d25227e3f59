//! `catena list`

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::json::{JsonList, evidence_units};
use crate::output::{DIM, paint, print, print_json};
use crate::store::{open, shown};
use crate::terminal::cut;
use catena_index::DocumentSummary;
use console::measure_text_width;

/// Columns of a title at most.
const TITLE: usize = 48;

/// List the documents
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write the list as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let documents = open(&context.settings)?.snapshot()?.documents()?;
    if args.json {
        print_json(&JsonList::new(&documents))?;
    } else if documents.is_empty() {
        context.ui.note("The store has no documents");
    } else {
        print(&table(&documents))?;
    }
    Ok(Exit::Done)
}

/// A line a document, in columns.
fn table(documents: &[DocumentSummary]) -> String {
    let title = ["id", "title", "pages", "units", "warnings", "source"].map(str::to_owned);
    let row = |document: &DocumentSummary| {
        let sources = document.sources.iter().map(|source| shown(source));
        let sources: Vec<String> = sources.collect();
        let number = |number: u32| match number {
            0 => "-".to_owned(),
            number => number.to_string(),
        };
        [
            document.id.short(),
            cut(&document.title, TITLE),
            number(document.pages),
            evidence_units(document).to_string(),
            number(document.warnings.len() as u32),
            cut(&sources.join(", "), usize::MAX),
        ]
    };
    let rows: Vec<[String; 6]> = documents.iter().map(row).collect();
    let widths: Vec<usize> = (0..title.len())
        .map(|column| {
            let cells = rows.iter().map(|row| measure_text_width(&row[column]));
            cells.max().unwrap_or(0).max(title[column].len())
        })
        .collect();
    let line = |cells: &[String; 6]| {
        let cells = cells.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, &width))| {
            let space = " ".repeat(width - measure_text_width(cell));
            match column {
                // Numbers stand to the right.
                2..=4 => format!("{space}{cell}"),
                _ => format!("{cell}{space}"),
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut out = format!("{}\n", paint(DIM, line(&title)));
    for row in &rows {
        out.push_str(&line(row));
        out.push('\n');
    }
    out
}
