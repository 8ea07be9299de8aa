"""Builds what the laboratory measures and trains from the parts of the product."""
