//! Reading HTML: small pages, and the tree that comes of each.

#[path = "../common/mod.rs"]
mod common;

mod boilerplate;
mod encodings;
mod figures;
mod headings;
mod hostile;
mod inline;
mod lists;
mod tables;

/// The tree of a page as indented text.
fn check(html: &str) -> String {
    check_bytes(html.as_bytes())
}

fn check_bytes(bytes: &[u8]) -> String {
    match common::read("docs/page.html", bytes) {
        Ok(parsed) => common::shown(&parsed),
        Err(error) => format!("error: {error}"),
    }
}
