"""Text of the generated example documents, as data, and the writers that draw it."""
