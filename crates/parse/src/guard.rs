//! Calling other libraries on foreign data.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls into a library that draws or decodes foreign data; `None` where it panics.
///
/// Only for libraries that are known to panic on broken data, and that keep nothing between calls:
/// what they were about is thrown away.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(call)).ok();
    if result.is_none() {
        tracing::warn!("a library gave up on broken data");
    }
    result
}
