//! Names of documents, nodes and units.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// The SHA-256 of some bytes; shown as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The first twelve digits: enough to tell documents apart, short enough to type.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.short())
    }
}

impl FromStr for ContentHash {
    type Err = ParseIdError;

    fn from_str(s: &str) -> Result<Self, ParseIdError> {
        let bad = || ParseIdError(s.to_owned());
        if s.len() != 64 || !s.is_ascii() {
            return Err(bad());
        }
        let mut bytes = [0; 32];
        for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(&s[at..at + 2], 16).map_err(|_| bad())?;
        }
        Ok(Self(bytes))
    }
}

/// A document's name: the hash of its file's content.
pub type DocumentId = ContentHash;

/// A node's place in its document, counted from 0 in reading order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
pub struct NodeId(pub u32);

/// A way to cut a document into units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum View {
    /// Evidence units that follow the tree ([`units`](crate::units)).
    Evidence,
    /// Fixed-size chunks of running text ([`chunks`](crate::chunks)).
    Chunks,
    /// What a model stated of the evidence ([`relation_units`](crate::relation_units)).
    Relations,
}

impl View {
    /// All views.
    pub const ALL: [Self; 3] = [Self::Evidence, Self::Chunks, Self::Relations];

    /// What its units are called in output: `units`, `chunks`, `relations`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Evidence => "units",
            Self::Chunks => "chunks",
            Self::Relations => "relations",
        }
    }

    /// What stands before a unit's place in its name.
    fn mark(self) -> &'static str {
        match self {
            Self::Evidence => "",
            Self::Chunks => "c",
            Self::Relations => "r",
        }
    }
}

/// A unit's name: its document, the view that cut it, and its place in that view.
///
/// Shown as `1a2b3c4d5e6f:17`, a chunk as `1a2b3c4d5e6f:c17`, a relation as `1a2b3c4d5e6f:r17`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UnitId {
    /// The document that holds it.
    pub document: DocumentId,
    /// The view that it belongs to.
    pub view: View,
    /// Its place in that view, from 0.
    pub ordinal: u32,
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = self.view.mark();
        write!(f, "{}:{mark}{}", self.document.short(), self.ordinal)
    }
}

/// A text that names no document or unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no identifier")]
pub struct ParseIdError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_reads_what_it_prints() {
        let hash = ContentHash::of(b"catena");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for bad in ["", "12", &"g".repeat(64), &"é".repeat(32)] {
            assert!(bad.parse::<ContentHash>().is_err(), "{bad}");
        }
    }
}
