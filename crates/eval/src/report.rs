//! What an evaluation found, for programs and for people.

use crate::record::Record;
use crate::statistics::{estimate, paired};
use crate::table::aligned;
use crate::{Estimate, EvalError, Metric, PairedDifference};
use catena_parse::PARSER;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;

/// Questions listed as missed for each system; a run file has all.
const MISSED: usize = 40;
/// The dimension of groups that are reported on their own and left out of the means over all.
pub(crate) const APART: &str = "apart";

/// The results of all systems of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The systems in the order in which they were named.
    pub systems: Vec<SystemReport>,
    /// The first system against each other one, then each against an earlier run.
    pub comparisons: Vec<Comparison>,
    /// The documents that could not be read; their questions count 0.
    pub failures: Vec<Failure>,
}

/// The results of one system.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemReport {
    /// The system's name.
    pub system: String,
    /// What was measured over all questions but those of the groups `apart`.
    pub metrics: BTreeMap<Metric, Estimate>,
    /// The same by group: `text_layer` → `image` → its metrics.
    pub by: BTreeMap<String, BTreeMap<String, BTreeMap<Metric, Estimate>>>,
    /// The questions of which no gold page or passage is among the first ten, or the checks that
    /// were not passed, with the document that was asked, if it was one.
    pub missed: Vec<(String, Option<String>)>,
}

/// Two systems on the same questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The one.
    pub first: String,
    /// The other; of an earlier run with that file's name.
    pub second: String,
    /// First minus second for each metric that both have.
    pub differences: BTreeMap<Metric, PairedDifference>,
}

/// A document that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its name.
    pub document: String,
    /// Why.
    pub message: String,
    /// The questions on it.
    pub questions: usize,
}

impl Report {
    /// The report of all records; the first system is compared with the others.
    pub(crate) fn of(systems: &[&str], records: &[Record], failures: Vec<Failure>) -> Self {
        let first = systems.first().copied().unwrap_or_default();
        let others = systems.iter().skip(1);
        Self {
            systems: systems
                .iter()
                .map(|system| SystemReport::of(system, records))
                .collect(),
            comparisons: others
                .map(|&other| Comparison {
                    first: first.to_owned(),
                    second: other.to_owned(),
                    differences: differences((first, records), (other, records)),
                })
                .collect(),
            failures,
        }
    }

    /// Adds comparisons with the systems of the same names in an earlier run.
    pub(crate) fn compare_with(
        &mut self,
        records: &[Record],
        earlier: &[Record],
        path: &Path,
    ) -> Result<(), EvalError> {
        let there: BTreeSet<&str> = earlier.iter().map(|r| r.system.as_str()).collect();
        let before = self.comparisons.len();
        for system in &self.systems {
            let system = system.system.as_str();
            if there.contains(system) {
                self.comparisons.push(Comparison {
                    first: system.to_owned(),
                    second: format!("{system} of {}", path.display()),
                    differences: differences((system, records), (system, earlier)),
                });
            }
        }
        if self.comparisons.len() > before {
            return Ok(());
        }
        let there: Vec<&str> = there.into_iter().collect();
        Err(EvalError::NothingToCompare {
            path: path.to_owned(),
            found: if there.is_empty() {
                "none".to_owned()
            } else {
                there.join(", ")
            },
        })
    }

    /// The report as programs read it: `{"SYSTEM": {"metrics": {"NAME": {"mean": 0.5, "ci95":
    /// [0.4, 0.6], "n": 60}}, "by": {"text_layer": {"image": {"NAME": …}}}}}`.
    pub fn to_json(&self) -> Value {
        let systems = self.systems.iter().map(|report| {
            let by = report.by.iter().map(|(dimension, groups)| {
                let groups = groups
                    .iter()
                    .map(|(name, m)| (name.clone(), metrics_json(m)));
                (dimension.clone(), Value::Object(groups.collect()))
            });
            let value = json!({
                "metrics": metrics_json(&report.metrics),
                "by": Value::Object(by.collect()),
            });
            (report.system.clone(), value)
        });
        Value::Object(systems.collect())
    }

    /// The report as people read it: tables in percent with the half width of each interval, then
    /// comparisons, missed questions and failures.
    pub fn table(&self) -> String {
        let mut out = self.means();
        for comparison in &self.comparisons {
            out.push('\n');
            out.push_str(&comparison.table());
        }
        for report in &self.systems {
            report.list_missed(&mut out);
        }
        if !self.failures.is_empty() {
            let _ = writeln!(out, "\nfailed, their questions count 0:");
            for failure in &self.failures {
                let questions = count(failure.questions, "question");
                let _ = writeln!(
                    out,
                    "  {} ({questions}): {}",
                    failure.document, failure.message
                );
            }
        }
        let _ = writeln!(out, "\nread by {PARSER}");
        out
    }

    /// Means of all systems, over all questions and by group.
    fn means(&self) -> String {
        let reports = self.systems.iter();
        let names: BTreeSet<Metric> = reports
            .flat_map(|report| {
                let groups = report.by.values().flat_map(BTreeMap::values);
                let all = std::iter::once(&report.metrics).chain(groups);
                all.flat_map(|metrics| metrics.keys().copied())
            })
            .collect();
        let head = ["all", "n"].map(str::to_owned).into_iter();
        let mut rows = vec![head.chain(names.iter().map(Metric::to_string)).collect()];
        for report in &self.systems {
            rows.push(means_row(&report.system, &names, &report.metrics));
        }
        let reports = self.systems.iter();
        let groups: BTreeSet<(&str, &str)> = reports
            .flat_map(|report| &report.by)
            .flat_map(|(dimension, groups)| {
                let names = groups.keys();
                names.map(|name| (dimension.as_str(), name.as_str()))
            })
            .collect();
        for (dimension, group) in groups {
            rows.push(vec![format!("{dimension} {group}")]);
            for report in &self.systems {
                if let Some(metrics) = report.by.get(dimension).and_then(|by| by.get(group)) {
                    rows.push(means_row(&report.system, &names, metrics));
                }
            }
        }
        aligned(&rows)
    }
}

impl SystemReport {
    fn of(system: &str, records: &[Record]) -> Self {
        let own: Vec<&Record> = records.iter().filter(|r| r.system == system).collect();
        let counted = own.iter().filter(|r| !r.groups.contains_key(APART));
        let counted: Vec<&Record> = counted.copied().collect();
        let mut groups: BTreeMap<String, BTreeMap<String, Vec<&Record>>> = BTreeMap::new();
        for &record in &own {
            for (dimension, names) in &record.groups {
                let groups = groups.entry(dimension.clone()).or_default();
                for name in names {
                    groups.entry(name.clone()).or_default().push(record);
                }
            }
        }
        let estimate_all = |groups: BTreeMap<String, Vec<&Record>>| {
            let groups = groups.into_iter();
            groups
                .map(|(name, records)| (name, estimates(&records)))
                .collect()
        };
        let is_missed = |record: &&&Record| {
            scores(record).any(|(metric, score)| metric.shows_a_miss() && score == 0.0)
        };
        let missed = own.iter().filter(is_missed);
        Self {
            system: system.to_owned(),
            metrics: estimates(&counted),
            by: groups
                .into_iter()
                .map(|(dimension, groups)| (dimension, estimate_all(groups)))
                .collect(),
            missed: missed
                .map(|record| (record.id.clone(), record.document.clone()))
                .collect(),
        }
    }

    /// Lists the missed questions by document.
    fn list_missed(&self, out: &mut String) {
        if self.missed.is_empty() {
            return;
        }
        let system = &self.system;
        let _ = if self.metrics.keys().any(|metric| metric.is_of_reading()) {
            let total = count(self.missed.len(), "check");
            writeln!(out, "\n{system}: {total} not passed:")
        } else {
            let total = count(self.missed.len(), "question");
            let what = "nothing gold among the first ten of";
            writeln!(out, "\n{system}: {what} {total}:")
        };
        let mut documents: Vec<(&str, Vec<&str>)> = Vec::new();
        for (id, document) in self.missed.iter().take(MISSED) {
            let document = document.as_deref().unwrap_or_default();
            match documents.iter_mut().find(|(have, _)| *have == document) {
                Some((_, ids)) => ids.push(id),
                None => documents.push((document, vec![id])),
            }
        }
        for (document, ids) in documents {
            let separator = if document.is_empty() { "" } else { ": " };
            let _ = writeln!(out, "  {document}{separator}{}", ids.join(", "));
        }
        if self.missed.len() > MISSED {
            let more = self.missed.len() - MISSED;
            let _ = writeln!(out, "  and {more} more, which a run file lists");
        }
    }
}

impl Comparison {
    fn table(&self) -> String {
        let mut rows = vec![
            ["", "difference", "95 % interval", "wins", "ties", "losses"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for (metric, difference) in &self.differences {
            let [low, high] = difference.ci95.map(|side| format!("{:+.1}", side * 100.0));
            let clear = difference.ci95[0] > 0.0 || difference.ci95[1] < 0.0;
            let mark = if clear { " *" } else { "  " };
            rows.push(vec![
                metric.to_string(),
                format!("{:+.1}", difference.mean * 100.0),
                format!("{low} to {high}{mark}"),
                difference.wins.to_string(),
                difference.ties.to_string(),
                difference.losses.to_string(),
            ]);
        }
        let (first, second) = (&self.first, &self.second);
        format!(
            "{first} against {second}, paired (* does not hold 0)\n{}",
            aligned(&rows)
        )
    }
}

/// A system's means as a row.
fn means_row(
    system: &str,
    names: &BTreeSet<Metric>,
    metrics: &BTreeMap<Metric, Estimate>,
) -> Vec<String> {
    let n = metrics.values().map(|estimate| estimate.n).max();
    let cells = names
        .iter()
        .map(|name| metrics.get(name).map_or_else(String::new, cell));
    let head = [format!("  {system}"), n.unwrap_or(0).to_string()];
    head.into_iter().chain(cells).collect()
}

/// The scores of a record.
fn scores(record: &Record) -> impl Iterator<Item = (Metric, f64)> {
    let scores = record.metrics.iter();
    scores.filter_map(|(name, &score)| Some((Metric::named(name)?, score)))
}

fn estimates(records: &[&Record]) -> BTreeMap<Metric, Estimate> {
    let mut all: BTreeMap<Metric, Vec<f64>> = BTreeMap::new();
    for (metric, score) in records.iter().flat_map(|record| scores(record)) {
        all.entry(metric).or_default().push(score);
    }
    all.into_iter()
        .filter_map(|(metric, scores)| Some((metric, estimate(&scores)?)))
        .collect()
}

/// First minus second on the questions that both were asked.
fn differences(
    (first, first_records): (&str, &[Record]),
    (second, second_records): (&str, &[Record]),
) -> BTreeMap<Metric, PairedDifference> {
    let others: HashMap<&str, &Record> = second_records
        .iter()
        .filter(|record| record.system == second)
        .map(|record| (record.id.as_str(), record))
        .collect();
    let mut pairs: BTreeMap<Metric, Vec<(f64, f64)>> = BTreeMap::new();
    for record in first_records.iter().filter(|record| record.system == first) {
        let Some(other) = others.get(record.id.as_str()) else {
            continue;
        };
        for (metric, score) in scores(record) {
            if let Some(other) = other.score(metric) {
                pairs.entry(metric).or_default().push((score, other));
            }
        }
    }
    pairs
        .into_iter()
        .filter_map(|(metric, pairs)| Some((metric, paired(&pairs)?)))
        .collect()
}

fn metrics_json(metrics: &BTreeMap<Metric, Estimate>) -> Value {
    let one = |(metric, e): (&Metric, &Estimate)| {
        let value = json!({"mean": e.mean, "ci95": e.ci95, "n": e.n});
        (metric.to_string(), value)
    };
    Value::Object(metrics.iter().map(one).collect::<Map<_, _>>())
}

/// A mean in percent with the half width of its interval.
fn cell(estimate: &Estimate) -> String {
    let [low, high] = estimate.ci95;
    format!(
        "{:.1} ±{:.1}",
        estimate.mean * 100.0,
        (estimate.mean - low).max(high - estimate.mean) * 100.0
    )
}

fn count(n: usize, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Places, named};

    fn record(id: &str, system: &str, group: &str, score: f64) -> Record {
        Record {
            id: id.to_owned(),
            system: system.to_owned(),
            document: Some("a.pdf".to_owned()),
            question: "Why?".to_owned(),
            groups: BTreeMap::from([("modality".to_owned(), vec![group.to_owned()])]),
            gold: Places::Pages(vec![1]),
            gold_regions: Vec::new(),
            ranked: Places::Pages(vec![]),
            hits: Vec::new(),
            metrics: named([
                (Metric::PageRecall(1), 0.0),
                (Metric::PageRecall(10), score),
            ]),
            answer: None,
            confidence: None,
            failed: None,
        }
    }

    fn records() -> Vec<Record> {
        vec![
            record("q1", "hierarchy", "Chart", 1.0),
            record("q2", "hierarchy", "Chart", 0.5),
            record("q3", "hierarchy", "Table", 0.0),
            record("q1", "flat", "Chart", 0.0),
            record("q2", "flat", "Chart", 0.5),
            record("q3", "flat", "Table", 0.0),
        ]
    }

    #[test]
    fn tables_for_people() {
        let failure = Failure {
            document: "b.pdf".to_owned(),
            message: "password required".to_owned(),
            questions: 1,
        };
        let mut report = Report::of(&["hierarchy", "flat"], &records(), vec![failure]);
        let earlier = [record("q1", "flat", "Chart", 1.0)];
        report
            .compare_with(&records(), &earlier, Path::new("old.jsonl"))
            .expect("flat is in both");
        let table = report.table().replace(PARSER, "PARSER");
        insta::assert_snapshot!(table, @"
        all             n  page_recall@1  page_recall@10
          hierarchy     3       0.0 ±0.0      50.0 ±50.0
          flat          3       0.0 ±0.0      16.7 ±32.7
        modality Chart
          hierarchy     2       0.0 ±0.0      75.0 ±49.0
          flat          2       0.0 ±0.0      25.0 ±49.0
        modality Table
          hierarchy     1     0.0 ±100.0      0.0 ±100.0
          flat          1     0.0 ±100.0      0.0 ±100.0

        hierarchy against flat, paired (* does not hold 0)
                        difference     95 % interval  wins  ties  losses
        page_recall@1         +0.0    +0.0 to +0.0       0     3       0
        page_recall@10       +33.3  +0.0 to +100.0       1     2       0

        flat against flat of old.jsonl, paired (* does not hold 0)
                        difference       95 % interval  wins  ties  losses
        page_recall@1         +0.0  -100.0 to +100.0       0     1       0
        page_recall@10      -100.0  -100.0 to +100.0       0     0       1

        hierarchy: nothing gold among the first ten of 1 question:
          a.pdf: q3

        flat: nothing gold among the first ten of 2 questions:
          a.pdf: q1, q3

        failed, their questions count 0:
          b.pdf (1 question): password required

        read by PARSER
        ");
    }

    #[test]
    fn json_for_programs() {
        let report = Report::of(&["flat"], &records()[3..], vec![]);
        let json = serde_json::to_string_pretty(&report.to_json()).expect("a value");
        insta::assert_snapshot!(json, @r#"
        {
          "flat": {
            "by": {
              "modality": {
                "Chart": {
                  "page_recall@1": {
                    "ci95": [
                      0.0,
                      0.0
                    ],
                    "mean": 0.0,
                    "n": 2
                  },
                  "page_recall@10": {
                    "ci95": [
                      0.0,
                      0.74
                    ],
                    "mean": 0.25,
                    "n": 2
                  }
                },
                "Table": {
                  "page_recall@1": {
                    "ci95": [
                      0.0,
                      1.0
                    ],
                    "mean": 0.0,
                    "n": 1
                  },
                  "page_recall@10": {
                    "ci95": [
                      0.0,
                      1.0
                    ],
                    "mean": 0.0,
                    "n": 1
                  }
                }
              }
            },
            "metrics": {
              "page_recall@1": {
                "ci95": [
                  0.0,
                  0.0
                ],
                "mean": 0.0,
                "n": 3
              },
              "page_recall@10": {
                "ci95": [
                  0.0,
                  0.4933333333333334
                ],
                "mean": 0.16666666666666666,
                "n": 3
              }
            }
          }
        }
        "#);
    }

    #[test]
    fn an_earlier_run_of_other_systems_is_told() {
        let mut report = Report::of(&["flat"], &records(), vec![]);
        let earlier = [record("q1", "graph", "Chart", 1.0)];
        let error = report
            .compare_with(&records(), &earlier, Path::new("old.jsonl"))
            .expect_err("no system in common");
        assert_eq!(
            error.to_string(),
            "the run `old.jsonl` has none of the systems of this run: it has graph"
        );
    }
}
