//! Answers and evidence as text for a terminal.

mod answer;
mod explain;
mod hits;
mod picture;
mod sixel;
mod table;
mod wrap;

pub(crate) use answer::{Figure, answer};
pub(crate) use explain::explain;
pub(crate) use hits::hits;
pub(crate) use picture::inline;
pub(crate) use table::table;
pub(crate) use wrap::{cut, wrap};

/// Lines of text are no longer than this, on however wide a terminal: longer ones are hard to
/// read.
pub(crate) const READABLE: usize = 100;
