"""Ranks passages by usefulness."""
