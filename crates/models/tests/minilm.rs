//! The real text embedder, from the user's own cache; it is pulled where it is not there.

use catena_models::{Embedder, MINILM, MiniLm, ModelCache, ModelError, pull};
use proptest::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use tokenizers::Tokenizer;

fn cache() -> &'static ModelCache {
    static CACHE: OnceLock<ModelCache> = OnceLock::new();
    CACHE.get_or_init(|| {
        let cache = ModelCache::of_user().expect("a cache folder");
        pull(&cache, &MINILM, None, &AtomicBool::new(false), &mut |_| ()).expect("a pull");
        cache
    })
}

fn minilm() -> &'static MiniLm {
    static MODEL: OnceLock<MiniLm> = OnceLock::new();
    MODEL.get_or_init(|| {
        let files = cache().locate(&MINILM).expect("its files");
        MiniLm::load(&files).expect("a model")
    })
}

/// The tokenizer as its file makes it, without the cutting and filling.
fn reference() -> &'static Tokenizer {
    static TOKENIZER: OnceLock<Tokenizer> = OnceLock::new();
    TOKENIZER.get_or_init(|| {
        let path = cache().folder.join("minilm/tokenizer.json");
        let mut tokenizer = Tokenizer::from_file(path).expect("a tokenizer");
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).expect("no truncation");
        tokenizer
    })
}

fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    minilm().embed(texts).expect("vectors")
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Texts of many lengths and scripts.
fn texts() -> Vec<String> {
    let sentence = "Close the main valve before you open the drain, then wait ten minutes. ";
    let mut texts: Vec<String> = (0..20).map(|n| sentence.repeat(n)).collect();
    texts.extend(
        [
            "",
            " ",
            "?",
            "valve",
            "关闭电源。等待十分钟。",
            "Was ist das? Das Sicherheitsventil.",
            "P-12 at 2.5 bar (±0.1)",
            "naïve café Ωμέγα",
            "🙂🙂",
            "a\u{301}b\u{85}c\u{c}d",
        ]
        .map(str::to_owned),
    );
    texts
}

#[test]
fn near_meanings_are_near() {
    let vectors = embed(&[
        "How do I switch off the pump?",
        "To stop the pump, turn the key to position 0.",
        "The cathedral was painted by Monet in 1894.",
    ]);
    let space = minilm().space();
    assert_eq!(
        (space.name.as_str(), space.dimension, space.window),
        ("minilm@8199be6f", 384, 254)
    );
    for vector in &vectors {
        assert_eq!(vector.len(), 384);
        assert!((dot(vector, vector) - 1.0).abs() < 1e-5);
    }
    // What the published weights give in 32-bit floats, computed apart from this code.
    let near = |found: f32, expected: f32| {
        assert!((found - expected).abs() < 0.01, "{found}, not {expected}");
    };
    near(dot(&vectors[0], &vectors[1]), 0.7625);
    near(dot(&vectors[0], &vectors[2]), -0.0057);
    near(dot(&vectors[1], &vectors[2]), -0.0304);
    let first = [0.0606, 0.13, -0.0372, 0.0218, 0.053, -0.0295, -0.0455, 0.07];
    for (&found, expected) in vectors[2].iter().zip(first) {
        near(found, expected);
    }
}

#[test]
fn a_vector_depends_on_its_text_alone() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = embed(&texts);
    assert_eq!(together.len(), texts.len());
    for (text, vector) in texts.iter().zip(&together) {
        let alone = &embed(&[text])[0];
        assert!(dot(alone, vector) > 0.9999, "{text:?}");
    }
    assert!(embed(&[]).is_empty());
}

#[test]
fn threads_share_one_model() {
    let texts = [
        "Open the valve.",
        "Close the valve.",
        "A third sentence that is a bit longer.",
    ];
    let expected = embed(&texts);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (found, expected) in embed(&texts).iter().zip(&expected) {
                    assert!(dot(found, expected) > 0.9999);
                }
            });
        }
    });
}

#[test]
fn what_is_beyond_the_window_is_not_read() {
    let window = minilm().space().window;
    let full = "valve ".repeat(window);
    assert_eq!(minilm().count_tokens(&full), window);
    let longer = format!("{full} Monet painted the cathedral of Rouen");
    let huge = format!("{full}{}", "cathedral ".repeat(1_000_000));
    let last = "valve ".repeat(window - 1) + "cathedral";
    let vectors = embed(&[&full, &longer, &huge, &last]);
    assert!(dot(&vectors[0], &vectors[1]) > 0.9999);
    assert!(dot(&vectors[0], &vectors[2]) > 0.9999);
    // The last token inside the window is read.
    let moved = dot(&vectors[0], &vectors[3]);
    assert!(moved < 0.9999, "{moved}");
}

#[track_caller]
fn check_count(text: &str) {
    let expected = reference().encode(text, false).expect("ids").len();
    assert_eq!(minilm().count_tokens(text), expected, "{text:?}");
}

#[test]
fn counts_are_the_tokenizers() {
    for text in texts() {
        check_count(&text);
    }
    check_count(include_str!("minilm.rs"));
    for text in [
        "don't re-open (see Fig. 3) e.g. 12,5 % — “quoted” … a/b\\c",
        "tabs\tand\nlines\r\nand\u{a0}no-break\u{2003}wide\u{3000}spaces\u{2028}end",
        "line\u{b}feeds\u{c}and\u{85}next\u{1c}line\u{200b}zero\u{feff}width\u{ad}soft",
        "[SEP] [CLS]x [MASK] [UNK] ##ing",
        "İstanbul ǅungla ﬁne Straße ΣΊΣΥΦΟΣ",
        "한국어 문장 ไทยไม่มีช่องว่าง עברית العربية",
    ] {
        check_count(text);
    }
    check_count(&"x".repeat(101));
    check_count(&"ab.".repeat(100));
    // Counted once more, now that the words are known.
    check_count(include_str!("minilm.rs"));
    // More words than are kept.
    let many: Vec<String> = (0..100_000).map(|n| format!("w{n}")).collect();
    check_count(&many.join(" "));
}

proptest! {
    #[test]
    fn counts_are_the_tokenizers_on_any_text(text in "(\\PC|[a-zA-Z .,]|\\s|\\p{Cc}){0,200}") {
        check_count(&text);
    }
}

#[test]
fn a_damaged_file_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = ModelCache {
        folder: folder.path().to_owned(),
        models: None,
        offline: true,
    };
    let own = ModelCache {
        folder: folder.path().join("no cache"),
        models: Some(folder.path().to_owned()),
        offline: true,
    };
    std::fs::create_dir(folder.path().join("minilm")).expect("a folder");
    for file in MINILM.files {
        let name = format!("minilm/{}", file.name);
        std::fs::copy(cache().folder.join(&name), folder.path().join(&name)).expect("a copy");
    }
    copy.locate(&MINILM).expect("a copied folder is as good");
    own.locate(&MINILM).expect("also as the user's own");

    let model = folder.path().join("minilm/model.onnx");
    let file = std::fs::File::options()
        .write(true)
        .open(&model)
        .expect("the file");
    file.set_len(MINILM.files[0].bytes - 1).expect("it is cut");
    let error = own.locate(&MINILM).expect_err("truncated");
    assert!(
        matches!(error, ModelError::WrongHash { removed: false, .. }),
        "{error}"
    );
    let error = copy.locate(&MINILM).expect_err("truncated");
    assert!(
        matches!(error, ModelError::WrongHash { removed: true, .. }),
        "{error}"
    );
    let error = copy.locate(&MINILM).expect_err("removed");
    assert!(
        matches!(
            error,
            ModelError::Missing {
                file: "model.onnx",
                ..
            }
        ),
        "{error}"
    );
    let pulled = pull(&copy, &MINILM, None, &AtomicBool::new(false), &mut |_| ());
    assert!(matches!(pulled, Err(ModelError::Offline { .. })));
}
