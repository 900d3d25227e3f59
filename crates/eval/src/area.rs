//! Areas of boxes that may overlap.

use catena_document::BBox;

/// The area that the boxes cover together, in square points; what several cover counts once.
///
/// Exact: the plane is cut into strips at every left and right side, and in each strip the
/// heights of the boxes are merged. Boxes without extent, or with sides that are no numbers, have
/// no area.
pub(crate) fn union_area(boxes: &[BBox]) -> f64 {
    let mut boxes: Vec<[f64; 4]> = boxes
        .iter()
        .map(|b| [b.left, b.top, b.right, b.bottom].map(f64::from))
        .filter(|[left, top, right, bottom]| left < right && top < bottom)
        .collect();
    boxes.sort_by(|a, b| a[1].total_cmp(&b[1]));
    let mut sides: Vec<f64> = boxes.iter().flat_map(|b| [b[0], b[2]]).collect();
    sides.sort_by(f64::total_cmp);
    sides.dedup();
    let strips = sides.windows(2).map(|strip| {
        let across = boxes
            .iter()
            .filter(|b| b[0] <= strip[0] && b[2] >= strip[1]);
        (strip[1] - strip[0]) * merged_height(across)
    });
    strips.sum()
}

/// The height that boxes, sorted by their tops, cover together.
fn merged_height<'a>(boxes: impl Iterator<Item = &'a [f64; 4]>) -> f64 {
    let mut height = 0.0;
    let mut reached = f64::NEG_INFINITY;
    for &[_, top, _, bottom] in boxes {
        if bottom > reached {
            height += bottom - top.max(reached);
            reached = bottom;
        }
    }
    height
}

/// The area that lies both in boxes of `a` and in boxes of `b`, in square points.
pub(crate) fn shared_area(a: &[BBox], b: &[BBox]) -> f64 {
    let pairs = a.iter().flat_map(|one| {
        let shared = b.iter().filter_map(|other| one.intersection(other));
        shared.collect::<Vec<_>>()
    });
    union_area(&pairs.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boxes(sides: &[[u8; 4]]) -> Vec<BBox> {
        sides
            .iter()
            .map(|&[a, b, c, d]| BBox::new(a.into(), b.into(), c.into(), d.into()))
            .collect()
    }

    #[test]
    fn what_several_boxes_cover_counts_once() {
        let check = |sides: &[[u8; 4]], expected: f64| {
            let found = union_area(&boxes(sides));
            assert!((found - expected).abs() < 1e-9, "{sides:?}: {found}");
        };
        check(&[], 0.0);
        check(&[[0, 0, 10, 10]], 100.0);
        check(&[[0, 0, 10, 10], [0, 0, 10, 10]], 100.0);
        check(&[[0, 0, 10, 10], [20, 0, 30, 10]], 200.0);
        // A corner of 5 × 5 is shared.
        check(&[[0, 0, 10, 10], [5, 5, 15, 15]], 175.0);
        // A cross: two bars of 30 × 10 with a shared middle of 10 × 10.
        check(&[[0, 10, 30, 20], [10, 0, 20, 30]], 500.0);
        // One inside another, and one without extent.
        check(&[[0, 0, 10, 10], [2, 2, 4, 4], [50, 0, 50, 9]], 100.0);
        // Lines one below another that touch.
        check(&[[0, 0, 10, 5], [0, 5, 10, 10]], 100.0);
    }

    #[test]
    fn shared_area_of_overlapping_boxes() {
        // Both boxes of `a` cover the middle; it counts once.
        let a = boxes(&[[0, 0, 10, 10], [5, 0, 15, 10]]);
        let b = boxes(&[[0, 5, 20, 20]]);
        assert!((shared_area(&a, &b) - 75.0).abs() < 1e-9);
        assert!((shared_area(&a, &[])).abs() < 1e-9);
    }

    proptest! {
        /// Whole coordinates: counting unit squares gives the same.
        #[test]
        fn agrees_with_counting_squares(
            a in prop::collection::vec(prop::array::uniform4(0_u8..24), 0..8),
            b in prop::collection::vec(prop::array::uniform4(0_u8..24), 0..8),
        ) {
            let (a, b) = (boxes(&a), boxes(&b));
            let inside = |boxes: &[BBox], x: f32, y: f32| {
                boxes.iter().any(|b| b.contains_point(x, y))
            };
            let (mut either, mut both) = (0, 0);
            for at in 0..24 * 24 {
                let (x, y) = ((at % 24) as f32 + 0.5, (at / 24) as f32 + 0.5);
                either += usize::from(inside(&a, x, y) || inside(&b, x, y));
                both += usize::from(inside(&a, x, y) && inside(&b, x, y));
            }
            let all: Vec<BBox> = a.iter().chain(&b).copied().collect();
            prop_assert!((union_area(&all) - either as f64).abs() < 1e-6);
            prop_assert!((shared_area(&a, &b) - both as f64).abs() < 1e-6);
        }
    }
}
