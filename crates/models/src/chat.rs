//! Language models behind the OpenAI-compatible chat protocol: vLLM, Ollama, llama.cpp, hosted.

use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a stream may stand still.
const SILENCE: Duration = Duration::from_mins(1);
/// Bytes of one stream at most, its framing included.
const MAX_STREAM: u64 = 8 << 20;
/// Characters of an error's body that are shown.
const SHOWN: usize = 300;

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
    pub content: String,
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
    /// The deadline passed.
    #[error("the language model did not answer within {} s", .0.as_secs())]
    TimedOut(Duration),
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
            Self::Refused { status: 429, .. } => Some("wait, or raise the account's limit"),
            _ => None,
        }
    }
}

/// A model on a server.
#[derive(Clone, Debug)]
pub struct ChatModel {
    url: String,
    model: String,
    key: Option<String>,
    agent: ureq::Agent,
}

impl ChatModel {
    /// The model named `model` at `url`, which is the address before `/chat/completions`
    /// (`http://localhost:11434/v1`).
    pub fn new(url: &str, model: &str, key: Option<String>) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT))
            .max_redirects(0)
            .build();
        Self {
            url: url.trim_end_matches('/').to_owned(),
            model: model.to_owned(),
            key,
            agent: config.into(),
        }
    }
}

/// The body of a request.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: &'a [ChatMessage],
    max_tokens: u32,
    temperature: f32,
    stream: bool,
}

impl Generator for ChatModel {
    fn name(&self) -> &str {
        &self.model
    }

    fn generate(
        &self,
        request: &ChatRequest,
        cancel: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, ChatError> {
        let begin = Instant::now();
        let body = Body {
            model: &self.model,
            messages: &request.messages,
            max_tokens: request.max_tokens,
            temperature: 0.0,
            stream: true,
        };
        let body =
            serde_json::to_vec(&body).map_err(|error| ChatError::Broken(error.to_string()))?;
        let mut call = self
            .agent
            .post(format!("{}/chat/completions", self.url))
            .config()
            .timeout_global(Some(request.deadline))
            .timeout_recv_response(Some(request.deadline))
            .timeout_per_read(Some(SILENCE.min(request.deadline)))
            .build()
            .header("content-type", "application/json")
            .header("accept", "text/event-stream");
        if let Some(key) = &self.key {
            call = call.header("authorization", format!("Bearer {key}"));
        }
        let response = call.send(&body[..]).map_err(|error| match error {
            ureq::Error::Timeout(_) if begin.elapsed() >= request.deadline => {
                ChatError::TimedOut(request.deadline)
            }
            error => ChatError::Unreachable {
                url: self.url.clone(),
                cause: error.to_string(),
            },
        })?;
        let status = response.status().as_u16();
        let reader = response.into_body().into_reader().take(MAX_STREAM);
        if status != 200 {
            return Err(ChatError::Refused {
                url: self.url.clone(),
                status,
                message: error_message(reader),
            });
        }
        read_stream(
            BufReader::new(reader),
            cancel,
            delta,
            begin,
            request.deadline,
        )
    }
}

/// The first words of an error's body.
fn error_message(mut reader: impl Read) -> String {
    let mut bytes = vec![0; 4096];
    let mut filled = 0;
    while filled < bytes.len() {
        match reader.read(&mut bytes[filled..]) {
            Ok(0) | Err(_) => break,
            Ok(read) => filled += read,
        }
    }
    let text = String::from_utf8_lossy(&bytes[..filled]);
    let message = serde_json::from_str::<serde_json::Value>(&text)
        .ok()
        .and_then(|value| {
            let error = value.get("error")?;
            let message = error.get("message").unwrap_or(error).as_str()?;
            Some(message.to_owned())
        });
    message
        .unwrap_or_else(|| text.trim().to_owned())
        .chars()
        .take(SHOWN)
        .collect()
}

/// One event of a stream; what is not known of it is passed over.
#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<ChatUsage>,
    #[serde(default)]
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default, alias = "message")]
    delta: Option<Delta>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
}

/// Reads an event stream, or a single JSON answer from a server that does not stream.
fn read_stream(
    mut reader: impl BufRead,
    cancel: &AtomicBool,
    delta: &mut dyn FnMut(&str),
    begin: Instant,
    deadline: Duration,
) -> Result<ChatUsage, ChatError> {
    let mut usage = ChatUsage::default();
    let mut line = String::new();
    let mut events = 0;
    loop {
        if cancel.load(Ordering::Relaxed) {
            return Err(ChatError::Cancelled);
        }
        if begin.elapsed() > deadline {
            return Err(ChatError::TimedOut(deadline));
        }
        line.clear();
        match reader.read_line(&mut line) {
            Ok(0) if events > 0 => {
                return Err(ChatError::Broken("the connection was closed".to_owned()));
            }
            Ok(0) => return Err(ChatError::Broken("it is empty".to_owned())),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                return Err(ChatError::TimedOut(begin.elapsed()));
            }
            Err(error) => return Err(ChatError::Broken(error.to_string())),
        }
        let text = line.trim();
        let whole = text.starts_with('{');
        let data = text
            .strip_prefix("data:")
            .map(str::trim)
            .or(whole.then_some(text));
        let Some(data) = data.filter(|data| !data.is_empty()) else {
            continue;
        };
        if data == "[DONE]" {
            return Ok(usage);
        }
        let event: Event = serde_json::from_str(data)
            .map_err(|error| ChatError::Broken(format!("not JSON: {error}")))?;
        if let Some(error) = event.error {
            return Err(ChatError::Broken(
                error.to_string().chars().take(SHOWN).collect(),
            ));
        }
        events += 1;
        usage = event.usage.unwrap_or(usage);
        for content in event
            .choices
            .into_iter()
            .filter_map(|choice| choice.delta?.content)
        {
            delta(&content);
        }
        if whole {
            return Ok(usage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a stream: its text, then its end.
    fn check(stream: &str, text: &str, end: &str) {
        let mut out = String::new();
        let result = read_stream(
            stream.as_bytes(),
            &AtomicBool::new(false),
            &mut |delta| out.push_str(delta),
            Instant::now(),
            Duration::from_secs(10),
        );
        let found = match result {
            Ok(usage) => format!("{} tokens", usage.completion_tokens),
            Err(error) => error.to_string(),
        };
        assert_eq!((out.as_str(), found.as_str()), (text, end));
    }

    #[test]
    fn streams_whole_broken_and_plain() {
        let piece = |text: &str| {
            format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
        };
        let usage =
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\n";
        check(
            &format!(
                ": ping\n\n{}{}{usage}data: [DONE]\n",
                piece("Turn "),
                piece("it.")
            ),
            "Turn it.",
            "2 tokens",
        );
        check(
            &piece("Turn"),
            "Turn",
            "the language model's answer broke off: the connection was closed",
        );
        check("", "", "the language model's answer broke off: it is empty");
        check(
            "{\"choices\":[{\"message\":{\"content\":\"Whole.\"}}]}",
            "Whole.",
            "0 tokens",
        );
        check(
            "data: {\"error\":{\"message\":\"no\"}}\n",
            "",
            "the language model's answer broke off: {\"message\":\"no\"}",
        );
    }

    #[test]
    fn broken_json_is_an_error_not_a_panic() {
        let mut out = String::new();
        let result = read_stream(
            "data: {\"choices\": [\n".as_bytes(),
            &AtomicBool::new(false),
            &mut |delta| out.push_str(delta),
            Instant::now(),
            Duration::from_secs(10),
        );
        assert!(matches!(result, Err(ChatError::Broken(_))));
    }
}
