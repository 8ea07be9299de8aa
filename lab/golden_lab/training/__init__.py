"""Training: from documents to data, and from data to adapters and the cross-encoder of the product."""
