//! Pictures as sixels: bands of six lines, a colour at a time.

use image::imageops::FilterType;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Levels of red, green and blue: 6 × 7 × 6 colours, as most terminals have 256.
const LEVELS: [u32; 3] = [6, 7, 6];

/// A PNG as sixels, at most `width` pixels wide; `None` where it is none.
pub(super) fn sixel(png: &[u8], width: u32) -> Option<String> {
    let picture = image::load_from_memory(png).ok()?;
    let picture = if picture.width() > width {
        picture.resize(width, u32::MAX, FilterType::Triangle)
    } else {
        picture
    };
    let picture = picture.to_rgb8();
    let (width, height) = picture.dimensions();
    // A pixel is as high as it is wide; nothing is drawn where no colour is set.
    let mut out = format!("\x1bPq\"1;1;{width};{height}");
    let mut defined = [false; 256];
    for top in (0..height).step_by(6) {
        let band = band(&picture, top);
        for (&colour, columns) in &band {
            if !std::mem::replace(&mut defined[usize::from(colour)], true) {
                let [red, green, blue] = percents(colour);
                let _ = write!(out, "#{colour};2;{red};{green};{blue}");
            }
            let _ = write!(out, "#{colour}");
            push_runs(&mut out, columns);
            // Back to the left, for the next colour of the band.
            out.push('$');
        }
        out.push('-');
    }
    out.push_str("\x1b\\");
    Some(out)
}

/// The colours of six lines, each with the pixels that it has in every column, a bit a line.
fn band(picture: &image::RgbImage, top: u32) -> BTreeMap<u8, Vec<u8>> {
    let (width, height) = picture.dimensions();
    let mut band: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    for y in top..height.min(top + 6) {
        for x in 0..width {
            let columns = band
                .entry(colour(picture.get_pixel(x, y).0))
                .or_insert_with(|| vec![0; width as usize]);
            columns[x as usize] |= 1 << (y - top);
        }
    }
    band
}

/// The number of the nearest colour.
fn colour(rgb: [u8; 3]) -> u8 {
    let mut number = 0;
    for (value, levels) in rgb.into_iter().zip(LEVELS) {
        let level = (u32::from(value) * (levels - 1) + 127) / 255;
        number = number * levels + level;
    }
    number as u8
}

/// A colour's red, green and blue, each to 100.
fn percents(colour: u8) -> [u32; 3] {
    let mut rest = u32::from(colour);
    let mut out = [0; 3];
    for (out, levels) in out.iter_mut().zip(LEVELS).rev() {
        *out = (rest % levels) * 100 / (levels - 1);
        rest /= levels;
    }
    out
}

/// Columns as characters, several of a kind as their number.
fn push_runs(out: &mut String, columns: &[u8]) {
    for run in columns.chunk_by(|a, b| a == b) {
        let character = char::from(b'?' + run[0]);
        if run.len() > 3 {
            let _ = write!(out, "!{}{character}", run.len());
        } else {
            out.extend(run.iter().map(|_| character));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ImageFormat, Rgb, RgbImage};

    #[test]
    fn colours_keep_black_and_white() {
        assert_eq!(percents(colour([0, 0, 0])), [0, 0, 0]);
        assert_eq!(percents(colour([255, 255, 255])), [100, 100, 100]);
        assert_eq!(percents(colour([255, 0, 128])), [100, 0, 60]);
    }

    #[test]
    fn a_small_picture() {
        let picture = RgbImage::from_fn(5, 7, |x, y| {
            Rgb(if x == y { [0, 0, 0] } else { [255, 255, 255] })
        });
        let mut png = std::io::Cursor::new(Vec::new());
        picture
            .write_to(&mut png, ImageFormat::Png)
            .expect("a picture");
        let sixels = sixel(png.get_ref(), 100).expect("a picture");
        insta::assert_snapshot!(sixels.replace('\x1b', "ESC"), @r#"ESCPq"1;1;5;7#0;2;0;0;0#0@ACGO$#251;2;100;100;100#251}|zvn$-#251!5@$-ESC\"#);
        assert_eq!(sixel(b"none", 100), None);
    }
}
