"""Writes answers from passages."""
