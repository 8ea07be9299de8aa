"""Benchmarks on public data: each module is a program that reads the data from a folder given with ``--data``."""
