"""Several judgements in one call to a language model; separate judges make the judgements that it omits."""
