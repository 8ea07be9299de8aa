"""Benchmarks on public data, which is read from the folder given with ``--data``."""
