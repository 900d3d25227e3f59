//! The process that reads, and what it may use.

use crate::common;
use crate::seeds::SVG;
use cap::Cap;
use catena_document::{edges, units};
use catena_parse::{Pages, ParseError, Parsed, picture_png};
use std::alloc::System;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time that one input may take of a processor.
const MAX_TIME: Duration = Duration::from_secs(10);
/// The longest time by the clock, on a machine that has other work as well.
const MAX_WAIT: Duration = Duration::from_secs(200);
/// Bytes that a worker may have at once.
const MAX_MEMORY: usize = 1 << 30;
/// Pictures and pages of a document that are drawn.
const MAX_DRAWN: usize = 2;
/// The longer side of a drawn picture.
const SIDE: u32 = 256;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// A worker that did not come to its end.
pub(crate) struct Failure {
    /// What it said before.
    pub(crate) lines: Vec<String>,
    /// What happened to it.
    pub(crate) cause: String,
}

/// From now on this process is a worker: more memory than a worker may have ends it.
pub(crate) fn begin() {
    let _ = MEMORY.set_limit(MAX_MEMORY);
}

/// The most bytes that this process has had at once.
pub(crate) fn peak() -> usize {
    MEMORY.max_allocated()
}

/// Says something to whoever started this worker.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "\n@{line}");
}

/// Runs the ignored test `name` with a variable set, as a worker; what it said. It must say
/// something every [`MAX_TIME`].
pub(crate) fn run(name: &str, (variable, value): (&str, &str)) -> Result<Vec<String>, Failure> {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args([name, "--exact", "--ignored", "--nocapture"])
        .env(variable, value)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a worker");
    let mut errors = child.stderr.take().expect("its errors");
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        let _ = errors.read_to_end(&mut text);
        String::from_utf8_lossy(&text[..text.len().min(4000)]).into_owned()
    });
    let out = BufReader::new(child.stdout.take().expect("its output"));
    let (to, from) = channel();
    thread::spawn(move || {
        out.lines()
            .map_while(Result::ok)
            .try_for_each(|line| to.send(line))
    });
    let mut lines = Vec::new();
    let mut began = (Instant::now(), Duration::ZERO);
    let cause = loop {
        match from.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => {
                lines.extend(line.strip_prefix('@').map(str::to_owned));
                began = (Instant::now(), used(child.id()).unwrap_or_default());
            }
            Err(RecvTimeoutError::Timeout) => {
                let waited = began.0.elapsed();
                let used = used(child.id()).map_or(waited, |used| used.saturating_sub(began.1));
                if used > MAX_TIME || waited > MAX_WAIT {
                    let _ = child.kill();
                    break Some(format!("it takes more than {MAX_TIME:?}"));
                }
            }
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    };
    let status = child.wait().expect("the worker's end");
    let errors = errors.join().unwrap_or_default();
    match cause.or_else(|| died(status)) {
        Some(cause) => Err(Failure {
            lines,
            cause: format!("{cause}\n{errors}"),
        }),
        None => Ok(lines),
    }
}

/// The time of a processor that a process has used, where the system tells (on Linux, in
/// hundredths of a second).
fn used(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(11)? + ticks(12)?) * 10))
}

fn died(status: ExitStatus) -> Option<String> {
    (!status.success()).then(|| format!("the worker died ({status})"))
}

/// Reads an input and does with it what the program does with a document.
pub(crate) fn read(name: &str, input: &[u8]) -> Result<Parsed, ParseError> {
    let beside = |path: &str| path.contains(".svg").then(|| SVG.as_bytes().to_vec());
    let read = common::read_with(name, input, &beside);
    if let Ok(parsed) = &read {
        let _ = units(&parsed.document);
        let _ = edges(&parsed.document);
        for asset in parsed.assets.iter().take(MAX_DRAWN) {
            let _ = picture_png(&asset.bytes, SIDE);
        }
    } else {
        let _ = picture_png(input, SIDE);
    }
    if let Ok(pages) = Pages::open(input, None) {
        for number in 1..=pages.count().min(MAX_DRAWN as u32) {
            let _ = pages.draw(number, 0.5).map(|page| page.png());
        }
    }
    read
}
