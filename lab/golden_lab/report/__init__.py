"""Reports of measurements: their files, and the comparison of two reports."""
