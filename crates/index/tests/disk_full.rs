//! A full disk and a disk that cannot be written.
//!
//! Needs to mount a small file system, which only the superuser of Linux may; elsewhere the tests
//! say so and pass.
#![cfg(target_os = "linux")]

#[path = "synthetic/mod.rs"]
mod synthetic;

use catena_index::{Store, StoreError, Writer};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use synthetic::{Made, writer};

/// A small file system in memory, unmounted when it is dropped.
struct Disk {
    path: PathBuf,
    _dir: tempfile::TempDir,
}

fn mount(arguments: &[&str]) -> bool {
    let mut command = Command::new("mount");
    command.args(arguments).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Disk {
    fn of(kilobytes: u64) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk");
        fs::create_dir(&path).unwrap();
        let size = format!("size={kilobytes}k");
        if !mount(&["-t", "tmpfs", "-o", &size, "tmpfs", path.to_str().unwrap()]) {
            let note = b"skipped: no file system can be mounted here\n";
            std::io::stderr().write_all(note).unwrap();
            return None;
        }
        Some(Self { path, _dir: dir })
    }

    fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        assert!(mount(&["-o", &options, self.path.to_str().unwrap()]));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let mut command = Command::new("umount");
        let _ = command.arg("-l").arg(&self.path).status();
    }
}

/// Adds documents of a pair in each commit until the disk is full; gives the last number that was
/// acknowledged.
fn fill(path: &Path, first: u32, paragraphs: u32) -> (u32, StoreError) {
    let mut writer = writer(path);
    let mut done = first;
    loop {
        let next = done + 1;
        let added = (0..2).try_for_each(|half| {
            let made = Made::new(next * 2 + half, 1, paragraphs);
            writer.add(made.input()).map(drop)
        });
        match added.and_then(|()| writer.commit()) {
            Ok(_) => done = next,
            Err(error) => {
                let again = writer.commit();
                assert!(matches!(again, Err(StoreError::Failed)), "{again:?}");
                return (done, error);
            }
        }
        assert!(done < 2000, "the disk is never full");
    }
}

#[track_caller]
fn check_whole(path: &Path, acknowledged: u32) -> u32 {
    let snapshot = Store::open(path).unwrap().snapshot().unwrap();
    assert_eq!(snapshot.check().unwrap(), []);
    let count = snapshot.len() as u32;
    assert!(count.is_multiple_of(2), "half a commit");
    assert!(
        count / 2 == acknowledged || count / 2 == acknowledged + 1,
        "{count} of {acknowledged}"
    );
    count / 2
}

/// Whatever step of a commit meets the end of the disk, nothing is lost and space mends it.
#[test]
fn a_full_disk_loses_nothing() {
    // Different sizes end at different steps.
    for size in (1500..3000).step_by(199) {
        let Some(disk) = Disk::of(size) else {
            return;
        };
        let path = disk.path.join("store");
        let (acknowledged, error) = fill(&path, 0, 20);
        assert!(
            matches!(error, StoreError::DiskFull(_)),
            "{size}: {error:?}"
        );
        assert!(error.hint().is_some());
        // Still full: opening may fail, but only for that reason.
        match Writer::open(&path) {
            Ok(writer) => drop(writer),
            Err(error) => assert!(
                matches!(error, StoreError::DiskFull(_)),
                "{size}: {error:?}"
            ),
        }
        disk.remount(&format!("size={}k", size + 4000));
        let have = check_whole(&path, acknowledged);
        let mut writer = writer(&path);
        writer.add(Made::new(1_000_000, 1, 20).input()).unwrap();
        writer.add(Made::new(1_000_001, 1, 20).input()).unwrap();
        writer.commit().unwrap();
        writer.close().unwrap();
        check_whole(&path, have + 1);
    }
}

#[test]
fn a_disk_that_cannot_be_written_can_be_read() {
    let Some(disk) = Disk::of(20_000) else {
        return;
    };
    let path = disk.path.join("store");
    let mut writer = writer(&path);
    writer.add(Made::new(1, 1, 9).input()).unwrap();
    writer.close().unwrap();
    disk.remount("ro");
    let snapshot = Store::open(&path).unwrap().snapshot().unwrap();
    assert_eq!(snapshot.len(), 1);
    assert_eq!(snapshot.check().unwrap(), []);
    let error = Writer::open(&path).err().unwrap();
    assert!(matches!(error, StoreError::Io { .. }), "{error:?}");

    // One that a writer has left open needs a repair, which is not possible here.
    disk.remount("rw");
    let mut writer = Writer::open(&path).unwrap();
    writer.add(Made::new(2, 1, 9).input()).unwrap();
    writer.commit().unwrap();
    let copy = disk.path.join("copy");
    let copied = Command::new("cp").arg("-r").arg(&path).arg(&copy).status();
    assert!(copied.unwrap().success());
    writer.close().unwrap();
    disk.remount("ro");
    let error = Store::open(&copy).err().unwrap();
    assert!(matches!(error, StoreError::NeedsRepair(_)), "{error:?}");
    assert!(error.hint().is_some());
    disk.remount("rw");
    assert_eq!(Store::open(&copy).unwrap().snapshot().unwrap().len(), 2);
}
