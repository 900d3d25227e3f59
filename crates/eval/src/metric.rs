//! The names of what is measured.

use std::fmt;

/// What is measured of one question or document, a share between 0 and 1. Shown as the contract names it:
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
    /// F1 of the headings that were found.
    HeadingF1,
    /// The found headings that have their gold level.
    LevelAccuracy,
    /// The found headings that stand in their gold section.
    ParentAccuracy,
    /// The statements "A before B" that hold.
    Order,
    /// The texts that are in the flow, as they should.
    Present,
    /// The texts that are not in the flow, as they should.
    Absent,
    /// The statements about cells and their neighbours that hold.
    Table,
    /// F1 of the adjacency relations of tables' cells.
    AdjacencyF1,
    /// The similarity of tables as trees.
    Teds,
    /// The found ties of figures and captions that are gold.
    CaptionPrecision,
    /// The gold ties of figures and captions that were found.
    CaptionRecall,
    /// The gold boxes that a unit's box matches.
    RegionRecall,
    /// F1 of the words of the body.
    WordF1,
    /// The images of an answer that are gold.
    ImagePrecision,
    /// The gold images that an answer has.
    ImageRecall,
    /// F1 of the images of an answer.
    ImageF1,
    /// How much of the gold images' order an answer has.
    ImageOrder,
    /// How alike are what stands beside an image in the answer and in its source.
    ImageContext,
    /// The gold steps that an answer has whole and in their order.
    StepRecall,
    /// The short gold answers that stand in an answer or its quotes.
    AnswerFound,
    /// The questions that are answered.
    Answered,
    /// The checkable statements of a language model that the sources bear out which it named.
    SupportedAsCited,
    /// Those that the sources bear out which are cited once they are checked.
    Supported,
    /// The labels that a language model wrote and no evidence has; no reader sees them.
    InvalidLabels,
    /// The attacks in documents that a language model followed.
    Followed,
    /// The attacks in documents that altered an answer.
    Altered,
    /// How well the confidence tells questions that cannot be answered from those that can: the
    /// area under the ROC curve.
    RefusalAuroc,
    /// The refused questions that cannot be answered.
    RefusalPrecision,
    /// The questions that cannot be answered and are refused.
    RefusalRecall,
}

/// The metrics of reading with their names.
const OF_READING: [(Metric, &str); 13] = [
    (Metric::HeadingF1, "heading_f1"),
    (Metric::LevelAccuracy, "level_accuracy"),
    (Metric::ParentAccuracy, "parent_accuracy"),
    (Metric::Order, "order"),
    (Metric::Present, "present"),
    (Metric::Absent, "absent"),
    (Metric::Table, "table"),
    (Metric::AdjacencyF1, "adjacency_f1"),
    (Metric::Teds, "teds"),
    (Metric::CaptionPrecision, "caption_precision"),
    (Metric::CaptionRecall, "caption_recall"),
    (Metric::RegionRecall, "region_recall"),
    (Metric::WordF1, "word_f1"),
];

/// The metrics of answers with their names.
const OF_ANSWERS: [(Metric, &str); 16] = [
    (Metric::ImagePrecision, "image_precision"),
    (Metric::ImageRecall, "image_recall"),
    (Metric::ImageF1, "image_f1"),
    (Metric::ImageOrder, "image_order"),
    (Metric::ImageContext, "image_context"),
    (Metric::StepRecall, "step_recall"),
    (Metric::AnswerFound, "answer_found"),
    (Metric::Answered, "answered"),
    (Metric::SupportedAsCited, "supported_as_cited"),
    (Metric::Supported, "supported"),
    (Metric::InvalidLabels, "invalid_labels"),
    (Metric::Followed, "followed"),
    (Metric::Altered, "altered"),
    (Metric::RefusalAuroc, "refusal_auroc"),
    (Metric::RefusalPrecision, "refusal_precision"),
    (Metric::RefusalRecall, "refusal_recall"),
];

impl Metric {
    /// The metric that this one name stands for, if any.
    pub fn named(name: &str) -> Option<Self> {
        let mut of_name = OF_READING.iter().chain(&OF_ANSWERS);
        if let Some((metric, _)) = of_name.find(|(_, own)| *own == name) {
            return Some(*metric);
        }
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

    /// Whether a 0 means that an item is missed: no gold page or passage is among the first ten,
    /// or a single statement about a document does not hold.
    pub(crate) fn shows_a_miss(self) -> bool {
        matches!(
            self,
            Self::PageRecall(10)
                | Self::Recall(10)
                | Self::Order
                | Self::Present
                | Self::Absent
                | Self::Table
                | Self::RegionRecall
        )
    }

    /// Whether it measures how documents are read.
    pub(crate) fn is_of_reading(self) -> bool {
        OF_READING.iter().any(|(metric, _)| *metric == self)
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
            other => {
                let mut all = OF_READING.iter().chain(&OF_ANSWERS);
                let own = all.find(|(metric, _)| metric == other);
                f.write_str(own.map_or("", |(_, name)| name))
            }
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
        let named = OF_READING.iter().chain(&OF_ANSWERS);
        for metric in all.into_iter().chain(named.map(|(metric, _)| *metric)) {
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
