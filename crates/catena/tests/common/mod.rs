//! Runs the program as a user does, in a folder of its own, with the models of the user's cache.
// Each test file uses a part of this.
#![allow(dead_code)]

pub(crate) mod server;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What the program wrote, and its exit code.
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

/// A folder with a store beside it.
pub(crate) struct Folder {
    dir: tempfile::TempDir,
}

/// The folder of the example manual.
pub(crate) fn examples() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    root.canonicalize().expect("the examples")
}

impl Folder {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("work")).expect("a folder");
        Self { dir }
    }

    /// The folder that the program runs in.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, content).expect("a file");
        path
    }

    /// The program with its settings; models come from the user's cache.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = program(args);
        command
            .current_dir(self.path())
            .env("HOME", self.dir.path().join("home"))
            .env("COLUMNS", "80")
            .env("CATENA_STORE", self.store())
            .env("CATENA_MODEL_CACHE", model_cache());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        finish(self.command(args))
    }

    /// Runs the program and expects an exit code.
    #[track_caller]
    pub(crate) fn check(&self, args: &[&str], code: i32) -> Output {
        let output = self.run(args);
        assert_eq!(
            output.code, code,
            "{args:?}\n{}\n{}",
            output.stdout, output.stderr
        );
        output
    }

    /// Runs the program and reads its JSON.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str], code: i32) -> Value {
        let output = self.check(args, code);
        serde_json::from_str(&output.stdout).expect("JSON")
    }

    /// Stderr without what differs from run to run, and the exit code.
    #[track_caller]
    pub(crate) fn told(&self, output: &Output) -> String {
        assert_eq!(output.stdout, "");
        format!("{}\nexit {}", self.steady(&output.stderr), output.code)
    }

    /// A text without what differs from run to run: folders, times and rates.
    pub(crate) fn steady(&self, text: &str) -> String {
        let text = text.replace(&self.dir.path().display().to_string(), "DIR");
        let text = text.replace(&examples().display().to_string(), "EXAMPLES");
        let lines = text.lines().filter(|line| !line.contains("units/s"));
        let lines = lines.map(|line| match line.rsplit_once(" in ") {
            Some((before, time)) if is_seconds(time) => format!("{before} in TIME"),
            _ => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn is_seconds(text: &str) -> bool {
    let number = text.strip_suffix('s');
    number.is_some_and(|number| number.parse::<f64>().is_ok())
}

/// The program without what the machine's user has set for it.
fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_catena"));
    command.args(args).stdin(Stdio::null());
    let ours = |name: &String| {
        name.starts_with("CATENA_") || name.starts_with("XDG_") || name.starts_with("CLICOLOR")
    };
    for (name, _) in std::env::vars().filter(|(name, _)| ours(name)) {
        command.env_remove(name);
    }
    command
}

pub(crate) fn finish(mut command: Command) -> Output {
    let output = command.output().expect("the program runs");
    Output {
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        code: output.status.code().unwrap_or(-1),
    }
}

/// The user's cache of models, filled once.
pub(crate) fn model_cache() -> &'static Path {
    static CACHE: OnceLock<PathBuf> = OnceLock::new();
    CACHE.get_or_init(|| {
        let cache = catena_models::ModelCache::of_user().expect("a cache folder");
        let mut pull = program(&["models", "pull"]);
        pull.env("CATENA_MODEL_CACHE", &cache.folder);
        let output = finish(pull);
        assert_eq!(
            output.code, 0,
            "the tests need the models: {}",
            output.stderr
        );
        cache.folder
    })
}

/// A store with the manual as PDF, made once and only read.
pub(crate) fn manual() -> &'static Folder {
    static MANUAL: OnceLock<Folder> = OnceLock::new();
    MANUAL.get_or_init(|| {
        let folder = Folder::new();
        let pdf = examples().join("manual.pdf");
        folder.check(&["add", pdf.to_str().expect("UTF-8")], 0);
        folder
    })
}

/// A list in JSON.
#[track_caller]
pub(crate) fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// A string in JSON.
#[track_caller]
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
