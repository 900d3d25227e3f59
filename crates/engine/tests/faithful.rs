//! Answers from the evidence alone say what their sources say, word by word.

mod common;

use catena_document::EvidenceUnit;
use catena_engine::{Answer, Block, Mode};
use catena_index::{Snapshot, Store};
use common::Place;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::fmt::Write as _;

const PARTS: [&str; 6] = [
    "pump",
    "heater",
    "grinder",
    "drain valve",
    "steam wand",
    "display",
];
const UNITS: [&str; 5] = ["N·m", "bar", "°C", "mm", "kg"];
const VERBS: [&str; 5] = ["Close", "Remove", "Tighten", "Lift", "Clean"];

/// A part of a manual: what it is about, its number, whether it is forbidden, its steps.
type Section = (usize, u32, bool, Vec<(usize, u32)>);

fn manual(sections: &[Section]) -> String {
    let mut out = "# Service manual\n".to_owned();
    for (number, (part, value, forbidden, steps)) in sections.iter().enumerate() {
        let part = PARTS[*part];
        let unit = UNITS[number % UNITS.len()];
        let never = if *forbidden {
            "Never open"
        } else {
            "You may open"
        };
        let _ = write!(
            out,
            "\n## {} Replace the {part}\n\nThe {part} of type {number} needs {value} {unit}. {never} the \
             {part} while the machine is hot. It was made in {}.\n\n",
            number + 1,
            1990 + value % 30
        );
        for (step, (verb, value)) in steps.iter().enumerate() {
            let verb = VERBS[*verb];
            let step = step + 1;
            let _ = writeln!(out, "{step}. {verb} the {part} with {value} {unit}.");
        }
    }
    out
}

fn questions(sections: &[Section]) -> Vec<String> {
    let part = PARTS[sections[0].0];
    vec![
        format!("How do I replace the {part}?"),
        format!("What does the {part} need?"),
        format!("May I open the {part} while the machine is hot?"),
        "What are the steps for the grinder?".to_owned(),
    ]
}

/// The lines of a block as its source has them, and whether something is left out before each.
fn lines(markdown: &str) -> Vec<(String, bool, bool)> {
    let mut out = Vec::new();
    for line in markdown.lines().filter(|line| !line.trim().is_empty()) {
        for (at, part) in line.split('…').enumerate() {
            let plain = part.replace(['\\', '*'], "");
            let plain = plain.trim();
            let digits = plain.chars().take_while(char::is_ascii_digit).count();
            let step = digits > 0 && plain[digits..].starts_with(". ");
            let plain = if step {
                &plain[digits + 2..]
            } else {
                plain.trim_start_matches("- ")
            };
            if !plain.is_empty() {
                out.push((plain.to_owned(), at > 0, step));
            }
        }
    }
    out
}

fn unit(snapshot: &Snapshot, answer: &Answer, label: u32) -> EvidenceUnit {
    let citation = answer
        .citations
        .iter()
        .find(|citation| citation.label == label)
        .unwrap();
    let unit = snapshot
        .resolve(snapshot.unit_key(&citation.unit).unwrap())
        .unwrap();
    let stands = |text: &str| text.contains(&citation.quote);
    let heading = unit.heading_path().contains(&citation.quote.as_str());
    let pieces = citation
        .quote
        .lines()
        .all(|line| unit.content.text.contains(line));
    assert!(
        stands(&unit.content.text) || heading || pieces,
        "{citation:?}"
    );
    unit
}

fn check(answer: &Answer, snapshot: &Snapshot) {
    let mut steps_of = None;
    for block in &answer.blocks {
        let Block::Text {
            markdown,
            statements,
            ..
        } = block
        else {
            continue;
        };
        for statement in statements {
            let told = &markdown[statement.span.clone()];
            let unit = unit(snapshot, answer, statement.citations[0]);
            if told.starts_with("**") {
                // A heading ends the procedure before it.
                steps_of = None;
                assert!(
                    unit.heading_path()
                        .iter()
                        .any(|heading| told.contains(heading)),
                    "{told}"
                );
                continue;
            }
            let text = &unit.content.text;
            let mut end = 0;
            for (line, left_out, is_step) in lines(told) {
                let at = text[end..].find(&line);
                let at = end + at.unwrap_or_else(|| panic!("`{line}` does not stand in `{text}`"));
                // Nothing is left out in silence within what is told of a unit.
                let mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || ".•-".contains(c);
                let between = text[end..at].trim_matches(mark);
                let marked = left_out || end == 0 || between.is_empty();
                assert!(marked, "`{between}` is left out unmarked in {markdown}");
                end = at + line.len();
                if is_step {
                    let section = unit.ancestors.last().map(|ancestor| ancestor.node);
                    assert!(
                        steps_of.is_none_or(|have| have == section),
                        "joined: {answer:?}"
                    );
                    steps_of = Some(section);
                }
            }
        }
    }
}

#[test]
fn what_is_told_stands_in_its_source() {
    let section = (
        0..PARTS.len(),
        2_u32..900,
        any::<bool>(),
        prop::collection::vec((0..VERBS.len(), 2_u32..90), 0..6),
    );
    let sections = prop::collection::vec(section, 1..7);
    let config = Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    };
    let told = std::cell::Cell::new(0);
    TestRunner::new(config)
        .run(&sections, |sections| {
            let place = Place::of(&[("manual.md", &manual(&sections))]);
            let snapshot = Store::open(place.store()).unwrap().snapshot().unwrap();
            for question in questions(&sections) {
                let (_, answer) = place.ask(&question, "topology", Mode::Evidence);
                check(&answer, &snapshot);
                told.set(told.get() + usize::from(!answer.blocks.is_empty()));
            }
            Ok(())
        })
        .unwrap();
    assert!(told.get() > 24, "too few were answered: {}", told.get());
}
