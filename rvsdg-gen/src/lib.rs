//! Generators of control flow graphs and RVSDGs for tests and benchmarks.
