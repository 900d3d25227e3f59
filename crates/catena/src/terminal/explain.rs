//! How evidence was found, and how it hangs together, as text.

use super::READABLE;
use super::hits::hit;
use super::wrap::{clean, wrap};
use crate::chain::{chains, leaders, tie};
use crate::output::{BOLD, DIM, paint};
use catena_engine::{Hit, Topology};

/// The topology of hits, each hit with its role, its tie and its scores, and the chains that they
/// make.
pub(crate) fn explain(hits: &[Hit], width: usize) -> String {
    let topology = Topology::of(hits).name();
    let mut out = format!("topology: {}\n", paint(BOLD, topology));
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
    use catena_engine::{Role, Tie};

    fn show(hits: &[Hit]) -> String {
        anstream::adapter::strip_str(&explain(hits, 60)).to_string()
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
