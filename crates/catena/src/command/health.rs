//! `catena health`

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::language_model::{LanguageModel, check_planning};
use crate::output::{BOLD, DIM, GOOD, WARNING, bytes, count, paint, print};
use crate::settings::{Origin, Setting, Settings};
use catena_engine::by_name;
use catena_index::{Snapshot, Statistics, Store, VectorStatistics};
use catena_models::{MODELS, ModelCache, ModelEntry, ModelError, Role};
use std::fmt::Display;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

/// Where a local Ollama listens.
const OLLAMA: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 11434);
/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_millis(300);
/// Differences that are shown.
const SHOWN: usize = 10;

/// Check settings, store and models, and say what to do about problems
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// The report as it is written.
#[derive(Default)]
struct Report {
    text: String,
    /// What keeps Catena from being used.
    problems: usize,
}

pub(crate) fn run(_: &Args, context: &Context) -> Result<Exit, Failure> {
    let settings = &context.settings;
    let mut report = Report::default();
    report.settings(settings);
    report.store(&settings.store.value);
    report.models(settings);
    report.language_model(settings);
    report.end();
    print(&report.text)?;
    Ok(if report.problems == 0 {
        Exit::Done
    } else {
        Exit::Partly
    })
}

impl Report {
    fn heading(&mut self, text: &str) {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        self.text.push_str(&format!("{gap}{}\n", paint(BOLD, text)));
    }

    fn line(&mut self, name: &str, value: impl Display) {
        self.text.push_str(&format!("  {name:<14} {value}\n"));
    }

    fn good(&mut self, name: &str, value: impl Display) {
        self.line(name, paint(GOOD, value));
    }

    /// Something that keeps Catena from being used, with what to do about it.
    fn problem(&mut self, name: &str, value: impl Display, hint: Option<&str>) {
        self.problems += 1;
        self.line(name, paint(WARNING, value));
        if let Some(hint) = hint {
            self.line("", format_args!("→ {hint}"));
        }
    }

    fn settings(&mut self, settings: &Settings) {
        self.heading("Settings");
        let path = |setting: &Setting<Option<std::path::PathBuf>>| {
            let path = setting.value.as_ref();
            path.map_or_else(|| "-".to_owned(), |path| path.display().to_string())
        };
        let text = |setting: &Setting<Option<String>>| {
            setting.value.clone().unwrap_or_else(|| "-".to_owned())
        };
        let key = settings.llm_key.value.as_ref().map_or("-", |_| "set");
        let python = match &settings.python.value {
            Some(python) => python.display().to_string(),
            None => "python3, else python".to_owned(),
        };
        let s = settings;
        let mut line = |name: &str, value: &dyn Display, origin: &Origin| {
            let origin = paint(DIM, format_args!("({origin})"));
            self.line(name, format_args!("{value} {origin}"));
        };
        line("store", &s.store.value.display(), &s.store.origin);
        line("models", &path(&s.models), &s.models.origin);
        line("model_cache", &path(&s.model_cache), &s.model_cache.origin);
        line("python", &python, &s.python.origin);
        line("offline", &s.offline.value, &s.offline.origin);
        line("llm.url", &text(&s.llm_url), &s.llm_url.origin);
        line("llm.model", &text(&s.llm_model), &s.llm_model.origin);
        line("llm.key", &key, &s.llm_key.origin);
        line("strategy", &s.strategy.value, &s.strategy.origin);
        line("text_budget", &s.text_budget.value, &s.text_budget.origin);
        line(
            "visual_budget",
            &s.visual_budget.value,
            &s.visual_budget.origin,
        );
        line("prompts", &path(&s.prompts), &s.prompts.origin);
        line("plan_calls", &s.plan_calls.value, &s.plan_calls.origin);
        if let Err(error) = by_name(&s.strategy.value) {
            self.problem("", &error, error.hint().as_deref());
        }
    }

    fn store(&mut self, path: &Path) {
        self.heading("Store");
        if !path.exists() {
            self.line("state", "none yet: `catena add PATH` makes it");
            return;
        }
        let opened = Store::open(path).and_then(|store| store.snapshot());
        let snapshot = match opened {
            Ok(snapshot) => snapshot,
            Err(error) => {
                return self.problem("state", &error, error.hint());
            }
        };
        match snapshot.statistics() {
            Ok(statistics) => self.statistics(&statistics),
            Err(error) => self.problem("state", &error, error.hint()),
        }
        self.check(&snapshot);
    }

    fn statistics(&mut self, statistics: &Statistics) {
        self.line("documents", statistics.documents);
        for &(view, units) in &statistics.units {
            self.line(view.name(), units);
        }
        for vectors in &statistics.vectors {
            self.vectors(vectors);
        }
        let sizes = &statistics.sizes;
        self.line(
            "size",
            format_args!(
                "{}: database {}, text index {}, vectors {}, sources {}, cache {}",
                bytes(sizes.total()),
                bytes(sizes.truth),
                bytes(sizes.text),
                bytes(sizes.vectors),
                bytes(sizes.sources),
                bytes(sizes.cache),
            ),
        );
    }

    fn vectors(&mut self, vectors: &VectorStatistics) {
        let view = vectors.view.name();
        let words = format!("{} of {view} by `{}`", vectors.vectors, vectors.space);
        if vectors.missing == 0 {
            self.line("vectors", words);
        } else {
            let missing = count(vectors.missing as usize, "document has", "documents have");
            self.problem(
                "vectors",
                format_args!("{words}; {missing} none"),
                Some("run `catena reindex`"),
            );
        }
    }

    fn check(&mut self, snapshot: &Snapshot) {
        match snapshot.check() {
            Ok(differences) if differences.is_empty() => self.good("check", "clean"),
            Ok(differences) => {
                let number = count(differences.len(), "difference", "differences");
                let hint = "add the documents to a new store, or restore a backup";
                self.problem("check", number, Some(hint));
                for difference in differences.iter().take(SHOWN) {
                    self.line("", difference);
                }
            }
            Err(error) => self.problem("check", &error, error.hint()),
        }
    }

    fn models(&mut self, settings: &Settings) {
        self.heading("Models");
        match settings.model_cache() {
            Ok(cache) => {
                for entry in MODELS {
                    self.model(&cache, entry);
                }
            }
            Err(error) => self.problem("cache", &error, error.hint()),
        }
    }

    fn model(&mut self, cache: &ModelCache, entry: &'static ModelEntry) {
        match cache.locate(entry) {
            Ok(_) => self.good(entry.name, format_args!("present, for {}", entry.purpose)),
            Err(ModelError::Missing { offline: false, .. }) => {
                let size = bytes(entry.download_bytes());
                let fetched = match entry.role {
                    Role::TextEmbedding { .. } | Role::Chat => "fetched when it is needed",
                    _ => "fetched by `catena models pull`",
                };
                let purpose = entry.purpose;
                self.line(
                    entry.name,
                    format_args!("missing, {fetched} ({size}), for {purpose}"),
                );
            }
            Err(error) => self.problem(entry.name, &error, error.hint()),
        }
    }

    fn language_model(&mut self, settings: &Settings) {
        self.heading("Language model");
        match LanguageModel::of(settings) {
            Ok(Some(LanguageModel::Server { url, model })) => {
                self.line("state", format_args!("`{model}` at {url}"));
            }
            Ok(Some(LanguageModel::File(path))) if !path.is_file() => {
                let hint = "set `CATENA_LLM_MODEL` to the path of a GGUF file";
                let what = format_args!("there is no file `{}`", path.display()).to_string();
                self.problem("state", what, Some(hint));
            }
            Ok(Some(LanguageModel::File(path))) => {
                self.line("state", format_args!("`{}`, in process", path.display()));
            }
            Ok(Some(LanguageModel::Listed(entry))) => {
                self.line("state", format_args!("`{}`, in process", entry.name));
                match settings.model_cache() {
                    Ok(cache) => self.model(&cache, entry),
                    Err(error) => self.problem("cache", &error, error.hint()),
                }
            }
            Ok(None) => {
                self.line("state", "none: answers are the evidence's own words");
                if let Err(failure) = check_planning(settings) {
                    self.problem("", &failure, failure.hint().as_deref());
                }
                if ollama_answers() {
                    self.line("", "a local Ollama answers; to use it, set");
                    self.line("", "CATENA_LLM_URL=http://127.0.0.1:11434/v1");
                    self.line("", "CATENA_LLM_MODEL=NAME, one of `ollama list`");
                }
            }
            Err(failure) => self.problem("state", &failure, failure.hint().as_deref()),
        }
    }

    fn end(&mut self) {
        let line = match self.problems {
            0 => paint(GOOD, "Catena can be used"),
            number => paint(WARNING, count(number, "problem", "problems")),
        };
        self.text.push_str(&format!("\n{line}\n"));
    }
}

/// Whether an Ollama listens on this machine.
fn ollama_answers() -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect_timeout(&OLLAMA, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
        let mut answer = [0; 512];
        let length = stream.read(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer[..length]).starts_with("HTTP/"))
    };
    ask().unwrap_or(false)
}
