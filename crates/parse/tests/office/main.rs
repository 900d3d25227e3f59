//! Reading office files and books: small ones made here, and the tree that comes of each.

#[path = "../common/mod.rs"]
mod common;

mod book;
mod docx;
mod hostile;
mod kinds;
mod make;
mod pptx;
mod xlsx;

/// The tree of a file as indented text.
fn check(name: &str, bytes: &[u8]) -> String {
    match common::read(name, bytes) {
        Ok(parsed) => common::shown(&parsed),
        Err(error) => format!("error: {error}"),
    }
}
