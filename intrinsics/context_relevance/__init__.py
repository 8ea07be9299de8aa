"""Judges whether a passage helps with a question."""
