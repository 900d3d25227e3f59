//! Answers by a language model, from the structured prompt.

use super::citation::Citations;
use super::language::{language, may_differ};
use super::paragraph::{Said, paragraph};
use super::place::Placing;
use super::statement::{Checks, Statement, Support};
use super::support::Checker;
use super::{Answer, AnswerOutcome, Block};
use crate::Context;
use catena_models::{
    ChatError, ChatMessage, ChatPart, ChatRequest, ChatRole, ChatUsage, Embedder, Generator,
};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What the model says where the evidence does not answer.
const NO_EVIDENCE: &str = "NO EVIDENCE";
/// Labels that are reported one by one.
const REPORTED: usize = 5;

/// How an answer is generated.
#[derive(Clone, Copy, Debug)]
pub struct Generation {
    /// Tokens of the answer at most.
    pub max_tokens: u32,
    /// How long it may take.
    pub deadline: Duration,
}

impl Default for Generation {
    fn default() -> Self {
        Self {
            max_tokens: 1200,
            deadline: Duration::from_mins(2),
        }
    }
}

/// What a model answers with.
#[derive(Clone, Copy)]
pub struct Writing<'a> {
    /// The evidence.
    pub context: &'a Context,
    /// How likely it answers the question, 0 to 1; the answer's confidence.
    pub confidence: f32,
    /// Pictures of what the context describes, each with its label.
    pub pictures: &'a [(String, Vec<u8>)],
    /// The instructions.
    pub instructions: &'a str,
    /// The model.
    pub generator: &'a dyn Generator,
    /// How long and how much.
    pub generation: Generation,
    /// Compares the meaning of what is said with that of its source.
    pub embedder: &'a dyn Embedder,
    /// Ends it early.
    pub cancel: &'a AtomicBool,
}

/// Lets a model answer. `ready` gets each block as soon as it is complete and checked: a label
/// that the context does not have is dropped, a statement that its sources do not bear out gets
/// the source that does or is marked, a figure stands beside a text that it is tied to.
///
/// # Errors
/// Where the model gives no whole answer.
pub fn answer_with_model(
    question: &str,
    writing: Writing<'_>,
    ready: &mut dyn FnMut(&Block),
) -> Result<(Answer, ChatUsage), ChatError> {
    let _span = tracing::debug_span!("answer_with_model").entered();
    let mut reading = Reading {
        checker: Checker::new(writing.context, writing.embedder),
        placing: Placing::new(writing.context),
        buffer: String::new(),
        said: vec![question.to_owned(), format!("Question: {question}")],
        citations: Citations::default(),
        blocks: Vec::new(),
        checks: Checks::default(),
        unknown: Vec::new(),
        stripped: false,
        refused: false,
    };
    let usage =
        writing
            .generator
            .generate(&request(question, &writing), writing.cancel, &mut |delta| {
                reading.buffer.push_str(delta);
                reading.take_paragraphs(ready);
            })?;
    reading.take_rest(ready);
    if reading.blocks.is_empty() && !reading.refused {
        return Err(ChatError::Broken("it says nothing".to_owned()));
    }
    let mut answer = Answer {
        confidence: writing.confidence,
        ..reading.finish(ready)
    };
    if let Some((asked, told)) = other_language(question, &answer) {
        let warning = format!("the question is in {asked}, the model answered in {told}");
        answer.warnings.push(warning);
    }
    if usage.cut_off {
        let most = writing.generation.max_tokens;
        let warning = format!("the answer was cut off at {most} tokens");
        answer.warnings.push(warning);
    }
    Ok((answer, usage))
}

fn request(question: &str, writing: &Writing<'_>) -> ChatRequest {
    let evidence = writing.context.prompt();
    let mut content = vec![ChatPart::Text(format!("Evidence:\n\n{evidence}\n\n"))];
    for (label, png) in writing.pictures {
        content.push(ChatPart::Text(format!("[{label}] as a picture:")));
        content.push(ChatPart::Png(png.clone()));
    }
    let mut asked = format!("Question: {question}");
    // A model goes by the language of most of what it reads.
    let evidence = writing.context.blocks.iter();
    let evidence: Vec<&str> = evidence
        .map(|block| block.unit.content.text.as_str())
        .collect();
    if may_differ(question, &evidence.join("\n")) {
        asked.push_str("\n\nAnswer in the language of the question.");
    }
    match content.as_mut_slice() {
        [ChatPart::Text(text)] => text.push_str(&asked),
        _ => content.push(ChatPart::Text(asked)),
    }
    ChatRequest {
        task: "answer",
        messages: vec![
            ChatMessage::text(ChatRole::System, writing.instructions),
            ChatMessage {
                role: ChatRole::User,
                content,
            },
        ],
        max_tokens: writing.generation.max_tokens,
        deadline: writing.generation.deadline,
    }
}

/// The languages of a question and of what a model wrote, where they surely differ.
fn other_language(question: &str, answer: &Answer) -> Option<(&'static str, &'static str)> {
    let texts = answer.blocks.iter().filter_map(|block| match block {
        Block::Text { markdown, .. } => Some(markdown.as_str()),
        Block::Figure { .. } | Block::Table { .. } => None,
    });
    let told = texts.collect::<Vec<_>>().join("\n");
    let (asked, answered) = (language(question)?, language(&told)?);
    (asked != answered).then(|| (asked.eng_name(), answered.eng_name()))
}

/// A generated text being taken apart.
struct Reading<'a> {
    checker: Checker<'a>,
    placing: Placing<'a>,
    /// What has come and is no whole paragraph yet.
    buffer: String,
    /// The question, and the paragraphs that have come.
    said: Vec<String>,
    citations: Citations,
    blocks: Vec<Block>,
    checks: Checks,
    /// Labels that no evidence has.
    unknown: Vec<String>,
    /// Whether addresses or markup were left out.
    stripped: bool,
    refused: bool,
}

impl Reading<'_> {
    fn take_paragraphs(&mut self, ready: &mut dyn FnMut(&Block)) {
        while let Some(end) = self.buffer.find("\n\n") {
            let text: String = self.buffer.drain(..end + 2).collect();
            self.take(text.trim(), ready);
        }
    }

    fn take_rest(&mut self, ready: &mut dyn FnMut(&Block)) {
        let rest = std::mem::take(&mut self.buffer);
        self.take(rest.trim(), ready);
    }

    /// A paragraph becomes a text block and the figures and tables that it places.
    fn take(&mut self, text: &str, ready: &mut dyn FnMut(&Block)) {
        if text.is_empty() || self.said.iter().any(|said| said == text) {
            // A small model may go in circles, or begin with the question.
            return;
        }
        self.said.push(text.to_owned());
        if text.contains(NO_EVIDENCE) {
            self.refused = true;
            return;
        }
        let found = paragraph(text);
        self.stripped |= found.stripped;
        self.checks.labels += found.labels.len();
        let known = |label: &&String| self.checker.knows(label);
        let unknown = found.labels.iter().filter(|label| !known(label));
        let unknown: Vec<String> = unknown.cloned().collect();
        self.checks.invalid_labels += unknown.len();
        self.unknown.extend(unknown);
        let mut sources = Vec::new();
        let statements: Vec<Statement> = found
            .statements
            .iter()
            .map(|said| self.statement(&found.markdown, said, &mut sources))
            .collect();
        if !found.markdown.is_empty() {
            let mut citations = Vec::new();
            for &label in statements.iter().flat_map(|statement| &statement.citations) {
                if !citations.contains(&label) {
                    citations.push(label);
                }
            }
            let block = Block::Text {
                markdown: found.markdown.clone(),
                citations,
                statements,
            };
            self.push(block, ready);
        }
        let placed = self
            .placing
            .beside(&found.labels, &sources, &found.markdown);
        for at in placed {
            self.show(at, ready);
        }
    }

    /// Checks a sentence. `sources` gets the blocks that bear it out.
    fn statement(&mut self, markdown: &str, said: &Said, sources: &mut Vec<usize>) -> Statement {
        let text = &markdown[said.span.clone()];
        let cited: Vec<usize> = said
            .labels
            .iter()
            .filter_map(|label| self.checker.place(label))
            .collect();
        let checked = self.checker.check(text, &cited);
        if checked.support != Support::Unchecked {
            self.checks.statements += 1;
            if checked.support == Support::Supported {
                let as_cited = checked.sources.iter().all(|at| cited.contains(at));
                self.checks.supported_as_cited += usize::from(as_cited);
                self.checks.recited += usize::from(!as_cited);
            }
        }
        let mut citations = Vec::new();
        for &at in &checked.sources {
            let label = self.checker.cite(at, text, &mut self.citations);
            if !citations.contains(&label) {
                citations.push(label);
            }
            if !sources.contains(&at) {
                sources.push(at);
            }
        }
        Statement {
            span: said.span.clone(),
            citations,
            support: checked.support,
        }
    }

    fn show(&mut self, at: usize, ready: &mut dyn FnMut(&Block)) {
        let block = self.placing.block(at, &mut self.citations);
        self.push(block, ready);
    }

    fn push(&mut self, block: Block, ready: &mut dyn FnMut(&Block)) {
        ready(&block);
        self.blocks.push(block);
    }

    fn finish(mut self, ready: &mut dyn FnMut(&Block)) -> Answer {
        for at in self.placing.rest() {
            self.show(at, ready);
        }
        let mut warnings: Vec<String> = Vec::new();
        for label in self.unknown.iter().take(REPORTED) {
            warnings.push(format!(
                "the model cited `[{label}]`, which is no evidence; dropped"
            ));
        }
        if self.unknown.len() > REPORTED {
            let more = self.unknown.len() - REPORTED;
            warnings.push(format!(
                "the model cited {more} more labels that are no evidence"
            ));
        }
        let unsupported = self.checks.statements - self.checks.supported();
        if unsupported > 0 {
            let all = self.checks.statements;
            warnings.push(format!(
                "{unsupported} of the {all} statements of the model do not stand in the evidence; \
                 they are marked"
            ));
        }
        if self.stripped {
            warnings.push("the model wrote addresses or markup; left out".to_owned());
        }
        warnings.extend(self.placing.warnings());
        let outcome = if self.blocks.is_empty() {
            AnswerOutcome::InsufficientEvidence
        } else {
            AnswerOutcome::Answered
        };
        if self.refused && outcome == AnswerOutcome::Answered {
            warnings.push("the model found no evidence for a part of the question".to_owned());
        }
        Answer {
            blocks: self.blocks,
            citations: self.citations.0,
            outcome,
            confidence: 0.0,
            checks: Some(self.checks),
            warnings,
        }
    }
}
