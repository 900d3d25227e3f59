//! Finding the files that paths name.

use crate::failure::Failure;
use catena_engine::{EngineError, FileToAdd};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The names of files that are read in folders. Pictures are not among them: most of those in a
/// folder belong to a page that lies there too.
#[rustfmt::skip]
const EXTENSIONS: &[&str] = &[
    "pdf", "html", "htm", "xhtml", "md", "markdown", "txt", "docx", "docm", "pptx", "pptm", "xlsx",
    "xlsm", "epub",
];

const EXTENSIONS_HINT: &str = "in a folder PDF, HTML, Markdown, text, Word, PowerPoint, Excel and \
     EPUB files are read, by their names; name any other file, such as a picture, itself";

/// The files that paths name, and what is wrong with the other paths.
pub(super) fn find_files(paths: &[PathBuf], store: &Path) -> (Vec<FileToAdd>, Vec<Failure>) {
    let mut files = Vec::new();
    let mut failures = Vec::new();
    let store = store.canonicalize().ok();
    for path in paths {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => match files_below(path, store.as_deref()) {
                Ok(found) if found.is_empty() => failures.push(Failure::usage(
                    format!("no document in the folder `{}`", path.display()),
                    EXTENSIONS_HINT,
                )),
                Ok(found) => files.extend(found),
                Err(failure) => failures.push(failure),
            },
            Ok(_) => files.push(FileToAdd {
                root: folder_of(path),
                path: path.clone(),
            }),
            Err(cause) => failures.push(Failure::Engine(EngineError::File {
                path: path.clone(),
                cause,
            })),
        }
    }
    (files, failures)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The documents in a folder and those below, by name. What is hidden is passed over, and so is
/// the store.
fn files_below(folder: &Path, store: Option<&Path>) -> Result<Vec<FileToAdd>, Failure> {
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    let wanted = walk.filter_entry(|entry| {
        let hidden = entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
        let is_store = entry.file_type().is_dir()
            && store.is_some()
            && entry.path().canonicalize().ok().as_deref() == store;
        !hidden && !is_store
    });
    let mut files = Vec::new();
    for entry in wanted {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            let cause = error.into_io_error();
            let cause = cause.unwrap_or_else(|| io::Error::other("a link leads back here"));
            Failure::file("read", &path, cause)
        })?;
        let is_document = entry
            .path()
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| EXTENSIONS.contains(&extension.to_lowercase().as_str()));
        if is_document && entry.path().is_file() {
            files.push(FileToAdd {
                path: entry.into_path(),
                root: folder.to_owned(),
            });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_give_their_documents_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for name in [
            "b.md",
            "a.PDF",
            "c.png",
            "d/e.htm",
            "g.docx",
            ".f.md",
            ".g/h.md",
            "store/x.md",
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "x").expect("a file");
        }
        let (files, failures) = find_files(&[root.to_owned()], &root.join("store"));
        assert!(failures.is_empty());
        let names: Vec<_> = files
            .iter()
            .map(|file| file.path.strip_prefix(root).expect("below").to_owned())
            .collect();
        assert_eq!(
            names,
            ["a.PDF", "b.md", "d/e.htm", "g.docx"].map(PathBuf::from)
        );
        assert!(files.iter().all(|file| file.root == root));
        let (files, failures) = find_files(&[root.join(".g"), root.join("c.png")], root);
        assert_eq!(files.len(), 2, "a hidden folder may be named");
        assert!(failures.is_empty());
        let (_, failures) = find_files(&[root.join("none"), root.join("d/..")], &root.join("d"));
        assert_eq!(failures.len(), 1);
    }
}
