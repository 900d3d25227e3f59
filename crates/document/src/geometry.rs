//! Boxes on a page.

use serde::{Deserialize, Serialize};

/// A box on a page, in points (1/72 inch), origin at the page's top left, `y` growing downwards.
///
/// Coordinates are those of the page as the reader sees it, after its rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BBox {
    /// Smallest `x`.
    pub left: f32,
    /// Smallest `y`.
    pub top: f32,
    /// Largest `x`.
    pub right: f32,
    /// Largest `y`.
    pub bottom: f32,
}

impl BBox {
    /// The box of these four sides; swapped sides are put in order.
    pub fn new(left: f32, top: f32, right: f32, bottom: f32) -> Self {
        Self {
            left: left.min(right),
            top: top.min(bottom),
            right: left.max(right),
            bottom: top.max(bottom),
        }
    }

    /// Width in points.
    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Height in points.
    pub fn height(&self) -> f32 {
        self.bottom - self.top
    }

    /// Area in square points.
    pub fn area(&self) -> f32 {
        self.width() * self.height()
    }

    /// Horizontal centre.
    pub fn center_x(&self) -> f32 {
        f32::midpoint(self.left, self.right)
    }

    /// Vertical centre.
    pub fn center_y(&self) -> f32 {
        f32::midpoint(self.top, self.bottom)
    }

    /// The smallest box that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// The smallest box that holds all of `boxes`; `None` of none.
    pub fn union_all(boxes: impl IntoIterator<Item = Self>) -> Option<Self> {
        boxes.into_iter().reduce(|a, b| a.union(&b))
    }

    /// What both share, if that has any extent.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let shared = Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        (shared.left < shared.right && shared.top < shared.bottom).then_some(shared)
    }

    /// Shared area in square points, 0 where they do not meet.
    pub fn overlap_area(&self, other: &Self) -> f32 {
        self.intersection(other).map_or(0.0, |shared| shared.area())
    }

    /// Length shared in the horizontal, 0 where there is none.
    pub fn overlap_x(&self, other: &Self) -> f32 {
        (self.right.min(other.right) - self.left.max(other.left)).max(0.0)
    }

    /// Length shared in the vertical, 0 where there is none.
    pub fn overlap_y(&self, other: &Self) -> f32 {
        (self.bottom.min(other.bottom) - self.top.max(other.top)).max(0.0)
    }

    /// Whether the point lies in the box, its sides included.
    pub fn contains_point(&self, x: f32, y: f32) -> bool {
        x >= self.left && x <= self.right && y >= self.top && y <= self.bottom
    }

    /// Whether `other` lies inside, with `slack` points of tolerance on every side.
    pub fn contains(&self, other: &Self, slack: f32) -> bool {
        other.left >= self.left - slack
            && other.right <= self.right + slack
            && other.top >= self.top - slack
            && other.bottom <= self.bottom + slack
    }

    /// The box grown by `by` points on every side.
    #[must_use]
    pub fn inflate(&self, by: f32) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intersection_and_union() {
        let a = BBox::new(0.0, 0.0, 10.0, 10.0);
        let b = BBox::new(15.0, 20.0, 5.0, 5.0);
        assert_eq!(b, BBox::new(5.0, 5.0, 15.0, 20.0));
        assert_eq!(a.overlap_area(&b).to_bits(), 25.0_f32.to_bits());
        assert_eq!(a.union(&b), BBox::new(0.0, 0.0, 15.0, 20.0));
        assert_eq!(a.intersection(&BBox::new(10.0, 0.0, 12.0, 5.0)), None);
    }
}
