//! Measures reading, retrieval and answers on data sets.
