"""Training: from documents to data, from data to adapters, and the cross-encoder, that plug into the product."""
