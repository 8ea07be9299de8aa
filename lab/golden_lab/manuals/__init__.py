"""Questions in people's words on manuals and on the examples: the corpora, the questions, and their results."""
