//! Adding files to a store.

use crate::EngineError;
use crate::seen::Seen;
use crate::view::embedded_view;
use catena_document::{ContentHash, DocumentId, View, edges};
use catena_index::{NewDocument, SourceFile, Writer};
use catena_models::{Embedder, VisionModels};
use catena_parse::{OcrMode, PARSER, ParseError, ParseOptions, Parsed, Source, Warning, parse};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 1 << 30;
/// The largest file that a document may bring along, in bytes.
const MAX_RESOURCE: u64 = 64 << 20;

/// After the parser's name, for a document whose pictures were left out.
const UNREAD: &str = ", pictures left out";
/// After the parser's name, for a document all of which was read from its pictures.
const ALWAYS: &str = ", all from pictures";

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
    /// What is read from pictures.
    pub ocr: OcrMode,
    /// The models that read pictures, where they are on this machine.
    pub vision: Option<Arc<VisionModels>>,
    /// The views to index.
    pub views: Vec<View>,
}

impl Default for AddOptions {
    fn default() -> Self {
        Self {
            password: None,
            link: false,
            ocr: OcrMode::Auto,
            vision: None,
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
    /// So many of so many pages or pictures are being read by their pixels.
    Picture(usize, usize),
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
        /// Whether words that may be in its pictures were left out.
        unread_pictures: bool,
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
    let reading = adding.writer.parser(&id)?;
    let same_parser = reading.is_some_and(|reading| is_current(&reading, &adding.options));
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
    let cancel = adding.cancel;
    let seen = Arc::new(Seen::new(adding.writer.seen(&id)?));
    let parsed = {
        let report = RefCell::new(&mut *report);
        let vision = adding.options.vision.clone();
        let options = ParseOptions {
            password: adding.options.password.clone(),
            ocr: adding.options.ocr,
            vision: vision.map(|models| Arc::new(models.behind(seen.clone()))),
            on_picture: &|step| {
                (report.borrow_mut())(Stage::Picture(step.at as usize, step.of as usize));
                !cancel.load(Ordering::Relaxed)
            },
            ..ParseOptions::default()
        };
        parse(&source, &options)
    };
    let parsed = parsed.map_err(|cause| match cause {
        ParseError::Stopped => EngineError::Cancelled,
        cause => EngineError::Parse {
            path: file.path.clone(),
            cause,
        },
    })?;
    let new = New {
        parsed,
        source: source_file,
        seen: seen.used(),
        replaced: before.is_some(),
    };
    store(adding, new, report)
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
    let reading = adding.writer.parser(&id)?;
    if reading.is_some_and(|reading| is_current(&reading, &adding.options)) {
        return Ok(Outcome::Unchanged(id));
    }
    let new = New {
        parsed,
        source: SourceFile::Keep(bytes),
        seen: Vec::new(),
        replaced: false,
    };
    store(adding, new, report)
}

/// A document that was read.
struct New<'a> {
    parsed: Parsed,
    source: SourceFile<'a>,
    /// What models saw on its pictures.
    seen: Vec<(ContentHash, Vec<u8>)>,
    /// Whether its file had another content before.
    replaced: bool,
}

/// Cuts a document into units, embeds what is new, and hands it to the writer.
fn store(
    adding: &mut Adding<'_>,
    new: New<'_>,
    report: &mut dyn FnMut(Stage),
) -> Result<Outcome, EngineError> {
    let New {
        parsed,
        source,
        seen,
        replaced,
    } = new;
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
        unread_pictures: parsed.unread_pictures,
        replaced,
    };
    adding.writer.add(NewDocument {
        edges: edges(&document),
        document,
        source,
        parser: reading(adding.options.ocr, parsed.unread_pictures),
        warnings: parsed.warnings.iter().map(Warning::to_string).collect(),
        seen,
        assets: parsed.assets.into_iter().map(|asset| asset.bytes).collect(),
        views,
    })?;
    Ok(outcome)
}

/// How a document was read: the parser, and what of its pictures.
fn reading(ocr: OcrMode, unread_pictures: bool) -> String {
    let pictures = match (ocr, unread_pictures) {
        (_, true) => UNREAD,
        (OcrMode::Always, false) => ALWAYS,
        (OcrMode::Auto | OcrMode::Never, false) => "",
    };
    format!("{PARSER}{pictures}")
}

/// Whether a document that was read that way would be read the same way again.
fn is_current(reading: &str, options: &AddOptions) -> bool {
    let can_read = options.vision.is_some() && options.ocr != OcrMode::Never;
    match reading.strip_prefix(PARSER) {
        Some("") => options.ocr != OcrMode::Always || !can_read,
        Some(UNREAD) => !can_read,
        Some(ALWAYS) => options.ocr != OcrMode::Never,
        _ => false,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use catena_models::testing::FixedSight;

    #[test]
    fn a_document_is_read_again_when_more_can_be_read() {
        let sight = Arc::new(FixedSight::default());
        let vision = Arc::new(VisionModels::of(sight.clone(), sight.clone(), sight));
        let check = |reading: &str, ocr: OcrMode, models: bool, expected: bool| {
            let options = AddOptions {
                ocr,
                vision: models.then(|| Arc::clone(&vision)),
                ..AddOptions::default()
            };
            assert_eq!(is_current(reading, &options), expected, "{reading} {ocr:?}");
        };
        let complete = reading(OcrMode::Auto, false);
        check(&complete, OcrMode::Auto, true, true);
        check(&complete, OcrMode::Never, false, true);
        check(&complete, OcrMode::Always, true, false);
        let unread = reading(OcrMode::Auto, true);
        check(&unread, OcrMode::Auto, false, true);
        check(&unread, OcrMode::Auto, true, false);
        check(&unread, OcrMode::Never, true, true);
        let always = reading(OcrMode::Always, false);
        check(&always, OcrMode::Always, true, true);
        check(&always, OcrMode::Auto, true, true);
        check(&always, OcrMode::Never, true, false);
        check("another parser", OcrMode::Auto, true, false);
    }
}
