"""Reads the claims of a text as triples."""
