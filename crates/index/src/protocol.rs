//! How one writer and many readers agree on whole states, without waiting for each other.
//!
//! # The three parts
//!
//! A store has three parts that are written one after the other: the **truth** (redb), the
//! **text** index (tantivy) and the **vector** manifest. Each changes atomically by itself. All
//! carry a *generation*, the number of the commit that wrote them; the first commit is 1.
//!
//! # The writer
//!
//! The writer commits generation `g` in this order, each step durable before the next begins:
//!
//! 1. **truth(g)**: one redb transaction. A document that is added gets a new sequence number and
//!    rows that say `added_at = g`. A document that is removed keeps its rows; a row of the log
//!    says `removed_at = g`. The rows of documents removed at or before [`purged`]`(g)` are
//!    deleted; the truth says how far that went.
//! 2. **text(g)**: one tantivy commit with `g` as its payload. It adds what the truth added after
//!    the text's own generation, and drops what was removed at or before [`dropped`]`(g)`.
//! 3. **vectors(g)**: new segment files, then a new manifest by rename; it adds and may drop
//!    what the text index does.
//!
//! Text and vectors are thus a function of the truth and of two generations, from and to. A
//! normal commit, the catching up after a crash and a rebuild are the same code, with another
//! `from`.
//!
//! # The reader
//!
//! A reader loads the manifest, then the text (whose generation it reads once before and once
//! after, as its files are opened in between), then begins a redb read transaction, which pins
//! the truth. Nothing is locked. [`Seen::generation`] then gives the snapshot's generation `s`,
//! the smallest of those seen, or says that the reader was overtaken and must load again. A
//! document is visible if `added_at ≤ s` and not `removed_at ≤ s`.
//!
//! # Why that is a whole state
//!
//! Let `d` be a document that is visible at `s`.
//!
//! - *The truth has all its rows.* The truth read has generation `r ≥ s ≥ added_at`, so they were
//!   written. They are deleted only where `removed_at ≤ purged`; the reader asks for
//!   `purged ≤ s`, and `removed_at > s`.
//! - *The text has all its units.* The searcher was opened at a generation between the two that
//!   were read, so at least `s ≥ added_at`: they were added. They are dropped only where
//!   `removed_at ≤ dropped(t)` with `t` at most the second generation read; the reader asks for
//!   `dropped(t) ≤ s`, and `removed_at > s`.
//! - *The vectors have all its rows*, in the same way.
//!
//! What is not visible is filtered out of every hit: a document added later than `s`, or removed
//! but not yet dropped. So a snapshot shows exactly the documents that commit `s` left behind.
//!
//! When nothing is being written, the reader sees `s = v = t = r`. While a commit is under way it
//! sees `v ≤ t ≤ r ≤ v + 1`, and the two conditions hold because [`DELAY`] is more than 1. Only a
//! reader that is overtaken by more than `DELAY` commits while it loads must load again.
//!
//! # Crashes
//!
//! Each part is whole by itself, so a crash leaves `v ≤ t ≤ r` with at most one commit between
//! them; readers go on as before with `s = v`. The next writer catches up text and vectors from
//! the truth before it does anything else. What is lost is at most the group that was never
//! acknowledged.
//!
//! Catching up needs the log of removals after `dropped(t)`. It is there if
//! `purged ≤ dropped(t)`. That always holds after a crash: the truth at `r` has purged up to
//! [`purged`]`(r) = r - 1 - DELAY`, and `t ≥ r - 1`. If it does not hold (an old copy of the index
//! was put back), or a part is ahead of the truth, or cannot be read, it is rebuilt.
//!
//! Files of sources and assets are written and synced before the transaction that refers to them,
//! and deleted some minutes after the one that drops the last reference: until then the truth notes
//! them as unused, so that a snapshot that is held meanwhile finds the files of what it shows. A
//! crash leaves at most files that no row names. A writer that finds that the last one did not
//! close the store removes them.

/// How many commits later than the removal of a document its rows leave the derived indexes; the
/// number of commits that may overtake a reader while it loads its snapshot.
pub(crate) const DELAY: u64 = 4;

/// Up to which removal a derived index at generation `g` no longer holds documents.
pub(crate) fn dropped(g: u64) -> u64 {
    g.saturating_sub(DELAY)
}

/// Up to which removal the truth at generation `g` no longer holds rows: as far as the derived
/// indexes one commit before.
pub(crate) fn purged(g: u64) -> u64 {
    dropped(g.saturating_sub(1))
}

/// Whether a derived index at generation `at` can catch up with a truth at `truth` whose purge
/// went up to `purged`.
pub(crate) fn can_catch_up(at: u64, truth: u64, purged: u64) -> bool {
    at <= truth && purged <= dropped(at)
}

/// The generations that a reader saw, in the order of reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Of the vector manifest.
    pub(crate) vectors: u64,
    /// Of the text index, before its files were opened.
    pub(crate) text_before: u64,
    /// Of the text index, after its files were opened.
    pub(crate) text_after: u64,
    /// Of the truth.
    pub(crate) truth: u64,
    /// Up to which removal the truth has been purged.
    pub(crate) purged: u64,
}

impl Seen {
    /// The generation of the snapshot, or `None` if what was seen makes no whole state.
    pub(crate) fn generation(&self) -> Option<u64> {
        let s = self.vectors.min(self.text_before).min(self.truth);
        let whole = dropped(self.vectors) <= s && dropped(self.text_after) <= s && self.purged <= s;
        whole.then_some(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// A part of the model store: its generation and the documents it holds.
    #[derive(Clone, Default)]
    struct Part {
        generation: u64,
        holds: BTreeSet<u32>,
    }

    /// A store in the small: documents are numbers with the generations of their life.
    #[derive(Clone, Default)]
    struct Model {
        /// Added and removed at; rows that are purged are not there.
        rows: BTreeMap<u32, (u64, Option<u64>)>,
        generation: u64,
        purged: u64,
        text: Part,
        vectors: Part,
        /// What each commit left behind.
        history: Vec<BTreeSet<u32>>,
    }

    impl Model {
        fn commit_truth(&mut self, add: &[u32], remove: Option<u32>) {
            let g = self.generation + 1;
            let p = purged(g);
            self.rows
                .retain(|_, (_, removed)| removed.is_none_or(|at| at > p));
            if let Some((_, removed)) = remove.and_then(|id| self.rows.get_mut(&id))
                && removed.is_none()
            {
                *removed = Some(g);
            }
            self.rows.extend(add.iter().map(|&id| (id, (g, None))));
            (self.generation, self.purged) = (g, p);
            let present =
                |(&id, (_, removed)): (&u32, &(u64, Option<u64>))| removed.is_none().then_some(id);
            self.history
                .push(self.rows.iter().filter_map(present).collect());
        }

        fn catch_up(&self, part: &Part) -> Part {
            assert!(can_catch_up(part.generation, self.generation, self.purged));
            let (from, to) = (part.generation, self.generation);
            let mut holds = part.holds.clone();
            for (&id, &(added, removed)) in &self.rows {
                if added > from && removed.is_none_or(|at| at > dropped(to)) {
                    holds.insert(id);
                }
                if removed.is_some_and(|at| at > dropped(from) && at <= dropped(to)) {
                    holds.remove(&id);
                }
            }
            Part {
                generation: to,
                holds,
            }
        }
    }

    /// What a writer does next.
    #[derive(Clone, Debug)]
    enum Step {
        /// The next step of the commit: truth, text or vectors.
        Advance { add: u32, remove: u32 },
        /// The writer dies and its successor catches up, text first; it may die again after that.
        Crash { whole: bool },
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            9 => (0_u32..4, 0_u32..40).prop_map(|(add, remove)| Step::Advance { add, remove }),
            1 => any::<bool>().prop_map(|whole| Step::Crash { whole }),
        ]
    }

    /// Every state that the store goes through.
    fn states(steps: &[Step]) -> Vec<Model> {
        let mut states = vec![Model {
            history: vec![BTreeSet::new()],
            ..Model::default()
        }];
        let mut next_id = 0;
        for step in steps {
            let mut model = states.last().cloned().unwrap();
            match step {
                Step::Advance { .. } if model.text.generation < model.generation => {
                    model.text = model.catch_up(&model.text);
                }
                Step::Advance { .. } if model.vectors.generation < model.generation => {
                    model.vectors = model.catch_up(&model.vectors);
                }
                Step::Advance { add, remove } => {
                    let ids: Vec<u32> = (next_id..next_id + add).collect();
                    next_id += add;
                    model.commit_truth(&ids, Some(*remove));
                }
                Step::Crash { whole } => {
                    model.text = model.catch_up(&model.text);
                    if *whole {
                        states.push(model.clone());
                        model.vectors = model.catch_up(&model.vectors);
                    }
                }
            }
            states.push(model);
        }
        states
    }

    proptest! {
        /// A reader that loads its four pieces at any moments, in order, either sees exactly what
        /// some commit left behind or knows that it must load again.
        #[test]
        fn a_snapshot_is_what_a_commit_left_behind(
            steps in prop::collection::vec(step(), 1..120),
            picks in prop::collection::vec((0_usize..200, 0_usize..12, 0_usize..12, 0_usize..12, 0_usize..12), 20),
        ) {
            let states = states(&steps);
            let last = states.len() - 1;
            for (start, a, b, c, d) in picks {
                let at = |n: usize| &states[n.min(last)];
                let start = start % states.len();
                let manifest = &at(start).vectors;
                let before = at(start + a).text.generation;
                let opened = &at(start + a + b).text;
                let after = at(start + a + b + c).text.generation;
                let truth = at(start + a + b + c + d);
                let seen = Seen {
                    vectors: manifest.generation,
                    text_before: before,
                    text_after: after,
                    truth: truth.generation,
                    purged: truth.purged,
                };
                let Some(s) = seen.generation() else {
                    prop_assert!(after > manifest.generation + 1 || truth.generation > manifest.generation + 1);
                    continue;
                };
                let visible: BTreeSet<u32> = truth
                    .rows
                    .iter()
                    .filter(|(_, (added, removed))| *added <= s && removed.is_none_or(|at| at > s))
                    .map(|(&id, _)| id)
                    .collect();
                prop_assert_eq!(&visible, &truth.history[s as usize]);
                prop_assert!(visible.is_subset(&opened.holds), "text lacks documents");
                prop_assert!(visible.is_subset(&manifest.holds), "vectors lack documents");
            }
        }

        /// A reader that is overtaken by at most `DELAY` commits never has to load again.
        #[test]
        fn a_reader_is_seldom_overtaken(steps in prop::collection::vec(step(), 1..120), start in 0_usize..120) {
            let states = states(&steps);
            let start = start % states.len();
            let first = &states[start];
            for last in &states[start..] {
                if last.generation > first.vectors.generation + DELAY {
                    break;
                }
                let seen = Seen {
                    vectors: first.vectors.generation,
                    text_before: first.text.generation,
                    text_after: last.text.generation,
                    truth: last.generation,
                    purged: last.purged,
                };
                prop_assert_eq!(seen.generation(), Some(first.vectors.generation));
            }
        }
    }
}
