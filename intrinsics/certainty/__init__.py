"""Estimates how probably an answer is right."""
