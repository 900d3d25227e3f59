//! How evidence was found, and how it hangs together, as text.

use super::READABLE;
use super::hits::hit;
use super::wrap::{clean, wrap};
use crate::chain::{chains, leaders, tie};
use crate::output::{BOLD, DIM, count, paint};
use anstyle::Style;
use catena_engine::{Found, Hit, PartState, Plan, Tie, Topology};

/// The topology of hits, each hit with its role, its tie and its scores, and the chains that they
/// make.
pub(crate) fn explain(found: &Found, width: usize) -> String {
    let hits = found.hits.as_slice();
    let mut out = String::new();
    if let Some(plan) = &found.plan {
        out.push_str(&steps(plan, width.min(READABLE)));
    }
    let topology = Topology::of(hits).name();
    out.push_str(&format!("topology: {}\n", paint(BOLD, topology)));
    let leaders = leaders(hits);
    for (at, one) in hits.iter().enumerate() {
        out.push('\n');
        out.push_str(&hit(one, at + 1, width));
        for line in [part(one, leaders[at]), scores(one)] {
            let line = wrap(&[(DIM, &line)], width.min(READABLE), "    ", "      ");
            out.push_str(&format!("{line}\n"));
        }
    }
    let chains = chains(hits);
    if !chains.is_empty() {
        out.push('\n');
    }
    for chain in chains {
        let line = wrap(
            &[(BOLD, &drawn(hits, &chain))],
            width.min(READABLE),
            "",
            "  ",
        );
        out.push_str(&format!("{line}\n"));
    }
    out
}

/// The sub-questions of a plan with what came of each, and what it took.
fn steps(plan: &Plan, width: usize) -> String {
    let calls = count(plan.calls, "call", "calls");
    let tokens = match plan.usage.prompt_tokens + plan.usage.completion_tokens {
        // The server does not tell.
        0 => String::new(),
        number => format!(", {number} tokens"),
    };
    let parts = match plan.parts.len() {
        0 => "searched as it is".to_owned(),
        number => format!("{number} sub-questions"),
    };
    let mut out = format!(
        "plan: {}\n",
        paint(BOLD, format_args!("{parts}, {calls}{tokens}"))
    );
    for (part, number) in plan.parts.iter().zip(1..) {
        let answer = part.answer.as_ref();
        let answer = answer.map_or_else(String::new, |answer| format!("\"{}\" ", clean(answer)));
        let came = match (part.state, part.unit) {
            (PartState::Found, _) => String::new(),
            (PartState::Confirmed, Some(unit)) => format!(" ─ {answer}confirmed by {unit}"),
            (PartState::Confirmed, None) => format!(" ─ {answer}confirmed"),
            (PartState::Unconfirmed, _) => format!(" ─ {answer}not confirmed"),
            (PartState::Left, _) => " ─ not searched".to_owned(),
        };
        let line = wrap(
            &[(Style::new(), &clean(&part.text)), (DIM, &came)],
            width,
            &format!("{number:>2}. "),
            "    ",
        );
        out.push_str(&format!("{line}\n"));
    }
    out.push('\n');
    out
}

/// `target, from 1 by anchor "tim burton" (weight 0.54); covers birthplace, director`
fn part(hit: &Hit, leader: Option<usize>) -> String {
    let mut out = hit.role.name().to_owned();
    if let (Some(via), Some(leader)) = (&hit.via, leader) {
        let name = via.tie.name();
        let tie = match tie(hit) {
            tie if tie == name => tie,
            tie => format!("{name} {}", clean(&tie)),
        };
        let (number, weight) = (leader + 1, via.weight);
        out.push_str(&format!(", from {number} by {tie} (weight {weight:.2})"));
        if let Tie::Relation { stated, .. } = &via.tie {
            let [first, second] = stated.each_ref().map(|stated| clean(&stated.words()));
            out.push_str(&format!(": {first}; {second}"));
        }
    }
    if !hit.facets.is_empty() {
        out.push_str(&format!("; covers {}", clean(&hit.facets.join(", "))));
    }
    out
}

/// `score 0.0325: bm25 12.310 (rank 1), dense 0.712 (rank 3); supports_paragraph`
fn scores(hit: &Hit) -> String {
    let stages: Vec<String> = hit
        .scores
        .iter()
        .map(|score| format!("{} {:.3} (rank {})", score.stage, score.value, score.rank))
        .collect();
    let stages = if stages.is_empty() {
        "not found by search".to_owned()
    } else {
        stages.join(", ")
    };
    let relation = hit.unit.relation.kind.name();
    format!("score {:.4}: {stages}; {relation}", hit.score)
}

/// `1 ─ "tim burton" ─▶ 3`
fn drawn(hits: &[Hit], chain: &[usize]) -> String {
    let mut out = String::new();
    for &at in chain {
        if !out.is_empty() {
            out.push_str(&format!(" ─ {} ─▶ ", clean(&tie(&hits[at]))));
        }
        out.push_str(&(at + 1).to_string());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::tests::{hit, led};
    use catena_engine::{Role, SubQuestion, Tie};

    fn show(hits: &[Hit]) -> String {
        planned(hits, None)
    }

    fn planned(hits: &[Hit], plan: Option<Plan>) -> String {
        let found = Found {
            hits: hits.to_vec(),
            plan,
            warnings: Vec::new(),
        };
        anstream::adapter::strip_str(&explain(&found, 60)).to_string()
    }

    #[test]
    fn a_plan_with_what_came_of_its_parts() {
        let hits = [hit(1, Role::Direct)];
        let part = |text: &str, state, answer: Option<&str>| SubQuestion {
            text: text.to_owned(),
            state,
            answer: answer.map(str::to_owned),
            unit: (state == PartState::Confirmed).then(|| hits[0].unit.id),
        };
        let mut plan = Plan {
            parts: vec![
                part("Who made it?", PartState::Confirmed, Some("Kestrane")),
                part(
                    "Who leads\u{1b} Kestrane?",
                    PartState::Unconfirmed,
                    Some("Tom"),
                ),
                part("Where was #2 born?", PartState::Left, None),
                part("What does it weigh?", PartState::Found, None),
            ],
            calls: 3,
            ..Plan::default()
        };
        plan.usage.prompt_tokens = 800;
        plan.usage.completion_tokens = 20;
        insta::assert_snapshot!(planned(&hits, Some(plan)), @r#"
        plan: 4 sub-questions, 3 calls, 820 tokens
         1. Who made it? ─ "Kestrane" confirmed by 36bde66f289a:1
         2. Who leads Kestrane? ─ "Tom" not confirmed
         3. Where was #2 born? ─ not searched
         4. What does it weigh?

        topology: single

         1. text 36bde66f289a:1, page 1
            Pumps > Part 1
            Words of 1.
            direct
            score 1.0000: bm25 4.000 (rank 1); body
        "#);
        insta::assert_snapshot!(planned(&hits, Some(Plan::default())), @"
        plan: searched as it is, 0 calls

        topology: single

         1. text 36bde66f289a:1, page 1
            Pumps > Part 1
            Words of 1.
            direct
            score 1.0000: bm25 4.000 (rank 1); body
        ");
    }

    #[test]
    fn a_chain_with_its_ties() {
        let facets = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let mut bridge = hit(1, Role::Bridge);
        bridge.facets = facets(&["film", "director"]);
        let mut figure = led(2, Role::Direct, 1, "");
        figure.via.as_mut().expect("a tie").tie = Tie::Reference;
        let mut target = led(3, Role::Target, 1, "tim\u{1b} burton");
        target.facets = facets(&["birthplace"]);
        target.scores.clear();
        let last = led(4, Role::Target, 3, "burbank");
        insta::assert_snapshot!(show(&[bridge, figure, target, last]), @r#"
        topology: bridge

         1. text 36bde66f289a:1, page 1
            Pumps > Part 1
            Words of 1.
            bridge; covers film, director
            score 1.0000: bm25 4.000 (rank 1); body

         2. text 36bde66f289a:2, page 2
            Pumps > Part 2
            Words of 2.
            direct, from 1 by reference (weight 0.50)
            score 0.5000: bm25 4.000 (rank 2); body

         3. text 36bde66f289a:3, page 3
            Pumps > Part 3
            Words of 3.
            target, from 1 by anchor "tim burton" (weight 0.50);
              covers birthplace
            score 0.3333: not found by search; body

         4. text 36bde66f289a:4, page 4
            Pumps > Part 4
            Words of 4.
            target, from 3 by anchor "burbank" (weight 0.50)
            score 0.2500: bm25 4.000 (rank 4); body

        1 ─ "tim burton" ─▶ 3 ─ "burbank" ─▶ 4
        "#);
    }

    #[test]
    fn parts_that_nothing_ties() {
        let mut parts = [hit(1, Role::Direct), hit(2, Role::Direct)];
        for part in &mut parts {
            part.facets = vec![format!("word{}", part.key.ordinal)];
        }
        insta::assert_snapshot!(show(&parts), @"
        topology: synthesis

         1. text 36bde66f289a:1, page 1
            Pumps > Part 1
            Words of 1.
            direct; covers word1
            score 1.0000: bm25 4.000 (rank 1); body

         2. text 36bde66f289a:2, page 2
            Pumps > Part 2
            Words of 2.
            direct; covers word2
            score 0.5000: bm25 4.000 (rank 2); body
        ");
        // What led to it is not among the hits.
        let alone = show(&[led(2, Role::Target, 9, "a")]);
        assert!(alone.contains("\n    target\n"), "{alone}");
        assert!(!alone.contains('▶'), "{alone}");
    }
}
