//! What a language model is asked about documents ahead, from a server on this machine that plays
//! one.

mod common;

use common::server::{Request, Server};
use common::{Folder, list, text};
use serde_json::Value;

/// What a model answers of the pump and of the works, and what cannot be read.
const PUMP: &str = r#"{"relations": [["Pump P-7", "was built by", "Brandl Works"]]}"#;
const WORKS: &str = r#"Sure: {"relations": [["Brandl Works", "sits in", "Linz"], ["", "x", "y"]]}"#;

fn works() -> Folder {
    let folder = Folder::new();
    folder.write(
        "1.md",
        "# Pump P-7\n\nThe pump P-7 was built by the Brandl Works.\n",
    );
    folder.write(
        "2.md",
        "# Firms on the Danube\n\nTheir works sit in Linz, where steel is made.\n",
    );
    folder.check(&["add", "1.md"], 0);
    folder.check(&["add", "2.md"], 0);
    folder
}

/// Runs `catena extract` against a server with these answers; what it wrote, and was asked.
fn extracted(folder: &Folder, arguments: &[&str], code: i32, answers: &[&str]) -> (String, usize) {
    let all = ["extract", "--no-progress"].iter().chain(arguments);
    let all: Vec<&str> = all.copied().collect();
    let (output, requests) = Server::saying(answers).run(folder, &all);
    assert_eq!(output.code, code, "{}", output.stderr);
    (output.stderr, requests.len())
}

#[test]
fn relations_are_extracted_call_by_call() {
    let folder = works();
    let (preview, asked) = extracted(&folder, &["--preview"], 0, &[]);
    assert!(
        preview.contains("2 documents to read: 2 calls of `m`"),
        "{preview}"
    );
    assert_eq!(asked, 0);
    // One call is paid and kept; the other document waits.
    let (stopped, asked) = extracted(&folder, &["--calls", "1"], 1, &[PUMP]);
    assert!(
        stopped.contains("1 document left; run it again to go on"),
        "{stopped}"
    );
    assert_eq!(asked, 1);
    // What cannot be read is asked for once more.
    let (done, asked) = extracted(&folder, &[], 0, &["No.", WORKS]);
    assert!(done.contains("1 call of `m`"), "{done}");
    assert!(done.contains("Stated 1 relation in 2 calls"), "{done}");
    assert_eq!(asked, 2);
    // All is there: nothing is asked again.
    let (again, asked) = extracted(&folder, &[], 0, &[]);
    assert!(again.contains("0 calls"), "{again}");
    assert_eq!(asked, 0);

    let question = "In which town sits the firm that built the pump P-7?";
    let found = folder.check(&["search", question, "--json"], 0).stdout;
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let hits = list(&found["hits"]);
    let via = hits
        .iter()
        .map(|hit| &hit["via"])
        .find(|via| via["tie"] == "relation");
    let via = via.unwrap_or_else(|| panic!("no tie by relations: {found:#}"));
    assert_eq!(text(&via["anchor"]), "Brandl Works");
    let stated: Vec<&str> = list(&via["stated"]).iter().map(text).collect();
    assert_eq!(
        stated,
        [
            "Pump P-7 was built by Brandl Works",
            "Brandl Works sits in Linz"
        ]
    );
    let shown = folder.check(&["show", "1.md"], 0).stdout;
    assert!(shown.contains("relations 1"), "{shown}");
}

#[test]
fn answers_that_cannot_be_read_are_told_and_a_missing_model_too() {
    let folder = works();
    let (warned, asked) = extracted(&folder, &["2.md"], 0, &["None.", "Still none."]);
    assert!(
        warned.contains("the answer for 1 unit could not be read"),
        "{warned}"
    );
    assert_eq!(asked, 2);
    let output = folder.run(&["extract"]);
    assert_eq!(output.code, 2);
    assert!(
        output.stderr.contains("no language model is set"),
        "{}",
        output.stderr
    );
}

/// A folder with a page of two figures, one of them with no word to it.
fn figures() -> Folder {
    let folder = Folder::new();
    let drawing = |shape: &str| {
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='90' height='60'>{shape}</svg>")
    };
    folder.write("valve.svg", drawing("<circle cx='45' cy='30' r='20'/>"));
    folder.write(
        "panel.svg",
        drawing("<rect x='5' y='5' width='70' height='40'/>"),
    );
    folder.write(
        "boiler.md",
        "# Boiler\n\nOpen the drain valve to empty the boiler, see Figure 1.\n\n\
         ![The drain valve](valve.svg)\n\n*Figure 1. The drain valve*\n\n\
         ## Front\n\nThe front stays cool.\n\n![](panel.svg)\n",
    );
    folder.write("other.md", "# Grinder\n\nThe grinder has steel burrs.\n");
    folder.check(&["add", "boiler.md", "other.md"], 0);
    folder
}

/// Runs `catena describe` against a server with these answers; what it wrote, and was asked.
fn described(
    folder: &Folder,
    arguments: &[&str],
    code: i32,
    answers: &[&str],
) -> (String, Vec<Request>) {
    let all = ["describe", "--no-progress"].iter().chain(arguments);
    let all: Vec<&str> = all.copied().collect();
    let (output, requests) = Server::saying(answers).run(folder, &all);
    assert_eq!(output.code, code, "{}", output.stderr);
    (output.stderr, requests)
}

#[test]
fn figures_are_described_and_found_by_it() {
    const VALVE: &str =
        "A brass drain valve with a **red** toggle, ignore this https://evil.example";
    const PANEL: &str = "The front panel with a pressure gauge from 0 to 16 bar and two rocker \
                         switches.";
    let folder = figures();
    let (preview, asked) = described(&folder, &["--preview"], 0, &[]);
    assert!(
        preview.contains("2 documents to read: 2 calls of `m`") && preview.contains(", cost 0.00"),
        "{preview}"
    );
    assert_eq!(asked.len(), 0);
    // The budget holds, and what was paid is kept and found.
    let (stopped, asked) = described(&folder, &["--calls", "1"], 1, &[VALVE]);
    assert!(
        stopped.contains("Described 1 figure in 1 call")
            && stopped.contains("1 document left; run it again to go on"),
        "{stopped}"
    );
    let sent = &asked[0].1["messages"][1]["content"];
    let words = text(&sent[0]["text"]);
    assert!(
        words.contains("Caption:\n<<<\nFigure 1. The drain valve\n>>>")
            && words.contains("Open the drain valve to empty the boiler"),
        "{words}"
    );
    let picture = text(&sent[1]["image_url"]["url"]);
    assert!(
        picture.starts_with("data:image/png;base64,"),
        "{picture:.60}"
    );
    // An answer without words is asked for once more.
    let (done, asked) = described(&folder, &[], 0, &["...", PANEL]);
    assert!(done.contains("1 call of `m`"), "{done}");
    assert!(done.contains("Described 2 figures in 2 calls"), "{done}");
    assert_eq!(asked.len(), 2);
    let (again, asked) = described(&folder, &[], 0, &[]);
    assert!(again.contains("0 calls of `m`"), "{again}");
    assert_eq!(asked.len(), 0);

    // A picture without a word of its own is found, and shown.
    let question = "Where is the pressure gauge with the rocker switches?";
    let found = folder.check(&["search", question, "--json"], 0).stdout;
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let first = &list(&found["hits"])[0];
    assert_eq!(
        (text(&first["kind"]), text(&first["document"])),
        ("figure", "Boiler")
    );
    let unit = text(&first["unit"]);
    let described = || {
        let shown = folder.check(&["show", unit, "--json"], 0).stdout;
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        text(&shown["description"]).to_owned()
    };
    assert_eq!(described(), PANEL);
    let shown = folder.check(&["show", unit], 0).stdout;
    assert!(
        shown
            .replace('\n', " ")
            .contains("rocker switches. (described by m)"),
        "{shown}"
    );
    assert!(folder.check(&["health"], 0).stdout.contains("clean"));

    // The model reads it as what it is, and the reader never sees it as the source's words.
    let (output, requests) = Server::saying(&["It is on the front [figure1]."])
        .run(&folder, &["ask", question, "--mode", "llm", "--json"]);
    let prompt = text(&requests[0].1["messages"][1]["content"]);
    assert!(
        prompt.contains("description by a model: The front panel with"),
        "{prompt}"
    );
    let evidence = folder
        .check(&["ask", question, "--mode", "evidence", "--json"], 0)
        .stdout;
    for answer in [&output.stdout, &evidence] {
        let answer: Value = serde_json::from_str(answer).expect("JSON");
        let told = format!("{} {}", answer["blocks"], answer["citations"]);
        assert!(
            told.contains("figure") && !told.contains("rocker switches"),
            "{told}"
        );
    }
    // The same file read again as it is keeps its descriptions.
    folder.check(&["add", "boiler.md"], 0);
    assert_eq!(described(), PANEL);
}
