"""Chat servers behind one contract."""
