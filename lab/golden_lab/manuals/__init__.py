"""Questions in people's words on manuals that nobody tuned on: the corpora, the questions, and what came of them."""
