//! One directory on disk: the truth, and what is derived from it for search.
