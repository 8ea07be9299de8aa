"""Experiments, declared in TOML, that compare answers of several models, or of one under several conditions."""
