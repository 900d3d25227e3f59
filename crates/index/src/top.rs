//! The best of many.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A score that orders, and something to tell equal ones apart: the smaller is better.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Ranked<T> {
    score: f32,
    item: Reverse<T>,
}

impl<T: Ord> Eq for Ranked<T> {}

impl<T: Ord> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.score
            .total_cmp(&other.score)
            .then_with(|| self.item.cmp(&other.item))
    }
}

/// The best `k` of what is pushed; of equal scores the smaller items, in whatever order they come.
pub(crate) struct Top<T> {
    k: usize,
    heap: BinaryHeap<Reverse<Ranked<T>>>,
}

impl<T: Ord + Copy> Top<T> {
    pub(crate) fn new(k: usize) -> Self {
        Self {
            k,
            heap: BinaryHeap::new(),
        }
    }

    pub(crate) fn push(&mut self, score: f32, item: T) {
        let new = Ranked {
            score,
            item: Reverse(item),
        };
        if self.heap.len() < self.k {
            self.heap.push(Reverse(new));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && new > worst.0
        {
            *worst = Reverse(new);
        }
    }

    /// What scores this or less need not be pushed; an equal of the worst may still be better.
    pub(crate) fn threshold(&self) -> f32 {
        match self.heap.peek() {
            Some(worst) if self.heap.len() == self.k => worst.0.score.next_down(),
            _ => f32::MIN,
        }
    }

    /// The best first.
    pub(crate) fn into_sorted(self) -> Vec<(f32, T)> {
        let sorted = self.heap.into_sorted_vec();
        sorted
            .into_iter()
            .map(|Reverse(ranked)| (ranked.score, ranked.item.0))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_by_score_then_by_item(items in prop::collection::vec((0_u8..5, 0_u8..50), 0..60), k in 1_usize..12) {
            let mut top = Top::new(k);
            for &(score, item) in &items {
                let score = f32::from(score);
                if score > top.threshold() {
                    top.push(score, item);
                }
            }
            let mut expected: Vec<_> = items.iter().map(|&(score, item)| (Reverse(score), item)).collect();
            expected.sort_unstable();
            expected.truncate(k);
            let expected: Vec<_> = expected.iter().map(|&(Reverse(score), item)| (f32::from(score), item)).collect();
            prop_assert_eq!(top.into_sorted(), expected);
        }
    }
}
