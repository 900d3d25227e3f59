//! What goes to the terminal: data on stdout, all else on stderr.

use crate::failure::Failure;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Headings and captions.
pub(crate) const BOLD: Style = Style::new().bold();
/// Emphasis.
pub(crate) const ITALIC: Style = Style::new().italic();
/// What is good to know but not what was asked for.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Names to type or click.
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
/// All is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Not an error, but to be looked at.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// Columns of text where the terminal does not tell.
const WIDTH: usize = 80;

/// Flags of all commands.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The store [default: `.catena` here or in a folder above, else in the user's data folder]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) store: Option<PathBuf>,
    /// The settings [default: `catena.toml` here or in a folder above, else in the user's config
    /// folder]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Never use the network
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// Print results and errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Log what is done; twice: with timings
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Colours
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value_t,
        hide_default_value = true
    )]
    pub(crate) color: clap::ColorChoice,
    /// Show no progress bars
    #[arg(long, global = true)]
    pub(crate) no_progress: bool,
}

/// What may be shown beside the results.
#[derive(Clone, Debug)]
pub(crate) struct Ui {
    quiet: bool,
    /// Whether the last thing told was a hint: what follows stands apart from it.
    after_hint: Arc<AtomicBool>,
    /// How much is logged: 0 errors, 1 steps, 2 timings.
    pub(crate) verbose: u8,
    /// Whether there are progress bars.
    pub(crate) bars: bool,
}

impl Ui {
    /// Sets up colours and logs.
    pub(crate) fn new(global: &Global) -> Self {
        match global.color {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        }
        .write_global();
        let ui = Self {
            quiet: global.quiet,
            after_hint: Arc::default(),
            verbose: global.verbose,
            // Logs and bars would write over each other.
            bars: !global.quiet
                && !global.no_progress
                && global.verbose == 0
                && std::io::stderr().is_terminal(),
        };
        ui.start_logs();
        ui
    }

    fn start_logs(&self) {
        // What a user must know is told by the commands, not logged.
        let level = match self.verbose {
            0 => LevelFilter::ERROR,
            1 => LevelFilter::INFO,
            _ => LevelFilter::DEBUG,
        };
        let spans = if self.verbose > 1 {
            FmtSpan::CLOSE
        } else {
            FmtSpan::NONE
        };
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            .with_ansi(has_colours(&std::io::stderr()))
            .with_span_events(spans)
            .with_timer(tracing_subscriber::fmt::time::uptime())
            .with_target(self.verbose > 1);
        // Libraries below are heard only where they complain.
        let targets = Targets::new()
            .with_default(LevelFilter::ERROR)
            .with_target("catena", level);
        tracing_subscriber::registry()
            .with(lines)
            .with(targets)
            .init();
    }

    /// A line on what was done.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            self.tell(&text.to_string());
        }
    }

    /// Something that went wrong without harm.
    pub(crate) fn warn(&self, text: impl Display) {
        if !self.quiet {
            self.tell(&format!("{WARNING}warning{WARNING:#}: {text}"));
        }
    }

    /// An error with its cause and its hint.
    pub(crate) fn report(&self, failure: &Failure) {
        match failure {
            Failure::Output(cause) if cause.kind() == std::io::ErrorKind::BrokenPipe => {}
            Failure::Stopped => self.note("Stopped"),
            _ => {
                let mut text = format!("{ERROR}error{ERROR:#}: {failure}");
                for line in failure.detail().iter().flat_map(|detail| detail.lines()) {
                    text.push_str("\n  ");
                    text.push_str(line);
                }
                let hint = failure.hint();
                if let Some(hint) = &hint {
                    text.push_str(&format!("\n\n{HINT}hint{HINT:#}: {hint}"));
                }
                self.tell(&text);
                self.after_hint.store(hint.is_some(), Ordering::Relaxed);
            }
        }
    }

    /// Writes a line to stderr. Where nobody hears it nothing can be done.
    fn tell(&self, text: &str) {
        let gap = if self.after_hint.swap(false, Ordering::Relaxed) {
            "\n"
        } else {
            ""
        };
        let _ = writeln!(anstream::stderr(), "{gap}{text}");
    }
}

/// Writes a result to stdout, without its styles where stdout shows none.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(Failure::Output)
}

/// Writes a value to stdout as JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Output(std::io::Error::other(error)))?;
    text.push('\n');
    let mut out = std::io::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(Failure::Output)
}

/// A text in a style.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The columns of stdout; those of `COLUMNS`, else 80, where it is no terminal.
pub(crate) fn width() -> usize {
    let terminal = std::io::stdout()
        .is_terminal()
        .then(|| console::Term::stdout().size_checked());
    let asked = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns = terminal.flatten().map(|(_, columns)| usize::from(columns));
    columns.or_else(asked).unwrap_or(WIDTH).clamp(30, 400)
}

/// Whether stdout is a terminal that understands escape codes.
pub(crate) fn is_rich_terminal() -> bool {
    let out = std::io::stdout();
    out.is_terminal() && has_colours(&out)
}

fn has_colours<S: anstream::stream::RawStream>(stream: &S) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// `1 page`, `2 pages`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    let word = if number == 1 { one } else { many };
    format!("{number} {word}")
}

/// A size as people read it: `21.7 MB`.
pub(crate) fn bytes(size: u64) -> String {
    let size = size as f64;
    match size {
        ..1e3 => format!("{size} bytes"),
        ..1e6 => format!("{:.0} kB", size / 1e3),
        ..1e9 => format!("{:.1} MB", size / 1e6),
        _ => format!("{:.1} GB", size / 1e9),
    }
}

/// Where something stands: `Manual, 7.2 Replace the pump, page 13`.
pub(crate) fn place(document: &str, path: &[String], pages: &[u32]) -> String {
    let mut out = document.to_owned();
    if let Some(heading) = path.last() {
        out.push_str(", ");
        out.push_str(heading);
    }
    let pages = page_words(pages);
    if !pages.is_empty() {
        out.push_str(", ");
        out.push_str(&pages);
    }
    out
}

/// Pages in words, as the reader counts them: `page 13`, `pages 13–14`, `pages 3, 7`.
pub(crate) fn page_words(pages: &[u32]) -> String {
    let mut pages = pages.to_vec();
    pages.sort_unstable();
    pages.dedup();
    match pages.as_slice() {
        [] => String::new(),
        [one] => format!("page {one}"),
        [first, .., last] if (last - first) as usize == pages.len() - 1 => {
            format!("pages {first}–{last}")
        }
        some => {
            let some: Vec<String> = some.iter().map(u32::to_string).collect();
            format!("pages {}", some.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes() {
        assert_eq!(count(1, "page", "pages"), "1 page");
        assert_eq!(count(0, "page", "pages"), "0 pages");
        let check = |size, expected: &str| assert_eq!(bytes(size), expected);
        check(0, "0 bytes");
        check(999, "999 bytes");
        check(21_692_180, "21.7 MB");
        check(9_500, "10 kB");
        check(2_300_000_000, "2.3 GB");
    }

    #[test]
    fn places_in_words() {
        let check = |pages: &[u32], expected: &str| assert_eq!(page_words(pages), expected);
        check(&[], "");
        check(&[13, 13], "page 13");
        check(&[14, 13], "pages 13–14");
        check(&[3, 7, 3], "pages 3, 7");
        let path = ["7 Repair".to_owned(), "7.2 Replace the pump".to_owned()];
        assert_eq!(
            place("Manual", &path, &[13]),
            "Manual, 7.2 Replace the pump, page 13"
        );
        assert_eq!(place("Notes", &[], &[]), "Notes");
    }
}
