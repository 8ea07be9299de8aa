"""Training data: questions, the answers to learn, and the passages that a model answers from."""
