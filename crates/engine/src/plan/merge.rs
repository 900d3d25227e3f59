//! One ranking of what a plan has found and what the strategy finds by itself.

use super::stand::stands_in;
use super::{Part, PartState};
use crate::strategy::Budget;
use crate::{Hit, Query, Role, Tie, Via};
use catena_document::{EvidenceUnit, Picture, View, is_function_word, words};
use catena_index::UnitKey;
use std::collections::HashSet;

/// Units of a sub-question that come before what the strategy finds by itself. Of one whose
/// answer is confirmed it is the unit that states it; of one whose answer is not, the best.
const FIRST: usize = 3;
/// The weight of the tie from a confirmed answer to a unit that names it, and to one that does not.
const NAMED: f32 = 1.0;
const UNNAMED: f32 = 0.5;

/// The hits of a plan, within the query's budgets: the best of each sub-question in their order,
/// then the second best of each and so on, then what the strategy found for the whole question.
/// So a chain comes first, from its beginning to its end, and the end has more than one try.
pub(super) fn merge(query: &Query, view: View, parts: &[Part], plain: Vec<Hit>) -> Vec<Hit> {
    let mut retrieval = query.retrieval.clone();
    if view == View::Chunks {
        // All chunks are text: they get the figures' budget as well.
        retrieval.text_budget += retrieval.visual_budget;
    }
    let mut left = Budget::of(&retrieval);
    let mut out: Vec<Hit> = Vec::new();
    let mut facets = facets(parts);
    for row in 0..FIRST {
        for (at, part) in parts.iter().enumerate() {
            let best = candidates(part, row);
            let is_new = |hit: &&Hit| out.iter().all(|other| other.key != hit.key);
            let Some(hit) = best
                .iter()
                .filter(is_new)
                .find(|hit| left.has(hit.unit.modality))
            else {
                continue;
            };
            left.take(hit.unit.modality);
            let (role, via) = tie(parts, at, hit, row == 0);
            out.push(Hit {
                role,
                via,
                facets: std::mem::take(&mut facets[at]),
                ..hit.clone()
            });
        }
    }
    for hit in plain {
        let is_new = out.iter().all(|other| other.key != hit.key);
        if is_new && left.take(hit.unit.modality) {
            out.push(hit);
        }
    }
    // The order is the ranking; the scores of several searches do not compare.
    let mut most = 0.0_f32;
    for hit in out.iter_mut().rev() {
        most = most.max(hit.score);
        hit.score = most;
    }
    out
}

/// The units of a sub-question of which one may be taken in this row.
fn candidates(part: &Part, row: usize) -> &[Hit] {
    match (part.state, part.bridge) {
        (PartState::Confirmed, Some(at)) if row == 0 => &part.hits[at..=at],
        (PartState::Unconfirmed, _) if row == 0 => &part.hits[..part.hits.len().min(1)],
        (PartState::Found, _) => &part.hits,
        _ => &[],
    }
}

/// What a unit of a sub-question is for, and what led to it.
fn tie(parts: &[Part], at: usize, hit: &Hit, is_best: bool) -> (Role, Option<Via>) {
    if let Some((answer, from)) = led_by(&parts[at], parts)
        && from != hit.key
    {
        let names = names(&hit.unit, answer);
        if names || is_best {
            let via = Via {
                from,
                tie: Tie::Anchor(answer.to_owned()),
                weight: if names { NAMED } else { UNNAMED },
            };
            return (Role::Target, Some(via));
        }
    }
    let role = if parts[at].state == PartState::Confirmed {
        Role::Bridge
    } else {
        Role::Direct
    };
    (role, None)
}

/// The confirmed answer that a sub-question uses, and the unit that states it.
pub(super) fn led_by<'a>(part: &Part, before: &'a [Part]) -> Option<(&'a str, UnitKey)> {
    let used = before.get(part.uses?)?;
    let bridge = used.hits.get(used.bridge?)?;
    Some((used.answer.as_deref()?, bridge.key))
}

/// For each sub-question its words that say something, without those of earlier ones and of the
/// answers put in.
fn facets(parts: &[Part]) -> Vec<Vec<String>> {
    let words_of = |text: &str| -> Vec<String> {
        let text = text.to_lowercase();
        let all = words(&text).into_iter().map(|at| text[at].to_owned());
        all.filter(|word| !is_function_word(word)).collect()
    };
    let answers = parts.iter().filter_map(|part| part.answer.as_deref());
    let mut known: HashSet<String> = answers.flat_map(words_of).collect();
    let mut facets_of = |part: &Part| -> Vec<String> {
        let own = words_of(&part.text).into_iter();
        own.filter(|word| known.insert(word.clone())).collect()
    };
    parts.iter().map(&mut facets_of).collect()
}

/// Whether an answer stands in a unit: in its words, its caption, or the headings that it stands
/// under.
pub(super) fn names(unit: &EvidenceUnit, answer: &str) -> bool {
    let mut out = vec![unit.document_title.as_str()];
    out.extend(unit.heading_path());
    out.extend(unit.content.caption.as_deref());
    let picture = unit.content.picture.as_ref();
    out.extend(picture.into_iter().flat_map(Picture::told));
    out.push(&unit.content.text);
    stands_in(answer, &out.join("\n"))
}
