//! The stores that an evaluation asks, kept in its work folder.

use crate::embedding_cache::{CachedEmbedder, file_name};
use crate::{EvalError, Step};
use catena_document::{ContentHash, NodeId, Relation, View};
use catena_engine::{
    AddOptions, Adding, EngineError, FileToAdd, Outcome, Strategy, add_document, add_file,
    add_relations, ensure_view,
};
use catena_index::{Store, StoreError, Writer};
use catena_models::{Embedder, VisionModels};
use catena_parse::Parsed;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How stores are built.
pub(crate) struct Stores<'a> {
    folder: PathBuf,
    embedder: Arc<dyn Embedder>,
    vision: Option<Arc<VisionModels>>,
    views: Vec<View>,
    cancel: &'a AtomicBool,
}

impl<'a> Stores<'a> {
    /// The stores of a work folder, with the views that the strategies search.
    pub(crate) fn new(
        work: &Path,
        embedder: Arc<CachedEmbedder>,
        vision: Option<Arc<VisionModels>>,
        strategies: &[&dyn Strategy],
        cancel: &'a AtomicBool,
    ) -> Self {
        let space = file_name(&embedder.space().name);
        Self {
            folder: work.join("stores").join(space),
            embedder,
            vision,
            views: strategies.iter().map(|strategy| strategy.view()).collect(),
            cancel,
        }
    }

    /// The store of one file; built where it is not there yet or another parser has read it.
    pub(crate) fn of_file(
        &self,
        path: &Path,
        report: &mut dyn FnMut(Step),
    ) -> Result<Store, EvalError> {
        let bytes = fs::read(path).map_err(|cause| EvalError::file("read", path, cause))?;
        let file = FileToAdd {
            path: path.to_owned(),
            root: path.parent().unwrap_or(path).to_owned(),
        };
        self.open(ContentHash::of(&bytes), |adding| {
            add_file(adding, &file, &mut |stage| report(stage.into())).map(|_| ())
        })
    }

    /// The store of a collection: documents with their files, and with what was stated of their
    /// second nodes, their text; `name` is the hash of all that they are made from.
    pub(crate) fn of_collection<'r>(
        &self,
        name: ContentHash,
        documents: impl Iterator<Item = ((Parsed, Vec<u8>), &'r [Relation])>,
        report: &mut dyn FnMut(usize),
    ) -> Result<Store, EvalError> {
        self.open(name, |adding| {
            for (((parsed, bytes), relations), number) in documents.zip(1..) {
                report(number);
                let document = parsed.document.clone();
                let added = add_document(adding, parsed, &bytes, &mut |_| {})?;
                if matches!(added, Outcome::Added { .. }) && !relations.is_empty() {
                    let stated = relations.iter().map(|stated| (NodeId(1), stated.clone()));
                    let (embedder, cancel) = (self.embedder.as_ref(), self.cancel);
                    let writer = &mut *adding.writer;
                    add_relations(&document, stated.collect(), writer, embedder, cancel)?;
                }
            }
            Ok(())
        })
    }

    /// The store of many files, named by their places and contents, and why some of them could not
    /// be read.
    pub(crate) fn of_files(
        &self,
        files: &[FileToAdd],
        report: &mut dyn FnMut(usize),
    ) -> Result<(Store, Vec<(PathBuf, String)>), EvalError> {
        let mut all = Vec::new();
        for file in files {
            let path = &file.path;
            let bytes = fs::read(path).map_err(|cause| EvalError::file("read", path, cause))?;
            all.extend_from_slice(path.as_os_str().as_encoded_bytes());
            all.extend_from_slice(&ContentHash::of(&bytes).0);
        }
        let mut failed = Vec::new();
        let store = self.open(ContentHash::of(&all), |adding| {
            for (file, number) in files.iter().zip(1..) {
                report(number);
                match add_file(adding, file, &mut |_| {}) {
                    Err(error @ (EngineError::Parse { .. } | EngineError::File { .. })) => {
                        failed.push((file.path.clone(), error.to_string()));
                    }
                    outcome => drop(outcome?),
                }
            }
            Ok(())
        })?;
        Ok((store, failed))
    }

    fn open(
        &self,
        name: ContentHash,
        add: impl FnOnce(&mut Adding<'_>) -> Result<(), EngineError>,
    ) -> Result<Store, EvalError> {
        let folder = self.folder.join(name.short());
        fs::create_dir_all(&folder).map_err(|cause| EvalError::file("write", &folder, cause))?;
        let mut writer = match Writer::open(&folder) {
            // What is kept from run to run can be made anew.
            Err(StoreError::OlderFormat { .. }) => {
                let failed = |cause| EvalError::file("write", &folder, cause);
                fs::remove_dir_all(&folder).map_err(failed)?;
                fs::create_dir_all(&folder).map_err(failed)?;
                Writer::open(&folder)?
            }
            writer => writer?,
        };
        let embedder = || Ok(Arc::clone(&self.embedder));
        add(&mut Adding {
            writer: &mut writer,
            embedder: &embedder,
            options: AddOptions {
                link: true,
                vision: self.vision.clone(),
                ..AddOptions::default()
            },
            cancel: self.cancel,
        })?;
        writer.commit()?;
        let store = Store::open(&folder)?;
        for &view in self.views.iter().filter(|&&view| view != View::Evidence) {
            ensure_view(
                &store,
                &mut writer,
                view,
                self.embedder.as_ref(),
                self.cancel,
            )?;
        }
        writer.close()?;
        Ok(store)
    }
}
