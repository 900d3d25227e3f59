//! Text becomes a tree, within bounds.

use super::dom::{Dom, DomId, Sink};
use super::facts::is_block_name;
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};
use html5ever::tree_builder::{TreeBuilder, TreeSink};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Elements nested deeper than this are read as if their tags were not there.
pub(super) const MAX_DEPTH: u16 = 256;
/// Nodes of a page that are read; the rest is left out.
const MAX_NODES: usize = 4_000_000;
/// Bytes given to the tokenizer at a time.
const PIECE: usize = 16 << 10;
/// Time for pieces in which no tag, comment or text ends. html5ever compares every attribute of a
/// tag with all others: a tag of a hundred thousand attributes would take minutes, while one with a
/// picture of many megabytes in an attribute takes a fraction of a second.
const TAG_TIME: Duration = Duration::from_secs(3);

/// Elements below which nothing stands.
#[rustfmt::skip]
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];
/// Elements below which only raw text stands; the tree builder switches the tokenizer for them.
#[rustfmt::skip]
const RAW: &[&str] = &[
    "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript",
    "plaintext",
];

/// A page read.
pub(super) struct Page {
    pub(super) dom: Dom,
    /// Whether the end was left out for its size.
    pub(super) cut: bool,
}

/// Reads a page. Deep nesting, floods of elements and floods of attributes are cut, so that time
/// and memory stay in proportion to the text.
pub(super) fn read(html: &str) -> Page {
    let bounded = Bounded {
        builder: TreeBuilder::new(
            Sink::new(),
            html5ever::tree_builder::TreeBuilderOpts::default(),
        ),
        is_xml: html.trim_start_matches('\u{feff}').starts_with("<?xml"),
        tokens: Cell::new(0),
        cut: Cell::new(false),
    };
    let tokenizer = Tokenizer::new(bounded, html5ever::tokenizer::TokenizerOpts::default());
    let queue = BufferQueue::default();
    let mut in_tag = Duration::ZERO;
    let mut at = 0;
    while at < html.len() && in_tag < TAG_TIME {
        let end = html.floor_char_boundary(at + PIECE);
        let (tokens, start) = (tokenizer.sink.tokens.get(), Instant::now());
        queue.push_back(StrTendril::from_slice(&html[at..end]));
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        if tokenizer.sink.tokens.get() == tokens {
            in_tag += start.elapsed();
        }
        at = end;
    }
    tokenizer.end();
    let bounded = tokenizer.sink;
    Page {
        cut: at < html.len() || bounded.cut.get(),
        dom: bounded.builder.sink.finish(),
    }
}

/// Stands before the tree builder and keeps from it what would exceed the bounds.
struct Bounded {
    builder: TreeBuilder<DomId, Sink>,
    /// Whether the page says that it is XML, in which any tag may close itself.
    is_xml: bool,
    tokens: Cell<u64>,
    cut: Cell<bool>,
}

impl TokenSink for Bounded {
    type Handle = DomId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<DomId> {
        match &token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::EOFToken => {}
            _ if self.builder.sink.len() >= MAX_NODES => {
                self.cut.set(true);
                return TokenSinkResult::Continue;
            }
            Token::TagToken(tag) if self.builder.sink.depth() >= MAX_DEPTH && nests(tag) => {
                if !is_block_name(&tag.name) {
                    return TokenSinkResult::Continue;
                }
                // The words on either side stay apart.
                let space = Token::CharacterTokens(StrTendril::from_char(' '));
                return self.builder.process_token(space, line);
            }
            _ => {}
        }
        self.tokens.set(self.tokens.get() + 1);
        match self.own_end(&token) {
            Some(end) => {
                // No raw text follows the start, whatever the builder says of it.
                let _ = self.builder.process_token(token, line);
                self.builder.process_token(end, line)
            }
            None => self.builder.process_token(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Bounded {
    /// The end tag of a tag of XML that closes itself; drawings and formulas know that themselves.
    fn own_end(&self, token: &Token) -> Option<Token> {
        let Token::TagToken(tag) = token else {
            return None;
        };
        let closes = self.is_xml
            && tag.kind == TagKind::StartTag
            && tag.self_closing
            && !VOID.contains(&&*tag.name)
            && !matches!(&*tag.name, "svg" | "math")
            && !self.adjusted_current_node_present_but_not_in_html_namespace();
        closes.then(|| {
            Token::TagToken(Tag {
                kind: TagKind::EndTag,
                name: tag.name.clone(),
                self_closing: false,
                attrs: Vec::new(),
                had_duplicate_attributes: false,
            })
        })
    }
}

/// Whether what follows this tag would stand below it.
fn nests(tag: &Tag) -> bool {
    let name = &&*tag.name;
    tag.kind == TagKind::StartTag && !VOID.contains(name) && !RAW.contains(name)
}
