//! Telling a document's language.

use catena_document::{Node, NodeKind};

/// Text looked at, in bytes.
const SAMPLE: usize = 20_000;

/// The ISO 639-1 code of the language that most of the running text is in, where that is sure.
pub(crate) fn detect(nodes: &[Node]) -> Option<String> {
    let mut sample = String::new();
    let running = nodes.iter().filter(|node| {
        matches!(
            node.kind,
            NodeKind::Text | NodeKind::ListItem { .. } | NodeKind::Step { .. }
        )
    });
    for node in running {
        if sample.len() > SAMPLE {
            break;
        }
        sample.push_str(&node.text);
        sample.push('\n');
    }
    let info = whatlang::detect(&sample)?;
    (info.is_reliable() || info.confidence() > 0.5)
        .then(|| two_letters(info.lang()))
        .flatten()
        .map(str::to_owned)
}

/// ISO 639-1 for the languages whose text is analysed specially; the rest is left open.
fn two_letters(lang: whatlang::Lang) -> Option<&'static str> {
    use whatlang::Lang;
    Some(match lang {
        Lang::Eng => "en",
        Lang::Deu => "de",
        Lang::Fra => "fr",
        Lang::Spa => "es",
        Lang::Ita => "it",
        Lang::Por => "pt",
        Lang::Nld => "nl",
        Lang::Rus => "ru",
        Lang::Ukr => "uk",
        Lang::Pol => "pl",
        Lang::Ces => "cs",
        Lang::Swe => "sv",
        Lang::Dan => "da",
        Lang::Nob => "no",
        Lang::Fin => "fi",
        Lang::Hun => "hu",
        Lang::Ron => "ro",
        Lang::Ell => "el",
        Lang::Tur => "tr",
        Lang::Ara => "ar",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Cmn => "zh",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Tha => "th",
        Lang::Vie => "vi",
        _ => return None,
    })
}
