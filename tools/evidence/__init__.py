"""Evidence from the words, numbers and vectors of passages about a question, which the embedded judges share."""
