//! What a store does for those who use it.

#[path = "synthetic/mod.rs"]
mod synthetic;

use catena_document::{ContentHash, Description, DocumentId, Node, NodeId, NodeKind, UnitId, View};
use catena_index::{Filter, NewVectors, Snapshot, SourceFile, Store, StoreError, UnitKey, Writer};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use synthetic::{
    Made, PICTURES, WORDS, WORDS_DIMENSION, embed, query, six, snapshot, stamp, writer,
};

#[test]
fn what_was_added_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let made = six(dir.path()).remove(2);
    let snapshot = snapshot(dir.path());
    let id = made.document.id;
    assert_eq!(snapshot.document(&id).unwrap(), made.document);
    assert_eq!(snapshot.edges(&id).unwrap(), made.edges);
    assert!(!made.edges.is_empty());
    let seq = snapshot.seq(&id).unwrap();
    for edge in &made.edges {
        assert!(snapshot.edges_from(seq, edge.from).unwrap().contains(edge));
    }
    let node = snapshot.node(seq, NodeId(3)).unwrap();
    assert_eq!(node.as_ref(), made.document.node(NodeId(3)));
    assert_eq!(snapshot.node(seq, NodeId(3000)).unwrap(), None);
    for unit in &made.views[0].units {
        let key = UnitKey {
            seq,
            view: View::Evidence,
            ordinal: unit.ordinal,
        };
        assert_eq!(snapshot.unit(key).unwrap(), *unit);
        let node = |id| made.document.node(id).cloned();
        let resolved = unit.resolve(id, &made.document.title, node);
        assert_eq!(snapshot.resolve(key).unwrap(), resolved);
        let name = snapshot.unit_id(key).unwrap();
        assert_eq!(snapshot.unit_key(&name).unwrap(), key);
    }
    let summary = snapshot.summary(&id).unwrap();
    assert_eq!(summary.sources, ["file:2"]);
    assert_eq!(
        summary.units,
        [(View::Evidence, made.views[0].units.len() as u32)]
    );
    assert_eq!(
        (summary.pages, summary.nodes as usize),
        (1, made.document.nodes.len())
    );
    assert_eq!((summary.language, summary.warnings.len()), (None, 1));
    assert_eq!(snapshot.find(&id.short(), 9).unwrap(), [id]);
    assert_eq!(snapshot.find(&id.to_string(), 9).unwrap(), [id]);
    assert_eq!(snapshot.find("zz", 9).unwrap(), []);
    assert_eq!(snapshot.find_source("file:2").unwrap(), Some(id));
    assert_eq!(snapshot.find_source("file:9").unwrap(), None);
    let statistics = snapshot.statistics().unwrap();
    let units = made.views[0].units.len() as u64;
    assert_eq!(statistics.documents, 6);
    assert_eq!(statistics.units, [(View::Evidence, 6 * units)]);
    let pictures = &statistics.vectors[0];
    let rows = made.vectors(View::Evidence, PICTURES).rows.len() as u64;
    assert_eq!(
        (pictures.space.as_str(), pictures.vectors, pictures.missing),
        (PICTURES, 6 * rows, 0)
    );
    assert!(
        statistics.sizes.truth > 0 && statistics.sizes.text > 0 && statistics.sizes.vectors > 0
    );
    assert!(statistics.sizes.total() > statistics.sizes.sources);
}

#[test]
fn what_is_not_there_is_an_error_that_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let made = six(dir.path()).remove(0);
    let snapshot = snapshot(dir.path());
    let unknown: DocumentId = ContentHash::of(b"nothing");
    let seq = snapshot.seq(&made.document.id).unwrap();
    let mut messages: Vec<String> = Vec::new();
    let mut note = |error: Option<StoreError>| messages.push(error.unwrap().to_string());
    note(snapshot.document(&unknown).err());
    note(snapshot.units(&made.document.id, View::Chunks).err());
    let key = |seq, view, ordinal| UnitKey { seq, view, ordinal };
    note(snapshot.unit(key(seq, View::Evidence, 999)).err());
    note(snapshot.resolve(key(seq, View::Chunks, 0)).err());
    note(snapshot.unit(key(77, View::Evidence, 0)).err());
    let id = UnitId {
        document: unknown,
        view: View::Evidence,
        ordinal: 0,
    };
    note(snapshot.unit_key(&id).err());
    note(snapshot.asset_bytes(&unknown).err());
    note(snapshot.documents_without("none", View::Evidence).err());
    let all = Filter::default();
    note(
        snapshot
            .search_vectors("none", View::Evidence, &[1.0], &all, 1)
            .err(),
    );
    note(
        snapshot
            .search_vectors(WORDS, View::Evidence, &[1.0], &all, 1)
            .err(),
    );
    insta::assert_snapshot!(messages.join("\n"), @"
    no document `1785cfc3bc6a` in the store
    document `da0ee51fc056` has no view `Chunks`
    no unit 999 in view `Evidence` of insertion 1
    no unit 0 in view `Chunks` of insertion 1
    no unit 0 in view `Evidence` of insertion 77
    no document `1785cfc3bc6a` in the store
    no asset `1785cfc3bc6a` in the store
    no vector space `none` in the store
    no vector space `none` in the store
    a vector of dimension 1 for space `words` of dimension 48
    ");
}

#[test]
fn invalid_documents_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let good = Made::new(1, 1, 3);
    let mut writer = writer(dir.path());
    let mut messages = Vec::new();
    let mut refuse = |change: &dyn Fn(&mut Made)| {
        let mut made = good.clone();
        change(&mut made);
        messages.push(writer.add(made.input()).unwrap_err().to_string());
    };
    refuse(&|made| made.document.sources.clear());
    refuse(&|made| made.bytes.push(1));
    refuse(&|made| made.assets.clear());
    refuse(&|made| made.document.nodes.swap(1, 2));
    refuse(&|made| made.edges[0].to = NodeId(99));
    refuse(&|made| made.views.clear());
    refuse(&|made| made.views[0].units.clear());
    refuse(&|made| made.views.push(made.views[0].clone()));
    refuse(&|made| made.views[0].units[1].ordinal = 7);
    refuse(&|made| made.views[0].units[1].nodes = vec![NodeId(99)]);
    refuse(&|made| made.views[0].vectors[0].space = "none".into());
    refuse(&|made| drop(made.views[0].vectors[0].rows.pop()));
    refuse(&|made| made.views[0].vectors[0].rows.swap(0, 1));
    refuse(&|made| made.views[0].vectors[0].omitted.push(0));
    refuse(&|made| made.views[0].vectors[1].omitted.push(99));
    refuse(&|made| made.views[0].vectors[0].rows[0].vector = vec![1.0]);
    refuse(&|made| made.views[0].vectors[0].rows[0].vector.fill(0.0));
    refuse(&|made| made.views[0].vectors[0].rows[0].vector.fill(f32::NAN));
    refuse(&|made| {
        let twice = made.views[0].vectors[0].clone();
        made.views[0].vectors.push(twice);
    });
    let id = good.document.id.short();
    let image = ContentHash::of(&good.assets[0]).short();
    let text = messages
        .join("\n")
        .replace(&id, "ID")
        .replace(&image, "IMAGE");
    insta::assert_snapshot!(text, @"
    invalid document: it has no source
    invalid document: its name is not the hash of its file
    invalid document: image IMAGE is not given
    invalid document: node 1 is out of order
    invalid document: an edge leads to no node
    invalid document: it has no evidence
    invalid document: it has no evidence
    invalid document: a view is given twice
    invalid document: unit 1 does not fit the tree
    invalid document: unit 1 does not fit the tree
    no vector space `none` in the store
    invalid document: unit 4 has no vector in space `words` and is not omitted
    invalid document: the vector of unit 0 part 1 in space `words` is out of order
    invalid document: unit 0 cannot be omitted
    invalid document: unit 99 cannot be omitted
    a vector of dimension 1 for space `words` of dimension 48
    invalid document: the vector of unit 0 in space `words` has no direction
    invalid document: the vector of unit 0 in space `words` has no direction
    invalid document: space `words` comes twice
    ");
    writer.add(good.input()).unwrap();
    writer.close().unwrap();
    let snapshot = snapshot(dir.path());
    assert_eq!(snapshot.len(), 1);
    assert_eq!(snapshot.check().unwrap(), []);
}

#[test]
fn a_linked_source_is_the_file_that_was_added_or_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let file = dir.path().join("manual.pdf");
    let made = Made::new(1, 1, 3);
    let id = made.document.id;
    let mut writer = writer(&path);
    fs::write(&file, "another file").unwrap();
    let mut input = made.input();
    input.source = SourceFile::Link(file.clone());
    let error = writer.add(input.clone()).unwrap_err();
    assert!(matches!(error, StoreError::SourceChanged(_)));
    fs::write(&file, &made.bytes).unwrap();
    writer.add(input).unwrap();
    writer.commit().unwrap();
    let read = || snapshot(&path).source_bytes(&id);
    assert_eq!(read().unwrap(), made.bytes);
    // Touched, but the same.
    fs::write(&file, &made.bytes).unwrap();
    assert_eq!(read().unwrap(), made.bytes);
    fs::write(&file, "file of 1, version 2, 3").unwrap();
    let error = read().unwrap_err();
    assert!(
        matches!(&error, StoreError::SourceChanged(path) if *path == file),
        "{error}"
    );
    fs::remove_file(&file).unwrap();
    let error = read().unwrap_err();
    assert!(
        matches!(&error, StoreError::SourceMissing(path) if *path == file),
        "{error}"
    );
    // Kept from now on.
    writer
        .add_source(&id, "file:copy", &SourceFile::Keep(&made.bytes))
        .unwrap();
    writer.commit().unwrap();
    assert_eq!(read().unwrap(), made.bytes);
}

#[test]
fn a_changed_tree_takes_the_place_of_the_old_one() {
    let dir = tempfile::tempdir().unwrap();
    let made = six(dir.path()).remove(2);
    let id = made.document.id;
    let before = snapshot(dir.path());
    let mut writer = Writer::open(dir.path()).unwrap();
    let asked = ContentHash::of(b"what is this?");
    writer.keep_answer(&id, &asked, b"a valve").unwrap();
    // The source is also a link.
    let file = dir.path().join("linked");
    fs::write(&file, &made.bytes).unwrap();
    let link = SourceFile::Link(file);
    writer.add_source(&id, "link", &link).unwrap();
    writer.commit().unwrap();

    let mut document = made.document.clone();
    let picture = |node: &mut Node| match &mut node.kind {
        NodeKind::Picture(picture) => {
            picture.description = Some(Description {
                text: "Zanzibar in winter".to_owned(),
                model: "m".to_owned(),
            });
            true
        }
        _ => false,
    };
    assert!(document.nodes.iter_mut().any(picture));
    writer
        .replace(document.clone(), made.views.clone())
        .unwrap();
    assert_eq!(writer.answer(&id, &asked).unwrap().unwrap(), b"a valve");
    writer.commit().unwrap();

    let after = snapshot(dir.path());
    let (mut now, mut then) = (after.document(&id).unwrap(), document.clone());
    now.sources.sort();
    then.sources = vec!["file:2".to_owned(), "link".to_owned()];
    assert_eq!(now, then);
    assert_eq!(after.edges(&id).unwrap(), made.edges);
    assert_eq!(after.source_bytes(&id).unwrap(), made.bytes);
    assert_eq!(after.len(), before.len());
    let found = |snapshot: &Snapshot| {
        let hits = snapshot.search_text(&query("Zanzibar"), View::Evidence, &Filter::default(), 9);
        hits.unwrap().len()
    };
    assert_eq!((found(&before), found(&after)), (0, 1));
    assert_eq!(before.document(&id).unwrap(), made.document);
    assert_eq!(after.check().unwrap(), []);

    // A tree of other nodes is none of this document.
    document.nodes.pop();
    let error = writer.replace(document, made.views.clone()).unwrap_err();
    assert!(matches!(error, StoreError::Invalid(_)), "{error}");
    let unknown = Made::new(99, 1, 5);
    let error = writer.replace(unknown.document, unknown.views).unwrap_err();
    assert!(matches!(error, StoreError::UnknownDocument(_)), "{error}");
}

#[test]
fn a_space_is_filled_while_another_serves() {
    let dir = tempfile::tempdir().unwrap();
    let made = six(dir.path());
    let left = || {
        snapshot(dir.path())
            .documents_without("new", View::Evidence)
            .unwrap()
    };
    let set = |made: &Made| made.vectors_of(View::Evidence, "new", 8);
    let mut writer = Writer::open(dir.path()).unwrap();
    assert!(matches!(
        writer.add_space(WORDS, 3),
        Err(StoreError::WrongDimension { .. })
    ));
    writer.add_space("new", 8).unwrap();
    writer.commit().unwrap();
    assert_eq!(left().len(), 6);
    for made in &made[..4] {
        assert!(
            writer
                .add_vectors(&made.document.id, View::Evidence, set(made))
                .unwrap()
        );
    }
    let row = &set(&made[0]).rows[0];
    assert!(
        writer.known_vector("new", row.input).unwrap().is_some(),
        "in the group"
    );
    writer.commit().unwrap();
    drop(writer);
    // Goes on where it was.
    assert_eq!(left(), [made[4].document.id, made[5].document.id]);
    let mut writer = Writer::open(dir.path()).unwrap();
    assert!(
        !writer
            .add_vectors(&made[0].document.id, View::Evidence, set(&made[0]))
            .unwrap()
    );
    let incomplete = NewVectors {
        rows: vec![],
        ..set(&made[4])
    };
    assert!(
        writer
            .add_vectors(&made[4].document.id, View::Evidence, incomplete)
            .is_err()
    );
    for id in left() {
        let made = made.iter().find(|made| made.document.id == id).unwrap();
        writer.add_vectors(&id, View::Evidence, set(made)).unwrap();
    }
    writer.commit().unwrap();
    assert_eq!(left(), []);
    let old = Store::open(dir.path()).unwrap();
    let held = old.snapshot().unwrap();
    writer.drop_space(WORDS).unwrap();
    writer.commit().unwrap();
    let vector = embed("x", WORDS_DIMENSION);
    let search = |snapshot: &Snapshot| {
        snapshot.search_vectors(WORDS, View::Evidence, &vector, &Filter::default(), 3)
    };
    assert_eq!(
        search(&held).unwrap().len(),
        3,
        "a snapshot does not change"
    );
    drop(held);
    assert!(matches!(
        search(&old.snapshot().unwrap()),
        Err(StoreError::UnknownSpace(_))
    ));
    assert_eq!(old.snapshot().unwrap().check().unwrap(), []);
    // The name can be used again, for something else.
    writer.add_space(WORDS, 3).unwrap();
    writer.commit().unwrap();
    let again = old.snapshot().unwrap();
    assert_eq!(
        again
            .documents_without(WORDS, View::Evidence)
            .unwrap()
            .len(),
        6
    );
    assert_eq!(
        again
            .known_vector("new", row.input)
            .unwrap()
            .map(|v| v.len()),
        Some(8)
    );
}

#[test]
fn a_group_commits_when_it_is_old_and_not_before() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    let empty = writer.commit().unwrap();
    assert_eq!(writer.commit().unwrap(), empty, "nothing to commit");
    writer.add(Made::new(1, 1, 3).input()).unwrap();
    writer.add(Made::new(2, 1, 3).input()).unwrap();
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(
        (writer.generation(), store.snapshot().unwrap().len()),
        (empty, 0)
    );
    std::thread::sleep(std::time::Duration::from_millis(2100));
    assert_eq!(
        store.snapshot().unwrap().len(),
        0,
        "nobody adds, nobody commits"
    );
    writer.add(Made::new(3, 1, 3).input()).unwrap();
    assert_eq!(store.snapshot().unwrap().len(), 2);
    drop(writer);
    assert_eq!(
        store.snapshot().unwrap().len(),
        2,
        "the third was never committed"
    );
    let sources: usize = fs::read_dir(dir.path().join("sources"))
        .unwrap()
        .map(|folder| fs::read_dir(folder.unwrap().path()).unwrap().count())
        .sum();
    assert_eq!(sources, 4, "the files of the third are gone");
}

#[test]
fn the_second_writer_is_told_who_the_first_is() {
    let dir = tempfile::tempdir().unwrap();
    let first = writer(dir.path());
    let error = Writer::open(dir.path()).err().unwrap();
    let own = std::process::id();
    assert!(
        matches!(error, StoreError::Locked { process: Some(id), .. } if id == own),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .ends_with(&format!("is being written by process {own}"))
    );
    // Readers do not mind.
    assert!(
        Store::open(dir.path())
            .unwrap()
            .snapshot()
            .unwrap()
            .is_empty()
    );
    drop(first);
    Writer::open(dir.path()).unwrap();
}

#[test]
fn readers_see_whole_states_while_a_writer_writes() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    writer.commit().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut seen = 0;
                    while !done.load(Ordering::Relaxed) {
                        seen += look(&store.snapshot().unwrap());
                    }
                    seen
                })
            })
            .collect();
        for version in 1..40 {
            for name in 0..2 {
                writer
                    .add(Made::new(name, version, 3 + version % 4).input())
                    .unwrap();
            }
            writer.commit().unwrap();
            if version % 13 == 0 {
                writer.compact().unwrap();
            }
        }
        done.store(true, Ordering::Relaxed);
        let seen: usize = readers
            .into_iter()
            .map(|reader| reader.join().unwrap())
            .sum();
        assert!(seen > 20, "{seen}");
    });
}

#[test]
fn a_held_snapshot_keeps_the_files_of_what_it_shows() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    let first = Made::new(1, 1, 3);
    let id = first.document.id;
    writer.add(first.input()).unwrap();
    writer.commit().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let held = store.snapshot().unwrap();
    for version in 2..20 {
        writer.add(Made::new(1, version, 3).input()).unwrap();
        writer.commit().unwrap();
    }
    assert_eq!(held.source_bytes(&id).unwrap(), first.bytes);
    assert_eq!(held.document(&id).unwrap(), first.document);
}

#[test]
fn compacting_removes_the_files_of_what_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    for version in 1..4 {
        writer.add(Made::new(1, version, 3).input()).unwrap();
        writer.commit().unwrap();
    }
    let files = || files_below(&dir.path().join("sources"));
    assert_eq!(files(), 6, "a file and an image of each version");
    assert!(writer.compact().unwrap().database);
    assert_eq!(files(), 2);
    let last = Made::new(1, 3, 3);
    let kept = snapshot(dir.path()).source_bytes(&last.document.id);
    assert_eq!(kept.unwrap(), last.bytes);
}

fn files_below(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let count = |entry: fs::DirEntry| {
        if entry.file_type().unwrap().is_dir() {
            files_below(&entry.path())
        } else {
            1
        }
    };
    entries.map(count).sum()
}

/// Both documents must be of one version and found whole.
fn look(snapshot: &Snapshot) -> usize {
    let titles: Vec<String> = snapshot
        .documents()
        .unwrap()
        .into_iter()
        .map(|d| d.title)
        .collect();
    let versions: Vec<&str> = titles
        .iter()
        .filter_map(|title| Some(title.rsplit_once('v')?.1))
        .collect();
    if versions.is_empty() {
        return 0;
    }
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[0], versions[1]);
    let version: u32 = versions[0].parse().unwrap();
    for name in 0..2 {
        let made = Made::new(name, version, 3 + version % 4);
        let hits = snapshot
            .search_text(
                &query(&stamp(name, version)),
                View::Evidence,
                &Filter::default(),
                100,
            )
            .unwrap();
        assert_eq!(hits.len(), made.views[0].units.len());
        let row = &made.vectors(View::Evidence, WORDS).rows[0];
        let hits = snapshot
            .search_vectors(WORDS, View::Evidence, &row.vector, &Filter::default(), 1)
            .unwrap();
        assert!(hits[0].2 > 0.999);
        assert_eq!(snapshot.document_id(hits[0].0.seq), Some(made.document.id));
    }
    1
}

#[test]
fn stores_and_snapshots_are_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Store>();
    shared::<Snapshot>();
    shared::<catena_index::RenderCache>();
    sent::<Writer>();
}
