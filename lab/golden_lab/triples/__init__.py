"""TRIFEX: what a response claims, where each claim comes from, and what that says about the model."""
