//! What is found by words and by vectors, and what a filter lets through.

#[path = "synthetic/mod.rs"]
mod synthetic;

use catena_document::{ContentHash, Modality, View};
use catena_index::{FieldWeights, Filter, Snapshot, TextQuery, UnitKey};
use synthetic::{Made, WORDS, WORDS_DIMENSION, embed, query, six, snapshot, stamp, writer};

/// The documents and modalities of what a filter lets through, in both searches.
fn passing(snapshot: &Snapshot, filter: &Filter) -> (Vec<u64>, Vec<Modality>) {
    let by_words = snapshot.search_text(
        &query("chapter pump figure fault"),
        View::Evidence,
        filter,
        1000,
    );
    let by_words: Vec<UnitKey> = by_words.unwrap().into_iter().map(|(key, _)| key).collect();
    let vector = embed("x", WORDS_DIMENSION);
    let by_vector = snapshot
        .search_vectors(WORDS, View::Evidence, &vector, filter, 1000)
        .unwrap();
    let mut by_vector: Vec<UnitKey> = by_vector.into_iter().map(|(key, ..)| key).collect();
    by_vector.sort_unstable();
    let mut sorted = by_words;
    sorted.sort_unstable();
    assert_eq!(
        sorted, by_vector,
        "every unit has these words in its path or text"
    );
    let mut documents: Vec<u64> = by_vector.iter().map(|key| key.seq).collect();
    documents.dedup();
    let mut modalities: Vec<Modality> = by_vector
        .iter()
        .map(|&key| snapshot.unit(key).unwrap().modality)
        .collect();
    modalities.sort_unstable();
    modalities.dedup();
    (documents, modalities)
}

#[test]
fn filters_hold_in_both_searches() {
    let dir = tempfile::tempdir().unwrap();
    let made = six(dir.path());
    let snapshot = snapshot(dir.path());
    let kinds = vec![Modality::Text, Modality::Table, Modality::Figure];
    let all = Filter::default();
    assert_eq!(
        passing(&snapshot, &all),
        (vec![1, 2, 3, 4, 5, 6], kinds.clone())
    );
    let filter = Filter {
        documents: Some(vec![
            made[4].document.id,
            made[1].document.id,
            ContentHash::of(b"none"),
        ]),
        ..all.clone()
    };
    assert_eq!(passing(&snapshot, &filter), (vec![2, 5], kinds.clone()));
    let filter = Filter {
        modalities: Some(vec![Modality::Figure]),
        ..all.clone()
    };
    assert_eq!(
        passing(&snapshot, &filter),
        (vec![1, 2, 3, 4, 5, 6], vec![Modality::Figure])
    );
    let filter = Filter {
        languages: Some(vec!["de".into()]),
        ..all.clone()
    };
    assert_eq!(passing(&snapshot, &filter), (vec![2, 5], kinds.clone()));
    let filter = Filter {
        section: Some(format!("Chapter {}", stamp(3, 1))),
        ..all.clone()
    };
    assert_eq!(passing(&snapshot, &filter), (vec![4], kinds));
    let filter = Filter {
        section: Some("2 chapter water".into()),
        ..all.clone()
    };
    let (documents, _) = passing(&snapshot, &filter);
    assert_eq!(documents, [1, 2, 3, 4, 5, 6]);
    for nothing in [
        Filter {
            documents: Some(vec![]),
            ..all.clone()
        },
        Filter {
            modalities: Some(vec![]),
            ..all.clone()
        },
        Filter {
            languages: Some(vec!["fr".into()]),
            ..all.clone()
        },
        Filter {
            section: Some("chapter nowhere".into()),
            ..all.clone()
        },
        Filter {
            section: Some(" ".into()),
            ..all
        },
    ] {
        assert_eq!(
            passing(&snapshot, &nothing),
            (vec![], vec![]),
            "{nothing:?}"
        );
    }
}

#[test]
fn fields_count_what_they_are_told_to() {
    let dir = tempfile::tempdir().unwrap();
    six(dir.path());
    let snapshot = snapshot(dir.path());
    let search = |text: &str, content, caption, path, context| {
        let query = TextQuery {
            text: text.into(),
            weights: FieldWeights {
                content,
                caption,
                path,
                context,
            },
        };
        let hits = snapshot
            .search_text(&query, View::Evidence, &Filter::default(), 1000)
            .unwrap();
        let sum: f32 = hits.iter().map(|(_, score)| score).sum();
        (hits.len(), sum)
    };
    let (captions, score) = search("pump", 0.0, 1.0, 0.0, 0.0);
    assert_eq!(captions, 6, "each document has one figure");
    let (same, double) = search("pump", 0.0, 2.0, 0.0, 0.0);
    assert_eq!(same, captions);
    assert!(double > score * 1.1 && double < score * 2.0);
    let contents = search("pump", 1.0, 0.0, 0.0, 0.0).0;
    assert_eq!(search("pump", 1.0, 1.0, 0.0, 0.0).0, contents + captions);
    // A word that stands in two fields counts more than in one, and less than two words.
    let (units, above) = search("manual", 0.0, 0.0, 1.0, 0.0);
    let (same, twice) = search("manual", 0.0, 0.0, 1.0, 1.0);
    assert!(same >= units && twice >= above && twice < above * 2.0);
    assert_eq!(search("pump", 0.0, 0.0, 0.0, 0.0).0, 0);
    assert_eq!(search("", 1.0, 1.0, 1.0, 1.0).0, 0);
    assert!(search("pump", 0.0, 0.0, 0.0, 1.0).0 > 0);
}

#[test]
fn a_query_is_understood_in_the_languages_of_the_documents() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    let texts = [
        ("en", "The hoses were attached"),
        ("de", "Die Ventile wurden geprüft"),
        ("fr", "Les réglages de l'école"),
    ];
    for (name, (language, text)) in (0..).zip(texts) {
        let mut made = Made::new(name, 1, 1);
        made.document.language = Some(language.into());
        made.document.nodes[1].text = text.into();
        writer.add(made.input()).unwrap();
    }
    writer.close().unwrap();
    let snapshot = snapshot(dir.path());
    for (text, seq) in [
        ("attach hose", 1),
        ("Ventil prüfen", 2),
        ("geprufte ventile", 2),
        ("reglage ecole", 3),
        ("RÉGLAGES", 3),
    ] {
        let hits = snapshot
            .search_text(&query(text), View::Evidence, &Filter::default(), 5)
            .unwrap();
        let seqs: Vec<u64> = hits.iter().map(|(key, _)| key.seq).collect();
        assert_eq!(seqs, [seq], "{text}");
    }
}

#[test]
fn the_best_part_of_a_unit_counts_and_only_once() {
    let dir = tempfile::tempdir().unwrap();
    let made = six(dir.path());
    let snapshot = snapshot(dir.path());
    let rows = made[3].vectors(View::Evidence, WORDS).rows;
    let second = rows.iter().find(|row| row.part == 1).unwrap();
    let hits = snapshot
        .search_vectors(
            WORDS,
            View::Evidence,
            &second.vector,
            &Filter::default(),
            1000,
        )
        .unwrap();
    let (key, part, cosine) = hits[0];
    assert_eq!((key.seq, key.ordinal, part), (4, second.ordinal, 1));
    assert!((cosine - 1.0).abs() < 1e-5);
    let units: usize = made.iter().map(|made| made.views[0].units.len()).sum();
    assert_eq!(hits.len(), units);

    // The same as comparing every vector with the query.
    let mut exact: Vec<(f32, u64, u32)> = Vec::new();
    for (seq, made) in (1..).zip(&made) {
        for unit in &made.views[0].units {
            let rows = made.vectors(View::Evidence, WORDS).rows;
            let cosines = rows
                .iter()
                .filter(|row| row.ordinal == unit.ordinal)
                .map(|row| cosine_of(&row.vector, &second.vector));
            exact.push((cosines.fold(f32::MIN, f32::max), seq, unit.ordinal));
        }
    }
    exact.sort_by(|a, b| b.0.total_cmp(&a.0));
    for ((key, _, cosine), (expected, ..)) in hits.iter().zip(&exact) {
        assert!((cosine - expected).abs() < 1e-5, "{key:?}");
    }
    let nothing = vec![0.0; WORDS_DIMENSION as usize];
    assert_eq!(
        snapshot
            .search_vectors(WORDS, View::Evidence, &nothing, &Filter::default(), 5)
            .unwrap(),
        []
    );
}

fn cosine_of(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
