//! Means, and differences of means, with their intervals.

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean over the scored questions, 0 to 1.
    pub mean: f64,
    /// The interval: the mean ± 1.96 standard errors, within 0 to 1.
    pub ci95: [f64; 2],
    /// How many questions were scored.
    pub n: usize,
}

/// How two systems differ on the same questions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedDifference {
    /// The mean of first minus second, -1 to 1.
    pub mean: f64,
    /// Its 95 % interval, by bootstrap over the questions; all of -1 to 1 for one question.
    pub ci95: [f64; 2],
    /// Questions on which the first is better.
    pub wins: usize,
    /// Questions on which they are equal.
    pub ties: usize,
    /// Questions on which the second is better.
    pub losses: usize,
}

/// Samples drawn by the bootstrap.
const SAMPLES: usize = 10_000;
/// Where the bootstrap's random numbers begin: the same run gives the same interval.
const SEED: u64 = 0x00c0_ffee;
/// Scores that differ by no more are equal.
const EQUAL: f64 = 1e-9;

/// The mean of scores between 0 and 1; `None` of none. One score alone says nothing about its
/// error: its interval is all of 0 to 1.
pub(crate) fn estimate(scores: &[f64]) -> Option<Estimate> {
    let n = scores.len();
    if n == 0 {
        return None;
    }
    let mean = scores.iter().sum::<f64>() / n as f64;
    let ci95 = if n == 1 {
        [0.0, 1.0]
    } else {
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        let error = (squares / (n - 1) as f64 / n as f64).sqrt();
        [mean - 1.96 * error, mean + 1.96 * error].map(|side| side.clamp(0.0, 1.0))
    };
    Some(Estimate { mean, ci95, n })
}

/// Compares scores of two systems, a pair a question; `None` of none.
pub(crate) fn paired(pairs: &[(f64, f64)]) -> Option<PairedDifference> {
    let n = pairs.len();
    if n == 0 {
        return None;
    }
    let differences: Vec<f64> = pairs.iter().map(|(first, second)| first - second).collect();
    let mean = |sum: f64| sum / n as f64;
    let mut random = Random(SEED);
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| mean((0..n).map(|_| differences[random.below(n)]).sum()))
        .collect();
    means.sort_by(f64::total_cmp);
    let wins = differences.iter().filter(|&&d| d > EQUAL).count();
    let losses = differences.iter().filter(|&&d| d < -EQUAL).count();
    Some(PairedDifference {
        mean: mean(differences.iter().sum()),
        ci95: match n {
            1 => [-1.0, 1.0],
            _ => [means[SAMPLES / 40], means[SAMPLES - 1 - SAMPLES / 40]],
        },
        wins,
        ties: n - wins - losses,
        losses,
    })
}

/// The `SplitMix64` generator: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, all equally likely but for a part in 2⁶⁴ / n.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

/// The area under the ROC curve: how often a score of `high` is above one of `low`, ties half. Its
/// interval is that of Hanley and `McNeil` (1982). `None` where there are none of either.
pub(crate) fn auroc(high: &[f64], low: &[f64]) -> Option<Estimate> {
    if high.is_empty() || low.is_empty() {
        return None;
    }
    let mut sorted = low.to_vec();
    sorted.sort_by(f64::total_cmp);
    let won: f64 = high
        .iter()
        .map(|score| {
            let below = sorted.partition_point(|other| other < score);
            let not_above = sorted.partition_point(|other| other <= score);
            (below + not_above) as f64 / 2.0
        })
        .sum();
    let (m, n) = (high.len() as f64, low.len() as f64);
    let area = won / (m * n);
    let (q1, q2) = (area / (2.0 - area), 2.0 * area * area / (1.0 + area));
    let of_high = (m - 1.0) * (q1 - area * area);
    let of_low = (n - 1.0) * (q2 - area * area);
    let error = ((area * (1.0 - area) + of_high + of_low) / (m * n)).sqrt();
    Some(Estimate {
        mean: area,
        ci95: [
            (area - 1.96 * error).max(0.0),
            (area + 1.96 * error).min(1.0),
        ],
        n: high.len() + low.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn means_have_their_interval() {
        let check = |scores: &[f64], mean: f64, low: f64, high: f64| {
            let found = estimate(scores).expect("there are scores");
            let good = near(found.mean, mean) && near(found.ci95[0], low);
            assert!(good && near(found.ci95[1], high), "{scores:?}: {found:?}");
            assert_eq!(found.n, scores.len());
        };
        // Squares 4 × 0.25, variance 1/3, error √(1/12) = 0.28868, 1.96 × that = 0.56580.
        check(&[1.0, 0.0, 1.0, 0.0], 0.5, 0.0, 1.0);
        // Squares 0.08, variance 0.04, error √(0.04/3) = 0.11547, 1.96 × that = 0.22632.
        check(&[0.2, 0.4, 0.6], 0.4, 0.173_68, 0.626_32);
        check(&[0.5; 8], 0.5, 0.5, 0.5);
        check(&[0.5], 0.5, 0.0, 1.0);
        assert_eq!(estimate(&[]), None);
    }

    #[test]
    fn pairs_are_won_tied_and_lost() {
        let pairs = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (1.0, 0.5)];
        let found = paired(&pairs).expect("there are pairs");
        assert_eq!((found.wins, found.ties, found.losses), (2, 1, 1));
        assert!(near(found.mean, 0.125));
        assert!(found.ci95[0] < 0.0 && found.ci95[1] > 0.0);
        assert_eq!(
            paired(&pairs),
            Some(found),
            "the same pairs give the same interval"
        );
        assert_eq!(paired(&[]), None);
    }

    #[test]
    fn the_bootstrap_agrees_with_the_normal_interval_of_many() {
        let pairs: Vec<_> = (0..400).map(|at| (f64::from(at % 4 == 0), 0.0)).collect();
        let [low, high] = paired(&pairs).expect("there are pairs").ci95;
        // Mean 0.25, error √(0.25 · 0.75 / 400) = 0.02165.
        assert!((low - 0.2076).abs() < 0.006 && (high - 0.2924).abs() < 0.006);
    }

    #[test]
    fn the_area_under_the_curve_counts_pairs() {
        let check = |high: &[f64], low: &[f64], expected: f64| {
            let found = auroc(high, low).expect("scores of both").mean;
            assert!((found - expected).abs() < 1e-9, "{high:?} {low:?}: {found}");
        };
        check(&[0.9, 0.8], &[0.1, 0.2], 1.0);
        check(&[0.1], &[0.9], 0.0);
        check(&[0.5], &[0.5], 0.5);
        check(&[0.9, 0.3], &[0.5, 0.1], 0.75);
        assert_eq!(auroc(&[], &[0.5]), None);
    }
}
