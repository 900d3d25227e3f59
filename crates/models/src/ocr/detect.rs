//! Finding lines of text: the network marks the pixels of text, and each patch of them is a line.

use super::quad::{Quad, Rect};
use crate::error::Cause;
use crate::network::Network;
use crate::pixels::{Frame, Point, SIGNED, batch, draw};
use image::RgbImage;
use rten::ThreadPool;
use std::sync::Arc;

/// The network reads sides that are multiples of this.
const STEP: usize = 32;
/// The longer side of what the network reads at most, in pixels.
const LONGEST: f32 = 1600.0;
/// The shorter side to which small pictures are made larger, in pixels.
const SHORTEST: f32 = 736.0;
/// A pixel belongs to text from this value on.
const PIXEL: f32 = 0.3;
/// A patch is text where its pixels have at least this value in the mean.
const PATCH: f32 = 0.5;
/// The network marks the core of a line; the line is larger by this, as its area is to its outline.
const GROWTH: f32 = 1.6;
/// The height that a core must have, in pixels.
const MIN_CORE: f32 = 3.0;
/// The most patches that are looked at.
const MAX_PATCHES: usize = 4000;

/// The lines of text on a picture, in no order. Each is taken as running to the right, or as
/// running downwards where it is at least half as high again as it is wide.
pub(super) fn detect(
    network: &Network,
    image: &RgbImage,
    pool: Arc<ThreadPool>,
) -> Result<Vec<Quad>, Cause> {
    let (width, height) = input_size(image.width(), image.height());
    let mut picture = batch(1, width, height);
    let whole = Frame::whole(image);
    draw(image, &whole, (width, height), SIGNED, (&mut picture, 0));
    let [map] = network.run(picture, Some(pool))?;
    let (shape, map) = map.into_shape_vec::<f32, 4>()?;
    if shape != [1, 1, height, width] {
        return Err(format!("its output has the shape {shape:?}").into());
    }
    let scale = [
        image.width() as f32 / width as f32,
        image.height() as f32 / height as f32,
    ];
    let lines = patches(&map, width).into_iter().filter_map(|mut patch| {
        let core = Rect::around(&mut patch)?;
        if core.width.min(core.height) < MIN_CORE || mean(&map, width, &core) < PATCH {
            return None;
        }
        let quad = core.grown(GROWTH).quad();
        // The middle of the first pixel is at 0.5.
        let corners = quad.corners.map(|[x, y]| {
            let [x, y] = [(x + 0.5) * scale[0], (y + 0.5) * scale[1]];
            [
                x.clamp(0.0, image.width() as f32),
                y.clamp(0.0, image.height() as f32),
            ]
        });
        let quad = Quad { corners };
        let vertical = quad.height() >= quad.width() * 1.5;
        Some(if vertical { quad.turned(1) } else { quad })
    });
    Ok(lines.collect())
}

/// The size at which a picture is read. Large ones are made smaller, small ones larger.
fn input_size(width: u32, height: u32) -> (usize, usize) {
    let (width, height) = (width.max(1) as f32, height.max(1) as f32);
    let shrink = LONGEST / width.max(height);
    let scale = (SHORTEST / width.min(height)).clamp(1.0, 4.0).min(shrink);
    let side = |length: f32| (length * scale / STEP as f32).round().max(1.0) as usize * STEP;
    (side(width), side(height))
}

/// The patches of pixels that belong to text, each as the ends of its rows. Pixels that touch at a
/// corner or have one between them belong together.
fn patches(map: &[f32], width: usize) -> Vec<Vec<Point>> {
    let height = map.len() / width;
    // Each pixel of text also marks its neighbours to the right and below.
    let mut marked = vec![false; map.len()];
    for (at, _) in map.iter().enumerate().filter(|(_, value)| **value > PIXEL) {
        let right = usize::from((at + 1) % width != 0);
        marked[at] = true;
        marked[at + right] = true;
        if at + width < map.len() {
            marked[at + width] = true;
            marked[at + width + right] = true;
        }
    }
    let mut patches = Vec::new();
    let mut waiting = Vec::new();
    for start in 0..marked.len() {
        if !marked[start] {
            continue;
        }
        if patches.len() == MAX_PATCHES {
            break;
        }
        let mut patch = Vec::new();
        marked[start] = false;
        waiting.push(start);
        while let Some(at) = waiting.pop() {
            let (column, row) = (at % width, at / width);
            let columns = column.saturating_sub(1)..=(column + 1).min(width - 1);
            let rows = row.saturating_sub(1)..=(row + 1).min(height - 1);
            for next in rows.flat_map(|row| columns.clone().map(move |x| row * width + x)) {
                if marked[next] {
                    marked[next] = false;
                    waiting.push(next);
                }
            }
            patch.push((row, column));
        }
        patches.push(ends(patch));
    }
    patches
}

/// The first and the last pixel of each row.
fn ends(mut patch: Vec<(usize, usize)>) -> Vec<Point> {
    patch.sort_unstable();
    let rows = patch.chunk_by(|a, b| a.0 == b.0);
    let points = rows.flat_map(|row| [row[0], row[row.len() - 1]]);
    points.map(|(row, x)| [x as f32, row as f32]).collect()
}

/// The mean of the values inside a rectangle.
fn mean(map: &[f32], width: usize, rect: &Rect) -> f32 {
    let height = map.len() / width;
    let bounds = rect.quad().bbox();
    let until = |end: f32, length: usize| (end.ceil().max(0.0) as usize + 1).min(length);
    let (mut sum, mut count) = (0.0, 0.0);
    for row in bounds.top.max(0.0) as usize..until(bounds.bottom, height) {
        for x in bounds.left.max(0.0) as usize..until(bounds.right, width) {
            if rect.holds([x as f32, row as f32]) {
                sum += map[row * width + x];
                count += 1.0;
            }
        }
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bounded() {
        let check = |width, height, expected| {
            assert_eq!(input_size(width, height), expected, "{width} × {height}");
        };
        check(1240, 1754, (1120, 1600));
        check(2480, 3508, (1120, 1600));
        check(800, 1000, (800, 992));
        check(400, 300, (992, 736));
        check(400, 30, (1600, 128));
        check(100, 100, (416, 416));
        check(1, 100_000, (32, 1600));
        check(u32::MAX, u32::MAX, (1600, 1600));
        check(0, 0, (32, 32));
    }

    /// The patches of a map that is drawn with `#` for text.
    fn check_patches(rows: &[&str], expected: &[[Point; 4]]) {
        let width = rows[0].len();
        let pixel = |byte: u8| f32::from(u8::from(byte == b'#'));
        let map: Vec<f32> = rows.iter().flat_map(|row| row.bytes().map(pixel)).collect();
        let found = patches(&map, width);
        let found = found.into_iter().map(|mut patch| {
            let rect = Rect::around(&mut patch).expect("points");
            rect.quad().corners
        });
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn patches_are_told_apart() {
        check_patches(&["....", "...."], &[]);
        check_patches(
            &[".##...#.", "........", "........", "###....."],
            &[
                [[1.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0]],
                [[6.0, 0.0], [7.0, 0.0], [7.0, 1.0], [6.0, 1.0]],
                [[0.0, 3.0], [3.0, 3.0], [3.0, 3.0], [0.0, 3.0]],
            ],
        );
        // One pixel between them does not part them.
        check_patches(
            &["##.##"],
            &[[[0.0, 0.0], [4.0, 0.0], [4.0, 0.0], [0.0, 0.0]]],
        );
    }

    #[test]
    fn the_mean_is_of_the_inside() {
        let map = [0.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 0.5];
        let mut corners = vec![[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]];
        let rect = Rect::around(&mut corners).expect("points");
        assert!((mean(&map, 3, &rect) - 0.75).abs() < 1e-6);
    }
}
