//! Language models: what they are asked, and what they give.

mod ledger;
#[cfg(feature = "llama")]
mod llama;
mod server;
mod stream;
mod text;

pub use ledger::{Ledger, LedgerEntry};
#[cfg(feature = "llama")]
pub use llama::Llama;
pub use server::ChatModel;

use base64::Engine as _;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Generates text.
pub trait Generator: Send + Sync {
    /// The model's name.
    fn name(&self) -> &str;

    /// Generates an answer; `delta` gets each piece of text as it comes. Gives the tokens used,
    /// where the model tells them.
    ///
    /// # Errors
    /// Where the model cannot be reached, refuses, breaks off, or takes longer than the request
    /// allows. What came until then has gone to `delta`.
    fn generate(
        &self,
        request: &ChatRequest,
        cancel: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, ChatError>;
}

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    /// What it is for, as a ledger groups it: `answer`, `split`, `extract`.
    pub task: &'static str,
    /// The turns.
    pub messages: Vec<ChatMessage>,
    /// Tokens of the answer at most.
    pub max_tokens: u32,
    /// How long the answer may take.
    pub deadline: Duration,
}

/// A turn.
#[derive(Clone, Debug, Serialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What is said.
    #[serde(serialize_with = "parts")]
    pub content: Vec<ChatPart>,
}

/// A part of what is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatPart {
    /// Words.
    Text(String),
    /// A picture, as PNG.
    Png(Vec<u8>),
}

impl ChatMessage {
    /// A turn of words.
    pub fn text(role: ChatRole, text: impl Into<String>) -> Self {
        Self {
            role,
            content: vec![ChatPart::Text(text.into())],
        }
    }

    /// The words of the turn.
    pub fn words(&self) -> String {
        let words = self.content.iter().filter_map(|part| match part {
            ChatPart::Text(text) => Some(text.as_str()),
            ChatPart::Png(_) => None,
        });
        words.collect::<Vec<_>>().join("\n")
    }
}

/// Words alone are a string, as every server reads them; pictures make it a list of parts.
fn parts<S: Serializer>(content: &[ChatPart], serializer: S) -> Result<S::Ok, S::Error> {
    if let [ChatPart::Text(text)] = content {
        return serializer.serialize_str(text);
    }
    let part = |part: &ChatPart| match part {
        ChatPart::Text(text) => serde_json::json!({"type": "text", "text": text}),
        ChatPart::Png(bytes) => {
            let data = base64::engine::general_purpose::STANDARD.encode(bytes);
            let url = format!("data:image/png;base64,{data}");
            serde_json::json!({"type": "image_url", "image_url": {"url": url}})
        }
    };
    serializer.collect_seq(content.iter().map(part))
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// The instructions.
    System,
    /// The asker.
    User,
    /// The model.
    Assistant,
}

/// Tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ChatUsage {
    /// Of the prompt.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// Of the answer.
    #[serde(default)]
    pub completion_tokens: u64,
    /// Whether the answer ended at the limit of tokens, not by itself.
    #[serde(skip)]
    pub cut_off: bool,
}

/// Why a model gave no (whole) answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The server cannot be reached.
    #[error("cannot reach the language model at `{url}`: {cause}")]
    Unreachable {
        /// Its address.
        url: String,
        /// Why.
        cause: String,
    },
    /// The server refused.
    #[error("the language model at `{url}` answered {status}: {message}")]
    Refused {
        /// Its address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// The stream broke off or made no sense.
    #[error("the language model's answer broke off: {0}")]
    Broken(String),
    /// The answer has more text than any answer needs.
    #[error("the language model's answer is longer than {} kB", .0 / 1000)]
    TooLong(usize),
    /// The deadline passed.
    #[error("the language model did not answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// A model in this process could not be loaded or run.
    #[error("the language model `{model}` failed: {cause}")]
    Failed {
        /// The model's name.
        model: String,
        /// Why.
        cause: String,
    },
    /// The answer was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl ChatError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unreachable { url, .. }
                if url.starts_with("https:") && !cfg!(feature = "tls") =>
            {
                Some("this build speaks http only: build with `--features tls`")
            }
            Self::Unreachable { .. } => Some("check `CATENA_LLM_URL`, or unset it"),
            Self::Refused {
                status: 401 | 403, ..
            } => Some("check `CATENA_LLM_KEY`"),
            Self::Refused { status: 404, .. } => Some("check `CATENA_LLM_MODEL`"),
            Self::Refused {
                status: 400 | 415 | 422,
                message,
                ..
            } if message.contains("image") => Some("does this model see pictures?"),
            Self::Failed { cause, .. } if cause.contains("pictures") => {
                Some("set `CATENA_LLM_URL` to a server with a model that sees pictures")
            }
            Self::Refused { status: 429, .. } => Some("wait, or raise the account's limit"),
            _ => None,
        }
    }
}
