//! Changing files so that they are wrong in ways in which files are wrong, and in others.

use crate::make::{Parts, archive};
use std::ops::Range;

/// Bytes that an input may grow to.
const MAX_BYTES: usize = 2 << 20;
/// Changes made to one input at most.
const MAX_CHANGES: usize = 12;
/// Numbers that readers get wrong.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "9",
    "63",
    "64",
    "127",
    "128",
    "255",
    "256",
    "1000",
    "32767",
    "65535",
    "65536",
    "1048576",
    "16777216",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "99999999999999999999",
    "0.0001",
    "1e-30",
    "1e30",
    "1e308",
    "-1e308",
    "NaN",
    "inf",
];

/// A sequence of numbers that look random; the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    /// The sequence of an input: its number and the seed tell it.
    pub(crate) fn new(seed: u64, input: u64) -> Self {
        let mut random = Self(seed ^ input.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    /// The next number (splitmix64).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 where that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }

    /// A length, more often a short one.
    fn length(&mut self, most: usize) -> usize {
        let scale = 1 << self.below(16);
        self.below(scale).min(most)
    }

    /// A piece of `length` places at most.
    fn range(&mut self, length: usize) -> Range<usize> {
        let start = self.below(length);
        let end = start + self.length(length - start);
        start..end
    }
}

/// What the pieces of a file are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Tags and the texts between them.
    Markup,
    /// Lines.
    Lines,
    /// Words, as in a PDF.
    Words,
    /// Single bytes.
    Bytes,
    /// The chunks of a PNG, each with a checksum that is set right again.
    Png,
}

/// A sound file to begin with.
#[derive(Clone)]
pub(crate) enum Seed {
    File(Syntax, Vec<u8>),
    /// The parts of an archive.
    Archive(Parts),
}

/// An input out of one of the seeds, with pieces of the others in it.
pub(crate) fn input(seeds: &[Seed], random: &mut Random) -> Vec<u8> {
    let mut seed = seeds[random.below(seeds.len())].clone();
    let other = seeds[random.below(seeds.len())].clone();
    let changes = 1 + random.below(MAX_CHANGES);
    match (&mut seed, &other) {
        (Seed::File(syntax, bytes), Seed::File(_, other)) => {
            for _ in 0..changes {
                change(*syntax, bytes, other, random);
            }
            finish(*syntax, std::mem::take(bytes), random)
        }
        (Seed::Archive(parts), Seed::Archive(other)) => {
            for _ in 0..changes {
                change_parts(parts, other, random);
            }
            let mut bytes = archive(parts);
            if random.one_in(8) {
                let other = bytes.clone();
                change(Syntax::Bytes, &mut bytes, &other, random);
            }
            bytes
        }
        (Seed::File(_, bytes), _) => std::mem::take(bytes),
        (Seed::Archive(parts), _) => archive(parts),
    }
}

/// Sets right what would hide all other changes; sometimes writes a text in another encoding.
fn finish(syntax: Syntax, bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    match syntax {
        Syntax::Png if !random.one_in(8) => with_checksums(bytes),
        Syntax::Markup | Syntax::Lines if random.one_in(16) => encoded(&bytes, random),
        _ => bytes,
    }
}

fn encoded(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut out = Vec::new();
    match random.below(4) {
        0 => out.extend(
            std::iter::once(0xfeff)
                .chain(text.encode_utf16())
                .flat_map(u16::to_le_bytes),
        ),
        1 => out.extend(
            std::iter::once(0xfeff)
                .chain(text.encode_utf16())
                .flat_map(u16::to_be_bytes),
        ),
        2 => out.extend(text.chars().map(|c| u8::try_from(c).unwrap_or(0x80))),
        _ => out.extend([b"\xef\xbb\xbf", bytes].concat()),
    }
    out
}

/// Changes the parts of an archive: mostly one of them, else which there are.
fn change_parts(parts: &mut Parts, other: &Parts, random: &mut Random) {
    let at = random.below(parts.len());
    let (from, piece) = (random.below(parts.len()), random.below(other.len()));
    if parts.is_empty() || other.is_empty() {
        return;
    }
    match random.below(24) {
        0 => drop(parts.remove(at)),
        1 => parts[at].1.clone_from(&other[piece].1),
        2 => parts[at].1 = parts[from].1.clone(),
        3 => parts.swap(at, from),
        4 => {
            let name = parts[from].0.clone();
            parts[at].0 = name;
        }
        _ => {
            let syntax = if parts[at].1.starts_with(b"<") {
                Syntax::Markup
            } else {
                Syntax::Bytes
            };
            let mut content = std::mem::take(&mut parts[at].1);
            change(syntax, &mut content, &other[piece].1, random);
            parts[at].1 = content;
        }
    }
}

/// Makes one change.
fn change(syntax: Syntax, bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let by_pieces = !matches!(syntax, Syntax::Bytes | Syntax::Png);
    if by_pieces && random.below(3) > 0 {
        change_pieces(syntax, bytes, other, random);
    } else {
        change_bytes(bytes, other, random);
    }
    bytes.truncate(MAX_BYTES);
}

fn change_bytes(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len());
    let range = random.range(bytes.len());
    match random.below(12) {
        0 | 1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        2 | 3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = [0, 1, 0x7f, 0x80, 0xff, b'<', b'&', b' '][random.below(8)];
            }
        }
        4 => drop(bytes.drain(range)),
        5 => drop(bytes.splice(range, other[random.range(other.len())].iter().copied())),
        6 => {
            let piece = bytes[range].to_vec();
            drop(bytes.splice(at..at, piece));
        }
        7 => {
            let noise: Vec<u8> = (0..random.length(64))
                .map(|_| random.next() as u8)
                .collect();
            drop(bytes.splice(at..at, noise));
        }
        8 if random.one_in(4) => bytes.truncate(at),
        9 => {
            // A field of four bytes, in either order.
            let value = NUMBERS[random.below(NUMBERS.len())]
                .parse()
                .unwrap_or(i64::MAX) as u32;
            let field = if random.one_in(2) {
                value.to_le_bytes()
            } else {
                value.to_be_bytes()
            };
            for (byte, new) in bytes.iter_mut().skip(at).zip(field) {
                *byte = new;
            }
        }
        _ => change_number(bytes, at, random),
    }
}

/// Puts another number in place of the next one.
fn change_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let tail = &bytes[at.min(bytes.len())..];
    let Some(start) = tail.iter().position(is_digit) else {
        return;
    };
    let length = tail[start..]
        .iter()
        .take_while(|byte| is_digit(byte))
        .count();
    let small = random.below(40).to_string();
    let number = if random.one_in(2) {
        &small
    } else {
        NUMBERS[random.below(NUMBERS.len())]
    };
    let number = number.as_bytes().to_vec();
    drop(bytes.splice(at + start..at + start + length, number));
}

/// Changes whole pieces: leaves out, repeats, moves, swaps, nests, and takes over from another.
fn change_pieces(syntax: Syntax, bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let own = pieces(syntax, bytes);
    let others = pieces(syntax, other);
    let (Some(one), Some(two)) = (random.pick(&own).cloned(), random.pick(&own).cloned()) else {
        return;
    };
    let run = random.range(own.len());
    let run = own[run.start].start
        ..own[run.end.max(run.start)..]
            .first()
            .map_or(bytes.len(), |end| end.start);
    let foreign = random
        .pick(&others)
        .cloned()
        .map_or(Vec::new(), |piece| other[piece].to_vec());
    let (first, second) = (bytes[one.clone()].to_vec(), bytes[two.clone()].to_vec());
    match random.below(9) {
        0 => drop(bytes.drain(run)),
        1 => {
            let piece = bytes[run].to_vec();
            drop(bytes.splice(one.start..one.start, piece));
        }
        2 => drop(bytes.splice(one, second)),
        3 => drop(bytes.splice(one, foreign)),
        4 => drop(bytes.splice(one.start..one.start, foreign)),
        5 => {
            // As deep or as long as a reader may fear, but seldom.
            let piece = bytes[run].to_vec();
            let most = (MAX_BYTES / 8 / piece.len().max(1)).min(1 << random.below(15));
            drop(bytes.splice(one.start..one.start, piece.repeat(most)));
        }
        6 => {
            let most = (MAX_BYTES / 8 / first.len().max(1)).min(1 << random.below(15));
            drop(bytes.splice(two.start..two.start, first.repeat(most)));
        }
        7 => {
            if one.end <= two.start {
                bytes.splice(two, first);
                bytes.splice(one, second);
            }
        }
        _ => change_number(bytes, one.start, random),
    }
}

/// Where the pieces of a file are; they lie side by side.
fn pieces(syntax: Syntax, bytes: &[u8]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let (before, after) = match syntax {
            Syntax::Markup => (byte == b'<', byte == b'>'),
            Syntax::Lines => (false, byte == b'\n'),
            Syntax::Words => (
                matches!(byte, b'/' | b'[' | b']' | b'<' | b'>' | b'('),
                matches!(byte, b' ' | b'\n' | b')'),
            ),
            Syntax::Bytes | Syntax::Png => (false, true),
        };
        if before && at > start {
            out.push(start..at);
            start = at;
        }
        if after {
            out.push(start..at + 1);
            start = at + 1;
        }
    }
    if start < bytes.len() {
        out.push(start..bytes.len());
    }
    out
}

/// A PNG whose chunks have the checksums of what they hold.
fn with_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4) {
        let length = length
            .iter()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        let end = at + 8 + length;
        let Some(content) = bytes.get(at + 4..end) else {
            break;
        };
        let sum = crc32(content).to_be_bytes();
        let Some(place) = bytes.get_mut(end..end + 4) else {
            break;
        };
        place.copy_from_slice(&sum);
        at = end + 4;
    }
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, &byte: &u8| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
        })
    };
    !bytes.iter().fold(!0, step)
}
