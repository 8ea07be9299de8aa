"""Metrics of the benchmarks."""
