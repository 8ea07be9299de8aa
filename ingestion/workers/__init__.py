"""Files are read by workers that may die at it: processes of this machine, or of a Ray cluster."""
