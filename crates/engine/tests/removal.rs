//! A document that goes leaves nothing behind: not a row, not an anchor, not a score.

use catena_document::{ContentHash, Relation, View};
use catena_engine::{AddOptions, Adding, Hit, Retrieval, STRATEGIES, add_file, embed_query};
use catena_engine::{FileToAdd, add_relations, ensure_view};
use catena_index::{Store, Writer};
use catena_models::Embedder;
use catena_models::testing::HashEmbedder;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const DOCUMENTS: usize = 40;
const NAMES: [&str; 8] = [
    "Ada Kestrel",
    "Tom Arden",
    "Brandl Works",
    "Bergen",
    "Oslo",
    "North Lock",
    "South Lock",
    "Red Star",
];

/// A manual that shares names with others, and has some of its own.
fn manual(number: usize) -> String {
    let name = |step: usize| NAMES[(number * 7 + step * 3) % NAMES.len()];
    let mut text = format!("# Pump P-{number}\n\n");
    for section in 0..3 {
        let _ = write!(
            text,
            "## {section} {}\n\nThe pump P-{number} was built by {} in {} and tested at {} bar, see \
             Figure {section}.\n\n1. Open valve V-{}.\n2. Call {}.\n\n| Code | Cause |\n|---|---|\n\
             | E{number} | {} |\n\n",
            name(section),
            name(section + 1),
            name(section + 2),
            number + section,
            number * 3 + section,
            name(section + 3),
            name(section + 4),
        );
    }
    text
}

fn write(folder: &Path) {
    for number in 0..DOCUMENTS {
        std::fs::write(folder.join(format!("{number}.md")), manual(number)).unwrap();
    }
}

/// A store of manuals, merged into one segment.
fn store(at: &Path, files: &Path, manuals: &[usize], embedder: &Arc<dyn Embedder>) {
    let mut writer = Writer::open(at).unwrap();
    for &number in manuals {
        let mut adding = Adding {
            writer: &mut writer,
            embedder: &|| Ok(Arc::clone(embedder)),
            options: AddOptions {
                link: true,
                views: vec![View::Evidence, View::Chunks],
                ..AddOptions::default()
            },
            cancel: &AtomicBool::new(false),
        };
        let file = FileToAdd {
            path: files.join(format!("{number}.md")),
            root: files.to_owned(),
        };
        add_file(&mut adding, &file, &mut |_| {}).unwrap();
    }
    relate(at, &mut writer, embedder.as_ref());
    writer.compact().unwrap();
    writer.close().unwrap();
}

/// Gives the manuals that have none relations that share names.
fn relate(at: &Path, writer: &mut Writer, embedder: &dyn Embedder) {
    writer.commit().unwrap();
    let snapshot = Store::open(at).unwrap().snapshot().unwrap();
    for summary in snapshot.documents().unwrap() {
        if summary
            .units
            .iter()
            .any(|&(view, _)| view == View::Relations)
        {
            continue;
        }
        let document = snapshot.document(&summary.id).unwrap();
        let pump = document.title.clone();
        let name = NAMES[pump.len() * 5 % NAMES.len()];
        let relations = [
            Relation::new(&pump, "was built by", name),
            Relation::new(name, "sits in", NAMES[document.nodes.len() % NAMES.len()]),
        ];
        let last = document.nodes.last().unwrap().id;
        let stated = relations.into_iter().flatten().map(|stated| (last, stated));
        let cancel = AtomicBool::new(false);
        add_relations(&document, stated.collect(), writer, embedder, &cancel).unwrap();
        let asked = ContentHash::of(pump.as_bytes());
        writer
            .keep_answer(&summary.id, &asked, b"an answer")
            .unwrap();
    }
    writer.commit().unwrap();
}

/// What all strategies find, with scores, roles and ties, in names that last.
fn results(at: &Path, embedder: &dyn Embedder) -> String {
    let snapshot = Store::open(at).unwrap().snapshot().unwrap();
    let mut out = String::new();
    for question in [
        "Where was the pump P-7 built?",
        "Who built the pump that was tested at 21 bar?",
        "What does Ada Kestrel say of North Lock, and what of E12?",
    ] {
        let query = embed_query(question, embedder, Retrieval::default()).unwrap();
        for strategy in STRATEGIES {
            let hits: Vec<Hit> = strategy.retrieve(&snapshot, &query).unwrap();
            for hit in hits {
                let via = hit
                    .via
                    .map(|via| (snapshot.unit_id(via.from), via.tie, via.weight));
                let name = strategy.name();
                let _ = writeln!(
                    out,
                    "{name} {} {} {:?} {via:?}",
                    hit.unit.id, hit.score, hit.role
                );
            }
        }
    }
    out
}

#[test]
fn a_store_without_a_document_is_as_if_it_had_never_been() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let embedder: Arc<dyn Embedder> = Arc::new(HashEmbedder::new(128));
    let full = folder.path().join("full");
    // In the order of adding, which decides between equal scores.
    let mut manuals: Vec<usize> = (0..DOCUMENTS).collect();
    store(&full, folder.path(), &manuals, &embedder);
    // One after the other is removed and added again, so that what is left behind would add up.
    for number in 0..DOCUMENTS {
        let mut writer = Writer::open(&full).unwrap();
        let path = folder.path().join(format!("{number}.md"));
        let removed = writer.remove_source(&path.to_string_lossy()).unwrap();
        assert!(removed, "{number}");
        manuals.retain(|&other| other != number);
        writer.compact().unwrap();
        writer.close().unwrap();
        let fresh = folder.path().join(format!("fresh-{number}"));
        store(&fresh, folder.path(), &manuals, &embedder);
        let dump = |at: &Path| {
            let snapshot = Store::open(at).unwrap().snapshot().unwrap();
            snapshot.dump().unwrap()
        };
        assert_eq!(dump(&full), dump(&fresh), "{number}");
        assert!(
            !dump(&full).contains(&format!("\"p {number}\"")),
            "{number}"
        );
        let (left, new) = (
            results(&full, embedder.as_ref()),
            results(&fresh, embedder.as_ref()),
        );
        assert_eq!(left, new, "{number}");
        assert!(left.contains("topology"), "{left}");
        manuals.push(number);
        let mut writer = Writer::open(&full).unwrap();
        let mut adding = Adding {
            writer: &mut writer,
            embedder: &|| Ok(Arc::clone(&embedder)),
            options: AddOptions {
                link: true,
                ..AddOptions::default()
            },
            cancel: &AtomicBool::new(false),
        };
        let file = FileToAdd {
            path,
            root: folder.path().to_owned(),
        };
        add_file(&mut adding, &file, &mut |_| {}).unwrap();
        writer.commit().unwrap();
        let store = Store::open(&full).unwrap();
        let cancel = AtomicBool::new(false);
        let embedder = embedder.as_ref();
        ensure_view(&store, &mut writer, View::Chunks, embedder, &cancel).unwrap();
        relate(&full, &mut writer, embedder);
        writer.close().unwrap();
    }
}
