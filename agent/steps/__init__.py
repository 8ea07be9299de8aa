"""Steps: what each node of the graph does, as plain functions of values and services."""
