//! Answers by a language model, from the structured prompt.

use super::{Answer, AnswerOutcome, Block, Citations, figure_block};
use crate::Context;
use catena_document::Modality;
use catena_models::{ChatError, ChatMessage, ChatRequest, ChatRole, ChatUsage, Generator};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The instructions; the evidence and the question follow as the asker's turn.
const INSTRUCTIONS: &str = include_str!("instructions.txt");
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

/// Lets a model answer from a context. `ready` gets each block as soon as it is complete. Labels
/// that the context does not have are dropped with a warning.
///
/// # Errors
/// Where the model gives no whole answer.
pub fn answer_with_model(
    question: &str,
    context: &Context,
    generator: &dyn Generator,
    generation: Generation,
    cancel: &AtomicBool,
    ready: &mut dyn FnMut(&Block),
) -> Result<(Answer, ChatUsage), ChatError> {
    let request = ChatRequest {
        messages: vec![
            ChatMessage {
                role: ChatRole::System,
                content: INSTRUCTIONS.to_owned(),
            },
            ChatMessage {
                role: ChatRole::User,
                content: format!("Evidence:\n\n{}\n\nQuestion: {question}", context.prompt()),
            },
        ],
        max_tokens: generation.max_tokens,
        deadline: generation.deadline,
    };
    let mut reading = Reading {
        context,
        buffer: String::new(),
        citations: Citations::default(),
        blocks: Vec::new(),
        unknown: Vec::new(),
        refused: false,
    };
    let usage = generator.generate(&request, cancel, &mut |delta| {
        reading.buffer.push_str(delta);
        reading.take_paragraphs(ready);
    })?;
    reading.take_rest(ready);
    Ok((reading.finish(), usage))
}

/// A generated text being taken apart.
struct Reading<'a> {
    context: &'a Context,
    /// What has come and is no whole paragraph yet.
    buffer: String,
    citations: Citations,
    blocks: Vec<Block>,
    /// Labels that no evidence has.
    unknown: Vec<String>,
    refused: bool,
}

impl Reading<'_> {
    fn take_paragraphs(&mut self, ready: &mut dyn FnMut(&Block)) {
        while let Some(end) = self.buffer.find("\n\n") {
            let paragraph: String = self.buffer.drain(..end + 2).collect();
            self.take(paragraph.trim(), ready);
        }
    }

    fn take_rest(&mut self, ready: &mut dyn FnMut(&Block)) {
        let rest = std::mem::take(&mut self.buffer);
        self.take(rest.trim(), ready);
    }

    /// A paragraph becomes a text block and the figures and tables that it places.
    fn take(&mut self, paragraph: &str, ready: &mut dyn FnMut(&Block)) {
        if paragraph.is_empty() {
            return;
        }
        if paragraph.contains(NO_EVIDENCE) {
            self.refused = true;
            return;
        }
        let mut markdown = String::new();
        let mut citations = Vec::new();
        let mut visuals = Vec::new();
        let mut rest = paragraph;
        while let Some((label, start, end)) = next_label(rest) {
            markdown.push_str(&rest[..start]);
            rest = &rest[end..];
            let Some(block) = self.context.block(label) else {
                self.unknown.push(label.to_owned());
                continue;
            };
            match block.unit.modality {
                Modality::Figure | Modality::Table => visuals.push(block.unit.clone()),
                Modality::Text | Modality::Formula => {
                    let unit = &block.unit;
                    let quote = unit.content.text.clone();
                    let cited = self.citations.cite(unit, quote, unit.provenance.clone());
                    if !citations.contains(&cited) {
                        citations.push(cited);
                    }
                }
            }
        }
        markdown.push_str(rest);
        let markdown = tidy(&markdown);
        if !markdown.is_empty() {
            self.push(
                Block::Text {
                    markdown,
                    citations,
                },
                ready,
            );
        }
        for unit in visuals {
            let placed = self.blocks.iter().any(|block| match block {
                Block::Figure { unit: other, .. } | Block::Table { unit: other, .. } => {
                    *other == unit.id
                }
                Block::Text { .. } => false,
            });
            if placed {
                continue;
            }
            let block = match &unit.content.table {
                Some(table) => Block::Table {
                    unit: unit.id,
                    caption: unit.content.caption.clone().unwrap_or_default(),
                    markdown: table.markdown(),
                    citation: self.citations.cite_whole(&unit),
                },
                None => figure_block(&unit, &mut self.citations),
            };
            self.push(block, ready);
        }
    }

    fn push(&mut self, block: Block, ready: &mut dyn FnMut(&Block)) {
        ready(&block);
        self.blocks.push(block);
    }

    fn finish(self) -> Answer {
        let mut warnings: Vec<String> = Vec::new();
        for label in self.unknown.iter().take(REPORTED) {
            warnings.push(format!(
                "the model cited `[{label}]`, which is no evidence; dropped"
            ));
        }
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
            warnings,
        }
    }
}

/// The first `[label]` of a text: the label, where it begins and where it ends. Only what looks
/// like a label counts: a number, `figure` or `table` with a number.
fn next_label(text: &str) -> Option<(&str, usize, usize)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('[') {
        let start = from + open;
        let close = text[start..].find(']')?;
        let label = &text[start + 1..start + close];
        let number = label
            .strip_prefix("figure")
            .or_else(|| label.strip_prefix("table"))
            .unwrap_or(label);
        if !number.is_empty() && number.len() <= 4 && number.chars().all(|c| c.is_ascii_digit()) {
            return Some((label, start, start + close + 1));
        }
        from = start + 1;
    }
    None
}

/// Takes out the space that a label leaves before a mark or at a line's end.
fn tidy(markdown: &str) -> String {
    let mut out = String::new();
    for c in markdown.chars() {
        if matches!(c, '.' | ',' | ';' | ':' | '\n') {
            while out.ends_with(' ') {
                out.pop();
            }
        }
        out.push(c);
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_and_others_left() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(next_label(text).map(|found| found.0), expected, "{text}");
        };
        check("Turn it [1].", Some("1"));
        check("See [figure2].", Some("figure2"));
        check("a[i] = [x] and [table10]", Some("table10"));
        check("[link](http://x) [12345]", None);
        check("open [", None);
        assert_eq!(tidy("Turn it . Then \nstop ."), "Turn it. Then\nstop.");
    }
}
