"""Chat servers with a common contract."""
