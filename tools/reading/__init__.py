"""Reading comprehension: what a question asks for, what a passage states, and which quote answers the question."""
