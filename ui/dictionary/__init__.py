"""The dictionary's page: what its manager does."""
