"""Trains the cross-encoder, a small model that decides whether a text answers a question, and where."""
