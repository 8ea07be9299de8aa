"""People's records: conversations with their turns, feedback on them, what a reviewer decided, cases made of them."""
