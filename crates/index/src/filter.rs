//! Which units a search may return.

use crate::catalogue::Seqs;
use crate::text_index::modality_code;
use catena_document::{DocumentId, Modality};
use std::collections::HashMap;

/// A restriction of a search; the default restricts nothing. All given conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only units of these documents.
    pub documents: Option<Vec<DocumentId>>,
    /// Only units of these kinds.
    pub modalities: Option<Vec<Modality>>,
    /// Only units of documents in these languages (ISO 639-1 codes).
    pub languages: Option<Vec<String>>,
    /// Only units with all these words in the title and headings above them. A chunk has none
    /// above it, so no chunk passes.
    pub section: Option<String>,
}

/// A filter resolved against a snapshot: what it takes to decide on a unit at once.
pub(crate) struct Resolved {
    /// The documents.
    pub(crate) documents: Seqs,
    /// A bit for each modality's number.
    pub(crate) modalities: u8,
    /// The ordinals in each document, in order, where only some units pass.
    pub(crate) units: Option<HashMap<u64, Vec<u32>>>,
}

impl Resolved {
    pub(crate) fn has_document(&self, seq: u64) -> bool {
        self.documents.contains(seq)
            && self
                .units
                .as_ref()
                .is_none_or(|units| units.contains_key(&seq))
    }

    /// Whether every unit of a document that passes, passes.
    pub(crate) fn takes_whole_documents(&self) -> bool {
        self.units.is_none() && self.modalities == u8::MAX
    }

    /// Whether a unit of a document that passes, passes.
    pub(crate) fn has_unit(&self, seq: u64, modality: u8, ordinal: u32) -> bool {
        let kind = self.modalities & 1_u8.checked_shl(modality.into()).unwrap_or(0) != 0;
        kind && self.units.as_ref().is_none_or(|units| {
            let ordinals = units.get(&seq);
            ordinals.is_some_and(|ordinals| ordinals.binary_search(&ordinal).is_ok())
        })
    }
}

/// Kinds of units that are ranked apart.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    /// The group of each modality's number.
    of: [Option<usize>; 4],
    count: usize,
}

impl Groups {
    pub(crate) fn of(groups: &[&[Modality]]) -> Self {
        let mut of = [None; 4];
        for (number, group) in groups.iter().enumerate() {
            for &modality in *group {
                of[usize::from(modality_code(modality))] = Some(number);
            }
        }
        Self {
            of,
            count: groups.len(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The group of a modality's number, where it is in one.
    pub(crate) fn group(&self, modality: u8) -> Option<usize> {
        self.of.get(usize::from(modality)).copied().flatten()
    }

    /// A bit for each modality's number that is in a group.
    pub(crate) fn modalities(&self) -> u8 {
        let all = self
            .of
            .iter()
            .zip(0_u8..)
            .filter(|(group, _)| group.is_some());
        let bits = all.fold(0, |bits, (_, modality)| bits | 1 << modality);
        // All of them are no filter.
        if bits == 0b1111 { u8::MAX } else { bits }
    }
}
