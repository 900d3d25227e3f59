//! The text of a unit that is searched and embedded, by field.

use crate::{EvidenceUnit, Modality, Picture, Table, View, sentences};

/// A unit's searchable text, a field each; the source's wording, but for a figure's description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldText {
    /// Its own words: text, cells, the words inside a figure.
    pub content: String,
    /// Its caption, alternative text and description.
    pub caption: String,
    /// The document's title and the headings above.
    pub path: String,
    /// The section's opening and the neighbours.
    pub context: String,
}

/// The fields of a unit. A chunk of the flat baseline and a relation have content only.
pub fn fields(unit: &EvidenceUnit) -> FieldText {
    let picture = unit.content.picture.as_ref();
    let content = unit.content.text.clone();
    if unit.id.view != View::Evidence {
        return FieldText {
            content,
            ..FieldText::default()
        };
    }
    let mut caption = unit.content.caption.clone().unwrap_or_default();
    for told in picture.into_iter().flat_map(Picture::told) {
        if told != caption {
            push_line(&mut caption, told);
        }
    }
    let mut path = vec![unit.document_title.as_str()];
    path.extend(unit.heading_path());
    FieldText {
        content,
        caption,
        path: path.join(" > "),
        context: context_lines(unit).join("\n"),
    }
}

/// What stands around a unit, the most telling first.
fn context_lines(unit: &EvidenceUnit) -> Vec<&str> {
    let context = &unit.context;
    let nearby = context.nearby.iter().map(|near| near.text.as_str());
    let opening = unit
        .ancestors
        .iter()
        .rev()
        .map(|ancestor| ancestor.context.as_str());
    let mut lines: Vec<&str> = Vec::new();
    for line in nearby
        .chain([context.before.as_str(), context.after.as_str()])
        .chain(opening)
    {
        if !line.is_empty() && !lines.iter().any(|have| have.contains(line)) {
            lines.push(line);
        }
    }
    lines
}

/// The texts of a unit that are embedded, each within `window` tokens as `count` counts them; at
/// least one.
///
/// Each has the path first, then a part of the content (whole sentences, or a table's rows with
/// its header repeated), then context. What is not content takes at most a third of the window.
/// A chunk and a relation are embedded as they stand.
pub fn embedding_texts(
    unit: &EvidenceUnit,
    window: usize,
    count: &dyn Fn(&str) -> usize,
) -> Vec<String> {
    let fields = fields(unit);
    if unit.id.view != View::Evidence {
        return vec![fields.content];
    }
    let third = window / 3;
    let path = shorten_path(&unit.document_title, &unit.heading_path(), third, count);
    let mut spare = third.saturating_sub(count(&path));
    let room = window - third;
    let mut parts = content_parts(unit, &fields, room, count);
    let context = context_lines(unit);
    if parts.is_empty() {
        parts.push(String::new());
        spare = window.saturating_sub(count(&path));
    }
    // A figure without words of its own lives from its context; let it have the empty room too.
    if unit.modality == Modality::Figure && parts.len() == 1 {
        spare = window.saturating_sub(count(&path) + count(&parts[0]));
    }
    let context = fitting(&context, spare, count);
    parts
        .into_iter()
        .map(|part| {
            let mut text = path.clone();
            push_line(&mut text, &part);
            push_line(&mut text, &context);
            text
        })
        .collect()
}

/// The content and caption in pieces of at most `room` tokens.
fn content_parts(
    unit: &EvidenceUnit,
    fields: &FieldText,
    room: usize,
    count: &dyn Fn(&str) -> usize,
) -> Vec<String> {
    let caption = &fields.caption;
    if let Some(table) = &unit.content.table {
        return table_parts(table, caption, room, count);
    }
    let mut lines: Vec<String> = Vec::new();
    if !caption.is_empty() {
        lines.push(caption.clone());
    }
    lines.extend(fields.content.lines().map(str::to_owned));
    if count(&lines.join("\n")) <= room {
        let whole = lines.join("\n");
        return if whole.is_empty() {
            vec![]
        } else {
            vec![whole]
        };
    }
    let pieces = lines.iter().flat_map(|line| {
        let whole = count(line) <= room;
        let cut = if whole {
            std::iter::once(0..line.len()).collect()
        } else {
            sentences(line)
        };
        cut.into_iter().map(move |at| &line[at])
    });
    pack(pieces, "", room, count)
}

/// A table's rows in pieces of at most `room` tokens, each after the caption and header rows.
fn table_parts(
    table: &Table,
    caption: &str,
    room: usize,
    count: &dyn Fn(&str) -> usize,
) -> Vec<String> {
    let headers = table.header_rows().min(3);
    let mut head = caption.to_owned();
    for row in 0..headers {
        push_line(&mut head, &table.row_text(row));
    }
    if count(&head) > room / 2 {
        head = cut_words(&head, room / 2, count).remove(0);
    }
    let rows: Vec<String> = (headers..table.rows)
        .map(|row| table.row_text(row))
        .filter(|row| !row.is_empty())
        .collect();
    if rows.is_empty() {
        return if head.is_empty() { vec![] } else { vec![head] };
    }
    pack(rows.iter().map(String::as_str), &head, room, count)
}

/// Packs pieces into texts of at most `room` tokens, each after `head`; a piece that is too long
/// alone is cut between words.
fn pack<'a>(
    pieces: impl Iterator<Item = &'a str>,
    head: &str,
    room: usize,
    count: &dyn Fn(&str) -> usize,
) -> Vec<String> {
    let head_size = count(head);
    let mut out = Vec::new();
    let mut text = head.to_owned();
    let mut size = head_size;
    for piece in pieces {
        let room_for_piece = room.saturating_sub(head_size).max(8);
        for piece in cut_words(piece, room_for_piece, count) {
            let piece_size = count(&piece);
            if size + piece_size > room && size > head_size {
                out.push(std::mem::replace(&mut text, head.to_owned()));
                size = head_size;
            }
            push_line(&mut text, &piece);
            size += piece_size;
        }
    }
    if size > head_size || out.is_empty() {
        out.push(text);
    }
    out
}

/// A text in pieces of at most `room` tokens, cut between words, or between characters where a
/// word alone is longer; at least one piece.
fn cut_words(text: &str, room: usize, count: &dyn Fn(&str) -> usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while count(rest) > room {
        // The longest prefix that fits, by bisection over character boundaries.
        let bounds: Vec<usize> = rest.char_indices().map(|(at, _)| at).skip(1).collect();
        let fit = bounds.partition_point(|&at| count(&rest[..at]) <= room);
        let Some(&cut) = bounds.get(fit.saturating_sub(1)) else {
            break;
        };
        let cut = rest[..cut]
            .rfind(char::is_whitespace)
            .filter(|&at| at > 0)
            .unwrap_or(cut);
        out.push(rest[..cut].trim_end().to_owned());
        rest = rest[cut..].trim_start();
    }
    if !rest.is_empty() || out.is_empty() {
        out.push(rest.to_owned());
    }
    out
}

/// Title and headings joined by ` > `; outer headings go first, then the title, where it is
/// longer than `room` tokens.
fn shorten_path(
    title: &str,
    headings: &[&str],
    room: usize,
    count: &dyn Fn(&str) -> usize,
) -> String {
    let mut parts: Vec<&str> = std::iter::once(title)
        .chain(headings.iter().copied())
        .collect();
    parts.retain(|part| !part.is_empty());
    parts.dedup();
    while count(&parts.join(" > ")) > room && parts.len() > 1 {
        let outer = usize::from(parts.len() > 2);
        parts.remove(outer);
    }
    cut_words(&parts.join(" > "), room.max(1), count).remove(0)
}

/// The first of `lines` that fit in `room` tokens together, the last one cut at a sentence.
fn fitting(lines: &[&str], room: usize, count: &dyn Fn(&str) -> usize) -> String {
    let mut text = String::new();
    let mut size = 0;
    for line in lines {
        for at in sentences(line) {
            let more = count(&line[at.clone()]);
            if size + more > room {
                return text;
            }
            size += more;
            push_line(&mut text, &line[at]);
        }
    }
    text
}

fn push_line(text: &mut String, line: &str) {
    if line.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::tests::{document, manual};
    use crate::{Document, units};
    use proptest::prelude::*;

    /// Words stand in for tokens.
    fn count(text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn texts(document: &Document, window: usize) -> Vec<Vec<String>> {
        units(document)
            .iter()
            .map(|unit| {
                let node = |id| document.node(id).cloned();
                embedding_texts(
                    &unit.resolve(document.id, &document.title, node),
                    window,
                    &count,
                )
            })
            .collect()
    }

    #[test]
    fn embedding_texts_of_a_manual() {
        let document = document(manual());
        let all: Vec<String> = texts(&document, 40).into_iter().flatten().collect();
        insta::assert_snapshot!(all.join("\n---\n"), @"
        Pump manual > 1 Service > 1.1 Pump
        Remove the pump as in Figure 1. Faults are in Section 2.
        1. Close the valve.
        2. Lift the pump (Figure 1).
        Figure 1.
        The pump
        ---
        Pump manual > 1 Service > 1.1 Pump
        Figure 1. The pump
        Remove the pump as in Figure 1.
        Faults are in Section 2.
        Lift the pump (Figure 1).
        ---
        Pump manual > 2 Faults
        The table names them.
        ---
        Pump manual > 2 Faults
        E1 | No water
        The table names them.
        ");
    }

    proptest! {
        #[test]
        fn parts_fit_the_window_and_keep_every_word(
            words in prop::collection::vec("[a-z]{1,9}[.]?", 1..200),
            window in 12_usize..60,
        ) {
            let text = words.join(" ");
            let mut tree = crate::TreeBuilder::new();
            tree.section(1, "A heading of five words".into(), vec![]);
            tree.add(crate::NodeKind::Text, text.clone(), vec![]);
            let document = document(tree);
            let all = texts(&document, window);
            prop_assert_eq!(all.len(), 1);
            for part in &all[0] {
                prop_assert!(count(part) <= window, "{} > {}", count(part), window);
            }
            let joined = all[0].join(" ");
            for word in text.split_whitespace() {
                prop_assert!(joined.contains(word));
            }
        }
    }
}
