//! What language models are told to do: a file each, which a user may put a file of the same name
//! in the place of.

use crate::EngineError;
use std::path::Path;

/// The instructions for every task of a language model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompts {
    /// `answer.txt`: to answer from evidence.
    pub answer: String,
    /// `split.txt`: to split a question into sub-questions.
    pub split: String,
    /// `hop.txt`: to name what a sub-question asks for, from evidence.
    pub hop: String,
    /// `extract.txt`: to state the relations in a piece of evidence.
    pub extract: String,
    /// `describe.txt`: to describe a figure.
    pub describe: String,
    /// `follow-up.txt`: to make a follow-up question whole.
    pub follow_up: String,
}

impl Default for Prompts {
    fn default() -> Self {
        Self {
            answer: include_str!("prompts/answer.txt").to_owned(),
            split: include_str!("prompts/split.txt").to_owned(),
            hop: include_str!("prompts/hop.txt").to_owned(),
            extract: include_str!("prompts/extract.txt").to_owned(),
            describe: include_str!("prompts/describe.txt").to_owned(),
            follow_up: include_str!("prompts/follow-up.txt").to_owned(),
        }
    }
}

impl Prompts {
    /// The instructions in a folder; those that have no file there are Catena's own.
    ///
    /// # Errors
    /// Where the folder cannot be read, or has a text file that belongs to no task: it would never
    /// be used.
    pub fn read(folder: &Path) -> Result<Self, EngineError> {
        let mut prompts = Self::default();
        let failed = |cause| EngineError::File {
            path: folder.to_owned(),
            cause,
        };
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_none_or(|extension| extension != "txt") {
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some(prompt) = prompts.named(&name) else {
                return Err(EngineError::UnknownPrompt(path));
            };
            *prompt = std::fs::read_to_string(&path).map_err(|cause| EngineError::File {
                path: path.clone(),
                cause,
            })?;
        }
        Ok(prompts)
    }

    fn named(&mut self, name: &str) -> Option<&mut String> {
        match name {
            "answer.txt" => Some(&mut self.answer),
            "split.txt" => Some(&mut self.split),
            "hop.txt" => Some(&mut self.hop),
            "extract.txt" => Some(&mut self.extract),
            "describe.txt" => Some(&mut self.describe),
            "follow-up.txt" => Some(&mut self.follow_up),
            _ => None,
        }
    }
}
