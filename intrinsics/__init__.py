"""Intrinsics: replaceable judges that take text and return typed verdicts."""
