"""Rephrases a question for a second search."""
