//! What a language model replies, read with patience and believed only as far as it is checked.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Value};
use std::ops::Range;

/// Sub-questions of a plan at most.
pub(super) const MOST_PARTS: usize = 5;
/// Characters of a sub-question at most.
const LONGEST_PART: usize = 400;
/// Characters of an answer at most: it stands for a name, not for a sentence.
const LONGEST_ANSWER: usize = 120;

/// The sub-questions of a reply, in order.
///
/// # Errors
/// Why it cannot be used, in words.
pub(super) fn parts(reply: &str) -> Result<Vec<String>, String> {
    #[derive(Deserialize)]
    struct Reply {
        sub_questions: Vec<String>,
    }
    let reply: Reply = last_object(reply).ok_or("it is not the JSON that was asked for")?;
    let parts: Vec<String> = reply.sub_questions.iter().map(|part| tidy(part)).collect();
    if parts.is_empty() || parts.iter().any(String::is_empty) {
        return Err("a sub-question is empty".to_owned());
    }
    if parts.len() > MOST_PARTS {
        let number = parts.len();
        return Err(format!(
            "it has {number} sub-questions, {MOST_PARTS} at most are searched"
        ));
    }
    if parts.iter().any(|part| part.chars().count() > LONGEST_PART) {
        return Err("a sub-question is too long".to_owned());
    }
    for (at, part) in parts.iter().enumerate() {
        if let Some((_, number)) = references(part)
            .into_iter()
            .find(|&(_, n)| n == 0 || n > at)
        {
            return Err(format!("`#{number}` is no earlier sub-question"));
        }
    }
    Ok(parts)
}

/// The answer of a hop and the label of the block that is to state it; `None` where the model
/// says that no block does.
///
/// # Errors
/// Why it cannot be used, in words.
pub(super) fn verdict(reply: &str) -> Result<Option<(String, String)>, String> {
    #[derive(Deserialize)]
    struct Reply {
        answer: Value,
        #[serde(default)]
        label: Value,
    }
    let reply: Reply = last_object(reply).ok_or("the model's reply is not JSON")?;
    let word = |value: &Value| match value {
        Value::String(text) => tidy(text),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let answer = word(&reply.answer);
    if answer.is_empty() {
        return Ok(None);
    }
    if answer.chars().count() > LONGEST_ANSWER {
        return Err("the model's answer is too long for a name".to_owned());
    }
    let label = word(&reply.label);
    let label = label.trim_matches(['[', ']', ' ']);
    Ok(Some((answer, label.chars().take(LONGEST_ANSWER).collect())))
}

/// The references in a sub-question, `#1`: where each stands, and its number.
pub(super) fn references(part: &str) -> Vec<(Range<usize>, usize)> {
    let mut out = Vec::new();
    for (start, _) in part.match_indices('#') {
        let digits = part[start + 1..].bytes().take_while(u8::is_ascii_digit);
        let end = start + 1 + digits.count();
        if end > start + 1 {
            // What is too long for a number is no sub-question's either.
            let number = part[start + 1..end].parse().unwrap_or(usize::MAX);
            out.push((start..end, number));
        }
    }
    out
}

/// The last JSON object of this form in a text: models put it into code fences, and words around
/// it; those that think aloud draft it first.
pub(crate) fn last_object<T: DeserializeOwned>(text: &str) -> Option<T> {
    let mut found = None;
    let mut from = 0;
    while let Some(open) = text[from..].find('{') {
        let start = from + open;
        let mut values = Deserializer::from_str(&text[start..]).into_iter::<T>();
        from = start + 1;
        if let Some(Ok(value)) = values.next() {
            found = Some(value);
            from = start + values.byte_offset();
        }
    }
    found
}

/// Words on one line, without characters that steer a terminal.
fn tidy(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_parts(reply: &str, expected: Result<&[&str], &str>) {
        let found = parts(reply);
        let found = found
            .as_ref()
            .map(|parts| parts.iter().map(String::as_str).collect::<Vec<_>>());
        let expected = expected.map(<[&str]>::to_vec).map_err(str::to_owned);
        assert_eq!(found.map_err(Clone::clone), expected, "{reply}");
    }

    #[test]
    fn plans_are_found_in_what_stands_around_them() {
        let two: &[&str] = &["Who made it?", "Where does #1 sit?"];
        let json = r#"{"sub_questions": ["Who made it?", "Where does #1 sit?"]}"#;
        check_parts(json, Ok(two));
        check_parts(
            &format!("Here you are:\n```json\n{json}\n```\nDone."),
            Ok(two),
        );
        check_parts(
            &format!("<think>{{\"sub_questions\": [\"Who?\"]}} or {{…}}</think> {json}"),
            Ok(two),
        );
        check_parts(
            r#"{"note": {"a": 1}, "sub_questions": [" Wer\nbaute\u001b es? "]}"#,
            Ok(&["Wer baute es?"]),
        );
        let none = Err("it is not the JSON that was asked for");
        for reply in [
            "",
            "no",
            "{",
            "{{{\"",
            r#"["Who?"]"#,
            r#"{"sub_questions": "Who?"}"#,
            r#"{"sub_questions": ["Who?""#,
            r#"{"sub_questions": [1]}"#,
        ] {
            check_parts(reply, none);
        }
        check_parts(&"{\"a\":".repeat(5000), none);
    }

    #[test]
    fn plans_that_make_no_sense_are_refused() {
        let check = |parts: &[&str], expected: &str| {
            check_parts(
                &serde_json::json!({ "sub_questions": parts }).to_string(),
                Err(expected),
            );
        };
        check(&[], "a sub-question is empty");
        check(&["Who?", " \n"], "a sub-question is empty");
        check(&["a"; 6], "it has 6 sub-questions, 5 at most are searched");
        check(&["ж".repeat(401).as_str()], "a sub-question is too long");
        check(&["#1?"], "`#1` is no earlier sub-question");
        check(&["Who?", "Where is #0?"], "`#0` is no earlier sub-question");
        check(
            &["Who?", "Where is #12?"],
            "`#12` is no earlier sub-question",
        );
    }

    #[test]
    fn verdicts_with_and_without_an_answer() {
        let check = |reply: &str, expected: Option<(&str, &str)>| {
            let expected = expected.map(|(answer, label)| (answer.to_owned(), label.to_owned()));
            assert_eq!(verdict(reply), Ok(expected), "{reply}");
        };
        check(r#"{"answer": "Ada", "label": "2"}"#, Some(("Ada", "2")));
        check(
            r#"So: {"answer": 1931, "label": "[table1]"}."#,
            Some(("1931", "table1")),
        );
        check(r#"{"answer": "Ada", "label": 2}"#, Some(("Ada", "2")));
        check(r#"{"answer": "Ada"}"#, Some(("Ada", "")));
        check(r#"{"answer": null, "label": null}"#, None);
        check(r#"{"answer": " ", "label": "1"}"#, None);
        assert!(verdict("Ada").is_err());
        assert!(verdict(r#"{"label": "1"}"#).is_err());
        let long = format!(r#"{{"answer": "{}", "label": "1"}}"#, "a".repeat(121));
        assert!(verdict(&long).is_err());
    }

    #[test]
    fn references_have_a_number() {
        let check = |part: &str, expected: &[usize]| {
            let found: Vec<usize> = references(part).into_iter().map(|(_, n)| n).collect();
            assert_eq!(found, expected, "{part}");
        };
        check("Where is #1, and where #23?", &[1, 23]);
        check("C# and ## and #x", &[]);
        check("№#１", &[]);
        check("#99999999999999999999999", &[usize::MAX]);
    }
}
