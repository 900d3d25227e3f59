//! Bytes become text, in any encoding.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes searched for a declared encoding.
const HEAD: usize = 4096;
/// Bytes looked at to guess an encoding that nothing declares.
const SAMPLE: usize = 1 << 20;

/// The text of an HTML file: by its byte order mark, its `<meta>` or XML declaration, else by its
/// bytes.
pub(super) fn decode_html(bytes: &[u8]) -> String {
    decode(bytes, declared(&bytes[..bytes.len().min(HEAD)]))
}

/// The text of a file that cannot declare its encoding.
pub(crate) fn decode_text(bytes: &[u8]) -> String {
    decode(bytes, None)
}

fn decode(bytes: &[u8], declared: Option<&'static Encoding>) -> String {
    let encoding = match Encoding::for_bom(bytes) {
        Some((marked, _)) => marked,
        None => chosen(bytes, declared),
    };
    let (text, _, _) = encoding.decode(bytes);
    text.into_owned()
}

/// The encoding of bytes without a mark. What is valid UTF-8 beyond ASCII is hardly ever anything
/// else, whatever a template declares; only a declared double-byte encoding is believed first.
fn chosen(bytes: &[u8], declared: Option<&'static Encoding>) -> &'static Encoding {
    let utf8 = std::str::from_utf8(bytes).is_ok();
    match declared {
        Some(encoding) if !encoding.is_single_byte() && encoding != UTF_8 => encoding,
        _ if utf8 => UTF_8,
        Some(encoding) if encoding != UTF_8 => encoding,
        // UTF-8 with a few bad bytes stays UTF-8.
        Some(_) if mostly_utf8(bytes) => UTF_8,
        _ => guessed(bytes),
    }
}

/// Whether at most one byte in a hundred is no part of a UTF-8 character.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let bad: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    bad <= bytes.len() / 100
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(SAMPLE)], bytes.len() <= SAMPLE);
    detector.guess(None, Utf8Detection::Allow)
}

/// The encoding that `<meta charset>`, `<meta content="…charset=…">` or `<?xml encoding?>` names.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let head: String = head
        .iter()
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    let xml = head
        .trim_start()
        .strip_prefix("<?xml")
        .and_then(|rest| label_after(rest.split("?>").next()?, "encoding"));
    let meta = || {
        head.split("<meta")
            .skip(1)
            .find_map(|rest| label_after(rest.split('>').next()?, "charset"))
    };
    let encoding = Encoding::for_label(xml.or_else(meta)?.as_bytes())?;
    // A file whose declaration can be read byte by byte is not in UTF-16.
    let utf16 = encoding == UTF_16LE || encoding == UTF_16BE;
    Some(if utf16 { UTF_8 } else { encoding })
}

/// The value after `name=`, quoted or not.
fn label_after<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = text.split(name).nth(1)?.trim_start().strip_prefix('=')?;
    let rest = rest.trim_start().trim_start_matches(['"', '\'']);
    let end = rest
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '/' | '>'))
        .unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}
