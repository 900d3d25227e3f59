//! Adds documents, retrieves evidence, and answers.
