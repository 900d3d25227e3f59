//! Text becomes a tree, within bounds.

use super::dom::{Dom, DomId, Sink};
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
const TAG_TIME: Duration = Duration::from_secs(10);

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
                return TokenSinkResult::Continue;
            }
            _ => {}
        }
        self.tokens.set(self.tokens.get() + 1);
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Whether what follows this tag would stand below it. Elements of raw text must be let through:
/// the tree builder switches the tokenizer for them.
fn nests(tag: &Tag) -> bool {
    let leaf = matches!(
        &*tag.name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
            | "script"
            | "style"
            | "textarea"
            | "title"
            | "xmp"
            | "iframe"
            | "noembed"
            | "noframes"
            | "noscript"
            | "plaintext"
    );
    tag.kind == TagKind::StartTag && !leaf
}
