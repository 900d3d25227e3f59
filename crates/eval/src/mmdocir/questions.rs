//! Reading the set: `questions.jsonl` and the folder `pdf`.

use crate::EvalError;
use crate::record::Region;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A question with its gold pages and boxes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Kinds of evidence, e.g. `Chart`; what the set adds in brackets is left out.
    pub(crate) modalities: Vec<String>,
    /// Pages from 1, each once.
    pub(crate) pages: Vec<u32>,
    pub(crate) regions: Vec<GoldRegion>,
    /// The parts of the gold answer; none where the set has none.
    pub(crate) answers: Vec<String>,
}

/// A gold box, in the points of the page size that it is given with.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct GoldRegion {
    /// Page number, from 1.
    pub(crate) page: u32,
    /// Width and height of the page.
    pub(crate) page_size: [f32; 2],
    /// Left, top, right and bottom.
    pub(crate) bbox: [f32; 4],
}

/// The questions on one document.
#[derive(Debug, PartialEq)]
pub(crate) struct Asked {
    /// The document's file name.
    pub(crate) document: String,
    pub(crate) path: PathBuf,
    pub(crate) questions: Vec<Question>,
}

/// A line of `questions.jsonl`.
#[derive(Deserialize)]
struct Line {
    id: String,
    document: String,
    question: String,
    modalities: Vec<String>,
    pages: Vec<u32>,
    regions: Vec<GoldRegion>,
    #[serde(default)]
    answer: String,
}

/// A line of `unanswerable.jsonl`.
#[derive(Deserialize)]
struct UnanswerableLine {
    id: String,
    document: String,
    question: String,
}

/// The questions that a document does not answer, by document; none where the set has none.
pub(super) fn read_unanswerable(dir: &Path) -> Result<HashMap<String, Vec<Question>>, EvalError> {
    let path = dir.join("unanswerable.jsonl");
    let mut out: HashMap<String, Vec<Question>> = HashMap::new();
    if !path.is_file() {
        return Ok(out);
    }
    let text =
        std::fs::read_to_string(&path).map_err(|cause| EvalError::file("read", &path, cause))?;
    for (line, number) in text.lines().zip(1..) {
        let line: UnanswerableLine = serde_json::from_str(line)
            .map_err(|error| EvalError::data(&path, Some(number), error.to_string()))?;
        out.entry(line.document).or_default().push(Question {
            id: line.id,
            text: line.question,
            modalities: Vec::new(),
            pages: Vec::new(),
            regions: Vec::new(),
            answers: Vec::new(),
        });
    }
    Ok(out)
}

/// The parts of a gold answer: a list is written as Python writes it.
fn parts(answer: &str) -> Vec<String> {
    let answer = answer.trim();
    let inner = answer
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let parts = match inner {
        Some(inner) => inner.split("', '").collect(),
        None => vec![answer],
    };
    let parts = parts
        .into_iter()
        .map(|part| part.trim_matches(['\'', ' ']).to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

impl GoldRegion {
    /// The box on a page of `width` by `height` points.
    pub(crate) fn scaled(&self, width: f32, height: f32) -> Region {
        let (x, y) = (width / self.page_size[0], height / self.page_size[1]);
        let [left, top, right, bottom] = self.bbox;
        Region {
            page: self.page,
            bbox: [left * x, top * y, right * x, bottom * y],
        }
    }
}

/// The questions of the set at `dir`, by document, in the order of the file.
pub(crate) fn read(dir: &Path) -> Result<Vec<Asked>, EvalError> {
    let path = dir.join("questions.jsonl");
    if !path.is_file() {
        let what = "it should hold the questions, a JSON object a line".to_owned();
        return Err(EvalError::Missing { path, what });
    }
    let text =
        std::fs::read_to_string(&path).map_err(|cause| EvalError::file("read", &path, cause))?;
    let mut ids = HashSet::new();
    let mut out: Vec<Asked> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line: Line = serde_json::from_str(line)
            .map_err(|error| EvalError::data(&path, Some(number), wanted(&error)))?;
        let failed = |what: String| EvalError::data(&path, Some(number), what);
        check(&line).map_err(failed)?;
        if !ids.insert(line.id.clone()) {
            return Err(failed(format!("the id `{}` comes twice", line.id)));
        }
        let known = out.iter().position(|have| have.document == line.document);
        let at = known.unwrap_or(out.len());
        if known.is_none() {
            out.push(file_of(dir, &line)?);
        }
        out[at].questions.push(question(line));
    }
    if out.is_empty() {
        return Err(EvalError::data(&path, None, "there is no question in it"));
    }
    Ok(out)
}

fn file_of(dir: &Path, line: &Line) -> Result<Asked, EvalError> {
    let path = dir.join("pdf").join(&line.document);
    if !path.is_file() {
        let what = format!("the question `{}` is about this document", line.id);
        return Err(EvalError::Missing { path, what });
    }
    Ok(Asked {
        document: line.document.clone(),
        path,
        questions: Vec::new(),
    })
}

fn question(line: Line) -> Question {
    let mut pages = line.pages;
    pages.sort_unstable();
    pages.dedup();
    let word = |modality: &String| {
        let word = modality.split(" (").next().unwrap_or_default();
        word.trim().to_owned()
    };
    let mut modalities: Vec<String> = line.modalities.iter().map(word).collect();
    modalities.sort_unstable();
    modalities.dedup();
    Question {
        id: line.id,
        text: line.question,
        modalities,
        pages,
        regions: line.regions,
        answers: parts(&line.answer),
    }
}

fn wanted(error: &serde_json::Error) -> String {
    // The parser sees each line alone.
    let error = error
        .to_string()
        .replace(" at line 1 column ", " at column ");
    format!(
        "{error}; an object with `id`, `document`, `question`, `modalities`, `pages` and `regions` \
         was expected"
    )
}

fn check(line: &Line) -> Result<(), String> {
    let name = Path::new(&line.document);
    if name.file_name() != Some(name.as_os_str()) {
        return Err("the field `document` must be the name of a file in `pdf`".to_owned());
    }
    if line.pages.is_empty() || line.pages.contains(&0) {
        return Err("the field `pages` must name pages, counted from 1".to_owned());
    }
    for region in &line.regions {
        let [width, height] = region.page_size;
        let sized = width.is_finite() && height.is_finite() && width > 0.0 && height > 0.0;
        if region.page == 0 || !sized {
            return Err("a region needs a `page` from 1 and a positive `page_size`".to_owned());
        }
        let [left, top, right, bottom] = region.bbox;
        if !region.bbox.iter().all(|side| side.is_finite()) || left > right || top > bottom {
            return Err("a region's `bbox` must be left, top, right, bottom".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const GOOD: &str = r#"{"id": "a#0", "document": "a.pdf", "domain": "x", "question": "Why?", "answer": "1", "modalities": ["Pure-text (Plain-text)", "Chart", "Pure-text (x)"], "pages": [4, 3, 4], "regions": [{"page": 3, "page_size": [600.0, 800], "bbox": [60, 80.5, 300, 400]}]}"#;

    fn read_lines(lines: &str) -> Result<Vec<Asked>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let pdf = folder.path().join("pdf");
        fs::create_dir(&pdf).expect("a folder");
        for name in ["a.pdf", "b.pdf"] {
            fs::write(pdf.join(name), "%PDF-").expect("a file");
        }
        fs::write(folder.path().join("questions.jsonl"), lines).expect("a file");
        let root = folder.path().display().to_string();
        read(folder.path()).map_err(|error| error.to_string().replace(&root, "SET"))
    }

    #[test]
    fn questions_are_read_by_document() {
        let second = GOOD.replace("a#0", "b#0").replace("a.pdf", "b.pdf");
        let third = GOOD.replace("a#0", "a#1");
        let found = read_lines(&format!("{GOOD}\n{second}\n{third}\n")).expect("good lines");
        let ids: Vec<Vec<&str>> = found
            .iter()
            .map(|asked| asked.questions.iter().map(|q| q.id.as_str()).collect())
            .collect();
        assert_eq!(ids, [vec!["a#0", "a#1"], vec!["b#0"]]);
        let question = &found[0].questions[0];
        assert_eq!(question.pages, [3, 4]);
        assert_eq!(question.modalities, ["Chart", "Pure-text"]);
        let scaled = question.regions[0].scaled(300.0, 400.0);
        assert_eq!((scaled.page, scaled.bbox), (3, [30.0, 40.25, 150.0, 200.0]));
    }

    #[test]
    fn a_wrong_line_is_told() {
        let check = |from: &str, to: &str| {
            let bad = GOOD.replace("a#0", "b#9").replace(from, to);
            read_lines(&format!("{GOOD}\n{bad}\n")).expect_err("a bad line")
        };
        let messages = [
            check("\"pages\": [4, 3, 4], ", ""),
            check("[4, 3, 4]", "[0]"),
            check("[4, 3, 4]", "\"4\""),
            check("[600.0, 800]", "[600.0, 0]"),
            check("[60, 80.5, 300, 400]", "[60, 80.5, 300]"),
            check("[60, 80.5, 300, 400]", "[60, 500, 300, 400]"),
            check("b#9", "a#0"),
            check("a.pdf", "c.pdf"),
            check("a.pdf", "../a.pdf"),
            read_lines("").expect_err("no question"),
        ];
        insta::assert_snapshot!(messages.join("\n"), @r#"
        `SET/questions.jsonl` line 2: missing field `pages` at column 235; an object with `id`, `document`, `question`, `modalities`, `pages` and `regions` was expected
        `SET/questions.jsonl` line 2: the field `pages` must name pages, counted from 1
        `SET/questions.jsonl` line 2: invalid type: string "4", expected a sequence at column 165; an object with `id`, `document`, `question`, `modalities`, `pages` and `regions` was expected
        `SET/questions.jsonl` line 2: a region needs a `page` from 1 and a positive `page_size`
        `SET/questions.jsonl` line 2: invalid length 3, expected an array of length 4 at column 247; an object with `id`, `document`, `question`, `modalities`, `pages` and `regions` was expected
        `SET/questions.jsonl` line 2: a region's `bbox` must be left, top, right, bottom
        `SET/questions.jsonl` line 2: the id `a#0` comes twice
        `SET/pdf/c.pdf` is missing: the question `b#9` is about this document
        `SET/questions.jsonl` line 2: the field `document` must be the name of a file in `pdf`
        `SET/questions.jsonl`: there is no question in it
        "#);
    }

    #[test]
    fn a_folder_without_questions_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = read(folder.path()).expect_err("no questions");
        assert!(matches!(error, EvalError::Missing { .. }), "{error}");
        assert!(error.hint().is_some());
    }
}
