"""Words a question in other ways for a second search."""
