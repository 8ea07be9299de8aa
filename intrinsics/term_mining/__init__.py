"""Finds abbreviations with their expansions."""
