"""Training: from documents to data, from data to adapters and encoders that plug into the product."""
