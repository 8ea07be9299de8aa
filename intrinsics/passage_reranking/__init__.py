"""Orders passages by usefulness."""
