//! Whether words stand in a text.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters that a word may have in the text after the one that is looked for, where a language
/// changes its ends: "Bergens", "Бергене".
const ENDING: usize = 2;
/// Letters from which on a word may have an ending.
const ROOT: usize = 4;

/// Whether an answer's words stand in a text, one after the other and whole; case, accents, marks
/// and the forms of letters do not matter.
pub(super) fn stands_in(answer: &str, text: &str) -> bool {
    let (answer, text) = (folded(answer), folded(text));
    let words = answer.trim();
    let (Some(first), Some(last)) = (words.chars().next(), words.chars().next_back()) else {
        return false;
    };
    let root = words.chars().rev().take_while(|c| c.is_alphabetic());
    let may_end = root.count() >= ROOT;
    text.match_indices(words).any(|(at, _)| {
        let begins = text[..at].ends_with(' ') || has_no_spaces(first);
        let rest = &text[at + words.len()..];
        let ending = rest.split(' ').next().unwrap_or_default();
        let ends = ending.is_empty()
            || has_no_spaces(last)
            || may_end
                && ending.chars().count() <= ENDING
                && ending.chars().all(char::is_alphabetic);
        begins && ends
    })
}

/// Words in lower case with a space before and after each, without accents and marks. A point or
/// comma in a number is part of it.
fn folded(text: &str) -> String {
    let letters: Vec<char> = text
        .nfkd()
        .filter(|c| !is_combining_mark(*c))
        .nfkc()
        .flat_map(char::to_lowercase)
        .collect();
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| letters.get(at))
            .is_some_and(|c| c.is_numeric())
    };
    let mut out = " ".to_owned();
    for (at, &c) in letters.iter().enumerate() {
        let in_number =
            matches!(c, '.' | ',') && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
        if c.is_alphanumeric() || in_number {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

/// Whether a letter is of a script that writes words without spaces, or joins what follows to
/// them: Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer.
fn has_no_spaces(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1100}'..='\u{11ff}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_where_they_are_whole() {
        let check = |answer: &str, text: &str, expected: bool| {
            assert_eq!(stands_in(answer, text), expected, "`{answer}` in `{text}`");
        };
        let text = "It was designed by Ada  Kestrel (born 1931), Bergens \"Pumpe P-7\": 3.5 l.";
        for answer in [
            "ada kestrel",
            "Ada Kestrel,",
            "1931",
            "Bergen",
            "P-7",
            "3.5 L",
            "p 7",
        ] {
            check(answer, text, true);
        }
        for answer in [
            "",
            " …",
            "Ada",
            "Kestrel Ada",
            "Ad",
            "193",
            "931",
            "3",
            "5 l",
            "Tom",
        ] {
            check(answer, text, answer == "Ada");
        }
        check("Malmö", "Der Sitz ist MALMO\u{308}.", true);
        check("Zurich", "in Zürich", true);
        check("ﬁrm", "the firm", true);
        check("Берген", "родилась в Бергене", true);
        check("王明", "该泵由王明设计。", true);
        check("王芳", "该泵由王明设计。", false);
        check("서울", "공장은 서울에 있다", true);
        check("กรุงเทพ", "โรงงานอยู่ที่กรุงเทพมหานคร", true);
        check("القاهرة", "ولد في القاهرة.", true);
        check("Iran", "an Iranian pump", false);
        check("İzmir", "İZMİR'de", true);
        check("a", "\u{301}\u{301}", false);
    }
}
