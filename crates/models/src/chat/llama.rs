//! Language models in this process: a GGUF file, run by llama.cpp.

use super::text::Text;
use super::{ChatError, ChatMessage, ChatPart, ChatRequest, ChatRole, ChatUsage, Generator};
use crate::list::GGUF;
use crate::{ModelError, ModelFiles};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use std::fmt::Display;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long an answer may take where no setting says: a laptop reads some tens of tokens a second.
const DEADLINE: Duration = Duration::from_mins(10);
/// How often the cancel flag is looked at.
const TICK: Duration = Duration::from_millis(50);
/// Tokens that are read at once; between two batches the work can be stopped.
const BATCH: usize = 128;
/// The number of tokens that a context is rounded up to.
const CONTEXT_STEP: u32 = 1024;
/// Tokens of an answer that must have room behind the prompt.
const LEAST_ANSWER: u32 = 64;
/// Tokens of the answer among which a repeated one is less likely, and by how much: the most likely
/// token alone leads a small model in circles.
const REPEATED: i32 = 256;
const PENALTY: f32 = 1.1;
/// The chat format of a model whose file names none that llama.cpp knows.
const COMMON_TEMPLATE: &str = "chatml";

/// A model in this process. Its file is read when it is first asked, by a thread of its own, which
/// keeps what it has read of the last prompt: one that begins alike goes on from there.
#[derive(Debug)]
pub struct Llama {
    name: String,
    timeout: Option<Duration>,
    /// None only while it is dropped.
    jobs: Option<Sender<Job>>,
    worker: Option<JoinHandle<()>>,
}

impl Llama {
    /// The model in the GGUF file at `path`. `timeout` is how long an answer may take, in the place
    /// of what a request says.
    pub fn new(name: &str, path: PathBuf, timeout: Option<Duration>) -> Self {
        let (jobs, asked) = channel();
        Self {
            name: name.to_owned(),
            timeout,
            jobs: Some(jobs),
            worker: Some(thread::spawn(move || work(&path, &asked))),
        }
    }

    /// A model of the list.
    ///
    /// # Errors
    /// [`ModelError::Missing`] where these are the files of another kind of model.
    pub fn of_files(files: &ModelFiles, timeout: Option<Duration>) -> Result<Self, ModelError> {
        let path = files.path(GGUF)?.to_owned();
        Ok(Self::new(files.entry.name, path, timeout))
    }

    fn failed(&self, cause: impl Display) -> ChatError {
        ChatError::Failed {
            model: self.name.clone(),
            cause: cause.to_string(),
        }
    }
}

impl Drop for Llama {
    /// Waits for the thread, so that llama.cpp is not at work while the process ends.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

impl Generator for Llama {
    fn name(&self) -> &str {
        &self.name
    }

    /// # Errors
    /// [`ChatError::Failed`] where the file cannot be loaded, the prompt has pictures, or more
    /// tokens than the model reads.
    fn generate(
        &self,
        request: &ChatRequest,
        cancel: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, ChatError> {
        let has_picture = |message: &ChatMessage| {
            let mut parts = message.content.iter();
            parts.any(|part| matches!(part, ChatPart::Png(_)))
        };
        if request.messages.iter().any(has_picture) {
            return Err(self.failed("it sees no pictures"));
        }
        let deadline = self.timeout.unwrap_or(DEADLINE.max(request.deadline));
        let end = Instant::now() + deadline;
        let (pieces, come) = channel();
        let stop = StopOnDrop(Arc::default());
        let job = Job {
            messages: request.messages.clone(),
            max_tokens: request.max_tokens,
            pieces,
            stop: Arc::clone(&stop.0),
        };
        let gone = || self.failed("its thread has ended");
        let jobs = self.jobs.as_ref().ok_or_else(gone)?;
        jobs.send(job).map_err(|_| gone())?;
        let mut text = Text::default();
        loop {
            if cancel.load(Ordering::Relaxed) {
                return Err(ChatError::Cancelled);
            }
            if Instant::now() > end {
                return Err(ChatError::TimedOut(deadline));
            }
            match come.recv_timeout(TICK) {
                Ok(Piece::Text(piece)) => text.push(&piece, delta)?,
                Ok(Piece::End(Ok(usage))) => {
                    text.finish(delta)?;
                    return Ok(usage);
                }
                Ok(Piece::End(Err(cause))) => return Err(self.failed(cause)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            }
        }
    }
}

/// Tells the thread that nobody waits any more.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What the thread is asked.
#[derive(Debug)]
struct Job {
    messages: Vec<ChatMessage>,
    max_tokens: u32,
    pieces: Sender<Piece>,
    stop: Arc<AtomicBool>,
}

/// What the thread gives.
#[derive(Debug)]
enum Piece {
    Text(String),
    End(Result<ChatUsage, String>),
}

/// llama.cpp, set up once for the process.
static BACKEND: LazyLock<Result<LlamaBackend, String>> = LazyLock::new(|| {
    let mut backend = LlamaBackend::init().map_err(|error| error.to_string())?;
    backend.void_logs();
    Ok(backend)
});

fn work(path: &Path, asked: &Receiver<Job>) {
    let Ok(first) = asked.recv() else {
        return;
    };
    let loaded = load(path);
    let mut reader = loaded.as_ref().map(|(backend, model)| Reader {
        backend,
        model,
        context: None,
        read: Vec::new(),
    });
    for job in std::iter::once(first).chain(asked.iter()) {
        let answered = match &mut reader {
            Ok(reader) => reader.answer(&job),
            Err(cause) => Err((*cause).clone()),
        };
        let _ = job.pieces.send(Piece::End(answered));
    }
}

fn load(path: &Path) -> Result<(&'static LlamaBackend, LlamaModel), String> {
    let _span = tracing::debug_span!("load_language_model").entered();
    if let Err(error) = std::fs::File::open(path) {
        return Err(format!("cannot read `{}`: {error}", path.display()));
    }
    let backend = BACKEND.as_ref().map_err(Clone::clone)?;
    let model = LlamaModel::load_from_file(backend, path, &LlamaModelParams::default())
        .map_err(|_| format!("`{}` is no GGUF file that llama.cpp knows", path.display()))?;
    Ok((backend, model))
}

/// A model with what it has read.
struct Reader<'a> {
    backend: &'a LlamaBackend,
    model: &'a LlamaModel,
    context: Option<LlamaContext<'a>>,
    /// The tokens that the context holds.
    read: Vec<LlamaToken>,
}

impl Reader<'_> {
    fn answer(&mut self, job: &Job) -> Result<ChatUsage, String> {
        let _span = tracing::debug_span!("generate").entered();
        let prompt = tokens(self.model, &job.messages)?;
        let length = prompt.len() as u32;
        let most = self.model.n_ctx_train();
        if length + LEAST_ANSWER > most {
            return Err(format!(
                "the prompt has {length} tokens, and it reads {most} at most"
            ));
        }
        let max_tokens = job.max_tokens.min(most - length);
        self.make_room((length + max_tokens).min(most))?;
        let Some(context) = &mut self.context else {
            return Err("it has no context".to_owned());
        };
        // The last token is read in any case: it gives the first word of the answer.
        let alike = self.read.iter().zip(&prompt).take_while(|(a, b)| a == b);
        let mut kept = alike.count().min(prompt.len() - 1);
        if context.kv_cache_seq_rm(0, Some(kept as u32), None).is_err() {
            // A model whose state has no places cannot forget a part of it.
            context.clear_kv_cache();
            kept = 0;
        }
        self.read.truncate(kept);
        tracing::debug!(tokens = length, kept, "reading the prompt");
        let mut batch = LlamaBatch::new(BATCH, 1);
        for piece in prompt[kept..].chunks(BATCH) {
            let last = self.read.len() + piece.len() == prompt.len();
            read(context, &mut batch, &mut self.read, piece, last)?;
            if job.stop.load(Ordering::Relaxed) {
                return Err("stopped".to_owned());
            }
        }
        let vocab = self.model.vocab();
        let penalties = LlamaSampler::penalties(vocab.n_tokens(), REPEATED, PENALTY, 0.0, 0.0);
        let mut sampler = LlamaSampler::chain_simple([penalties, LlamaSampler::greedy()]);
        let mut usage = ChatUsage {
            prompt_tokens: u64::from(length),
            ..ChatUsage::default()
        };
        let mut bytes = Vec::new();
        while usage.completion_tokens < u64::from(max_tokens) {
            let token = sampler.sample(context, -1);
            if vocab.is_eog(token) {
                return Ok(usage);
            }
            usage.completion_tokens += 1;
            bytes.extend(vocab.token_to_piece(token, false, None));
            let text = whole_characters(&mut bytes);
            if !text.is_empty() && job.pieces.send(Piece::Text(text)).is_err()
                || job.stop.load(Ordering::Relaxed)
            {
                return Err("stopped".to_owned());
            }
            read(context, &mut batch, &mut self.read, &[token], true)?;
        }
        usage.cut_off = true;
        Ok(usage)
    }

    /// Makes sure that the context holds so many tokens.
    fn make_room(&mut self, tokens: u32) -> Result<(), String> {
        if self
            .context
            .as_ref()
            .is_some_and(|context| context.n_ctx() >= tokens)
        {
            return Ok(());
        }
        self.context = None;
        self.read.clear();
        let threads = thread::available_parallelism().map_or(1, |count| count.get() as i32);
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(tokens.next_multiple_of(CONTEXT_STEP)))
            .with_n_batch(BATCH as u32)
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        let made = self.model.new_context(self.backend, params);
        self.context = Some(made.map_err(|error| error.to_string())?);
        Ok(())
    }
}

/// Reads at most [`BATCH`] tokens; `wanted`: the next one can be sampled then.
fn read(
    context: &mut LlamaContext<'_>,
    batch: &mut LlamaBatch<'_>,
    read: &mut Vec<LlamaToken>,
    tokens: &[LlamaToken],
    wanted: bool,
) -> Result<(), String> {
    batch.clear();
    for (index, &token) in tokens.iter().enumerate() {
        let place = (read.len() + index) as i32;
        let last = wanted && index + 1 == tokens.len();
        batch
            .add(token, place, &[0], last)
            .map_err(|error| error.to_string())?;
    }
    context.decode(batch).map_err(|error| error.to_string())?;
    read.extend(tokens);
    Ok(())
}

/// The tokens of a prompt in the model's own chat format.
///
/// Only the format's own marks become control tokens: the same marks inside a message, which may
/// be the words of a document, stay words. So a document cannot end the turn that it is quoted in.
fn tokens(model: &LlamaModel, messages: &[ChatMessage]) -> Result<Vec<LlamaToken>, String> {
    let place = |index: usize| format!("\u{1}{index}\u{1}");
    let chat = messages.iter().enumerate().map(|(index, message)| {
        let role = match message.role {
            ChatRole::System => "system",
            ChatRole::User => "user",
            ChatRole::Assistant => "assistant",
        };
        LlamaChatMessage::new(role.to_owned(), place(index)).map_err(|error| error.to_string())
    });
    let chat = chat.collect::<Result<Vec<_>, _>>()?;
    let own = model.chat_template(None).ok();
    let own = own.and_then(|template| model.apply_chat_template(&template, &chat, true).ok());
    let format = match own {
        Some(format) => format,
        None => LlamaChatTemplate::new(COMMON_TEMPLATE)
            .map_err(|error| error.to_string())
            .and_then(|template| {
                let format = model.apply_chat_template(&template, &chat, true);
                format.map_err(|error| error.to_string())
            })?,
    };
    let vocab = model.vocab();
    let mut out = Vec::new();
    let mut rest = format.as_str();
    for (index, message) in messages.iter().enumerate() {
        let (before, after) = rest
            .split_once(&place(index))
            .ok_or("its chat format has no place for a message")?;
        vocab.tokenize_into(before.as_bytes(), &mut out, index == 0, true);
        vocab.tokenize_into(message.words().as_bytes(), &mut out, false, false);
        rest = after;
    }
    vocab.tokenize_into(rest.as_bytes(), &mut out, false, true);
    if out.is_empty() {
        return Err("the prompt is empty".to_owned());
    }
    Ok(out)
}

/// Takes the characters that are whole; the first bytes of the next one stay.
fn whole_characters(bytes: &mut Vec<u8>) -> String {
    let mut text = String::new();
    let mut taken = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        taken += chunk.valid().len();
        let bad = chunk.invalid();
        // At the end it may be the beginning of a character.
        if bad.is_empty() || (taken + bad.len() == bytes.len() && bad.len() < 4) {
            break;
        }
        text.push(char::REPLACEMENT_CHARACTER);
        taken += bad.len();
    }
    bytes.drain(..taken);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_come_whole() {
        let mut bytes = Vec::new();
        let mut out = Vec::new();
        for piece in [&b"a\xc3"[..], b"\xa9b\xf0\x9f", b"\x94", b"\xa7\xff\xffz"] {
            bytes.extend(piece);
            out.push(whole_characters(&mut bytes));
        }
        assert_eq!(out, ["a", "éb", "", "🔧\u{fffd}\u{fffd}z"]);
        assert!(bytes.is_empty());
    }
}
