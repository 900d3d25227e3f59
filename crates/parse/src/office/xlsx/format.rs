//! Numbers and dates as a sheet displays them.

/// Digits after the point that are printed at most.
const MAX_DECIMALS: usize = 20;
/// The day after the last that Excel knows.
const END_OF_TIME: f64 = 2_958_466.0;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// The formats that files name by number only. Those of dates that follow the machine's country
/// are written so that none can be mistaken.
#[rustfmt::skip]
pub(super) fn built_in(id: i64) -> Option<&'static str> {
    Some(match id {
        1 => "0", 2 => "0.00",
        3 | 5 | 6 | 37 | 38 | 41 | 42 => "#,##0", 4 | 7 | 8 | 39 | 40 | 43 | 44 => "#,##0.00",
        9 => "0%", 10 => "0.00%", 11 => "0.00E+00",
        14 | 27..=31 | 36 | 50..=58 => "yyyy-mm-dd",
        15 => "d-mmm-yy", 16 => "d-mmm", 17 => "mmm-yy",
        18 => "h:mm AM/PM", 19 => "h:mm:ss AM/PM", 20 | 32 => "h:mm", 21 | 33 => "h:mm:ss",
        22 => "yyyy-mm-dd h:mm",
        45 => "mm:ss", 46 => "[h]:mm:ss", 47 => "mm:ss.0", 48 => "##0.0E+0", 49 => "@",
        _ => return None,
    })
}

/// A part of a format.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Literal(String),
    /// Places for digits with points and commas: `#,##0.00`.
    Digits(String),
    Percent,
    Exponent,
    /// A letter of a date, and how often it stands there.
    Date(char, usize),
    /// Hours, minutes or seconds beyond a day: `[h]`.
    Elapsed(char),
    HalfDay,
}

/// A number as the format has it.
pub(super) fn display(number: f64, code: &str, from_1904: bool) -> String {
    let sections = sections(code);
    let at = match sections.len() {
        0 => return general(number),
        1 => 0,
        _ if number < 0.0 => 1,
        2 => 0,
        _ if number == 0.0 => 2,
        _ => 0,
    };
    let section = &sections[at];
    if section.trim().is_empty() && sections.len() > 1 {
        return String::new();
    }
    let tokens = tokens(section);
    let dated = |token: &Token| matches!(token, Token::Date(..) | Token::Elapsed(_));
    if tokens.iter().any(dated) {
        return date(number, &tokens, from_1904).unwrap_or_else(|| general(number));
    }
    let size = if at == 1 { number.abs() } else { number };
    plain(size, &tokens).unwrap_or_else(|| general(number))
}

/// A number without a format.
pub(super) fn general(number: f64) -> String {
    let size = number.abs();
    if number.fract().abs() < f64::EPSILON && size < 1e15 {
        return format!("{}", number as i64);
    }
    if !(1e-5..1e15).contains(&size) {
        return format!("{number:.5E}");
    }
    let before = size.log10().floor().max(0.0) as usize;
    let decimals = 10_usize.saturating_sub(before);
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The sections of a format: for positive numbers, negative ones, zero and text.
fn sections(code: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            ';' if !quoted => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        let Some(last) = out.last_mut() else { break };
        last.push(c);
        if c == '\\'
            && !quoted
            && let Some(escaped) = chars.next()
        {
            last.push(escaped);
        }
    }
    out
}

fn tokens(section: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut rest = section;
    while let Some(c) = rest.chars().next() {
        let lower = c.to_ascii_lowercase();
        let mut length = c.len_utf8();
        match lower {
            '"' => {
                let inside = &rest[1..];
                let end = inside.find('"').unwrap_or(inside.len());
                literal(&inside[..end], &mut out);
                length = (end + 2).min(rest.len());
            }
            '\\' | '_' | '*' => {
                let next = rest[1..].chars().next();
                if let Some(next) = next.filter(|_| c == '\\') {
                    literal(next.encode_utf8(&mut [0; 4]), &mut out);
                } else if c == '_' {
                    literal(" ", &mut out);
                }
                length += next.map_or(0, char::len_utf8);
            }
            '[' => {
                let end = rest.find(']').map_or(rest.len(), |at| at + 1);
                bracket(rest[1..end].trim_end_matches(']'), &mut out);
                length = end;
            }
            '0' | '#' | '?' => {
                let end = rest
                    .find(|c| !matches!(c, '0' | '#' | '?' | '.' | ','))
                    .unwrap_or(rest.len());
                out.push(Token::Digits(rest[..end].to_owned()));
                length = end;
            }
            '%' => out.push(Token::Percent),
            'e' if rest[1..].starts_with(['+', '-']) => {
                out.push(Token::Exponent);
                length = 2;
            }
            'a' if rest.to_ascii_lowercase().starts_with("am/pm") => {
                out.push(Token::HalfDay);
                length = 5;
            }
            'g' if rest.to_ascii_lowercase().starts_with("general") => {
                out.push(Token::Digits(String::new()));
                length = 7;
            }
            'y' | 'm' | 'd' | 'h' | 's' => {
                let end = rest
                    .find(|c: char| c.to_ascii_lowercase() != lower)
                    .unwrap_or(rest.len());
                out.push(Token::Date(lower, end));
                length = end;
            }
            '@' => out.push(Token::Digits(String::new())),
            _ => literal(&rest[..length], &mut out),
        }
        rest = &rest[length..];
    }
    out
}

fn literal(text: &str, out: &mut Vec<Token>) {
    match out.last_mut() {
        Some(Token::Literal(last)) => last.push_str(text),
        _ => out.push(Token::Literal(text.to_owned())),
    }
}

/// `[h]` counts hours, `[$€-407]` is a currency; the rest are colours and conditions.
fn bracket(inside: &str, out: &mut Vec<Token>) {
    let lower = inside.to_ascii_lowercase();
    let first = lower.chars().next();
    if let Some(unit @ ('h' | 'm' | 's')) = first
        && lower.chars().all(|c| c == unit)
    {
        out.push(Token::Elapsed(unit));
    } else if let Some(currency) = inside.strip_prefix('$') {
        literal(currency.split('-').next().unwrap_or_default(), out);
    }
}

/// A number that is no date; `None` for formats with several numbers, such as fractions.
fn plain(number: f64, tokens: &[Token]) -> Option<String> {
    let digits: Vec<&String> = tokens
        .iter()
        .filter_map(|token| match token {
            Token::Digits(digits) => Some(digits),
            _ => None,
        })
        .collect();
    let scientific = tokens.contains(&Token::Exponent);
    let expected = 1 + usize::from(scientific);
    if digits.is_empty() {
        let literals = tokens.iter().filter_map(|token| match token {
            Token::Literal(text) => Some(text.as_str()),
            Token::Percent => Some("%"),
            _ => None,
        });
        let text: String = literals.collect();
        return Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    }
    if digits.len() != expected {
        return None;
    }
    let percents = tokens
        .iter()
        .filter(|&token| *token == Token::Percent)
        .count();
    let number = number * 100_f64.powi(percents.min(3) as i32);
    let body = if scientific {
        scientific_text(number.abs(), digits[0])
    } else {
        grouped(number.abs(), digits[0])
    };
    let mut out = String::new();
    let mut written = false;
    for token in tokens {
        match token {
            Token::Literal(text) => out.push_str(text),
            Token::Percent => out.push('%'),
            Token::Digits(_) if !written => {
                written = true;
                out.push_str(&body);
            }
            _ => {}
        }
    }
    let out = out.trim();
    let zero = !body.contains(|c: char| matches!(c, '1'..='9'));
    Some(if number < 0.0 && !zero {
        format!("-{out}")
    } else {
        out.to_owned()
    })
}

fn scientific_text(number: f64, digits: &str) -> String {
    let decimals = decimals(digits).len().min(MAX_DECIMALS);
    let text = format!("{number:.decimals$E}");
    let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}E{sign}{:02}", exponent.abs())
}

/// A number rounded to so many decimals, a half away from zero, as a sheet shows it.
fn half_up(number: f64, decimals: usize) -> f64 {
    let scale = 10_f64.powi(decimals as i32);
    let scaled = number * scale;
    // A half that binary digits miss by a hair is a half all the same.
    let rounded = (scaled + scaled.signum() * 1e-9).round() / scale;
    if rounded.is_finite() { rounded } else { number }
}

/// The places behind the point.
fn decimals(digits: &str) -> &str {
    let after = digits.split_once('.').map_or("", |(_, after)| after);
    after.trim_end_matches(',')
}

/// A number above zero in the digits of a format like `#,##0.00`.
fn grouped(number: f64, digits: &str) -> String {
    if digits.is_empty() {
        return general(number);
    }
    let scale = digits.len() - digits.trim_end_matches(',').len();
    let number = number / 1000_f64.powi(scale.min(4) as i32);
    let whole = digits
        .trim_end_matches(',')
        .split('.')
        .next()
        .unwrap_or_default();
    let places = decimals(digits);
    let count = places.len().min(MAX_DECIMALS);
    let text = format!("{:.count$}", half_up(number, count));
    let (before, after) = text.split_once('.').unwrap_or((&text, ""));
    let least = whole.chars().filter(|&c| c == '0').count();
    let before = if before == "0" && least == 0 {
        ""
    } else {
        before
    };
    let mut padded = format!("{before:0>least$}");
    if whole.contains(',') {
        padded = with_commas(&padded);
    }
    let must = places.rfind('0').map_or(0, |at| at + 1);
    let mut after = after.to_owned();
    while after.len() > must && after.ends_with('0') {
        after.pop();
    }
    if after.is_empty() {
        if padded.is_empty() {
            "0".to_owned()
        } else {
            padded
        }
    } else {
        format!("{padded}.{after}")
    }
}

fn with_commas(digits: &str) -> String {
    let mut out = String::new();
    for (at, c) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A moment: its day and time.
struct Moment {
    year: i64,
    month: usize,
    day: i64,
    weekday: usize,
    seconds: f64,
}

/// The moment of a day number with its fraction.
fn moment(number: f64, from_1904: bool) -> Option<Moment> {
    let number = if from_1904 { number + 1462.0 } else { number };
    if !(0.0..END_OF_TIME).contains(&number) {
        return None;
    }
    // The half of the smallest second shown keeps 12:00:00 from becoming 11:59:59.
    let number = number + 0.000_5 / 86_400.0;
    let days = number.floor() as i64;
    // Excel takes 1900 for a leap year.
    let since_epoch = days - 25_569 + i64::from(days < 60);
    let (year, month, day) = civil(since_epoch);
    Some(Moment {
        year,
        month,
        day,
        weekday: ((days + 6) % 7) as usize,
        seconds: (number - number.floor()) * 86_400.0,
    })
}

/// Year, month (from 1) and day of a day counted from 1 January 1970.
fn civil(days: i64) -> (i64, usize, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    (
        year + era * 400 + i64::from(month <= 2),
        month as usize,
        day,
    )
}

fn date(number: f64, tokens: &[Token], from_1904: bool) -> Option<String> {
    let moment = moment(number, from_1904)?;
    let total = (number * 86_400.0).round() as i64;
    let halves = tokens.contains(&Token::HalfDay);
    let (hour, minute) = (
        (moment.seconds / 3600.0) as i64,
        (moment.seconds / 60.0) as i64 % 60,
    );
    let shown_hour = if halves { (hour + 11) % 12 + 1 } else { hour };
    let mut out = String::new();
    let mut after_hours = false;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens[at + 1..]
            .iter()
            .find(|token| matches!(token, Token::Date(..)));
        let before_seconds = matches!(next, Some(Token::Date('s', _)));
        let text = match token {
            Token::Literal(text) => text.clone(),
            Token::HalfDay => if hour < 12 { "AM" } else { "PM" }.to_owned(),
            Token::Elapsed(unit) => {
                after_hours = *unit == 'h';
                let size = match unit {
                    'h' => 3600,
                    'm' => 60,
                    _ => 1,
                };
                (total / size).to_string()
            }
            Token::Date('m', count) if after_hours || before_seconds => {
                after_hours = false;
                padded(minute, *count)
            }
            Token::Date(letter, count) => {
                after_hours = *letter == 'h';
                part(&moment, *letter, *count, shown_hour)
            }
            // Fractions of a second.
            Token::Digits(digits) if digits.starts_with(['0', '.']) => {
                let places = digits.trim_start_matches('.').len().clamp(1, 3);
                let fraction = format!("{:.places$}", (moment.seconds - 0.000_5).max(0.0).fract());
                fraction.trim_start_matches(['0', '.']).to_owned()
            }
            _ => String::new(),
        };
        out.push_str(&text);
    }
    Some(out.trim().to_owned())
}

fn padded(number: i64, count: usize) -> String {
    if count > 1 {
        format!("{number:02}")
    } else {
        number.to_string()
    }
}

fn part(moment: &Moment, letter: char, count: usize, hour: i64) -> String {
    let month = MONTHS[(moment.month - 1).min(11)];
    let weekday = DAYS[moment.weekday.min(6)];
    match (letter, count) {
        ('y', 1 | 2) => format!("{:02}", moment.year % 100),
        ('y', _) => moment.year.to_string(),
        ('m', 1 | 2) => padded(moment.month as i64, count),
        ('m', 3) => month[..3].to_owned(),
        ('m', 5) => month[..1].to_owned(),
        ('m', _) => month.to_owned(),
        ('d', 1 | 2) => padded(moment.day, count),
        ('d', 3) => weekday[..3].to_owned(),
        ('d', _) => weekday.to_owned(),
        ('h', _) => padded(hour, count),
        _ => padded(moment.seconds as i64 % 60, count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_as_displayed() {
        for (number, code, expected) in [
            (1234.5, "General", "1234.5"),
            (0.1 + 0.2, "General", "0.3"),
            (-3.0, "General", "-3"),
            (0.0, "General", "0"),
            (123_456_789_012.0, "General", "123456789012"),
            (1_234_567.891, "#,##0.00", "1,234,567.89"),
            (0.256, "0.0%", "25.6%"),
            (-5.0, "0;(0)", "(5)"),
            (-5.25, "0.0", "-5.3"),
            (-0.01, "0", "0"),
            (7.0, "000", "007"),
            (0.5, "#.##", ".5"),
            (1_500_000.0, "0.0,,\" M\"", "1.5 M"),
            (12.5, "[$€-407]\\ #,##0.00", "€ 12.50"),
            (12.5, "_-* #,##0.00\\ \"kr\"_-;[Red]-* #,##0.00", "12.50 kr"),
            (12345.0, "0.00E+00", "1.23E+04"),
            (0.5, "# ?/?", "0.5"),
            (0.0, "0;-0;\"none\"", "none"),
            (45_000.0, "yyyy-mm-dd", "2023-03-15"),
            (45_000.75, "d mmm yyyy h:mm AM/PM", "15 Mar 2023 6:00 PM"),
            (45_000.5, "dddd", "Wednesday"),
            (1.0, "yyyy-mm-dd", "1900-01-01"),
            (61.0, "yyyy-mm-dd", "1900-03-01"),
            (1.5, "[h]:mm:ss", "36:00:00"),
            (0.520_833_333_333, "h:mm:ss", "12:30:00"),
            (-1.0, "yyyy", "-1"),
            (1e300, "yyyy", "1.00000E300"),
        ] {
            assert_eq!(display(number, code, false), expected, "{number} {code}");
        }
        assert_eq!(display(0.0, "yyyy-mm-dd", true), "1904-01-01");
    }
}
