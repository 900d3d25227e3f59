//! Progress bars on stderr.

use crate::output::Ui;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// How often the bars are drawn, a second.
const RATE: u8 = 12;

/// A bar a file, and one for all of them.
pub(crate) struct FileBars {
    all: MultiProgress,
    /// Where there is more than one file.
    total: Option<ProgressBar>,
}

impl FileBars {
    /// Bars for so many files.
    pub(crate) fn new(ui: &Ui, files: usize) -> Self {
        let all = MultiProgress::with_draw_target(target(ui));
        let total = (files > 1).then(|| {
            let total = all.add(ProgressBar::new(files as u64));
            total.set_style(style("{bar:24} {pos}/{len} files  {elapsed}"));
            total
        });
        Self { all, total }
    }

    /// The bar of a file that begins.
    pub(crate) fn begin(&self, name: &str) -> ProgressBar {
        let bar = ProgressBar::new(0).with_message(name.to_owned());
        let bar = match &self.total {
            Some(total) => self.all.insert_before(total, bar),
            None => self.all.add(bar),
        };
        bar.set_style(style("{spinner} {wide_msg} reading"));
        bar.enable_steady_tick(Duration::from_millis(120));
        bar
    }

    /// A file is done.
    pub(crate) fn end(&self, bar: &ProgressBar) {
        bar.finish_and_clear();
        if let Some(total) = &self.total {
            total.inc(1);
        }
    }

    /// Writes something above the bars.
    pub(crate) fn suspend(&self, write: impl FnOnce()) {
        self.all.suspend(write);
    }
}

impl Drop for FileBars {
    fn drop(&mut self) {
        if let Some(total) = &self.total {
            total.finish_and_clear();
        }
    }
}

/// Shows which picture is read.
pub(crate) fn set_picture(bar: &ProgressBar, at: usize, of: usize) {
    bar.set_style(style("{spinner} {wide_msg} reading pictures {pos}/{len}"));
    bar.set_length(of as u64);
    bar.set_position(at as u64);
}

/// Shows how much of a file is embedded.
pub(crate) fn set_embedded(bar: &ProgressBar, done: usize, of: usize) {
    if done == 0 {
        bar.set_style(style("{spinner} {wide_msg} {bar:24} embedding {pos}/{len}"));
        bar.set_length(of as u64);
    }
    bar.set_position(done as u64);
}

/// A bar of bytes to fetch.
pub(crate) fn bytes_bar(ui: &Ui, total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), target(ui));
    bar.set_style(style(
        "{bar:24} {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {wide_msg}",
    ));
    bar
}

/// A bar of documents.
pub(crate) fn documents_bar(ui: &Ui, total: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total as u64), target(ui));
    bar.set_style(style("{bar:24} {pos}/{len} documents {wide_msg}"));
    bar
}

fn target(ui: &Ui) -> ProgressDrawTarget {
    if ui.bars {
        ProgressDrawTarget::stderr_with_hz(RATE)
    } else {
        ProgressDrawTarget::hidden()
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━━╌")
}
