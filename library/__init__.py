"""The library in SQL: documents, chunks, vectors and the lexical index, which change together or not at all."""
