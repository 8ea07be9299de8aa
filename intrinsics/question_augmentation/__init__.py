"""Works context and definitions into a question."""
