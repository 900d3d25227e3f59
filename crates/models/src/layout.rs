//! The regions of a page's picture.

use crate::error::Cause;
use crate::network::Network;
use crate::parallel::cores;
use crate::pixels::{Frame, IMAGENET, PixelBox, batch, draw};
use crate::{ModelError, ModelFiles};
use image::RgbImage;
use rten::{ThreadPool, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The size at which a page is looked at, in pixels.
const SIZE: (usize, usize) = (608, 800);
/// The cells of the network's four grids, in pixels.
const STRIDES: [usize; 4] = [8, 16, 32, 64];
/// A box is kept from this score on.
const MIN_SCORE: f32 = 0.5;
/// Of two boxes that overlap by more than this the one with the lower score is dropped.
const MAX_OVERLAP: f32 = 0.5;
/// The most boxes that are looked at, and the most regions.
const MAX_BOXES: usize = 1000;
const MAX_REGIONS: usize = 100;

/// Finds the regions of a page's picture.
pub trait Layout: Send + Sync {
    /// The regions of a picture, the surest first. It should show a whole page.
    ///
    /// # Errors
    /// [`ModelError::Run`].
    fn find(&self, image: &RgbImage) -> Result<Vec<LayoutRegion>, ModelError>;
}

/// A region of a page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayoutRegion {
    /// What it holds.
    pub kind: LayoutKind,
    /// Where it is.
    pub bbox: PixelBox,
    /// How sure the model is, 0 to 1.
    pub score: f32,
}

/// What a region of a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LayoutKind {
    /// A paragraph.
    Text,
    /// A title or a heading.
    Title,
    /// A picture, drawing or chart.
    Figure,
    /// The caption of a figure.
    FigureCaption,
    /// A table.
    Table,
    /// The caption of a table.
    TableCaption,
    /// What stands above the text of a page.
    Header,
    /// What stands below the text of a page.
    Footer,
    /// An entry of a bibliography.
    Reference,
    /// A formula that stands by itself.
    Equation,
}

/// The kinds in the order of the network's classes, as its file names them.
const KINDS: [(&str, LayoutKind); 10] = [
    ("text", LayoutKind::Text),
    ("title", LayoutKind::Title),
    ("figure", LayoutKind::Figure),
    ("figure_caption", LayoutKind::FigureCaption),
    ("table", LayoutKind::Table),
    ("table_caption", LayoutKind::TableCaption),
    ("header", LayoutKind::Header),
    ("footer", LayoutKind::Footer),
    ("reference", LayoutKind::Reference),
    ("equation", LayoutKind::Equation),
];

/// The layout detector `PicoDet` in this process.
pub struct PicoDet {
    name: &'static str,
    network: Network,
    pool: Arc<ThreadPool>,
}

impl PicoDet {
    /// Loads `layout.onnx`.
    ///
    /// # Errors
    /// [`ModelError::Load`], or [`ModelError::Missing`] for the files of another model.
    pub fn load(files: &ModelFiles) -> Result<Self, ModelError> {
        let name = files.entry.name;
        let _span = tracing::debug_span!("load", model = name).entered();
        let network = Network::load(files, "layout.onnx", "image")?;
        let failed = |source| ModelError::Load {
            model: name,
            source,
        };
        let classes = network.classes().map_err(failed)?;
        if !classes.iter().eq(KINDS.iter().map(|(class, _)| class)) {
            return Err(failed("its classes are others".into()));
        }
        Ok(Self {
            name,
            network,
            pool: Arc::new(ThreadPool::with_num_threads(cores())),
        })
    }

    fn regions(&self, image: &RgbImage) -> Result<Vec<LayoutRegion>, Cause> {
        let mut picture = batch(1, SIZE.0, SIZE.1);
        let whole = Frame::whole(image);
        draw(image, &whole, SIZE, IMAGENET, (&mut picture, 0));
        let outputs: [Value; 8] = self.network.run(picture, Some(Arc::clone(&self.pool)))?;
        let mut outputs = outputs.into_iter().map(Value::into_shape_vec::<f32, 3>);
        let mut grids = Vec::new();
        for output in outputs.by_ref() {
            grids.push(output?);
        }
        // First the scores of each grid, then the sides of each.
        let sides = grids.split_off(STRIDES.len());
        let mut regions = Vec::new();
        for (stride, (scores, sides)) in STRIDES.into_iter().zip(grids.iter().zip(&sides)) {
            decode(stride, scores, sides, &mut regions)?;
        }
        let scale = [
            image.width() as f32 / SIZE.0 as f32,
            image.height() as f32 / SIZE.1 as f32,
        ];
        for region in &mut regions {
            let PixelBox {
                left,
                top,
                right,
                bottom,
            } = region.bbox;
            let scaled = PixelBox {
                left: left * scale[0],
                top: top * scale[1],
                right: right * scale[0],
                bottom: bottom * scale[1],
            };
            region.bbox = scaled.clip(image.dimensions());
        }
        Ok(without_doubles(regions))
    }
}

impl Layout for PicoDet {
    fn find(&self, image: &RgbImage) -> Result<Vec<LayoutRegion>, ModelError> {
        let (width, height) = image.dimensions();
        let _span = tracing::debug_span!("layout", width, height).entered();
        if width == 0 || height == 0 {
            return Ok(Vec::new());
        }
        self.regions(image).map_err(|source| ModelError::Run {
            model: self.name,
            source,
        })
    }
}

/// A tensor with its shape.
type Grid = ([usize; 3], Vec<f32>);

/// Adds the regions of a grid. Each of its cells has a score for each kind, and for each side of
/// a box the probabilities that it is so many cells away.
fn decode(
    stride: usize,
    (scores_shape, scores): &Grid,
    (sides_shape, sides): &Grid,
    regions: &mut Vec<LayoutRegion>,
) -> Result<(), Cause> {
    let (columns, rows) = (SIZE.0.div_ceil(stride), SIZE.1.div_ceil(stride));
    let [_, cells, distances] = *sides_shape;
    if *scores_shape != [1, columns * rows, KINDS.len()]
        || cells != columns * rows
        || distances == 0
        || distances % 4 != 0
    {
        return Err(
            format!("its outputs have the shapes {scores_shape:?}, {sides_shape:?}").into(),
        );
    }
    let scores = scores.chunks_exact(KINDS.len());
    for (cell, (scores, sides)) in scores.zip(sides.chunks_exact(distances)).enumerate() {
        let kinds = KINDS.iter().zip(scores);
        let Some(((_, kind), &score)) = kinds.max_by(|a, b| a.1.total_cmp(b.1)) else {
            continue;
        };
        if score < MIN_SCORE {
            continue;
        }
        let x = ((cell % columns) as f32 + 0.5) * stride as f32;
        let y = ((cell / columns) as f32 + 0.5) * stride as f32;
        let mut sides = sides.chunks_exact(distances / 4);
        let mut side = || sides.next().map_or(0.0, expected) * stride as f32;
        regions.push(LayoutRegion {
            kind: *kind,
            bbox: PixelBox {
                left: x - side(),
                top: y - side(),
                right: x + side(),
                bottom: y + side(),
            },
            score: score.min(1.0),
        });
    }
    Ok(())
}

/// The expected place in a list of which the softmax is the probability of each place.
fn expected(values: &[f32]) -> f32 {
    let greatest = values.iter().copied().fold(f32::MIN, f32::max);
    let weights = values.iter().map(|value| (value - greatest).exp());
    let (mut sum, mut all) = (0.0, 0.0);
    for (place, weight) in weights.enumerate() {
        sum += place as f32 * weight;
        all += weight;
    }
    if all > 0.0 { sum / all } else { 0.0 }
}

/// The regions, the surest first, without those that overlap a surer one.
fn without_doubles(mut regions: Vec<LayoutRegion>) -> Vec<LayoutRegion> {
    regions.sort_by(|a, b| b.score.total_cmp(&a.score));
    regions.truncate(MAX_BOXES);
    let mut kept: Vec<LayoutRegion> = Vec::new();
    for region in regions {
        let double = |other: &LayoutRegion| other.bbox.overlap(&region.bbox) > MAX_OVERLAP;
        if !kept.iter().any(double) {
            kept.push(region);
        }
        if kept.len() == MAX_REGIONS {
            break;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_place() {
        assert!((expected(&[0.0, 0.0, 0.0]) - 1.0).abs() < 1e-6);
        assert!((expected(&[0.0, 0.0, 100.0]) - 2.0).abs() < 1e-6);
        assert!(expected(&[]).abs() < 1e-6);
    }

    #[test]
    fn a_cell_becomes_a_region() {
        let (columns, rows) = (SIZE.0.div_ceil(64), SIZE.1.div_ceil(64));
        let mut scores = vec![0.0; columns * rows * 10];
        let mut sides = vec![0.0; columns * rows * 8];
        // The second cell of the second row is a table; its sides are 0, 1, 0 and 1 cells away.
        let cell = columns + 1;
        scores[cell * 10 + 4] = 0.9;
        sides[cell * 8..][..8].copy_from_slice(&[50., 0., 0., 50., 50., 0., 0., 50.]);
        let scores = ([1, columns * rows, 10], scores);
        let sides = ([1, columns * rows, 8], sides);
        let mut regions = Vec::new();
        decode(64, &scores, &sides, &mut regions).expect("the right shapes");
        let expected = LayoutRegion {
            kind: LayoutKind::Table,
            bbox: PixelBox {
                left: 96.0,
                top: 32.0,
                right: 96.0,
                bottom: 160.0,
            },
            score: 0.9,
        };
        assert_eq!(regions, [expected]);
        assert!(decode(32, &scores, &sides, &mut regions).is_err());
    }

    #[test]
    fn the_surer_of_two_stays() {
        let region = |kind, left, score| LayoutRegion {
            kind,
            bbox: PixelBox {
                left,
                top: 0.0,
                right: left + 10.0,
                bottom: 10.0,
            },
            score,
        };
        let found = without_doubles(vec![
            region(LayoutKind::Header, 0.0, 0.6),
            region(LayoutKind::Title, 1.0, 0.8),
            region(LayoutKind::Text, 8.0, 0.7),
        ]);
        let kinds: Vec<LayoutKind> = found.iter().map(|region| region.kind).collect();
        assert_eq!(kinds, [LayoutKind::Title, LayoutKind::Text]);
    }
}
