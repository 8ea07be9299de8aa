"""Access to things outside a judgement: embeddings, search, the dictionary, OCR, chat servers, language facts."""
