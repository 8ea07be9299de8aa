"""Patterns of SQL's LIKE."""


def like_pattern(verbatim: str) -> str:
    """Return the LIKE pattern of the texts that contain ``verbatim``, with a backslash as the escape."""
    escaped = verbatim.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{escaped}%"
