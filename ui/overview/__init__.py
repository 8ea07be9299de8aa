"""The overview: what was asked by day, how it went, how long it took."""
