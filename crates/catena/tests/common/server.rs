//! A server on this machine that plays a language model.

use super::{Folder, Output, finish};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What the server was sent: the authorisation, and the body.
pub(crate) type Request = (String, Value);

/// A server that answers requests in turn, each by a status and a body.
pub(crate) struct Server {
    address: SocketAddr,
    thread: JoinHandle<Vec<Request>>,
}

impl Server {
    pub(crate) fn new(answers: Vec<(&str, String)>) -> Self {
        Self::raw(
            answers
                .into_iter()
                .map(|(status, body)| http(status, &body))
                .collect(),
        )
    }

    /// One that answers with these bytes and keeps every connection open.
    pub(crate) fn raw(mut answers: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        answers.reverse();
        let thread = thread::spawn(move || {
            let mut requests = Vec::new();
            let mut open = Vec::new();
            loop {
                let (stream, _) = listener.accept().expect("a connection");
                // One that says nothing ends it.
                let Some(request) = receive(&stream) else {
                    return requests;
                };
                requests.push(request);
                let answer = answers.pop().unwrap_or_else(|| http("410 Gone", ""));
                // A reader that has enough closes the connection.
                let _ = (&stream).write_all(answer.as_bytes());
                open.push(stream);
            }
        });
        Self { address, thread }
    }

    /// One whose model says this, one reply a request.
    pub(crate) fn saying(replies: &[&str]) -> Self {
        let answer = |reply: &&str| ("200 OK", streamed(reply));
        Self::new(replies.iter().map(answer).collect())
    }

    /// Runs the program with this model; what it wrote, and what the server was sent.
    pub(crate) fn run(self, folder: &Folder, args: &[&str]) -> (Output, Vec<Request>) {
        let mut command = folder.command(args);
        command
            .env("CATENA_LLM_URL", format!("http://{}/v1", self.address))
            .env("CATENA_LLM_MODEL", "m")
            .env("CATENA_LLM_KEY", "secret")
            .env("CATENA_LLM_TIMEOUT", "3")
            .env("CATENA_LLM_PROMPT_PRICE", "2")
            .env("CATENA_LLM_ANSWER_PRICE", "2");
        let output = finish(command);
        drop(TcpStream::connect(self.address).expect("the server"));
        (output, self.thread.join().expect("the server"))
    }
}

/// A whole answer of a server.
pub(crate) fn http(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
}

/// What was sent over a connection; nothing where it was closed at once.
fn receive(stream: &TcpStream) -> Option<Request> {
    let wait = Some(Duration::from_secs(30));
    stream.set_read_timeout(wait).expect("a stream");
    let mut reader = BufReader::new(stream);
    let (mut length, mut key, mut lines) = (0, String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a header");
        if line.is_empty() && lines == 0 {
            return None;
        }
        lines += 1;
        let Some((name, value)) = line.trim().split_once(": ") else {
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().expect("a length"),
            "authorization" => value.clone_into(&mut key),
            _ => {}
        }
    }
    let mut sent = vec![0; length];
    reader.read_exact(&mut sent).expect("a body");
    Some((key, serde_json::from_slice(&sent).expect("JSON")))
}

/// Words as a model streams them, a few characters at a time.
pub(crate) fn streamed(words: &str) -> String {
    let letters: Vec<char> = words.chars().collect();
    let pieces = letters.chunks(5).map(|piece| {
        let piece: String = piece.iter().collect();
        let event = serde_json::json!({"choices": [{"delta": {"content": piece}}]});
        format!("data: {event}\n\n")
    });
    pieces.chain(["data: [DONE]\n\n".to_owned()]).collect()
}
