//! The visible documents of a snapshot, kept between snapshots and brought up to date by what
//! changed.

use crate::error::Result;
use crate::tables::{DocumentHead, view_code};
use crate::truth::Truth;
use catena_document::{DocumentId, View};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A set of document numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seqs(Vec<u64>);

impl Seqs {
    pub(crate) fn contains(&self, seq: u64) -> bool {
        let word = self.0.get((seq / 64) as usize);
        word.is_some_and(|word| word >> (seq % 64) & 1 != 0)
    }

    pub(crate) fn insert(&mut self, seq: u64) {
        let at = (seq / 64) as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (seq % 64);
    }

    fn remove(&mut self, seq: u64) {
        if let Some(word) = self.0.get_mut((seq / 64) as usize) {
            *word &= !(1 << (seq % 64));
        }
    }
}

/// What is known of a visible document without reading its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) id: DocumentId,
    pub(crate) language: Option<Arc<str>>,
}

/// The documents visible at one generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Catalogue {
    pub(crate) generation: u64,
    documents: BTreeMap<u64, Entry>,
    /// For each view the documents that have it.
    views: [Seqs; View::ALL.len()],
    /// How many documents there are of each language; `None` for unknown.
    languages: HashMap<Option<Arc<str>>, usize>,
}

impl Catalogue {
    /// The catalogue at `generation`, which the truth's own is not before.
    pub(crate) fn read(truth: &Truth, generation: u64) -> Result<Self> {
        let mut out = Self {
            generation,
            ..Self::default()
        };
        for head in truth.heads()? {
            let (seq, head) = head?;
            if head.added_at <= generation {
                out.insert(seq, head);
                for view in truth.views(seq)? {
                    if view.added_at <= generation {
                        out.insert_view(seq, view.view);
                    }
                }
            }
        }
        for seq in truth.removed(0..=generation)? {
            out.remove(seq);
        }
        Ok(out)
    }

    /// Brings the catalogue to `generation` by the logs of the truth, if they go back that far.
    pub(crate) fn advance(&mut self, truth: &Truth, generation: u64) -> Result<()> {
        if generation < self.generation || truth.purged > self.generation {
            *self = Self::read(truth, generation)?;
            return Ok(());
        }
        let new = self.generation + 1..=generation;
        for addition in truth.additions(new.clone())? {
            if addition.space != 0 {
                continue;
            }
            if !self.documents.contains_key(&addition.seq) {
                // Gone already if it was removed and purged since.
                let Some(row) = truth.documents.get(addition.seq)? else {
                    continue;
                };
                self.insert(addition.seq, DocumentHead::decode(row.value())?);
            }
            self.insert_view(addition.seq, addition.view);
        }
        for seq in truth.removed(new)? {
            self.remove(seq);
        }
        self.generation = generation;
        Ok(())
    }

    fn insert(&mut self, seq: u64, head: DocumentHead) {
        let language = head.language.map(|language| {
            let known = self
                .languages
                .get_key_value(&Some(language.as_str().into()));
            match known {
                Some((Some(known), _)) => known.clone(),
                _ => language.into(),
            }
        });
        *self.languages.entry(language.clone()).or_default() += 1;
        let id = head.id;
        self.documents.insert(seq, Entry { id, language });
    }

    fn insert_view(&mut self, seq: u64, view: View) {
        self.views[usize::from(view_code(view))].insert(seq);
    }

    fn remove(&mut self, seq: u64) {
        let Some(entry) = self.documents.remove(&seq) else {
            return;
        };
        for view in &mut self.views {
            view.remove(seq);
        }
        if let Some(count) = self.languages.get_mut(&entry.language) {
            *count -= 1;
            if *count == 0 {
                self.languages.remove(&entry.language);
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    pub(crate) fn get(&self, seq: u64) -> Option<&Entry> {
        self.documents.get(&seq)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Entry)> {
        self.documents.iter().map(|(&seq, entry)| (seq, entry))
    }

    /// The documents that have a view.
    pub(crate) fn with_view(&self, view: View) -> &Seqs {
        &self.views[usize::from(view_code(view))]
    }

    /// The languages, the most frequent first.
    pub(crate) fn languages(&self) -> Vec<Option<&str>> {
        let mut counted: Vec<_> = self
            .languages
            .iter()
            .map(|(language, &count)| (std::cmp::Reverse(count), language.as_deref()))
            .collect();
        counted.sort_unstable();
        counted.into_iter().map(|(_, language)| language).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_numbers() {
        let mut set = Seqs::default();
        for seq in [0, 63, 64, 1000] {
            set.insert(seq);
        }
        set.remove(64);
        set.remove(5000);
        let all: Vec<u64> = (0..2000).filter(|&seq| set.contains(seq)).collect();
        assert_eq!(all, [0, 63, 1000]);
    }
}
