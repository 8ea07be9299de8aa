"""Benchmarks on public data, which are read from a folder given with ``--data``."""
