"""The work of each graph node, as plain functions of values and services."""
