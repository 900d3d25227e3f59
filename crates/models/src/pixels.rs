//! Pictures: places on them, and how they become the input of a network.

use image::RgbImage;
use rten_tensor::{Layout as _, NdTensor};
use serde::{Deserialize, Serialize};

/// A place on a picture in pixels, origin at its top left corner, `y` growing downwards.
pub type Point = [f32; 2];

/// A box on a picture in pixels, origin at the picture's top left corner, `y` growing downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PixelBox {
    /// Smallest `x`.
    pub left: f32,
    /// Smallest `y`.
    pub top: f32,
    /// Largest `x`.
    pub right: f32,
    /// Largest `y`.
    pub bottom: f32,
}

impl PixelBox {
    /// The smallest box that holds all of `points`; none of none.
    pub(crate) fn around(points: &[Point]) -> Option<Self> {
        let of = |&[x, y]: &Point| Self {
            left: x,
            top: y,
            right: x,
            bottom: y,
        };
        let grow = |a: Self, b: Self| Self {
            left: a.left.min(b.left),
            top: a.top.min(b.top),
            right: a.right.max(b.right),
            bottom: a.bottom.max(b.bottom),
        };
        points.iter().map(of).reduce(grow)
    }

    /// The part that lies on a picture of that size.
    pub(crate) fn clip(self, (width, height): (u32, u32)) -> Self {
        let (width, height) = (width as f32, height as f32);
        Self {
            left: self.left.clamp(0.0, width),
            top: self.top.clamp(0.0, height),
            right: self.right.clamp(0.0, width),
            bottom: self.bottom.clamp(0.0, height),
        }
    }

    /// The shared area over the area of both together, 0 to 1.
    pub(crate) fn overlap(&self, other: &Self) -> f32 {
        let area = |left: f32, top: f32, right: f32, bottom: f32| {
            (right - left).max(0.0) * (bottom - top).max(0.0)
        };
        let own = |one: &Self| area(one.left, one.top, one.right, one.bottom);
        let shared = area(
            self.left.max(other.left),
            self.top.max(other.top),
            self.right.min(other.right),
            self.bottom.min(other.bottom),
        );
        let both = own(self) + own(other) - shared;
        if both > 0.0 { shared / both } else { 0.0 }
    }
}

/// A parallelogram on a picture, which becomes a picture of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The corner that becomes the top left one.
    pub(crate) origin: Point,
    /// From there to the top right corner.
    pub(crate) across: Point,
    /// From there to the bottom left corner.
    pub(crate) down: Point,
}

impl Frame {
    /// All of a picture.
    pub(crate) fn whole(image: &RgbImage) -> Self {
        Self {
            origin: [0.0; 2],
            across: [image.width() as f32, 0.0],
            down: [0.0, image.height() as f32],
        }
    }
}

/// How the values of a channel are scaled: `(value / 255 - mean) / deviation`.
#[derive(Clone, Copy)]
pub(crate) struct Scaling {
    /// By channel: blue, green, red.
    pub(crate) mean: [f32; 3],
    /// By channel: blue, green, red.
    pub(crate) deviation: [f32; 3],
}

/// From -1 to 1.
pub(crate) const SIGNED: Scaling = Scaling {
    mean: [0.5; 3],
    deviation: [0.5; 3],
};

/// By the mean and deviation of `ImageNet`'s channels. They are those of red, green and blue, but
/// these networks are run with pictures of blue, green and red, as `OpenCV` reads them.
pub(crate) const IMAGENET: Scaling = Scaling {
    mean: [0.485, 0.456, 0.406],
    deviation: [0.229, 0.224, 0.225],
};

/// An empty batch of pictures, whose channels are blue, green and red. What is not drawn is 0.
pub(crate) fn batch(pictures: usize, width: usize, height: usize) -> NdTensor<f32, 4> {
    NdTensor::zeros([pictures, 3, height, width])
}

/// Draws a part of a picture, `width` by `height` pixels, into the top left corner of the
/// `number`th picture of a batch. Where it lies beyond the edge, the picture's outermost pixels
/// are continued.
pub(crate) fn draw(
    image: &RgbImage,
    frame: &Frame,
    (width, height): (usize, usize),
    scaling: Scaling,
    (batch, number): (&mut NdTensor<f32, 4>, usize),
) {
    let [_, channels, rows, columns] = batch.shape();
    let plane = rows * columns;
    let Some(data) = batch.data_mut() else {
        return;
    };
    let Some(picture) = data.chunks_exact_mut(channels * plane).nth(number) else {
        return;
    };
    let (width, height) = (width.min(columns), height.min(rows));
    if width == 0 || height == 0 || image.width() == 0 || image.height() == 0 {
        return;
    }
    let source = Source::new(image);
    let step = |vector: Point, parts: usize| vector.map(|x| x / parts as f32);
    let (right, below) = (step(frame.across, width), step(frame.down, height));
    // So many samples a pixel and direction that none is left out where the picture shrinks.
    let samples = |[x, y]: Point| (x.hypot(y) - 0.25).ceil().clamp(1.0, 8.0) as usize;
    let (fine, fine_down) = (samples(right), samples(below));
    let share = 1.0 / (fine * fine_down) as f32;
    for row in 0..height {
        for column in 0..width {
            let mut sum = [0.0; 3];
            for a in 0..fine_down {
                for b in 0..fine {
                    let v = row as f32 + (a as f32 + 0.5) / fine_down as f32;
                    let u = column as f32 + (b as f32 + 0.5) / fine as f32;
                    let x = frame.origin[0] + u * right[0] + v * below[0];
                    let y = frame.origin[1] + u * right[1] + v * below[1];
                    source.add(x, y, &mut sum);
                }
            }
            for channel in 0..3 {
                let value = sum[2 - channel] * share / 255.0;
                picture[channel * plane + row * columns + column] =
                    (value - scaling.mean[channel]) / scaling.deviation[channel];
            }
        }
    }
}

/// The pixels of a picture, between which one can look.
struct Source<'a> {
    pixels: &'a [u8],
    width: usize,
    last_column: f32,
    last_row: f32,
}

impl<'a> Source<'a> {
    fn new(image: &'a RgbImage) -> Self {
        Self {
            pixels: image.as_raw(),
            width: image.width() as usize,
            last_column: image.width() as f32 - 1.0,
            last_row: image.height() as f32 - 1.0,
        }
    }

    /// Adds the colour at a place, which the four pixels around it give in proportion.
    fn add(&self, x: f32, y: f32, sum: &mut [f32; 3]) {
        // The middle of the first pixel is at 0.5.
        let x = (x - 0.5).clamp(0.0, self.last_column);
        let y = (y - 0.5).clamp(0.0, self.last_row);
        let (column, row) = (x as usize, y as usize);
        let (a, b) = (x - column as f32, y - row as f32);
        let right = if a > 0.0 { 3 } else { 0 };
        let below = if b > 0.0 { self.width * 3 } else { 0 };
        let at = (row * self.width + column) * 3;
        for (channel, sum) in sum.iter_mut().enumerate() {
            let pixel = |at: usize| f32::from(self.pixels[at + channel]);
            let upper = pixel(at) * (1.0 - a) + pixel(at + right) * a;
            let lower = pixel(at + below) * (1.0 - a) + pixel(at + below + right) * a;
            *sum += upper * (1.0 - b) + lower * b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;
    use rten_tensor::AsView as _;

    /// The channel of a drawn picture, as the values of pixels.
    fn channel(batch: &NdTensor<f32, 4>, channel: usize) -> Vec<f32> {
        let [_, _, rows, columns] = batch.shape();
        let data = batch.data().expect("values in order");
        let values = &data[channel * rows * columns..(channel + 1) * rows * columns];
        let value = |x: &f32| ((x * 0.5 + 0.5) * 255.0).round();
        values.iter().map(value).collect()
    }

    fn drawn(image: &RgbImage, frame: &Frame, size: (usize, usize)) -> NdTensor<f32, 4> {
        let mut pictures = batch(1, size.0, size.1);
        draw(image, frame, size, SIGNED, (&mut pictures, 0));
        pictures
    }

    #[test]
    fn channels_are_blue_green_red() {
        let image = RgbImage::from_pixel(2, 2, Rgb([10, 20, 30]));
        let pictures = drawn(&image, &Frame::whole(&image), (2, 2));
        assert_eq!(channel(&pictures, 0), [30.0; 4]);
        assert_eq!(channel(&pictures, 1), [20.0; 4]);
        assert_eq!(channel(&pictures, 2), [10.0; 4]);
    }

    #[test]
    fn the_same_size_copies_and_half_the_size_averages() {
        let image = RgbImage::from_fn(4, 2, |x, y| Rgb([(x * 10 + y * 100) as u8; 3]));
        let whole = Frame::whole(&image);
        let same = channel(&drawn(&image, &whole, (4, 2)), 0);
        assert_eq!(same, [0.0, 10.0, 20.0, 30.0, 100.0, 110.0, 120.0, 130.0]);
        let half = channel(&drawn(&image, &whole, (2, 1)), 0);
        assert_eq!(half, [55.0, 75.0]);
    }

    #[test]
    fn a_frame_turns_and_goes_beyond_the_edge() {
        let image = RgbImage::from_fn(2, 2, |x, y| Rgb([(x * 10 + y * 100) as u8; 3]));
        let half_turn = Frame {
            origin: [2.0, 2.0],
            across: [-2.0, 0.0],
            down: [0.0, -2.0],
        };
        let turned = channel(&drawn(&image, &half_turn, (2, 2)), 0);
        assert_eq!(turned, [110.0, 100.0, 10.0, 0.0]);
        let wide = Frame {
            origin: [-1.0, 0.0],
            across: [4.0, 0.0],
            down: [0.0, 1.0],
        };
        let beyond = channel(&drawn(&image, &wide, (4, 1)), 0);
        assert_eq!(beyond, [0.0, 0.0, 10.0, 10.0]);
    }
}
