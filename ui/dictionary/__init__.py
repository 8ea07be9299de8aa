"""The dictionary page, for its managers."""
