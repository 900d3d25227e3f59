//! Questions made of headings.

use super::source::Section;
use crate::text::{folded, number_and_rest, plain};
use std::collections::HashMap;

/// Steps from which a section is a procedure.
const STEPS: usize = 2;
/// The longest heading that a question is made of, in characters.
const LONGEST: usize = 120;

/// A question with the section that answers it.
#[derive(Debug)]
pub(super) struct Question<'s> {
    pub(super) text: String,
    pub(super) section: &'s Section,
    /// Whether the section is a procedure.
    pub(super) procedure: bool,
}

/// A question for each section that has images or is a procedure and whose heading tells it from
/// all others, by itself or with the heading above.
pub(super) fn questions(sections: &[Section]) -> Vec<Question<'_>> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for section in sections {
        *counts.entry(own(section).to_lowercase()).or_insert(0) += 1;
    }
    let mut out: Vec<Question<'_>> = Vec::new();
    for section in sections {
        let steps = section.blocks.iter().filter(|block| block.step).count();
        let procedure = steps >= STEPS;
        let heading = own(section);
        let wanted = procedure || !section.images.is_empty();
        if !wanted || !heading.chars().any(char::is_alphabetic) || heading.len() > LONGEST {
            continue;
        }
        let unique = counts
            .get(&heading.to_lowercase())
            .is_some_and(|&count| count == 1);
        let named = if unique {
            heading
        } else {
            match above(section) {
                Some(above) => format!("{heading} of {above}"),
                None => continue,
            }
        };
        out.push(Question {
            text: worded(&named, procedure),
            section,
            procedure,
        });
    }
    let mut asked: HashMap<String, usize> = HashMap::new();
    for question in &out {
        *asked.entry(question.text.to_lowercase()).or_insert(0) += 1;
    }
    out.retain(|question| asked.get(&question.text.to_lowercase()) == Some(&1));
    out
}

/// A heading as a question.
fn worded(heading: &str, procedure: bool) -> String {
    let heading = heading.trim_end_matches(['?', '.', ':', ' ']);
    let lower = lowered(heading);
    let first = lower.split(' ').next().unwrap_or_default();
    if first.len() > 4 && first.ends_with("ing") && lower.contains(' ') {
        format!("How do I go about {lower}?")
    } else if procedure {
        format!("What are the steps for {heading}?")
    } else {
        format!("What is {heading}, and what does it look like?")
    }
}

/// A heading whose first word is in lower case, as within a sentence, where it is no name.
fn lowered(heading: &str) -> String {
    let (first, rest) = heading.split_once(' ').unwrap_or((heading, ""));
    let mut chars = first.chars();
    let capital = chars.next().is_some_and(char::is_uppercase);
    if capital && chars.all(char::is_lowercase) {
        format!("{} {rest}", first.to_lowercase())
            .trim_end()
            .to_owned()
    } else {
        heading.to_owned()
    }
}

/// A section's own heading without its number.
fn own(section: &Section) -> String {
    bare(section.headings.last().map_or("", String::as_str))
}

/// The nearest heading above that has other words.
fn above(section: &Section) -> Option<String> {
    let own = own(section);
    let mut above = section
        .headings
        .iter()
        .rev()
        .skip(1)
        .map(|heading| bare(heading));
    above.find(|heading| !heading.is_empty() && !heading.eq_ignore_ascii_case(&own))
}

/// A heading without its number.
fn bare(heading: &str) -> String {
    let heading = plain(heading);
    let lower = folded(&heading);
    let (_, rest) = number_and_rest(&lower);
    let skipped = lower.chars().count() - rest.chars().count();
    heading.chars().skip(skipped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_questions() {
        let check = |heading: &str, procedure: bool, expected: &str| {
            assert_eq!(worded(&bare(heading), procedure), expected);
        };
        check(
            "4.2. Creating a New Layer",
            true,
            "How do I go about creating a New Layer?",
        );
        check(
            "Chapter 3. Fault E4",
            true,
            "What are the steps for Fault E4?",
        );
        check(
            "4.4 Crop",
            false,
            "What is Crop, and what does it look like?",
        );
        check(
            "String",
            false,
            "What is String, and what does it look like?",
        );
    }
}
