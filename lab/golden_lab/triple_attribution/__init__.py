"""Determines which source triples support a claim."""
