"""Metrics: pure functions of predictions and truths."""
