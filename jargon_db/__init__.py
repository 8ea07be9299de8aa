"""The jargon dictionary in SQL: contexts, terms with their senses, candidates and the queue of unknown terms."""
