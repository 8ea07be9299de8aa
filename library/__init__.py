"""The library in SQL: documents, chunks, vectors and the lexical index, which change together in transactions."""
