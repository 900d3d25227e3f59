//! Documents made up for tests and benchmarks.
#![allow(dead_code, missing_docs, unreachable_pub)]

use catena_document::{
    BBox, ContentHash, Document, Edge, MediaType, NodeKind, Page, Picture, Provenance, Table,
    TreeBuilder, View, chunks, edges, fields, units,
};
use catena_index::{
    FieldWeights, InputHash, NewDocument, NewVector, NewVectors, NewView, Snapshot, SourceFile,
    Store, TextQuery, Writer,
};
use std::path::Path;

/// A space that has a vector for every unit, of two parts for every third.
pub const WORDS: &str = "words";
pub const WORDS_DIMENSION: u32 = 48;
/// A space of figures only.
pub const PICTURES: &str = "pictures";
pub const PICTURES_DIMENSION: u32 = 20;

/// The newest state of a store.
pub fn snapshot(path: &Path) -> Snapshot {
    Store::open(path).unwrap().snapshot().unwrap()
}

/// A query in words over all that a unit says itself.
pub fn query(text: &str) -> TextQuery {
    let weights = FieldWeights {
        content: 1.0,
        caption: 1.0,
        path: 1.0,
        context: 0.0,
    };
    TextQuery {
        text: text.into(),
        weights,
    }
}

/// A made-up document and its file.
#[derive(Clone, Debug)]
pub struct Made {
    pub bytes: Vec<u8>,
    pub document: Document,
    pub parser: String,
    pub assets: Vec<Vec<u8>>,
    pub edges: Vec<Edge>,
    pub views: Vec<NewView>,
}

/// What stands in every unit of a version of a document and nowhere else.
pub fn stamp(name: u32, version: u32) -> String {
    format!("stamp{name}v{version}")
}

impl Made {
    /// Version `version` of document `name`, with evidence units and their vectors.
    pub fn new(name: u32, version: u32, paragraphs: u32) -> Self {
        let bytes = format!("file of {name}, version {version}, {paragraphs}").into_bytes();
        let image = format!("image of {name}, version {version}").into_bytes();
        let document = Document {
            id: ContentHash::of(&bytes),
            sources: vec![format!("file:{name}")],
            media_type: MediaType::Pdf,
            title: format!("Manual {name} {}", stamp(name, version)),
            language: ["en", "de", ""][name as usize % 3]
                .split(' ')
                .next()
                .map(str::to_owned)
                .filter(|code| !code.is_empty()),
            pages: vec![Page {
                number: 1,
                width: 600.0,
                height: 800.0,
                rotation: 0,
                label: None,
            }],
            nodes: tree(name, version, paragraphs, &image).finish(),
        };
        let mut made = Self {
            edges: edges(&document),
            parser: "test 1".into(),
            assets: vec![image],
            views: Vec::new(),
            bytes,
            document,
        };
        let units = units(&made.document);
        let view = NewView {
            view: View::Evidence,
            units,
            vectors: Vec::new(),
        };
        made.views.push(view);
        let vectors = vec![
            made.vectors(View::Evidence, WORDS),
            made.vectors(View::Evidence, PICTURES),
        ];
        made.views[0].vectors = vectors;
        made
    }

    /// The view of fixed-size chunks with its vectors.
    pub fn chunks(&self) -> NewView {
        let count = |text: &str| text.split_whitespace().count();
        let units = chunks(&self.document, 12, 3, &count);
        let mut with = self.clone();
        with.views.push(NewView {
            view: View::Chunks,
            units: units.clone(),
            vectors: Vec::new(),
        });
        let vectors = vec![with.vectors(View::Chunks, WORDS)];
        NewView {
            view: View::Chunks,
            units,
            vectors,
        }
    }

    pub fn input(&self) -> NewDocument<'_> {
        NewDocument {
            document: self.document.clone(),
            source: SourceFile::Keep(&self.bytes),
            parser: self.parser.clone(),
            warnings: vec!["made up".into()],
            assets: self.assets.clone(),
            seen: Vec::new(),
            edges: self.edges.clone(),
            views: self.views.clone(),
        }
    }

    /// The vectors of a view in a space, by the words of the units.
    pub fn vectors(&self, view: View, space: &str) -> NewVectors {
        let dimension = if space == PICTURES {
            PICTURES_DIMENSION
        } else {
            WORDS_DIMENSION
        };
        self.vectors_of(view, space, dimension)
    }

    pub fn vectors_of(&self, view: View, space: &str, dimension: u32) -> NewVectors {
        let mut out = NewVectors {
            space: space.into(),
            rows: Vec::new(),
            omitted: Vec::new(),
        };
        let found = self.views.iter().find(|v| v.view == view).unwrap();
        for unit in &found.units {
            if space == PICTURES && unit.modality != catena_document::Modality::Figure {
                out.omitted.push(unit.ordinal);
                continue;
            }
            let node = |id| self.document.node(id).cloned();
            let text = fields(&unit.resolve(self.document.id, &self.document.title, node));
            let parts = if unit.ordinal % 3 == 0 { 2 } else { 1 };
            for part in 0..parts {
                let text = format!(
                    "{space} {part} {} {} {}",
                    unit.ordinal, text.path, text.content
                );
                out.rows.push(NewVector {
                    ordinal: unit.ordinal,
                    part,
                    input: InputHash::of(text.as_bytes()),
                    vector: embed(&text, dimension),
                });
            }
        }
        out
    }
}

fn tree(name: u32, version: u32, paragraphs: u32, image: &[u8]) -> TreeBuilder {
    let stamp = stamp(name, version);
    let mut tree = TreeBuilder::new();
    let add = |tree: &mut TreeBuilder, kind, text: String| {
        let place = Provenance {
            page: 1,
            bbox: BBox::new(1.0, 2.0, 3.0, 4.0),
            char_span: 0..text.len() as u32,
        };
        tree.add(kind, text, vec![place])
    };
    for at in 0..paragraphs {
        if at % 4 == 0 {
            tree.section(
                1,
                format!(
                    "{} Chapter of {} {stamp}",
                    at / 4 + 1,
                    WORD[at as usize % WORD.len()]
                ),
                vec![],
            );
        }
        let words: Vec<&str> = (0..40).map(|w| word(name, at, w)).collect();
        add(
            &mut tree,
            NodeKind::Text,
            format!(
                "Paragraph {at} of {stamp}: {} as Figure 1 shows.",
                words.join(" ")
            ),
        );
    }
    let picture = Picture {
        image: Some(ContentHash::of(image)),
        ..Picture::default()
    };
    tree.open(NodeKind::Picture(picture), String::new(), vec![]);
    add(
        &mut tree,
        NodeKind::Caption,
        format!("Figure 1. A pump of {stamp}"),
    );
    tree.close();
    let cell = |column, text: &str| catena_document::Cell {
        column,
        row_span: 1,
        column_span: 1,
        text: text.into(),
        ..Default::default()
    };
    let table = Table {
        rows: 1,
        columns: 2,
        cells: vec![cell(0, "fault"), cell(1, &stamp)],
    };
    let text = table.text();
    add(&mut tree, NodeKind::Table(table), text);
    tree
}

const WORD: &[&str] = &[
    "valve",
    "pump",
    "filter",
    "pressure",
    "water",
    "motor",
    "screw",
    "housing",
    "repair",
    "check",
    "remove",
    "install",
    "warning",
    "voltage",
    "cable",
    "switch",
    "display",
    "error",
    "manual",
    "safety",
    "temperature",
    "sensor",
    "battery",
    "charger",
    "wheel",
    "brake",
    "engine",
    "oil",
    "leak",
    "noise",
    "clean",
    "replace",
    "adjust",
    "tighten",
    "measure",
    "connect",
    "drain",
    "fill",
    "start",
    "stop",
];

/// A word by a made-up law: the first are frequent, the last rare.
fn word(name: u32, paragraph: u32, at: u32) -> &'static str {
    let number = mix(u64::from(name) << 40 | u64::from(paragraph) << 20 | u64::from(at));
    let share = (number % 1000) as f64 / 1000.0;
    WORD[((share * share) * WORD.len() as f64) as usize]
}

pub fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A vector by the hash of a text.
pub fn embed(text: &str, dimension: u32) -> Vec<f32> {
    let hash = ContentHash::of(text.as_bytes()).0;
    let mut seed = u64::from_le_bytes(hash[..8].try_into().unwrap());
    (0..dimension)
        .map(|_| {
            seed = mix(seed);
            (seed >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

/// A writer on a store that has the spaces.
pub fn writer(path: &std::path::Path) -> Writer {
    let mut writer = Writer::open(path).unwrap();
    writer.add_space(WORDS, WORDS_DIMENSION).unwrap();
    writer.add_space(PICTURES, PICTURES_DIMENSION).unwrap();
    writer
}

/// A store of documents 0 to 5, version 1, and their names.
pub fn six(path: &std::path::Path) -> Vec<Made> {
    let mut writer = writer(path);
    let made: Vec<Made> = (0..6).map(|name| Made::new(name, 1, 6)).collect();
    for made in &made {
        writer.add(made.input()).unwrap();
    }
    writer.close().unwrap();
    made
}
