"""Says in which context a question is asked."""
