//! A question that is understood from the turns before it.

use crate::prompts::Prompts;
use crate::{Answer, Block};
use catena_document::{is_function_word, words};
use catena_models::{ChatMessage, ChatRequest, ChatRole, Generator};
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Turns that a model is told.
const TOLD: usize = 4;
/// The longest question that a model may make of a follow-up, in characters.
const LONGEST: usize = 400;
/// Characters of an answer that are looked through for what it names.
const LOOKED_AT: usize = 600;
/// A question of at most so many words that mean something leans on the one before.
const SHORT: usize = 1;
/// Tokens of a rewritten question, and how long it may take.
const TOKENS: u32 = 120;
const DEADLINE: Duration = Duration::from_secs(30);

/// A question that was asked, as later ones need it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Turn {
    /// The question as it was understood: whole without the turns before.
    pub question: String,
    /// What its answer named first that the question does not.
    pub answer: Option<String>,
}

impl Turn {
    /// The turn of a question, as it was understood, and its answer.
    pub fn new(question: &str, answer: &Answer) -> Self {
        Self {
            question: question.to_owned(),
            answer: named_by(question, answer),
        }
    }
}

/// What stands for something that was named before.
const PRONOUNS: &[&str] = &[
    "it", "its", "they", "them", "their", "this", "that", "these", "those", "one", "ones", "es",
    "sie", "ihn", "ihm", "ihr", "ihre", "ihren", "diese", "dieser", "dieses", "diesen", "das",
    "dessen", "deren", "davon", "dafür", "damit", "daran", "dazu", "ça", "cela", "celui-ci",
    "elle", "elles", "ello", "esto", "eso", "он", "она", "оно", "они", "его", "её", "их", "это",
    "它", "它们", "这", "这个", "那", "那个",
];
/// What stands for a person or a place; a name that the answer told.
const OF_NAMES: &[&str] = &[
    "he", "him", "his", "she", "her", "hers", "there", "er", "seine", "seinen", "dort", "il",
    "lui", "él", "ella", "там", "他", "她", "那里",
];
/// How a question begins that leans on the one before.
const OPENINGS: &[&str] = &[
    "and ",
    "but ",
    "or ",
    "what about ",
    "how about ",
    "what of ",
    "then ",
    "also ",
    "und ",
    "aber ",
    "was ist mit ",
    "wie steht es mit ",
    "et ",
    "y ",
    "а ",
    "那么",
    "那",
];

/// A question as it is whole without the turns before, the last of them last: by a model where
/// there is one that gives a usable question, else by rules.
///
/// By rules, what stands for something named before gets its name: the name that the last answer
/// told for a person or place, else what the last question is about. "What about E5?" takes the
/// place of what is of its kind in the last question.
pub fn understand(
    question: &str,
    turns: &[Turn],
    model: Option<(&dyn Generator, &Prompts)>,
    cancel: &AtomicBool,
) -> String {
    let Some(last) = turns.last() else {
        return question.to_owned();
    };
    if let Some((generator, prompts)) = model
        && let Some(understood) = by_model(question, turns, generator, prompts, cancel)
    {
        return understood;
    }
    by_rules(question, last)
}

fn by_model(
    question: &str,
    turns: &[Turn],
    generator: &dyn Generator,
    prompts: &Prompts,
    cancel: &AtomicBool,
) -> Option<String> {
    let told = &turns[turns.len().saturating_sub(TOLD)..];
    let mut text = String::new();
    for turn in told {
        let answer = turn.answer.as_deref().unwrap_or("(not named)");
        let asked = &turn.question;
        let _ = writeln!(text, "Question: {asked}\nAnswer names: {answer}");
    }
    let _ = write!(text, "\nFollow-up: {question}");
    let request = ChatRequest {
        task: "follow-up",
        messages: vec![
            ChatMessage::text(ChatRole::System, prompts.follow_up.as_str()),
            ChatMessage::text(ChatRole::User, text),
        ],
        max_tokens: TOKENS,
        deadline: DEADLINE,
    };
    let mut said = String::new();
    let done = generator.generate(&request, cancel, &mut |delta| said.push_str(delta));
    if let Err(error) = done {
        tracing::warn!(%error, "the follow-up is understood by rules");
        return None;
    }
    let line = said.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.trim_matches(['"', '“', '”']);
    let usable = line.chars().count() <= LONGEST && line.chars().any(char::is_alphabetic);
    usable.then(|| line.to_owned())
}

fn by_rules(question: &str, last: &Turn) -> String {
    let opening = opening(question);
    let rest = question[opening..].trim();
    let own = content_runs(rest);
    let pronoun = |list: &[&str]| {
        let mut all = words(rest).into_iter();
        all.find(|at| list.contains(&rest[at.clone()].to_lowercase().as_str()))
    };
    if (opening > 0 || own.len() <= 1)
        && let Some(replaced) = in_its_place(rest, &last.question)
    {
        return replaced;
    }
    let topic = topic(&last.question);
    if let Some(at) = pronoun(OF_NAMES)
        && let Some(name) = last.answer.as_ref().or(topic.as_ref())
    {
        return with_name(rest, &at, name);
    }
    if let Some(at) = pronoun(PRONOUNS)
        && let Some(topic) = &topic
    {
        return with_name(rest, &at, topic);
    }
    let count: usize = own.iter().map(|run| words(&rest[run.clone()]).len()).sum();
    if opening > 0 || count <= SHORT {
        return match topic {
            Some(topic) if !contains(rest, &topic) => {
                format!("{} ({topic})", rest.trim_end_matches(['?', '？', ' ']))
                    + if rest.ends_with(['?', '？']) {
                        "?"
                    } else {
                        ""
                    }
            }
            _ => rest.to_owned(),
        };
    }
    question.to_owned()
}

/// The bytes that a question begins with which only tie it to the one before.
fn opening(question: &str) -> usize {
    let lower = question.to_lowercase();
    // Only where lower case keeps the length are the bytes those of the question.
    let found = OPENINGS
        .iter()
        .filter(|opening| lower.starts_with(**opening));
    let longest = found.map(|opening| opening.len()).max().unwrap_or(0);
    if question.is_char_boundary(longest) {
        longest
    } else {
        0
    }
}

/// A short follow-up put in the place of what is of its kind in the last question: a code for a
/// code ("What does E4 mean?", "And E5?").
fn in_its_place(rest: &str, last: &str) -> Option<String> {
    let code = |text: &str| {
        let is_code = |word: &str| {
            word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(char::is_alphabetic)
        };
        let mut all = words(text)
            .into_iter()
            .filter(|at| is_code(&text[at.clone()]));
        let first = all.next()?;
        all.next().is_none().then_some(first)
    };
    let (own, other) = (code(rest)?, code(last)?);
    // "Code E5": what stands beside it comes with it.
    let [run] = content_runs(rest).try_into().ok()?;
    let whole = run.start <= own.start && own.end <= run.end;
    whole.then(|| {
        let mut out = last.to_owned();
        out.replace_range(other, &rest[run]);
        out
    })
}

/// A question with a name in the place of what stands for it.
fn with_name(question: &str, at: &Range<usize>, name: &str) -> String {
    let word = question[at.clone()].to_lowercase();
    let owner = [
        "its", "their", "his", "her", "hers", "ihre", "ihren", "seine", "seinen",
    ];
    let mut out = question.to_owned();
    // "this valve", "her birth": the name stands beside.
    let beside = owner.contains(&word.as_str());
    let replacement = if beside {
        format!("{name}'s")
    } else {
        name.to_owned()
    };
    out.replace_range(at.clone(), &replacement);
    out
}

/// What a question is about: its longest run of words that mean something, of as long ones the
/// last.
fn topic(question: &str) -> Option<String> {
    let all = words(question);
    let mut runs = content_runs(question);
    // "Who designed pump P-7": the first word is what somebody does.
    if let ([first, second, ..], Some(run)) = (all.as_slice(), runs.first_mut())
        && ASK_WHO.contains(&question[first.clone()].to_lowercase().as_str())
        && run.start == second.start
    {
        let next = all.get(2).map_or(run.end, |third| third.start);
        run.start = next.min(run.end);
    }
    let length = |run: &Range<usize>| words(&question[run.clone()]).len();
    let best = runs.into_iter().max_by_key(|run| length(run))?;
    (length(&best) > 0).then(|| question[best].to_owned())
}

/// How a question for a person begins.
const ASK_WHO: &[&str] = &["who", "wer", "qui", "quién", "кто"];

/// The runs of words that mean something.
fn content_runs(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    let mut end = 0;
    for at in words(text) {
        let word = text[at.clone()].to_lowercase();
        let parted = text[end..at.start]
            .chars()
            .any(|c| !c.is_whitespace() && c != '-');
        end = at.end;
        if is_function_word(&word) || OTHER_WORDS.contains(&word.as_str()) || is_pronoun(&word) {
            open = false;
            continue;
        }
        match out.last_mut() {
            Some(run) if open && !parted => run.end = at.end,
            _ => out.push(at),
        }
        open = true;
    }
    out
}

/// Words of questions that name nothing.
const OTHER_WORDS: &[&str] = &[
    "does", "did", "has", "have", "had", "should", "must", "would", "could", "will", "shall",
    "may", "much", "many", "often", "long", "need", "needs", "use", "used", "mean", "means",
    "about", "tell", "show", "give", "me", "my", "please", "happens", "happen", "work", "works",
    "hat", "kann", "muss", "soll", "wird", "wann", "wo", "wer", "was", "warum", "welche",
    "welcher", "welches", "welchen", "bedeutet", "viel", "lange", "man", "ich", "呢", "吗",
];

fn is_pronoun(word: &str) -> bool {
    PRONOUNS.contains(&word) || OF_NAMES.contains(&word)
}

fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// The first name of an answer that its question does not have: capitalised words in a row that do
/// not begin a sentence, or two that do.
fn named_by(question: &str, answer: &Answer) -> Option<String> {
    for block in &answer.blocks {
        let Block::Text { markdown, .. } = block else {
            continue;
        };
        let end = markdown
            .char_indices()
            .nth(LOOKED_AT)
            .map_or(markdown.len(), |(at, _)| at);
        let text = &markdown[..end];
        let mut run: Option<(Range<usize>, usize)> = None;
        let mut after = 0;
        let mut found = Vec::new();
        for at in words(text) {
            let word = &text[at.clone()];
            let capital = word.starts_with(char::is_uppercase) && !is_function_word(word);
            let joined = text[after..at.start].chars().all(|c| c == ' ' || c == '-');
            after = at.end;
            match &mut run {
                Some((whole, count)) if capital && joined => {
                    whole.end = at.end;
                    *count += 1;
                }
                _ => {
                    found.extend(run.take());
                    run = capital.then_some((at, 1));
                }
            }
        }
        found.extend(run);
        let begins = |at: usize| {
            let before = text[..at].trim_end();
            before.is_empty() || before.ends_with(['.', '!', '?', ':', '*'])
        };
        let name = found
            .into_iter()
            .filter(|(at, count)| *count > 1 || !begins(at.start))
            .map(|(at, _)| &text[at])
            .find(|name| !contains(question, name));
        if let Some(name) = name {
            return Some(name.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_follow_up_is_whole_by_itself() {
        let check = |last: &str, answer: Option<&str>, question: &str, expected: &str| {
            let turn = Turn {
                question: last.to_owned(),
                answer: answer.map(str::to_owned),
            };
            let cancel = AtomicBool::new(false);
            assert_eq!(
                understand(question, &[turn], None, &cancel),
                expected,
                "{question}"
            );
        };
        let union = "Which torque do the pump unions need?";
        check(
            union,
            None,
            "And how do I replace them?",
            "how do I replace pump unions?",
        );
        check(union, None, "How often?", "How often (pump unions)?");
        check(
            union,
            None,
            "How is the boiler drained?",
            "How is the boiler drained?",
        );
        check("What does E4 mean?", None, "And E5?", "What does E5 mean?");
        check(
            "What does E4 mean?",
            None,
            "What about code E5?",
            "What does code E5 mean?",
        );
        let maker = "Who designed pump P-7?";
        check(
            maker,
            Some("Marit Oduya"),
            "Where was she born?",
            "Where was Marit Oduya born?",
        );
        check(
            maker,
            Some("Marit Oduya"),
            "What is its mass?",
            "What is pump P-7's mass?",
        );
        check(
            "Wie viel fasst der Kessel?",
            None,
            "Und wie leere ich ihn?",
            "wie leere ich Kessel?",
        );
        check("E4 是什么意思？", None, "那 E5 呢？", "E5 是什么意思？");
    }
}
