//! Networks that look at a picture.

use crate::error::Cause;
use crate::{ModelError, ModelFiles};
use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value};
use rten_tensor::NdTensor;
use std::sync::Arc;

/// A network with one input that counts: pictures of the shape batch, channel, row, column.
pub(crate) struct Network {
    model: Model,
    input: NodeId,
}

impl Network {
    /// Loads a file of a model; its input is named `input`.
    pub(crate) fn load(
        files: &ModelFiles,
        file: &'static str,
        input: &str,
    ) -> Result<Self, ModelError> {
        let failed = |source| ModelError::Load {
            model: files.entry.name,
            source,
        };
        let model = ModelOptions::with_all_ops()
            .prepack_weights(false)
            .load_file(files.path(file)?)
            .map_err(|error| failed(error.into()))?;
        let input = model.node_id(input).map_err(|error| failed(error.into()))?;
        Ok(Self { model, input })
    }

    /// The lines of the property `character`: what the classes of the output stand for.
    pub(crate) fn classes(&self) -> Result<Vec<String>, Cause> {
        let classes = self.model.metadata().get("character");
        let classes = classes.ok_or("it does not name its classes")?;
        Ok(classes.split('\n').map(str::to_owned).collect())
    }

    /// The first `N` outputs for a batch of pictures.
    pub(crate) fn run<const N: usize>(
        &self,
        pictures: NdTensor<f32, 4>,
        pool: Option<Arc<ThreadPool>>,
    ) -> Result<[Value; N], Cause> {
        let outputs = self.model.output_ids();
        let outputs = outputs.first_chunk::<N>();
        let outputs = outputs.ok_or("it has too few outputs")?;
        let inputs = vec![(self.input, pictures.into())];
        let options = RunOptions::default().with_thread_pool(pool);
        Ok(self.model.run_n(inputs, *outputs, Some(options))?)
    }
}
