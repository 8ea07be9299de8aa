"""The jargon dictionary in SQL: contexts, terms with their senses, candidates, corrections and unknown terms."""
