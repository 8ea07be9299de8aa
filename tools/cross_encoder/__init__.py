"""The cross-encoder: a small model that reads a question and a text together and says whether the text answers it."""
