"""Links answer sentences to passage sentences."""
