"""Says which source triples support a claim."""
