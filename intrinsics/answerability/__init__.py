"""Judges whether passages contain the answer."""
