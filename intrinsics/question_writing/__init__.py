"""Writes questions that a passage answers, each with its answer."""
