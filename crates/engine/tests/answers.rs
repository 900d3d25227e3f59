//! Adding, finding and answering on small documents with the real embedding model.

mod common;

use catena_document::View;
use catena_engine::{Answer, AnswerOutcome, Block, FileToAdd, Mode, Outcome, ensure_view};
use catena_index::{Store, Writer};
use catena_models::{ChatError, ChatRequest, ChatUsage, Generator};
use common::Place;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

const MANUAL: &str = "# Pump manual

## 1 Faults

The display shows a code when the pump stops.

| Code | Cause | Remedy |
|---|---|---|
| E1 | No water | Open the tap |
| E4 | Worn vanes | Replace the pump, see Section 2 |

## 2 Replace the pump

**WARNING: Hot water.** Let the machine cool.

1. Close the mains tap.
2. Unscrew the union.

   ![The union](union.svg)

   *Figure 1. The union*

3. Lift the pump out.

## 3 Storage

Frost below 5 °C bursts the boiler. Never store the pump wet. The pump keeps for five years.
";

const PICTURE: &[u8] = br#"<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">
<circle cx="60" cy="50" r="30"/><text x="110" y="55">union</text></svg>"#;

fn manual() -> Place {
    let place = Place::new();
    place.write("union.svg", PICTURE);
    let file = place.write("manual.md", MANUAL.as_bytes());
    let outcome = place.add(&file);
    assert!(matches!(outcome, Ok(Outcome::Added { .. })), "{outcome:?}");
    place
}

/// An answer as text, blocks parted by lines.
fn show(answer: &Answer) -> String {
    let lines: Vec<String> = answer
        .blocks
        .iter()
        .map(|block| match block {
            Block::Text {
                markdown,
                citations,
                ..
            } => format!("{markdown} {citations:?}"),
            Block::Figure {
                caption, citation, ..
            } => format!("<{caption}> [{citation}]"),
            Block::Table {
                caption,
                markdown,
                citation,
                ..
            } => format!("{caption}\n{markdown}[{citation}]"),
        })
        .collect();
    lines.join("\n---\n")
}

#[test]
fn a_fault_leads_to_its_procedure_with_the_figure() {
    let (_, answer) = manual().ask(
        "The display shows code E4: what do I replace, and how?",
        "hierarchy",
        Mode::Evidence,
    );
    insta::assert_snapshot!(show(&answer), @"

    | Code | Cause | Remedy |
    | --- | --- | --- |
    | E4 | Worn vanes | Replace the pump, see Section 2 |
    [1]
    ---
    **2 Replace the pump** [2]
    ---
    WARNING: Hot water. Let the machine cool.

    1. Close the mains tap.
    2. Unscrew the union. [3]
    ---
    <Figure 1. The union> [4]
    ---
    3. Lift the pump out. [5]
    ");
    assert_eq!(answer.outcome, AnswerOutcome::Answered);
}

#[test]
fn every_told_sentence_stands_in_its_source() {
    let place = manual();
    for question in [
        "What does frost do?",
        "How long does the pump keep?",
        "May I store the pump wet?",
        "What is the cause of E1?",
    ] {
        let (hits, answer) = place.ask(question, "hierarchy", Mode::Evidence);
        assert!(!answer.blocks.is_empty(), "{question}");
        for citation in &answer.citations {
            let hit = hits.iter().find(|hit| hit.unit.id == citation.unit);
            let unit = &hit.expect("a cited unit was found").unit;
            let in_text = unit.content.text.contains(&citation.quote);
            let in_caption = unit.content.caption.as_ref() == Some(&citation.quote);
            assert!(in_text || in_caption, "{question}: {}", citation.quote);
        }
    }
}

#[test]
fn what_is_not_there_is_not_answered() {
    let question = "Which zebra won the parliament lottery?";
    let (_, answer) = manual().ask(question, "hierarchy", Mode::Evidence);
    assert_eq!(answer.outcome, AnswerOutcome::InsufficientEvidence);
    assert!(answer.blocks.is_empty());
}

const GRINDER: &str = "# Grinder

## 1 Control panel

The panel has four keys.

![The panel](union.svg)

*Figure 1. The panel*

Press any key to wake the grinder.

## 2 Cleaning

Clean the control panel with a dry cloth once a week.
";

#[test]
fn a_section_that_is_named_is_told_with_its_figures() {
    let place = Place::new();
    place.write("union.svg", PICTURE);
    let file = place.write("grinder.md", GRINDER.as_bytes());
    assert!(matches!(place.add(&file), Ok(Outcome::Added { .. })));
    let ask = |question: &str| show(&place.ask(question, "topology", Mode::Evidence).1);
    insta::assert_snapshot!(ask("What is the control panel, and what does it look like?"), @"
    **1 Control panel** [1]
    ---
    The panel has four keys. [2]
    ---
    <Figure 1. The panel> [3]
    ---
    Press any key to wake the grinder. [4]
    ");
    // What asks for more than the heading says gets what answers it.
    let cleaned = ask("With which cloth is the control panel cleaned every week?");
    assert!(
        cleaned.contains("dry cloth") && !cleaned.contains("Control panel"),
        "{cleaned}"
    );
}

#[test]
fn files_are_skipped_replaced_and_known() {
    let place = manual();
    let file = place.write("manual.md", MANUAL.as_bytes());
    assert!(matches!(place.add(&file), Ok(Outcome::Unchanged(_))));
    let copy = place.write("copy.md", MANUAL.as_bytes());
    assert!(matches!(place.add(&copy), Ok(Outcome::Known(_))));
    let changed = place.write("manual.md", MANUAL.replace("five", "six").as_bytes());
    let outcome = place.add(&changed);
    assert!(
        matches!(outcome, Ok(Outcome::Added { replaced: true, .. })),
        "{outcome:?}"
    );
    let empty = place.write("empty.md", b"");
    let error = place.add(&empty).unwrap_err().to_string();
    assert!(error.ends_with("the file is empty"), "{error}");
}

#[test]
fn pictures_out_of_the_folder_are_not_read() {
    let place = Place::new();
    place.write("secret.svg", PICTURE);
    let inner = place.folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let path = inner.join("a.md");
    std::fs::write(&path, "# T\n\nText to find.\n\n![x](../secret.svg)\n").unwrap();
    let file = FileToAdd { path, root: inner };
    assert!(matches!(place.add(&file), Ok(Outcome::Added { .. })));
    let (hits, _) = place.ask("x", "hierarchy", Mode::Evidence);
    assert!(!hits.is_empty());
    assert!(hits.iter().all(|hit| hit.unit.image().is_none()));
}

#[test]
fn the_flat_view_is_added_when_it_is_asked_for() {
    let place = manual();
    let store = Store::open(place.store()).unwrap();
    let mut writer = Writer::open(place.store()).unwrap();
    let cancel = AtomicBool::new(false);
    let embedder = place.embedder.as_ref();
    let mut ensure = || ensure_view(&store, &mut writer, View::Chunks, embedder, &cancel).unwrap();
    assert_eq!((ensure(), ensure()), (1, 0));
    drop(writer);
    let (hits, _) = place.ask("frost", "flat", Mode::Evidence);
    assert!(hits[0].unit.content.text.contains("Frost"));
}

/// A model that says what it is told to, or fails.
struct Scripted(Result<&'static str, ()>);

impl Generator for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn generate(
        &self,
        _: &ChatRequest,
        _: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, ChatError> {
        let broken = |()| ChatError::Broken("it stopped".to_owned());
        for piece in self.0.map_err(broken)?.as_bytes().chunks(3) {
            delta(std::str::from_utf8(piece).unwrap());
        }
        Ok(ChatUsage::default())
    }
}

#[test]
fn made_up_labels_never_reach_the_reader() {
    let place = manual();
    let text = "Close the tap [1] [77].\n\nSee it [figure1] [figure9].\n\nDone [table1].";
    let model = Scripted(Ok(text));
    let (_, answer) = place.ask("How do I replace the pump?", "hierarchy", Mode::Llm(&model));
    let text = show(&answer);
    assert!(!text.contains("77") && !text.contains("figure9"), "{text}");
    assert!(text.contains("<Figure 1. The union>"), "{text}");
    assert_eq!(answer.warnings.len(), 2, "{:?}", answer.warnings);
}

#[test]
fn a_model_that_fails_leaves_the_evidence_to_answer() {
    let place = manual();
    let model = Scripted(Err(()));
    let (_, answer) = place.ask("What does frost do?", "hierarchy", Mode::Llm(&model));
    assert_eq!(answer.outcome, AnswerOutcome::Answered);
    assert!(show(&answer).contains("Frost below 5 °C bursts the boiler."));
    assert!(
        answer.warnings[0].contains("it stopped"),
        "{:?}",
        answer.warnings
    );
    let none = Scripted(Ok("NO EVIDENCE"));
    let (_, answer) = place.ask("What does frost do?", "hierarchy", Mode::Llm(&none));
    assert_eq!(answer.outcome, AnswerOutcome::InsufficientEvidence);
}

/// A model that says one thing, and keeps what it was asked.
struct Saying(&'static str, Mutex<String>);

impl Generator for Saying {
    fn name(&self) -> &'static str {
        "saying"
    }

    fn generate(
        &self,
        request: &ChatRequest,
        _: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, ChatError> {
        *self.1.lock().unwrap() = request.messages[1].words();
        delta(self.0);
        Ok(ChatUsage::default())
    }
}

#[test]
fn a_model_answers_in_the_language_of_the_question() {
    let place = manual();
    let check = |question: &str, said: &'static str, asks: Option<&str>, warns: Option<&str>| {
        let model = Saying(said, Mutex::default());
        let (_, answer) = place.ask(question, "topology", Mode::Llm(&model));
        let prompt = model.1.lock().unwrap().clone();
        let (_, asked) = prompt.rsplit_once(question).expect("it was asked");
        assert_eq!(asked.trim(), asks.unwrap_or_default(), "{question}");
        let other = answer.warnings.iter().find(|w| w.contains("answered in"));
        assert_eq!(other.map(String::as_str), warns, "{question}");
    };
    let german = "Frost unter 5 °C lässt den Kessel platzen, und die Pumpe hält fünf Jahre [1].";
    let english = "Frost below 5 °C bursts the boiler, and the pump keeps for five years [1].";
    let asked = "Bei welcher Temperatur kann der Frost den Kessel der Maschine platzen lassen, und was ist mit dem Wasser in der Pumpe zu tun?";
    let asks = Some("Answer in the language of the question.");
    check(asked, german, asks, None);
    let other = "the question is in German, the model answered in English";
    check(asked, english, asks, Some(other));
    check(
        "What does frost below 5 °C do to the boiler?",
        english,
        None,
        None,
    );
}

#[test]
fn a_model_that_says_nothing_leaves_the_answer_to_the_evidence() {
    let place = manual();
    for nothing in ["[1], [2], [1]", "[1]\n\n[2]", "What does frost do?"] {
        let model = Saying(nothing, Mutex::default());
        let (_, answer) = place.ask("What does frost do?", "topology", Mode::Llm(&model));
        assert!(show(&answer).contains("bursts the boiler"), "{answer:?}");
        let warned = answer
            .warnings
            .iter()
            .any(|w| w.contains("it says nothing"));
        assert!(warned, "{:?}", answer.warnings);
    }
}
