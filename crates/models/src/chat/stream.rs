//! What a server streams: events with pieces of text, or one JSON answer.

use super::text::{MAX_TEXT, Text};
use super::{ChatError, ChatUsage};
use serde::Deserialize;
use std::io::{self, BufRead, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Characters of an error that are shown.
pub(super) const SHOWN: usize = 300;
/// Bytes of one line at most.
const MAX_LINE: u64 = 1 << 20;
/// A deadline this near has passed.
const SLACK: Duration = Duration::from_millis(200);

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
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
}

/// Reads an event stream, or a single JSON answer from a server that does not stream, until `end`,
/// which is `deadline` after the request.
pub(super) fn read_stream(
    mut reader: impl BufRead,
    cancel: &AtomicBool,
    delta: &mut dyn FnMut(&str),
    end: Instant,
    deadline: Duration,
) -> Result<ChatUsage, ChatError> {
    let mut usage = ChatUsage::default();
    let mut cut_off = false;
    let mut text = Text::default();
    let mut line = String::new();
    let mut finished = false;
    loop {
        if cancel.load(Ordering::Relaxed) {
            return Err(ChatError::Cancelled);
        }
        if Instant::now() > end {
            return Err(ChatError::TimedOut(deadline));
        }
        line.clear();
        let closed = match (&mut reader).take(MAX_LINE).read_line(&mut line) {
            Ok(0) => true,
            Ok(read) if read as u64 == MAX_LINE => return Err(ChatError::TooLong(MAX_TEXT)),
            Ok(_) => false,
            Err(error) if is_timeout(&error) && Instant::now() + SLACK < end => {
                let what = "nothing more came for too long";
                return Err(ChatError::Broken(what.to_owned()));
            }
            Err(error) if is_timeout(&error) => return Err(ChatError::TimedOut(deadline)),
            Err(error) => return Err(ChatError::Broken(error.to_string())),
        };
        let trimmed = line.trim();
        let whole = trimmed.starts_with('{');
        let data = trimmed.strip_prefix("data:").map(str::trim);
        let data = data.or(whole.then_some(trimmed)).unwrap_or_default();
        // Some servers close the connection behind the last event.
        if data == "[DONE]" || (closed && finished) {
            break;
        }
        if closed {
            let what = if text.any {
                "the connection was closed"
            } else {
                "it is empty"
            };
            return Err(ChatError::Broken(what.to_owned()));
        }
        if data.is_empty() {
            continue;
        }
        let event: Event = serde_json::from_str(data)
            .map_err(|error| ChatError::Broken(format!("not JSON: {error}")))?;
        if let Some(error) = event.error {
            let error = error.to_string().chars().take(SHOWN).collect();
            return Err(ChatError::Broken(error));
        }
        usage = event.usage.unwrap_or(usage);
        for choice in event.choices {
            if let Some(content) = choice.delta.and_then(|delta| delta.content) {
                text.push(&content, delta)?;
            }
            if let Some(reason) = choice.finish_reason {
                finished = true;
                cut_off |= reason == "length";
            }
        }
        if whole {
            break;
        }
    }
    text.finish(delta)?;
    Ok(ChatUsage { cut_off, ..usage })
}

fn is_timeout(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    error.kind() == io::ErrorKind::TimedOut || matches!(inner, Some(ureq::Error::Timeout(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a stream: its text, then its end.
    fn check(stream: &str, text: &str, end: &str) {
        let mut out = String::new();
        let deadline = Duration::from_secs(10);
        let result = read_stream(
            stream.as_bytes(),
            &AtomicBool::new(false),
            &mut |delta| out.push_str(delta),
            Instant::now() + deadline,
            deadline,
        );
        let found = match result {
            Ok(usage) if usage.cut_off => format!("{} tokens, cut off", usage.completion_tokens),
            Ok(usage) => format!("{} tokens", usage.completion_tokens),
            Err(error) => error.to_string(),
        };
        assert_eq!((out.as_str(), found.as_str()), (text, end), "{stream:.200}");
    }

    fn piece(text: &str) -> String {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    }

    #[test]
    fn streams_whole_broken_and_plain() {
        let broken = |why: &str| format!("the language model's answer broke off: {why}");
        let turn = [piece("Turn "), piece("it.")].concat();
        let usage =
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\n";
        check(
            &format!(": ping\n\n{turn}{usage}data: [DONE]\n"),
            "Turn it.",
            "2 tokens",
        );
        check(&turn, "Turn it.", &broken("the connection was closed"));
        let last = |reason: &str| {
            format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n")
        };
        check(&format!("{turn}{}", last("stop")), "Turn it.", "0 tokens");
        check(
            &format!("{turn}{}data: [DONE]\n", last("length")),
            "Turn it.",
            "0 tokens, cut off",
        );
        check("", "", &broken("it is empty"));
        check("data: [DONE]\n", "", &broken("it is empty"));
        check(
            &format!("{}data: [DONE]\n", piece(" ")),
            " ",
            &broken("it is empty"),
        );
        check(
            "{\"choices\":[{\"message\":{\"content\":\"Whole.\"}}]}",
            "Whole.",
            "0 tokens",
        );
        check(
            "data: {\"error\":{\"message\":\"no\"}}\n",
            "",
            &broken("{\"message\":\"no\"}"),
        );
        check(
            "data: {\"choices\": [\n",
            "",
            &broken("not JSON: EOF while parsing a list at line 1 column 13"),
        );
    }

    #[test]
    fn thoughts_are_no_answer() {
        let whole = |pieces: &[&str]| {
            let pieces = pieces.iter().map(|text| piece(text)).collect::<String>();
            format!("{pieces}data: [DONE]\n")
        };
        check(
            &whole(&["<thi", "nk>Hm", "m.</think", ">Turn < it", "."]),
            "Turn < it.",
            "0 tokens",
        );
        check(
            &whole(&["<think>Hmm."]),
            "",
            "the language model's answer broke off: it is empty",
        );
    }

    #[test]
    fn an_endless_answer_ends() {
        let long = piece(&"x".repeat(100_000)).repeat(3);
        check(
            &long,
            &"x".repeat(200_000),
            "the language model's answer is longer than 256 kB",
        );
        let line = format!("data: {}", "x".repeat(2 << 20));
        check(
            &line,
            "",
            "the language model's answer is longer than 256 kB",
        );
    }
}
