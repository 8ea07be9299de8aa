"""Mines abbreviations with their expansions."""
