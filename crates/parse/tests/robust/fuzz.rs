//! Sound files of each format are changed at random and read.
//!
//! A target has a worker read inputs one after another for [`SECONDS`]; `CATENA_SOAK` sets another
//! number. It fails where the worker does not come to its end; the input is then written to a
//! file, which is named. An input is told by its target, seed and number alone:
//!
//! ```sh
//! CATENA_FUZZ=pdf/1/1234/0 cargo test --release -p catena-parse --test robust fuzz::inputs -- --exact --ignored
//! ```
//!
//! reads number 1234 of target `pdf` and seed 1 again, and ends after 0 seconds. `CATENA_FUZZ_SEED`
//! sets another seed.

use crate::mutate::{self, Random};
use crate::{seeds, worker};
use std::io::Write as _;
use std::time::{Duration, Instant};

/// How long a target runs where nothing else is asked.
const SECONDS: u64 = 20;
/// Where the inputs begin where nothing else is asked.
const SEED: u64 = 1;

#[test]
fn pdf() {
    fuzz("pdf");
}

#[test]
fn html() {
    fuzz("html");
}

#[test]
fn markdown() {
    fuzz("markdown");
}

#[test]
fn text() {
    fuzz("text");
}

#[test]
fn docx() {
    fuzz("docx");
}

#[test]
fn pptx() {
    fuzz("pptx");
}

#[test]
fn xlsx() {
    fuzz("xlsx");
}

#[test]
fn epub() {
    fuzz("epub");
}

#[test]
fn picture() {
    fuzz("picture");
}

/// Runs a target.
fn fuzz(target: &str) {
    let number = |name| {
        std::env::var(name)
            .ok()
            .and_then(|value| value.parse().ok())
    };
    let seconds: u64 = number("CATENA_SOAK").unwrap_or(SECONDS);
    let seed: u64 = number("CATENA_FUZZ_SEED").unwrap_or(SEED);
    let asked = format!("{target}/{seed}/0/{seconds}");
    let failure = match worker::run("fuzz::inputs", ("CATENA_FUZZ", &asked)) {
        Ok(lines) => {
            let summary = lines.last().map_or("", String::as_str);
            let _ = writeln!(std::io::stderr(), "{target}, seed {seed}: {summary}");
            return;
        }
        Err(failure) => failure,
    };
    let cause = failure.cause;
    let last = failure.lines.last().and_then(|line| line.parse().ok());
    let Some(last) = last else {
        panic!("{target}: nothing was read: {cause}");
    };
    let input = mutate::input(&seeds::of(target), &mut Random::new(seed, last));
    let path = std::env::temp_dir().join(format!("catena-fuzz-{target}-{seed}-{last}"));
    std::fs::write(&path, input).expect("room for the input");
    let path = path.display();
    panic!("{target}, seed {seed}, number {last}, which is in `{path}`: {cause}");
}

/// Reads inputs as `CATENA_FUZZ` says: target, seed, number of the first, seconds.
#[test]
#[ignore = "started by the targets"]
fn inputs() {
    let Ok(asked) = std::env::var("CATENA_FUZZ") else {
        return;
    };
    let parts: Vec<&str> = asked.split('/').collect();
    let [target, seed, first, seconds] = parts[..] else {
        panic!("`CATENA_FUZZ` is target/seed/number/seconds, not `{asked}`");
    };
    let [seed, first, seconds] =
        [seed, first, seconds].map(|number| number.parse::<u64>().expect("a number"));
    let seeds = seeds::of(target);
    worker::begin();
    let start = Instant::now();
    let mut slowest = (Duration::ZERO, 0);
    let mut number = first;
    loop {
        worker::say(&number.to_string());
        let input = mutate::input(&seeds, &mut Random::new(seed, number));
        let began = Instant::now();
        let _ = worker::read(seeds::name(target), &input);
        slowest = slowest.max((began.elapsed(), number));
        number += 1;
        if start.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
    }
    let (time, at) = slowest;
    let (count, peak) = (number - first, worker::peak() >> 20);
    worker::say(&format!(
        "{count} inputs, up to {peak} MiB, up to {time:.2?} (number {at})"
    ));
}
