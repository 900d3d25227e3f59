//! Where the boxes and arrows of a graph of hits go, in pixels from its top left.
//!
//! A hit stands right of the one that leads to it, each in rows of its own, so that no arrow
//! crosses a box. Hits that nothing leads to or from fill rows below.

use catena_document::BBox;

/// Space between boxes, one above the other.
const GAP: f32 = 18.0;
/// Space between boxes side by side that no arrow joins.
const BESIDE: f32 = 24.0;
/// The way of an arrow out of a box before it turns.
pub(super) const TURN: f32 = 12.0;
/// How wide a graph is that needs no more: the column of the page.
const WIDE: f32 = 696.0;

/// What a graph is made of.
pub(super) struct Shape<'a> {
    /// For each hit the one that leads to it; none leads to itself.
    pub(super) leaders: &'a [Option<usize>],
    /// The hits in the order in which they are placed.
    pub(super) order: &'a [usize],
    /// Width and height of a box.
    pub(super) size: (f32, f32),
    /// For each hit the height of what stands below its box.
    pub(super) below: &'a [f32],
    /// The length of an arrow.
    pub(super) arrow: f32,
}

/// A graph with its places.
pub(super) struct Layout {
    /// The box of each hit.
    pub(super) boxes: Vec<BBox>,
    /// For each hit the turning points of the arrow to it, the ends included.
    pub(super) arrows: Vec<Option<[(f32, f32); 4]>>,
    /// Width and height of the whole.
    pub(super) size: (f32, f32),
}

/// Places hits.
pub(super) fn layout(shape: &Shape<'_>) -> Layout {
    let (width, height) = shape.size;
    let children = |at: Option<usize>| -> Vec<usize> {
        let of = |child: &&usize| shape.leaders[**child] == at;
        shape.order.iter().filter(of).copied().collect()
    };
    let at_corner = |left: f32, top: f32| BBox::new(left, top, left + width, top + height);
    let mut boxes = vec![BBox::default(); shape.leaders.len()];
    // Where the next row begins.
    let mut next = 0.0_f32;
    let (alone, roots): (Vec<usize>, Vec<usize>) = children(None)
        .into_iter()
        .partition(|&root| children(Some(root)).is_empty());
    for root in roots {
        let mut open = vec![(root, 0.0, None)];
        while let Some((at, left, row)) = open.pop() {
            // The first stands in the row of its leader, the others below all that is placed.
            let top = row.unwrap_or(next);
            boxes[at] = at_corner(left, top);
            next = next.max(top + height + shape.below[at] + GAP);
            let right = left + width + shape.arrow;
            let rows = std::iter::once(Some(top)).chain(std::iter::repeat(None));
            let children = children(Some(at)).into_iter().zip(rows);
            let children: Vec<_> = children.map(|(child, row)| (child, right, row)).collect();
            open.extend(children.into_iter().rev());
        }
    }
    let tree = boxes.iter().fold(0.0_f32, |most, at| most.max(at.right));
    let columns = ((tree.max(WIDE) + BESIDE) / (width + BESIDE))
        .floor()
        .max(1.0) as usize;
    for row in alone.chunks(columns) {
        let top = next;
        for (column, &at) in row.iter().enumerate() {
            boxes[at] = at_corner(column as f32 * (width + BESIDE), top);
            next = next.max(top + height + shape.below[at] + GAP);
        }
    }
    let arrow = |(at, leader): (usize, &Option<usize>)| Some(arrow(&boxes[(*leader)?], &boxes[at]));
    let right = boxes.iter().fold(0.0_f32, |most, at| most.max(at.right));
    Layout {
        arrows: shape.leaders.iter().enumerate().map(arrow).collect(),
        size: (right, (next - GAP).max(0.0)),
        boxes,
    }
}

/// The way from the right side of a box to the left side of another: out, up or down, and in.
fn arrow(from: &BBox, to: &BBox) -> [(f32, f32); 4] {
    let turn = from.right + TURN;
    [
        (from.right, from.center_y()),
        (turn, from.center_y()),
        (turn, to.center_y()),
        (to.left, to.center_y()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places hits of these leaders: no two boxes, with what stands below them, may overlap, and
    /// arrows go from box to box without crossing another.
    #[track_caller]
    fn check(leaders: &[Option<usize>]) -> Layout {
        let order: Vec<usize> = (0..leaders.len()).collect();
        let below: Vec<f32> = order.iter().map(|at| (at % 3) as f32 * 14.0).collect();
        let shape = Shape {
            leaders,
            order: &order,
            size: (180.0, 60.0),
            below: &below,
            arrow: 100.0,
        };
        let layout = layout(&shape);
        let whole = |at: usize| {
            let own = &layout.boxes[at];
            BBox::new(own.left, own.top, own.right, own.bottom + below[at])
        };
        for one in 0..leaders.len() {
            assert!(whole(one).right <= layout.size.0 && whole(one).bottom <= layout.size.1);
            assert!((layout.boxes[one].width() - 180.0).abs() < 1e-3);
            for other in 0..one {
                assert!(
                    whole(one).overlap_area(&whole(other)) <= 0.0,
                    "{one} and {other} of {leaders:?}"
                );
            }
            let Some(way) = layout.arrows[one] else {
                assert_eq!(leaders[one], None);
                continue;
            };
            let leader = &layout.boxes[leaders[one].expect("a leader")];
            assert_eq!(way[0], (leader.right, leader.center_y()));
            assert_eq!(
                way[3],
                (layout.boxes[one].left, layout.boxes[one].center_y())
            );
            for ends in way.windows(2) {
                let line = BBox::new(ends[0].0, ends[0].1, ends[1].0, ends[1].1).inflate(0.5);
                let crossed = (0..leaders.len())
                    .filter(|&at| at != one && Some(at) != leaders[one])
                    .find(|&at| whole(at).overlap_area(&line) > 0.0);
                assert_eq!(crossed, None, "arrow to {one} of {leaders:?}");
            }
        }
        layout
    }

    #[test]
    fn boxes_do_not_overlap_and_arrows_end_at_boxes() {
        assert_eq!(check(&[]).size, (0.0, 0.0));
        check(&[None; 12]);
        check(&[None, Some(0), Some(1), Some(2), Some(3)]);
        check(&[
            Some(11),
            Some(11),
            None,
            Some(1),
            Some(1),
            None,
            Some(1),
            Some(2),
            None,
            None,
            None,
            None,
        ]);
        // Many shapes of twelve, each hit led to by one before it or by none.
        let mut state = 7_u32;
        for _ in 0..300 {
            let leaders: Vec<Option<usize>> = (0..12_u32)
                .map(|at| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let pick = (state >> 16) % 13;
                    (pick < at).then_some(pick as usize)
                })
                .collect();
            check(&leaders);
        }
    }

    #[test]
    fn a_target_stands_right_of_its_bridge_and_the_rest_below() {
        let boxes = check(&[None, None, Some(0), Some(0), None]).boxes;
        assert!(boxes[2].left > boxes[0].right && boxes[3].left > boxes[0].right);
        assert!((boxes[2].top - boxes[0].top).abs() < 1e-3 && boxes[3].top > boxes[2].bottom);
        for rest in [1, 4] {
            assert!(boxes[rest].top > boxes[3].bottom);
        }
        assert!((boxes[1].top - boxes[4].top).abs() < 1e-3, "side by side");
    }
}
