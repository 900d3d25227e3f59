//! Reading relations that a model has stated of the passages of a set.

use super::sets::Passage;
use crate::EvalError;
use catena_document::{ContentHash, Relation};
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::{fmt, fs};

/// What the relations of passages are, by the names of their documents.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// The hash of the file.
    pub(super) name: Option<ContentHash>,
    of: HashMap<ContentHash, Vec<Relation>>,
}

/// Reads the `docs` of a file as `HippoRAG` writes it and nothing after them: there Python writes
/// `NaN`, which is no JSON.
#[derive(Default)]
struct Docs(Option<Vec<ExtractedPassage>>);

impl<'de> Visitor<'de> for &mut Docs {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `docs`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "docs" {
                self.0 = Some(map.next_value()?);
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Err(A::Error::missing_field("docs"))
    }
}

#[derive(Deserialize)]
struct ExtractedPassage {
    title: String,
    text: String,
    extracted_triples: Vec<Vec<String>>,
}

impl Relations {
    /// Those of a passage.
    pub(super) fn of(&self, document: &ContentHash) -> &[Relation] {
        self.of.get(document).map_or(&[], Vec::as_slice)
    }
}

/// Reads the relations of a set's passages; a triple that is not three names is left out.
pub(super) fn read(path: &Path, passages: &[Passage]) -> Result<Relations, EvalError> {
    let bytes = fs::read(path).map_err(|cause| EvalError::file("read", path, cause))?;
    let mut docs = Docs::default();
    let end = serde_json::Deserializer::from_slice(&bytes).deserialize_map(&mut docs);
    let docs = match (docs.0, end) {
        (Some(docs), _) => docs,
        (None, Ok(())) => Vec::new(),
        (None, Err(error)) => {
            let wanted = "a list `docs` of objects with `title`, `text` and `extracted_triples` \
                          was expected";
            return Err(EvalError::data(path, None, format!("{error}; {wanted}")));
        }
    };
    let known: HashSet<ContentHash> = passages.iter().map(Passage::id).collect();
    let mut of = HashMap::new();
    for passage in docs {
        let id = Passage {
            title: passage.title,
            text: passage.text,
        }
        .id();
        if !known.contains(&id) {
            continue;
        }
        let triples = passage.extracted_triples.iter();
        let relations = triples.filter_map(|triple| match triple.as_slice() {
            [subject, label, object] => Relation::new(subject, label, object),
            _ => None,
        });
        of.insert(id, relations.collect());
    }
    if of.is_empty() {
        let what = "it has relations of no passage of the set";
        return Err(EvalError::data(path, None, what.to_owned()));
    }
    Ok(Relations {
        name: Some(ContentHash::of(&bytes)),
        of,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_of_known_passages_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("openie.json");
        let passage = |title: &str| Passage {
            title: title.to_owned(),
            text: "Text.".to_owned(),
        };
        let root = folder.path().display().to_string();
        let check = |json: &str| {
            fs::write(&path, json).expect("a file");
            let found = read(&path, &[passage("A")]);
            let words = |relations: Relations| {
                let all = relations.of(&passage("A").id()).iter();
                all.map(Relation::words).collect::<Vec<_>>().join("; ")
            };
            found.map_or_else(|error| error.to_string().replace(&root, "SET"), words)
        };
        let lines = [
            check(
                r#"{"docs": [{"title": "B", "text": "", "extracted_triples": []},
                {"title": "A", "text": "Text.", "passage": "A\nText.",
                 "extracted_triples": [["A", "is", "B"], ["A", "is"], ["", "is", "B"]]}],
                "avg_ent_chars": NaN}"#,
            ),
            check(r#"{"docs": [{"title": "B", "text": "", "extracted_triples": []}]}"#),
            check(r#"{"documents": []}"#),
            check("[]"),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        A is B
        `SET/openie.json`: it has relations of no passage of the set
        `SET/openie.json`: missing field `docs` at line 1 column 17; a list `docs` of objects with `title`, `text` and `extracted_triples` was expected
        `SET/openie.json`: invalid type: sequence, expected an object with `docs` at line 1 column 0; a list `docs` of objects with `title`, `text` and `extracted_triples` was expected
        ");
    }
}
