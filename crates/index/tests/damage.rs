//! What is derived and has been damaged is rebuilt; what cannot be is said clearly.

#[path = "synthetic/mod.rs"]
mod synthetic;

use catena_index::{Store, StoreError, Writer};
use std::fs;
use std::path::{Path, PathBuf};
use synthetic::{Made, writer};

/// A store with three documents in two commits, one removed.
fn store(dir: &Path) -> (PathBuf, String) {
    let path = dir.join("store");
    let mut writer = writer(&path);
    for name in 0..2 {
        writer.add(Made::new(name, 1, 9).input()).unwrap();
    }
    writer.commit().unwrap();
    writer.add(Made::new(2, 1, 9).input()).unwrap();
    writer.commit().unwrap();
    writer.remove_source("file:0").unwrap();
    writer.close().unwrap();
    let dump = dump(&path);
    (path, dump)
}

fn dump(path: &Path) -> String {
    let snapshot = Store::open(path).unwrap().snapshot().unwrap();
    assert_eq!(snapshot.check().unwrap(), []);
    snapshot.dump().unwrap()
}

fn files(path: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    out.sort();
    out
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in files(from) {
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Damages a copy of the store, then opens it as a writer or as a reader.
#[track_caller]
fn check(original: &Path, dump_before: &str, what: &str, damage: &dyn Fn(&Path)) {
    for first_a_writer in [true, false] {
        if !first_a_writer && !what.ends_with("removed") {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("copy");
        copy(original, &path);
        damage(&path);
        if first_a_writer {
            Writer::open(&path).unwrap().close().unwrap();
        }
        assert_eq!(dump(&path), dump_before, "{what}");
    }
}

/// A store that a writer left without closing it: its indexes are read through.
fn abandon(path: &Path) {
    fs::write(path.join("writer.lock"), "1 write\n").unwrap();
}

#[test]
fn damaged_indexes_are_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let (original, dump) = store(dir.path());
    for folder in ["text", "vectors"] {
        check(&original, &dump, folder, &|path| {
            fs::remove_dir_all(path.join(folder)).unwrap();
        });
        for file in files(&original.join(folder)) {
            let name = format!("{folder}/{}", file.file_name().unwrap().to_string_lossy());
            let lock = file
                .extension()
                .is_some_and(|extension| extension == "lock");
            if lock {
                continue;
            }
            let whole = fs::read(&file).unwrap();
            if !name.ends_with(".managed.json") {
                check(&original, &dump, &format!("{name} removed"), &|path| {
                    fs::remove_file(path.join(&name)).unwrap();
                });
            }
            check(&original, &dump, &format!("{name} cut"), &|path| {
                fs::write(path.join(&name), &whole[..whole.len() / 2]).unwrap();
            });
            check(&original, &dump, &format!("{name} emptied"), &|path| {
                fs::write(path.join(&name), []).unwrap();
            });
            for at in [0, whole.len() / 3, whole.len() - 1] {
                let mut changed = whole.clone();
                changed[at] ^= 0x55;
                let what = format!("{name} changed at {at}");
                check(&original, &dump, &what, &|path| {
                    fs::write(path.join(&name), &changed).unwrap();
                    abandon(path);
                    Writer::open(path).unwrap().close().unwrap();
                });
            }
        }
    }
}

#[test]
fn what_a_dead_writer_left_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let (path, before) = store(dir.path());
    let hash = "ab".repeat(32);
    let folder = path.join("sources/ab");
    fs::create_dir_all(&folder).unwrap();
    let litter = [
        folder.join(&hash),
        folder.join(format!("{hash}.1.tmp")),
        path.join("vectors/9.segment"),
        path.join("vectors/manifest.1.tmp"),
        path.join("text/.tmpabcdef"),
        path.join("text.tmp"),
    ];
    for file in &litter {
        fs::write(file, "half").unwrap();
    }
    abandon(&path);
    Writer::open(&path).unwrap().close().unwrap();
    for file in &litter {
        assert!(!file.exists(), "{} is left", file.display());
    }
    assert_eq!(dump(&path), before);
}

#[test]
fn a_check_finds_what_differs() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = store(dir.path());
    let segment = files(&path.join("vectors"))
        .into_iter()
        .find(|file| file.extension().is_some())
        .unwrap();
    let mut bytes = fs::read(&segment).unwrap();
    let half = bytes.len() / 2;
    bytes[70..half]
        .iter_mut()
        .step_by(64)
        .for_each(|byte| *byte ^= 1);
    fs::write(&segment, bytes).unwrap();
    let folder = files(&path.join("sources")).remove(0);
    let source = files(&folder).remove(0);
    fs::write(&source, "other").unwrap();
    let snapshot = Store::open(&path).unwrap().snapshot().unwrap();
    let found: Vec<String> = snapshot
        .check()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    let has = |part: &str| assert!(found.iter().any(|line| line.contains(part)), "{found:?}");
    has("of Evidence differs");
    has("a segment of vector space");
    has("has changed");
    let mut writer = Writer::open(&path).unwrap();
    writer.rebuild().unwrap();
    let snapshot = Store::open(&path).unwrap().snapshot().unwrap();
    let found: Vec<String> = snapshot
        .check()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(found.len(), 1, "only the file is lost: {found:?}");
}

#[test]
fn what_is_no_store_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    assert!(matches!(
        Store::open(&missing),
        Err(StoreError::NotAStore(_))
    ));
    assert!(!missing.exists(), "looking makes nothing");
    let (path, _) = store(dir.path());
    fs::write(path.join("catena-store"), "catena store, format 5\n").unwrap();
    for error in [Store::open(&path).err(), Writer::open(&path).err()] {
        let error = error.unwrap();
        assert!(
            matches!(
                error,
                StoreError::NewerFormat {
                    found: 5,
                    known: 4,
                    ..
                }
            ),
            "{error}"
        );
        assert_eq!(error.hint(), Some("update the program"));
    }
    fs::write(path.join("catena-store"), "catena store, format 1\n").unwrap();
    let error = Store::open(&path).err().unwrap();
    assert!(
        matches!(error, StoreError::OlderFormat { found: 1, .. }),
        "{error}"
    );
    assert!(error.hint().is_some_and(|hint| hint.contains("sources")));
    fs::write(path.join("catena-store"), "catena store, format 4\n").unwrap();
    for content in ["no database", ""] {
        fs::write(path.join("truth.redb"), content).unwrap();
        for error in [Writer::open(&path).err(), Store::open(&path).err()] {
            let error = error.unwrap();
            assert!(
                error.hint().is_some_and(|hint| hint.contains("backup")),
                "{error:?}"
            );
        }
    }
}

#[test]
fn a_creation_that_was_cut_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    // After the mark, after an empty database file.
    for stage in 0..2 {
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("catena-store"), "catena store, format 4\n").unwrap();
        if stage == 1 {
            fs::write(path.join("truth.redb"), "").unwrap();
        }
        assert!(Store::open(&path).unwrap().snapshot().unwrap().is_empty());
        fs::remove_dir_all(&path).unwrap();
    }
}
