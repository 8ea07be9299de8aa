"""Several judgements in one call of a language model; a part that it does not make is left to its own judge."""
