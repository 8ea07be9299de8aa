"""Questions in people's words on manuals and on the examples: the corpora, the questions, and what came of them."""
