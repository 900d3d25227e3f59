//! The numbers that are printed on the pages.

use super::destination::catalog;
use super::furniture;
use super::outline::text_string;
use super::page::PageText;
use crate::numbering::{alphabetic, roman};
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::dict::keys::{KIDS, P, S};
use hayro::hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};

/// Nodes of the tree of labels visited at most.
const MAX_TREE: usize = 10_000;

/// The label of each page: the number seen on it, else what the file says where that agrees with
/// what is seen on other pages, else the number that pages before and after lead to.
pub(super) fn labels(pdf: &Pdf, pages: &[PageText]) -> Vec<Option<String>> {
    let seen = furniture::printed_numbers(pages);
    let told = told(pdf, pages.len());
    let shown = seen.iter().zip(&told).filter_map(|(seen, told)| {
        let seen = seen.as_ref()?.to_string();
        Some(told.as_ref() == Some(&seen))
    });
    let (mut agree, mut all) = (0, 0);
    for same in shown {
        agree += usize::from(same);
        all += 1;
    }
    let trusted = agree * 10 >= all * 8;
    // By how much the number on the nearest page before and after differs from the place.
    let offsets = |pages: &mut dyn Iterator<Item = usize>| {
        let mut last = None;
        let mut out = vec![None; seen.len()];
        for at in pages {
            last = seen[at].map(|number| number - at as i64).or(last);
            out[at] = last;
        }
        out
    };
    let before = offsets(&mut (0..seen.len()));
    let after = offsets(&mut (0..seen.len()).rev());
    (0..seen.len())
        .map(|at| {
            let led = before[at].filter(|&offset| after[at] == Some(offset));
            let led = led.map(|offset| (offset + at as i64).to_string());
            let told = told[at].clone().filter(|_| trusted);
            seen[at].map(|number| number.to_string()).or(told).or(led)
        })
        .collect()
}

/// The labels that the file gives.
fn told(pdf: &Pdf, pages: usize) -> Vec<Option<String>> {
    let mut out = vec![None; pages];
    let root = catalog(pdf).and_then(|catalog| catalog.get::<Dict<'_>>(b"PageLabels"));
    let mut ranges: Vec<(usize, Dict<'_>)> = Vec::new();
    let mut stack: Vec<Dict<'_>> = root.into_iter().collect();
    let mut visited = 0;
    while let Some(node) = stack.pop() {
        visited += 1;
        if visited > MAX_TREE {
            break;
        }
        if let Some(numbers) = node.get::<Array<'_>>(b"Nums") {
            let mut items = numbers.iter::<Object<'_>>();
            while let (Some(first), Some(range)) = (items.next(), items.next()) {
                if let (Object::Number(first), Object::Dict(range)) = (first, range)
                    && let Ok(first) = usize::try_from(first.as_i64())
                    && first < pages
                {
                    ranges.push((first, range));
                }
            }
        }
        if let Some(kids) = node.get::<Array<'_>>(KIDS) {
            stack.extend(kids.iter::<Dict<'_>>().take(MAX_TREE));
        }
    }
    ranges.sort_by_key(|(first, _)| *first);
    for (place, (first, range)) in ranges.iter().enumerate() {
        let end = ranges.get(place + 1).map_or(pages, |(next, _)| *next);
        for (own, at) in out[*first..end].iter_mut().zip(0..) {
            *own = label(range, at);
        }
    }
    out
}

/// The label of the page at a place of a range.
fn label(range: &Dict<'_>, place: usize) -> Option<String> {
    let prefix = range.get::<PdfString<'_>>(P);
    let prefix = prefix.map(|prefix| text_string(prefix.as_bytes()));
    let number = range
        .get::<i64>(b"St")
        .unwrap_or(1)
        .checked_add(place as i64)?;
    let style = range.get::<Name<'_>>(S);
    let number = match style.as_deref() {
        Some(b"D") => number.to_string(),
        Some(b"r") => roman(number)?,
        Some(b"R") => roman(number)?.to_uppercase(),
        Some(b"a") => letters(number)?,
        Some(b"A") => letters(number)?.to_uppercase(),
        _ => String::new(),
    };
    let label = format!("{}{number}", prefix.unwrap_or_default());
    (!label.is_empty()).then_some(label)
}

/// `a` to `z`, then `aa` to `zz`.
fn letters(number: i64) -> Option<String> {
    let letter = alphabetic((number - 1).rem_euclid(26) + 1)?;
    let times = usize::try_from((number - 1) / 26 + 1).ok()?;
    (number > 0 && times < 100).then(|| letter.repeat(times))
}
