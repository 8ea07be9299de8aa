"""Judges of answers: grades calibrated against people's, pairwise comparison, gold sets."""
