"""The library in SQL: documents, chunks, vectors and the lexical index, changed together in transactions."""
