"""Experiments, declared in TOML: the answers of several models, or of one under several conditions, are compared."""
