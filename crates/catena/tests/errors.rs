//! Bad input, each with the exact words that the user gets.

mod common;

use common::{Folder, examples, finish};
use std::fs;

/// What is told of a file that is added beside a good one, which is added all the same.
#[track_caller]
fn add_bad(folder: &Folder, name: &str, content: &[u8]) -> String {
    folder.write(name, content);
    folder.write("good.md", "# Pump\n\nThe pump gives 9 bar.");
    let output = folder.run(&["add", name, "good.md"]);
    let listed = folder.check(&["list"], 0).stdout;
    assert!(listed.contains("good.md"), "{listed}");
    folder.check(&["health"], 0);
    folder.told(&output)
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    let check = |name: &str, content: &[u8]| add_bad(&folder, name, content);
    insta::assert_snapshot!(check("empty.pdf", b""), @"
    error: cannot read `empty.pdf`: the file is empty
    Added 1 document, 1 unit in TIME
    1 input failed
    exit 1
    ");
    insta::assert_snapshot!(check("picture.pdf", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01"), @"
    error: cannot read `picture.pdf`: the file is damaged: the picture cannot be read

    hint: open it in a viewer and save it anew

    Unchanged 1 document in TIME
    1 input failed
    exit 1
    ");
    insta::assert_snapshot!(check("blank.md", b" \n\n"), @"
    error: cannot read `blank.md`: no text, table or picture found
    Unchanged 1 document in TIME
    1 input failed
    exit 1
    ");
    insta::assert_snapshot!(check("noise.pdf", b"%PDF-1.7\nno objects here"), @"
    error: cannot read `noise.pdf`: the file is damaged: no pages can be found in it

    hint: open it in a viewer and save it anew

    Unchanged 1 document in TIME
    1 input failed
    exit 1
    ");
    let manual = fs::read(examples().join("manual.pdf")).expect("the manual");
    insta::assert_snapshot!(check("cut.pdf", &manual[..manual.len() / 2]), @"
    error: cannot read `cut.pdf`: the file is damaged: no pages can be found in it

    hint: open it in a viewer and save it anew

    Unchanged 1 document in TIME
    1 input failed
    exit 1
    ");
}

#[test]
fn encrypted_files() {
    let folder = Folder::new();
    let encrypted = include_bytes!("fixtures/encrypted.pdf");
    insta::assert_snapshot!(add_bad(&folder, "locked.pdf", encrypted), @"
    error: cannot read `locked.pdf`: password required

    hint: pass `--password`

    Added 1 document, 1 unit in TIME
    1 input failed
    exit 1
    ");
    let wrong = folder.run(&["add", "locked.pdf", "--password", "wrong"]);
    insta::assert_snapshot!(folder.told(&wrong), @"
    error: cannot read `locked.pdf`: password required

    hint: pass `--password`
    exit 1
    ");
    folder.check(&["add", "locked.pdf", "--password", "tarn"], 0);
    let answer = folder.check(&["ask", "Where is the spare key of the pump room?"], 0);
    assert!(
        answer.stdout.contains("behind the door"),
        "{}",
        answer.stdout
    );
}

#[test]
fn paths_without_documents() {
    let folder = Folder::new();
    let run = |args: &[&str]| folder.told(&folder.run(args));
    insta::assert_snapshot!(run(&["add", "none.pdf"]), @"
    error: cannot read `none.pdf`: no such file

    hint: check the path; quote it if it has spaces
    exit 1
    ");
    assert!(!folder.store().exists(), "nothing was added");
    folder.write("pictures/a.png", b"\x89PNG");
    insta::assert_snapshot!(run(&["add", "pictures"]), @"
    error: no document in the folder `pictures`

    hint: in a folder PDF, HTML, Markdown, text, Word, PowerPoint, Excel and EPUB files are read, by their names; name any other file, such as a picture, itself
    exit 1
    ");
    insta::assert_snapshot!(run(&["ask", "Why?", "--in", "none.pdf"]), @"
    error: cannot read `none.pdf`: no such file

    hint: check the path; quote it if it has spaces
    exit 1
    ");
}

#[test]
fn a_huge_picture_inside_a_page() {
    let folder = Folder::new();
    let mut page =
        b"<html><body><h1>Pump</h1><p>The pump gives 9 bar.</p><img src=\"data:image/png;base64,"
            .to_vec();
    page.resize(page.len() + (50 << 20), b'A');
    page.extend_from_slice(b"\" alt=\"The pump\"></body></html>");
    insta::assert_snapshot!(add_bad(&folder, "huge.html", &page), @"
    warning: `huge.html` was read with 1 warning: `catena show 99d4793ee6f7`
    Added 2 documents, 3 units in TIME
    exit 0
    ");
    let found = folder.check(&["search", "pump pressure", "--document", "huge.html"], 0);
    assert!(found.stdout.contains("9 bar"), "{}", found.stdout);
}

#[test]
fn stores_that_are_missing_empty_newer_or_none() {
    let folder = Folder::new();
    let run = |args: &[&str]| folder.told(&folder.run(args));
    insta::assert_snapshot!(run(&["ask", "Why?"]), @"
    error: there is no store at `DIR/store`

    hint: add documents first: `catena add PATH`, or name another store with `--store`
    exit 2
    ");
    folder.write("blank.md", " ");
    folder.check(&["add", "blank.md"], 1);
    insta::assert_snapshot!(run(&["search", "pump"]), @"
    error: the store `DIR/store` has no documents

    hint: add some first: `catena add PATH`
    exit 2
    ");
    fs::write(
        folder.store().join("catena-store"),
        "catena store, format 99\n",
    )
    .expect("a file");
    insta::assert_snapshot!(run(&["list"]), @"
    error: the store `DIR/store` has format 99, this program knows format 4

    hint: update the program
    exit 2
    ");
    folder.write("other/file", "x");
    insta::assert_snapshot!(run(&["list", "--store", "other"]), @"
    error: `other` is not a Catena store

    hint: add a document to create a store, or name another with `--store`
    exit 2
    ");
    insta::assert_snapshot!(run(&["list", "--store", "blank.md"]), @"
    error: `blank.md` is not a directory

    hint: name a directory with `--store`
    exit 2
    ");
}

#[test]
fn names_that_fit_nothing_or_too_much() {
    let folder = Folder::new();
    // Seventeen documents: two of their ids begin alike.
    for number in 0..17 {
        folder.write(
            &format!("{number:02}.md"),
            format!("# Pump {number}\n\nIt gives {number} bar."),
        );
    }
    folder.check(&["add", "."], 0);
    let run = |args: &[&str]| folder.told(&folder.run(args));
    let listed = folder.json(&["list", "--json"], 0);
    let ids: Vec<&str> = listed["documents"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|document| document["id"].as_str())
        .collect();
    let digit = |id: &&str| id[..1].to_owned();
    let twice = ids.iter().map(digit).find(|first| {
        ids.iter()
            .filter(|id| id.starts_with(first.as_str()))
            .count()
            > 1
    });
    let twice = twice.expect("two that begin alike");
    let ambiguous = folder.run(&["remove", &twice]);
    assert_eq!(ambiguous.code, 1);
    let error =
        format!("error: `{twice}` is the beginning of several ids\n\nhint: write more digits: ");
    assert!(ambiguous.stderr.starts_with(&error), "{}", ambiguous.stderr);
    assert!(ambiguous.stderr.contains(" (Pump "), "{}", ambiguous.stderr);
    insta::assert_snapshot!(run(&["show", "nothing.md"]), @"
    error: no document `nothing.md` in the store

    hint: name a path that was added, or the first digits of an id: `catena list` shows both
    exit 2
    ");
    insta::assert_snapshot!(run(&["ask", "Why?", "--document", "zzz"]), @"
    error: no document `zzz` in the store

    hint: name a path that was added, or the first digits of an id: `catena list` shows both
    exit 2
    ");
    insta::assert_snapshot!(run(&["ask", "Why?", "--strategy", "magic"]), @"
    error: no strategy `magic`

    hint: the strategies are: topology, hierarchy, graph, flat
    exit 2
    ");
    insta::assert_snapshot!(run(&["ask", "Why?", "--mode", "llm"]), @"
    error: no language model is set

    hint: set `CATENA_LLM_URL` and `CATENA_LLM_MODEL`, or leave out `--mode`
    exit 2
    ");
    insta::assert_snapshot!(run(&["ask", " "]), @"
    error: the question is empty
    exit 2
    ");
    insta::assert_snapshot!(run(&["show", "00.md", "-o", "a.png"]), @"
    error: a document is no picture

    hint: name a page with `--page`, or a unit such as `1a2b3c:17`
    exit 2
    ");
    insta::assert_snapshot!(run(&["show", "00.md", "--page", "1", "-o", "a.png"]), @"
    error: there is no page 1 to draw

    hint: its format has no pages
    exit 2
    ");
    let unit = format!("{}:99", &ids[0][..12]);
    assert_eq!(folder.run(&["show", &unit]).code, 2);
}

/// What is told of a language model that is set without an address.
#[test]
fn a_language_model_without_an_address() {
    let folder = Folder::new();
    folder.write("a.md", "# Pump\n\nThe pump hums.\n");
    folder.check(&["add", "a.md"], 0);
    let ask = |model: &str| {
        let mut command = folder.command(&["ask", "What hums?"]);
        command.env("CATENA_LLM_MODEL", model);
        let output = finish(command);
        format!("{}exit {}", output.stderr, output.code)
    };
    insta::assert_snapshot!(ask("gpt-9"), @"
    error: a language model's name is set, but not its address

    hint: set `CATENA_LLM_URL`, or `url` below `[llm]` in `catena.toml`; without it the model is smollm2, qwen2.5, or the path of a GGUF file
    exit 2
    ");
    for here in ["smollm2", "mine.gguf"]
        .into_iter()
        .filter(|_| !cfg!(feature = "llama"))
    {
        insta::allow_duplicates! {
            insta::assert_snapshot!(ask(here), @"
            error: this build runs no language model itself

            hint: build with `--features llama`, or set `CATENA_LLM_URL`
            exit 2
            ");
        }
    }
}

#[test]
fn settings_that_make_no_sense() {
    let folder = Folder::new();
    folder.write("catena.toml", "offline = true\n\ntext_buget = 3\n");
    let run = |args: &[&str]| folder.told(&folder.run(args));
    insta::assert_snapshot!(run(&["list"]), @"
    error: `DIR/work/catena.toml`, line 3: unknown field `text_buget`, expected one of `store`, `models`, `model_cache`, `python`, `offline`, `strategy`, `text_budget`, `visual_budget`, `plan_calls`, `prompts`, `llm`
    exit 2
    ");
    insta::assert_snapshot!(run(&["list", "--config", "none.toml"]), @"
    error: cannot read `none.toml`: no such file or folder
    exit 2
    ");
    let mut command = folder.command(&["list", "--config", "none.toml"]);
    command.env("CATENA_OFFLINE", "perhaps");
    folder.write("none.toml", "");
    insta::assert_snapshot!(folder.told(&finish(command)), @"
    error: `perhaps` is no value for `CATENA_OFFLINE`
    exit 2
    ");
    assert_eq!(folder.run(&["frobnicate"]).code, 2);
}
