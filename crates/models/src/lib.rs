//! Runs models: text embedding, and the pinned list of models with its cache.
