//! How many units may still be found.

use crate::Retrieval;
use catena_document::Modality;

/// What is left of the budgets of a query.
pub(crate) struct Budget {
    text: usize,
    visual: usize,
}

impl Budget {
    pub(crate) fn of(retrieval: &Retrieval) -> Self {
        Self {
            text: retrieval.text_budget,
            visual: retrieval.visual_budget,
        }
    }

    /// Whether a unit of this kind may be found.
    pub(crate) fn has(&self, modality: Modality) -> bool {
        if modality.is_visual() {
            self.visual > 0
        } else {
            self.text > 0
        }
    }

    /// Takes a unit of this kind from what is left; `false` where nothing is.
    pub(crate) fn take(&mut self, modality: Modality) -> bool {
        let left = if modality.is_visual() {
            &mut self.visual
        } else {
            &mut self.text
        };
        let has = *left > 0;
        *left -= usize::from(has);
        has
    }

    /// Whether nothing is left of either.
    pub(crate) fn is_spent(&self) -> bool {
        self.text == 0 && self.visual == 0
    }
}
