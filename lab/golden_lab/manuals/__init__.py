"""Questions on manuals and on the examples, in people's own words: the corpora, the questions and the results."""
