//! Which lines of text are upside down.

use super::quad::Quad;
use crate::error::Cause;
use crate::network::Network;
use crate::parallel::{Pools, on_all_cores};
use crate::pixels::{SIGNED, batch, draw};
use image::RgbImage;

/// The size at which a line is looked at, in pixels. Of a longer line only the beginning is: the
/// network errs on lines that are squeezed.
const SIZE: (usize, usize) = (192, 48);
/// The lines that are looked at together.
const BATCH_LINES: usize = 8;

/// For each line the probability that it is upside down. The network errs now and then, most of
/// all on single words: whoever acts on it should read such a line both ways.
pub(super) fn upside_down(
    network: &Network,
    image: &RgbImage,
    lines: &[Quad],
    pools: &Pools,
) -> Result<Vec<f32>, Cause> {
    let batches: Vec<&[Quad]> = lines.chunks(BATCH_LINES).collect();
    let probabilities = on_all_cores(&batches, |lines| {
        let mut pictures = batch(lines.len(), SIZE.0, SIZE.1);
        for (at, line) in lines.iter().enumerate() {
            let width = line.width() / line.height().max(1.0) * SIZE.1 as f32;
            let beginning = line.part(0.0, (SIZE.0 as f32 / width.max(1.0)).min(1.0));
            let width = (width.ceil() as usize).clamp(1, SIZE.0);
            let frame = beginning.frame();
            let size = (width, SIZE.1);
            draw(image, &frame, size, SIGNED, (&mut pictures, at));
        }
        let [output] = pools.with_one(|pool| network.run(pictures, Some(pool)))?;
        let (shape, output) = output.into_shape_vec::<f32, 2>()?;
        if shape != [lines.len(), 2] {
            return Err(format!("its output has the shape {shape:?}").into());
        }
        Ok(output.chunks_exact(2).map(|either| either[1]).collect())
    })?;
    Ok(probabilities
        .into_iter()
        .flat_map(|batch: Vec<f32>| batch)
        .collect())
}
