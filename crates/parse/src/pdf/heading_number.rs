//! The numbers that headings begin with, and the depths that they show.

/// The number that a heading begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// One that shows its depth: `3` 1, `3.1` 2, `A.2.1` 3, `Chapter 3` 1, `IV.` 1.
    Depth(u8),
    /// A lone letter, which may count appendices at the top or sections below a roman number.
    Letter,
}

impl Number {
    /// The depth that it shows.
    pub(super) fn depth(self) -> Option<u8> {
        match self {
            Self::Depth(depth) => Some(depth),
            Self::Letter => None,
        }
    }
}

/// The number that a heading begins with, where a name follows it.
pub(super) fn number_of(text: &str) -> Option<Number> {
    let mut tokens = text.split_whitespace();
    let first = tokens.next()?;
    let rest = tokens.next()?;
    let lower = first.to_lowercase();
    if PARTS.contains(&lower.as_str()) {
        let number = rest.trim_end_matches([':', '.', ',']);
        let parts = number.split('.').count() as u8;
        let counted = number
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '.');
        return (counted && number.len() <= 6).then_some(Number::Depth(parts));
    }
    let number = first.trim_end_matches(['.', ')', ':']);
    let mut parts = number.split('.');
    let lead = parts.next()?;
    let digits =
        |part: &str| (1..=2).contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit());
    let letter = lead.len() == 1 && lead.chars().all(|c| c.is_ascii_uppercase());
    let roman = first.len() > 1
        && first.ends_with('.')
        && (1..=5).contains(&lead.len())
        && lead.chars().all(|c| "IVX".contains(c));
    let more: Vec<&str> = parts.collect();
    let all = more.iter().all(|part| digits(part));
    let counts =
        digits(lead) || roman || (letter && (!more.is_empty() || first.ends_with(['.', ':'])));
    // A name may begin with a mark: `.Internal`, `--help`, `/etc/hosts`.
    let marks = "\"“‘'`(.-_/\\@$<[%";
    let text_follows = rest
        .trim_start_matches(|c| marks.contains(c))
        .starts_with(char::is_alphabetic);
    let lone_letter = letter && more.is_empty() && !matches!(lead, "I" | "V" | "X");
    (counts && all && text_follows).then(|| {
        if lone_letter {
            Number::Letter
        } else {
            Number::Depth(1 + more.len() as u8)
        }
    })
}

/// Words that come before the number of a part.
const PARTS: &[&str] = &[
    "chapter",
    "part",
    "appendix",
    "annex",
    "kapitel",
    "teil",
    "anhang",
    "section",
    "chapitre",
    "partie",
    "annexe",
    "capítulo",
    "parte",
    "apéndice",
    "capitolo",
    "appendice",
    "hoofdstuk",
    "глава",
    "часть",
    "приложение",
];

/// The plain number that a heading begins with: 3 of "3 Filters", none of "3.1 Filters".
pub(super) fn ordinal_of(text: &str) -> Option<u32> {
    let (first, _) = text.split_once(char::is_whitespace)?;
    let number = first.trim_end_matches(['.', ')', ':']);
    (number.len() <= 2).then(|| number.parse().ok()).flatten()
}

/// Whether a text is nothing but the name and number of a part: "Chapter 3", "Part IV".
pub(super) fn names_part(text: &str) -> bool {
    let mut tokens = text.split_whitespace();
    let (Some(name), Some(number), None) = (tokens.next(), tokens.next(), tokens.next()) else {
        return false;
    };
    let number = number.trim_end_matches([':', '.', ',', '—', '–']);
    let counted = number.chars().all(|c| c.is_ascii_digit())
        || number.chars().all(|c| "IVXLC".contains(c))
        || (number.len() == 1 && number.chars().all(|c| c.is_ascii_uppercase()));
    PARTS.contains(&name.to_lowercase().as_str()) && !number.is_empty() && counted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_their_depth() {
        for (text, depth) in [
            ("3 Filters", Some(Number::Depth(1))),
            ("3.1 Filters", Some(Number::Depth(2))),
            ("3.1. Filters", Some(Number::Depth(2))),
            ("A.2.1 Sizes", Some(Number::Depth(3))),
            ("Appendix B Parts", Some(Number::Depth(1))),
            ("Chapter 4: Pumps", Some(Number::Depth(1))),
            ("IV. RESULTS", Some(Number::Depth(1))),
            ("B. Details", Some(Number::Letter)),
            ("A pump", None),
            ("2019 was good", None),
            ("3.5 2.7", None),
            ("2 .Internal calls", Some(Number::Depth(1))),
            ("3.1 --help", Some(Number::Depth(2))),
            ("3.5 -2.7", None),
            ("Filters", None),
        ] {
            assert_eq!(number_of(text), depth, "{text}");
        }
    }

    #[test]
    fn bare_names_of_parts() {
        for (text, is) in [
            ("Chapter 3", true),
            ("PART IV", true),
            ("Appendix B:", true),
            ("Chapter 3 Pumps", false),
            ("Part list", false),
        ] {
            assert_eq!(names_part(text), is, "{text}");
        }
    }
}
