"""Training: from documents to data, and from data to adapters and the product's cross-encoder."""
