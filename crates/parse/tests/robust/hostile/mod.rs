//! Files made to do harm: each ends in a document with a warning, or in an error.

mod archive;
mod pdf;
mod picture;

use crate::worker;

/// What a worker makes of a file: the error, or how many nodes there are, what they say at most,
/// and the warnings.
fn check(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("room for the file");
    let path = path.to_str().expect("a path in UTF-8");
    match worker::run("hostile::file", ("CATENA_READ", path)) {
        Ok(lines) => lines.join("\n"),
        Err(failure) => panic!("{name}: {}", failure.cause),
    }
}

/// Reads the file that `CATENA_READ` names.
#[test]
#[ignore = "started by the tests"]
fn file() {
    let Ok(path) = std::env::var("CATENA_READ") else {
        return;
    };
    let bytes = std::fs::read(&path).expect("a file");
    worker::begin();
    match worker::read(&path, &bytes) {
        Err(error) => worker::say(&format!("error: {error}")),
        Ok(parsed) => {
            let nodes = &parsed.document.nodes;
            let words: Vec<&str> = nodes
                .iter()
                .flat_map(|node| node.text.split_whitespace())
                .take(8)
                .collect();
            let pages = parsed.document.pages.len();
            worker::say(&format!(
                "{} nodes, {pages} pages: {}",
                nodes.len(),
                words.join(" ")
            ));
            for warning in &parsed.warnings {
                worker::say(&format!("! {warning}"));
            }
        }
    }
}
