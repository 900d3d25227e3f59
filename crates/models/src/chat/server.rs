//! Models behind the OpenAI-compatible chat protocol: vLLM, Ollama, llama.cpp, hosted.

use super::stream::{SHOWN, read_stream};
use super::{ChatError, ChatMessage, ChatRequest, ChatUsage, Generator};
use serde::Serialize;
use std::io::{BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a stream may stand still.
const SILENCE: Duration = Duration::from_mins(1);
/// Bytes of one stream at most, its framing included.
const MAX_STREAM: u64 = 8 << 20;
/// How often a request is sent at most, where the server is busy or fails before its first word.
const ATTEMPTS: u32 = 3;
/// The wait before the second attempt; it doubles.
const WAIT: Duration = Duration::from_millis(500);
/// The longest wait that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// How often a wait looks at the cancel flag.
const TICK: Duration = Duration::from_millis(50);

/// A model on a server.
#[derive(Clone, Debug)]
pub struct ChatModel {
    url: String,
    model: String,
    key: Option<String>,
    timeout: Option<Duration>,
    agent: ureq::Agent,
}

impl ChatModel {
    /// The model named `model` at `url`, which is the address before `/chat/completions`
    /// (`http://localhost:11434/v1`). `timeout` is how long an answer may take, in the place of what
    /// a request says.
    pub fn new(url: &str, model: &str, key: Option<String>, timeout: Option<Duration>) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT))
            .max_redirects(0)
            .build();
        Self {
            url: url.trim_end_matches('/').to_owned(),
            model: model.to_owned(),
            key,
            timeout,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

/// Asks for the tokens used, which a stream does not tell by itself.
#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// Why an attempt failed, and how long the server asks to wait.
struct Failed {
    error: ChatError,
    retry_after: Option<Duration>,
}

impl Generator for ChatModel {
    fn name(&self) -> &str {
        &self.model
    }

    /// A server that is busy, or fails before its first word, is asked again, later each time and
    /// as late as it says, within the deadline.
    fn generate(
        &self,
        request: &ChatRequest,
        cancel: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, ChatError> {
        let deadline = self.timeout.unwrap_or(request.deadline);
        let end = Instant::now() + deadline;
        let mut with_usage = true;
        let mut wait = WAIT;
        let mut attempt = 1;
        loop {
            let mut begun = false;
            let mut pass = |text: &str| {
                begun = true;
                delta(text);
            };
            let failed = match self.attempt(request, with_usage, (end, deadline), cancel, &mut pass)
            {
                Ok(usage) => return Ok(usage),
                Err(failed) => failed,
            };
            if begun || cancel.load(Ordering::Relaxed) {
                return Err(failed.error);
            }
            // An older server refuses what it does not know.
            if with_usage
                && matches!(
                    failed.error,
                    ChatError::Refused {
                        status: 400 | 422,
                        ..
                    }
                )
            {
                with_usage = false;
                continue;
            }
            let pause = failed.retry_after.unwrap_or(wait);
            let fits = pause <= LONGEST_WAIT && Instant::now() + pause < end;
            if attempt == ATTEMPTS || !may_pass(&failed.error) || !fits {
                return Err(failed.error);
            }
            tracing::info!(error = %failed.error, attempt, "the language model is asked again");
            sleep(pause, cancel)?;
            attempt += 1;
            wait *= 2;
        }
    }
}

/// Whether the same request may succeed later.
fn may_pass(error: &ChatError) -> bool {
    match error {
        ChatError::Refused { status, .. } => matches!(status, 408 | 425 | 429 | 500 | 502..=504),
        ChatError::Unreachable { .. } | ChatError::Broken(_) => true,
        ChatError::TimedOut(_)
        | ChatError::TooLong(_)
        | ChatError::Failed { .. }
        | ChatError::Cancelled => false,
    }
}

fn sleep(pause: Duration, cancel: &AtomicBool) -> Result<(), ChatError> {
    let end = Instant::now() + pause;
    while Instant::now() < end {
        if cancel.load(Ordering::Relaxed) {
            return Err(ChatError::Cancelled);
        }
        thread::sleep(TICK.min(pause));
    }
    Ok(())
}

impl ChatModel {
    fn attempt(
        &self,
        request: &ChatRequest,
        with_usage: bool,
        (end, deadline): (Instant, Duration),
        cancel: &AtomicBool,
        delta: &mut dyn FnMut(&str),
    ) -> Result<ChatUsage, Failed> {
        let at_once = |error| Failed {
            error,
            retry_after: None,
        };
        let left = end.saturating_duration_since(Instant::now());
        let body = Body {
            model: &self.model,
            messages: &request.messages,
            max_tokens: request.max_tokens,
            temperature: 0.0,
            stream: true,
            stream_options: with_usage.then_some(StreamOptions {
                include_usage: true,
            }),
        };
        let body = serde_json::to_vec(&body)
            .map_err(|error| at_once(ChatError::Broken(error.to_string())))?;
        let mut call = self
            .agent
            .post(format!("{}/chat/completions", self.url))
            .config()
            .timeout_global(Some(left))
            .timeout_recv_response(Some(left))
            .timeout_per_read(Some(SILENCE.min(left)))
            .build()
            .header("content-type", "application/json")
            .header("accept", "text/event-stream");
        if let Some(key) = &self.key {
            call = call.header("authorization", format!("Bearer {key}"));
        }
        let response = call.send(&body[..]).map_err(|error| {
            at_once(match error {
                ureq::Error::Timeout(_) if Instant::now() >= end => ChatError::TimedOut(deadline),
                error => ChatError::Unreachable {
                    url: self.url.clone(),
                    cause: error.to_string(),
                },
            })
        })?;
        let status = response.status().as_u16();
        let after = response.headers().get("retry-after");
        let after = after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let reader = response.into_body().into_reader().take(MAX_STREAM);
        if status != 200 {
            return Err(Failed {
                error: ChatError::Refused {
                    url: self.url.clone(),
                    status,
                    message: error_message(reader),
                },
                retry_after: after.map(Duration::from_secs),
            });
        }
        let reader = BufReader::new(reader);
        read_stream(reader, cancel, delta, end, deadline).map_err(at_once)
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
