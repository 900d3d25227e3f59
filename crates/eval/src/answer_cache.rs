//! What language models answered, kept by what they were asked.

use crate::EvalError;
use crate::embedding_cache::open_cache;
use catena_document::ContentHash;
use catena_models::{ChatError, ChatRequest, ChatUsage, Generator};
use redb::{Database, ReadableDatabase, TableDefinition, TableError};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The hash of the model and of all that it was asked → its answer.
const ANSWERS: TableDefinition<'_, &[u8; 32], &str> = TableDefinition::new("answers");

/// A language model whose answers are kept in a work folder: an evaluation that goes on, or is run
/// again after a change, pays no call twice. What fails is not kept.
pub struct CachedGenerator<G> {
    inner: G,
    database: Database,
}

impl<G: Generator> CachedGenerator<G> {
    /// Opens the cache of a work folder.
    ///
    /// # Errors
    /// Where its file cannot be used, or another evaluation uses it.
    pub fn open(work: &Path, inner: G) -> Result<Self, EvalError> {
        fs::create_dir_all(work).map_err(|cause| EvalError::file("write", work, cause))?;
        let database = open_cache(work, &work.join("answers.redb"))?;
        Ok(Self { inner, database })
    }

    fn key(&self, request: &ChatRequest) -> Option<ContentHash> {
        let messages = serde_json::to_string(&request.messages).ok()?;
        let asked = format!("{}\0{}\0{messages}", self.inner.name(), request.max_tokens);
        Some(ContentHash::of(asked.as_bytes()))
    }

    fn known(&self, key: &ContentHash) -> Result<Option<String>, redb::Error> {
        let table = match self.database.begin_read()?.open_table(ANSWERS) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(None),
            table => table?,
        };
        Ok(table.get(&key.0)?.map(|answer| answer.value().to_owned()))
    }

    fn keep(&self, key: &ContentHash, answer: &str) -> Result<(), redb::Error> {
        let txn = self.database.begin_write()?;
        txn.open_table(ANSWERS)?.insert(&key.0, answer)?;
        txn.commit()?;
        Ok(())
    }
}

impl<G: Generator> Generator for CachedGenerator<G> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// An answer that is known comes at once, without what it took.
    fn generate(
        &self,
        request: &ChatRequest,
        cancel: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, ChatError> {
        let Some(key) = self.key(request) else {
            return self.inner.generate(request, cancel, delta);
        };
        match self.known(&key) {
            Ok(Some(answer)) => {
                delta(&answer);
                return Ok(ChatUsage::default());
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the kept answers cannot be read"),
        }
        let mut answer = String::new();
        let usage = self.inner.generate(request, cancel, &mut |text| {
            answer.push_str(text);
            delta(text);
        })?;
        if let Err(error) = self.keep(&key, &answer) {
            tracing::warn!(%error, "an answer cannot be kept");
        }
        Ok(usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catena_models::{ChatMessage, ChatRole};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    /// Counts what it is asked, and fails the first time.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Generator for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        fn generate(
            &self,
            _: &ChatRequest,
            _: &AtomicBool,
            delta: &mut dyn FnMut(&str),
        ) -> Result<ChatUsage, ChatError> {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            delta(&format!("answer {number}"));
            if number == 0 {
                return Err(ChatError::Broken("at once".to_owned()));
            }
            Ok(ChatUsage::default())
        }
    }

    #[test]
    fn an_answer_is_paid_once_and_a_failure_is_not_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let model = CachedGenerator::open(folder.path(), Counting::default()).expect("a cache");
        let ask = |model: &CachedGenerator<Counting>, question: &str| {
            let request = ChatRequest {
                task: "answer",
                messages: vec![ChatMessage::text(ChatRole::User, question)],
                max_tokens: 9,
                deadline: Duration::from_secs(9),
            };
            let mut text = String::new();
            let result = model.generate(&request, &AtomicBool::new(false), &mut |more| {
                text.push_str(more);
            });
            result.map(|_| text)
        };
        assert!(ask(&model, "a").is_err());
        assert_eq!(ask(&model, "a").expect("an answer"), "answer 1");
        assert_eq!(ask(&model, "b").expect("an answer"), "answer 2");
        drop(model);
        let model = CachedGenerator::open(folder.path(), Counting::default()).expect("a cache");
        assert_eq!(ask(&model, "a").expect("kept"), "answer 1");
        assert_eq!(model.inner.0.load(Ordering::Relaxed), 0);
    }
}
