//! Which models does Catena run, where are their files, and how does one run them?
//!
//! [`MODELS`] is the pinned list. A [`ModelCache`] finds the files of one, checked against their
//! hashes; it never touches the network. [`pull`] fetches what is missing, when a user asks for
//! it. A model that is loaded from its files serves a trait: [`MiniLm`] is an [`Embedder`], and
//! [`VisionModels`] are those that read pictures. A
//! [`ChatModel`] is a [`Generator`] that some server runs; `Llama`, with the feature `llama`, is one in
//! this process.
//!
//! This crate knows no document format, and reads no environment: settings come as arguments.

mod cache;
mod chat;
mod embed;
mod error;
mod layout;
mod list;
mod minilm;
mod network;
mod ocr;
mod parallel;
mod pixels;
mod pull;
mod table_structure;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tokens;
mod vision;
mod vision_cache;
mod wheel;

pub use cache::{ModelCache, ModelFiles};
#[cfg(feature = "llama")]
pub use chat::Llama;
pub use chat::{
    ChatError, ChatMessage, ChatModel, ChatPart, ChatRequest, ChatRole, ChatUsage, Generator,
    Ledger, LedgerEntry,
};
pub use embed::{Embedder, Space, cosine};
pub use error::ModelError;
pub use layout::{Layout, LayoutKind, LayoutRegion, PicoDet};
pub use list::{
    CHAT_MODELS, LAYOUT, MINILM, MODELS, ModelEntry, ModelFile, OCR, Part, QWEN, Role, SMOLLM2,
    TABLE, Wheel,
};
pub use minilm::MiniLm;
pub use ocr::{Ocr, OcrLine, OcrWord, PaddleOcr, Quad, skew};
pub use pixels::{PixelBox, Point};
pub use pull::{Progress, pull};
pub use table_structure::{SlaNet, TableCell, TableCells, TableStructure};
pub use vision::VisionModels;
pub use vision_cache::VisionStore;
