"""Several judgements in one call of a language model; parts that it leaves out are left to their own judges."""
