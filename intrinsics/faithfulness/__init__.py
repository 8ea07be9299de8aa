"""Checks answer sentences against passages."""
