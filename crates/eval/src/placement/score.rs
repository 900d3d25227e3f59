//! Are the right images there, in the right order, at the right places, and are all steps there?

use crate::Metric;
use crate::text::folded;

/// From so many edits on, an order is worth nothing.
const MOST_EDITS: f64 = 3.0;
/// What it costs to turn a predicted order into the gold one.
const INSERTION: u32 = 3;
const DELETION: u32 = 2;
const SUBSTITUTION: u32 = 1;

/// The scores of the images of an answer, each named once: precision, recall and F1, and the
/// order where there is gold. Where there is none to be shown and none is shown, all are 1.
pub(super) fn image_scores<T: PartialEq>(shown: &[T], gold: &[T]) -> Vec<(Metric, f64)> {
    let right = shown.iter().filter(|image| gold.contains(image)).count() as f64;
    let share = |of: &[T]| {
        if of.is_empty() {
            0.0
        } else {
            right / of.len() as f64
        }
    };
    let (precision, recall, f1) = if shown.is_empty() && gold.is_empty() {
        (1.0, 1.0, 1.0)
    } else {
        let f1 = 2.0 * right / (shown.len() + gold.len()) as f64;
        (share(shown), share(gold), f1)
    };
    let mut out = vec![
        (Metric::ImagePrecision, precision),
        (Metric::ImageRecall, recall),
        (Metric::ImageF1, f1),
    ];
    if !gold.is_empty() {
        let longest = shown.len().max(gold.len()) as f64;
        let edits = f64::from(edits(shown, gold)) / longest;
        let order = 1.0 - edits.min(MOST_EDITS) / MOST_EDITS;
        out.push((Metric::ImageOrder, recall * order));
    }
    out
}

/// The least cost of turning one order into another.
fn edits<T: PartialEq>(from: &[T], to: &[T]) -> u32 {
    let mut row: Vec<u32> = (0..=to.len() as u32).map(|n| n * INSERTION).collect();
    for (old, number) in from.iter().zip(1..) {
        let mut diagonal = row[0];
        row[0] = number * DELETION;
        for (at, new) in to.iter().enumerate() {
            let substituted = diagonal + if old == new { 0 } else { SUBSTITUTION };
            diagonal = row[at + 1];
            row[at + 1] = substituted
                .min(diagonal + DELETION)
                .min(row[at] + INSERTION);
        }
    }
    row[to.len()]
}

/// The share of gold steps that stand in an answer, whole and in their order; white space, case
/// and marks are no difference.
pub(super) fn step_recall(gold: &[&str], answer: &str) -> f64 {
    let answer = words_of(answer);
    // Where the last of so many steps that stand in order ends, at the earliest.
    let mut ends = vec![0];
    for step in gold.iter().map(|step| words_of(step)) {
        for count in (0..ends.len()).rev() {
            // The space behind a step is the one before the next.
            let from = ends[count];
            let Some(at) = answer[from..].find(&step) else {
                continue;
            };
            let end = from + at + step.len() - 1;
            match ends.get_mut(count + 1) {
                Some(have) => *have = end.min(*have),
                None => ends.push(end),
            }
        }
    }
    if gold.is_empty() {
        1.0
    } else {
        (ends.len() - 1) as f64 / gold.len() as f64
    }
}

/// The words of a text, folded, a space around each.
fn words_of(text: &str) -> String {
    let folded = folded(text);
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_counted_and_their_order_is_compared() {
        let check = |shown: &str, gold: &str, expected: &[f64]| {
            let (shown, gold): (Vec<char>, Vec<char>) =
                (shown.chars().collect(), gold.chars().collect());
            let scores: Vec<f64> = image_scores(&shown, &gold)
                .into_iter()
                .map(|(_, s)| s)
                .collect();
            assert_eq!(scores.len(), expected.len(), "{shown:?} {gold:?}");
            for (score, expected) in scores.iter().zip(expected) {
                assert!(
                    (score - expected).abs() < 1e-9,
                    "{shown:?} {gold:?}: {scores:?}"
                );
            }
        };
        // Precision, recall, F1, and order where there is gold.
        check("", "", &[1.0, 1.0, 1.0]);
        check("a", "", &[0.0, 0.0, 0.0]);
        check("", "a", &[0.0, 0.0, 0.0, 0.0]);
        check("ab", "ab", &[1.0, 1.0, 1.0, 1.0]);
        // Two substitutions in two images: a third is lost.
        check("ba", "ab", &[1.0, 1.0, 1.0, 2.0 / 3.0]);
        // One missed: an insertion in two images is half of the most.
        check("a", "ab", &[1.0, 0.5, 2.0 / 3.0, 0.25]);
        // One too many: a deletion in two images.
        check("ab", "a", &[0.5, 1.0, 2.0 / 3.0, 2.0 / 3.0]);
    }

    #[test]
    fn steps_count_in_their_order() {
        let check = |answer: &str, expected: f64| {
            let gold = ["Close the valve.", "Wait 5 min", "Open it"];
            let found = step_recall(&gold, answer);
            assert!((found - expected).abs() < 1e-9, "{answer:?}: {found}");
        };
        check("1. Close the *valve*.\n2. Wait 5 min\n3. Open it.", 1.0);
        check("Close the valve. Wait 5 min. Open it", 1.0);
        check("Open it\n\nClose the valve", 1.0 / 3.0);
        check("Open it, close the valve, open it", 2.0 / 3.0);
        check("Wait 15 min, open items", 0.0);
        check("", 0.0);
    }
}
