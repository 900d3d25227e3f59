//! Finding evidence by a plan, with the real embedding model and a scripted language model.

mod common;

use catena_document::View;
use catena_engine::{
    Found, Hit, Planner, Prompts, Retrieval, Topology, by_name, embed_query, ensure_view, retrieve,
};
use catena_index::{Store, Writer};
use catena_models::{ChatError, ChatRequest, ChatUsage, Generator};
use common::Place;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// A model that says one reply after the other, and then fails.
struct Script(Mutex<Vec<&'static str>>);

impl Generator for Script {
    fn name(&self) -> &'static str {
        "script"
    }

    fn generate(
        &self,
        _: &ChatRequest,
        _: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, ChatError> {
        let mut replies = self.0.lock().unwrap();
        if replies.is_empty() {
            return Err(ChatError::Broken("it stopped".to_owned()));
        }
        delta(replies.remove(0));
        Ok(ChatUsage {
            prompt_tokens: 100,
            completion_tokens: 10,
            ..ChatUsage::default()
        })
    }
}

fn pumps() -> Place {
    Place::of(&[
        (
            "pump.md",
            "# Pump P-7\n\nThe pump P-7 was designed by Ada Kestrel.\n",
        ),
        (
            "kestrel.md",
            "# Ada Kestrel\n\nAda Kestrel was born in Bergen in 1931.\n",
        ),
        (
            "bergen.md",
            "# Bergen\n\nIn Bergen it rains on 230 days a year.\n",
        ),
        (
            "rain.md",
            "# Rain\n\nOn how many days it rains a year in a birthplace is not told.\n",
        ),
        (
            "valve.md",
            "# Valve V-2\n\nThe designer of the valve V-2 was born in Leeds.\n",
        ),
    ])
}

/// What is found with a plan of these replies.
fn find(place: &Place, strategy: &str, budget: usize, replies: &[&'static str]) -> Found {
    let snapshot = Store::open(place.store()).unwrap().snapshot().unwrap();
    let retrieval = Retrieval {
        text_budget: budget,
        visual_budget: 1,
        ..Retrieval::default()
    };
    let question = "On how many days does it rain in the birthplace of the designer of pump P-7?";
    let query = embed_query(question, place.embedder.as_ref(), retrieval).unwrap();
    let prompts = Prompts::default();
    let planner = Planner {
        prompts: &prompts,
        generator: &Script(Mutex::new(replies.to_vec())),
        calls: 5,
        cancel: &AtomicBool::new(false),
    };
    let strategy = by_name(strategy).unwrap();
    let embedder = place.embedder.as_ref();
    retrieve(&snapshot, &query, strategy, embedder, Some(planner)).unwrap()
}

const SPLIT: &str = r#"{"sub_questions": ["Who designed the pump P-7?", "Where was #1 born?",
    "On how many days does it rain in #2?"]}"#;
const ADA: &str = r#"{"answer": "Ada Kestrel", "label": "1"}"#;
const BERGEN: &str = r#"{"answer": "Bergen", "label": "1"}"#;

/// The hits: role, title, and what led to it; then the facets.
fn show(found: &Found) -> String {
    let line = |hit: &Hit| {
        let leader = hit.via.as_ref().map(|via| via.from);
        let from = found.hits.iter().position(|hit| Some(hit.key) == leader);
        let from = from.map_or_else(String::new, |at| format!(" from {}", at + 1));
        let title = &hit.unit.document_title;
        let facets = hit.facets.join(" ");
        let line = format!("{} {title}{from}: {facets}", hit.role.name());
        line.trim_end().to_owned()
    };
    let lines: Vec<String> = found.hits.iter().map(line).collect();
    lines.join("\n")
}

#[test]
fn a_chain_of_three() {
    let place = pumps();
    let found = find(&place, "topology", 3, &[SPLIT, ADA, BERGEN]);
    assert_eq!(found.warnings, Vec::<String>::new());
    let plan = found.plan.as_ref().unwrap();
    assert_eq!((plan.calls, plan.usage.prompt_tokens), (3, 300));
    assert_eq!(
        plan.parts[2].text,
        "On how many days does it rain in Bergen?"
    );
    insta::assert_snapshot!(show(&found), @"
    bridge Pump P-7: designed pump p 7
    target Ada Kestrel from 1: born
    target Bergen from 2: many days does rain
    ");
    assert_eq!(Topology::of(&found.hits), Topology::Bridge);
}

#[test]
fn one_that_breaks_off_keeps_what_was_found() {
    let place = pumps();
    let found = find(&place, "topology", 5, &[SPLIT, ADA]);
    insta::assert_snapshot!(found.warnings.join("\n"), @"the answer to sub-question 2 is not confirmed: the language model's answer broke off: it stopped; what needs it was not searched");
    insta::assert_snapshot!(show(&found), @"
    bridge Pump P-7: designed pump p 7
    target Ada Kestrel from 1: born
    direct Rain: many days rain birthplace
    target Bergen from 2:
    direct Valve V-2:
    ");
}

#[test]
fn chunks_have_both_budgets() {
    let place = pumps();
    let mut writer = Writer::open(place.store()).unwrap();
    let store = Store::open(place.store()).unwrap();
    let (embedder, cancel) = (place.embedder.as_ref(), AtomicBool::new(false));
    ensure_view(&store, &mut writer, View::Chunks, embedder, &cancel).unwrap();
    writer.close().unwrap();
    let found = find(&place, "flat", 3, &[SPLIT, ADA, BERGEN]);
    assert_eq!(found.hits.len(), 4, "{}", show(&found));
}
