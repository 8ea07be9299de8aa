"""Judges whether a passage helps to answer a question."""
