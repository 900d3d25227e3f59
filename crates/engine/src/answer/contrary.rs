//! Words that turn a statement into its contrary.

/// Words that deny.
const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "without",
    "neither",
    "nor",
    "cannot",
    "isn't",
    "aren't",
    "don't",
    "doesn't",
    "didn't",
    "won't",
    "can't",
    "mustn't",
    "shouldn't",
    "wasn't",
    "weren't",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "keinem",
    "keines",
    "nie",
    "niemals",
    "ohne",
    "weder",
    "pas",
    "jamais",
    "sans",
    "aucun",
    "aucune",
    "nunca",
    "sin",
    "ningún",
    "ninguna",
    "не",
    "нет",
    "без",
    "никогда",
    "нельзя",
    "不",
    "没",
    "没有",
    "不要",
    "勿",
    "请勿",
    "不能",
    "不得",
    "禁止",
    "无",
    "未",
];

/// Pairs of words of which one is not said where the other is meant.
const OPPOSITES: &[(&str, &str)] = &[
    ("left", "right"),
    ("open", "close"),
    ("opened", "closed"),
    ("opens", "closes"),
    ("opening", "closing"),
    ("on", "off"),
    ("above", "below"),
    ("before", "after"),
    ("upper", "lower"),
    ("top", "bottom"),
    ("front", "rear"),
    ("front", "back"),
    ("clockwise", "counterclockwise"),
    ("clockwise", "anticlockwise"),
    ("increase", "decrease"),
    ("increases", "decreases"),
    ("increased", "decreased"),
    ("raise", "lower"),
    ("maximum", "minimum"),
    ("max", "min"),
    ("more", "less"),
    ("higher", "lower"),
    ("hot", "cold"),
    ("start", "stop"),
    ("tighten", "loosen"),
    ("connect", "disconnect"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("inlet", "outlet"),
    ("input", "output"),
    ("positive", "negative"),
    ("inside", "outside"),
    ("first", "last"),
    ("always", "never"),
    ("links", "rechts"),
    ("öffnen", "schließen"),
    ("oben", "unten"),
    ("vor", "nach"),
    ("ein", "aus"),
    ("vorne", "hinten"),
    ("lösen", "anziehen"),
];

/// Whether a word, in lower case, denies.
pub(super) fn denies(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

/// Whether words say the one of a pair of opposites where a source says the other.
pub(super) fn opposes(said: &[String], source: &[String]) -> bool {
    let has = |words: &[String], word: &str| words.iter().any(|other| other == word);
    let one_way =
        |a: &str, b: &str| has(said, a) && !has(said, b) && has(source, b) && !has(source, a);
    OPPOSITES
        .iter()
        .any(|(a, b)| one_way(a, b) || one_way(b, a))
}
