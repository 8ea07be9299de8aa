"""What a run of the bench came to: the report as a value, its files, and its comparison with another report."""
