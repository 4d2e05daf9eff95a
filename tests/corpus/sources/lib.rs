//! An empty crate: only its dependencies matter, whose C and C++ sources the corpora compile.
