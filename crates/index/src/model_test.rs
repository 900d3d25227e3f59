//! Whatever is done to a store, it holds what a simple model of it holds.

use crate::protocol::DELAY;
use crate::synthetic::{Made, PICTURES, WORDS, WORDS_DIMENSION, embed, stamp, writer};
use crate::{Change, FieldWeights, Filter, Snapshot, Store, TextQuery, UnitKey, Writer};
use catena_document::{DocumentId, View};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const WEIGHTS: FieldWeights = FieldWeights {
    content: 1.0,
    caption: 1.5,
    path: 0.5,
    context: 0.25,
};

/// What is done to a store. Numbers name one of a few contents or sources.
#[derive(Clone, Debug)]
enum Step {
    Add { content: u32, sources: Vec<u8> },
    Reparse { content: u32, sources: Vec<u8> },
    AddSource { content: u32, source: u8 },
    AddChunks { content: u32 },
    RemoveSource { source: u8 },
    RemoveDocument { content: u32 },
    Commit,
    GiveUp,
    Reopen,
    Compact,
    Rebuild,
}

fn step() -> impl Strategy<Value = Step> {
    let content = 0_u32..6;
    let source = 0_u8..6;
    let sources = prop::collection::vec(source.clone(), 1..3);
    prop_oneof![
        6 => (content.clone(), sources.clone()).prop_map(|(content, sources)| Step::Add { content, sources }),
        1 => (content.clone(), sources).prop_map(|(content, sources)| Step::Reparse { content, sources }),
        2 => (content.clone(), source.clone()).prop_map(|(content, source)| Step::AddSource { content, source }),
        2 => content.clone().prop_map(|content| Step::AddChunks { content }),
        3 => source.prop_map(|source| Step::RemoveSource { source }),
        2 => content.prop_map(|content| Step::RemoveDocument { content }),
        6 => Just(Step::Commit),
        1 => Just(Step::GiveUp),
        1 => Just(Step::Reopen),
        1 => Just(Step::Compact),
        1 => Just(Step::Rebuild),
    ]
}

/// A document of the model.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    sources: BTreeSet<String>,
    parser: u32,
    chunks: bool,
}

type Model = BTreeMap<u32, Known>;

fn uri(source: u8) -> String {
    format!("file:{source}")
}

fn made(content: u32, parser: u32) -> Made {
    let mut made = Made::new(content, 1, 3 + content % 3);
    made.parser = format!("test {parser}");
    made
}

/// Takes a source from whoever has it; documents without sources go.
fn take(model: &mut Model, uri: &str) {
    for known in model.values_mut() {
        known.sources.remove(uri);
    }
    model.retain(|_, known| !known.sources.is_empty());
}

fn add(writer: &mut Writer, model: &mut Model, content: u32, parser: u32, sources: &[u8]) {
    let mut made = made(content, parser);
    made.document.sources = sources.iter().copied().map(uri).collect();
    let added = writer.add(made.input()).unwrap();
    let before = model.clone();
    let known = model.get(&content);
    let new_sources: Vec<String> = made.document.sources.clone();
    let expected = match known {
        None => Change::New,
        Some(known) if known.parser != parser => Change::Reparsed,
        Some(known) if new_sources.iter().all(|uri| known.sources.contains(uri)) => {
            Change::Unchanged
        }
        Some(_) => Change::SourceAdded,
    };
    assert_eq!(added.change, expected);
    if expected == Change::Unchanged {
        return;
    }
    let mut own = model.remove(&content).unwrap_or_default();
    for uri in &new_sources {
        take(model, uri);
        own.sources.insert(uri.clone());
    }
    own.parser = parser;
    if expected != Change::SourceAdded {
        own.chunks = false;
    }
    model.insert(content, own);
    let gone: BTreeSet<DocumentId> = before
        .keys()
        .filter(|content| !model.contains_key(content))
        .map(|&content| self::made(content, 1).document.id)
        .collect();
    assert_eq!(added.replaced.into_iter().collect::<BTreeSet<_>>(), gone);
}

fn run(writer: &mut Writer, model: &mut Model, step: &Step) {
    match step {
        Step::Add { content, sources } => {
            let parser = model.get(content).map_or(1, |known| known.parser);
            add(writer, model, *content, parser, sources);
        }
        Step::Reparse { content, sources } => {
            let parser = model.get(content).map_or(1, |known| known.parser + 1);
            add(writer, model, *content, parser, sources);
        }
        Step::AddSource { content, source } => {
            let made = made(*content, 1);
            let file = crate::SourceFile::Keep(&made.bytes);
            let done = writer.add_source(&made.document.id, &uri(*source), &file);
            assert_eq!(done.is_ok(), model.contains_key(content));
            if let Some(mut own) = model.remove(content) {
                take(model, &uri(*source));
                own.sources.insert(uri(*source));
                model.insert(*content, own);
            }
        }
        Step::AddChunks { content } => {
            let made = made(*content, 1);
            let done = writer.add_view(&made.document.id, made.chunks());
            let known = model.get_mut(content);
            assert_eq!(
                done.is_ok(),
                known.as_ref().is_some_and(|known| !known.chunks)
            );
            if let Some(known) = known {
                known.chunks = true;
            }
        }
        Step::RemoveSource { source } => {
            let had = model
                .values()
                .any(|known| known.sources.contains(&uri(*source)));
            assert_eq!(writer.remove_source(&uri(*source)).unwrap(), had);
            take(model, &uri(*source));
        }
        Step::RemoveDocument { content } => {
            let id = made(*content, 1).document.id;
            let had = model.remove(content).is_some();
            assert_eq!(writer.remove_document(&id).unwrap(), had);
        }
        _ => {}
    }
}

fn query(text: &str) -> TextQuery {
    TextQuery {
        text: text.into(),
        weights: WEIGHTS,
    }
}

/// The units that a query in words finds, with their scores, by names that two stores share.
fn found(snapshot: &Snapshot, text: &str, view: View) -> Vec<(String, f32)> {
    let hits = snapshot.search_text(&query(text), view, &Filter::default(), 1000);
    let name = |key: UnitKey| snapshot.unit_id(key).unwrap().to_string();
    let mut hits: Vec<_> = hits
        .unwrap()
        .into_iter()
        .map(|(key, score)| (name(key), score))
        .collect();
    hits.sort_by(|a, b| a.0.cmp(&b.0));
    hits
}

/// Compares a snapshot with the model, through listings and searches.
fn compare(snapshot: &Snapshot, model: &Model) {
    assert_eq!(snapshot.check().unwrap(), []);
    let listed: BTreeMap<DocumentId, (BTreeSet<String>, String)> = snapshot
        .documents()
        .unwrap()
        .into_iter()
        .map(|d| (d.id, (d.sources.into_iter().collect(), d.parser)))
        .collect();
    let expected: BTreeMap<_, _> = model
        .iter()
        .map(|(&content, known)| {
            let parser = format!("test {}", known.parser);
            (
                made(content, 1).document.id,
                (known.sources.clone(), parser),
            )
        })
        .collect();
    assert_eq!(listed, expected);
    for content in 0..6 {
        let made = made(content, 1);
        let known = model.get(&content);
        let all: BTreeSet<String> = made.views[0]
            .units
            .iter()
            .filter(|_| known.is_some())
            .map(|unit| format!("{}:{}", made.document.id.short(), unit.ordinal))
            .collect();
        let hits = found(snapshot, &stamp(content, 1), View::Evidence);
        let hits: BTreeSet<String> = hits.into_iter().map(|(name, _)| name).collect();
        assert_eq!(hits, all, "units of {content}");
        let chunks = found(snapshot, &stamp(content, 1), View::Chunks);
        assert_eq!(chunks.is_empty(), !known.is_some_and(|known| known.chunks));
        for (space, dimension) in [(WORDS, WORDS_DIMENSION), (PICTURES, 20)] {
            let Some(row) = made.vectors(View::Evidence, space).rows.pop() else {
                continue;
            };
            let hits = snapshot
                .search_vectors(space, View::Evidence, &row.vector, &Filter::default(), 1)
                .unwrap();
            let best = hits.first().map(|(key, part, score)| {
                (
                    snapshot.document_id(key.seq).unwrap(),
                    key.ordinal,
                    *part,
                    *score > 0.999,
                )
            });
            let own = (made.document.id, row.ordinal, row.part, true);
            assert_eq!(
                best == Some(own),
                known.is_some(),
                "{space} of {content}: {best:?}"
            );
            let cached = snapshot.known_vector(space, row.input).unwrap();
            assert!(cached.is_some() || known.is_none());
            assert_eq!(dimension as usize, row.vector.len());
        }
        if known.is_some() {
            assert_eq!(
                snapshot.source_bytes(&made.document.id).unwrap(),
                made.bytes
            );
            let asset = catena_document::ContentHash::of(&made.assets[0]);
            assert_eq!(snapshot.asset_bytes(&asset).unwrap(), made.assets[0]);
            assert_eq!(
                snapshot.document(&made.document.id).unwrap().nodes,
                made.document.nodes
            );
        }
    }
}

/// A store that only ever had what the model has.
fn fresh(path: &Path, model: &Model) -> Writer {
    let mut writer = writer(path);
    for (&content, known) in model {
        let mut made = made(content, known.parser);
        made.document.sources = known.sources.iter().cloned().collect();
        writer.add(made.input()).unwrap();
        if known.chunks {
            writer.add_view(&made.document.id, made.chunks()).unwrap();
        }
    }
    writer.commit().unwrap();
    writer
}

fn kept_files(path: &Path) -> BTreeSet<String> {
    let folders = crate::layout::entries(&path.join("sources")).unwrap();
    let files = folders
        .iter()
        .flat_map(|folder| crate::layout::entries(folder).unwrap());
    files
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect()
}

/// Runs steps against a store and its model, and compares them at every commit.
fn check(steps: &[Step]) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let mut writer = writer(&path);
    writer.commit().unwrap();
    let store = Store::open(&path).unwrap();
    let (mut committed, mut model) = (Model::new(), Model::new());
    for step in steps {
        match step {
            Step::Commit => {
                writer.commit().unwrap();
                committed = model.clone();
            }
            Step::GiveUp => {
                drop(writer);
                writer = Writer::open(&path).unwrap();
                model = committed.clone();
            }
            Step::Reopen => {
                writer.close().unwrap();
                writer = Writer::open(&path).unwrap();
                committed = model.clone();
            }
            Step::Compact => {
                writer.compact().unwrap();
                committed = model.clone();
            }
            Step::Rebuild => {
                writer.rebuild().unwrap();
                committed = model.clone();
            }
            other => {
                run(&mut writer, &mut model, other);
                continue;
            }
        }
        compare(&store.snapshot().unwrap(), &committed);
    }
    writer.compact().unwrap();
    let snapshot = store.snapshot().unwrap();
    compare(&snapshot, &model);

    let other_path = dir.path().join("fresh");
    let mut other = fresh(&other_path, &model);
    other.compact().unwrap();
    let other_store = Store::open(&other_path).unwrap();
    let other = other_store.snapshot().unwrap();
    assert_eq!(snapshot.dump().unwrap(), other.dump().unwrap());
    assert_eq!(
        snapshot.truth.row_counts().unwrap(),
        other.truth.row_counts().unwrap()
    );
    assert_eq!(kept_files(&path), kept_files(&other_path));
    for text in [
        "pump repair in the figure",
        "valve",
        "chapter error manual 2 stamp1v1",
    ] {
        for view in [View::Evidence, View::Chunks] {
            let (a, b) = (found(&snapshot, text, view), found(&other, text, view));
            assert_eq!(a.len(), b.len());
            for ((name, score), (other_name, other_score)) in a.iter().zip(&b) {
                assert_eq!(name, other_name);
                let near = (score / other_score - 1.0).abs() < 1e-5;
                assert!(near, "{name}: {score} {other_score}");
            }
        }
    }
    let query = embed("anything", WORDS_DIMENSION);
    let nearest = |snapshot: &Snapshot| -> Vec<(String, u32)> {
        let hits = snapshot.search_vectors(WORDS, View::Evidence, &query, &Filter::default(), 50);
        hits.unwrap()
            .iter()
            .map(|(key, _, score)| (snapshot.unit_id(*key).unwrap().to_string(), score.to_bits()))
            .collect()
    };
    assert_eq!(nearest(&snapshot), nearest(&other));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 100, ..ProptestConfig::default() })]
    #[test]
    fn a_store_holds_what_its_model_holds(steps in prop::collection::vec(step(), 1..40)) {
        check(&steps);
    }
}

#[test]
fn a_source_that_wanders_in_one_group() {
    let add = |content, sources: &[u8]| Step::Add {
        content,
        sources: sources.to_vec(),
    };
    check(&[
        add(1, &[0, 1]),
        Step::Commit,
        add(2, &[0]),
        Step::AddSource {
            content: 1,
            source: 0,
        },
        add(2, &[0]),
        Step::AddSource {
            content: 1,
            source: 0,
        },
        Step::Commit,
        Step::RemoveSource { source: 1 },
        Step::RemoveSource { source: 0 },
        add(1, &[0]),
        Step::Commit,
        Step::RemoveDocument { content: 1 },
        add(1, &[0]),
        Step::RemoveDocument { content: 1 },
        Step::Compact,
    ]);
}

#[test]
fn rows_leave_the_truth_after_the_delay() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    let made = made(1, 1);
    writer.add(made.input()).unwrap();
    writer.commit().unwrap();
    writer.remove_document(&made.document.id).unwrap();
    let removed_at = writer.commit().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let mut left = Vec::new();
    for n in 0..DELAY + 3 {
        // Something has to change for a commit to be made.
        writer.add_space(&format!("space {n}"), 3).unwrap();
        let g = writer.commit().unwrap();
        let rows = store.snapshot().unwrap().truth.has_document(1).unwrap();
        if rows {
            left.push(g - removed_at);
        }
    }
    assert_eq!(left, (1..=DELAY).collect::<Vec<_>>());
    let files = || kept_files(dir.path()).len();
    assert_eq!(files(), 2, "a snapshot that is held may show them");
    drop(store);
    assert!(writer.compact().unwrap().database);
    assert_eq!(files(), 0);
}
