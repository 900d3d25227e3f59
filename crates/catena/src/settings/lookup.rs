//! Looking one setting up: a flag, else a variable of the environment, else a key of the file.

use super::{Origin, Setting};
use crate::failure::Failure;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where values are looked up after the flags.
pub(super) struct Lookup<'a> {
    pub(super) environment: &'a dyn Fn(&str) -> Option<OsString>,
    /// The file that was read.
    pub(super) path: &'a Path,
}

impl Lookup<'_> {
    /// A setting by its flag, its variable, which has the name in capitals after `CATENA_`, or
    /// its key.
    pub(super) fn up<T>(
        &self,
        name: &str,
        flag: Option<T>,
        key: Option<T>,
        read: fn(&OsStr) -> Option<T>,
    ) -> Result<Setting<Option<T>>, Failure> {
        let found = |value, origin| {
            let value = Some(value);
            Ok(Setting { value, origin })
        };
        if let Some(value) = flag {
            return found(value, Origin::Flag(format!("--{}", name.replace('_', "-"))));
        }
        let variable = format!("CATENA_{}", name.to_uppercase());
        if let Some(text) = (self.environment)(&variable).filter(|text| !text.is_empty()) {
            let shown = text.to_string_lossy().into_owned();
            let value = read(&text).ok_or_else(|| Failure::Usage {
                message: format!("`{shown}` is no value for `{variable}`"),
                hint: None,
            })?;
            return found(value, Origin::Variable(variable));
        }
        if let Some(value) = key {
            return found(value, Origin::File(self.path.to_owned()));
        }
        Ok(Setting {
            value: None,
            origin: Origin::Default,
        })
    }
}

impl<T> Setting<Option<T>> {
    /// Its value, else the default.
    pub(super) fn or_else(self, default: impl FnOnce() -> T) -> Setting<T> {
        Setting {
            value: self.value.unwrap_or_else(default),
            origin: self.origin,
        }
    }

    /// Its value, else the default, where there is one.
    pub(super) fn or(self, default: Option<T>) -> Self {
        Self {
            value: self.value.or(default),
            origin: self.origin,
        }
    }
}

/// A value that is a path.
pub(super) fn path(text: &OsStr) -> Option<PathBuf> {
    (!text.is_empty()).then(|| PathBuf::from(text))
}

/// A value that is text.
pub(super) fn text(text: &OsStr) -> Option<String> {
    text.to_str().map(str::to_owned)
}

/// A value that is a number.
pub(super) fn number(text: &OsStr) -> Option<usize> {
    text.to_str()?.parse().ok()
}

/// A value that is a price, not below 0.
pub(super) fn price(text: &OsStr) -> Option<f64> {
    let price: f64 = text.to_str()?.parse().ok()?;
    (price.is_finite() && price >= 0.0).then_some(price)
}

/// A value that is yes or no.
pub(super) fn yes(text: &OsStr) -> Option<bool> {
    match text.to_str()?.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}
