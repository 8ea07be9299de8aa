"""The overview: the questions of each day, their outcomes and response times."""
