//! Relations: what a model stated of the evidence, as subject, label and object.

use crate::{LocalRelation, Modality, NodeId, RelationKind, Unit, View};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Characters of one part of a relation at most; what is longer is no name and no label.
const LONGEST: usize = 200;
/// Relations of one document at most.
const MOST: usize = 1_000_000;

/// That two things are related, and how: ("Drain valve", "is tightened to", "4 N·m").
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Relation {
    /// What it is said of.
    pub subject: String,
    /// How the two are related, a verb phrase.
    pub label: String,
    /// The other.
    pub object: String,
}

impl Relation {
    /// A relation of three parts, white space made single; `None` where a part is empty or far
    /// too long.
    pub fn new(subject: &str, label: &str, object: &str) -> Option<Self> {
        let part = |text: &str| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let text = words.join(" ");
            let length = text.chars().count();
            (1..=LONGEST).contains(&length).then_some(text)
        };
        Some(Self {
            subject: part(subject)?,
            label: part(label)?,
            object: part(object)?,
        })
    }

    /// Its words as a sentence has them: subject, label, object.
    pub fn words(&self) -> String {
        format!("{} {} {}", self.subject, self.label, self.object)
    }
}

/// The units of [`View::Relations`]: a unit each relation, by the node that it was stated of, each
/// relation of a node once.
pub fn relation_units(stated: impl IntoIterator<Item = (NodeId, Relation)>) -> Vec<Unit> {
    let mut seen = HashSet::new();
    let mut all: Vec<(NodeId, Relation)> = stated
        .into_iter()
        .filter(|stated| seen.insert(stated.clone()))
        .take(MOST)
        .collect();
    all.sort_by_key(|&(node, _)| node);
    let units = all.into_iter().zip(0_u32..);
    let unit = |((node, relation), ordinal)| Unit {
        view: View::Relations,
        ordinal,
        modality: Modality::Text,
        nodes: vec![node],
        start: 0,
        end: u32::MAX,
        ancestors: Vec::new(),
        caption: None,
        before: None,
        after: None,
        nearby: Vec::new(),
        relation: LocalRelation {
            kind: RelationKind::Body,
            to: None,
        },
        stated: Some(relation),
    };
    units.map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_three_names() {
        let check = |parts: [&str; 3], expected: Option<&str>| {
            let found = Relation::new(parts[0], parts[1], parts[2]);
            let words = found.map(|relation| relation.words());
            assert_eq!(words.as_deref(), expected, "{parts:?}");
        };
        check(
            ["Pump", "was made\n by", " ACME "],
            Some("Pump was made by ACME"),
        );
        check(["水泵", "制造商", "东方"], Some("水泵 制造商 东方"));
        check(["Pump", " ", "ACME"], None);
        check(["Pump", "is", &"x".repeat(201)], None);
    }

    #[test]
    fn units_follow_the_nodes() {
        let relation = |object| Relation::new("a", "is", object).expect("a relation");
        let stated = [
            (NodeId(7), relation("b")),
            (NodeId(2), relation("c")),
            (NodeId(7), relation("b")),
            (NodeId(7), relation("a")),
        ];
        let units = relation_units(stated);
        let found: Vec<(u32, u32, &str)> = units
            .iter()
            .map(|unit| {
                let stated = unit.stated.as_ref().expect("a relation");
                (unit.ordinal, unit.nodes[0].0, stated.object.as_str())
            })
            .collect();
        assert_eq!(found, [(0, 2, "c"), (1, 7, "b"), (2, 7, "a")]);
    }
}
