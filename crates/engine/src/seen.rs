//! What was seen on a document's pictures, from the store and for it: a document that is read
//! again is not looked at again.

use catena_document::ContentHash;
use catena_models::{ModelError, VisionStore};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What is known of a document's pictures, and what of it was asked for.
#[derive(Default)]
pub(crate) struct Seen {
    known: HashMap<[u8; 32], Vec<u8>>,
    used: Mutex<HashMap<[u8; 32], Vec<u8>>>,
}

impl Seen {
    /// What the store has of a document.
    pub(crate) fn new(known: Vec<(ContentHash, Vec<u8>)>) -> Self {
        Self {
            known: known.into_iter().map(|(key, row)| (key.0, row)).collect(),
            used: Mutex::default(),
        }
    }

    /// What was asked for, old or new: what the store is to keep.
    pub(crate) fn used(&self) -> Vec<(ContentHash, Vec<u8>)> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let mut used: Vec<_> = used
            .iter()
            .map(|(key, row)| (ContentHash(*key), row.clone()))
            .collect();
        used.sort_by_key(|(key, _)| key.0);
        used
    }

    fn note(&self, key: &[u8; 32], seen: &[u8]) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(*key, seen.to_vec());
    }
}

impl VisionStore for Seen {
    fn get(&self, key: &[u8; 32]) -> Result<Option<Vec<u8>>, ModelError> {
        let known = self.known.get(key).cloned();
        if let Some(known) = &known {
            self.note(key, known);
        }
        Ok(known)
    }

    fn put(&self, key: &[u8; 32], seen: &[u8]) -> Result<(), ModelError> {
        self.note(key, seen);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_asked_for_is_kept() {
        let row = |n: u8| (ContentHash([n; 32]), vec![n]);
        let seen = Seen::new(vec![row(1), row(2)]);
        assert_eq!(seen.get(&[2; 32]).expect("never fails"), Some(vec![2]));
        assert_eq!(seen.get(&[3; 32]).expect("never fails"), None);
        seen.put(&[3; 32], &[3]).expect("never fails");
        assert_eq!(seen.used(), [row(2), row(3)]);
    }
}
