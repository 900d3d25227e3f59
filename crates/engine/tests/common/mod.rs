//! A folder with a store, for tests with the real embedding model.
#![allow(dead_code, missing_docs, unreachable_pub)]

use catena_engine::{
    AddOptions, Adding, Answer, Asking, EngineError, FileToAdd, Hit, Mode, Outcome, Prompts,
    Retrieval, add_file, ask, by_name, embed_query,
};
use catena_index::{Store, Writer};
use catena_models::{Embedder, MINILM, MiniLm, ModelCache, pull};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// The embedding model, fetched into the user's cache where it is not there yet.
pub fn embedder() -> Arc<dyn Embedder> {
    static LOADED: OnceLock<Arc<MiniLm>> = OnceLock::new();
    let load = || {
        let cache = ModelCache::of_user().unwrap();
        pull(&cache, &MINILM, None, &AtomicBool::new(false), &mut |_| {}).unwrap();
        Arc::new(MiniLm::load(&cache.locate(&MINILM).unwrap()).unwrap())
    };
    LOADED.get_or_init(load).clone()
}

/// A folder with a store and files.
pub struct Place {
    pub folder: tempfile::TempDir,
    pub embedder: Arc<dyn Embedder>,
}

impl Place {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            embedder: embedder(),
        }
    }

    pub fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> FileToAdd {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        FileToAdd {
            path,
            root: self.folder.path().to_owned(),
        }
    }

    pub fn add(&self, file: &FileToAdd) -> Result<Outcome, EngineError> {
        let mut writer = Writer::open(self.store()).unwrap();
        let embedder = || Ok(self.embedder.clone());
        let mut adding = Adding {
            writer: &mut writer,
            embedder: &embedder,
            options: AddOptions::default(),
            cancel: &AtomicBool::new(false),
        };
        let outcome = add_file(&mut adding, file, &mut |_| {});
        writer.close().unwrap();
        outcome
    }

    pub fn ask(&self, question: &str, strategy: &str, mode: Mode<'_>) -> (Vec<Hit>, Answer) {
        let snapshot = Store::open(self.store()).unwrap().snapshot().unwrap();
        let query = embed_query(question, self.embedder.as_ref(), Retrieval::default()).unwrap();
        let asking = Asking {
            strategy: by_name(strategy).unwrap(),
            embedder: self.embedder.as_ref(),
            planner: None,
            mode,
            prompts: &Prompts::default(),
            cache: &Store::open(self.store()).unwrap().render_cache(),
            cancel: &AtomicBool::new(false),
        };
        let (found, answer) = ask(&snapshot, &query, asking, &mut |_| {}).unwrap();
        (found.hits, answer)
    }
}

impl Place {
    /// A folder whose store has these documents in Markdown.
    pub fn of(documents: &[(&str, &str)]) -> Self {
        let place = Self::new();
        for (name, text) in documents {
            let file = place.write(name, text.as_bytes());
            let outcome = place.add(&file);
            assert!(matches!(outcome, Ok(Outcome::Added { .. })), "{outcome:?}");
        }
        place
    }

    /// The hits of a question.
    pub fn find(&self, question: &str, strategy: &str, retrieval: Retrieval) -> Vec<Hit> {
        let snapshot = Store::open(self.store()).unwrap().snapshot().unwrap();
        let query = embed_query(question, self.embedder.as_ref(), retrieval).unwrap();
        by_name(strategy)
            .unwrap()
            .retrieve(&snapshot, &query)
            .unwrap()
    }
}
