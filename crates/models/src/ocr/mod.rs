//! Reading the text of a picture.

mod angle;
mod detect;
mod quad;
mod recognise;

pub use quad::Quad;

use crate::error::Cause;
use crate::network::Network;
use crate::parallel::{Pools, cores};
use crate::{ModelError, ModelFiles};
use image::RgbImage;
use recognise::{Reading, Recogniser};
use rten::ThreadPool;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is read with less confidence is no text.
const MIN_CONFIDENCE: f32 = 0.5;

/// A line may be upside down from this probability on.
const UPSIDE_DOWN: f32 = 0.5;

/// Reads the text of a picture.
pub trait Ocr: Send + Sync {
    /// The lines of text, from top to bottom, those beside each other from left to right. Columns
    /// are not told apart. None where there is no text.
    ///
    /// # Errors
    /// [`ModelError::Run`].
    fn read(&self, image: &RgbImage) -> Result<Vec<OcrLine>, ModelError>;
}

/// A line of text on a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OcrLine {
    /// What it says: never empty, words parted by one space.
    pub text: String,
    /// Where it is.
    pub quad: Quad,
    /// How sure the model is: the mean probability of the characters, 0 to 1.
    pub confidence: f32,
    /// For each `char` of the text the place of its centre along the line: 0 at the left side of
    /// `quad`, 1 at its right side, never falling.
    pub centres: Vec<f32>,
}

/// A word of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct OcrWord<'a> {
    /// What it says.
    pub text: &'a str,
    /// Where it is; its left and right sides are near, not exact.
    pub quad: Quad,
}

impl OcrLine {
    /// The words of the line, where its spaces part it.
    pub fn words(&self) -> Vec<OcrWord<'_>> {
        let step = self.character_width();
        let centre = |at: usize| self.centres.get(at).copied();
        let mut at = 0;
        let words = self.text.split(' ').map(|text| {
            let (first, end) = (at, at + text.chars().count());
            at = end + 1;
            // Half a character beyond the outer ones, but no further than into the spaces.
            let before = first.checked_sub(1).and_then(centre).unwrap_or(0.0);
            let after = centre(end).unwrap_or(1.0);
            let left = centre(first).unwrap_or(0.0) - step / 2.0;
            let last = end.checked_sub(1).and_then(centre).unwrap_or(1.0);
            let right = last + step / 2.0;
            OcrWord {
                text,
                quad: self.quad.part(left.max(before), right.min(after)),
            }
        });
        words.collect()
    }

    /// The usual distance of two characters, as a part of the line.
    fn character_width(&self) -> f32 {
        let pairs = self.centres.windows(2);
        let mut steps: Vec<f32> = pairs.map(|pair| pair[1] - pair[0]).collect();
        steps.sort_by(f32::total_cmp);
        steps.get(steps.len() / 2).copied().unwrap_or(1.0)
    }
}

/// By how much lines of text are turned against the picture, in radians, growing clockwise: the
/// angle that half of the horizontal text runs above and half below. Text that runs up, down or
/// upside down does not count. 0 of no text.
pub fn skew(lines: &[OcrLine]) -> f32 {
    skew_of(lines.iter().map(|line| &line.quad))
}

fn skew_of<'a>(quads: impl Iterator<Item = &'a Quad>) -> f32 {
    // A box of a few letters says nothing of the angle.
    let long = quads.filter(|quad| quad.width() >= 4.0 * quad.height());
    let angles = long.map(|quad| (quad.angle(), quad.width()));
    let mut angles: Vec<(f32, f32)> = angles
        .filter(|(angle, _)| angle.abs() < std::f32::consts::FRAC_PI_4)
        .collect();
    angles.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = angles.iter().map(|(_, width)| width).sum::<f32>() / 2.0;
    let mut below = 0.0;
    for (angle, width) in angles {
        below += width;
        if below >= half {
            return angle;
        }
    }
    0.0
}

/// PP-OCR in this process.
pub struct PaddleOcr {
    name: &'static str,
    detection: Network,
    angle: Network,
    recogniser: Recogniser,
    /// A pool of all cores, for what runs by itself.
    all: Arc<ThreadPool>,
    pools: Pools,
}

impl PaddleOcr {
    /// Loads `detection.onnx`, `angle.onnx` and `recognition.onnx`.
    ///
    /// # Errors
    /// [`ModelError::Load`], or [`ModelError::Missing`] for the files of another model.
    pub fn load(files: &ModelFiles) -> Result<Self, ModelError> {
        let name = files.entry.name;
        let _span = tracing::debug_span!("load", model = name).entered();
        let recognition = Network::load(files, "recognition.onnx", "x")?;
        let failed = |source| ModelError::Load {
            model: name,
            source,
        };
        Ok(Self {
            name,
            detection: Network::load(files, "detection.onnx", "x")?,
            angle: Network::load(files, "angle.onnx", "x")?,
            recogniser: Recogniser::new(recognition).map_err(failed)?,
            all: Arc::new(ThreadPool::with_num_threads(cores())),
            pools: Pools::default(),
        })
    }

    fn lines(&self, image: &RgbImage) -> Result<Vec<OcrLine>, Cause> {
        let quads = detect::detect(&self.detection, image, Arc::clone(&self.all))?;
        let upside_down = angle::upside_down(&self.angle, image, &quads, &self.pools)?;
        // Lines that may be upside down are read both ways: the surer reading is right.
        let mut readable = quads.clone();
        let suspects = quads.iter().zip(&upside_down).enumerate();
        let suspects: Vec<usize> = suspects
            .filter(|(_, (_, probability))| **probability > UPSIDE_DOWN)
            .map(|(line, _)| line)
            .collect();
        readable.extend(suspects.iter().map(|&line| quads[line].turned(2)));
        let readings = self.recogniser.read(image, &readable, &self.pools)?;
        let mut lines: Vec<OcrLine> = readable.into_iter().zip(readings).map(line).collect();
        for (line, turned) in suspects.into_iter().zip(lines.split_off(quads.len())) {
            if turned.confidence > lines[line].confidence {
                lines[line] = turned;
            }
        }
        lines.retain(|line| line.confidence >= MIN_CONFIDENCE && !line.text.is_empty());
        sort(&mut lines);
        Ok(lines)
    }
}

impl Ocr for PaddleOcr {
    fn read(&self, image: &RgbImage) -> Result<Vec<OcrLine>, ModelError> {
        let (width, height) = image.dimensions();
        let _span = tracing::debug_span!("ocr", width, height).entered();
        if width == 0 || height == 0 {
            return Ok(Vec::new());
        }
        self.lines(image).map_err(|source| ModelError::Run {
            model: self.name,
            source,
        })
    }
}

fn line((quad, reading): (Quad, Reading)) -> OcrLine {
    OcrLine {
        text: reading.text,
        quad,
        confidence: reading.confidence,
        centres: reading.centres,
    }
}

/// Sorts lines by the rows that they form once the picture is upright, and from left to right in
/// each row.
fn sort(lines: &mut Vec<OcrLine>) {
    let (sine, cosine) = skew_of(lines.iter().map(|line| &line.quad)).sin_cos();
    let mut placed: Vec<(f32, f32, OcrLine)> = std::mem::take(lines)
        .into_iter()
        .map(|line| {
            let bbox = line.quad.bbox();
            let x = f32::midpoint(bbox.left, bbox.right);
            let y = f32::midpoint(bbox.top, bbox.bottom);
            (x * cosine + y * sine, y * cosine - x * sine, line)
        })
        .collect();
    placed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let same_row = |a: &(f32, f32, OcrLine), b: &(f32, f32, OcrLine)| {
        let height = a.2.quad.height().min(b.2.quad.height());
        b.1 - a.1 < height / 3.0
    };
    for row in placed.chunk_by_mut(same_row) {
        row.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    lines.extend(placed.into_iter().map(|(_, _, line)| line));
}
