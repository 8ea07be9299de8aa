"""Nodes: one step of the graph each."""
