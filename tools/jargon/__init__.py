"""The jargon dictionary behind one contract."""
