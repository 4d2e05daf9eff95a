//! Optimization passes over the RVSDG.
