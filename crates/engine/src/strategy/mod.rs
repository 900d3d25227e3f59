//! The ways to find evidence.

mod budget;
mod flat;
mod fuse;
mod graph;
mod hierarchy;
mod topology;

pub(crate) use budget::Budget;

use crate::{EngineError, Hit, Query};
use catena_document::View;
use catena_index::Snapshot;

/// A way to find the evidence for a question.
pub trait Strategy: Sync {
    /// Its name, as users write it.
    fn name(&self) -> &'static str;

    /// The view that it searches.
    fn view(&self) -> View;

    /// The best units for a question, best first, within the budgets of the query.
    ///
    /// # Errors
    /// Where the store fails or has no vectors of the query's space.
    fn retrieve(&self, snapshot: &Snapshot, query: &Query) -> Result<Vec<Hit>, EngineError>;
}

/// All strategies; the first is the default.
pub const STRATEGIES: &[&dyn Strategy] = &[
    &topology::WHOLE,
    &hierarchy::Hierarchy,
    &graph::Graph,
    &flat::Flat,
];

/// The default strategy without each of its parts in turn, to measure what each gives.
pub const ABLATIONS: &[&dyn Strategy] = &topology::ABLATIONS;

/// The strategy of a name, an ablation as well.
///
/// # Errors
/// Where there is none.
pub fn by_name(name: &str) -> Result<&'static dyn Strategy, EngineError> {
    STRATEGIES
        .iter()
        .chain(ABLATIONS)
        .copied()
        .find(|strategy| strategy.name() == name)
        .ok_or_else(|| EngineError::UnknownStrategy(name.to_owned()))
}
