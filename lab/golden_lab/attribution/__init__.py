"""Is attribution to be trusted on one's own model: occlusion curves, conservation, the share of the first token."""
