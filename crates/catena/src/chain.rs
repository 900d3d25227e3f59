//! How hits lead to one another, as the terminal and the page tell it.

use catena_engine::{Hit, Role};

/// For each hit the place of the one that leads to it, where that is a hit as well. No hit leads
/// to itself, however many stand between.
pub(crate) fn leaders(hits: &[Hit]) -> Vec<Option<usize>> {
    let mut leaders: Vec<Option<usize>> = vec![None; hits.len()];
    for (at, hit) in hits.iter().enumerate() {
        let from = hit.via.as_ref().map(|via| via.from);
        let leader = hits.iter().position(|other| Some(other.key) == from);
        let mut above = leader;
        while let Some(before) = above.filter(|&before| before != at) {
            above = leaders[before];
        }
        if above.is_none() {
            leaders[at] = leader;
        }
    }
    leaders
}

/// The places of the hits from a bridge to each target that leads no further.
pub(crate) fn chains(hits: &[Hit]) -> Vec<Vec<usize>> {
    let leaders = leaders(hits);
    let is_target = |at: usize| hits[at].role == Role::Target && leaders[at].is_some();
    let leads_on =
        |at: usize| (0..hits.len()).any(|other| is_target(other) && leaders[other] == Some(at));
    let ends = (0..hits.len()).filter(|&at| is_target(at) && !leads_on(at));
    ends.map(|end| {
        let mut chain = vec![end];
        let mut at = end;
        while is_target(at)
            && let Some(before) = leaders[at]
        {
            chain.push(before);
            at = before;
        }
        chain.reverse();
        chain
    })
    .collect()
}

/// What ties a hit to the one before it: `"tim burton"`, or `reference`.
pub(crate) fn tie(hit: &Hit) -> String {
    let Some(tie) = hit.via.as_ref().map(|via| &via.tie) else {
        return String::new();
    };
    tie.anchor()
        .map_or_else(|| tie.name().to_owned(), |anchor| format!("\"{anchor}\""))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use catena_document::{
        Ancestor, BBox, Content, ContentHash, EvidenceUnit, LocalContext, LocalRelation, Modality,
        NodeId, Provenance, RelationKind, UnitId, View,
    };
    use catena_engine::{StageScore, Tie, Via};
    use catena_index::UnitKey;

    fn key(number: u32) -> UnitKey {
        UnitKey {
            seq: 1,
            view: View::Evidence,
            ordinal: number,
        }
    }

    /// The hit of a number, with no tie.
    pub(crate) fn hit(number: u32, role: Role) -> Hit {
        Hit {
            key: key(number),
            unit: EvidenceUnit {
                id: UnitId {
                    document: ContentHash::of(b"manual"),
                    view: View::Evidence,
                    ordinal: number,
                },
                document_title: "Pumps".to_owned(),
                modality: Modality::Text,
                content: Content {
                    text: format!("Words of {number}."),
                    ..Content::default()
                },
                path: Vec::new(),
                ancestors: vec![Ancestor {
                    node: NodeId(0),
                    level: 1,
                    heading: format!("Part {number}"),
                    context: String::new(),
                }],
                context: LocalContext::default(),
                relation: LocalRelation {
                    kind: RelationKind::Body,
                    to: None,
                },
                provenance: vec![Provenance {
                    page: number,
                    bbox: BBox::default(),
                    char_span: 0..4,
                }],
            },
            score: 1.0 / number as f32,
            scores: vec![StageScore {
                stage: "bm25",
                value: 4.0,
                rank: number,
            }],
            role,
            via: None,
            facets: Vec::new(),
        }
    }

    /// The hit of a number that another leads to, by an anchor.
    pub(crate) fn led(number: u32, role: Role, from: u32, anchor: &str) -> Hit {
        let tie = Tie::Anchor(anchor.to_owned());
        Hit {
            via: Some(Via {
                from: key(from),
                tie,
                weight: 0.5,
            }),
            ..hit(number, role)
        }
    }

    #[track_caller]
    fn check(hits: &[Hit], expected: &[&[usize]]) {
        assert_eq!(chains(hits), expected);
    }

    #[test]
    fn chains_go_from_a_bridge_to_the_last_target() {
        let bridge = || hit(1, Role::Bridge);
        check(&[bridge(), hit(2, Role::Direct)], &[]);
        check(
            &[
                bridge(),
                led(2, Role::Direct, 1, "a"),
                led(3, Role::Target, 1, "a"),
            ],
            &[&[0, 2]],
        );
        check(
            &[
                bridge(),
                led(2, Role::Target, 1, "a"),
                led(3, Role::Target, 2, "b"),
                led(4, Role::Target, 1, "c"),
            ],
            &[&[0, 1, 2], &[0, 3]],
        );
        // What led to it was not kept.
        check(&[bridge(), led(2, Role::Target, 9, "a")], &[]);
    }

    #[test]
    fn no_hit_leads_to_itself() {
        let hits = [
            led(1, Role::Target, 3, "a"),
            led(2, Role::Target, 1, "a"),
            led(3, Role::Target, 2, "a"),
        ];
        assert_eq!(leaders(&hits), [Some(2), Some(0), None]);
        check(&hits, &[&[2, 0, 1]]);
        assert_eq!(leaders(&[led(1, Role::Direct, 1, "a")]), [None]);
    }
}
