"""Data sets: each module reads public ones from the folder that a run names, as benchmarks and fits need them."""
