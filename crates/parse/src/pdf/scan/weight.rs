//! Which lines of a picture are bold? Their strokes are thicker than those of other lines, for
//! their height.

use catena_models::OcrLine;
use image::RgbImage;

/// Bold strokes are at least this much thicker than those of most text.
const BOLD: f32 = 1.25;
/// Runs longer than this share of a line's height are no upright strokes.
const LONGEST: f32 = 0.4;
/// Lines with fewer letters say nothing.
const FEW: usize = 3;

/// For each line of an upright page's picture whether it is bold.
pub(super) fn bold(image: &RgbImage, lines: &[OcrLine]) -> Vec<bool> {
    let strokes: Vec<f32> = lines.iter().map(|line| stroke(image, line)).collect();
    let usual = usual(&strokes, lines);
    strokes
        .into_iter()
        .map(|stroke| usual > 0.0 && stroke > usual * BOLD)
        .collect()
}

/// The thickness that half of the characters are below.
fn usual(strokes: &[f32], lines: &[OcrLine]) -> f32 {
    let weights = lines.iter().map(|line| line.text.chars().count());
    let mut all: Vec<(f32, usize)> = strokes
        .iter()
        .copied()
        .zip(weights)
        .filter(|(stroke, _)| *stroke > 0.0)
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = all.iter().map(|(_, weight)| weight).sum::<usize>() / 2;
    let mut below = 0;
    for (stroke, weight) in all {
        below += weight;
        if below >= half {
            return stroke;
        }
    }
    0.0
}

/// The mean thickness of a line's strokes over its height; 0 where it cannot be told.
fn stroke(image: &RgbImage, line: &OcrLine) -> f32 {
    let bbox = line.quad.bbox();
    let (width, height) = image.dimensions();
    let columns = bbox.left.max(0.0) as u32..(bbox.right.max(0.0) as u32).min(width);
    let rows = bbox.top.max(0.0) as u32..(bbox.bottom.max(0.0) as u32).min(height);
    let letters = line.text.chars().filter(|c| c.is_alphanumeric()).count();
    if letters < FEW || columns.len() < 8 || rows.len() < 8 || line.quad.angle().abs() > 0.1 {
        return 0.0;
    }
    let grey = |x: u32, y: u32| {
        let [r, g, b] = image.get_pixel(x, y).0.map(f32::from);
        r * 0.3 + g * 0.59 + b * 0.11
    };
    let values = || {
        rows.clone()
            .flat_map(|y| columns.clone().map(move |x| grey(x, y)))
    };
    let (low, high) = values().fold((255.0_f32, 0.0_f32), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if high - low < 60.0 {
        return 0.0;
    }
    // Light text on a dark ground is text as well: what there is less of.
    let dark = values()
        .filter(|value| *value < f32::midpoint(low, high))
        .count();
    let light_text = dark * 2 > columns.len() * rows.len();
    let ink = |x: u32, y: u32| {
        let share = (high - grey(x, y)) / (high - low);
        if light_text { 1.0 - share } else { share }
    };
    let longest = rows.len() as f32 * LONGEST;
    let (mut sum, mut count) = (0.0, 0.0);
    for y in rows.clone() {
        let mut run = 0.0;
        for x in columns.clone() {
            let share = ink(x, y);
            if share > 0.25 {
                run += share;
            } else {
                if run > 0.6 && run < longest {
                    sum += run;
                    count += 1.0;
                }
                run = 0.0;
            }
        }
    }
    if count > 0.0 {
        sum / count / line.quad.height().max(1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catena_models::PixelBox;
    use catena_models::testing::ocr_line;
    use image::Rgb;

    #[test]
    fn thick_strokes_are_bold() {
        let mut image = RgbImage::from_pixel(400, 200, Rgb([255; 3]));
        let mut lines = Vec::new();
        for (row, thick) in [(10, 2), (60, 2), (110, 4)] {
            for x in (20..300).filter(|x| x % 12 < thick) {
                for y in row..row + 20 {
                    image.put_pixel(x, y, Rgb([20; 3]));
                }
            }
            let bbox = PixelBox {
                left: 20.0,
                top: row as f32 - 2.0,
                right: 300.0,
                bottom: row as f32 + 22.0,
            };
            lines.push(ocr_line("a line of text", bbox));
        }
        assert_eq!(bold(&image, &lines), [false, false, true]);
    }
}
