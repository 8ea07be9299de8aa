"""Adds context and definitions to a question."""
