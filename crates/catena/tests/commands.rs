//! Adding, finding, showing and removing, on the example manual.

mod common;

use common::{Folder, examples, list, manual, model_cache, text};
use std::fs;

#[test]
fn added_once_and_skipped_after_that() {
    let folder = Folder::new();
    for name in ["manual.pdf", "manual.html", "manual.md"] {
        fs::copy(examples().join(name), folder.path().join(name)).expect("a copy");
    }
    let figures = folder.path().join("figures");
    fs::create_dir(&figures).expect("a folder");
    for entry in fs::read_dir(examples().join("figures")).expect("figures") {
        let entry = entry.expect("a figure");
        fs::copy(entry.path(), figures.join(entry.file_name())).expect("a copy");
    }
    let first = folder.check(&["add", "."], 0);
    assert_eq!(first.stdout, "");
    assert!(
        first.stderr.contains("Added 3 documents, "),
        "{}",
        first.stderr
    );
    assert!(first.stderr.contains(" pages at "), "{}", first.stderr);

    let again = folder.check(&["add", "."], 0);
    insta::assert_snapshot!(folder.steady(&again.stderr), @"Unchanged 3 documents in TIME");
    let begun = std::time::Instant::now();
    folder.check(&["add", "--offline", "."], 0);
    assert!(
        begun.elapsed().as_secs() < 5,
        "a run over unchanged files is quick"
    );

    let listed = folder.json(&["list", "--json"], 0);
    let documents = list(&listed["documents"]);
    let kinds: Vec<&str> = documents.iter().map(|d| text(&d["media_type"])).collect();
    assert_eq!(kinds, ["text/html", "text/markdown", "application/pdf"]);
    for document in documents {
        assert_eq!(text(&document["title"]), "Kestrane Tarn Service Manual");
        assert!(document["units"].as_u64().expect("a number") > 100);
        assert_eq!(document["language"], "en");
    }
    assert_eq!(documents[2]["pages"], 23);
    folder.check(&["health"], 0);
}

#[test]
fn replaced_duplicated_and_removed() {
    let folder = Folder::new();
    let stderr = |args: &[&str], code| folder.steady(&folder.check(args, code).stderr);
    folder.write("a.md", "# Pump\n\nThe pump gives 9 bar.");
    folder.write("b.md", "# Fan\n\nThe fan has two speeds.");
    insta::assert_snapshot!(stderr(&["add", "a.md", "b.md"], 0), @"Added 2 documents, 2 units in TIME");
    folder.write("a.md", "# Pump\n\nThe pump gives 12 bar.");
    folder.write("c.md", "# Fan\n\nThe fan has two speeds.");
    insta::assert_snapshot!(stderr(&["add", "."], 0), @"Replaced 1, duplicate 1, unchanged 1, 1 unit in TIME");
    let found = folder.check(&["search", "pump pressure"], 0).stdout;
    assert!(
        found.contains("12 bar") && !found.contains("9 bar"),
        "{found}"
    );

    // The document of `b.md` stays with its other source.
    insta::assert_snapshot!(stderr(&["remove", "b.md"], 0), @"Removed 0 documents; 1 document stays under another path");
    insta::assert_snapshot!(stderr(&["remove", "c.md", "d.md"], 1), @"
    error: no document `d.md` in the store

    hint: name a path that was added, or the first digits of an id: `catena list` shows both

    Removed 1 document
    ");
    let listed = folder.json(&["list", "--json"], 0);
    let id = text(&listed["documents"][0]["id"]).to_owned();
    assert_eq!(list(&listed["documents"]).len(), 1);
    folder.check(&["remove", &id[..6]], 0);
    let empty = folder.check(&["list"], 0);
    assert_eq!(empty.stderr, "The store has no documents\n");
    folder.check(&["compact"], 0);
    folder.check(&["health"], 0);
}

#[test]
fn evidence_with_its_scores() {
    let found = manual().json(&["search", "pump hums", "--kind", "table", "--json"], 0);
    assert_eq!(found["strategy"], "topology");
    for hit in list(&found["hits"]) {
        assert_eq!(hit["kind"], "table");
        assert!(
            list(&hit["scores"])
                .iter()
                .all(|score| score["rank"].as_u64() > Some(0))
        );
    }
    let mut captions = list(&found["hits"]).iter().map(|hit| text(&hit["caption"]));
    assert!(captions.any(|caption| caption == "Table 11. Fault codes"));
    let shown = manual().check(
        &[
            "search",
            "pump hums",
            "--explain",
            "--visual-budget",
            "1",
            "--text-budget",
            "1",
        ],
        0,
    );
    assert!(
        shown.stdout.starts_with("topology: ") && shown.stdout.contains("dense "),
        "{}",
        shown.stdout
    );
    assert_eq!(shown.stdout.matches("    score ").count(), 2);
    let none = manual().check(&["search", "pump", "--language", "fr"], 1);
    assert_eq!(
        (none.stdout.as_str(), none.stderr.as_str()),
        ("", "Nothing found\n")
    );
    let flat = manual().json(&["search", "pump hums", "--strategy", "flat", "--json"], 0);
    assert!(text(&flat["hits"][0]["unit"]).contains(":c"));
}

#[test]
fn documents_units_and_their_pictures() {
    let folder = manual();
    let listed = folder.json(&["list", "--json"], 0);
    let id = text(&listed["documents"][0]["id"]).to_owned();
    let tree = folder.check(&["show", &id[..8]], 0).stdout;
    assert!(
        tree.contains("kind      application/pdf, 23 pages, en"),
        "{tree}"
    );
    assert!(tree.contains("section 2 7.2 Replace the pump"), "{tree}");
    let document = folder.json(&["show", &id[..8], "--json"], 0);
    assert_eq!(list(&document["page_sizes"]).len(), 23);
    assert_eq!(document["nodes"][0]["id"], 0);

    let found = folder.json(&["search", "Figure 12", "--kind", "figure", "--json"], 0);
    let figures = list(&found["hits"]);
    let figure = figures
        .iter()
        .find(|hit| hit["caption"] == "Figure 12. Removing the pump");
    let figure = text(&figure.expect("the figure")["unit"]);
    let shown = folder.check(&["show", figure], 0).stdout;
    insta::assert_snapshot!(shown.replace(figure, "UNIT"), @"
    figure UNIT
    document  Kestrane Tarn Service Manual
    section   7 Repair > 7.2 Replace the pump
    relation  illustrates_step
    place     page 14, from 95,132 to 418,320 pt
    caption   Figure 12. Removing the pump
    alt       Pump unit with the four movements A to D
    before    Pull the pump straight off the motor (D).
    after     Pull the old coupling insert out of the motor shaft and push
              the new one in (item 2 in Figure 17).
    nearby    Put a cloth under the pump. Unscrew the union of the outlet
              pipe and swing the pipe aside (A in Figure 12).
    nearby    Pull the pump straight off the motor (D).
    nearby    Table 11. Fault codes

    Clamp ring
    Outlet pipe
    Motor M1
    C
    A
    Bypass cap
    D
    B
    Pump
    Inlet hose
    ");
    let unit = folder.json(&["show", figure, "--json"], 0);
    assert_eq!(unit["relation"], "illustrates_step");

    for args in [
        ["show", figure, "-o", "a.png"].as_slice(),
        &["show", &id, "--page", "3", "-o", "b.png"],
    ] {
        folder.check(args, 0);
        let picture = fs::read(folder.path().join(args[args.len() - 1])).expect("a file");
        assert!(picture.starts_with(b"\x89PNG"));
    }
    let missing = folder.check(&["show", &id, "--page", "24", "-o", "c.png"], 2);
    insta::assert_snapshot!(missing.stderr, @"
    error: there is no page 24 to draw

    hint: it has 23 pages
    ");
}

#[test]
fn settings_and_their_origins() {
    let folder = Folder::new();
    folder.write(
        "catena.toml",
        "text_budget = 5\n\n[llm]\nurl = 'http://127.0.0.1:9/v1'\nmodel = 'm'\nkey = 'secret'\n",
    );
    let output = folder.check(&["health", "--offline"], 0);
    let shown = folder
        .steady(&output.stdout)
        .replace(&model_cache().display().to_string(), "CACHE");
    assert!(!output.stdout.contains("secret"));
    insta::assert_snapshot!(shown, @"
    Settings
      store          DIR/store (CATENA_STORE)
      models         - (default)
      model_cache    CACHE (CATENA_MODEL_CACHE)
      python         python3, else python (default)
      offline        true (--offline)
      llm.url        http://127.0.0.1:9/v1 (DIR/work/catena.toml)
      llm.model      m (DIR/work/catena.toml)
      llm.key        set (DIR/work/catena.toml)
      strategy       topology (default)
      text_budget    5 (DIR/work/catena.toml)
      visual_budget  4 (default)
      prompts        - (default)
      plan_calls     0 (default)

    Store
      state          none yet: `catena add PATH` makes it

    Models
      minilm         present, for finding text by its meaning
      ocr            present, for reading scans and the text of figures
      layout         present, for finding the figures and tables of scans
      table          present, for finding the cells of tables in scans

    Language model
      state          `m` at http://127.0.0.1:9/v1

    Catena can be used
    ");
}

#[test]
fn reindexing_needs_nothing_where_all_is_embedded() {
    let folder = Folder::new();
    folder.write("a.md", "# Boiler\n\nThe boiler holds 3 litres.");
    folder.check(&["add", "a.md"], 0);
    let output = folder.check(&["reindex"], 0);
    insta::assert_snapshot!(folder.steady(&output.stderr), @"Embedded 0 documents by `minilm@8199be6f` in TIME");
}

#[test]
fn a_data_set_is_measured() {
    let folder = Folder::new();
    let passages = r#"[{"title": "Tarn", "text": "The Tarn has a pump of 9 bar."},
        {"title": "Fan", "text": "The fan has two speeds."},
        {"title": "Maker", "text": "Kestrane makes the Tarn."}]"#;
    let question = r#"[{"id": "1", "question": "Who makes the machine with a pump of 9 bar?",
        "answer": "Kestrane", "answer_aliases": [], "answerable": true, "paragraphs": [
        {"idx": 0, "title": "Tarn", "paragraph_text": "The Tarn has a pump of 9 bar.", "is_supporting": true},
        {"idx": 1, "title": "Maker", "paragraph_text": "Kestrane makes the Tarn.", "is_supporting": true},
        {"idx": 2, "title": "Fan", "paragraph_text": "The fan has two speeds.", "is_supporting": false}]}]"#;
    folder.write("set/musique_corpus.json", passages);
    folder.write("set/musique.json", question);
    let measured = [
        "eval",
        "multihop",
        "set",
        "--dataset",
        "musique",
        "--work",
        "work",
    ];
    let report = folder.json(&[measured.as_slice(), &["--json"]].concat(), 0);
    let recall = &report["topology"]["metrics"]["recall@5"];
    assert_eq!((&recall["mean"], &recall["n"]), (&1.0.into(), &1.into()));
    let table = folder.check(&measured, 0).stdout;
    assert!(table.contains("recall@5"), "{table}");
    let wrong = folder.check(
        &[
            "eval",
            "multihop",
            "set",
            "--dataset",
            "squad",
            "--work",
            "work",
        ],
        2,
    );
    insta::assert_snapshot!(wrong.stderr, @"
    error: no data set `squad`

    hint: the data sets are: musique, hotpotqa
    ");
    folder.check(&["eval", "mmdocir", "set", "--work", "work"], 2);
}
