"""Judges in which context a question was asked."""
