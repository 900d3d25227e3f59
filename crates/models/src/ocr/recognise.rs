//! Reading lines of text: the network gives the probability of each character at each step along
//! a line.

use super::quad::Quad;
use crate::error::Cause;
use crate::network::Network;
use crate::parallel::{Pools, on_all_cores};
use crate::pixels::{SIGNED, batch, draw};
use image::RgbImage;
use std::ops::Range;

/// The height at which a line is read, in pixels.
const HEIGHT: usize = 48;
/// The width to which short lines are filled, in pixels.
const NARROWEST: usize = 320;
/// The width to which very long lines are squeezed, in pixels.
const WIDEST: usize = 4800;
/// The lines of a batch at most. Larger ones are no faster.
const BATCH_LINES: usize = 6;
/// The width of a batch at most, of all its lines together.
const BATCH_WIDTH: usize = 2400;

/// What a line says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reading {
    pub(super) text: String,
    /// The mean probability of its characters; 0 of none.
    pub(super) confidence: f32,
    /// For each `char` its centre along the line, from 0 to 1.
    pub(super) centres: Vec<f32>,
}

/// The network with its characters.
pub(super) struct Recogniser {
    network: Network,
    /// What the classes after the first, which stands for nothing, are.
    characters: Vec<String>,
}

impl Recogniser {
    pub(super) fn new(network: Network) -> Result<Self, Cause> {
        let mut characters = network.classes()?;
        // The space is no line of the list.
        characters.push(" ".to_owned());
        Ok(Self {
            network,
            characters,
        })
    }

    /// Reads lines on all cores; the readings in the order of the lines.
    pub(super) fn read(
        &self,
        image: &RgbImage,
        lines: &[Quad],
        pools: &Pools,
    ) -> Result<Vec<Reading>, Cause> {
        let widths: Vec<usize> = lines.iter().map(drawn_width).collect();
        let mut order: Vec<usize> = (0..lines.len()).collect();
        // The long ones first: no core is left waiting for one of them.
        order.sort_by_key(|&line| std::cmp::Reverse(widths[line]));
        let sorted: Vec<usize> = order.iter().map(|&line| widths[line]).collect();
        let batches = on_all_cores(&batches(&sorted), |batch| {
            self.read_batch(image, lines, &order[batch.clone()], pools)
        })?;
        let mut readings = vec![Reading::default(); lines.len()];
        for (line, reading) in order.into_iter().zip(batches.into_iter().flatten()) {
            readings[line] = reading;
        }
        Ok(readings)
    }

    /// Reads the lines of these numbers at once.
    fn read_batch(
        &self,
        image: &RgbImage,
        lines: &[Quad],
        numbers: &[usize],
        pools: &Pools,
    ) -> Result<Vec<Reading>, Cause> {
        let widths: Vec<usize> = numbers.iter().map(|&n| drawn_width(&lines[n])).collect();
        let width = widths.iter().copied().max().unwrap_or(0).max(NARROWEST);
        let mut pictures = batch(numbers.len(), width, HEIGHT);
        for (at, (&line, &width)) in numbers.iter().zip(&widths).enumerate() {
            let frame = lines[line].frame();
            draw(image, &frame, (width, HEIGHT), SIGNED, (&mut pictures, at));
        }
        let [output] = pools.with_one(|pool| self.network.run(pictures, Some(pool)))?;
        let (shape, output) = output.into_shape_vec::<f32, 3>()?;
        let [count, steps, classes] = shape;
        if count != numbers.len() || steps == 0 || classes != self.characters.len() + 1 {
            return Err(format!("its output has the shape {shape:?}").into());
        }
        let lines = output.chunks_exact(steps * classes).zip(&widths);
        Ok(lines
            .map(|(output, &drawn)| {
                let length = steps as f32 * drawn as f32 / width as f32;
                decode(output, &self.characters, length)
            })
            .collect())
    }
}

/// The width at which a line is drawn.
fn drawn_width(line: &Quad) -> usize {
    let ratio = line.width() / line.height().max(1.0);
    ((ratio * HEIGHT as f32).ceil() as usize).clamp(8, WIDEST)
}

/// Cuts lines, the widest first, into batches: none is filled by more than a quarter of the
/// widest, but for the narrow ones, which are all filled to the same width.
fn batches(widths: &[usize]) -> Vec<Range<usize>> {
    let filled = |line: usize| widths[line].max(NARROWEST);
    let mut batches = Vec::new();
    let mut start = 0;
    for at in 1..=widths.len() {
        let widest = filled(start);
        let fits = at < widths.len()
            && at - start < BATCH_LINES
            && (at - start + 1) * widest <= BATCH_WIDTH
            && filled(at) * 4 >= widest * 3;
        if !fits {
            batches.push(start..at);
            start = at;
        }
    }
    if widths.is_empty() {
        Vec::new()
    } else {
        batches
    }
}

/// The text of a line: at each step the likeliest class; a class that stays is one character, and
/// the first class is none. `length` is how many steps the line itself takes.
fn decode(output: &[f32], characters: &[String], length: f32) -> Reading {
    let mut reading = Reading::default();
    let mut sum = 0.0;
    let mut count = 0.0_f32;
    let mut last = 0;
    for (step, values) in output.chunks_exact(characters.len() + 1).enumerate() {
        let (class, value) = likeliest(values);
        if class != last && class > 0 {
            let centre = ((step as f32 + 0.5) / length).clamp(0.0, 1.0);
            for character in characters[class - 1].chars() {
                let spaces = character.is_whitespace();
                if spaces && (reading.text.is_empty() || reading.text.ends_with(' ')) {
                    continue;
                }
                reading.text.push(if spaces { ' ' } else { character });
                reading.centres.push(centre);
            }
            sum += value;
            count += 1.0;
        }
        last = class;
    }
    if reading.text.ends_with(' ') {
        reading.text.pop();
        reading.centres.pop();
    }
    reading.confidence = (sum / count.max(1.0)).clamp(0.0, 1.0);
    reading
}

/// The place and the value of the greatest.
fn likeliest(values: &[f32]) -> (usize, f32) {
    let chunks = values.chunks(32);
    let greatest = |chunk: &[f32]| chunk.iter().copied().fold(f32::MIN, f32::max);
    let value = chunks.map(greatest).fold(f32::MIN, f32::max);
    let place = values.iter().position(|other| *other >= value);
    (place.unwrap_or(0), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_decode(steps: &str, text: &str, centres: &[f32]) {
        let characters: Vec<String> = ["a", "b", " "].map(str::to_owned).into();
        let output: Vec<f32> = steps
            .chars()
            .flat_map(|step| {
                let class = "-ab_".find(step).expect("a class");
                (0..4).map(move |at| if at == class { 0.7 } else { 0.1 })
            })
            .collect();
        let reading = decode(&output, &characters, 8.0);
        assert_eq!(reading.text, text, "{steps}");
        assert_eq!(reading.text.chars().count(), reading.centres.len());
        assert_eq!(reading.centres, centres, "{steps}");
        let expected = if steps.chars().all(|step| step == '-') {
            0.0
        } else {
            0.7
        };
        assert!((reading.confidence - expected).abs() < 1e-6);
    }

    #[test]
    fn steps_become_text() {
        check_decode("--------", "", &[]);
        check_decode("-aab----", "ab", &[0.1875, 0.4375]);
        check_decode("-a-a----", "aa", &[0.1875, 0.4375]);
        check_decode("_a_b_---", "a b", &[0.1875, 0.3125, 0.4375]);
        check_decode("a__-_b--", "a b", &[0.0625, 0.1875, 0.6875]);
        check_decode("----_---", "", &[]);
    }

    #[test]
    fn batches_are_bounded_and_cover_all() {
        let check = |widths: &[usize], ends: &[usize]| {
            let found = batches(widths);
            assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
            let found: Vec<usize> = found.iter().map(|batch| batch.end).collect();
            assert_eq!(found, ends, "{widths:?}");
        };
        check(&[], &[]);
        check(&[4800], &[1]);
        check(&[1200, 1200, 1200], &[2, 3]);
        check(&[400, 390, 300, 200, 100, 50, 50], &[6, 7]);
        check(&[800, 610, 590], &[2, 3]);
    }
}
