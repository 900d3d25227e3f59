//! The names of what is measured.

use std::fmt;

/// What is measured of one question, a share between 0 and 1. Shown as the contract names it:
/// `page_recall@5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// The gold pages among the first so many pages.
    PageRecall(u8),
    /// The gold area that the boxes of the ten best units cover.
    LayoutRecall,
    /// The area of those boxes that is gold.
    LayoutPrecision,
    /// The gold passages among the first so many passages.
    Recall(u8),
    /// Whether all gold passages are among the first so many.
    AllGold(u8),
}

impl Metric {
    /// The metric that this one name stands for, if any.
    pub fn named(name: &str) -> Option<Self> {
        let (word, depth) = name.split_once('@')?;
        let depth = depth.parse().ok()?;
        match word {
            "page_recall" => Some(Self::PageRecall(depth)),
            "layout_recall" if depth == 10 => Some(Self::LayoutRecall),
            "layout_precision" if depth == 10 => Some(Self::LayoutPrecision),
            "recall" => Some(Self::Recall(depth)),
            "all_gold" => Some(Self::AllGold(depth)),
            _ => None,
        }
    }

    /// Whether a 0 means that no gold page or passage is among the first ten.
    pub(crate) fn shows_a_miss(self) -> bool {
        matches!(self, Self::PageRecall(10) | Self::Recall(10))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PageRecall(depth) => write!(f, "page_recall@{depth}"),
            Self::LayoutRecall => f.write_str("layout_recall@10"),
            Self::LayoutPrecision => f.write_str("layout_precision@10"),
            Self::Recall(depth) => write!(f, "recall@{depth}"),
            Self::AllGold(depth) => write!(f, "all_gold@{depth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_reads_what_it_prints() {
        let all = [
            Metric::PageRecall(10),
            Metric::LayoutRecall,
            Metric::LayoutPrecision,
            Metric::Recall(1),
            Metric::AllGold(5),
        ];
        for metric in all {
            assert_eq!(Metric::named(&metric.to_string()), Some(metric));
        }
        for bad in [
            "",
            "recall",
            "recall@",
            "recall@x",
            "layout_recall@5",
            "mrr@5",
        ] {
            assert_eq!(Metric::named(bad), None, "{bad}");
        }
    }
}
