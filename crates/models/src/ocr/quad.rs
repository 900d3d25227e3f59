//! Rectangles at any angle.

use crate::pixels::{Frame, PixelBox, Point};
use serde::{Deserialize, Serialize};

/// Where a line of text is: a rectangle at any angle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quad {
    /// Its corners in pixels, as one who reads the text names them: top left, top right, bottom
    /// right, bottom left. Of text that is upside down the first is at the bottom right.
    pub corners: [Point; 4],
}

impl Quad {
    /// The smallest upright box around it.
    pub fn bbox(&self) -> PixelBox {
        PixelBox::around(&self.corners).unwrap_or_default()
    }

    /// Its middle.
    pub fn middle(&self) -> Point {
        let sum = |axis: usize| self.corners.iter().map(|corner| corner[axis]).sum::<f32>();
        [sum(0) / 4.0, sum(1) / 4.0]
    }

    /// The length of the line in pixels.
    pub fn width(&self) -> f32 {
        distance(self.corners[0], self.corners[1])
    }

    /// The height of the line in pixels.
    pub fn height(&self) -> f32 {
        distance(self.corners[0], self.corners[3])
    }

    /// The direction in which the text runs, in radians: 0 to the right, growing clockwise, from
    /// -π to π.
    pub fn angle(&self) -> f32 {
        let [x, y] = minus(self.corners[1], self.corners[0]);
        y.atan2(x)
    }

    /// The part of it between two places along the line, 0 its beginning and 1 its end.
    #[must_use]
    pub fn part(&self, from: f32, to: f32) -> Self {
        let [a, b, c, d] = self.corners;
        let between = |[x, y]: Point, [right, below]: Point, at: f32| {
            [x + (right - x) * at, y + (below - y) * at]
        };
        Self {
            corners: [
                between(a, b, from),
                between(a, b, to),
                between(d, c, to),
                between(d, c, from),
            ],
        }
    }

    /// The same place with its text read from the other side: by `turns` quarters clockwise.
    pub(crate) fn turned(mut self, turns: usize) -> Self {
        self.corners.rotate_left(turns % 4);
        self
    }

    /// The frame that shows the line upright.
    pub(crate) fn frame(&self) -> Frame {
        let [origin, right, _, below] = self.corners;
        Frame {
            origin,
            across: minus(right, origin),
            down: minus(below, origin),
        }
    }
}

/// A rectangle that is turned by less than an eighth of a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rect {
    centre: Point,
    /// A vector of length 1 along the side that is nearest to horizontal; it points to the right.
    along: Point,
    /// The extent in that direction.
    pub(super) width: f32,
    /// The extent across it.
    pub(super) height: f32,
}

impl Rect {
    /// The rectangle of the smallest area that holds all points; none of none.
    pub(super) fn around(points: &mut Vec<Point>) -> Option<Self> {
        let hull = convex_hull(points);
        let sides = hull.iter().zip(hull.iter().cycle().skip(1));
        let directions = sides.filter_map(|(&from, &to)| upright(minus(to, from)));
        let upright = std::iter::once([1.0, 0.0]);
        let rects = upright
            .chain(directions)
            .filter_map(|along| Self::along(along, &hull));
        rects.reduce(|best, rect| {
            // A hair less is no reason to turn.
            if rect.area() < best.area() * 0.9999 {
                rect
            } else {
                best
            }
        })
    }

    /// The rectangle in that direction that holds all points.
    fn along(along: Point, points: &[Point]) -> Option<Self> {
        let across = [-along[1], along[0]];
        let on = |point: &Point| [dot(*point, along), dot(*point, across)];
        let spread: Vec<Point> = points.iter().map(on).collect();
        let extent = PixelBox::around(&spread)?;
        let (x, y) = (
            f32::midpoint(extent.left, extent.right),
            f32::midpoint(extent.top, extent.bottom),
        );
        Some(Self {
            centre: [x * along[0] + y * across[0], x * along[1] + y * across[1]],
            along,
            width: extent.right - extent.left,
            height: extent.bottom - extent.top,
        })
    }

    fn area(&self) -> f32 {
        self.width * self.height
    }

    /// Whether it holds a point.
    pub(super) fn holds(&self, point: Point) -> bool {
        let [x, y] = minus(point, self.centre);
        let [a, b] = self.along;
        (x * a + y * b).abs() <= self.width / 2.0 && (y * a - x * b).abs() <= self.height / 2.0
    }

    /// The rectangle with more on each side, in proportion of its area to its outline.
    pub(super) fn grown(&self, ratio: f32) -> Self {
        let outline = 2.0 * (self.width + self.height);
        let more = self.area() * ratio / outline.max(f32::MIN_POSITIVE);
        Self {
            width: self.width + 2.0 * more,
            height: self.height + 2.0 * more,
            ..*self
        }
    }

    /// The rectangle as a place of upright text.
    pub(super) fn quad(&self) -> Quad {
        let corner = |x: f32, y: f32| {
            let (x, y) = (x * self.width / 2.0, y * self.height / 2.0);
            let [a, b] = self.along;
            [
                self.centre[0] + x * a - y * b,
                self.centre[1] + x * b + y * a,
            ]
        };
        Quad {
            corners: [
                corner(-1.0, -1.0),
                corner(1.0, -1.0),
                corner(1.0, 1.0),
                corner(-1.0, 1.0),
            ],
        }
    }
}

/// The direction of a vector, or one at a right angle to it, that is nearest to the right.
fn upright([x, y]: Point) -> Option<Point> {
    let length = x.hypot(y);
    if length <= 0.0 {
        return None;
    }
    let [x, y] = [x / length, y / length];
    Some(if x.abs() >= y.abs() {
        [x.abs(), y * x.signum()]
    } else {
        [y.abs(), -x * y.signum()]
    })
}

/// The corners of the convex hull, going round.
fn convex_hull(points: &mut Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points.clone();
    }
    let half = |points: &mut dyn Iterator<Item = &Point>| {
        let mut hull: Vec<Point> = Vec::new();
        for &point in points {
            while let [.., a, b] = hull[..] {
                let ([ax, ay], [bx, by]) = (minus(b, a), minus(point, a));
                if ax * by - ay * bx > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(point);
        }
        hull.pop();
        hull
    };
    let mut hull = half(&mut points.iter());
    hull.extend(half(&mut points.iter().rev()));
    hull
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: Point, b: Point) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

fn distance(a: Point, b: Point) -> f32 {
    let [x, y] = minus(a, b);
    x.hypot(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_corners(points: &[Point], expected: [Point; 4]) {
        let rect = Rect::around(&mut points.to_vec()).expect("points");
        for (found, expected) in rect.quad().corners.into_iter().zip(expected) {
            assert!(distance(found, expected) < 1e-3, "{rect:?}");
        }
    }

    #[test]
    fn the_smallest_rectangle() {
        let upright = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]];
        check_corners(&upright, upright);
        check_corners(&[[1.0, 1.0]], [[1.0, 1.0]; 4]);
        let line = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]];
        check_corners(&line, [[0.0, 0.0], [2.0, 0.0], [2.0, 0.0], [0.0, 0.0]]);
        // 4 by 2, turned by the angle whose sides are 3, 4 and 5.
        let turned = [[0.0, 0.0], [3.2, 2.4], [2.0, 4.0], [-1.2, 1.6]];
        check_corners(&turned, turned);
        let back = [[0.0, 0.0], [3.2, -2.4], [4.4, -0.8], [1.2, 1.6]];
        check_corners(&back, back);
        assert!(Rect::around(&mut Vec::new()).is_none());
    }

    #[test]
    fn growing_and_parts() {
        let mut corners = vec![[0.0, 0.0], [6.0, 0.0], [6.0, 2.0], [0.0, 2.0]];
        let rect = Rect::around(&mut corners).expect("points");
        // 12 / 16 on each side.
        let grown = rect.grown(1.0);
        assert!((grown.width - 7.5).abs() < 1e-5 && (grown.height - 3.5).abs() < 1e-5);
        assert!(grown.holds([-0.7, 2.7]) && !grown.holds([-0.8, 1.0]));
        let half = rect.quad().part(0.5, 1.0).bbox();
        assert_eq!((half.left, half.right, half.bottom), (3.0, 6.0, 2.0));
        let upside_down = rect.quad().turned(2);
        let [x, y] = upside_down.corners[0];
        assert!((x - 6.0).abs() < 1e-5 && (y - 2.0).abs() < 1e-5);
        assert!((upside_down.angle().abs() - std::f32::consts::PI).abs() < 1e-5);
        let upwards = rect.quad().turned(3);
        assert_eq!((upwards.width(), upwards.height()), (2.0, 6.0));
    }

    proptest! {
        #[test]
        fn it_holds_all_points_and_is_no_larger_than_the_upright_one(
            points in prop::collection::vec([-50.0f32..50.0, -50.0f32..50.0], 1..40)
        ) {
            let rect = Rect::around(&mut points.clone()).expect("points");
            let room = rect.grown(0.0);
            let room = Rect { width: room.width + 0.01, height: room.height + 0.01, ..room };
            for point in &points {
                prop_assert!(room.holds(*point), "{rect:?} {point:?}");
            }
            let upright = PixelBox::around(&points).expect("points");
            let area = (upright.right - upright.left) * (upright.bottom - upright.top);
            prop_assert!(rect.area() <= area + 0.01);
            prop_assert!(rect.along[0] >= rect.along[1].abs() - 1e-6);
        }
    }
}
