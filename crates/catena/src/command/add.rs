//! `catena add`

use crate::Context;
use crate::adding::add_paths;
use crate::failure::{Exit, Failure};
use crate::model::{self, ocr_mode};
use crate::output::{DIM, count, paint};
use catena_engine::AddOptions;
use catena_parse::OcrMode;
use std::path::PathBuf;
use std::time::Instant;

/// Read files and folders into the store; what has not changed is skipped
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files, and folders with PDF, HTML, Markdown and text files
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The password of encrypted files
    #[arg(long, value_name = "PASSWORD")]
    password: Option<String>,
    /// Keep only where the files are, not a copy of them
    #[arg(long)]
    link: bool,
    /// Read text from pictures: `auto` where a page or figure has none of its own, `never`, or
    /// `always`
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ocr_mode)]
    ocr: OcrMode,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let begun = Instant::now();
    let options = AddOptions {
        password: args.password.clone(),
        link: args.link,
        ocr: args.ocr,
        vision: model::vision(args.ocr, context)?,
        ..AddOptions::default()
    };
    let report = add_paths(&args.paths, options, context)?;
    let ui = &context.ui;
    if report.added + report.replaced > 0 {
        ui.note(paint(DIM, capital(&report.rates.words())));
    }
    if report.documents.is_empty() && report.failed > 0 {
        return Ok(Exit::Partly);
    }
    ui.note(report.summary(begun.elapsed()));
    if report.unread_pictures && args.ocr != OcrMode::Never {
        ui.note(paint(
            DIM,
            "Words in pictures were not read: `catena models pull` fetches the models that do",
        ));
    }
    if report.left > 0 {
        let left = count(report.left, "file", "files");
        ui.note(format!(
            "Stopped: {left} not added; what was complete is kept"
        ));
        return Ok(Exit::Interrupted);
    }
    if report.failed > 0 {
        let failed = count(report.failed, "input", "inputs");
        ui.note(format!("{failed} failed"));
        return Ok(Exit::Partly);
    }
    Ok(Exit::Done)
}

fn capital(words: &str) -> String {
    let mut words = words.to_owned();
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}
