//! Reading files that are broken at random ([`fuzz`]) or by design ([`hostile`]), each within
//! bounds of time and memory.
//!
//! What is read is read by a [`worker`]: this program, started again, so that whatever happens to
//! it (a panic, a stack that overflows, no memory, no end) is seen and named.

// Files are put together piece by piece; how fast does not matter here.
#![allow(clippy::format_collect)]

#[path = "../common/mod.rs"]
mod common;
mod fuzz;
mod hostile;
#[path = "../office/make.rs"]
mod make;
mod mutate;
#[path = "../common/pdf.rs"]
mod pdf;
mod seeds;
mod worker;
