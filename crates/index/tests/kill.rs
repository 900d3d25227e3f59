//! A writer is killed at random moments; nothing acknowledged is lost, nothing is ever half there.
//!
//! The test binary starts itself again as a writer and as a reader; `CATENA_KILL_ROLE` says which.
//! `CATENA_SOAK` sets the number of kills (20 by default).
#![cfg(unix)]

#[path = "synthetic/mod.rs"]
mod synthetic;

use catena_document::{NodeKind, View};
use catena_index::{FieldWeights, Filter, Snapshot, Store, StoreError, TextQuery, Writer};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use synthetic::{Made, PICTURES, WORDS, WORDS_DIMENSION, mix, stamp};

const ROLE: &str = "CATENA_KILL_ROLE";
const STORE: &str = "CATENA_KILL_STORE";
const SEED: &str = "CATENA_KILL_SEED";

/// Documents come in pairs that are only ever changed together.
const PAIRS: u32 = 4;

/// The version that both documents of a pair have; 0 where they are not there.
type State = BTreeMap<u32, u32>;

fn made(pair: u32, half: u32, version: u32) -> Made {
    Made::new(pair * 2 + half, version, 4 + (pair + version) % 5)
}

// The writer.

/// Writes without end. Each line of the journal is a state: `try` before its commit, `done` after.
fn write_until_killed(path: &Path, seed: u64) {
    let mut journal = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path.with_extension("journal"))
        .unwrap();
    let mut state = last_states(path).pop().unwrap_or_default();
    let mut writer = Writer::open(path).unwrap();
    writer.add_space(WORDS, WORDS_DIMENSION).unwrap();
    writer
        .add_space(PICTURES, synthetic::PICTURES_DIMENSION)
        .unwrap();
    // What the last writer tried may be there or not.
    let store = Store::open(path).unwrap();
    state = check_whole(&store.snapshot().unwrap()).unwrap_or(state);
    let mut dice = seed;
    let mut roll = |sides: u64| {
        dice = mix(dice);
        dice % sides
    };
    loop {
        for _ in 0..=roll(3) {
            let pair = roll(u64::from(PAIRS)) as u32;
            let version = state.get(&pair).copied().unwrap_or(0);
            if version > 0 && roll(4) == 0 {
                for half in 0..2 {
                    assert!(
                        writer
                            .remove_source(&format!("file:{}", pair * 2 + half))
                            .unwrap()
                    );
                }
                state.insert(pair, 0);
            } else {
                let next = 1 + roll(1 << 30) as u32;
                for half in 0..2 {
                    let made = made(pair, half, next);
                    writer.add(made.input()).unwrap();
                    if roll(3) == 0 {
                        writer.add_view(&made.document.id, made.chunks()).unwrap();
                    }
                }
                state.insert(pair, next);
            }
        }
        log(&mut journal, "try", &state);
        writer.commit().unwrap();
        log(&mut journal, "done", &state);
        match roll(30) {
            0 => drop(writer.compact().unwrap()),
            1 => writer.rebuild().unwrap(),
            2 => {
                writer.close().unwrap();
                writer = Writer::open(path).unwrap();
            }
            _ => {}
        }
    }
}

fn log(journal: &mut File, word: &str, state: &State) {
    let pairs: Vec<String> = state
        .iter()
        .map(|(pair, v)| format!("{pair}={v}"))
        .collect();
    let line = format!("{word} {}\n", pairs.join(" "));
    journal.write_all(line.as_bytes()).unwrap();
}

/// The states that the store may be in: the last one that was acknowledged, and what was tried
/// after it.
fn last_states(path: &Path) -> Vec<State> {
    let Ok(file) = File::open(path.with_extension("journal")) else {
        return vec![State::new()];
    };
    let mut states = vec![State::new()];
    for line in BufReader::new(file).lines() {
        let line = line.unwrap();
        let Some((word, pairs)) = line.split_once(' ') else {
            continue;
        };
        let pair = |text: &str| {
            let (pair, version) = text.split_once('=')?;
            Some((pair.parse().ok()?, version.parse().ok()?))
        };
        let state: State = pairs.split_whitespace().filter_map(pair).collect();
        if word == "done" {
            states.clear();
        }
        states.push(state);
    }
    states
}

// Looking at a snapshot.

/// Checks that each document is whole and that pairs are of one version; gives the versions.
fn check_whole(snapshot: &Snapshot) -> Result<State, String> {
    let mut state = State::new();
    let mut halves: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for summary in snapshot.documents().map_err(|error| text(&error))? {
        let document = snapshot
            .document(&summary.id)
            .map_err(|error| text(&error))?;
        let found = document.title.rsplit_once("stamp").and_then(|(_, stamp)| {
            let (name, version) = stamp.split_once('v')?;
            Some((name.parse::<u32>().ok()?, version.parse::<u32>().ok()?))
        });
        let (name, version) = found.ok_or("a title without a stamp")?;
        let made = made(name / 2, name % 2, version);
        if document.nodes != made.document.nodes || document.id != made.document.id {
            return Err(format!("the tree of {name} version {version} is not whole"));
        }
        check_search(snapshot, &made, &summary.units, &stamp(name, version))?;
        if snapshot
            .source_bytes(&document.id)
            .map_err(|error| text(&error))?
            != made.bytes
        {
            return Err("its file is not its own".into());
        }
        halves
            .entry(name / 2)
            .or_default()
            .push((name % 2, version));
    }
    for pair in 0..PAIRS {
        match halves.remove(&pair).as_deref() {
            None => {
                state.insert(pair, 0);
            }
            Some([(_, a), (_, b)]) if a == b => {
                state.insert(pair, *a);
            }
            other => return Err(format!("pair {pair} is torn: {other:?}")),
        }
    }
    Ok(state)
}

/// Checks that all units of a document are found by words and by vectors.
fn check_search(
    snapshot: &Snapshot,
    made: &Made,
    views: &[(View, u32)],
    stamp: &str,
) -> Result<(), String> {
    let seq = snapshot
        .seq(&made.document.id)
        .map_err(|error| text(&error))?;
    let weights = FieldWeights {
        content: 1.0,
        caption: 1.0,
        path: 1.0,
        context: 0.0,
    };
    let query = TextQuery {
        text: stamp.into(),
        weights,
    };
    for &(view, count) in views {
        let units = snapshot
            .units(&made.document.id, view)
            .map_err(|error| text(&error))?;
        let expected = match view {
            View::Evidence => made.views[0].units.clone(),
            View::Chunks => made.chunks().units,
            View::Relations => return Err(format!("{stamp} has relations that nobody stated")),
        };
        if units != expected || units.len() as u32 != count {
            return Err(format!("{view:?} of {stamp} is not whole"));
        }
        let hits = snapshot
            .search_text(&query, view, &Filter::default(), 1000)
            .map_err(|error| text(&error))?;
        // Every evidence unit has the stamp in its path; of chunks some have it.
        let own = hits.iter().filter(|(key, _)| key.seq == seq).count();
        if own != hits.len() || (view == View::Evidence && own != units.len()) || own == 0 {
            return Err(format!(
                "{own} of {} units of {stamp} in {view:?} by words",
                units.len()
            ));
        }
        let vectors = match view {
            View::Evidence => made.vectors(view, WORDS),
            View::Chunks => made.chunks().vectors.remove(0),
            View::Relations => return Err(format!("{stamp} has relations that nobody stated")),
        };
        let only = Filter {
            documents: Some(vec![made.document.id]),
            ..Filter::default()
        };
        let Some(row) = vectors.rows.last() else {
            continue;
        };
        let hits = snapshot
            .search_vectors(WORDS, view, &row.vector, &only, 1000)
            .map_err(|error| text(&error))?;
        if hits.len() != units.len() || hits[0].0.ordinal != row.ordinal || hits[0].2 < 0.999 {
            return Err(format!(
                "{} of {} units of {stamp} by vectors",
                hits.len(),
                units.len()
            ));
        }
    }
    let captions = made
        .document
        .nodes
        .iter()
        .filter(|node| node.kind == NodeKind::Caption);
    assert_eq!(captions.count(), 1);
    Ok(())
}

fn text(error: &StoreError) -> String {
    format!("{error} ({error:?})")
}

// The reader.

/// Takes snapshots without end; stops with an error at the first that is not whole. Opens the
/// store anew now and then.
fn read_until_killed(path: &Path, seed: u64) {
    let mut store = None;
    let mut dice = seed;
    let mut newest = 0;
    let mut slowest = Duration::ZERO;
    for count in 0_u64.. {
        let begin = Instant::now();
        if store.is_none() {
            store = Some(Store::open(path).unwrap());
        }
        let snapshot = store.as_ref().unwrap().snapshot().unwrap();
        slowest = slowest.max(begin.elapsed());
        assert!(snapshot.generation() >= newest, "time ran backwards");
        newest = snapshot.generation();
        if let Err(what) = check_whole(&snapshot) {
            panic!("generation {newest}: {what}");
        }
        dice = mix(dice);
        match dice % 10 {
            0 => store = None,
            // Now and then a snapshot is held while the world goes on.
            1 => {
                std::thread::sleep(Duration::from_millis(20));
                check_whole(&snapshot).unwrap();
            }
            _ => {}
        }
        let line = format!("{count} snapshots, slowest {slowest:?}");
        std::fs::write(path.with_extension("reader"), line).unwrap();
    }
}

// The test.

/// What a child process does; a test like any other when there is no role.
#[test]
fn role() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let path = PathBuf::from(std::env::var_os(STORE).unwrap());
    let seed = std::env::var(SEED).unwrap().parse().unwrap();
    match role.as_str() {
        "writer" => write_until_killed(&path, seed),
        "reader" => read_until_killed(&path, seed),
        other => panic!("role {other}"),
    }
}

fn spawn(role: &str, path: &Path, seed: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["role", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(STORE, path)
        .env(SEED, seed.to_string())
        .stdout(Stdio::null())
        .stderr(File::create(path.with_extension(format!("{role}.err"))).unwrap())
        .spawn()
        .unwrap()
}

fn errors_of(role: &str, path: &Path) -> String {
    std::fs::read_to_string(path.with_extension(format!("{role}.err"))).unwrap_or_default()
}

/// Waits until the writer is at some point of its work: mostly after its first commit, now and
/// then while it opens the store.
fn wait_for_work(path: &Path, writer: &mut Child, kill: u64) {
    let dice = mix(kill);
    let journal = path.with_extension("journal");
    let length = || std::fs::metadata(&journal).map_or(0, |meta| meta.len());
    let before = length();
    let patience = Instant::now() + Duration::from_mins(1);
    while !dice.is_multiple_of(4) && length() == before && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis((dice >> 8) % 1200));
    let ended = writer.try_wait().unwrap();
    assert!(ended.is_none(), "{}", errors_of("writer", path));
}

#[test]
fn a_killed_writer_leaves_a_whole_store() {
    let kills: u64 = std::env::var("CATENA_SOAK").map_or(20, |n| n.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    Writer::open(&path).unwrap().close().unwrap();
    let mut reader = spawn("reader", &path, 7);
    let mut commits = 0;
    for kill in 0..kills {
        let mut writer = spawn("writer", &path, kill + 1);
        wait_for_work(&path, &mut writer, kill);
        writer.kill().unwrap();
        assert_eq!(writer.wait().unwrap().signal(), Some(9));

        let states = last_states(&path);
        // Every second time the reader, not a writer, finds what is left.
        let store = if kill % 2 == 0 {
            let writer = Writer::open(&path).unwrap();
            commits = writer.generation();
            writer.close().unwrap();
            Store::open(&path).unwrap()
        } else {
            Store::open(&path).unwrap()
        };
        let snapshot = store.snapshot().unwrap();
        assert_eq!(snapshot.check().unwrap(), [], "kill {kill}");
        let state = check_whole(&snapshot).unwrap();
        let same = |tried: &State| {
            (0..PAIRS).all(|pair| tried.get(&pair).unwrap_or(&0) == state.get(&pair).unwrap_or(&0))
        };
        assert!(
            states.iter().any(same),
            "kill {kill}: {state:?} is none of {states:?}"
        );
        if let Some(status) = reader.try_wait().unwrap() {
            panic!(
                "kill {kill}: the reader stopped ({status}): {}",
                errors_of("reader", &path)
            );
        }
    }
    reader.kill().unwrap();
    reader.wait().unwrap();
    let read = std::fs::read_to_string(path.with_extension("reader")).unwrap();
    let log = format!("{kills} kills, {commits} commits, {read}\n");
    std::io::stderr().write_all(log.as_bytes()).unwrap();
    assert!(commits > kills / 4, "hardly anything was written: {log}");
}
