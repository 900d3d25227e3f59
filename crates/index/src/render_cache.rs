//! A bounded cache of rendered pages and crops, which may vanish at any time.

use crate::layout::{discard, entries, is_temporary, size_below, write_file};
use catena_document::ContentHash;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Bytes that the cache may hold.
const LIMIT: u64 = 256 << 20;
/// Bytes that a process adds before it looks at how much there is.
const SLACK: u64 = 8 << 20;
/// An entry is marked as used no more often than this.
const MARK_AFTER: Duration = Duration::from_mins(1);
/// A half-written file this old is nobody's.
const STALE: Duration = Duration::from_mins(10);

/// Page images and crops by a key of the caller's: source, page, box, scale, renderer version.
///
/// Shared by all processes. What is least recently used goes first. Nothing about it is an error:
/// what cannot be read is not there, what cannot be written is not kept.
#[derive(Clone, Debug)]
pub struct RenderCache {
    root: PathBuf,
    limit: u64,
    /// Bytes written since this process looked at how much there is; at first as if a lot.
    written: Arc<AtomicU64>,
}

impl RenderCache {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self::with_limit(root, LIMIT)
    }

    fn with_limit(root: PathBuf, limit: u64) -> Self {
        let written = Arc::new(AtomicU64::new(SLACK));
        Self {
            root,
            limit,
            written,
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        let name = ContentHash::of(key.as_bytes()).to_string();
        self.root.join(&name[..2]).join(name)
    }

    /// What was put under a key, if it is still there.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let mut file = File::open(self.path(key)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        // The key stands first, so that a chance of equal hashes is none of equal entries.
        let rest = bytes.strip_prefix(key.as_bytes())?.strip_prefix(b"\n")?;
        let rest = rest.to_vec();
        let used = file.metadata().and_then(|meta| meta.modified());
        if used.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > MARK_AFTER)) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(rest)
    }

    /// Keeps bytes under a key for a while.
    pub fn put(&self, key: &str, bytes: &[u8]) {
        let size = (key.len() + bytes.len()) as u64;
        if key.contains('\n') || size > self.limit / 4 {
            return;
        }
        let path = self.path(key);
        let folder = path.parent().map(fs::create_dir_all);
        let written = write_file(&path, |file| {
            file.write_all(key.as_bytes())?;
            file.write_all(b"\n")?;
            file.write_all(bytes)
        });
        if let (Some(Ok(())), Ok(())) = (folder, written) {
            let before = self.written.fetch_add(size, Ordering::Relaxed);
            if before + size > SLACK {
                self.written.store(0, Ordering::Relaxed);
                self.shrink();
            }
        }
    }

    /// Bytes held now.
    pub fn size(&self) -> u64 {
        size_below(&self.root)
    }

    /// Removes what was not used longest until a tenth is free.
    fn shrink(&self) {
        let mut files = Vec::new();
        for folder in entries(&self.root).unwrap_or_default() {
            for path in entries(&folder).unwrap_or_default() {
                let Ok(meta) = fs::metadata(&path) else {
                    continue;
                };
                let used = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                if is_temporary(&path) {
                    if used.elapsed().is_ok_and(|age| age > STALE) {
                        discard(&path);
                    }
                    continue;
                }
                files.push((used, meta.len(), path));
            }
        }
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        if total <= self.limit {
            return;
        }
        files.sort_unstable();
        for (_, size, path) in files {
            if total <= self.limit / 10 * 9 {
                break;
            }
            discard(&path);
            total -= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first() {
        let dir = tempfile::tempdir().unwrap();
        let cache = RenderCache::with_limit(dir.path().join("cache"), 10_000);
        let old = SystemTime::now() - Duration::from_hours(1);
        for n in 0..10_u64 {
            cache.put(&n.to_string(), &[n as u8; 1000]);
            let file = File::options()
                .append(true)
                .open(cache.path(&n.to_string()))
                .unwrap();
            file.set_modified(old + Duration::from_secs(n)).unwrap();
        }
        assert_eq!(cache.get("0"), Some(vec![0; 1000]), "used, so it stays");
        cache.shrink();
        let left: Vec<u64> = (0..10)
            .filter(|n| cache.get(&n.to_string()).is_some())
            .collect();
        assert_eq!(left, [0, 3, 4, 5, 6, 7, 8, 9]);
        assert!(cache.size() <= 10_000);
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_no_error() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("cache");
        fs::write(&root, "a file in the way").unwrap();
        let cache = RenderCache::new(root.clone());
        cache.put("a", b"b");
        assert_eq!(cache.get("a"), None);
        fs::remove_file(&root).unwrap();
        cache.put("a", b"b");
        assert_eq!(cache.get("a"), Some(b"b".to_vec()));
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(cache.get("a"), None);
        cache.put("with\nnewline", b"b");
        assert_eq!(cache.get("with\nnewline"), None);
    }
}
