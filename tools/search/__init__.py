"""Search over the library's chunks."""
