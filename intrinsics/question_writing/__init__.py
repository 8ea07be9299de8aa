"""Writes questions that a passage answers, together with the answers."""
