//! An empty crate: only its dependencies matter, whose C sources the corpora compile.
