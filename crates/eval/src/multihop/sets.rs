//! Reading the sets: questions with their passages, and the collection of all passages.

use crate::EvalError;
use crate::ranking::distinct;
use catena_document::ContentHash;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A set of questions that need several passages together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataset {
    /// `MuSiQue`: `musique.json` and `musique_corpus.json`.
    Musique,
    /// `HotpotQA`: `hotpotqa.json` and `hotpotqa_corpus.json`.
    Hotpotqa,
}

impl Dataset {
    /// Its name, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Musique => "musique",
            Self::Hotpotqa => "hotpotqa",
        }
    }
}

impl FromStr for Dataset {
    type Err = EvalError;

    fn from_str(name: &str) -> Result<Self, EvalError> {
        let all = [Self::Musique, Self::Hotpotqa];
        all.into_iter()
            .find(|dataset| dataset.name() == name)
            .ok_or_else(|| EvalError::UnknownDataset(name.to_owned()))
    }
}

/// A passage; it is what its title and its text are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(super) struct Passage {
    pub(super) title: String,
    pub(super) text: String,
}

impl Passage {
    /// The file that it makes; the document's name is its hash.
    pub(super) fn file(&self) -> String {
        format!("# {}\n\n{}\n", self.title, self.text)
    }

    pub(super) fn id(&self) -> ContentHash {
        ContentHash::of(self.file().as_bytes())
    }
}

/// A question with its gold passages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    pub(super) id: String,
    pub(super) text: String,
    /// Each once, at least one; all are in the collection.
    pub(super) gold: Vec<Passage>,
}

/// Questions and the collection that they are asked of.
#[derive(Debug, PartialEq)]
pub(super) struct Set {
    pub(super) questions: Vec<Question>,
    /// Each once.
    pub(super) passages: Vec<Passage>,
}

/// A record of `musique.json`.
#[derive(Deserialize)]
struct MusiqueRecord {
    id: String,
    question: String,
    paragraphs: Vec<MusiqueParagraph>,
}

#[derive(Deserialize)]
struct MusiqueParagraph {
    title: String,
    paragraph_text: String,
    is_supporting: bool,
}

/// A record of `hotpotqa.json`: titles with sentences, and titles with the number of a sentence.
#[derive(Deserialize)]
struct HotpotqaRecord {
    #[serde(rename = "_id")]
    id: String,
    question: String,
    context: Vec<(String, Vec<String>)>,
    supporting_facts: Vec<(String, i64)>,
}

/// Reads a set from the folder that holds its two files.
pub(super) fn read(dir: &Path, dataset: Dataset) -> Result<Set, EvalError> {
    let questions_path = dir.join(format!("{}.json", dataset.name()));
    let corpus_path = dir.join(format!("{}_corpus.json", dataset.name()));
    let (questions, mut passages) = match dataset {
        Dataset::Musique => {
            let wanted = "a list of objects with `id`, `question` and `paragraphs` was expected";
            let records: Vec<MusiqueRecord> = json(&questions_path, wanted)?;
            let wanted = "a list of objects with `title` and `text` was expected";
            let passages: Vec<Passage> = json(&corpus_path, wanted)?;
            (
                records.into_iter().map(from_musique).collect::<Vec<_>>(),
                passages,
            )
        }
        Dataset::Hotpotqa => {
            let wanted = "a list of objects with `_id`, `question`, `context` and \
                          `supporting_facts` was expected";
            let records: Vec<HotpotqaRecord> = json(&questions_path, wanted)?;
            let wanted = "an object of titles with lists of sentences was expected";
            let passages: BTreeMap<String, Vec<String>> = json(&corpus_path, wanted)?;
            let passages = passages.into_iter().map(|(title, text)| Passage {
                title,
                text: text.concat(),
            });
            let questions = records.into_iter().map(from_hotpotqa);
            (questions.collect(), passages.collect())
        }
    };
    let mut seen = HashSet::new();
    passages.retain(|passage| seen.insert(passage.clone()));
    check(&questions, &seen, (&questions_path, &corpus_path))?;
    Ok(Set {
        questions,
        passages,
    })
}

fn json<T: DeserializeOwned>(path: &Path, wanted: &str) -> Result<T, EvalError> {
    if !path.is_file() {
        let what = wanted.strip_suffix(" was expected").unwrap_or(wanted);
        return Err(EvalError::Missing {
            path: path.to_owned(),
            what: format!("it should hold {what}"),
        });
    }
    let file = File::open(path).map_err(|cause| EvalError::file("read", path, cause))?;
    serde_json::from_reader(BufReader::new(file))
        .map_err(|error| EvalError::data(path, None, format!("{error}; {wanted}")))
}

fn from_musique(record: MusiqueRecord) -> Question {
    let gold = record.paragraphs.into_iter().filter(|p| p.is_supporting);
    let passage = |paragraph: MusiqueParagraph| Passage {
        title: paragraph.title,
        text: paragraph.paragraph_text,
    };
    Question {
        id: record.id,
        text: record.question,
        gold: distinct(gold.map(passage)),
    }
}

fn from_hotpotqa(record: HotpotqaRecord) -> Question {
    let context: HashMap<&str, &Vec<String>> = record
        .context
        .iter()
        .map(|(title, sentences)| (title.as_str(), sentences))
        .collect();
    // A fact whose passage is not in the context has no text, and is found to be missing.
    let passage = |(title, _): &(String, i64)| Passage {
        title: title.clone(),
        text: context
            .get(title.as_str())
            .map_or_else(String::new, |sentences| sentences.concat()),
    };
    Question {
        gold: distinct(record.supporting_facts.iter().map(passage)),
        id: record.id,
        text: record.question,
    }
}

fn check(
    questions: &[Question],
    passages: &HashSet<Passage>,
    (questions_path, corpus_path): (&PathBuf, &PathBuf),
) -> Result<(), EvalError> {
    let failed = |what: String| Err(EvalError::data(questions_path, None, what));
    if questions.is_empty() {
        return failed("there is no question in it".to_owned());
    }
    let mut ids = HashSet::new();
    for question in questions {
        let id = &question.id;
        if !ids.insert(id) {
            return failed(format!("the id `{id}` comes twice"));
        }
        if question.gold.is_empty() {
            return failed(format!("the question `{id}` has no supporting passage"));
        }
        if let Some(missing) = question.gold.iter().find(|gold| !passages.contains(gold)) {
            return failed(format!(
                "the supporting passage `{}` of the question `{id}` is not in `{}`",
                missing.title,
                corpus_path.display()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const MUSIQUE: &str = r#"[{"id": "2hop__1_2", "question": "Who?", "answer": "X", "paragraphs": [
        {"idx": 0, "title": "A", "paragraph_text": "One.", "is_supporting": true},
        {"idx": 1, "title": "A", "paragraph_text": "Two.", "is_supporting": false},
        {"idx": 2, "title": "B", "paragraph_text": "One.", "is_supporting": true}]}]"#;
    const MUSIQUE_CORPUS: &str = r#"[{"title": "A", "text": "One."}, {"title": "A", "text": "Two."},
        {"title": "B", "text": "One."}, {"title": "A", "text": "One."}]"#;
    const HOTPOTQA: &str = r#"[{"_id": "5a", "question": "Which?", "type": "bridge",
        "supporting_facts": [["B", 1], ["A", 0], ["B", 0]],
        "context": [["A", ["One.", " Two."]], ["B", ["Three."]], ["C", []]]}]"#;
    const HOTPOTQA_CORPUS: &str = r#"{"A": ["One.", " Two."], "B": ["Three."], "C": ["Four."]}"#;

    fn read_files(dataset: Dataset, questions: &str, corpus: &str) -> Result<Set, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: String, text: &str| {
            if !text.is_empty() {
                fs::write(folder.path().join(name), text).expect("a file");
            }
        };
        write(format!("{}.json", dataset.name()), questions);
        write(format!("{}_corpus.json", dataset.name()), corpus);
        let root = folder.path().display().to_string();
        read(folder.path(), dataset).map_err(|error| error.to_string().replace(&root, "SET"))
    }

    fn passage(title: &str, text: &str) -> Passage {
        Passage {
            title: title.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn both_sets_are_read_as_published() {
        let set = read_files(Dataset::Musique, MUSIQUE, MUSIQUE_CORPUS).expect("a set");
        assert_eq!(set.passages.len(), 3, "a passage is its title and its text");
        let gold = [passage("A", "One."), passage("B", "One.")];
        assert_eq!(set.questions[0].gold, gold);
        assert_eq!(set.questions[0].id, "2hop__1_2");
        let set = read_files(Dataset::Hotpotqa, HOTPOTQA, HOTPOTQA_CORPUS).expect("a set");
        assert_eq!(set.passages.len(), 3);
        let gold = [passage("B", "Three."), passage("A", "One. Two.")];
        assert_eq!(set.questions[0].gold, gold);
    }

    #[test]
    fn wrong_files_are_told() {
        let musique = |from: &str, to: &str| {
            let questions = MUSIQUE.replace(from, to);
            read_files(Dataset::Musique, &questions, MUSIQUE_CORPUS).expect_err("a wrong file")
        };
        let hotpotqa = |from: &str, to: &str| {
            let questions = HOTPOTQA.replace(from, to);
            read_files(Dataset::Hotpotqa, &questions, HOTPOTQA_CORPUS).expect_err("a wrong file")
        };
        let messages = [
            musique("\"is_supporting\": false", "\"supports\": false"),
            musique("true", "false"),
            musique("\"Who?\"", "7"),
            musique(MUSIQUE, "[]"),
            musique(MUSIQUE, ""),
            musique(
                "\"B\", \"paragraph_text\": \"One.",
                "\"B\", \"paragraph_text\": \"1.",
            ),
            read_files(Dataset::Musique, MUSIQUE, HOTPOTQA_CORPUS).expect_err("a wrong file"),
            hotpotqa("[\"A\", 0]", "[\"D\", 0]"),
            hotpotqa("\"_id\"", "\"id\""),
            read_files(Dataset::Hotpotqa, HOTPOTQA, "").expect_err("a missing file"),
            "beir".parse::<Dataset>().expect_err("no set").to_string(),
        ];
        insta::assert_snapshot!(messages.join("\n"), @"
        `SET/musique.json`: missing field `is_supporting` at line 3 column 77; a list of objects with `id`, `question` and `paragraphs` was expected
        `SET/musique.json`: the question `2hop__1_2` has no supporting passage
        `SET/musique.json`: invalid type: integer `7`, expected a string at line 1 column 35; a list of objects with `id`, `question` and `paragraphs` was expected
        `SET/musique.json`: there is no question in it
        `SET/musique.json` is missing: it should hold a list of objects with `id`, `question` and `paragraphs`
        `SET/musique.json`: the supporting passage `B` of the question `2hop__1_2` is not in `SET/musique_corpus.json`
        `SET/musique_corpus.json`: invalid type: map, expected a sequence at line 1 column 1; a list of objects with `title` and `text` was expected
        `SET/hotpotqa.json`: the supporting passage `D` of the question `5a` is not in `SET/hotpotqa_corpus.json`
        `SET/hotpotqa.json`: missing field `_id` at line 3 column 76; a list of objects with `_id`, `question`, `context` and `supporting_facts` was expected
        `SET/hotpotqa_corpus.json` is missing: it should hold an object of titles with lists of sentences
        no data set `beir`
        ");
    }
}
