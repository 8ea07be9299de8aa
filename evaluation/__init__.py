"""Measuring: quizzes, benchmarks on public data, calibration."""
