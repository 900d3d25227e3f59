//! What is a document, and what is the evidence in it?
//!
//! A [`Document`] is a tree of [`Node`]s in reading order, each with the places on its pages
//! where it stands. [`units`] turns the tree into [`Unit`]s, the pieces that are retrieved; a
//! unit refers to its nodes and [`Unit::resolve`] gives the whole [`EvidenceUnit`] with path,
//! headings, neighbours and role. [`chunks`] gives fixed-size chunks of running text, the flat
//! baseline. [`edges`] ties the nodes of one document; [`relation_units`] are what a model stated
//! of them.
//!
//! This crate does no input or output and runs no model.

mod anchor;
mod builder;
mod chunk;
mod edge;
mod geometry;
mod id;
mod reference;
mod relation;
mod table;
mod text;
mod tree;
mod unit;
mod unit_text;
mod units;

pub use anchor::{Anchors, DocumentAnchors, anchors, is_function_word};
pub use builder::TreeBuilder;
pub use chunk::chunks;
pub use edge::{Edge, EdgeKind, edges};
pub use geometry::BBox;
pub use id::{ContentHash, DocumentId, NodeId, ParseIdError, UnitId, View};
pub use reference::{Label, LabelKind, caption_label, mentions};
pub use relation::{Relation, relation_units};
pub use table::{Cell, Table};
pub use text::{html_text, markdown_text, sentences, words};
pub use tree::{
    Description, Document, MediaType, Node, NodeKind, Page, Picture, PictureLabel, Provenance,
};
pub use unit::{
    Ancestor, Content, EvidenceUnit, LocalContext, LocalRelation, Modality, Nearby, RelationKind,
    Unit,
};
pub use unit_text::{FieldText, embedding_texts, fields};
pub use units::units;
