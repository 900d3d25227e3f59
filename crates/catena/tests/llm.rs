//! Answers by a language model, from a server on this machine that plays one.

mod common;

use common::server::{Request, Server, http, streamed};
use common::{Folder, list, text};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const QUESTION: &str = "How much does the boiler hold, and how is it drained?";

fn boiler() -> Folder {
    let folder = Folder::new();
    folder.write(
        "valve.svg",
        "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='60'>\
         <circle cx='45' cy='30' r='20'/></svg>",
    );
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
    let server = Server::saying(&[words]);
    let (output, sent) = server.run(&folder, &["ask", QUESTION, "--json"]);
    let (key, sent) = &sent[0];
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
    let check = |answers: Vec<String>, warning: &str| {
        let count = answers.len();
        let begin = Instant::now();
        let (output, sent) = Server::raw(answers).run(&folder, &["ask", QUESTION]);
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert!(output.stdout.contains("3 litres"), "{}", output.stdout);
        assert!(output.stderr.contains(warning), "{}", output.stderr);
        assert_eq!(sent.len(), count, "{warning}");
        assert!(begin.elapsed() < Duration::from_mins(1), "{warning}");
    };
    let thrice = |status: &str, body: &str| vec![http(status, body); 3];
    let refusal = "{\"error\": {\"message\": \"no such key\"}}";
    check(
        vec![http("401 Unauthorized", refusal)],
        "answered 401: no such key",
    );
    let cut = streamed("It holds").replace("data: [DONE]\n\n", "");
    check(
        vec![http("200 OK", &cut)],
        "broke off: the connection was closed",
    );
    // What fails before its first word is tried again.
    check(
        thrice("200 OK", "data: {nonsense\n\n"),
        "broke off: not JSON",
    );
    check(
        thrice("200 OK", "data: [DONE]\n\n"),
        "broke off: it is empty",
    );
    check(thrice("200 OK", ""), "broke off: it is empty");
    check(
        thrice("500 Failed", "out of memory"),
        "answered 500: out of memory",
    );
    let busy = "HTTP/1.1 429 Busy\r\nretry-after: 0\r\nconnection: close\r\n\
                content-length: 4\r\n\r\nbusy";
    check(
        vec![busy.to_owned(); 3],
        "answered 429: busy (wait, or raise",
    );
    let later = busy.replace("after: 0", "after: 3600");
    check(vec![later], "answered 429: busy");
    // It stands still behind its first words.
    let still = http("200 OK", &cut).replace("content-length: ", "content-length: 9");
    check(vec![still], "did not answer within 3 s");
    let endless = format!("data: {}", "x".repeat(100_000_000));
    check(vec![http("200 OK", &endless)], "is longer than 256 kB");
}

#[test]
fn one_that_is_busy_or_old_is_asked_again_and_what_it_used_is_told() {
    let folder = boiler();
    let busy = "HTTP/1.1 429 Busy\r\nretry-after: 0\r\nconnection: close\r\n\
                content-length: 4\r\n\r\nbusy";
    let old = http(
        "400 Bad",
        "{\"error\": {\"message\": \"unknown field stream_options\"}}",
    );
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 20}});
    let words = streamed("It holds 3 litres [1].");
    let words = words.replace("data: [DONE]", &format!("data: {usage}\n\ndata: [DONE]"));
    let server = Server::raw(vec![busy.to_owned(), old, http("200 OK", &words)]);
    let (output, sent) = server.run(&folder, &["ask", QUESTION, "--json", "--usage"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let asks = |request: &Request| request.1["stream_options"]["include_usage"] == true;
    assert_eq!(
        sent.iter().map(asks).collect::<Vec<_>>(),
        [true, true, false]
    );
    let answer: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(text(&answer["blocks"][0]["markdown"]), "It holds 3 litres.");
    let used = &answer["usage"][0];
    assert_eq!((text(&used["task"]), &used["calls"]), ("answer", &json!(1)));
    assert_eq!(used["prompt_tokens"], 1000);
    assert_eq!(used["cost"], 0.00204);
    assert!(
        output
            .stderr
            .contains("Used `m` for answer: 1 call, 1000 + 20 tokens"),
        "{}",
        output.stderr
    );
}

#[test]
fn its_instructions_may_be_replaced() {
    let folder = boiler();
    folder.write("prompts/answer.txt", "Answer like a pirate.");
    folder.write("catena.toml", "prompts = 'prompts'\n");
    let server = Server::saying(&["It holds 3 litres [1]."]);
    let (output, sent) = server.run(&folder, &["ask", QUESTION]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(
        text(&sent[0].1["messages"][0]["content"]),
        "Answer like a pirate."
    );
    folder.write("prompts/answers.txt", "Never used.");
    let output = folder.check(&["ask", QUESTION], 2);
    assert!(output.stderr.contains("answers.txt"), "{}", output.stderr);
}

#[test]
fn a_follow_up_is_understood_from_the_questions_before() {
    let folder = boiler();
    let first = "Which torque does the drain valve need?";
    let answer = folder.json(&["ask", first, "--json"], 0);
    assert_eq!(answer["understood"], first);
    let follow_up = "And how do I open it?";
    let answer = folder.json(&["ask", "--continue", follow_up, "--json"], 0);
    assert_eq!(answer["question"], follow_up);
    assert_eq!(answer["understood"], "how do I open drain valve?");
    let told = answer["blocks"].to_string();
    assert!(told.contains("Open the drain valve"), "{told}");
    // A model makes it whole where there is one.
    let server = Server::saying(&["How is the boiler emptied?", "Open the drain valve [1]."]);
    let (output, sent) = server.run(&folder, &["ask", "--continue", "And why?", "--json"]);
    assert_eq!((output.code, sent.len()), (0, 2), "{}", output.stderr);
    let answer: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(answer["understood"], "How is the boiler emptied?");
}

#[test]
fn one_that_sees_is_shown_figures_and_tables() {
    let folder = boiler();
    let server = Server::saying(&["Open the drain valve [1] [figure1]."]);
    let args = ["ask", QUESTION, "--mode", "mllm", "--json"];
    let (output, sent) = server.run(&folder, &args);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let parts = list(&sent[0].1["messages"][1]["content"]);
    let labels: Vec<&str> = parts
        .windows(2)
        .filter(|pair| {
            let url = pair[1]["image_url"]["url"].as_str();
            url.is_some_and(|url| url.starts_with("data:image/png;base64,iVBOR"))
        })
        .map(|pair| text(&pair[0]["text"]))
        .collect();
    assert_eq!(labels, ["[figure1] as a picture:"]);
    let last = parts.last().map_or("", |part| text(&part["text"]));
    assert_eq!(last, format!("Question: {QUESTION}"));
}

#[test]
fn one_that_finds_no_evidence_says_so() {
    let folder = boiler();
    let server = Server::saying(&["NO EVIDENCE"]);
    let (output, _) = server.run(&folder, &["ask", "Who built it?", "--json"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let answer: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(answer["outcome"], "insufficient_evidence");
    assert!(list(&answer["blocks"]).is_empty());
}
