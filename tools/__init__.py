"""Tools that judges and readers use: embeddings, search, the dictionary, OCR, chat servers and language facts."""
