"""The overview: the questions of each day, their outcomes and times."""
