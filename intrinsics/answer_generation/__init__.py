"""Writes the answer from passages."""
