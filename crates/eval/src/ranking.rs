//! Rankings of pages or passages, and how much gold is at their top.

/// The first appearances, in order: the rank of a page is that of its first unit.
pub(crate) fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut out = Vec::new();
    for item in items {
        if !out.contains(&item) {
            out.push(item);
        }
    }
    out
}

/// The share of `gold` among the first `k` of `ranked`; 0 where there is no gold. Both hold each
/// item once.
pub(crate) fn recall<T: PartialEq>(ranked: &[T], gold: &[T], k: usize) -> f64 {
    if gold.is_empty() {
        return 0.0;
    }
    let top = &ranked[..k.min(ranked.len())];
    let found = gold.iter().filter(|item| top.contains(item)).count();
    found as f64 / gold.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_counts_gold_at_the_top() {
        let check = |units: &[u32], gold: &[u32], expected: [f64; 4]| {
            let ranked = distinct(units.iter().copied());
            let found = [1, 2, 3, 10].map(|k| recall(&ranked, gold, k));
            let near = found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(near, "{units:?} for {gold:?}: {found:?}");
        };
        // Pages 4, 7, 2, 9: the second unit of page 4 takes no place.
        check(&[4, 7, 4, 2, 7, 9], &[7, 9], [0.0, 0.5, 0.5, 1.0]);
        check(&[4, 4, 4, 2], &[2], [0.0, 1.0, 1.0, 1.0]);
        check(&[1, 2, 3], &[1, 2, 3, 4], [0.25, 0.5, 0.75, 0.75]);
        check(&[], &[1], [0.0; 4]);
        check(&[1], &[], [0.0; 4]);
    }
}
