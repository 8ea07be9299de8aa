"""The training of the cross-encoder, a small model that says whether a text answers a question, and where."""
