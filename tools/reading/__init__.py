"""Reading for an answer: what a question asks for, what a passage states, and which of its quotes answers it."""
