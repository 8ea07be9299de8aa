"""Summarises a section as a domain expert."""
