"""Systems that answer the same questions, to measure the effect of each part of the bot."""
