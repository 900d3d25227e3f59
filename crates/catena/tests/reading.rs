//! How documents are read: measured by `eval parse`, and shown over their pages.

mod common;

use common::{Folder, examples, manual};
use std::fs;

#[test]
fn reading_is_measured_and_compared() {
    let folder = Folder::new();
    for name in ["manual.pdf", "manual.html"] {
        fs::create_dir_all(folder.path().join("set")).expect("a folder");
        let copy = folder.path().join("set").join(name);
        fs::copy(examples().join(name), copy).expect("a copy");
    }
    let eval = ["eval", "parse", "headings", "set"];
    let json = folder.json(&[&eval[..], &["--json", "--run", "run.jsonl"]].concat(), 0);
    let metrics = json["parse"]["metrics"].as_object().expect("metrics");
    let names: Vec<&str> = metrics.keys().map(String::as_str).collect();
    assert_eq!(names, ["heading_f1", "level_accuracy", "parent_accuracy"]);
    for estimate in metrics.values() {
        assert!(estimate["mean"].as_f64().expect("a number") > 0.9);
        assert_eq!(estimate["n"], 1);
    }
    let compare = ["--compare", "run.jsonl", "--html", "report.html"];
    let told = folder.check(&[&eval[..], &compare[..]].concat(), 0);
    assert!(told.stdout.contains("parse against parse of run.jsonl"));
    let page = fs::read_to_string(folder.path().join("report.html")).expect("a page");
    assert!(page.contains("<td># 1 Safety</td><td># 1 Safety  (page 3)</td>"));
}

#[test]
fn what_cannot_be_measured_is_told() {
    let folder = Folder::new();
    let told = folder.check(&["eval", "parse", "heading", "."], 2);
    assert!(
        told.stderr
            .contains("[possible values: headings, order, tables,")
    );
    let told = folder.check(&["eval", "parse", "headings", "."], 2);
    let expected = "error: `.`: it holds no twins, `X.pdf` with one of `X.html`";
    assert!(told.stderr.contains(expected), "{}", told.stderr);
    assert!(told.stderr.contains("hint: "), "{}", told.stderr);
}

#[test]
fn what_was_read_is_drawn_over_its_page() {
    let folder = manual();
    let id = folder.json(&["list", "--json"], 0)["documents"][0]["id"].clone();
    let id = id.as_str().expect("an id");
    let show = ["show", id, "--page", "3", "-o"];
    folder.check(&[&show[..], &["plain.png"]].concat(), 0);
    folder.check(&[&show[..], &["over.png", "--overlay"]].concat(), 0);
    let read = |name: &str| {
        image::open(folder.path().join(name))
            .expect("an image")
            .to_rgb8()
    };
    let (plain, over) = (read("plain.png"), read("over.png"));
    assert_eq!(plain.dimensions(), over.dimensions());
    let differing = plain
        .pixels()
        .zip(over.pixels())
        .filter(|(a, b)| a != b)
        .count();
    let all = (plain.width() * plain.height()) as usize;
    assert!(
        differing * 20 > all && differing < all,
        "{differing} of {all}"
    );
    let told = folder.check(&["show", id, "--overlay", "-o", "x.png"], 2);
    assert!(told.stderr.contains("--page"), "{}", told.stderr);
}
