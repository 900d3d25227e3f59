//! Answers by a language model, from a server on this machine that plays one.

mod common;

use common::{Folder, finish, list, text};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

const QUESTION: &str = "How much does the boiler hold, and how is it drained?";

/// What the server was sent: the authorisation, and the body.
type Request = (String, Value);

/// A server that answers one request; its address, and what it was sent.
fn serve(status: &str, body: String) -> (String, JoinHandle<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a request");
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        let (mut length, mut key) = (0, String::new());
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a header");
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
        stream.write_all(head.as_bytes()).expect("sent");
        stream.write_all(body.as_bytes()).expect("sent");
        (key, serde_json::from_slice(&sent).expect("JSON"))
    });
    (url, server)
}

/// Words as a model streams them, a few characters at a time.
fn streamed(words: &str) -> String {
    let letters: Vec<char> = words.chars().collect();
    let pieces = letters.chunks(5).map(|piece| {
        let piece: String = piece.iter().collect();
        let event = serde_json::json!({"choices": [{"delta": {"content": piece}}]});
        format!("data: {event}\n\n")
    });
    pieces.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

fn boiler() -> Folder {
    let folder = Folder::new();
    folder.write(
        "a.md",
        "# Boiler\n\nThe boiler holds 3 litres.\n\nOpen the drain valve to empty the boiler, see \
         Figure 1.\n\n![The drain valve](valve.svg)\n\n*Figure 1. The drain valve*\n\n| Part | \
         Torque |\n|---|---|\n| Drain valve | 4 N·m |\n",
    );
    folder.check(&["add", "a.md"], 0);
    folder
}

#[test]
fn its_words_with_checked_labels() {
    let folder = boiler();
    let words =
        "It holds 3 litres [1].\n\nOpen the drain valve [1] [figure1]. It was made in 1999 [99].";
    let (url, server) = serve("200 OK", streamed(words));
    let mut command = folder.command(&["ask", QUESTION, "--json"]);
    command
        .env("CATENA_LLM_URL", url)
        .env("CATENA_LLM_MODEL", "m")
        .env("CATENA_LLM_KEY", "secret");
    let output = finish(command);
    let (key, sent) = server.join().expect("the server");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!((key.as_str(), text(&sent["model"])), ("Bearer secret", "m"));
    let prompt = text(&sent["messages"][1]["content"]);
    assert!(prompt.contains("The boiler holds 3 litres."), "{prompt}");
    assert!(
        prompt.contains("[figure1]") && prompt.contains(QUESTION),
        "{prompt}"
    );

    let answer: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(answer["outcome"], "answered");
    let blocks = list(&answer["blocks"]);
    let kinds: Vec<&str> = blocks.iter().map(|block| text(&block["type"])).collect();
    assert_eq!(kinds, ["text", "text", "figure"]);
    assert_eq!(text(&blocks[0]["markdown"]), "It holds 3 litres.");
    assert_eq!(text(&blocks[2]["caption"]), "Figure 1. The drain valve");
    let known: Vec<&Value> = list(&answer["citations"])
        .iter()
        .map(|c| &c["label"])
        .collect();
    let cited = blocks.iter().flat_map(|block| match &block["citation"] {
        Value::Null => list(&block["citations"]).iter().collect(),
        one => vec![one],
    });
    assert!(cited.clone().count() >= 3 && cited.clone().all(|label| known.contains(&label)));
    let warnings = answer["warnings"].to_string();
    assert!(
        warnings.contains("`[99]`, which is no evidence"),
        "{warnings}"
    );
    assert!(!output.stdout.contains("secret") && !output.stderr.contains("secret"));
}

#[test]
fn one_that_refuses_or_breaks_off_leaves_the_answer_to_the_evidence() {
    let folder = boiler();
    let check = |status: &str, body: String, warning: &str| {
        let (url, server) = serve(status, body);
        let mut command = folder.command(&["ask", QUESTION]);
        command
            .env("CATENA_LLM_URL", url)
            .env("CATENA_LLM_MODEL", "m");
        let output = finish(command);
        server.join().expect("the server");
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert!(output.stdout.contains("3 litres"), "{}", output.stdout);
        assert!(output.stderr.contains(warning), "{}", output.stderr);
    };
    let refusal = "{\"error\": {\"message\": \"no such key\"}}".to_owned();
    check("401 Unauthorized", refusal, "answered 401: no such key");
    let cut = streamed("It holds").replace("data: [DONE]\n\n", "");
    check("200 OK", cut, "broke off");
    check("200 OK", "data: {nonsense\n\n".to_owned(), "broke off");
}

#[test]
fn one_that_finds_no_evidence_says_so() {
    let folder = boiler();
    let (url, server) = serve("200 OK", streamed("NO EVIDENCE"));
    let mut command = folder.command(&["ask", "Who built it?", "--json"]);
    command
        .env("CATENA_LLM_URL", url)
        .env("CATENA_LLM_MODEL", "m");
    let output = finish(command);
    server.join().expect("the server");
    assert_eq!(output.code, 1, "{}", output.stderr);
    let answer: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(answer["outcome"], "insufficient_evidence");
    assert!(list(&answer["blocks"]).is_empty());
}
