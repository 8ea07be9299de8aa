"""Answer judges: grades calibrated on people's ratings, pairwise comparison, and gold sets."""
