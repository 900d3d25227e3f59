//! Documents and units.

use super::{JsonPlace, path, places};
use catena_document::{Document, EvidenceUnit, Node, NodeKind, Page, Table, View};
use catena_index::DocumentSummary;
use serde::Serialize;

/// `catena list --json`.
#[derive(Debug, Serialize)]
pub(crate) struct JsonList {
    documents: Vec<JsonSummary>,
}

#[derive(Debug, Serialize)]
struct JsonSummary {
    id: String,
    title: String,
    media_type: &'static str,
    language: Option<String>,
    pages: u32,
    units: u32,
    sources: Vec<String>,
    warnings: Vec<String>,
}

impl JsonList {
    /// The documents of a store.
    pub(crate) fn new(documents: &[DocumentSummary]) -> Self {
        Self {
            documents: documents.iter().map(JsonSummary::new).collect(),
        }
    }
}

impl JsonSummary {
    fn new(document: &DocumentSummary) -> Self {
        Self {
            id: document.id.to_string(),
            title: document.title.clone(),
            media_type: document.media_type.name(),
            language: document.language.clone(),
            pages: document.pages,
            units: evidence_units(document),
            sources: document.sources.clone(),
            warnings: document.warnings.clone(),
        }
    }
}

/// The evidence units of a document.
pub(crate) fn evidence_units(document: &DocumentSummary) -> u32 {
    let evidence = document
        .units
        .iter()
        .find(|(view, _)| *view == View::Evidence);
    evidence.map_or(0, |(_, units)| *units)
}

/// `catena show DOCUMENT --json`.
#[derive(Debug, Serialize)]
pub(crate) struct JsonDocument {
    #[serde(flatten)]
    summary: JsonSummary,
    parser: String,
    page_sizes: Vec<JsonPage>,
    nodes: Vec<JsonNode>,
}

#[derive(Debug, Serialize)]
struct JsonPage {
    page: u32,
    width: f32,
    height: f32,
}

#[derive(Debug, Serialize)]
struct JsonNode {
    id: u32,
    parent: Option<u32>,
    kind: &'static str,
    level: Option<u8>,
    marker: Option<String>,
    text: String,
    places: Vec<JsonPlace>,
}

impl JsonDocument {
    /// A document with its tree.
    pub(crate) fn new(summary: &DocumentSummary, document: &Document) -> Self {
        let page = |page: &Page| JsonPage {
            page: page.number,
            width: page.width,
            height: page.height,
        };
        Self {
            summary: JsonSummary::new(summary),
            parser: summary.parser.clone(),
            page_sizes: document.pages.iter().map(page).collect(),
            nodes: document.nodes.iter().map(JsonNode::new).collect(),
        }
    }
}

impl JsonNode {
    fn new(node: &Node) -> Self {
        let (level, marker) = match &node.kind {
            NodeKind::SectionHeader { level } => (Some(*level), None),
            NodeKind::ListItem { marker } | NodeKind::Step { marker } => {
                (None, Some(marker.clone()))
            }
            _ => (None, None),
        };
        Self {
            id: node.id.0,
            parent: node.parent.map(|parent| parent.0),
            kind: node_kind(&node.kind),
            level,
            marker,
            text: node.text.clone(),
            places: places(&node.provenance),
        }
    }
}

/// The name of a node's kind.
pub(crate) fn node_kind(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Title => "title",
        NodeKind::SectionHeader { .. } => "section_header",
        NodeKind::Text => "text",
        NodeKind::List => "list",
        NodeKind::ListItem { .. } => "list_item",
        NodeKind::Step { .. } => "step",
        NodeKind::Table(_) => "table",
        NodeKind::Picture(_) => "picture",
        NodeKind::Caption => "caption",
        NodeKind::Formula => "formula",
        NodeKind::Code => "code",
        NodeKind::Footnote => "footnote",
        NodeKind::Contents => "contents",
        NodeKind::PageHeader => "page_header",
        NodeKind::PageFooter => "page_footer",
    }
}

/// `catena show UNIT --json`.
#[derive(Debug, Serialize)]
pub(crate) struct JsonUnit {
    unit: String,
    document: String,
    document_id: String,
    kind: &'static str,
    path: Vec<String>,
    page: Option<u32>,
    places: Vec<JsonPlace>,
    relation: &'static str,
    text: String,
    caption: Option<String>,
    /// The cells of a table.
    markdown: Option<String>,
    /// What the author wrote in place of a picture.
    alternative: Option<String>,
    /// What a model wrote of a figure.
    description: Option<String>,
    before: String,
    after: String,
    nearby: Vec<String>,
}

impl JsonUnit {
    /// A unit with what stands around it.
    pub(crate) fn new(unit: &EvidenceUnit) -> Self {
        let content = &unit.content;
        let picture = content.picture.as_ref();
        Self {
            unit: unit.id.to_string(),
            document: unit.document_title.clone(),
            document_id: unit.id.document.to_string(),
            kind: unit.modality.name(),
            path: path(unit),
            page: unit.page(),
            places: places(&unit.provenance),
            relation: unit.relation.kind.name(),
            text: content.text.clone(),
            caption: content.caption.clone(),
            markdown: content.table.as_ref().map(Table::markdown),
            alternative: picture.and_then(|picture| picture.alt.clone()),
            description: picture
                .and_then(|picture| picture.description.as_ref())
                .map(|description| description.text.clone()),
            before: unit.context.before.clone(),
            after: unit.context.after.clone(),
            nearby: unit
                .context
                .nearby
                .iter()
                .map(|near| near.text.clone())
                .collect(),
        }
    }
}
