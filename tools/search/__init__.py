"""Search in the library's chunks."""
