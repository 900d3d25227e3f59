//! How answers are made, as it is named on the command line.

use crate::failure::Failure;
use catena_engine::Mode;
use catena_models::Generator;

/// How an answer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum AnswerMode {
    /// The evidence's own words
    Evidence,
    /// A language model's words, checked against the evidence
    Llm,
    /// The same by a language model that sees figures, tables and the page
    Mllm,
    /// The best passages, then images by similarity: a baseline to compare with
    Rules,
}

impl AnswerMode {
    /// Whether a language model writes.
    pub(crate) fn needs_generator(self) -> bool {
        matches!(self, Self::Llm | Self::Mllm)
    }

    /// The mode with the language model that it needs.
    pub(crate) fn resolve(self, generator: Option<&dyn Generator>) -> Result<Mode<'_>, Failure> {
        match (self, generator) {
            (Self::Evidence, _) => Ok(Mode::Evidence),
            (Self::Rules, _) => Ok(Mode::Rules),
            (Self::Llm, Some(generator)) => Ok(Mode::Llm(generator)),
            (Self::Mllm, Some(generator)) => Ok(Mode::Mllm(generator)),
            (Self::Llm | Self::Mllm, None) => Err(Failure::usage(
                "no language model is set",
                "set `CATENA_LLM_URL` and `CATENA_LLM_MODEL`, or leave out `--mode`",
            )),
        }
    }
}
