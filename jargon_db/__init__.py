"""The jargon dictionary in SQL: contexts, terms and their senses, candidates, corrections and unknown terms."""
