"""Workers that read files and may die doing so: processes of this machine, or of a Ray cluster."""
