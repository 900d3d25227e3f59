//! How `topology` finds chains and parts of evidence, with the real embedding model.

mod common;

use catena_document::{Modality, Relation, View};
use catena_engine::{Hit, Mode, Retrieval, Role, Tie, Topology, add_relations};
use catena_index::{Filter, Store, Writer};
use common::Place;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

/// Hits as lines: place, role, what leads to them, heading and first words.
fn show(hits: &[Hit]) -> String {
    let mut out = format!("{}\n", Topology::of(hits).name());
    for (hit, number) in hits.iter().zip(1..) {
        let from = hit.via.as_ref().and_then(|via| {
            let from = hits.iter().position(|other| other.key == via.from)? + 1;
            Some(match &via.tie {
                Tie::Anchor(anchor) => format!(" ({from} by \"{anchor}\")"),
                Tie::Relation { stated, .. } => {
                    let [first, second] = stated.each_ref().map(Relation::words);
                    format!(" ({from} by \"{first}\" and \"{second}\")")
                }
                tie => format!(" ({from} by {})", tie.name()),
            })
        });
        let heading = hit.unit.heading_path().last().copied().map(str::to_owned);
        let _ = writeln!(
            out,
            "{number} {}{}: {}",
            hit.role.name(),
            from.filter(|_| hit.role == Role::Target)
                .unwrap_or_default(),
            heading.unwrap_or_else(|| hit.unit.document_title.clone()),
        );
    }
    out
}

/// The first hits of a question that are more than leftovers.
fn first(place: &Place, question: &str, count: usize) -> String {
    let hits = place.find(question, "topology", Retrieval::default());
    show(&hits[..count.min(hits.len())])
}

const PUMPS: &[(&str, &str)] = &[
    (
        "pump.md",
        "# Pump P-7\n\nThe pump P-7 moves 40 litres a minute. It was designed by Ada Kestrel.\n",
    ),
    (
        "kestrel.md",
        "# Ada Kestrel\n\nAda Kestrel was born in Bergen in 1931 and learned to sail before she \
         could read.\n",
    ),
    (
        "bergen.md",
        "# Bergen\n\nIn Bergen it rains on 230 days a year; the harbour never freezes.\n",
    ),
    (
        "valve.md",
        "# Valve V-2\n\nThe valve V-2 was designed by Tom Arden, who was born in Leeds.\n",
    ),
    (
        "pump9.md",
        "# Pump P-9\n\nThe pump P-9 has a steel rotor. Its designer is not known.\n",
    ),
    (
        "rain.md",
        "# Rain\n\nRain falls on many days of the year in the north and rarely in the south.\n",
    ),
];

#[test]
fn a_bridge_leads_from_what_is_described_to_what_is_asked() {
    let place = Place::of(PUMPS);
    insta::assert_snapshot!(first(&place, "Where was the designer of the pump P-7 born?", 3), @r#"
    bridge
    1 bridge: Pump P-7
    2 target (1 by "Ada Kestrel"): Ada Kestrel
    3 direct: Pump P-9
    "#);
    insta::assert_snapshot!(
        first(&place, "How many days does it rain in the birthplace of the designer of pump P-7?", 4),
        @r#"
    bridge
    1 bridge: Pump P-7
    2 direct: Rain
    3 target (1 by "Ada Kestrel"): Ada Kestrel
    4 target (3 by "Bergen"): Bergen
    "#
    );
}

#[test]
fn an_answer_tells_both_hops() {
    let place = Place::of(PUMPS);
    let question = "Where was the designer of the pump P-7 born?";
    let (_, answer) = place.ask(question, "topology", Mode::Evidence);
    let told: Vec<&str> = answer
        .citations
        .iter()
        .map(|citation| citation.quote.as_str())
        .collect();
    assert_eq!(
        told,
        [
            "The pump P-7 moves 40 litres a minute.",
            "It was designed by Ada Kestrel.",
            "Ada Kestrel was born in Bergen in 1931 and learned to sail before she could read.",
        ]
    );
}

#[test]
fn bridges_in_several_languages() {
    let place = Place::of(&[
        (
            "de1.md",
            "# Schleuse Nord\n\nDie Schleuse Nord wurde von der Firma Brandl Wasserbau gebaut und \
             1962 eröffnet. Sie hebt Schiffe um zwölf Meter.\n",
        ),
        (
            "de2.md",
            "# Brandl Wasserbau\n\nBrandl Wasserbau hat den Sitz in Passau und beschäftigt 300 \
             Menschen.\n",
        ),
        (
            "de3.md",
            "# Schleuse Süd\n\nDie Schleuse Süd ist die ältere der beiden und wird nicht mehr \
             benutzt.\n",
        ),
        (
            "ru1.md",
            "# Насос Н-4\n\nНасос Н-4 разработал инженер Павел Громов. Он подаёт воду на высоту \
             30 метров.\n",
        ),
        (
            "ru2.md",
            "# Павел Громов\n\nПавел Громов родился в Перми и учился в Казани.\n",
        ),
        (
            "ru3.md",
            "# Насос Н-9\n\nНасос Н-9 работает тише других и стоит дороже.\n",
        ),
        (
            "zh1.md",
            "# 红星水泵\n\n红星水泵由工程师王海涛设计，每分钟输送四十升水。\n",
        ),
        ("zh2.md", "# 王海涛\n\n王海涛出生于杭州，后来在上海学习。\n"),
        ("zh3.md", "# 蓝星水泵\n\n蓝星水泵的转子由钢制成。\n"),
        (
            "ar1.md",
            "# مضخة النيل\n\nصمم مضخة النيل المهندس سامي الحداد وهي ترفع الماء ثلاثين مترا.\n",
        ),
        (
            "ar2.md",
            "# سامي الحداد\n\nولد سامي الحداد في حلب ودرس في دمشق.\n",
        ),
        ("ar3.md", "# مضخة الفرات\n\nمضخة الفرات مصنوعة من الفولاذ.\n"),
    ]);
    let check = |question: &str, anchor: &str, bridge: &str, target: &str| {
        let hits = place.find(question, "topology", Retrieval::default());
        let at = |title: &str| hits.iter().position(|hit| hit.unit.document_title == title);
        let (from, to) = (at(bridge), at(target));
        assert!(
            from < Some(3) && to < Some(3),
            "{question}\n{}",
            show(&hits)
        );
        let via = to.and_then(|to| hits[to].via.as_ref());
        let tie = via.map(|via| (via.from, via.tie.clone()));
        let expected = from.map(|from| (hits[from].key, Tie::Anchor(anchor.to_owned())));
        assert_eq!(tie, expected, "{question}\n{}", show(&hits));
    };
    check(
        "Wo sitzt die Firma, die die Schleuse Nord gebaut hat?",
        "Brandl Wasserbau",
        "Schleuse Nord",
        "Brandl Wasserbau",
    );
    check(
        "Где родился инженер, который разработал насос Н-4?",
        "Павел Громов",
        "Насос Н-4",
        "Павел Громов",
    );
    check(
        "设计红星水泵的工程师出生在哪里？",
        "王海涛",
        "红星水泵",
        "王海涛",
    );
    check(
        "أين ولد المهندس الذي صمم مضخة النيل؟",
        "سامي الحداد",
        "مضخة النيل",
        "سامي الحداد",
    );
}

#[test]
fn the_parts_of_a_question_each_get_their_evidence() {
    let place = Place::of(&[
        (
            "boiler.md",
            "# Boiler\n\n## Pressure\n\nThe boiler runs at 9 bar.\n\n## Cleaning\n\nClean the \
             boiler with citric acid each month.\n",
        ),
        (
            "grinder.md",
            "# Grinder\n\n## Speed\n\nThe grinder turns 1,400 times a minute.\n\n## Cleaning\n\n\
             Brush the grinder out every evening.\n",
        ),
        ("fan.md", "# Fan\n\nThe fan has two speeds and no grille.\n"),
    ]);
    let question = "Which pressure has the boiler, and how often is the grinder brushed out?";
    let hits = place.find(question, "topology", Retrieval::default());
    let first: Vec<&str> = hits[..2]
        .iter()
        .map(|hit| hit.unit.content.text.as_str())
        .collect();
    assert!(first.iter().any(|text| text.contains("9 bar")), "{first:?}");
    assert!(
        first.iter().any(|text| text.contains("every evening")),
        "{first:?}"
    );
    assert_eq!(Topology::of(&hits), Topology::Synthesis);
    assert!(
        hits[0]
            .facets
            .iter()
            .all(|word| !hits[1].facets.contains(word))
    );
}

#[test]
fn what_a_question_names_by_its_label_is_found() {
    let place = Place::of(&[(
        "machine.md",
        "# Machine\n\n## 1 Safety\n\nKeep away from the belt.\n\n![](a.png)\n\n*Figure 1. The \
         belt*\n\n## 2 Start\n\nPress the green key.\n\n![](b.png)\n\n*Figure 2. The key*\n\n\
         | Key | Use |\n|---|---|\n| green | start |\n\n*Table 1. Keys*\n",
    )]);
    let check = |question: &str, modality: Modality, caption: &str| {
        let hits = place.find(question, "topology", Retrieval::default());
        let found = &hits[0].unit;
        assert_eq!(found.modality, modality, "{question}");
        let own = found.content.caption.as_deref().unwrap_or_default();
        assert!(own.contains(caption), "{question}: {own}");
    };
    check("What does figure 2 show?", Modality::Figure, "Figure 2");
    check("What is in Figure 1?", Modality::Figure, "Figure 1");
    check("Explain table 1", Modality::Table, "Table 1");
    let hits = place.find("What does section 2 say?", "topology", Retrieval::default());
    assert_eq!(hits[0].unit.heading_path(), ["2 Start"]);
}

#[test]
fn budgets_and_filters_hold_for_what_ties_lead_to() {
    let place = Place::of(PUMPS);
    let question = "Where was the designer of the pump P-7 born?";
    for (text_budget, visual_budget) in [(0, 0), (1, 0), (2, 3), (3, 1)] {
        let retrieval = Retrieval {
            text_budget,
            visual_budget,
            filter: Filter::default(),
        };
        for strategy in ["topology", "graph"] {
            let hits = place.find(question, strategy, retrieval.clone());
            assert_eq!(hits.len(), text_budget, "{strategy}, {text_budget}");
        }
    }
    let all = place.find(question, "topology", Retrieval::default());
    let pump = all.iter().find(|hit| hit.unit.document_title == "Pump P-7");
    let tables = Retrieval {
        filter: Filter {
            modalities: Some(vec![Modality::Table]),
            ..Filter::default()
        },
        ..Retrieval::default()
    };
    for strategy in ["topology", "graph"] {
        assert!(place.find(question, strategy, tables.clone()).is_empty());
    }
    let retrieval = Retrieval {
        filter: Filter {
            documents: pump.map(|hit| vec![hit.unit.id.document]),
            ..Filter::default()
        },
        ..Retrieval::default()
    };
    for strategy in ["topology", "graph"] {
        let hits = place.find(question, strategy, retrieval.clone());
        assert_eq!(hits.len(), 1, "{strategy}");
    }
}

#[test]
fn scores_never_rise_down_the_ranking() {
    let place = Place::of(PUMPS);
    for question in ["pump", "Bergen rain", "Who designed the valve?", "?!", "的"] {
        for strategy in ["topology", "graph"] {
            let hits = place.find(question, strategy, Retrieval::default());
            let falls = hits.windows(2).all(|pair| pair[0].score >= pair[1].score);
            assert!(falls, "{strategy}: {question}");
            let mut keys: Vec<_> = hits.iter().map(|hit| hit.key).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), hits.len(), "{strategy}: {question}");
        }
    }
}

/// Relations lead where the documents' own words do not: they name the designer otherwise.
#[test]
fn relations_lead_to_what_words_do_not() {
    let place = Place::of(&[
        (
            "gate.md",
            "# Gate G-3\n\nThe gate G-3 lifts 12 tonnes. She who drew it had won the contest of \
             1952.\n",
        ),
        (
            "mills.md",
            "# Water mills of the north\n\nThe winner of that contest grew up in Tromsø, between \
             two rivers.\n",
        ),
        (
            "gate4.md",
            "# Gate G-4\n\nThe gate G-4 lifts 9 tonnes and was drawn by a firm.\n",
        ),
        (
            "contest.md",
            "# Contests\n\nA contest of engineers is held every ten years.\n",
        ),
    ]);
    let question = "Where did the woman who designed the gate G-3 grow up?";
    let without = place.find(question, "topology", Retrieval::default());
    assert!(
        !show(&without).contains("and \"Ingrid Solheim"),
        "{}",
        show(&without)
    );
    let mut writer = Writer::open(place.store()).unwrap();
    let snapshot = Store::open(place.store()).unwrap().snapshot().unwrap();
    for (title, relation) in [
        (
            "Gate G-3",
            ["Gate G-3", "was designed by", "Ingrid Solheim"],
        ),
        (
            "Water mills of the north",
            ["Ingrid Solheim", "grew up in", "Tromsø"],
        ),
    ] {
        let documents = snapshot.documents().unwrap();
        let id = documents
            .iter()
            .find(|have| have.title == title)
            .unwrap()
            .id;
        let document = snapshot.document(&id).unwrap();
        let node = snapshot.units(&id, View::Evidence).unwrap()[0].nodes[0];
        let [subject, label, object] = relation;
        let relation = Relation::new(subject, label, object).unwrap();
        let (embedder, cancel) = (place.embedder.as_ref(), AtomicBool::new(false));
        add_relations(
            &document,
            vec![(node, relation)],
            &mut writer,
            embedder,
            &cancel,
        )
        .unwrap();
    }
    writer.close().unwrap();
    insta::assert_snapshot!(first(&place, question, 2), @r#"
    bridge
    1 bridge: Gate G-3
    2 target (1 by "Gate G-3 was designed by Ingrid Solheim" and "Ingrid Solheim grew up in Tromsø"): Water mills of the north
    "#);
    let hits = place.find(
        "What is the valve V-1234567 made of?",
        "topology",
        Retrieval::default(),
    );
    let other = hits
        .iter()
        .find(|hit| hit.unit.document_title == "Valve V-1234568");
    let tie = other.and_then(|hit| hit.via.as_ref()).map(|via| &via.tie);
    assert!(
        !matches!(tie, Some(Tie::Anchor(name)) if name.contains("123")),
        "{tie:?}"
    );
}

/// A name that one document spells otherwise leads on all the same; another number never does.
#[test]
fn near_spellings_of_a_name_are_one() {
    let place = Place::of(&[
        (
            "pump.md",
            "# Pump P-7\n\nThe pump P-7 was designed by Ada Kestrelberg.\n",
        ),
        (
            "other.md",
            "# Ada Kestrelburg\n\nAda Kestrelburg was born in Malmö and learned to swim.\n",
        ),
        (
            "valve.md",
            "# Valve V-1234567\n\nThe valve V-1234567 is of brass.\n",
        ),
        (
            "valve8.md",
            "# Valve V-1234568\n\nThe valve V-1234568 is of steel.\n",
        ),
    ]);
    let question = "Where was the designer of the pump P-7 born?";
    insta::assert_snapshot!(first(&place, question, 2), @r#"
    bridge
    1 bridge: Pump P-7
    2 target (1 by "Ada Kestrelberg"): Ada Kestrelburg
    "#);
    let hits = place.find(
        "What is the valve V-1234567 made of?",
        "topology",
        Retrieval::default(),
    );
    let other = hits
        .iter()
        .find(|hit| hit.unit.document_title == "Valve V-1234568");
    let tie = other.and_then(|hit| hit.via.as_ref()).map(|via| &via.tie);
    assert!(
        !matches!(tie, Some(Tie::Anchor(name)) if name.contains("123")),
        "{tie:?}"
    );
}
