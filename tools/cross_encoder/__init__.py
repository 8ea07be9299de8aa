"""The cross-encoder: a small model that reads a question with a text and decides whether the text answers it."""
