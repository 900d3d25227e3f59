//! Fixed-size chunks of running text: the flat baseline.

use crate::unit::{LocalRelation, Modality, RelationKind, Unit};
use crate::{Document, Node, NodeId, NodeKind, View};

/// Chunks of at most `size` tokens that share `overlap` tokens with the one before, over the
/// document's running text in reading order, structure unseen. Words are never cut.
///
/// `count` gives the tokens of a text; it is asked for each word once, and the sum is taken for
/// a chunk's size (word pieces never cross a space).
///
/// # Panics
/// Where `overlap` is not below `size`.
pub fn chunks(
    document: &Document,
    size: usize,
    overlap: usize,
    count: &dyn Fn(&str) -> usize,
) -> Vec<Unit> {
    assert!(overlap < size, "chunks that overlap whole never end");
    let words = running_words(document, count);
    let mut out = Vec::new();
    let mut first = 0;
    while first < words.len() {
        let mut tokens = words[first].tokens;
        let mut last = first;
        while last + 1 < words.len() && tokens + words[last + 1].tokens <= size {
            last += 1;
            tokens += words[last].tokens;
        }
        out.push(chunk(&words[first..=last], out.len() as u32));
        if last + 1 == words.len() {
            break;
        }
        // Step back by the overlap, and at least one word on.
        let mut shared = 0;
        let mut next = last + 1;
        while next > first + 1 && shared + words[next - 1].tokens <= overlap {
            next -= 1;
            shared += words[next].tokens;
        }
        first = next;
    }
    out
}

/// A word of the running text.
struct Word {
    node: NodeId,
    start: u32,
    end: u32,
    tokens: usize,
}

fn running_words(document: &Document, count: &dyn Fn(&str) -> usize) -> Vec<Word> {
    let flows = |node: &&Node| {
        !matches!(
            node.kind,
            NodeKind::PageHeader | NodeKind::PageFooter | NodeKind::Contents
        )
    };
    let mut out = Vec::new();
    for node in document.nodes.iter().filter(flows) {
        let text = node.text.as_str();
        let mut at = 0;
        for word in text.split_whitespace() {
            let start = at + text[at..].find(word).unwrap_or(0);
            at = start + word.len();
            out.push(Word {
                node: node.id,
                start: start as u32,
                end: at as u32,
                tokens: count(word).max(1),
            });
        }
    }
    out
}

fn chunk(words: &[Word], ordinal: u32) -> Unit {
    let mut nodes: Vec<NodeId> = words.iter().map(|word| word.node).collect();
    nodes.dedup();
    Unit {
        view: View::Chunks,
        ordinal,
        modality: Modality::Text,
        nodes,
        start: words[0].start,
        end: words[words.len() - 1].end,
        ancestors: Vec::new(),
        caption: None,
        before: None,
        after: None,
        nearby: Vec::new(),
        relation: LocalRelation {
            kind: RelationKind::Body,
            to: None,
        },
        stated: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::tests::{document, manual};

    #[test]
    fn chunks_cover_the_text_and_overlap() {
        let document = document(manual());
        let count = |text: &str| text.split_whitespace().count();
        let texts: Vec<_> = chunks(&document, 12, 3, &count)
            .iter()
            .map(|unit| {
                let node = |id| document.node(id).cloned();
                unit.resolve(document.id, "", node)
                    .content
                    .text
                    .replace('\n', " ")
            })
            .collect();
        insta::assert_snapshot!(texts.join("\n"), @"
        1 Service 1.1 Pump Remove the pump as in Figure 1. Faults
        Figure 1. Faults are in Section 2. 1. Close the valve. 2. Lift the
        valve. 2. Lift the pump (Figure 1). Figure 1. The pump 2 Faults
        pump 2 Faults The table names them. E1 | No water
        ");
    }
}
