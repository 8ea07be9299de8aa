"""Builds the systems that the laboratory measures and trains, from the parts of the product."""
