"""Systems that answer the same questions: what is left of an answer when a part of the bot is missing."""
