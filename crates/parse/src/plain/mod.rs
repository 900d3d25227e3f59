//! Reading plain text: what a person sees in it by its blank lines, indents, numbers and capitals.
//! No sign in it means anything else than itself.
//!
//! [`lines`] makes lines of the bytes and groups of the lines, [`heading`] knows the headings
//! among them, [`list`] the items. What is left is paragraphs, and what keeps its lines (tables
//! set with spaces, drawings of letters, logs, the head of an e-mail).

mod heading;
mod lines;
mod list;

use crate::block::{Block, BlockKind, Heading, Paragraph, Role};
use crate::caption::label_of;
use crate::html::{self, encoding};
use crate::nodes::{self, Outline};
use crate::source::file_stem;
use crate::text::folded;
use crate::{ParseError, Parsed, Source, language};
use catena_document::{ContentHash, Document, MediaType, NodeKind};
use heading::Ranks;
use lines::{Line, groups};
use list::Lists;

/// Lines of the longest block that keeps its lines; a longer one is cut into several.
const MAX_KEPT: usize = 40;

pub(crate) fn parse(source: &Source<'_>) -> Result<Parsed, ParseError> {
    let _span = tracing::info_span!("read_text", uri = source.uri).entered();
    html::check_size(source.bytes)?;
    let text = lines::cleaned(&encoding::decode_text(source.bytes));
    let (blocks, outline) = blocks(&text);
    let nodes = nodes::build(blocks, &outline, None);
    let on_page = nodes.iter().find(|node| node.kind == NodeKind::Title);
    let title = on_page.map_or_else(|| file_stem(source.uri), |node| node.text.clone());
    Ok(Parsed {
        document: Document {
            id: ContentHash::of(source.bytes),
            sources: vec![source.uri.to_owned()],
            media_type: MediaType::Text,
            title,
            language: language::detect(&nodes),
            pages: Vec::new(),
            nodes,
        },
        assets: Vec::new(),
        warnings: Vec::new(),
        unread_pictures: false,
    })
}

/// The blocks of a text, and which of the headings is its title.
fn blocks(text: &str) -> (Vec<Block>, Outline) {
    let groups = groups(text);
    let mut ranks = Ranks::default();
    let mut lists = Lists::default();
    for (at, group) in groups.iter().enumerate() {
        let mut rest = &group[..];
        let next = groups.get(at + 1).map(Vec::as_slice);
        while let Some((style, text, length)) = heading::at_start(rest, next) {
            ranks.add(style);
            let kind = BlockKind::Heading(Heading {
                rank: 1,
                text,
                titled: false,
            });
            lists.outside(Block::new(kind));
            rest = &rest[length..];
        }
        body(rest, &mut lists);
    }
    let blocks = lists.finish();
    let outline = ranks.outline(&blocks);
    (blocks, outline)
}

/// What stands in a group of lines besides headings.
fn body(group: &[Line<'_>], lists: &mut Lists) {
    let Some(first) = group.first() else { return };
    if keeps_lines(group) {
        for part in group.chunks(MAX_KEPT) {
            let margin = part.iter().map(|line| line.indent).min().unwrap_or(0);
            let lines = part
                .iter()
                .map(|line| " ".repeat(line.indent - margin) + line.text);
            let text = lines.collect::<Vec<_>>().join("\n");
            lists.block(Block::new(BlockKind::Code(text)), first.indent);
        }
        return;
    }
    let mut at = 0;
    while at < group.len() {
        let begins = at == 0
            || lists.is_open_in_group()
            || group[at - 1].text.ends_with(':')
            || group[at].indent < group[at - 1].indent;
        if begins && let Some(item) = list::item(&group[at]) {
            let own = group[at + 1..]
                .iter()
                .take_while(|line| line.indent > group[at].indent && list::item(line).is_none())
                .count();
            let more = joined(&group[at + 1..=at + own]);
            lists.item(&item, &more);
            at += own + 1;
            continue;
        }
        let ends = |&next: &usize| {
            let (before, line) = (&group[next - 1], &group[next]);
            let leads = before.text.ends_with(':') || line.indent < group[at].indent;
            leads && list::item(line).is_some()
        };
        let end = (at + 1..group.len()).find(ends).unwrap_or(group.len());
        let text = joined(&group[at..end]);
        let role = label_of(&text).map_or(Role::Body, Role::Labelled);
        let kind = BlockKind::Paragraph(Paragraph { text, role });
        lists.block(Block::new(kind), group[at].indent);
        at = end;
    }
    lists.end_group();
}

/// Lines as one, without the marks of a quoted e-mail.
fn joined(lines: &[Line<'_>]) -> String {
    let lines = lines
        .iter()
        .map(|line| line.text.trim_start_matches(['>', ' ']));
    folded(&lines.collect::<Vec<_>>().join(" "))
}

/// Whether lines are not to be joined: most of them are set in columns, are drawn, or are records
/// that begin alike.
fn keeps_lines(group: &[Line<'_>]) -> bool {
    if group.len() < 2 {
        return false;
    }
    let most = |holds: fn(&Line<'_>) -> bool| {
        group.iter().filter(|line| holds(line)).count() * 3 > group.len() * 2
    };
    let listed = list::item(&group[0]).is_some();
    most(is_drawn) || (!listed && (most(has_columns) || most(is_record)))
}

/// Whether there is a gap within a line, but for one after the end of a sentence.
fn has_columns(line: &Line<'_>) -> bool {
    line.text.contains("   ") || line.text.contains('\t')
}

/// Whether a line is drawn of signs, or has cells between strokes.
fn is_drawn(line: &Line<'_>) -> bool {
    let signs = line
        .text
        .chars()
        .filter(|c| "|+-=_/\\*#<>^~│─┌┐└┘├┤┼".contains(*c))
        .count();
    let all = line.text.chars().filter(|c| !c.is_whitespace()).count();
    line.text.starts_with(['|', '+', '│', '┌', '└', '├']) || signs * 2 > all
}

/// Whether a line is one of a log (it begins with a time), or of the head of an e-mail.
fn is_record(line: &Line<'_>) -> bool {
    let text = line.text.trim_start_matches(['[', '<', '(']);
    let head: String = text.chars().take(10).collect();
    let digits = head.chars().filter(char::is_ascii_digit).count();
    let timed = digits >= 4 && head.contains([':', '-', '/', '.']);
    let key = text.split_once(": ").map_or("", |(key, _)| key);
    let named = (1..=24).contains(&key.len()) && !key.contains(char::is_whitespace);
    timed || named
}
