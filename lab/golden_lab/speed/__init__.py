"""Measurements of speed and memory that stay meaningful on a busy machine."""
