//! Elements that call themselves captions.

use super::dom::DomId;
use super::walk::Walk;
use crate::block::{BlockKind, Role};
use crate::caption::MAX_LABELLED;

impl Walk<'_, '_> {
    /// Whether an element calls itself a caption and holds nothing else, but for a sign or two in
    /// its text.
    pub(super) fn is_caption(&self, id: DomId) -> bool {
        let facts = &self.facts[id.index()];
        let named = |class: &str| {
            let class = class.to_ascii_lowercase();
            class.contains("caption") && !class.contains("captioned")
        };
        facts.pictures <= 2
            && facts.pictures * 10 <= facts.letters
            && facts.headings == 0
            && (1..MAX_LABELLED as u32).contains(&facts.letters)
            && self.dom.classes(id).any(named)
            && !self
                .dom
                .subtree(id)
                .any(|below| matches!(self.dom.name(below), "table" | "pre"))
    }

    /// A caption's paragraphs as one.
    pub(super) fn caption_paragraph(&mut self, id: DomId) {
        self.flush();
        let was = std::mem::replace(&mut self.one_line, true);
        self.gather(id);
        self.one_line = was;
        let start = self.out.len();
        self.flush();
        for block in &mut self.out[start..] {
            if let BlockKind::Paragraph(paragraph) = &mut block.kind
                && !matches!(paragraph.role, Role::Labelled(_))
            {
                paragraph.role = Role::Caption;
            }
        }
    }
}
