"""One small encoder for several judgements: what it learns from, what it is, how it learns, how it is shipped."""
