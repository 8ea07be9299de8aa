"""Readers of public data sets in a run's data folder, for benchmarks and for fitting."""
