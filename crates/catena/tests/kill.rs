//! The program is killed at random moments while it adds, removes and compacts; another reads all
//! the while. After every kill the store is clean, and every document is whole or absent.
//!
//! `CATENA_SOAK` sets the number of kills (20 by default).
#![cfg(unix)]

mod common;

use common::Folder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Documents that are added, replaced and removed.
const DOCUMENTS: u64 = 12;
/// Sections of a document; each is a unit.
const SECTIONS: u64 = 6;

/// Numbers without an order, the same in every run (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

/// A version of a document: its title names the version, and so does every section.
fn document(number: u64, version: u64) -> String {
    let sections = (1..=SECTIONS).map(|section| {
        format!(
            "## {section} Part {section}\n\nDocument {number} in version {version} tells in part \
             {section} how the pump is set to {} bar.\n\n",
            version + section
        )
    });
    format!(
        "# Document {number} version {version}\n\n{}",
        sections.collect::<String>()
    )
}

/// Writes new versions of some documents and starts a command that changes the store.
fn change(folder: &Folder, dice: &mut Dice, version: u64) -> Child {
    for _ in 0..4 {
        let number = dice.roll(DOCUMENTS);
        folder.write(&format!("{number}.md"), document(number, version));
    }
    let names: Vec<String> = (0..3)
        .map(|_| format!("{}.md", dice.roll(DOCUMENTS)))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let args = match dice.roll(8) {
        0 => vec!["compact"],
        1 | 2 => [&["remove"], names.as_slice()].concat(),
        _ => vec!["add", "."],
    };
    let mut command = folder.command(&args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program")
}

/// Checks that every document of a list is whole: all its units, of the version that its title
/// names. Returns how many there are.
fn check_list(listed: &Value) -> usize {
    let documents = listed["documents"].as_array().expect("a list");
    let mut sources: BTreeMap<&str, &str> = BTreeMap::new();
    for document in documents {
        let title = document["title"].as_str().expect("a title");
        assert_eq!(document["units"], SECTIONS, "{title} is not whole");
        let source = document["sources"][0].as_str().expect("a source");
        let number = title.split(' ').nth(1).expect("a number");
        assert!(
            source.ends_with(&format!("/{number}.md")),
            "{title} from {source}"
        );
        let other = sources.insert(source, title);
        assert_eq!(other, None, "two versions of {source}");
    }
    documents.len()
}

/// Searches, and checks that what is found is of documents in one version each.
fn check_search(folder: &Folder) {
    let found = folder.run(&[
        "search",
        "how is the pump set",
        "--json",
        "--text-budget",
        "40",
    ]);
    // An empty store has nothing to search in.
    if found.code == 2 && found.stderr.contains("has no documents") {
        return;
    }
    assert_eq!(found.code, 0, "{}", found.stderr);
    let found: Value = serde_json::from_str(&found.stdout).expect("JSON");
    for hit in found["hits"].as_array().expect("a list") {
        let title = hit["document"].as_str().expect("a title");
        let version = title.rsplit(' ').next().expect("a version");
        let text = hit["text"].as_str().expect("a text");
        assert!(
            text.contains(&format!("in version {version} ")),
            "{title}: {text}"
        );
    }
}

fn soak() -> u64 {
    let asked = std::env::var("CATENA_SOAK").ok();
    asked.and_then(|kills| kills.parse().ok()).unwrap_or(20)
}

#[test]
fn killed_at_any_moment_the_store_is_whole() {
    let folder = Folder::new();
    folder.write("0.md", document(0, 0));
    folder.check(&["add", "."], 0);
    let done = AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                check_list(&folder.json(&["list", "--json"], 0));
                check_search(&folder);
                reads.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut dice = Dice(7);
        let mut kills = 0;
        for version in 1.. {
            let mut child = change(&folder, &mut dice, version);
            thread::sleep(Duration::from_millis(dice.roll(600)));
            // What has ended by itself was not killed and does not count.
            if child.try_wait().expect("a child").is_none() {
                kills += 1;
            }
            child.kill().expect("killed");
            child.wait().expect("it is gone");
            folder.check(&["health"], 0);
            check_list(&folder.json(&["list", "--json"], 0));
            if reader.is_finished() || kills >= soak() {
                break;
            }
        }
        done.store(true, Ordering::Relaxed);
        reader.join().expect("the reader found the store whole");
    });
    assert!(reads.load(Ordering::Relaxed) > 0);
    // And it goes on: everything can be added.
    folder.check(&["add", "."], 0);
    let listed = folder.json(&["list", "--json"], 0);
    assert_eq!(
        check_list(&listed),
        std::fs::read_dir(folder.path()).expect("files").count()
    );
}
