//! Answers on `MMDocIR`: is the gold answer told, and is what a document does not say refused?

use super::questions::{Asked, Question, read as read_questions, read_unanswerable};
use super::{blank, keep_failure};
use crate::answering::{System, answer_text, check_scores, spread, systems};
use crate::evaluation::Evaluation;
use crate::record::{Record, named, recorded};
use crate::report::APART;
use crate::statistics::{auroc, estimate};
use crate::text::folded;
use crate::{Answering, EvalError, EvalOptions, Metric, Progress, Report, Step, Tools};
use catena_document::ContentHash;
use catena_engine::{Answer, AnswerOutcome, EngineError};
use catena_index::Store;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// A gold answer of at most so many characters is short: it is to be told as it stands.
const SHORT: usize = 60;
/// Questions whose answer stands in another document.
const FOREIGN: &str = "foreign";
/// Questions that ask the right document what it does not say.
const UNANSWERABLE: &str = "unanswerable";

/// Evaluates answers on the set at `dir`, each question asked of its document alone.
///
/// `answer_found` is the share of the short gold answers that stand in the answer or its quotes,
/// `answered` the share of questions that are answered at all. Each question is asked of another
/// document as well, drawn by its id, and those of `unanswerable.jsonl`, where that is there, of
/// theirs; where only some questions are asked, of the documents of these. By the group `apart`: how well the confidence tells them from the answerable, as the
/// area under the ROC curve, and precision and recall of refusing.
///
/// # Errors
/// As [`mmdocir`](super::mmdocir).
pub fn mmdocir_answers(
    dir: &Path,
    answering: &Answering<'_>,
    options: &EvalOptions,
    tools: &mut Tools<'_>,
) -> Result<Report, EvalError> {
    let _span = tracing::info_span!("mmdocir_answers").entered();
    let set = chosen(read_questions(dir)?, answering.questions);
    let unanswerable = read_unanswerable(dir)?;
    let foreign = foreign(&set);
    let mut evaluation = Evaluation::begin(options, tools)?;
    let systems = systems(&evaluation, answering);
    let names: Vec<&str> = systems.iter().map(|system| system.name.as_str()).collect();
    let mut records = Vec::new();
    for (asked, number) in set.iter().zip(1..) {
        tools.check_cancelled()?;
        let mut report = |step| {
            (tools.progress)(Progress {
                document: number,
                documents: set.len(),
                name: &asked.document,
                step,
            });
        };
        let store = match evaluation.stores.of_file(&asked.path, &mut report) {
            Ok(store) => store,
            Err(EvalError::Engine(
                error @ (EngineError::Parse { .. } | EngineError::File { .. }),
            )) => {
                let message = error.to_string();
                keep_failure(&mut evaluation, asked, &message, &names, &scored_by)?;
                continue;
            }
            Err(error) => return Err(error),
        };
        let own = asked.questions.iter().map(|question| (question, None));
        let others = foreign.get(&asked.document).into_iter().flatten();
        let others = others.map(|&question| (question, Some(FOREIGN)));
        let unsaid = unanswerable.get(&asked.document).into_iter().flatten();
        let unsaid = unsaid.map(|question| (question, Some(UNANSWERABLE)));
        let all: Vec<_> = own.chain(others).chain(unsaid).collect();
        let asking = AskingDocument {
            asked,
            store: &store,
            evaluation: &evaluation,
            cancel: tools.cancel,
        };
        for ((question, apart), done) in all.iter().zip(0..) {
            if asking.cancel.load(Ordering::Relaxed) {
                return Err(EvalError::Cancelled);
            }
            report(Step::Asking(done, all.len()));
            for system in &systems {
                records.push(asking.record(question, *apart, system)?);
            }
        }
    }
    for record in &records {
        evaluation.keep(record.clone())?;
    }
    let mut report = evaluation.finish(&names)?;
    for system in &mut report.systems {
        let own: Vec<&Record> = records
            .iter()
            .filter(|r| r.system == system.system)
            .collect();
        for (group, metrics) in system.by.entry(APART.to_owned()).or_default() {
            metrics.extend(refusing(&own, group));
        }
    }
    Ok(report)
}

/// At most so many of the questions, spread evenly, with their documents.
fn chosen(mut set: Vec<Asked>, most: Option<usize>) -> Vec<Asked> {
    let ids = set.iter().flat_map(|asked| &asked.questions);
    let ids = spread(ids.map(|question| question.id.clone()).collect(), most);
    let ids: HashSet<String> = ids.into_iter().collect();
    for asked in &mut set {
        asked
            .questions
            .retain(|question| ids.contains(&question.id));
    }
    set.retain(|asked| !asked.questions.is_empty());
    set
}

/// The questions that each document is asked and another answers.
fn foreign(set: &[Asked]) -> HashMap<String, Vec<&Question>> {
    let mut out: HashMap<String, Vec<&Question>> = HashMap::new();
    for (own, asked) in set.iter().enumerate() {
        for question in asked.questions.iter().filter(|_| set.len() > 1) {
            let drawn = usize::from(ContentHash::of(question.id.as_bytes()).0[0]);
            // One of the others: its own place is skipped.
            let other = (own + 1 + drawn % (set.len() - 1)) % set.len();
            let other = set[other].document.clone();
            out.entry(other).or_default().push(question);
        }
    }
    out
}

/// A document that is asked.
struct AskingDocument<'a, 'e> {
    asked: &'a Asked,
    store: &'a Store,
    evaluation: &'a Evaluation<'e>,
    cancel: &'a AtomicBool,
}

impl AskingDocument<'_, '_> {
    /// What a system answers; `apart` where the document does not say it.
    fn record(
        &self,
        question: &Question,
        apart: Option<&str>,
        system: &System<'_>,
    ) -> Result<Record, EvalError> {
        let snapshot = self.store.snapshot()?;
        let cache = self.store.render_cache();
        let evaluation = self.evaluation;
        let (found, answer) =
            system.answer(&question.text, &snapshot, &cache, evaluation, self.cancel)?;
        let answered = answer.outcome == AnswerOutcome::Answered;
        let mut scores = vec![(Metric::Answered, f64::from(u8::from(answered)))];
        if apart.is_none() && is_short(&question.answers) {
            let told = tells(&answer, &question.answers);
            scores.push((Metric::AnswerFound, f64::from(u8::from(told))));
        }
        scores.extend(check_scores(&answer));
        let mut record = blank(self.asked, question, &system.name, "");
        record.groups.remove("text_layer");
        if let Some(apart) = apart {
            record.id = format!("{} of {}", question.id, self.asked.document);
            record.groups.clear();
            record
                .groups
                .insert(APART.to_owned(), vec![apart.to_owned()]);
        }
        Ok(Record {
            hits: recorded(&found.hits),
            metrics: named(scores),
            answer: Some(answer_text(&answer)),
            confidence: Some(answer.confidence),
            ..record
        })
    }
}

/// The metrics that a question of the document itself is scored by.
fn scored_by(question: &Question) -> Vec<Metric> {
    let found = is_short(&question.answers).then_some(Metric::AnswerFound);
    [Metric::Answered].into_iter().chain(found).collect()
}

fn is_short(answers: &[String]) -> bool {
    !answers.is_empty() && answers.iter().all(|answer| answer.chars().count() <= SHORT)
}

/// Whether all parts of a gold answer stand in an answer or its quotes as whole words.
fn tells(answer: &Answer, gold: &[String]) -> bool {
    let quotes = answer
        .citations
        .iter()
        .map(|citation| citation.quote.clone());
    let told: Vec<String> = quotes.chain([answer_text(answer)]).collect();
    let told = spaced(&told.join(" | "));
    gold.iter().all(|part| told.contains(&spaced(part)))
}

/// A text's words and numbers, folded, a space around each.
fn spaced(text: &str) -> String {
    let folded = folded(text).replace(['\\', '*', ',', '$', '%', '"', '\''], "");
    let words = folded.split(|c: char| !(c.is_alphanumeric() || c == '.'));
    let words = words.map(|word| word.trim_matches('.'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

/// How well questions of a group are told from the answerable ones, and refused.
fn refusing(records: &[&Record], group: &str) -> Vec<(Metric, crate::Estimate)> {
    let is_of = |record: &&&Record| match record.groups.get(APART) {
        None => false,
        Some(names) => names.iter().any(|name| name == group),
    };
    let confidence = |record: &&Record| record.confidence.map(f64::from);
    let refused = |record: &Record| record.score(Metric::Answered) == Some(0.0);
    let own = records
        .iter()
        .filter(|record| !record.groups.contains_key(APART));
    let other = records.iter().filter(is_of);
    let area = auroc(
        &own.clone().filter_map(confidence).collect::<Vec<_>>(),
        &other.clone().filter_map(confidence).collect::<Vec<_>>(),
    );
    let all = own
        .map(|record| (record, false))
        .chain(other.map(|record| (record, true)));
    let (mut precision, mut recall) = (Vec::new(), Vec::new());
    for (record, should) in all {
        let refused = refused(record);
        if refused {
            precision.push(f64::from(u8::from(should)));
        }
        if should {
            recall.push(f64::from(u8::from(refused)));
        }
    }
    let found = [
        (Metric::RefusalAuroc, area),
        (Metric::RefusalPrecision, estimate(&precision)),
        (Metric::RefusalRecall, estimate(&recall)),
    ];
    found
        .into_iter()
        .filter_map(|(metric, value)| Some((metric, value?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gold_stands_as_whole_words() {
        let check = |told: &str, gold: &str, expected: bool| {
            assert_eq!(
                spaced(told).contains(&spaced(gold)),
                expected,
                "{told} {gold}"
            );
        };
        check("It was 21% of **all** adults.", "21%", true);
        check("1,874 of them", "1874", true);
        check("It was 121%.", "21%", false);
        check("The ratio is 0.263.", "0.263 ", true);
        check("See Berlin School", "berlin school", true);
    }
}
