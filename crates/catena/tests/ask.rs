//! Questions and their answers, on the example manual.

mod common;

use common::{Folder, finish, list, manual, text};
use serde_json::Value;
use std::fs;

const E4: &str = "The display shows E4 and the pump hums but does not build pressure. What do I replace, and how?";

/// The twelve steps of section 7.2, by their beginnings.
const STEPS: [&str; 12] = [
    "1. Take off the left side panel",
    "2. Put a cloth under the pump",
    "3. Unscrew the union of the inlet hose",
    "4. Mark the position of the pump",
    "5. Loosen the clamp-ring screw by four turns",
    "6. Pull the pump straight off the motor",
    "7. Pull the old coupling insert out",
    "8. Move the inlet fitting",
    "9. Push the new pump onto the motor",
    "10. Tighten the clamp-ring screw to 4 N·m",
    "11. Connect the inlet hose",
    "12. Open the mains tap V1",
];

#[test]
fn a_question_gets_the_table_row_the_procedure_and_the_figure() {
    let answer = manual().json(&["ask", E4, "--json"], 0);
    assert_eq!(answer["outcome"], "answered");
    assert_eq!(text(&answer["question"]), E4);
    let blocks = list(&answer["blocks"]);

    let table = blocks.iter().find(|block| block["type"] == "table");
    let table = table.expect("a table");
    assert_eq!(text(&table["caption"]), "Table 11. Fault codes");
    let rows = text(&table["markdown"]);
    assert!(
        rows.contains("| E4 | Pump pressure too low | Pump hums but builds up no pressure"),
        "{rows}"
    );
    assert!(
        !rows.contains("| E9 |"),
        "only the rows that matter: {rows}"
    );

    // The steps in their order, with the figure after the sixth.
    let told: Vec<&str> = blocks
        .iter()
        .map(|block| match text(&block["type"]) {
            "text" => text(&block["markdown"]),
            _ => text(&block["caption"]),
        })
        .collect();
    let told = told.join("\n");
    let mut at = 0;
    let (before, after) = STEPS.split_at(6);
    for step in before
        .iter()
        .chain(&["Figure 12. Removing the pump"])
        .chain(after)
    {
        let found = told[at..].find(step);
        at += found.unwrap_or_else(|| panic!("`{step}` is not where it belongs in:\n{told}"));
    }

    let figure = blocks.iter().find(|block| block["type"] == "figure");
    let image = fs::read(text(&figure.expect("a figure")["image"])).expect("a file");
    assert!(image.starts_with(b"\x89PNG"));

    let citations = list(&answer["citations"]);
    let labels: Vec<u64> = citations
        .iter()
        .filter_map(|c| c["label"].as_u64())
        .collect();
    assert_eq!(labels, (1..=citations.len() as u64).collect::<Vec<_>>());
    for block in blocks {
        let cited = match &block["citation"] {
            Value::Null => list(&block["citations"]).clone(),
            one => vec![one.clone()],
        };
        assert!(!cited.is_empty(), "every block has its source: {block}");
        let known = |label: &Value| labels.contains(&label.as_u64().expect("a number"));
        assert!(cited.iter().all(known));
    }
    let pages = |heading: &str| -> Vec<u64> {
        let cited = citations.iter().filter(|c| {
            list(&c["path"])
                .last()
                .is_some_and(|last| text(last) == heading)
        });
        let places = cited.flat_map(|c| list(&c["places"]));
        let mut pages: Vec<u64> = places.filter_map(|place| place["page"].as_u64()).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    };
    assert_eq!(pages("8.1 Fault codes"), [18]);
    assert_eq!(pages("7.2 Replace the pump"), [13, 14]);
}

#[test]
fn an_answer_in_the_terminal() {
    let output = manual().check(&["ask", E4], 0);
    assert!(
        !output.stdout.contains('\u{1b}'),
        "no escape codes in a pipe"
    );
    let shown = &output.stdout;
    for part in [
        "Table 11. Fault codes [1]\n┌──────┬─",
        "│ E4   │ Pump pressure too low │ Pump hums but builds  │ Replace the pump, see │\n",
        "\n\n7.2 Replace the pump [",
        "\n 1. Take off the left side panel, see Section 7.1.\n",
        "\n 2. Put a cloth under the pump. Unscrew the union of the outlet pipe and swing\n    the pipe",
        "\n\nSources\n[1] Kestrane Tarn Service Manual, 8.1 Fault codes, page 18\n",
    ] {
        assert!(shown.contains(part), "{part:?} is not in:\n{shown}");
    }
    let figure = shown
        .lines()
        .find(|line| line.starts_with("Figure 12. Removing the pump ["));
    let path = figure
        .and_then(|line| line.split_once("]  → "))
        .expect("a path")
        .1;
    assert!(fs::read(path).expect("a picture").starts_with(b"\x89PNG"));
    assert!(
        shown
            .lines()
            .all(|line| line.chars().count() <= 80 || line.contains("→"))
    );
    assert_eq!(output.stderr, "");
    let colours = manual().check(&["ask", E4, "--color", "always"], 0).stdout;
    assert!(colours.contains("\u{1b}[1m") && !colours.contains("\u{1b}_G"));
}

#[test]
fn what_the_documents_do_not_say() {
    let question = "How do I connect the machine to a wireless network?";
    let output = manual().check(&["ask", question], 1);
    assert!(
        output.stdout.starts_with("Not in these documents\n"),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("[1] Kestrane Tarn Service Manual, "));
    let answer = manual().json(&["ask", question, "--json"], 1);
    assert_eq!(answer["outcome"], "insufficient_evidence");
    assert!(list(&answer["blocks"]).is_empty() && !list(&answer["citations"]).is_empty());
}

#[test]
fn a_page_that_asks_nothing_of_a_network() {
    let folder = manual();
    let file = folder.path().join("answer.html");
    let output = folder.check(&["ask", E4, "--html", "answer.html"], 0);
    assert_eq!(output.stderr, "Wrote `answer.html`\n");
    let page = fs::read_to_string(file).expect("the page");
    for outside in [
        "http:", "https:", "//", "url(", "<script", "<link", "@import", "srcset", "<iframe",
    ] {
        let found = page
            .split(";base64,")
            .map(|part| part.split_once('"').map_or(part, |(_, rest)| rest));
        assert!(
            found.clone().skip(1).all(|part| !part.contains(outside)),
            "{outside}"
        );
        assert!(
            !page[..page.find(";base64,").expect("a picture")].contains(outside),
            "{outside}"
        );
    }
    let sources = page.matches("src=\"").count();
    assert_eq!(sources, page.matches("src=\"data:image/").count());
    assert!(page.contains("default-src 'none'") && page.contains("<rect "));
    assert!(page.contains("alt=\"Figure 12. Removing the pump\""));
    // Every mark leads to a source.
    for link in page.split("href=\"#").skip(1) {
        let id = link.split('"').next().expect("an id");
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
}

#[test]
fn a_page_runs_nothing_of_a_document() {
    let folder = Folder::new();
    folder.write(
        "bad.md",
        "# Valve \\<script>alert(1)\\</script>\n\nThe valve opens at a pressure \\<b onclick=x>of\\</b> 3 bar.",
    );
    let args = [
        "ask",
        "At what pressure does the valve open?",
        "--in",
        "bad.md",
        "--html",
        "a.html",
    ];
    folder.check(&args, 0);
    let page = fs::read_to_string(folder.path().join("a.html")).expect("the page");
    assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
    assert!(page.contains("&lt;b onclick=x&gt;of"), "{page}");
    assert!(!page.contains("<script") && !page.contains("<b "), "{page}");
    assert!(page.contains("<mark>"), "the quote in its context");
}

#[test]
fn answers_from_named_files_only() {
    let folder = Folder::new();
    folder.write(
        "a.md",
        "# Boiler\n\nThe boiler of the first machine holds 3 litres.",
    );
    folder.write(
        "b.md",
        "# Boiler\n\nThe boiler of the second machine holds 7 litres.",
    );
    folder.check(&["add", "a.md"], 0);
    let answer = folder.json(
        &[
            "ask",
            "How much does the boiler hold?",
            "--json",
            "--in",
            "b.md",
        ],
        0,
    );
    let told = answer["blocks"].to_string();
    assert!(
        told.contains("7 litres") && !told.contains("3 litres"),
        "{told}"
    );
    let answer = folder.json(
        &[
            "ask",
            "How much does the boiler hold?",
            "--json",
            "--document",
            "a.md",
        ],
        0,
    );
    let told = answer["blocks"].to_string();
    assert!(
        told.contains("3 litres") && !told.contains("7 litres"),
        "{told}"
    );
}

#[test]
fn a_language_model_that_is_away_is_a_warning() {
    let folder = Folder::new();
    folder.write("a.md", "# Boiler\n\nThe boiler holds 3 litres.");
    folder.check(&["add", "a.md"], 0);
    let mut command = folder.command(&["ask", "How much does the boiler hold?"]);
    command
        .env("CATENA_LLM_URL", "http://127.0.0.1:9/v1")
        .env("CATENA_LLM_MODEL", "m");
    let output = finish(command);
    assert_eq!(output.code, 0);
    assert!(output.stdout.contains("3 litres"));
    assert!(
        output
            .stderr
            .starts_with("warning: cannot reach the language model"),
        "{}",
        output.stderr
    );
}

/// Two documents of which one says who made a pump, the other where that firm sits.
fn pump_and_firm() -> Folder {
    let folder = Folder::new();
    folder.write(
        "station.md",
        "# North station handbook\n\n## Pumps\n\nPump P-7 lifts the lake water into the settling \
         basin. It was made by Halvorsen Hydraulik and delivered with two spare seals.\n\n\
         ## Basin\n\nThe settling basin holds 400 cubic metres.",
    );
    folder.write(
        "suppliers.md",
        "# Suppliers\n\n## Halvorsen Hydraulik\n\nHalvorsen Hydraulik sits in Drammen, in a former \
         paper mill on the river.\n\n## Brekke Tools\n\nBrekke Tools sits in Bergen and rents out \
         scaffolds.",
    );
    folder.check(&["add", "station.md", "suppliers.md"], 0);
    folder
}

#[test]
fn the_chain_from_a_pump_to_where_its_maker_sits() {
    let folder = pump_and_firm();
    let question = "Where does the maker of P-7 sit?";
    for command in ["search", "ask"] {
        let found = folder.json(&[command, question, "--json"], 0);
        assert_eq!(found["topology"], "bridge");
        let hits = list(&found["hits"]);
        let of_role = |role: &str| hits.iter().find(|hit| hit["role"] == role);
        let bridge = of_role("bridge").expect("a bridge");
        let target = of_role("target").expect("a target");
        assert!(text(&bridge["text"]).contains("made by Halvorsen"));
        assert!(text(&target["text"]).contains("sits in Drammen"));
        assert_eq!(bridge["via"], Value::Null);
        let via = &target["via"];
        assert_eq!(via["from"], bridge["unit"]);
        assert_eq!(via["tie"], "anchor");
        assert_eq!(via["anchor"], "Halvorsen Hydraulik");
        let weight = via["weight"].as_f64().expect("a number");
        assert!(weight > 0.0 && weight <= 1.0);
        assert_eq!(target["facets"], serde_json::json!(["sit"]));
        assert!(hits.iter().all(|hit| hit["facets"].is_array()));

        let plain = folder.check(&[command, question], 0).stdout;
        let shown = folder.check(&[command, question, "--explain"], 0).stdout;
        for part in [
            "topology: bridge\n",
            "    target, from 1 by anchor \"Halvorsen Hydraulik\" (weight ",
            "\n1 ─ \"Halvorsen Hydraulik\" ─▶ 2\n",
        ] {
            assert!(shown.contains(part), "{part:?} is not in:\n{shown}");
            assert!(!plain.contains(part), "{part:?} is in:\n{plain}");
        }
        if command == "ask" {
            assert!(shown.starts_with(&plain), "the answer comes first");
        }
    }
}

#[test]
fn the_chain_drawn_on_a_page() {
    let folder = pump_and_firm();
    let question = "Where does the maker of P-7 sit?";
    let page = |flags: &[&str]| {
        let args = [&["ask", question, "--html", "a.html"], flags].concat();
        folder.check(&args, 0);
        fs::read_to_string(folder.path().join("a.html")).expect("the page")
    };
    let drawn = page(&["--explain"]);
    for part in [
        ">How the evidence hangs together</h2>",
        "Topology: <strong>bridge</strong>",
        ">&quot;Halvorsen Hydraulik&quot;</text>",
        ">bridge</text>",
        ">target</text>",
    ] {
        assert!(drawn.contains(part), "{part:?} is not in:\n{drawn}");
    }
    assert!(!drawn.contains(" style=\""), "the page's policy forbids it");
    assert!(!page(&[]).contains("How the evidence hangs together"));
}
