//! `graph`: personalised `PageRank` over units and anchors, from what hybrid search finds.
//!
//! The walk starts at the units found, by their scores, goes on to the anchors of a unit and the
//! units of an anchor, and returns with probability 1 − d at each step (Haveliwala 2002; d = 0.5
//! as in `HippoRAG`). It is computed by pushing mass where most of it waits (Andersen, Chung and
//! Lang 2006): only rows that matter are read, a bounded number of them.

use super::Strategy;
use super::budget::Budget;
use super::fuse::{Fused, hits};
use super::hierarchy::found;
use super::topology::references;
use crate::{EngineError, Hit, Query, StageScore};
use catena_document::View;
use catena_index::{AnchorIndex, Snapshot, UnitKey};
use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// Units of hybrid search that the walk starts from.
const SEEDS: usize = 20;
/// The probability that the walk goes on.
const DAMPING: f64 = 0.5;
/// Nodes whose mass is pushed, at most.
const PUSHES: usize = 400;
/// Waiting mass that is too little to be pushed.
const LEAST: f64 = 1e-5;
/// An anchor of more units than this leads everywhere.
const MOST: usize = 60;

pub(super) struct Graph;

/// What the walk goes over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Place {
    Unit(UnitKey),
    Anchor(String),
}

impl Strategy for Graph {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn view(&self) -> View {
        View::Evidence
    }

    fn retrieve(&self, snapshot: &Snapshot, query: &Query) -> Result<Vec<Hit>, EngineError> {
        let fused = found(snapshot, query)?;
        let _span = tracing::debug_span!("walk").entered();
        let index = snapshot.anchor_index(&query.retrieval.filter)?;
        let seeds = fused.iter().take(SEEDS);
        let seeds: Vec<(UnitKey, f64)> = seeds.map(|f| (f.key, f64::from(f.score))).collect();
        let mut mass = Walk::new(snapshot, &index).from(&seeds)?;
        // What the walk did not reach follows in the order of search.
        for found in &fused {
            mass.entry(found.key).or_insert(0.0);
        }
        let mut stages: HashMap<UnitKey, (f32, Vec<StageScore>)> = fused
            .into_iter()
            .map(|f| (f.key, (f.score, f.scores)))
            .collect();
        let mut ranked: Vec<(UnitKey, f64)> = mass.into_iter().collect();
        let score = |key: &UnitKey| stages.get(key).map_or(0.0, |(score, _)| *score);
        ranked.sort_by(|a, b| {
            let by_search = || score(&b.0).total_cmp(&score(&a.0));
            b.1.total_cmp(&a.1).then_with(by_search).then(a.0.cmp(&b.0))
        });
        let mut left = Budget::of(&query.retrieval);
        let mut kept = Vec::new();
        for ((key, mass), rank) in ranked.into_iter().zip(1..) {
            if left.is_spent() {
                break;
            }
            if !left.take(snapshot.unit(key)?.modality) {
                continue;
            }
            let found = stages.remove(&key);
            let mut scores = found.map_or_else(Vec::new, |(_, scores)| scores);
            scores.push(StageScore {
                stage: "walk",
                value: mass as f32,
                rank,
            });
            kept.push(Fused {
                key,
                score: mass as f32,
                scores,
            });
        }
        hits(snapshot, kept)
    }
}

/// Mass that waits to be pushed on, the most first.
struct Waiting(f64, Place);

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of equal ones the first by name, so that the order is the same each time.
        self.0
            .total_cmp(&other.0)
            .then_with(|| other.1.cmp(&self.1))
    }
}

/// A walk in progress.
struct Walk<'w> {
    snapshot: &'w Snapshot,
    index: &'w AnchorIndex<'w>,
    /// The mass that has come to rest at units.
    rest: HashMap<UnitKey, f64>,
    /// The mass that waits at each place.
    waiting: HashMap<Place, f64>,
    heap: BinaryHeap<Waiting>,
}

impl<'w> Walk<'w> {
    fn new(snapshot: &'w Snapshot, index: &'w AnchorIndex<'w>) -> Self {
        Self {
            snapshot,
            index,
            rest: HashMap::new(),
            waiting: HashMap::new(),
            heap: BinaryHeap::new(),
        }
    }

    /// The mass of units after a walk from the seeds.
    fn from(mut self, seeds: &[(UnitKey, f64)]) -> Result<HashMap<UnitKey, f64>, EngineError> {
        let whole: f64 = seeds.iter().map(|(_, weight)| weight).sum();
        for &(key, weight) in seeds {
            self.bring(Place::Unit(key), weight / whole.max(f64::MIN_POSITIVE));
        }
        let mut pushes = 0;
        while let Some(Waiting(mass, place)) = self.heap.pop() {
            // One that more mass has come to since is in the heap again.
            if self.waiting.get(&place) != Some(&mass) {
                continue;
            }
            if mass < LEAST || pushes == PUSHES {
                break;
            }
            pushes += 1;
            self.waiting.remove(&place);
            self.push(&place, mass)?;
        }
        // What still waits at a unit counts for it as well.
        for (place, mass) in self.waiting {
            if let Place::Unit(key) = place {
                *self.rest.entry(key).or_default() += mass * (1.0 - DAMPING);
            }
        }
        Ok(self.rest)
    }

    fn bring(&mut self, place: Place, mass: f64) {
        let waiting = self.waiting.entry(place.clone()).or_default();
        *waiting += mass;
        self.heap.push(Waiting(*waiting, place));
    }

    fn push(&mut self, place: &Place, mass: f64) -> Result<(), EngineError> {
        let next = match place {
            Place::Unit(key) => {
                *self.rest.entry(*key).or_default() += mass * (1.0 - DAMPING);
                self.places_from(*key)?
            }
            Place::Anchor(anchor) => {
                let tied = self.index.units_of(anchor, MOST)?.unwrap_or_default();
                tied.iter()
                    .map(|tied| (Place::Unit(tied.key), 1.0))
                    .collect()
            }
        };
        let whole: f64 = next.iter().map(|(_, weight)| weight).sum();
        for (place, weight) in next {
            self.bring(place, mass * DAMPING * weight / whole);
        }
        Ok(())
    }

    /// The anchors of a unit that others share, the rarer the stronger, and the units that it
    /// names or that name it.
    fn places_from(&self, key: UnitKey) -> Result<Vec<(Place, f64)>, EngineError> {
        let unit = self.snapshot.resolve(key)?;
        let own = self.index.of_unit(key, &unit);
        let all: BTreeSet<String> = own
            .subjects
            .into_keys()
            .chain(own.names.into_keys())
            .collect();
        let units = self.index.len().max(2) as f64;
        let mut out = Vec::new();
        for anchor in all {
            let tied = self
                .index
                .units_of(&anchor, MOST)?
                .map_or(0, |tied| tied.len());
            if tied > 1 {
                let rarity = (units / tied as f64).ln().max(0.0);
                out.push((Place::Anchor(anchor), rarity));
            }
        }
        for key in references(self.snapshot, key)? {
            if self.index.passes(key)? {
                out.push((Place::Unit(key), 1.0));
            }
        }
        Ok(out)
    }
}
