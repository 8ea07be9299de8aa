"""Words a question in different ways for a second search."""
