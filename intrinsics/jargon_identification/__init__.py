"""Finds the jargon in a question."""
