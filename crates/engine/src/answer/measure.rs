//! Numbers of a text with their units of measurement, in the ways that people write them.

use std::ops::Range;

/// A number that stands in a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measure {
    /// Its bytes, sign included, unit left out.
    pub(super) at: Range<usize>,
    /// What it may mean: `1,000` is a thousand, or one.
    pub(super) readings: Vec<String>,
    /// The unit after it, in its short form.
    pub(super) unit: Option<&'static str>,
}

/// Units by their short form, with what else they are written as.
const UNITS: &[(&str, &[&str])] = &[
    (
        "nm/torque",
        &["N·m", "Nm", "N.m", "N*m", "newton metres", "newton-metres"],
    ),
    (
        "mm",
        &[
            "mm",
            "millimetre",
            "millimetres",
            "millimeter",
            "millimeters",
        ],
    ),
    (
        "cm",
        &[
            "cm",
            "centimetre",
            "centimetres",
            "centimeter",
            "centimeters",
        ],
    ),
    ("m", &["m", "metre", "metres", "meter", "meters"]),
    (
        "km",
        &["km", "kilometre", "kilometres", "kilometer", "kilometers"],
    ),
    ("in", &["inch", "inches", "\""]),
    ("ft", &["ft", "foot", "feet"]),
    ("mi", &["mile", "miles"]),
    ("µm", &["µm", "μm", "um", "micron", "microns"]),
    ("nm", &["nm", "nanometre", "nanometres", "nanometers"]),
    ("pt", &["pt", "point", "points"]),
    ("px", &["px", "pixel", "pixels", "Pixel"]),
    ("mg", &["mg"]),
    ("g", &["g", "gram", "grams", "gramm"]),
    ("kg", &["kg", "kilogram", "kilograms"]),
    ("t", &["t", "tonne", "tonnes"]),
    ("lb", &["lb", "lbs", "pound", "pounds"]),
    ("ms", &["ms", "millisecond", "milliseconds"]),
    (
        "s",
        &[
            "s", "sec", "secs", "second", "seconds", "sekunde", "sekunden", "秒",
        ],
    ),
    (
        "min",
        &["min", "mins", "minute", "minutes", "minuten", "分钟"],
    ),
    (
        "h",
        &[
            "h", "hr", "hrs", "hour", "hours", "stunde", "stunden", "小时",
        ],
    ),
    ("d", &["day", "days", "tag", "tage", "tagen", "天"]),
    ("week", &["week", "weeks", "woche", "wochen"]),
    (
        "month",
        &["month", "months", "monat", "monate", "monaten", "月"],
    ),
    ("y", &["year", "years", "jahr", "jahre", "jahren", "年"]),
    ("V", &["V", "volt", "volts"]),
    ("mV", &["mV"]),
    ("kV", &["kV"]),
    ("A", &["A", "amp", "amps", "ampere", "amperes"]),
    ("mA", &["mA"]),
    ("W", &["W", "watt", "watts"]),
    ("mW", &["mW"]),
    ("kW", &["kW", "kilowatt", "kilowatts"]),
    ("MW", &["MW", "megawatt", "megawatts"]),
    ("Wh", &["Wh"]),
    ("kWh", &["kWh"]),
    ("Ω", &["Ω", "Ω", "ohm", "ohms"]),
    ("kΩ", &["kΩ", "kΩ", "kohm"]),
    ("MΩ", &["MΩ", "MΩ", "Mohm"]),
    ("F", &["farad"]),
    ("µF", &["µF", "μF", "uF"]),
    ("nF", &["nF"]),
    ("Hz", &["Hz", "hertz"]),
    ("kHz", &["kHz"]),
    ("MHz", &["MHz"]),
    ("GHz", &["GHz"]),
    ("dB", &["dB", "decibel", "decibels"]),
    ("Pa", &["Pa"]),
    ("kPa", &["kPa"]),
    ("MPa", &["MPa"]),
    ("bar", &["bar", "bars"]),
    ("mbar", &["mbar"]),
    ("psi", &["psi"]),
    ("N", &["N", "newton", "newtons"]),
    ("kN", &["kN"]),
    ("°C", &["°C", "℃", "degrees celsius", "° C"]),
    ("°F", &["°F", "℉", "degrees fahrenheit", "° F"]),
    ("K", &["K", "kelvin"]),
    ("°", &["°", "degree", "degrees", "grad"]),
    ("l", &["l", "L", "litre", "litres", "liter", "liters", "升"]),
    (
        "ml",
        &["ml", "mL", "millilitre", "millilitres", "milliliters"],
    ),
    ("rpm", &["rpm", "min⁻¹", "U/min", "r/min"]),
    ("%", &["%", "percent", "per cent", "prozent", "％"]),
    ("B", &["bytes", "byte"]),
    ("kB", &["kB", "KB", "KiB"]),
    ("MB", &["MB", "MiB"]),
    ("GB", &["GB", "GiB"]),
    ("TB", &["TB", "TiB"]),
    ("USD", &["$", "USD", "dollars", "dollar"]),
    ("EUR", &["€", "EUR", "euro", "euros"]),
    ("million", &["million", "millions", "millionen"]),
    ("billion", &["billion", "billions", "milliarden"]),
];

/// Small numbers as words.
const WORDS: &[(&str, &str)] = &[
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("zwei", "2"),
    ("drei", "3"),
    ("vier", "4"),
    ("fünf", "5"),
    ("sechs", "6"),
    ("sieben", "7"),
    ("acht", "8"),
    ("neun", "9"),
    ("zehn", "10"),
];

/// The numbers of a text that are written in digits. Digits of a code (`E4`, `M8`) are none.
pub(super) fn measures(text: &str) -> Vec<Measure> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find(|c: char| c.is_ascii_digit()) {
        let start = from + found;
        let digits = digits_end(text, start);
        from = digits;
        let before = text[..start].chars().next_back();
        let unit = unit_after(text, digits);
        let glued = text[digits..]
            .chars()
            .next()
            .is_some_and(char::is_alphabetic);
        let in_code = before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
            || (glued && unit.is_none_or(|(_, end)| continues(text, end)));
        if in_code {
            // The rest of the code's digits belong to it too.
            let rest = text[digits..].find(|c: char| !c.is_alphanumeric());
            from = rest.map_or(text.len(), |rest| digits + rest);
            continue;
        }
        let signed = is_signed(text, start);
        let readings = readings(&text[start..digits]);
        let sign = |reading: String| {
            if signed {
                format!("-{reading}")
            } else {
                reading
            }
        };
        let dollar = before == Some('$') || before == Some('€');
        out.push(Measure {
            at: start..digits,
            readings: readings.into_iter().map(sign).collect(),
            unit: match unit {
                Some((unit, _)) => Some(unit),
                None if dollar => Some(if before == Some('$') { "USD" } else { "EUR" }),
                None => None,
            },
        });
    }
    out
}

/// The number that a word stands for.
pub(super) fn number_word(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let found = WORDS.iter().find(|(name, _)| *name == word);
    found.map(|(_, number)| *number)
}

/// The short form of a unit that a word is by itself, as in a table's header.
pub(super) fn unit_named(word: &str) -> Option<&'static str> {
    let exact = |names: &&[&str]| names.contains(&word);
    let folded = |names: &&[&str]| {
        word.chars().count() > 2 && names.iter().any(|name| name.eq_ignore_ascii_case(word))
    };
    let found = UNITS.iter().find(|(_, names)| exact(names));
    let found = found.or_else(|| UNITS.iter().find(|(_, names)| folded(names)));
    found.map(|(short, _)| *short)
}

/// Where the digits that begin at `start` end: separators count where digits follow them, spaces
/// only before groups of three.
fn digits_end(text: &str, start: usize) -> usize {
    let run = |from: usize| {
        let rest = &text[from..];
        from + rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())
    };
    let mut end = run(start);
    loop {
        let Some(separator) = text[end..].chars().next() else {
            return end;
        };
        let next = end + separator.len_utf8();
        let after = run(next);
        let group = after - next;
        let joins = match separator {
            '.' | ',' | '\'' | '’' => group > 0,
            ' ' | '\u{a0}' | '\u{202f}' => group == 3 && end - start <= 3,
            _ => false,
        };
        if !joins {
            return end;
        }
        end = after;
    }
}

/// What digits with separators may mean, without leading and trailing zeros.
fn readings(digits: &str) -> Vec<String> {
    let parts: Vec<&str> = digits.split(|c: char| !c.is_ascii_digit()).collect();
    let separators: Vec<char> = digits.chars().filter(|c| !c.is_ascii_digit()).collect();
    let plain = |whole: &str, decimals: &str| {
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        match decimals.trim_end_matches('0') {
            "" => whole.to_owned(),
            decimals => format!("{whole}.{decimals}"),
        }
    };
    let Some((last, front)) = parts.split_last() else {
        return Vec::new();
    };
    if front.is_empty() {
        return vec![plain(last, "")];
    }
    let grouped = parts[1..].iter().all(|part| part.len() == 3) && parts[0].len() <= 3;
    let alike = separators.iter().all(|c| *c == separators[0]);
    let spaced = separators.iter().all(|c| !matches!(c, '.' | ','));
    let mut out = Vec::new();
    if grouped && alike {
        out.push(plain(&parts.concat(), ""));
    }
    let front_alike = separators[..separators.len() - 1]
        .iter()
        .all(|c| *c == separators[0]);
    if !spaced && (separators.len() == 1 || (front_alike && !alike)) {
        out.push(plain(&front.concat(), last));
    }
    if out.is_empty() {
        // A version or a section: as it stands.
        out.push(digits.to_owned());
    }
    out
}

fn is_signed(text: &str, start: usize) -> bool {
    let mut before = text[..start].chars().rev();
    let sign = before.next();
    let over = before.next();
    matches!(sign, Some('-' | '−' | '–')) && over.is_none_or(|c| c.is_whitespace() || c == '(')
}

/// Whether a word goes on at a byte.
fn continues(text: &str, end: usize) -> bool {
    text[end..]
        .chars()
        .next()
        .is_some_and(char::is_alphanumeric)
}

/// The unit that follows at a byte, a space between, and where it ends: the longest.
fn unit_after(text: &str, end: usize) -> Option<(&'static str, usize)> {
    let rest = &text[end..];
    let trimmed = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']);
    let skipped = rest.len() - trimmed.len();
    if skipped > 2 {
        return None;
    }
    let start = end + skipped;
    let fits = |name: &str, exact: bool| {
        let part = trimmed.get(..name.len())?;
        let same = if exact {
            part == name
        } else {
            part.eq_ignore_ascii_case(name)
        };
        let ends = start + name.len();
        let wordy = name.chars().next_back().is_some_and(char::is_alphabetic) && name.is_ascii();
        (same && !(wordy && continues(text, ends))).then_some(ends)
    };
    let mut best: Option<(&'static str, usize)> = None;
    for (short, names) in UNITS {
        for name in *names {
            // Short forms differ by case: `mW` and `MW`.
            let exact = name.chars().count() <= 3;
            if let Some(ends) = fits(name, exact)
                && best.is_none_or(|(_, other)| ends > other)
            {
                best = Some((short, ends));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let check = |text: &str, expected: &str| {
            let shown: Vec<String> = measures(text)
                .into_iter()
                .map(|m| {
                    format!(
                        "{}{}",
                        m.readings.join("|"),
                        m.unit.map_or(String::new(), |u| format!(" {u}"))
                    )
                })
                .collect();
            assert_eq!(shown.join("; "), expected, "{text}");
        };
        check("Tighten to 8 N·m, not 12 Nm.", "8 nm/torque; 12 nm/torque");
        check("It holds 1,000.50 l or 1.000,5 L.", "1000.5 l; 1000.5 l");
        check("1,000 and 1.5", "1000|1; 1.5");
        check("10 000 pixels", "10000 px");
        check("below −5 °C or -5°C", "-5 °C; -5 °C");
        check("5-10 mm", "5; 10 mm");
        check("code E4, screw M8, KT-3029, 3D", "3029");
        check("version 1.2.3 in 2024", "1.2.3; 2024");
        check("8mm and 40%", "8 mm; 40 %");
        check("$5 million", "5 million");
        check("0.50 kW against 0.5 kw", "0.5 kW; 0.5");
        check("10 minutes, 10 min", "10 min; 10 min");
        check("等待10分钟", "10 min");
    }
}
