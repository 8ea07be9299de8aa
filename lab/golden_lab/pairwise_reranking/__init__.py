"""Passages ordered by comparisons of two, as the papers do it; the product has them ordered in one call."""
