//! From text to the terms that are searched: one function for documents and queries.
//!
//! A text is cut into words (UAX #29; by dictionary where a script has no spaces), each is
//! brought to its compatibility form and lower case, and stemmed by the language of its document,
//! where there is a stemmer. A word with accents gives a second term without them, so that
//! `cafe` finds `café`.

use catena_document::words;
use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Changes whenever the terms of any text do; an index made by another version is rebuilt.
pub(crate) const VERSION: u32 = 5;

/// The longest term, in characters; a longer word is cut.
const LONGEST: usize = 64;

/// Where an anchor is cut, in bytes.
const LONGEST_ANCHOR: usize = 160;

/// Articles that are no part of a name.
const ARTICLES: &[&str] = &[
    "the", "a", "an", "der", "die", "das", "le", "la", "les", "el", "los", "las", "il", "lo",
];

/// The analysis of one language.
pub(crate) struct Analyser {
    stemmer: Option<Stemmer>,
}

impl Analyser {
    /// The analysis of a language by its ISO 639-1 code; of no language, without stems.
    pub(crate) fn new(language: Option<&str>) -> Self {
        let algorithm = language.and_then(|code| Algorithm::from_name(code).ok());
        Self {
            stemmer: algorithm.map(Stemmer::new),
        }
    }

    /// Calls `each` with the terms of a text, in order.
    pub(crate) fn terms(&self, text: &str, mut each: impl FnMut(String)) {
        for at in words(text) {
            let word = normal_form(&text[at]);
            if word.is_empty() {
                continue;
            }
            let term = self.stem(&word);
            let bare = without_accents(&word).map(|bare| self.stem(&bare));
            if let Some(bare) = bare.filter(|bare| *bare != term) {
                each(bare);
            }
            each(term);
        }
    }

    /// What anchors are compared by: the stems of the words, without accents and without an
    /// article before them. Empty where there is no word.
    pub(crate) fn anchor(&self, name: &str) -> String {
        let mut out = String::new();
        for at in words(name) {
            let word = normal_form(&name[at]);
            if word.is_empty() || out.is_empty() && ARTICLES.contains(&word.as_str()) {
                continue;
            }
            if !out.is_empty() {
                out.push(' ');
            }
            let word = without_accents(&word).unwrap_or(word);
            out.push_str(&self.stem(&word));
            if out.len() > LONGEST_ANCHOR {
                break;
            }
        }
        out
    }

    fn stem(&self, word: &str) -> String {
        let stem = match &self.stemmer {
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_owned(),
        };
        if stem.is_empty() {
            word.to_owned()
        } else {
            stem
        }
    }
}

/// Compatibility form, lower case, at most [`LONGEST`] characters.
fn normal_form(word: &str) -> String {
    if word.is_ascii() {
        let end = word.len().min(LONGEST);
        return word[..end].to_ascii_lowercase();
    }
    word.nfkc()
        .flat_map(char::to_lowercase)
        .take(LONGEST)
        .collect()
}

/// A word in Latin script without its accents; `None` where it has none.
fn without_accents(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let mut out = String::with_capacity(word.len());
    let mut latin = false;
    for c in word.nfd() {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' | 'ð' => out.push('d'),
            'þ' => out.push_str("th"),
            'ı' => out.push('i'),
            _ if is_combining_mark(c) && latin => continue,
            _ => {
                latin = c.is_ascii_alphabetic();
                out.push(c);
                continue;
            }
        }
        latin = true;
    }
    // Marks of other scripts were only taken apart.
    let out: String = out.nfc().collect();
    (out != word).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(language: &str, text: &str) -> String {
        let mut out = Vec::new();
        let language = (!language.is_empty()).then_some(language);
        Analyser::new(language).terms(text, |term| out.push(term));
        out.join(" ")
    }

    /// The analysis is part of the index: where these change, so must [`VERSION`].
    #[test]
    fn terms_of_some_languages() {
        let texts = [
            ("", "Pumps run at 2.5 bar, P-12"),
            ("en", "The pumps are running; generously connected"),
            ("de", "Die Häuser und die größten Straßen überprüfen"),
            ("fr", "Les réfléchissements à l'école française"),
            ("ru", "Проверьте насосы и клапаны"),
            ("ar", "المضخات والصمامات"),
            ("zh", "关闭电源"),
            ("ja", "ポンプを停止する"),
            ("pl", "Łódź źdźbło"),
            ("el", "Οι αντλίες λειτουργούν"),
            ("", "ﬁne ＡＢＣ１２ café smørrebrød"),
        ];
        let lines: Vec<_> = texts
            .iter()
            .map(|(language, text)| terms(language, text))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        pumps run at 2.5 bar p 12
        the pump are run generous connect
        die haus und die grosst strass uberpruf
        le reflech réflech a à ecol écol franc
        проверьт насос и клапа
        مضخ والصماما
        关闭 电源
        ポンプ を 停止 する
        lodz łódz zdzblo źdźbło
        οι αντλι λειτουργ
        fine abc12 cafe café smorrebrod smørrebrød
        ");
    }

    #[test]
    fn long_words_are_cut() {
        let found = terms("", &"x".repeat(1000));
        assert_eq!(found.len(), LONGEST);
        assert_eq!(
            terms("", &"é".repeat(1000)).chars().count(),
            2 * LONGEST + 1
        );
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_analysis(
            text in "\\PC{0,40}",
            language in prop::sample::select(vec![
                "ar", "hy", "eu", "ca", "cs", "da", "nl", "en", "eo", "et", "fi", "fr", "de", "el",
                "hi", "hu", "id", "ga", "it", "lt", "ne", "no", "fa", "pl", "pt", "ro", "ru", "sr",
                "es", "sv", "ta", "tr", "yi", "xx",
            ]),
        ) {
            let mut terms = Vec::new();
            Analyser::new(Some(language)).terms(&text, |term| terms.push(term));
            for term in terms {
                prop_assert!(!term.is_empty());
                prop_assert!(term.chars().count() <= 4 * LONGEST);
            }
        }
    }
}
