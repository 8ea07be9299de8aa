"""Experiments: several models, or one under several conditions, asked the same and compared; declared in TOML."""
