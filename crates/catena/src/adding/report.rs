//! What became of files, and how fast.

use crate::Context;
use crate::output::{DIM, bytes, count, paint};
use catena_document::DocumentId;
use catena_engine::{FileToAdd, Outcome, Stage};
use std::fs;
use std::time::{Duration, Instant};

/// What became of the files.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The documents that the files are, in the order of the files.
    pub(crate) documents: Vec<DocumentId>,
    /// New documents.
    pub(crate) added: usize,
    /// Documents that took the place of their file's former content.
    pub(crate) replaced: usize,
    /// Files that have not changed.
    pub(crate) unchanged: usize,
    /// Files whose content was there under another name.
    pub(crate) duplicates: usize,
    /// Evidence units of the new documents.
    pub(crate) units: usize,
    /// Whether words in pictures of one of them were left out.
    pub(crate) unread_pictures: bool,
    /// Files that could not be added; each was named.
    pub(crate) failed: usize,
    /// Files that were left because the user stopped the work.
    pub(crate) left: usize,
    /// What took how long.
    pub(crate) rates: Rates,
}

/// How much was read and embedded, and how long it took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rates {
    /// Pages read.
    pages: Amount,
    /// Bytes read of files without pages.
    bytes: Amount,
    /// Units embedded.
    units: Amount,
}

/// A number of things, and how long they took.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    number: usize,
    time: Duration,
}

impl Amount {
    fn add(&mut self, other: Self) {
        self.number += other.number;
        self.time += other.time;
    }

    fn a_second(self) -> f64 {
        self.number as f64 / self.time.as_secs_f64().max(1e-3)
    }
}

/// How long a file took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    reading: Duration,
    embedding: Duration,
}

/// When a file was read and when it was embedded.
pub(super) struct Timing {
    begun: Instant,
    read: Option<Instant>,
}

impl Timing {
    /// A file begins.
    pub(super) fn begin() -> Self {
        Self {
            begun: Instant::now(),
            read: None,
        }
    }

    /// A stage of the file begins.
    pub(super) fn note(&mut self, stage: Stage) {
        if matches!(stage, Stage::Embedding(..)) {
            self.read.get_or_insert_with(Instant::now);
        }
    }

    /// The times of a file that is done; loading a model is no part of reading.
    pub(super) fn end(self, loading: Duration) -> Times {
        self.read.map_or_else(Times::default, |read| Times {
            reading: (read - self.begun).saturating_sub(loading),
            embedding: read.elapsed(),
        })
    }
}

impl Rates {
    /// The rates of one file.
    fn of(pages: usize, bytes: usize, units: usize, times: Times) -> Self {
        let amount = |number, time| Amount { number, time };
        let mut rates = Self {
            units: amount(units, times.embedding),
            ..Self::default()
        };
        if pages > 0 {
            rates.pages = amount(pages, times.reading);
        } else {
            rates.bytes = amount(bytes, times.reading);
        }
        rates
    }

    fn add(&mut self, other: &Self) {
        self.pages.add(other.pages);
        self.bytes.add(other.bytes);
        self.units.add(other.units);
    }

    /// In words: `read 23 pages at 300 pages/s, embedded 190 units at 80 units/s`.
    pub(crate) fn words(&self) -> String {
        let reading = if self.pages.number > 0 {
            let pages = count(self.pages.number, "page", "pages");
            format!("read {pages} at {:.0} pages/s", self.pages.a_second())
        } else {
            let size = bytes(self.bytes.number as u64);
            format!("read {size} at {}/s", bytes(self.bytes.a_second() as u64))
        };
        let units = count(self.units.number, "unit", "units");
        format!(
            "{reading}, embedded {units} at {:.0} units/s",
            self.units.a_second()
        )
    }
}

impl Report {
    /// Counts a file that is done, and tells what is to be told of it.
    pub(super) fn take(
        &mut self,
        outcome: Outcome,
        file: &FileToAdd,
        times: Times,
        context: &Context,
    ) {
        let ui = &context.ui;
        let path = file.path.display();
        match outcome {
            Outcome::Added {
                document,
                pages,
                units,
                warnings,
                unread_pictures,
                replaced,
            } => {
                let bytes = fs::metadata(&file.path).map_or(0, |file| file.len());
                let rates = Rates::of(pages, bytes as usize, units, times);
                self.documents.push(document);
                self.units += units;
                self.unread_pictures |= unread_pictures;
                self.rates.add(&rates);
                if replaced {
                    self.replaced += 1;
                } else {
                    self.added += 1;
                }
                if !warnings.is_empty() {
                    let warnings = count(warnings.len(), "warning", "warnings");
                    let id = document.short();
                    ui.warn(format!(
                        "`{path}` was read with {warnings}: `catena show {id}`"
                    ));
                }
                if ui.verbose > 0 {
                    ui.note(paint(DIM, format_args!("{path}: {}", rates.words())));
                }
            }
            Outcome::Known(document) => {
                self.documents.push(document);
                self.duplicates += 1;
            }
            Outcome::Unchanged(document) => {
                self.documents.push(document);
                self.unchanged += 1;
            }
        }
    }

    /// In one line what was done: `Added 3 documents, 412 units in 8.2s`.
    pub(crate) fn summary(&self, took: Duration) -> String {
        let counts = [
            ("added", self.added),
            ("replaced", self.replaced),
            ("duplicate", self.duplicates),
            ("unchanged", self.unchanged),
        ];
        let some: Vec<_> = counts.iter().filter(|(_, number)| *number > 0).collect();
        let mut words = match some.as_slice() {
            [] => "added nothing".to_owned(),
            [(verb, number)] => format!("{verb} {}", count(*number, "document", "documents")),
            some => {
                let parts = some.iter().map(|(verb, number)| format!("{verb} {number}"));
                parts.collect::<Vec<_>>().join(", ")
            }
        };
        words[..1].make_ascii_uppercase();
        if self.added + self.replaced > 0 {
            words = format!("{words}, {}", count(self.units, "unit", "units"));
        }
        format!("{words} in {:.1}s", took.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries() {
        let took = Duration::from_millis(8210);
        let check = |counts: [usize; 5], expected: &str| {
            let [added, replaced, duplicates, unchanged, units] = counts;
            let report = Report {
                added,
                replaced,
                unchanged,
                duplicates,
                units,
                ..Report::default()
            };
            assert_eq!(report.summary(took), expected);
        };
        check([3, 0, 0, 0, 412], "Added 3 documents, 412 units in 8.2s");
        check([1, 0, 0, 0, 1], "Added 1 document, 1 unit in 8.2s");
        check(
            [1, 1, 0, 8, 52],
            "Added 1, replaced 1, unchanged 8, 52 units in 8.2s",
        );
        check([0, 1, 0, 0, 5], "Replaced 1 document, 5 units in 8.2s");
        check([0, 0, 0, 8, 0], "Unchanged 8 documents in 8.2s");
        check([0, 0, 1, 8, 0], "Duplicate 1, unchanged 8 in 8.2s");
        check([0, 0, 0, 0, 0], "Added nothing in 8.2s");
    }
}
