"""TRIFEX: the claims of a response, the sources of each claim, and metrics of the model."""
