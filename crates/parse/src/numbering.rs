//! Numbers in letters and in Roman numerals.

/// `a` to `z`, `aa`, `ab` …; none below 1.
pub(crate) fn alphabetic(number: i64) -> Option<String> {
    let mut rest = number;
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
    }
    (!letters.is_empty()).then(|| letters.iter().rev().collect())
}

/// Roman numbers from 1 to 3999.
pub(crate) fn roman(number: i64) -> Option<String> {
    const PARTS: [(i64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut rest = number;
    let mut out = String::new();
    if !(1..4000).contains(&number) {
        return None;
    }
    for (value, letters) in PARTS {
        while rest >= value {
            rest -= value;
            out.push_str(letters);
        }
    }
    Some(out)
}
