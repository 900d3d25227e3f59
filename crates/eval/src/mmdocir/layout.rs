//! How much of the gold boxes do the boxes of the best units cover?

use crate::area::{shared_area, union_area};
use crate::record::Region;
use catena_document::{BBox, Page, Provenance};
use std::collections::BTreeSet;

/// The units whose boxes count.
const UNITS: usize = 10;
/// A box of this share of its page or more is the page: its unit says nothing about the layout.
const WHOLE_PAGE: f32 = 0.95;

/// What the boxes of the best units cover.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Coverage {
    /// The share of the gold area that they cover.
    pub(super) recall: f64,
    /// The share of their area that is gold; 0 where there is no box.
    pub(super) precision: f64,
}

/// Compares the boxes of the ten best units with the gold boxes, page by page; area that several
/// boxes cover counts once. What of a box lies off its page is left out.
///
/// A unit with a box of a whole page has its place among the ten but no area.
pub(super) fn coverage(units: &[&[Provenance]], gold: &[Region], pages: &[Page]) -> Coverage {
    let page_of = |number: u32| pages.iter().find(|page| page.number == number);
    let on_page = |number: u32, bbox: BBox| match page_of(number) {
        Some(page) => bbox.intersection(&BBox::new(0.0, 0.0, page.width, page.height)),
        None => Some(bbox),
    };
    let whole = |place: &Provenance| {
        page_of(place.page)
            .is_some_and(|page| place.bbox.area() >= WHOLE_PAGE * page.width * page.height)
    };
    let found: Vec<(u32, BBox)> = units
        .iter()
        .take(UNITS)
        .filter(|places| !places.iter().any(whole))
        .flat_map(|places| places.iter())
        .filter_map(|place| Some((place.page, on_page(place.page, place.bbox)?)))
        .collect();
    let gold: Vec<(u32, BBox)> = gold
        .iter()
        .filter_map(|region| {
            let [left, top, right, bottom] = region.bbox;
            let bbox = BBox::new(left, top, right, bottom);
            Some((region.page, on_page(region.page, bbox)?))
        })
        .collect();
    let numbers: BTreeSet<u32> = found.iter().chain(&gold).map(|&(page, _)| page).collect();
    let (mut shared, mut found_area, mut gold_area) = (0.0, 0.0, 0.0);
    for number in numbers {
        let on = |boxes: &[(u32, BBox)]| -> Vec<BBox> {
            let here = boxes.iter().filter(|(page, _)| *page == number);
            here.map(|&(_, bbox)| bbox).collect()
        };
        let (found, gold) = (on(&found), on(&gold));
        shared += shared_area(&found, &gold);
        found_area += union_area(&found);
        gold_area += union_area(&gold);
    }
    let share = |of: f64| if of > 0.0 { shared / of } else { 0.0 };
    Coverage {
        recall: share(gold_area).min(1.0),
        precision: share(found_area).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(places: &[(u32, [f32; 4])]) -> Vec<Provenance> {
        places
            .iter()
            .map(|&(page, [left, top, right, bottom])| Provenance {
                page,
                bbox: BBox::new(left, top, right, bottom),
                char_span: 0..0,
            })
            .collect()
    }

    fn check(units: &[Vec<Provenance>], gold: &[(u32, [f32; 4])], expected: (f64, f64)) {
        let pages: Vec<Page> = (1..=2)
            .map(|number| Page {
                number,
                width: 100.0,
                height: 100.0,
                rotation: 0,
                label: None,
            })
            .collect();
        let gold: Vec<Region> = gold
            .iter()
            .map(|&(page, bbox)| Region { page, bbox })
            .collect();
        let units: Vec<&[Provenance]> = units.iter().map(Vec::as_slice).collect();
        let found = coverage(&units, &gold, &pages);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        assert!(
            near(found.recall, expected.0) && near(found.precision, expected.1),
            "{found:?}, expected {expected:?}"
        );
    }

    #[test]
    fn boxes_cover_gold_on_their_own_page() {
        let left = (1, [0.0, 0.0, 50.0, 50.0]);
        let right = (1, [50.0, 0.0, 100.0, 50.0]);
        // Half of the gold, and all that was found is gold.
        check(
            &[unit(&[left])],
            &[(1, [0.0, 0.0, 100.0, 50.0])],
            (0.5, 1.0),
        );
        // The same box on another page covers nothing.
        check(&[unit(&[left])], &[(2, [0.0, 0.0, 50.0, 50.0])], (0.0, 0.0));
        // The same box found twice, and once more inside another: 2500 of 5000 is gold.
        let units = [unit(&[left]), unit(&[left, right])];
        check(&units, &[left], (1.0, 0.5));
        // Two gold boxes that overlap: 7500 in all, 2500 of it found.
        let gold = [left, (1, [0.0, 0.0, 75.0, 100.0])];
        check(&[unit(&[left])], &gold, (1.0 / 3.0, 1.0));
        // Half of this box lies off the page.
        check(
            &[unit(&[(1, [50.0, 0.0, 150.0, 50.0])])],
            &[right],
            (1.0, 1.0),
        );
        check(&[], &[left], (0.0, 0.0));
        check(&[unit(&[left])], &[], (0.0, 0.0));
    }

    #[test]
    fn a_whole_page_has_a_place_but_no_area() {
        let gold = (1, [0.0, 0.0, 50.0, 50.0]);
        let page = unit(&[(1, [0.0, 0.0, 100.0, 96.0])]);
        check(std::slice::from_ref(&page), &[gold], (0.0, 0.0));
        let mut units = vec![page; 9];
        units.push(unit(&[gold]));
        check(&units, &[gold], (1.0, 1.0));
        units.insert(0, unit(&[]));
        check(&units, &[gold], (0.0, 0.0));
        check(
            &[unit(&[(1, [0.0, 0.0, 100.0, 94.0])])],
            &[gold],
            (1.0, 2500.0 / 9400.0),
        );
    }
}
