//! Adding files and folders, with progress.

mod files;
mod report;

use crate::Context;
use crate::failure::Failure;
use crate::interrupt::Careful;
use crate::model;
use crate::progress::{FileBars, set_embedded, set_picture};
use catena_engine::{AddOptions, Adding, EngineError, Stage, add_file};
use catena_index::{StoreError, Writer};
use catena_models::Embedder;
use files::find_files;
use report::{Report, Timing};
use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Adds files and the files in folders to the store. Those that cannot be read are reported and
/// counted; the others are added all the same. If the user stops it, what is complete is kept.
///
/// # Errors
/// Where the store cannot be written, or the model is missing.
pub(crate) fn add_paths(
    paths: &[PathBuf],
    options: AddOptions,
    context: &Context,
) -> Result<Report, Failure> {
    let store = &context.settings.store.value;
    let mut report = Report::default();
    let (files, failures) = find_files(paths, store);
    report.failed = failures.len();
    for failure in failures {
        context.ui.report(&failure);
    }
    if files.is_empty() {
        return Ok(report);
    }
    let careful = Careful::begin();
    let mut writer = Writer::open(store)?;
    let loader = Loader::new(context);
    let mut adding = Adding {
        writer: &mut writer,
        embedder: &|| loader.embedder(),
        options,
        cancel: careful.stop(),
    };
    let bars = FileBars::new(&context.ui, files.len());
    for (at, file) in files.iter().enumerate() {
        if careful.stop().load(Ordering::Relaxed) {
            report.left = files.len() - at;
            break;
        }
        let bar = bars.begin(&file.path.display().to_string());
        let mut timing = Timing::begin();
        let result = add_file(&mut adding, file, &mut |stage| {
            timing.note(stage);
            match stage {
                Stage::Reading => {}
                Stage::Picture(page, pages) => set_picture(&bar, page, pages),
                Stage::Embedding(done, of) => set_embedded(&bar, done, of),
            }
        });
        let times = timing.end(loader.took.take());
        bars.end(&bar);
        match result {
            Ok(outcome) => bars.suspend(|| report.take(outcome, file, times, context)),
            Err(EngineError::Cancelled) => {
                report.left = files.len() - at;
                break;
            }
            Err(error) if is_of_file(&error) => {
                report.failed += 1;
                bars.suspend(|| context.ui.report(&error.into()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    drop(bars);
    writer.close()?;
    Ok(report)
}

/// Whether an error is one of the file, so that others can be added.
fn is_of_file(error: &EngineError) -> bool {
    match error {
        EngineError::File { .. } | EngineError::Parse { .. } => true,
        EngineError::Store(error) => matches!(error, StoreError::Invalid(_)),
        _ => false,
    }
}

/// Loads the embedder when it is first needed, and knows how long that took.
struct Loader<'a> {
    context: &'a Context,
    loaded: RefCell<Option<Arc<dyn Embedder>>>,
    took: Cell<Duration>,
}

impl<'a> Loader<'a> {
    fn new(context: &'a Context) -> Self {
        Self {
            context,
            loaded: RefCell::new(None),
            took: Cell::default(),
        }
    }

    fn embedder(&self) -> Result<Arc<dyn Embedder>, EngineError> {
        if let Some(loaded) = self.loaded.borrow().as_ref() {
            return Ok(Arc::clone(loaded));
        }
        let begun = Instant::now();
        let embedder = model::embedder(&self.context.settings, &self.context.ui)?;
        self.took.set(begun.elapsed());
        Ok(Arc::clone(self.loaded.borrow_mut().insert(embedder)))
    }
}
