"""Reading for an answer: what a question asks for, what a passage states, and which quote answers it."""
