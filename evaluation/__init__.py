"""The measuring bench: metrics, benchmarks on public data, one's own cases, judges, fits and reports."""
