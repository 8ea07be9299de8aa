"""The jargon dictionary and the choice of senses."""
