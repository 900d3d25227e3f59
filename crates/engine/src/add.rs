//! Adding files to a store.

use crate::EngineError;
use crate::view::embedded_view;
use catena_document::{ContentHash, DocumentId, View, edges};
use catena_index::{NewDocument, SourceFile, Writer};
use catena_models::Embedder;
use catena_parse::{PARSER, ParseError, ParseOptions, Parsed, Source, Warning, parse};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 1 << 30;
/// The largest file that a document may bring along, in bytes.
const MAX_RESOURCE: u64 = 64 << 20;

/// What files are added with.
pub struct Adding<'a> {
    /// The store's writer.
    pub writer: &'a mut Writer,
    /// Gives the embedder; asked for only when something must be embedded.
    pub embedder: &'a dyn Fn() -> Result<Arc<dyn Embedder>, EngineError>,
    /// How to read and keep files.
    pub options: AddOptions,
    /// Set to true, it stops the work at the next step.
    pub cancel: &'a AtomicBool,
}

/// How files are read and kept.
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// The password of encrypted files.
    pub password: Option<String>,
    /// Keep only the path of a file, not a copy.
    pub link: bool,
    /// The views to index.
    pub views: Vec<View>,
}

impl Default for AddOptions {
    fn default() -> Self {
        Self {
            password: None,
            link: false,
            views: vec![View::Evidence],
        }
    }
}

/// A file to be added.
#[derive(Clone, Debug)]
pub struct FileToAdd {
    /// Where it is.
    pub path: PathBuf,
    /// The folder that files it refers to must lie in: the one that was named, or its own.
    pub root: PathBuf,
}

/// How far a file has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It is being read.
    Reading,
    /// So many of so many texts are embedded.
    Embedding(usize, usize),
}

/// What became of a file.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Its document is in the store.
    Added {
        /// The document.
        document: DocumentId,
        /// Its pages; 0 where it has none.
        pages: usize,
        /// Its units in the first of the views.
        units: usize,
        /// What could not be read.
        warnings: Vec<Warning>,
        /// Whether the file's former content was replaced.
        replaced: bool,
    },
    /// This very content was in the store, under another source; now it has both.
    Known(DocumentId),
    /// Nothing has changed since it was added.
    Unchanged(DocumentId),
}

/// Adds a file. The same path with new content replaces the old; what is unchanged is skipped by
/// its hash. The change is visible once the writer has committed.
///
/// # Errors
/// Where the file cannot be read or understood, or a model or the store fails. The store is as it
/// was before, and other files can be added.
pub fn add_file(
    adding: &mut Adding<'_>,
    file: &FileToAdd,
    report: &mut dyn FnMut(Stage),
) -> Result<Outcome, EngineError> {
    let _span = tracing::info_span!("add_file", path = %file.path.display()).entered();
    report(Stage::Reading);
    let bytes = read(&file.path, MAX_FILE)?;
    let uri = std::path::absolute(&file.path)
        .unwrap_or_else(|_| file.path.clone())
        .to_string_lossy()
        .into_owned();
    let id = ContentHash::of(&bytes);
    let before = adding.writer.source(&uri)?;
    let same_parser = adding.writer.parser(&id)?.as_deref() == Some(PARSER);
    let source_file = if adding.options.link {
        SourceFile::Link(file.path.clone())
    } else {
        SourceFile::Keep(&bytes)
    };
    if same_parser && before == Some(id) {
        return Ok(Outcome::Unchanged(id));
    }
    if same_parser {
        adding.writer.add_source(&id, &uri, &source_file)?;
        return Ok(Outcome::Known(id));
    }
    let resolve = |reference: &str| read_beside(file, reference);
    let source = Source {
        uri: &uri,
        bytes: &bytes,
        resolve: &resolve,
    };
    let options = ParseOptions {
        password: adding.options.password.clone(),
        ..ParseOptions::default()
    };
    let parsed = parse(&source, &options).map_err(|cause| EngineError::Parse {
        path: file.path.clone(),
        cause,
    })?;
    store(adding, parsed, source_file, before.is_some(), report)
}

/// Adds a document that was made elsewhere; `bytes` is its file, whose hash is its name.
///
/// # Errors
/// As [`add_file`].
pub fn add_document(
    adding: &mut Adding<'_>,
    parsed: Parsed,
    bytes: &[u8],
    report: &mut dyn FnMut(Stage),
) -> Result<Outcome, EngineError> {
    let id = parsed.document.id;
    if adding.writer.parser(&id)?.as_deref() == Some(PARSER) {
        return Ok(Outcome::Unchanged(id));
    }
    store(adding, parsed, SourceFile::Keep(bytes), false, report)
}

/// Cuts a document into units, embeds what is new, and hands it to the writer.
fn store(
    adding: &mut Adding<'_>,
    parsed: Parsed,
    source: SourceFile<'_>,
    replaced: bool,
    report: &mut dyn FnMut(Stage),
) -> Result<Outcome, EngineError> {
    let document = parsed.document;
    if adding.cancel.load(Ordering::Relaxed) {
        return Err(EngineError::Cancelled);
    }
    let embedder = (adding.embedder)()?;
    let mut views = Vec::new();
    for &view in &adding.options.views {
        let new = embedded_view(
            &document,
            view,
            adding.writer,
            embedder.as_ref(),
            adding.cancel,
            &mut |done, total| report(Stage::Embedding(done, total)),
        )?;
        if new.units.is_empty() {
            return Err(EngineError::Parse {
                path: document
                    .sources
                    .first()
                    .map(PathBuf::from)
                    .unwrap_or_default(),
                cause: ParseError::NoEvidence,
            });
        }
        views.push(new);
    }
    let outcome = Outcome::Added {
        document: document.id,
        pages: document.pages.len(),
        units: views.first().map_or(0, |view| view.units.len()),
        warnings: parsed.warnings.clone(),
        replaced,
    };
    adding.writer.add(NewDocument {
        edges: edges(&document),
        document,
        source,
        parser: PARSER.to_owned(),
        warnings: parsed.warnings.iter().map(Warning::to_string).collect(),
        assets: parsed.assets.into_iter().map(|asset| asset.bytes).collect(),
        views,
    })?;
    Ok(outcome)
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, EngineError> {
    let failed = |cause| EngineError::File {
        path: path.to_owned(),
        cause,
    };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > most {
        return Err(EngineError::Parse {
            path: path.to_owned(),
            cause: ParseError::TooLarge(format!(
                "{} MiB, at most {} MiB are read",
                size >> 20,
                most >> 20
            )),
        });
    }
    if size == 0 {
        return Err(EngineError::Parse {
            path: path.to_owned(),
            cause: ParseError::Empty,
        });
    }
    std::fs::read(path).map_err(failed)
}

/// Reads a file that a document refers to, where it lies in the document's folder or the folder
/// that was added.
fn read_beside(file: &FileToAdd, reference: &str) -> Option<Vec<u8>> {
    let folder = file.path.parent()?;
    let path = folder.join(reference).canonicalize().ok()?;
    let root = file.root.canonicalize().ok()?;
    if !path.starts_with(&root) {
        tracing::debug!(reference, "a reference out of the folder is not followed");
        return None;
    }
    read(&path, MAX_RESOURCE).ok()
}
