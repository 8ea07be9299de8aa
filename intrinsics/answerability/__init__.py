"""Judges whether passages hold the answer."""
