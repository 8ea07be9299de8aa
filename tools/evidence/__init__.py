"""Evidence: what the words, numbers and vectors of passages say about a question. Shared by the embedded judges."""
